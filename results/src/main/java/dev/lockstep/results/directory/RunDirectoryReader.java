package dev.lockstep.results.directory;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Skew;
import dev.lockstep.results.AnswerPair;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.IntervalRow;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Reads a run directory back, histograms included, so that it can be reported or merged as if it had just been
 * measured. Every file is checked against {@code run.json}. Failures are {@link MeasurementException} with the file and
 * what was expected of it.
 */
public final class RunDirectoryReader {
    private static final int LONGEST_ROW = 1 << 16;
    /** So few digits that a page can add them up. */
    private static final Pattern STACK = Pattern.compile("([^;].*) ([1-9][0-9]{0,14})", Pattern.DOTALL);

    private static final long WHOLE_PHASE = Long.MAX_VALUE;

    private RunDirectoryReader() {}

    /** Returns the plan, which is there from the start of a run. */
    public static RunPlan readPlan(Path directory) {
        Path file = directory.resolve(RunFiles.PLAN);
        return RunPlan.fromJson(file.toString(), text(directory, file));
    }

    /** Returns the result with all histograms. */
    public static RunResult read(Path directory) {
        Path file = directory.resolve(RunFiles.RESULT);
        RunResult result = result(directory, file);
        List<TargetResult> targets = new ArrayList<>();
        for (TargetResult target : result.targets()) {
            targets.add(target.isMeasured() ? withHistograms(directory, target) : target);
        }
        return result.with(targets, result.skew().map(skew -> withHistogram(directory, skew)));
    }

    /** Returns the result of {@code run.json} alone, without histograms: quick, where there are many runs. */
    public static RunResult readResult(Path directory) {
        return result(directory, directory.resolve(RunFiles.RESULT));
    }

    private static RunResult result(Path directory, Path file) {
        String text = text(directory, file);
        try {
            requireResult(file, Json.parse(file.toString(), text));
        } catch (MeasurementException e) {
            throw hasIntervals(directory)
                    ? new MeasurementException(
                            e.getMessage() + "; remove the file, and replay recover " + directory
                                    + " makes it anew of the intervals",
                            e)
                    : e;
        }
        return RunResult.fromJson(file.toString(), text);
    }

    /** Tells the JSON of something else by what each result has had from the first version on. */
    private static void requireResult(Path file, ObjectNode document) {
        String missing = Stream.of("version", "plan", "targets")
                .filter(field -> !document.has(field))
                .collect(Collectors.joining(", "));
        if (!missing.isEmpty()) {
            throw new MeasurementException(
                    file + ": expected the result of a run, found JSON without its fields " + missing);
        }
    }

    /** True from the start of a run until its result is written; what comes behind, such as profiles, adds to that. */
    public static boolean isBeingWritten(Path directory) {
        return RunLock.isTaken(directory) && !Files.exists(directory.resolve(RunFiles.RESULT));
    }

    /** Returns the text of {@code run.json}. */
    public static String readDocument(Path directory) {
        return text(directory, directory.resolve(RunFiles.RESULT));
    }

    /** Returns what was known of a run when it was about to be measured, or null. */
    static RunResult readBegun(Path directory) {
        Path file = directory.resolve(RunFiles.BEGUN);
        return Files.exists(file) ? RunResult.fromJson(file.toString(), text(directory, file)) : null;
    }

    /** Returns the name of the file with what a launch of a target, counted from 1, wrote to its two outputs. */
    public static String output(String target, int launch) {
        return RunFiles.output(target, launch);
    }

    /** Says whether anything was measured, if only a warm-up. */
    public static boolean hasIntervals(Path directory) {
        return Files.exists(directory.resolve(RunFiles.INTERVALS));
    }

    private static Skew withHistogram(Path directory, Skew skew) {
        Path path = directory.resolve(RunFiles.SKEW_LOG);
        Histogram spread = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        requireIntervals(path, 1, sum(path, spread));
        Skew read = Skew.of(spread, skew.unmeasured());
        requireFigures(path, skew.spread(), spread);
        return read;
    }

    /**
     * Passes on the figures of all intervals of a target in order of time, those of its warm-up included, also of a run
     * that was killed. Needs {@code intervals.jsonl} alone.
     */
    public static void readFigures(Path directory, String target, Consumer<IntervalFigures> each) {
        readFigures(directory, (name, figures) -> {
            if (name.equals(target)) {
                each.accept(figures);
            }
        });
    }

