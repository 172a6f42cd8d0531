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
import dev.lockstep.results.json.Json;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Makes a result of a run that was killed, from what its directory holds: the plan, what was known of the targets when
 * they were measured first, and the intervals. The interval files are cut behind the last interval that is whole in all
 * of them, for after a power cut some hold more than others.
 */
final class RunRecovery implements Closeable {
    private final Path directory;
    private final IntervalSink intervals;
    private final RunPlan plan;
    private final Segments.Lines rows;
    private final Map<String, Measured> targets = new LinkedHashMap<>();
    private final Interval interval = new Interval();
    private Segments.Place rowsEnd = Segments.Place.START;
    private long firstMs;
    private long lastMs;
    private boolean torn;
    private int lastLaunch = Integer.MAX_VALUE;

    /** What was measured in one launch of a target. */
    private static final class Launch {
        final LoadCounts counts = new LoadCounts();
        final Histogram[] times = {
            LatencyRecorder.newHistogram(), LatencyRecorder.newHistogram(), LatencyRecorder.newHistogram()
        };
        Costs costs;
        long measuredNs;

        void add(Interval interval, Histogram[] read) {
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
                    .streamDigest(StreamDigest.absent("the run was killed"))
                    .build();
        }
    }

    /** What was measured of one target. */
    private final class Measured implements Closeable {
        final SortedMap<Integer, Launch> launches = new TreeMap<>();
        final Segments.Place[] ends = {Segments.Place.START, Segments.Place.START, Segments.Place.START};
        final IntervalLog.Reader[] logs = new IntervalLog.Reader[3];
        final Histogram[] read = new Histogram[3];

        Measured(String target) {
            Path[] paths = logs(target);
            for (int i = 0; i < logs.length; i++) {
                logs[i] = new IntervalLog.Reader(paths[i]);
            }
        }

        /** Takes the interval that was read; returns whether its histograms are there. */
        boolean take() {
            for (int i = 0; i < logs.length; i++) {
                read[i] = logs[i].next();
                if (read[i] == null || read[i].getStartTimeStamp() != interval.startMs) {
                    return false;
                }
            }
            for (int i = 0; i < logs.length; i++) {
                ends[i] = logs[i].place();
            }
            launches.computeIfAbsent(interval.launch, number -> new Launch()).add(interval, read);
            return true;
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
                results.add(found == null ? launch : launch.measured(found.load(), found.costs()));
            }
            return results;
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
                            + ": expected the intervals of a run that was killed, found none: "
                            + "nothing was measured",
                    e);
        }
    }

    private Path[] logs(String target) {
        return new Path[] {
            directory.resolve(RunFiles.responseTimeLog(target)),
            directory.resolve(RunFiles.serviceTimeLog(target)),
            directory.resolve(RunFiles.generatorLagLog(target))
        };
    }

    /** Reads all that is whole, cuts off the rest, and returns what it comes to. */
    RunResult recover(Environment here) {
        cutWhatIsNotWhole();
        if (targets.values().stream().allMatch(Measured::isEmpty)) {
            throw new MeasurementException(
                    directory + ": expected at least one second of the measured phase, found none: nothing to recover");
        }
        return result(here);
    }

    /** Cuts off what was written of all launches after this one. */
    void keepLaunches(int last) {
        lastLaunch = last;
        cutWhatIsNotWhole();
    }

    private void cutWhatIsNotWhole() {
        try {
            String row;
            while (!torn && (row = rows.next()) != null) {
                torn = !take(row);
            }
            cut();
        } catch (IOException e) {
            throw new MeasurementException(directory + ": cannot be recovered: " + RunFiles.reason(e), e);
        }
    }

    /** Returns whether the row and its histograms are whole, and of a launch that is kept. */
    private boolean take(String row) {
        if (row.indexOf(Segments.NOT_UTF_8) >= 0) {
            return false;
        }
        try {
            String place = rows.path() + ": line " + rows.number();
            IntervalRow read = Json.read(place, Json.parse(place, row), IntervalRow.class);
            read.fill(interval);
            String name = read.target();
            boolean planned =
                    plan.targets().stream().anyMatch(target -> target.name().equals(name));
            if (!planned
                    || interval.launch > lastLaunch
                    || interval.isMeasured()
                            && !targets.computeIfAbsent(name, Measured::new).take()) {
                return false;
            }
            intervals.interval(name, interval);
        } catch (MeasurementException e) {
            // A power cut leaves zeros, a part of a line, or what lay on the disk before.
            return false;
        }
        firstMs = firstMs == 0 ? interval.startMs : Math.min(firstMs, interval.startMs);
        lastMs = Math.max(lastMs, interval.endMs);
        rowsEnd = rows.place();
        return true;
    }

    private void cut() throws IOException {
        Segments.cut(directory.resolve(RunFiles.INTERVALS), rowsEnd);
        for (Map.Entry<String, Measured> target : targets.entrySet()) {
            target.getValue().close();
            Path[] paths = logs(target.getKey());
            for (int i = 0; i < paths.length; i++) {
                Segments.cut(paths[i], target.getValue().ends[i]);
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
                LoadResult load = measured.load();
                results.add(target.measured(load, measured.costs(), measured.launches(target.launches())));
                plan.maxLag().ifPresent(maxLag -> doubt(doubts, target.name(), load, maxLag.toNanos()));
            }
        }
        List<String> notes = new ArrayList<>();
        notes.add(
                "the run was killed and this result made of its intervals: own lag, outages, skew, figures per endpoint and"
                        + " what Lockstep itself did are not known, of an answer's status only its class (200 stands"
                        + " for 2xx)"
                        + (torn ? "; a torn end was cut off" : ""));
        if (plan.profileDuration().isPresent()) {
            notes.add("the targets were not profiled, since the run was killed before");
        }
        return begun.killed(at(lastMs), results, doubts, notes);
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

    /** Own lag is part of the generator lag: where that is small, so was the other. */
    private static void doubt(List<String> doubts, String target, LoadResult load, long maxLagNs) {
        long lagNs = load.generatorLag().getValueAtPercentile(99);
        if (lagNs > maxLagNs) {
            doubts.add(String.format(
                    Locale.ROOT,
                    "%s: 1 %% of the requests were sent more than %s late (limit %s, --max-lag), and the run was"
                            + " killed before it was known by whose doing",
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
            throw new MeasurementException(directory + ": cannot be closed: " + RunFiles.reason(e), e);
        }
    }
}
