package dev.lockstep.measurement;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Reads a run directory back, histograms included, so that it can be reported or merged as if it had just been measured.
 * Every file is checked against {@code run.json}. Failures are {@link MeasurementException} with the file and what was
 * expected of it.
 */
public final class RunDirectoryReader {
    private RunDirectoryReader() {}

    /** Returns the plan, which is there from the start of a run. */
    public static RunPlan readPlan(Path directory) {
        Path file = directory.resolve(RunFiles.PLAN);
        return RunPlan.fromJson(JsonFields.parse(file.toString(), text(directory, file)));
    }

    /** Returns the result with all histograms. */
    public static RunResult read(Path directory) {
        Path file = directory.resolve(RunFiles.RESULT);
        RunResult result = RunResult.fromJson(JsonFields.parse(file.toString(), text(directory, file)));
        List<TargetResult> targets = new ArrayList<>();
        for (TargetResult target : result.targets()) {
            targets.add(target.isMeasured() ? withHistograms(directory, target) : target);
        }
        return result.withTargets(targets);
    }

    private static TargetResult withHistograms(Path directory, TargetResult target) {
        Path responsePath = directory.resolve(RunFiles.responseTimeLog(target.name()));
        Path servicePath = directory.resolve(RunFiles.serviceTimeLog(target.name()));
        Path lagPath = directory.resolve(RunFiles.generatorLagLog(target.name()));
        Path ownLagPath = directory.resolve(RunFiles.ownLagLog(target.name()));
        List<Histogram> response = IntervalLog.read(responsePath);
        List<Histogram> service = IntervalLog.read(servicePath);
        List<Histogram> lag = IntervalLog.read(lagPath);
        List<Histogram> ownLag = IntervalLog.read(ownLagPath);
        requireIntervals(servicePath, response.size(), service.size());
        requireIntervals(lagPath, response.size(), lag.size());
        requireIntervals(ownLagPath, 1, ownLag.size());
        List<LoadResult.Interval> intervals = new ArrayList<>();
        for (int i = 0; i < response.size(); i++) {
            intervals.add(new LoadResult.Interval(response.get(i), service.get(i), lag.get(i)));
        }
        TargetResult read = target.withHistograms(ownLag.get(0), intervals);
        requireFigures(
                responsePath,
                target.responseTime().orElseThrow(),
                read.responseTime().orElseThrow());
        requireFigures(
                servicePath,
                target.serviceTime().orElseThrow(),
                read.serviceTime().orElseThrow());
        requireFigures(
                lagPath,
                target.generatorLag().orElseThrow(),
                read.generatorLag().orElseThrow());
        requireFigures(ownLagPath, target.ownLag().orElseThrow(), read.ownLag().orElseThrow());
        return read;
    }

    private static void requireIntervals(Path file, int expected, int found) {
        if (expected != found) {
            throw new MeasurementException(file + ": expected " + expected + " intervals as in the target's other logs,"
                    + " found " + found + "; the file is cut short or of another run");
        }
    }

    private static void requireFigures(Path file, Percentiles expected, Percentiles found) {
        if (expected.count() != found.count()) {
            throw new MeasurementException(file + ": expected " + expected.count() + " values as in run.json, found "
                    + found.count() + "; the file is cut short or of another run");
        }
        if (!expected.equals(found)) {
            throw new MeasurementException(
                    file + ": expected the percentiles of run.json, found others" + "; the file is of another run");
        }
    }

    private static String text(Path directory, Path file) {
        if (!Files.isDirectory(directory)) {
            throw new MeasurementException(directory + ": expected a run directory, found "
                    + (Files.exists(directory) ? "a file" : "nothing"));
        }
        if (!Files.exists(file)) {
            boolean started = Files.exists(directory.resolve(RunFiles.PLAN));
            throw new MeasurementException(file + ": expected the file of a run, found none; "
                    + (started ? "the run has not ended or was killed" : "this is not a run directory"));
        }
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (MalformedInputException e) {
            throw new MeasurementException(file + ": expected UTF-8 text, found other bytes", e);
        } catch (IOException e) {
            throw new MeasurementException(file + ": cannot be read: " + e, e);
        }
    }
}
