package dev.lockstep.analysis;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.LaunchResult;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.Startup;
import dev.lockstep.measurement.TargetResult;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A figure by which targets are compared: its name on the command line and in {@code run.json}, what its values are, which
 * of them are good, and how to get it. Where a target or a launch does not have it, it is absent.
 *
 * <p>A request is successful that was answered, and not with a status of 5xx: who fails quickly does not do its work
 * cheaply. What is "per request" is per successful request, and only those count as throughput.
 */
public enum Metric {
    USER_CPU_PER_REQUEST(
            "userCpuPerRequest", "user CPU per request", Quantity.TIME, figures -> figures.perRequest(Cost.USER_CPU)),
    CPU_PER_REQUEST(
            "cpuPerRequest",
            "CPU per request",
            Quantity.TIME,
            figures -> sum(figures.perRequest(Cost.USER_CPU), figures.perRequest(Cost.SYSTEM_CPU))),
    SYSTEM_CPU_PER_REQUEST(
            "systemCpuPerRequest",
            "system CPU per request",
            Quantity.TIME,
            figures -> figures.perRequest(Cost.SYSTEM_CPU)),
    P50("p50", "p50", Quantity.TIME, figures -> figures.at(Level.P50)),
    P90("p90", "p90", Quantity.TIME, figures -> figures.at(Level.P90)),
    P99("p99", "p99", Quantity.TIME, figures -> figures.at(Level.P99)),
    P999("p999", "p99.9", Quantity.TIME, figures -> figures.at(Level.P999)),
    MEAN("mean", "mean response time", Quantity.TIME, Measured::mean),
    /** Where requests are sent on a schedule it is the schedule's, and says nothing of a target that keeps up. */
    THROUGHPUT("throughput", "requests/s", Quantity.NUMBER, Measured::throughput),
    /** Requests that failed or met a status of 5xx, of all that were answered or failed. */
    ERRORS("errors", "share of errors", Quantity.SHARE, Measured::errors),
    /** In a launch: it compares targets only where all get equally many requests, as that of the JIT does. */
    GC_CYCLES("gcCycles", "GC cycles", Quantity.NUMBER, figures -> figures.perLaunch(Cost.GC_CYCLES)),
    /** For each second of measured time. */
    GC_PAUSE("gcPause", "GC pause per second", Quantity.TIME, figures -> figures.perSecond(Cost.GC_PAUSE)),
    ALLOCATED_BYTES_PER_REQUEST(
            "allocatedBytesPerRequest",
            "allocated per request",
            Quantity.SIZE,
            figures -> figures.perRequest(Cost.ALLOCATED)),
    OLD_GEN_USED("oldGenUsed", "old generation", Quantity.SIZE, figures -> figures.cost(Cost.OLD_GEN_USED)),
    RSS("rss", "resident memory", Quantity.SIZE, figures -> figures.cost(Cost.RSS)),
    MEMORY_PEAK("memoryPeak", "peak memory", Quantity.SIZE, figures -> figures.cost(Cost.MEMORY_PEAK)),
    STARTUP("startup", "time to first answer", Quantity.TIME, Measured::startup),
    /** In a launch. */
    JIT_CPU("jitCpu", "CPU of the JIT", Quantity.TIME, figures -> figures.perLaunch(Cost.JIT_CPU));

    /** The figures of a launch, or of all launches of a target together. */
    private static final class Measured {
        private final long successful;
        private final long failed;
        private final long measuredNs;
        private final Optional<Percentiles> times;
        private final Costs costs;
        private final Function<Cost, OptionalDouble> perLaunch;
        private final Optional<Startup> startup;

        Measured(
                long successful,
                long failed,
                long measuredNs,
                Optional<Percentiles> times,
                Costs costs,
                Function<Cost, OptionalDouble> perLaunch,
                Optional<Startup> startup) {
            this.successful = successful;
            this.failed = failed;
            this.measuredNs = measuredNs;
            this.times = times.filter(percentiles -> percentiles.count() > 0);
            this.costs = costs;
            this.perLaunch = perLaunch;
            this.startup = startup;
        }

        OptionalDouble cost(Cost cost) {
            return decimal(costs.get(cost));
        }

        OptionalDouble perLaunch(Cost cost) {
            return perLaunch.apply(cost);
        }

        OptionalDouble perRequest(Cost cost) {
            return scaled(cost(cost), 1, successful);
        }

        OptionalDouble perSecond(Cost cost) {
            return scaled(cost(cost), 1e9, measuredNs);
        }

        OptionalDouble at(Level level) {
            return times.filter(percentiles -> percentiles.supports(level))
                    .map(percentiles -> OptionalDouble.of(percentiles.at(level)))
                    .orElseGet(OptionalDouble::empty);
        }

        OptionalDouble mean() {
            return times.map(percentiles -> OptionalDouble.of(percentiles.mean()))
                    .orElseGet(OptionalDouble::empty);
        }

        OptionalDouble throughput() {
            return scaled(OptionalDouble.of(successful), 1e9, measuredNs);
        }

