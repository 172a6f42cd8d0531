package dev.lockstep.results.directory;

import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.Skew;
import dev.lockstep.results.AnswerPair;
import dev.lockstep.results.Environment;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.json.Json;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * Writes a run directory: the plan before the run, {@link #intervals} while it goes on, the result after it. Only its
 * owner can read it, because command lines and log lines can hold secrets. {@code run.json} is written last and appears
 * whole or not at all, so a directory with a {@code run.json} is complete; one without keeps the intervals of a run
 * that was killed.
 *
 * <p>Used by one thread. Failures are {@link MeasurementException} with the path.
 */
public final class RunDirectoryWriter implements AutoCloseable {
    private static final double NS_PER_MS = 1e6;
    /** As many lines between two powers of ten as the HdrHistogram tools print. */
    private static final int LINES_PER_HALF_DISTANCE = 5;

    private static final int MOST_NAMES = 4;
    private static final int MOST_NAME_CHARACTERS = 60;
    private static final int MOST_DIRECTORIES_PER_SECOND = 1000;
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

    private interface Contents {
        void writeTo(OutputStream out) throws IOException;
    }

    private final Path directory;
    /** Whether it was not there before. */
    private final boolean made;

    private final IntervalFiles intervals;
    private final List<IntervalSink> watchers = new ArrayList<>();
    /** Whether it is that of a run that was killed, whose intervals are there already. */
    private final boolean reopened;
    /** Held until this is closed; null then, or on a file system without locks. */
    private RunLock lock;

    private RunDirectoryWriter(Path directory, boolean made, boolean reopened, RunLock lock) {
        this.directory = directory;
        this.made = made;
        this.reopened = reopened;
        this.lock = lock;
        intervals = new IntervalFiles(directory);
    }

    /**
     * Opens the directory of a run that has no result, to write one: see {@link #recover}. One that has a result, or
     * that a run is writing, is refused.
     */
    public static RunDirectoryWriter reopen(Path directory) {
        // That it is a run directory at all is told first.
        RunDirectoryReader.readPlan(directory);
        if (Files.exists(directory.resolve(RunFiles.RESULT))) {
            throw new MeasurementException(
                    directory.resolve(RunFiles.RESULT) + ": the run has a result: there is nothing to recover");
        }
        try {
            RunLock lock = RunLock.take(directory)
                    .orElseThrow(() -> new MeasurementException(
                            directory + ": expected the directory of a run that has ended, found one that a run is"
                                    + " writing; wait for its end"));
            return new RunDirectoryWriter(directory, false, true, lock);
        } catch (IOException e) {
            throw failure(directory.resolve(RunFiles.LOCK), "cannot lock it", e);
        }
    }

    /**
     * Returns what the intervals of a run that was killed come to, up to its last second. Intervals that are not whole
     * in all files are cut off. Then follows {@link #result}.
     *
     * @param here stands for where it ran where that is not known
     * @param intervals takes the intervals that are whole, without their histograms
     */
    public RunResult recover(Environment here, IntervalSink intervals) {
        try (RunRecovery recovery = new RunRecovery(directory, intervals)) {
            return recovery.recover(here);
        }
    }

    /**
     * Creates the directory, or takes one that is empty. One that is not empty is refused, unless {@code force} is
     * given: then an earlier run's files are removed from it and other files stay. One that a run is writing is
     * refused: of several that want it at once, one gets it. A directory that was there keeps its mode; the files in it
     * are their owner's alone.
     */
    public static RunDirectoryWriter create(Path directory, boolean force) {
        try {
            if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(directory)) {
                throw new MeasurementException(
                        directory + ": expected a directory for the run, found a file; choose another with -o");
            }
            boolean made = make(directory);
            // Before anything is written into it, and again once no other run can.
            requireFree(directory, force, false);
            RunLock lock = lock(directory);
            try {
                requireFree(directory, force, true).ifPresent(earlier -> remove(directory, earlier));
            } catch (RuntimeException e) {
                if (lock != null) {
                    lock.close();
                }
                throw e;
            }
            return new RunDirectoryWriter(directory, made, false, lock);
        } catch (IOException e) {
            throw failure(directory, "cannot create the run directory", e);
        }
    }

    /** Makes a directory; false where it is there already. */
    private static boolean make(Path directory) throws IOException {
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            Files.createDirectories(parent, OwnerOnly.folder(parent));
        }
        try {
            Files.createDirectory(directory, OwnerOnly.folder(directory));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /**
     * Checks that a directory may be written to.
     *
     * @param locked whether this run has the lock
     * @return the plan of the earlier run in it, which is to be removed
     * @throws MeasurementException where it is not free
     */
    private static Optional<RunPlan> requireFree(Path directory, boolean force, boolean locked) {
        boolean empty = true;
        boolean run = false;
        String taken = null;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                empty &= name.equals(RunFiles.LOCK);
                run |= name.equals(RunFiles.PLAN) || name.equals(RunFiles.RESULT);
                taken = RunFiles.belongsToRun(name, List.of()) && !name.equals(RunFiles.LOCK) ? name : taken;
            }
        } catch (IOException | DirectoryIteratorException e) {
            IOException cause =
                    e instanceof IOException ? (IOException) e : ((DirectoryIteratorException) e).getCause();
            throw failure(directory, "cannot create the run directory", cause);
        }
        Optional<RunPlan> earlier = run ? earlierPlan(directory) : Optional.empty();
        if (!empty && !force) {
            if (!locked && RunLock.isTaken(directory)) {
                throw beingWritten(directory);
            }
            boolean isRun = earlier.isPresent();
            throw new MeasurementException(directory + ": expected an empty or new directory, found "
                    + (isRun ? "an earlier run" : "files")
                    + " in it; choose another with -o" + (isRun ? " or replace the earlier run with --force" : ""));
        }
        if (taken != null && earlier.isEmpty()) {
            // Others' tools have a plan.json too.
            throw new MeasurementException(
                    directory.resolve(taken) + ": expected a file of an earlier run, which --force"
                            + " replaces, found one in a directory whose plan.json and run.json are missing or no run's; choose"
                            + " another directory with -o, or remove the files yourself");
        }
        return earlier;
    }

    /** Returns the plan of the run in a directory; empty where it holds none that can be read. */
    private static Optional<RunPlan> earlierPlan(Path directory) {
        try {
            return Optional.of(RunDirectoryReader.readPlan(directory));
        } catch (MeasurementException noPlan) {
            try {
                return Optional.of(RunResult.fromJson(
                                directory.resolve(RunFiles.RESULT).toString(),
                                RunDirectoryReader.readDocument(directory))
                        .plan());
            } catch (MeasurementException noResult) {
                return Optional.empty();
            }
        }
    }

    /** Removes the files of an earlier run, and no others. */
    private static void remove(Path directory, RunPlan earlier) {
        try {
            for (Path file : files(directory, earlier)) {
                FileTree.remove(file);
            }
        } catch (IOException e) {
            throw failure(directory, "cannot remove the earlier run", e);
        }
    }

    /** Returns the files of a run, last those that say that there is one: after a kill the rest can be removed. */
    static List<Path> files(Path directory, RunPlan plan) throws IOException {
        Set<String> targets = plan.targets().stream().map(TargetPlan::name).collect(Collectors.toSet());
        List<Path> files = new ArrayList<>(outputs(directory, plan));
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(
                directory, file -> RunFiles.belongsToRun(file.getFileName().toString(), targets))) {
            entries.forEach(files::add);
        }
        files.remove(directory.resolve(RunFiles.LOCK));
        for (String last : List.of(RunFiles.RESULT, RunFiles.PLAN)) {
            Path file = directory.resolve(last);
            files.remove(file);
            files.add(file);
        }
        return files;
    }

    private static RunLock lock(Path directory) {
        try {
            return RunLock.take(directory).orElseThrow(() -> beingWritten(directory));
        } catch (IOException e) {
            // A file system without locks: nobody is kept from recovering a run that goes on.
            return null;
        }
    }

    private static MeasurementException beingWritten(Path directory) {
        return new MeasurementException(directory
                + ": expected a directory that nobody uses, found one that a run is writing, which --force"
                + " does not replace; choose another with -o or wait for its end");
    }

    /** Returns what an earlier run's targets wrote. Other files end in ".log" too, so its plan must name them. */
    private static List<Path> outputs(Path directory, RunPlan plan) throws IOException {
        List<Path> files = new ArrayList<>();
        for (TargetPlan target : plan.targets()) {
            for (int launch = 1; launch <= plan.mostLaunches(); launch++) {
                files.add(directory.resolve(RunFiles.output(target.name(), launch)));
            }
            try (DirectoryStream<Path> logs = Files.newDirectoryStream(
                    directory, file -> RunFiles.isGcLog(file.getFileName().toString(), target.name()))) {
                logs.forEach(files::add);
            }
        }
        return files;
    }

    /** Creates a directory below {@code parent} that is named by time and targets: {@code 20261121-074200-c2-graal}. */
    public static RunDirectoryWriter createDefault(Path parent, OffsetDateTime startedAt, List<String> targets) {
        String name = STAMP.format(startedAt) + "-" + join(targets);
        try {
            if (!Files.isDirectory(parent)) {
                Files.createDirectories(parent, OwnerOnly.folder(parent));
            }
            for (int i = 1; i <= MOST_DIRECTORIES_PER_SECOND; i++) {
                Path directory = parent.resolve(i == 1 ? name : name + "-" + i);
                try {
                    Files.createDirectory(directory, OwnerOnly.folder(parent));
                    return new RunDirectoryWriter(directory, true, false, lock(directory));
                } catch (FileAlreadyExistsException e) {
                    // Another run began in the same second: the next number is free.
                }
            }
        } catch (IOException e) {
            throw failure(parent, "cannot create a run directory below it", e);
        }
        throw new MeasurementException(parent.resolve(name) + ": expected a free name, found "
                + MOST_DIRECTORIES_PER_SECOND + " runs of this second; choose a directory with -o");
    }

    private static String join(List<String> targets) {
        int shown = Math.min(targets.size(), MOST_NAMES);
        String names = String.join("-", targets.subList(0, shown));
        if (names.length() > MOST_NAME_CHARACTERS) {
            names = names.substring(0, MOST_NAME_CHARACTERS);
        }
        return shown == targets.size() ? names : names + "-and-" + (targets.size() - shown) + "-more";
    }

    public Path directory() {
        return directory;
    }

    /**
     * Returns the folder for what profilers need while they work. Who profiles makes and removes it; where that is
     * killed, it goes with the run directory, or when another run replaces this one.
     */
    public Path profilingFolder() {
        return directory.resolve(RunFiles.PROFILING);
    }

    /** Writes {@code plan.json}; before the run, so that a run that never ended can be told. */
    public void plan(RunPlan plan) {
        replace(RunFiles.PLAN, plan.toJson());
    }

    /**
     * Removes the plan of a run that failed before there was anything else, and the directory if it was made for this
     * run: there is nothing in it to recover. A target's output stays, and the plan beside it.
     */
    public void removeIfNothingBegan() {
        try {
            try (DirectoryStream<Path> others = Files.newDirectoryStream(
                    directory, file -> !file.endsWith(RunFiles.PLAN) && !file.endsWith(RunFiles.LOCK))) {
                if (others.iterator().hasNext()) {
                    return;
                }
            }
            Files.deleteIfExists(directory.resolve(RunFiles.PLAN));
            unlock();
            if (made) {
                Files.delete(directory);
            }
        } catch (IOException | MeasurementException e) {
            // What made the run fail is what there is to tell; a plan that stays does no harm.
        }
    }

    /**
     * Writes {@code begun.json}: all that is known of a run before it measures, as a result without figures, so that it
     * is not lost when the run is killed.
     */
    public void begun(RunResult result) {
        replace(RunFiles.BEGUN, result.toJson());
    }

    /** Has the intervals outlive a power cut, and not only the death of this process. */
    public void durable() {
        intervals.durable();
    }

    /** Writes {@code summary.csv}, the result as a line per target; before {@link #result}. */
    public void summary(String csv) {
        replace(RunFiles.SUMMARY, csv);
    }

    /**
     * Returns what writes the intervals of the run as they come. A full disk does not make it fail: see
     * {@link #intervalLosses}.
     */
    public IntervalSink intervals() {
        return (target, interval) -> {
            intervals.interval(target, interval);
            watchers.forEach(watcher -> watcher.interval(target, interval));
        };
    }

    /** Has every interval that comes to {@link #intervals} handed on to this sink too, written or not. */
    public void alsoTo(IntervalSink watcher) {
        watchers.add(watcher);
    }

    /**
     * Ends the intervals, and removes those of all launches after this one: a launch that failed has no figures in the
     * result, which its intervals must agree with.
     */
    public void keepLaunches(int last) {
        closeIntervals();
        if (RunDirectoryReader.hasIntervals(directory)) {
            try (RunRecovery files = new RunRecovery(directory, IntervalSink.NONE)) {
                files.keepLaunches(last);
            }
        }
    }

    /** Returns which intervals could not be written, a line per target for people; none when all is well. */
    public List<String> intervalLosses() {
        return intervals.losses();
    }

    /** Returns how many intervals of a target could not be written. */
    public long intervalsLost(String target) {
        return intervals.lost(target);
    }

    /** Writes text piece by piece, so that a long file is never in memory as a whole. */
    public interface Text {
        /** Writes all of it. */
        void writeTo(Appendable out) throws IOException;
    }

    /** Writes {@code <target>.differences.csv}, a line for each request that it answered differently. */
    public void differences(String target, Text csv) {
        text(RunFiles.differences(target), csv);
    }

    /** Writes {@code <target>.bodies.jsonl}, a line for each pair. */
    public void answers(String target, List<AnswerPair> pairs) {
        text(RunFiles.answers(target), out -> {
            for (AnswerPair pair : pairs) {
                out.append(Json.tree(pair).toString()).append('\n');
            }
        });
    }

    /** Writes {@code <target>.collapsed}: the stacks of its profile, a line each. */
    public void stacks(String target, Text stacks) {
        text(RunFiles.stacks(target), stacks);
    }

    /** Writes {@code <target>.flame.html}. */
    public void flameGraph(String target, Text html) {
        text(RunFiles.flameGraph(target), html);
    }

    /**
     * Writes {@code report.html}; after {@link #result}, for it is made of the files.
     *
     * @return the file
     */
    public Path page(String html) {
        replace(RunFiles.PAGE, html);
        return directory.resolve(RunFiles.PAGE);
    }

    /** Writes {@code <target>.diff.flame.html}: its flame graph, coloured by the difference to the baseline's. */
    public void differentialFlameGraph(String target, Text html) {
        text(RunFiles.differentialFlameGraph(target), html);
    }

    /**
     * Writes {@code <target>.profile.log}: what a target wrote that could not be profiled.
     *
     * @return the file
     */
    public Path profileOutput(String target, Text output) {
        return text(RunFiles.profileOutput(target), output);
    }

    private Path text(String name, Text contents) {
        write(name, out -> {
            Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
            contents.writeTo(text);
            text.flush();
        });
        return directory.resolve(name);
    }

    /** Writes {@code run.json} again, with what was found out after {@link #result}. */
    public void amend(RunResult result) {
        replace(RunFiles.RESULT, result.toJson());
    }

    /**
     * Ends the intervals, writes what the histograms of every target come to, then {@code run.json}.
     *
     * @throws MeasurementException where the disk does not take a file; what the intervals hold can be recovered
     */
    public void result(RunResult result) {
        try {
            writeResult(result);
        } catch (MeasurementException e) {
            if (Files.exists(directory.resolve(RunFiles.BEGUN)) && !Files.exists(directory.resolve(RunFiles.RESULT))) {
                throw new MeasurementException(
                        e.getMessage() + "; once that is mended, replay recover " + directory
                                + " makes the result of what the intervals hold",
                        e);
            }
            throw e;
        }
    }

    private void writeResult(RunResult result) {
        for (TargetResult target : result.targets()) {
            target.load().ifPresent(load -> histograms(target.name(), load, result));
            if (target.isMeasured() && target.load().isEmpty()) {
                throw new IllegalArgumentException("target " + target.name()
                        + ": a result is written with its histograms; read the whole directory that it came from");
            }
        }
        result.skew().flatMap(Skew::histogram).ifPresent(spread -> {
            long startMs = result.startedAt().toInstant().toEpochMilli();
            histogram(
                    RunFiles.SKEW_LOG,
                    spread,
                    startMs,
                    result.finishedAt().toInstant().toEpochMilli());
        });
        closeIntervals();
        replace(RunFiles.RESULT, result.toJson());
        try {
            Files.deleteIfExists(directory.resolve(RunFiles.BEGUN));
        } catch (IOException e) {
            throw failure(directory.resolve(RunFiles.BEGUN), "cannot remove it", e);
        }
    }

    private void histograms(String target, LoadResult load, RunResult result) {
        long startMs = result.startedAt().toInstant().toEpochMilli();
        long endMs = result.finishedAt().toInstant().toEpochMilli();
        try {
            if (!reopened) {
                intervals.complete(target, startMs);
            }
        } catch (IOException e) {
            throw failure(directory.resolve(RunFiles.responseTimeLog(target)), "cannot write it", e);
        }
        histogram(RunFiles.ownLagLog(target), load.ownLag(), startMs, endMs);
        if (load.hasOpaqueTimes()) {
            histogram(RunFiles.opaqueFirstByteLog(target), load.opaqueFirstByte(), startMs, endMs);
            histogram(RunFiles.opaqueLastByteLog(target), load.opaqueLastByte(), startMs, endMs);
        }
        percentiles(RunFiles.responseTimePercentiles(target), load.responseTime());
        percentiles(RunFiles.serviceTimePercentiles(target), load.serviceTime());
    }

    /** Writes a log of one interval. */
    private void histogram(String name, Histogram histogram, long startMs, long endMs) {
        IntervalLog.Encoder log = new IntervalLog.Encoder(startMs);
        write(name, out -> {
            out.write(log.head());
            out.write(log.line(histogram, startMs, endMs));
        });
    }

    /** Closes the interval files; all that was written stays. */
    @Override
    public void close() {
        try {
            closeIntervals();
        } finally {
            unlock();
        }
    }

    private void unlock() {
        if (lock == null) {
            return;
        }
        try {
            lock.close();
            lock = null;
        } catch (IOException e) {
            throw failure(directory.resolve(RunFiles.LOCK), "cannot remove it", e);
        }
    }

    private void closeIntervals() {
        try {
            intervals.close();
        } catch (IOException e) {
            throw failure(directory.resolve(RunFiles.INTERVALS), "cannot finish it", e);
        }
    }

    /** Writes the percentile distribution in milliseconds, as HistogramLogProcessor does. */
    private void percentiles(String name, Histogram histogram) {
        write(name, out -> {
            PrintStream print = new PrintStream(out, false, StandardCharsets.UTF_8);
            // A copy, because its iterators are its own and others may read the same result meanwhile.
            histogram.copy().outputPercentileDistribution(print, LINES_PER_HALF_DISTANCE, NS_PER_MS);
            if (print.checkError()) {
                throw new IOException("the file system refused the bytes");
            }
        });
    }

    private void replace(String name, String contents) {
        write(name, out -> out.write(contents.getBytes(StandardCharsets.UTF_8)));
    }

    /** Writes a file beside its final name and renames it, so that nobody ever sees half of it. */
    private void write(String name, Contents contents) {
        Path file = directory.resolve(name);
        Path temporary = directory.resolve(RunFiles.temporary(name));
        try {
            Files.deleteIfExists(temporary);
            try (FileChannel channel = FileChannel.open(
                    temporary,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    OwnerOnly.file(directory))) {
                OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
                contents.writeTo(out);
                out.flush();
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            remove(temporary, e);
            throw failure(file, "cannot write it", e);
        }
    }

    /** Half of a file is of no use, and on a full disk in the way of others. */
    private static void remove(Path temporary, IOException failure) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static MeasurementException failure(Path path, String what, IOException e) {
        return new MeasurementException(path + ": " + what + ": " + MeasurementException.reason(e), e);
    }
}
