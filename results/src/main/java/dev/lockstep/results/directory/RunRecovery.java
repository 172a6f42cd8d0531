package dev.lockstep.results.directory;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.results.Environment;
import dev.lockstep.results.IntervalRow;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.results.json.Json;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Makes a result of a run that was killed, or could not write its own, from what its directory holds: the plan, what
 * was known of the targets when they were measured first, and the intervals. The interval files are cut behind the last
 * interval that is whole in all of them, for after a power cut some hold more than others, and the rest is kept in a
 * folder. Where a file is missing nothing is touched: with it there is more to recover.
 */
final class RunRecovery implements Closeable {
    /**
     * So much of the end may be torn. Linux writes to the disk what is half a minute old; soak runs have it written
     * each second.
     */
    private static final long LONGEST_TORN_END_MS = 60_000;
    /** A file that is not there yet is one that was to be begun. */
    private static final long LONGEST_WITHOUT_FILE_MS = 2_000;
    /** Intervals follow on each other without a gap; one that was lost leaves a second. */
    private static final long LEAST_GAP_NS = 500_000_000;

    private static final long NS_PER_MS = 1_000_000;
    private static final double NS_PER_SEC = 1e9;

    private final Path directory;
    private final IntervalSink intervals;
    private final RunPlan plan;
    private final Segments.Lines rows;
    private final Map<String, Measured> targets = new LinkedHashMap<>();
    private final Interval interval = new Interval();
    private Segments.Place rowsEnd = Segments.Place.START;
    private long firstMs;
    private long lastMs;
    /** Where the files cease to be whole and why, for people; null where they are to the end. */
    private String problem;
    /** Whether that is a file that is not there. */
    private boolean missing;
    /** How long intervals go on behind that, in some of the files. */
    private long tornMs;

    private long cutBytes;
    /** The folder that has it. */
    private String kept;

    private int lastLaunch = Integer.MAX_VALUE;
    /** Whether reading ended at a launch that is not kept. */
    private boolean laterLaunch;

    /** What was measured in one launch of a target. */
    private static final class Launch {
        final LoadCounts counts = new LoadCounts();
        final Histogram[] times = {
            LatencyRecorder.newHistogram(), LatencyRecorder.newHistogram(), LatencyRecorder.newHistogram()
        };
        Costs costs;
        long measuredNs;
        /** How much time between intervals has none, and when the first such gap begins. */
        long missingNs;

        long missingFromNs;
        private long lastEndNs;

        void add(Interval interval, Histogram[] read) {
            long gapNs = interval.startNs - lastEndNs;
            if (measuredNs > 0 && gapNs >= LEAST_GAP_NS) {
                missingFromNs = missingNs == 0 ? lastEndNs : missingFromNs;
                missingNs += gapNs;
            }
            lastEndNs = interval.endNs;
            for (int i = 0; i < times.length; i++) {
                times[i].add(read[i]);
            }
            counts.add(interval.counts());
            measuredNs += interval.endNs - interval.startNs;
            // An interval without a collection may not tell what was allocated; the next one holds it.
            Costs told = interval.costs.awaiting(Cost.ALLOCATED);
            // A target that died keeps what it had cost until then.
            costs = costs == null ? told : costs.plus(told).orTotalsOf(costs);
        }

        Costs costs() {
            return costs == null ? null : costs.concluded();
        }

        LoadResult load() {
            LoadCounts known = counts.copy();
            known.unanswered = counts.sent - counts.completed - counts.errors();
            return LoadResult.builder()
                    .counts(known)
                    .measuredNs(measuredNs)
                    .responseTime(times[0])
                    .serviceTime(times[1])
                    .generatorLag(times[2])
                    .streamDigest(StreamDigest.absent(TargetResult.RECOVERED))
                    .build();
        }
    }

    /** What was measured of one target. */
    private final class Measured implements Closeable {
        final SortedMap<Integer, Launch> launches = new TreeMap<>();
        final Segments.Place[] ends = {Segments.Place.START, Segments.Place.START, Segments.Place.START};
        final Path[] paths;
        final IntervalLog.Reader[] logs = new IntervalLog.Reader[3];
        final Histogram[] read = new Histogram[3];

        Measured(String target) {
            paths = RunFiles.intervalLogs(target).stream()
                    .map(directory::resolve)
                    .toArray(Path[]::new);
            for (int i = 0; i < logs.length; i++) {
                logs[i] = new IntervalLog.Reader(paths[i]);
            }
        }