        OptionalDouble errors() {
            return scaled(OptionalDouble.of(failed), 1, successful + failed);
        }

        OptionalDouble startup() {
            return startup.map(times -> decimal(times.firstAnswerNs())).orElseGet(OptionalDouble::empty);
        }

        private static OptionalDouble scaled(OptionalDouble value, double factor, long divisor) {
            return value.isPresent() && divisor > 0
                    ? OptionalDouble.of(value.getAsDouble() * factor / divisor)
                    : OptionalDouble.empty();
        }
    }

    private final String key;
    private final String label;
    private final Quantity quantity;
    private final Function<Measured, OptionalDouble> figure;

    Metric(String key, String label, Quantity quantity, Function<Measured, OptionalDouble> figure) {
        this.key = key;
        this.label = label;
        this.quantity = quantity;
        this.figure = figure;
    }

    private static OptionalDouble decimal(OptionalLong value) {
        return value.isPresent() ? OptionalDouble.of(value.getAsLong()) : OptionalDouble.empty();
    }

    private static OptionalDouble sum(OptionalDouble a, OptionalDouble b) {
        return a.isPresent() && b.isPresent()
                ? OptionalDouble.of(a.getAsDouble() + b.getAsDouble())
                : OptionalDouble.empty();
    }

    /** Returns the metric of a name; absent where there is none. */
    public static Optional<Metric> of(String key) {
        return Arrays.stream(values()).filter(metric -> metric.key.equals(key)).findFirst();
    }

    /** Returns all names, for people, in the order of the metrics. */
    public static String names() {
        return Arrays.stream(values()).map(Metric::key).collect(Collectors.joining(", "));
    }

    /** Returns what the values of each metric are, by its name, for {@link Assertion#parse}. */
    public static Map<String, Quantity> quantities() {
        Map<String, Quantity> quantities = new TreeMap<>();
        for (Metric metric : values()) {
            quantities.put(metric.key, metric.quantity);
        }
        return quantities;
    }

    /** Returns its name on the command line and in files. */
    public String key() {
        return key;
    }

    /** Returns its name in sentences. */
    public String label() {
        return label;
    }

    public Quantity quantity() {
        return quantity;
    }

    public Direction direction() {
        return this == THROUGHPUT ? Direction.HIGHER_IS_BETTER : Direction.LOWER_IS_BETTER;
    }

    /** Tells whether a run of this plan says anything about targets by it. */
    public boolean comparesIn(RunPlan plan) {
        return whyNotIn(plan).isEmpty();
    }

    /**
     * Returns why a run of this plan says nothing about targets by it, as what was expected and found; absent where it does.
     */
    public Optional<String> whyNotIn(RunPlan plan) {
        boolean closed = plan.pace().closedLoop();
        if (this == THROUGHPUT && !closed) {
            return Optional.of(
                    "expected a closed loop (-c without -q), found a schedule, which sets the rate of all targets alike");
        }
        // Who answers faster gets more requests in the same time.
        if ((this == GC_CYCLES || this == JIT_CPU) && closed && plan.duration().isPresent()) {
            return Optional.of(
                    "expected equally many requests for all targets (-n or a schedule), found a closed loop for"
                            + " a time (-z), in which a faster target gets more");
        }
        return Optional.empty();
    }

    /** Returns its value for one launch. */
    public OptionalDouble of(LaunchResult launch) {
        return launch.isMeasured()
                ? figure.apply(new Measured(
                        launch.successful(),
                        launch.errors() + launch.serverErrors(),
                        launch.measuredNs(),
                        launch.responseTime(),
                        launch.costs(),
                        cost -> decimal(launch.costs().get(cost)),
                        launch.startup()))
                : OptionalDouble.empty();
    }

    /**
     * Returns its value for all launches of a target together; of the start the median, of what is no total the last, of
     * totals that nothing divides the mean of a launch.
     */
    public OptionalDouble of(TargetResult target) {
        return target.counts()
                .map(counts -> figure.apply(new Measured(
                        counts.successful(),
                        counts.failed(),
                        target.measuredNs().orElse(0),
                        target.responseTime(),
                        target.costs(),
                        target::perLaunch,
                        target.startup())))
                .orElseGet(OptionalDouble::empty);
    }

    /** Returns its value for a part of a launch of which only costs and successful requests are known; mostly absent. */
    public OptionalDouble of(Costs costs, long successful) {
        return figure.apply(new Measured(
                successful, 0, 0, Optional.empty(), costs, cost -> OptionalDouble.empty(), Optional.empty()));
    }

    /** Tells whether it is a cost per request, which parts of a launch have as well as the whole. */
    public boolean isPerRequest() {
        return this == USER_CPU_PER_REQUEST
                || this == CPU_PER_REQUEST
                || this == SYSTEM_CPU_PER_REQUEST
                || this == ALLOCATED_BYTES_PER_REQUEST;
    }

    @Override
    public String toString() {
        return key;
    }
}
