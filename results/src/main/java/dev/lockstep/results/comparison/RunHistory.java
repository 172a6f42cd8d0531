package dev.lockstep.results.comparison;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.results.Verdict.Interval;
import dev.lockstep.results.json.Json;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.immutables.value.Value;

/** Each metric of each target over many runs, and where it changed. Runs of the same requests at the same load. */
@Value.Immutable
@JsonDeserialize(builder = RunHistory.Builder.class)
public abstract class RunHistory {
    /** Runs that had the same requests at the same load: their figures are figures of the same thing. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableGroup.Builder.class)
    public abstract static class Group {
        public static Group of(
                String capture, String sha256, String load, List<ComparedRun> runs, List<Series> series) {
            return ImmutableGroup.builder()
                    .capture(capture)
                    .streamSha256(sha256)
                    .load(load)
                    .runs(runs)
                    .series(series)
                    .build();
        }

        /** The capture, as the newest of these runs named it. */
        public abstract String capture();

        /** Of the bytes of its requests. */
        public abstract String streamSha256();

        /** At which pace they were sent, for people. */
        public abstract String load();

        /** In the order of their start. */
        public abstract List<ComparedRun> runs();

        /** Target by target, the primary metric first. */
        public abstract List<Series> series();
    }

    /** One metric of one target. */
    @Value.Immutable
    @JsonDeserialize(builder = Series.Builder.class)
    public abstract static class Series {
        public static Builder builder(String target, String metric) {
            return new Builder().target(target).metric(metric);
        }

        /** Its name in the plans. */
        public abstract String target();

        /** What is measured; see docs/comparing.md. */
        public abstract String metric();

        /** Whether it is the metric that decides. */
        @Value.Default
        public boolean primary() {
            return false;
        }

        /** In the order of the runs; a run that lacks the metric has none. */
        public abstract List<Point> points();

        /** Where the metric changed, in the order of the runs. */
        public abstract List<Change> changes();

        /** Whether it drifts since the last change; absent with fewer than eight runs since then. */
        public abstract Optional<Drift> drift();

        /** What the newest run says against those since the last change before it; absent where it lacks the metric. */
        public abstract Optional<RunVerdict> newest();

        public static final class Builder extends ImmutableSeries.Builder {
            Builder() {}
        }
    }

    /** One run in a series. */
    @Value.Immutable
    @JsonDeserialize(builder = Point.Builder.class)
    public abstract static class Point {
        /** @param run the place of the run in its group, from 0 */
        public static Builder builder(int run, double value) {
            return new Builder().run(run).value(value);
        }

        /** The place of the run in its group, from 0. */
        public abstract int run();

        /** Over its launches, in ns, bytes, shares or plain numbers. */
        public abstract double value();

        /** The 95 % interval over its launches, which does not know how much days differ; absent with one. */
        public abstract Optional<Interval> interval();

        /** Launches that it rests on. */
        public abstract int launches();

        /** What the target was: JVM, JIT, collector and limits, for people. */
        public abstract String fingerprint();

        /** Why it counts in no verdict and no change, for people; absent where it does. */
        public abstract Optional<String> leftOut();

        public static final class Builder extends ImmutablePoint.Builder {
            Builder() {}
        }
    }

    /** A change of the mean between two runs. */
    @Value.Immutable
    @JsonDeserialize(builder = Change.Builder.class)
    public abstract static class Change {
        public static Builder builder() {
            return new Builder();
        }

        /** The place of the last run before it in its group. */
        public abstract int after();

        /** The place of the first run with it. */
        public abstract int run();

        /** The runs since it over those before it, up to the changes beside it. */
        public abstract double ratio();

        /** The 95 % interval of that ratio. */
        public abstract Interval interval();

        /** That nothing changed there, for all places where it could have. */
        public abstract double pValue();

        /** Whether the metric got better. */
        public abstract boolean better();

        /** By what else the runs beside it differ: JVM, options, machine. */
        @JsonInclude(Include.NON_EMPTY)
        public abstract List<String> with();

        public static final class Builder extends ImmutableChange.Builder {
            Builder() {}
        }
    }

    /** Whether a metric rises or falls slowly, without a step: in 30 days, as a ratio. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableDrift.Builder.class)
    public abstract static class Drift {
        public static Drift of(double ratio, Interval interval, double pValue) {
            return ImmutableDrift.builder()
                    .ratio(ratio)
                    .interval(interval)
                    .pValue(pValue)
                    .build();
        }

        /** 1.01 is 1 % more in 30 days. */
        public abstract double ratio();

        /** The 95 % interval of that. */
        public abstract Interval interval();

        /** That there is none. */
        public abstract double pValue();
    }

    /** What is in the folder and is no finished run. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableSkipped.Builder.class)
    public abstract static class Skipped {
        public static Skipped of(String directory, String why) {
            return ImmutableSkipped.builder().directory(directory).why(why).build();
        }

        public abstract String directory();

        /** For people. */
        public abstract String why();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Of this format: 1. */
    @Value.Derived
    int version() {
        return 1;
    }

    /** The folder that was searched, as the user named it. */
    public abstract String folder();

    /** The group of the newest run first. */
    public abstract List<Group> groups();

    /** What was passed over. */
    public abstract List<Skipped> skipped();

    /** Up to which share a difference counts as none. */
    public abstract double margin();

    /** What a reader must know, a line each. */
    public abstract List<String> notes();

    /** Returns what the newest run of all says, target by target, of each metric that it was judged by. */
    public Stream<RunVerdict> newest() {
        return groups().stream()
                .limit(1)
                .flatMap(group -> group.series().stream())
                .flatMap(series -> series.newest().stream());
    }

    /** Returns what the newest run comes to. */
    public Outcome outcome() {
        return Outcome.of(newest().collect(Collectors.toList()));
    }

    public String toJson() {
        return Json.print(this);
    }

    public static final class Builder extends ImmutableRunHistory.Builder {
        Builder() {}
    }
}