        /** Takes the interval that was read; returns what is wrong with its histograms, for people, or null. */
        String take() {
            for (int i = 0; i < logs.length; i++) {
                read[i] = logs[i].next();
                if (read[i] == null || read[i].getStartTimeStamp() != interval.startMs) {
                    return missing(i);
                }
            }
            for (int i = 0; i < logs.length; i++) {
                ends[i] = logs[i].place();
            }
            launches.computeIfAbsent(interval.launch, number -> new Launch()).add(interval, read);
            return null;
        }

        private String missing(int i) {
            Path rowsOfIt = Segments.path(directory.resolve(RunFiles.INTERVALS), logs[i].place().segment);
            if (!Files.exists(rowsOfIt)) {
                missing = true;
                return rowsOfIt + ": expected the row of " + logs[i].at() + ", found no such file";
            }
            Path file = Segments.path(paths[i], rows.place().segment);
            missing = !Files.exists(file);
            return missing
                    ? file + ": expected the interval of " + rows.at() + ", found no such file"
                    : logs[i].at() + ": expected the interval of " + rows.at() + ", found "
                            + (read[i] == null ? "the end" : "another");
        }

        /** Reads on to the end of all logs; returns when their last interval ended. */
        long skipToEnd() {
            long endMs = 0;
            for (int i = 0; i < logs.length; i++) {
                endMs = Math.max(endMs, read[i] == null ? 0 : read[i].getEndTimeStamp());
                endMs = Math.max(endMs, logs[i].skipToEnd());
            }
            return endMs;
        }

        /** Whether its logs go on in an hour of which there are no rows; behind {@link #skipToEnd}. */
        boolean lacksRows() {
            return Arrays.stream(logs)
                    .map(log -> Segments.path(directory.resolve(RunFiles.INTERVALS), log.place().segment))
                    .anyMatch(path -> !Files.exists(path));
        }

        boolean isEmpty() {
            return launches.isEmpty();
        }

        LoadResult load() {
            return launches.values().stream()
                    .map(Launch::load)
                    .reduce(LoadResult::then)
                    .orElseThrow();
        }

        Costs costs() {
            return launches.values().stream()
                    .map(Launch::costs)
                    .reduce(Costs::plus)
                    .orElseThrow();
        }

        /** Returns the launches that were begun with what was measured of them. */
        List<LaunchResult> launches(List<LaunchResult> begun) {
            List<LaunchResult> results = new ArrayList<>();
            for (LaunchResult launch : begun) {
                Launch found = launches.get(launch.launch());
                // What is known of one that came to its end is all of it.
                results.add(
                        found == null || launch.isMeasured() ? launch : launch.measured(found.load(), found.costs()));
            }
            return results;
        }

        /** Returns how much time is missing between its intervals, for people; absent where none is. */
        Optional<String> gaps(String target) {
            long missingNs = launches.values().stream()
                    .mapToLong(launch -> launch.missingNs)
                    .sum();
            return launches.values().stream()
                    .filter(launch -> launch.missingNs > 0)
                    .findFirst()
                    .map(launch -> String.format(
                            Locale.ROOT,
                            "%s of %s are missing, from %.1f s on, as where the disk is full: its counts and percentiles"
                                    + " are of the rest",
                            Quantities.duration(missingNs),
                            target,
                            launch.missingFromNs / NS_PER_SEC));
        }

        @Override
        public void close() {
            for (IntervalLog.Reader log : logs) {
                log.close();
            }
        }
    }

    RunRecovery(Path directory, IntervalSink intervals) {
        this.directory = directory;
        this.intervals = intervals;
        plan = RunDirectoryReader.readPlan(directory);
        try {
            rows = new Segments.Lines(directory.resolve(RunFiles.INTERVALS), false);
        } catch (IOException e) {
            throw new MeasurementException(
                    directory.resolve(RunFiles.INTERVALS)
                            + ": expected the intervals of a run, found none: nothing was measured",
                    e);
        }
    }

    /** Reads all that is whole, cuts off the rest, and returns what it comes to. */
    RunResult recover(Environment here) {
        return whileReadable(() -> {
            read();
            requireFiles();
            if (targets.values().stream().allMatch(Measured::isEmpty)) {
                throw new MeasurementException(
                        problem != null && tornMs > LONGEST_TORN_END_MS
                                ? problem + "; intervals of " + Quantities.duration(tornMs * NS_PER_MS)
                                        + " lie behind that, of which nobody can tell where they belong, and nothing was"
                                        + " touched"
                                : directory
                                        + ": expected at least one second of the measured phase, found none: nothing to"
                                        + " recover");
            }
            keep();
            cut();
            return result(here);
        });
    }