    /** As {@link #readFigures(Path, String, Consumer)} of all targets, with the name of each. */
    public static void readFigures(Path directory, BiConsumer<String, IntervalFigures> each) {
        try (IntervalRows rows = new IntervalRows(directory.resolve(RunFiles.INTERVALS))) {
            IntervalRow row;
            while ((row = rows.next()) != null) {
                each.accept(row.target(), row.figures());
            }
        }
    }

    /** Passes on the fields of all intervals, likewise, as texts by their names with a dot for one within another. */
    public static void readCells(Path directory, Consumer<Map<String, String>> each) {
        try (IntervalRows rows = new IntervalRows(directory.resolve(RunFiles.INTERVALS))) {
            IntervalRow row;
            while ((row = rows.next()) != null) {
                each.accept(row.cells());
            }
        }
    }

    /**
     * Returns what a target and the baseline answered to some requests that they answered differently; may be empty.
     */
    public static List<AnswerPair> answers(Path directory, String target) {
        Path file = directory.resolve(RunFiles.answers(target));
        List<AnswerPair> pairs = new ArrayList<>();
        if (!Files.exists(file)) {
            return pairs;
        }
        try {
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                String place = file + ": line " + ++number;
                pairs.add(Json.read(place, Json.parse(place, line), AnswerPair.class));
            }
        } catch (IOException e) {
            throw new MeasurementException(file + ": cannot be read: " + MeasurementException.reason(e), e);
        }
        return pairs;
    }

    /**
     * Passes on the stacks of a target's profile with the samples of each: its frames from the root on, with the marks
     * of their kinds. None where the directory has none of this target.
     */
    public static void readStacks(Path directory, String target, ObjLongConsumer<List<String>> each) {
        Path file = directory.resolve(RunFiles.stacks(target));
        if (!Files.exists(file)) {
            return;
        }
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            int number = 0;
            String line;
            while ((line = lines.readLine()) != null) {
                Matcher stack = STACK.matcher(line);
                number++;
                if (!stack.matches()) {
                    throw new MeasurementException(file + ": line " + number
                            + ": expected frames, a blank and a number of samples, found other text; remove the file"
                            + " to do without this profile's stacks");
                }
                each.accept(List.of(stack.group(1).split(";")), Long.parseLong(stack.group(2)));
            }
        } catch (IOException e) {
            throw new MeasurementException(file + ": cannot be read: " + MeasurementException.reason(e), e);
        }
    }

    /** Returns the names of the flame graphs in the directory. */
    public static List<String> flameGraphs(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(RunFiles::isFlameGraph)
                    .sorted()
                    .collect(Collectors.toList());
        } catch (IOException e) {
            throw new MeasurementException(directory + ": cannot be read: " + MeasurementException.reason(e), e);
        }
    }

    private static TargetResult withHistograms(Path directory, TargetResult target) {
        Path responsePath = directory.resolve(RunFiles.responseTimeLog(target.name()));
        Path servicePath = directory.resolve(RunFiles.serviceTimeLog(target.name()));
        Path lagPath = directory.resolve(RunFiles.generatorLagLog(target.name()));
        Path ownLagPath = directory.resolve(RunFiles.ownLagLog(target.name()));
        if (target.intervalsLost().orElse(0) > 0) {
            // The disk was full: the figures are complete, the histograms behind them are not.
            return target;
        }
        Histogram response = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        Histogram service = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        Histogram lag = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        Histogram ownLag = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        int intervals = sum(responsePath, response);
        requireIntervals(servicePath, intervals, sum(servicePath, service));
        requireIntervals(lagPath, intervals, sum(lagPath, lag));
        requireIntervals(ownLagPath, 1, sum(ownLagPath, ownLag));
        Histogram opaqueFirst = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        Histogram opaqueLast = new Histogram(LatencyRecorder.SIGNIFICANT_DIGITS);
        Path opaqueFirstPath = directory.resolve(RunFiles.opaqueFirstByteLog(target.name()));
        Path opaqueLastPath = directory.resolve(RunFiles.opaqueLastByteLog(target.name()));
        if (target.opaqueFirstByte().isPresent()) {
            requireIntervals(opaqueFirstPath, 1, sum(opaqueFirstPath, opaqueFirst));
            requireIntervals(opaqueLastPath, 1, sum(opaqueLastPath, opaqueLast));
            requireFigures(opaqueFirstPath, target.opaqueFirstByte().orElseThrow(), opaqueFirst);
            requireFigures(opaqueLastPath, target.opaqueLastByte().orElseThrow(), opaqueLast);
        }
        requireFigures(responsePath, target.responseTime().orElseThrow(), response);
        requireFigures(servicePath, target.serviceTime().orElseThrow(), service);
        requireFigures(lagPath, target.generatorLag().orElseThrow(), lag);
        requireFigures(ownLagPath, target.ownLag().orElseThrow(), ownLag);
        return target.withHistograms(response, service, lag, ownLag, opaqueFirst, opaqueLast);
    }

    /** Adds all histograms of a log to one; returns how many there are. */
    static int sum(Path log, Histogram total) {
        try (IntervalLog.Reader reader = new IntervalLog.Reader(log)) {
            int intervals = 0;
            Histogram next;
            while ((next = reader.next()) != null) {
                total.add(next);
                intervals++;
            }
            return intervals;
        }
    }

    private static void requireIntervals(Path file, int expected, int found) {
        if (expected != found) {
            throw new MeasurementException(file + ": expected " + expected + " intervals as in the target's other logs,"
                    + " found " + found + "; the file is cut short or of another run");
        }
    }

    private static void requireFigures(Path file, Percentiles expected, Histogram found) {
        if (expected.count() != found.getTotalCount()) {
            throw new MeasurementException(file + ": expected " + expected.count() + " values as in run.json, found "
                    + found.getTotalCount() + "; the file is cut short or of another run");
        }
        if (!expected.isOf(found)) {
            throw new MeasurementException(
                    file + ": expected the percentiles of run.json, found others; the file is of another run");
        }
    }

    private static String text(Path directory, Path file) {
        if (!Files.isDirectory(directory)) {
            throw new MeasurementException(directory + ": expected a run directory, found "
                    + (Files.exists(directory) ? "a file" : "nothing"));
        }
        if (!Files.exists(file)) {
            throw new MeasurementException(
                    file + ": expected the file of a run, found none; " + whatThereIs(directory));
        }
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (MalformedInputException e) {
            throw new MeasurementException(file + ": expected UTF-8 text, found other bytes", e);
        } catch (IOException e) {
            throw new MeasurementException(file + ": cannot be read: " + MeasurementException.reason(e), e);
        }
    }

    private static String whatThereIs(Path directory) {
        if (!Files.exists(directory.resolve(RunFiles.PLAN))) {
            return "this is not a run directory";
        }
        long untilNs = intervalsUntilNs(Segments.path(directory.resolve(RunFiles.INTERVALS), Segments.last(directory)));
        return untilNs == 0
                ? "the run has not ended, or was killed or failed before anything was measured"
                : String.format(
                        Locale.ROOT,
                        "the run has not ended, or was killed or failed; the intervals of its %s are in %s and in the .hlog"
                                + " files, of which replay recover makes a result",
                        untilNs == WHOLE_PHASE
                                ? "measured phase"
                                : String.format(Locale.ROOT, "first %.1f s", untilNs / 1e9),
                        RunFiles.INTERVALS);
    }

    /**
     * Returns the end of the last measured interval that a run which has no result wrote, 0 where there is none;
     * {@link #WHOLE_PHASE} where others followed.
     */
    private static long intervalsUntilNs(Path file) {
        try (FileChannel channel = FileChannel.open(file)) {
            InputStream end = Channels.newInputStream(channel.position(Math.max(0, channel.size() - LONGEST_ROW)));
            String lines = new String(end.readNBytes(LONGEST_ROW), StandardCharsets.UTF_8);
            int lastEnd = lines.lastIndexOf('\n');
            String text = lastEnd < 0 ? "" : lines.substring(lines.lastIndexOf('\n', lastEnd - 1) + 1, lastEnd);
            if (text.isEmpty()) {
                return 0;
            }
            IntervalFigures last = Json.read(file.toString(), Json.parse(file.toString(), text), IntervalRow.class)
                    .figures();
            switch (last.phase()) {
                case WARM_UP:
                    return 0;
                case FULL_LOAD:
                    return WHOLE_PHASE;
                default:
                    return last.endNs();
            }
        } catch (IOException | MeasurementException e) {
            return 0;
        }
    }
}