    /** Cuts off what was written of all launches after this one. */
    void keepLaunches(int last) {
        lastLaunch = last;
        whileReadable(() -> {
            read();
            if (!laterLaunch) {
                requireFiles();
                keep();
            }
            cut();
            return null;
        });
    }

    private interface Reading<T> {
        T run() throws IOException;
    }

    private <T> T whileReadable(Reading<T> reading) {
        try {
            return reading.run();
        } catch (IOException e) {
            throw new MeasurementException(directory + ": cannot be recovered: " + MeasurementException.reason(e), e);
        }
    }

    /** Reads up to the first row that is not whole, or has not its histograms, or is of a launch that is not kept. */
    private void read() throws IOException {
        String row;
        while (problem == null && (row = rows.next()) != null) {
            problem = take(row);
        }
    }

    /** Takes a row; returns what is wrong with it or with its histograms, for people, or null. */
    private String take(String row) {
        String name = fill(row);
        if (name == null) {
            return rows.at() + ": expected the interval of a target, found a damaged line";
        }
        if (interval.launch > lastLaunch) {
            laterLaunch = true;
            return rows.at() + ": a launch that is not kept";
        }
        try {
            String missing = interval.isMeasured()
                    ? targets.computeIfAbsent(name, Measured::new).take()
                    : null;
            if (missing != null) {
                return missing;
            }
        } catch (MeasurementException e) {
            missing = !targets.containsKey(name);
            return e.getMessage();
        }
        intervals.interval(name, interval);
        firstMs = firstMs == 0 ? interval.startMs : Math.min(firstMs, interval.startMs);
        lastMs = Math.max(lastMs, interval.endMs);
        rowsEnd = rows.place();
        return null;
    }

    /**
     * Fills the interval by a row.
     *
     * @return the target's name; null where the row is not whole: a power cut leaves zeros, a part of a line, or what
     *     lay on the disk before
     */
    private String fill(String row) {
        if (row.indexOf(Segments.NOT_UTF_8) >= 0) {
            return null;
        }
        try {
            IntervalRow read = Json.read(rows.at(), Json.parse(rows.at(), row), IntervalRow.class);
            read.fill(interval);
            String name = read.target();
            return plan.targets().stream().anyMatch(target -> target.name().equals(name)) ? name : null;
        } catch (MeasurementException | IllegalArgumentException e) {
            return null;
        }
    }

    /** Refuses files of which one is not there: more lies behind what is whole than a power cut leaves. */
    private void requireFiles() throws IOException {
        String at = rows.at();
        tornMs = behindMs();
        if (problem == null && tornMs > LONGEST_TORN_END_MS) {
            problem = at + ": expected the rows of all intervals in the .hlog files, found the end";
            missing = targets.values().stream().anyMatch(Measured::lacksRows);
        }
        if (missing && tornMs > LONGEST_WITHOUT_FILE_MS) {
            throw new MeasurementException(problem + "; intervals of " + Quantities.duration(tornMs * NS_PER_MS)
                    + " lie behind that, and nothing was touched: bring the file back as it was written; if you cannot,"
                    + " and it is not of the first hour, move all files of its hour and of later ones aside, and the"
                    + " hours before can be recovered");
        }
    }

    /** Reads on to the end of all files; returns how long the intervals go on that are whole in some of them. */
    private long behindMs() throws IOException {
        long fromMs = lastMs;
        long toMs = lastMs;
        // The row that was read last may be whole, but for its histograms.
        boolean whole = problem != null && interval.endMs > lastMs;
        String row;
        do {
            if (whole) {
                fromMs = fromMs == 0 ? interval.startMs : fromMs;
                toMs = Math.max(toMs, interval.endMs);
            }
            row = rows.next();
            whole = row != null && fill(row) != null;
        } while (row != null);
        for (Measured target : targets.values()) {
            toMs = Math.max(toMs, target.skipToEnd());
        }
        return toMs - fromMs;
    }

    /** Copies what is to be cut off, all of it before anything is, so that a full disk costs nothing. */
    private void keep() throws IOException {
        int number = 1;
        do {
            kept = RunFiles.torn(number++);
        } while (Files.exists(directory.resolve(kept)));
        Path into = directory.resolve(kept);
        cutBytes += Segments.keep(directory.resolve(RunFiles.INTERVALS), rowsEnd, into);
        for (Measured target : targets.values()) {
            for (int i = 0; i < target.paths.length; i++) {
                cutBytes += Segments.keep(target.paths[i], target.ends[i], into);
            }
        }
    }

    private void cut() throws IOException {
        Segments.cut(directory.resolve(RunFiles.INTERVALS), rowsEnd);
        for (Measured target : targets.values()) {
            target.close();
            for (int i = 0; i < target.paths.length; i++) {
                Segments.cut(target.paths[i], target.ends[i]);
            }
        }
    }

    private RunResult result(Environment here) {
        RunResult begun = begun(here);
        List<TargetResult> results = new ArrayList<>();
        List<String> doubts = new ArrayList<>();
        for (TargetResult target : begun.targets()) {
            Measured measured = targets.get(target.name());
            if (measured == null || measured.isEmpty()) {
                results.add(target);
            } else {
                LoadResult load = LoadResult.builder()
                        .from(measured.load())
                        .ownLag(ownLag(target.name()))
                        .build();
                results.add(target.measured(load, measured.costs(), measured.launches(target.launches())));
                plan.maxLag().ifPresent(maxLag -> doubt(doubts, target.name(), load, maxLag.toNanos()));
            }
        }
        List<String> notes = new ArrayList<>();
        notes.add(TargetResult.RECOVERED
                + ", and this one was made of its intervals: own lag"
                + " (unless it was written), outages, requests that were due and not sent, skew, figures per endpoint"
                + " and what Lockstep itself did are not known, of an answer's status only its class (200 stands for"
                + " 2xx)"
                + (cutBytes > 0 ? "; a torn end was cut off and is in " + kept + "/: " + torn() : ""));
        if (problem != null && tornMs > LONGEST_TORN_END_MS) {
            notes.add("THE FIGURES ARE OF THE FIRST PART: " + problem + "; what came after it, "
                    + Quantities.duration(tornMs * NS_PER_MS) + ", is in " + kept + "/");
        }
        if (!kept.equals(RunFiles.torn(1))) {
            notes.add(RunFiles.torn(1) + "/ holds what a recovery before this one cut off");
        }
        if (plan.schedule() == TargetSchedule.TOGETHER) {
            targets.forEach((name, measured) -> measured.gaps(name).ifPresent(notes::add));
        }
        if (plan.profileDuration().isPresent()) {
            notes.add("the targets were not profiled, since the run was killed, or failed, before");
        }
        return begun.killed(at(lastMs), results, doubts, notes);
    }

    private String torn() {
        return Quantities.bytes(cutBytes)
                + (tornMs > 0 ? ", with intervals of " + Quantities.duration(tornMs * NS_PER_MS) : "");
    }

    private RunResult begun(Environment here) {
        RunResult begun = RunDirectoryReader.readBegun(directory);
        if (begun != null) {
            return begun;
        }
        RunResult.Builder result =
                RunResult.builder(plan).startedAt(at(firstMs)).finishedAt(at(lastMs));
        for (TargetPlan target : plan.targets()) {
            TargetResult.Builder planned = TargetResult.builder(target.name());
            target.profile().ifPresent(planned::profile);
            target.address().ifPresent(planned::address);
            result.target(planned.build());
        }
        return result.environment(here).build();
    }

    private static OffsetDateTime at(long epochMs) {
        return OffsetDateTime.ofInstant(Instant.ofEpochMilli(epochMs), ZoneId.systemDefault());
    }

    /** Returns Lockstep's own lag, which a run writes at its end, shortly before its result; else an empty one. */
    private Histogram ownLag(String target) {
        Path path = directory.resolve(RunFiles.ownLagLog(target));
        Histogram lag = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        if (Files.exists(path)) {
            RunDirectoryReader.sum(path, lag);
        }
        return lag;
    }

    /** Own lag is part of the generator lag: where that is small, so was the other. */
    private static void doubt(List<String> doubts, String target, LoadResult load, long maxLagNs) {
        boolean known = load.ownLag().getTotalCount() > 0;
        long lagNs = (known ? load.ownLag() : load.generatorLag()).getValueAtPercentile(99);
        if (lagNs > maxLagNs) {
            doubts.add(String.format(
                    Locale.ROOT,
                    known
                            ? "%s: Lockstep was more than %s late with 1 %% of its sends (limit %s, --max-lag)"
                            : "%s: 1 %% of the requests were sent more than %s late (limit %s, --max-lag), and nobody"
                                    + " knows by whose doing: Lockstep's own lag was not written",
                    target,
                    Quantities.lag(lagNs),
                    Quantities.lag(maxLagNs)));
        }
    }

    @Override
    public void close() {
        targets.values().forEach(Measured::close);
        try {
            rows.close();
        } catch (IOException e) {
            throw new MeasurementException(directory + ": cannot be closed: " + MeasurementException.reason(e), e);
        }
    }
}
