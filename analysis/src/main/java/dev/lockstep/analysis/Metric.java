package dev.lockstep.analysis;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.results.FirstMinute;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.PerRequest;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Warmup;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A figure by which targets are compared: its name on the command line and in {@code run.json}, what its values are,
 * which of them are good, and how to get it. Where a target or a launch does not have it, it is absent.
 *
 * <p>A request is successful that was answered, and not with a status of 5xx: a target that fails quickly does not do
 * its work cheaply. What is "per request" is per successful request, and only those count as throughput.
 */
public enum Metric {
    /** Exact: {@link Costs#cpuNs}. */
    CPU_PER_REQUEST("cpuPerRequest", "CPU per request", Quantity.TIME, figures -> figures.per.cpuNsPerRequest()),
    /** All but that of the compilers: what a year costs, for after hours they have nothing more to do. */
    STEADY_CPU_PER_REQUEST(
            "steadyCpuPerRequest",
            "CPU per request without the JIT",
            Quantity.TIME,
            figures -> figures.per.steadyCpuNsPerRequest()),
    /** Of threads that are neither compilers nor collectors. */
    APP_CPU_PER_REQUEST(
            "appCpuPerRequest", "app CPU per request", Quantity.TIME, figures -> figures.per.appCpuNsPerRequest()),
    JIT_CPU_PER_REQUEST(
            "jitCpuPerRequest", "JIT CPU per request", Quantity.TIME, figures -> figures.per.jitCpuNsPerRequest()),
    GC_CPU_PER_REQUEST(
            "gcCpuPerRequest", "GC CPU per request", Quantity.TIME, figures -> figures.per.gcCpuNsPerRequest()),
    /** Sampled: the kernel splits user from system time by what its timer ticks meet. */
    USER_CPU_PER_REQUEST(
            "userCpuPerRequest", "user CPU per request", Quantity.TIME, figures -> figures.per.userCpuNsPerRequest()),
    SYSTEM_CPU_PER_REQUEST(
            "systemCpuPerRequest",
            "system CPU per request",
            Quantity.TIME,
            figures -> figures.per.systemCpuNsPerRequest()),
    P50("p50", "p50", Quantity.TIME, figures -> figures.response.at(Level.P50)),
    P90("p90", "p90", Quantity.TIME, figures -> figures.response.at(Level.P90)),
    P95("p95", "p95", Quantity.TIME, figures -> figures.response.at(Level.P95)),
    P99("p99", "p99", Quantity.TIME, figures -> figures.response.at(Level.P99)),
    P999("p999", "p99.9", Quantity.TIME, figures -> figures.response.at(Level.P999)),
    MEAN("mean", "mean response time", Quantity.TIME, figures -> figures.response.mean()),
    SERVICE_P50("serviceP50", "service time p50", Quantity.TIME, figures -> figures.service.at(Level.P50)),
    SERVICE_P90("serviceP90", "service time p90", Quantity.TIME, figures -> figures.service.at(Level.P90)),
    SERVICE_P95("serviceP95", "service time p95", Quantity.TIME, figures -> figures.service.at(Level.P95)),
    SERVICE_P99("serviceP99", "service time p99", Quantity.TIME, figures -> figures.service.at(Level.P99)),
    SERVICE_P999("serviceP999", "service time p99.9", Quantity.TIME, figures -> figures.service.at(Level.P999)),
    SERVICE_MEAN("serviceMean", "mean service time", Quantity.TIME, figures -> figures.service.mean()),
    /** Where requests are sent on a schedule it is the schedule's, and says nothing of a target that keeps up. */
    THROUGHPUT("throughput", "requests/s", Quantity.NUMBER, Measured::throughput),
    /** Requests that got no good answer, never sent ones included, or a status of 5xx, of all that were due. */
    ERRORS("errors", "share of errors", Quantity.SHARE, Measured::errors),
    /** In a launch: it compares targets only where all get equally many requests, as that of the JIT does. */
    GC_CYCLES("gcCycles", "GC cycles", Quantity.NUMBER, figures -> figures.perLaunch.apply(Cost.GC_CYCLES)),
    /** For each second of measured time. */
    GC_PAUSE("gcPause", "GC pause per second", Quantity.TIME, figures -> figures.perSecond(Cost.GC_PAUSE)),
    ALLOCATED_BYTES_PER_REQUEST(
            "allocatedBytesPerRequest",
            "allocated per request",
            Quantity.SIZE,
            figures -> figures.per.allocatedBytesPerRequest()),
    OLD_GEN_USED("oldGenUsed", "old generation", Quantity.SIZE, figures -> figures.cost(Cost.OLD_GEN_USED)),
    RSS("rss", "resident memory", Quantity.SIZE, figures -> figures.cost(Cost.RSS)),
    MEMORY_PEAK("memoryPeak", "peak memory", Quantity.SIZE, figures -> figures.cost(Cost.MEMORY_PEAK)),
    STARTUP("startup", "time to first answer", Quantity.TIME, Measured::startup),
    /** In a launch. */
    JIT_CPU("jitCpu", "CPU of the JIT", Quantity.TIME, figures -> figures.perLaunch.apply(Cost.JIT_CPU)),
    /** Under load, until it was steady. */
    WARMUP_TIME("warmupTime", "time until steady", Quantity.TIME, Metric::ofLoad),
    /** From the start of the process until it was steady. */
    WARMUP_CPU("warmupCpu", "CPU until steady", Quantity.TIME, Metric::ofLoad),
    /** After the measured phase, the JIT's left out: as little as the target can do with, for it never sleeps then. */
    FULL_LOAD_CPU_PER_REQUEST("fullLoadCpuPerRequest", "CPU per request at full load", Quantity.TIME, Metric::ofLoad),
    /** Start-up included. */
    FIRST_MINUTE_CPU("firstMinuteCpu", "CPU of the first minute", Quantity.TIME, Metric::ofLoad);

    /** A distribution of times, which may be absent. */
    private static final class Times {
        private final Optional<Percentiles> times;

        Times(Optional<Percentiles> times) {
            this.times = times.filter(percentiles -> percentiles.count() > 0);
        }

        OptionalDouble at(Level level) {
            return figure(
                    percentiles -> percentiles.supports(level) && percentiles.stands(level),
                    percentiles -> percentiles.at(level));
        }

        OptionalDouble mean() {
            return figure(percentiles -> percentiles.withoutAnswer() == 0, Percentiles::mean);
        }

        private OptionalDouble figure(Predicate<Percentiles> stands, ToDoubleFunction<Percentiles> figure) {
            return times.filter(stands).stream().mapToDouble(figure).findFirst();
        }
    }

    /** The figures of a launch, or of all launches of a target together. */
    private static final class Measured {
        private final long successful;
        private final long failed;
        private final long measuredNs;
        private final Times response;
        private final Times service;
        private final Costs costs;
        private final PerRequest per;
        private final Function<Cost, OptionalDouble> perLaunch;
        private final Optional<Startup> startup;

        Measured(
                long successful,
                long failed,
                long measuredNs,
                Optional<Percentiles> response,
                Optional<Percentiles> service,
                Costs costs,
                PerRequest per,
                Function<Cost, OptionalDouble> perLaunch,
                Optional<Startup> startup) {
            this.successful = successful;
            this.failed = failed;
            this.measuredNs = measuredNs;
            this.response = new Times(response);
            this.service = new Times(service);
            this.costs = costs;
            this.per = per;
            this.perLaunch = perLaunch;
            this.startup = startup;
        }

        OptionalDouble cost(Cost cost) {
            return decimal(costs.get(cost));
        }

        OptionalDouble perSecond(Cost cost) {
            return scaled(cost(cost), 1e9, measuredNs);
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

    /** Says that the figure is none of the measured load. */
    private static OptionalDouble ofLoad(Measured figures) {
        return OptionalDouble.empty();
    }

    /**
     * Returns what comes from outside the measured phase; absent for other metrics, and of the way to a steady state
     * where there was none.
     */
    private OptionalDouble outside(
            Optional<Warmup> warmup, Optional<FirstMinute> firstMinute, Optional<FullLoad> fullLoad) {
        Optional<Warmup> steady = warmup.filter(Warmup::isSteady);
        switch (this) {
            case WARMUP_TIME:
                return steady.map(figures -> decimal(figures.durationNs())).orElseGet(OptionalDouble::empty);
            case WARMUP_CPU:
                return steady.map(figures -> decimal(figures.cpuNs())).orElseGet(OptionalDouble::empty);
            case FULL_LOAD_CPU_PER_REQUEST:
                return fullLoad.map(FullLoad::steadyCpuNsPerRequest).orElseGet(OptionalDouble::empty);
            case FIRST_MINUTE_CPU:
                return firstMinute.stream().mapToDouble(FirstMinute::cpuNs).findFirst();
            default:
                return OptionalDouble.empty();
        }
    }

    /** Returns which question it answers. */
    public Verdict.Question question() {
        switch (this) {
            case STARTUP:
            case FIRST_MINUTE_CPU:
                return Verdict.Question.COLD;
            case WARMUP_TIME:
            case WARMUP_CPU:
                return Verdict.Question.WARMING;
            default:
                return Verdict.Question.STEADY;
        }
    }

    private static OptionalDouble decimal(OptionalLong value) {
        return value.isPresent() ? OptionalDouble.of(value.getAsLong()) : OptionalDouble.empty();
    }

    /** Returns the metric of a name; absent where there is none. */
    public static Optional<Metric> of(String key) {
        return Arrays.stream(values()).filter(metric -> metric.key.equals(key)).findFirst();
    }

    /** Returns all names, for people, in the order of the metrics. */
    public static String names() {
        return Arrays.stream(values()).map(Metric::key).collect(Collectors.joining(", "));
    }

    /** Returns its name on the command line and in files. */
    public String key() {
        return key;
    }

    /** Returns what its values are. */
    public Quantity quantity() {
        return quantity;
    }

    /** Returns its name in sentences. */
    public String label() {
        return label;
    }

    public Direction direction() {
        return this == THROUGHPUT ? Direction.HIGHER_IS_BETTER : Direction.LOWER_IS_BETTER;
    }

    /** Whether a run of this plan says anything about targets by it. */
    public boolean comparesIn(RunPlan plan) {
        return whyNotIn(plan).isEmpty();
    }

    /**
     * Returns why a run of this plan says nothing about targets by it, as what was expected and found; absent where it
     * does.
     */
    public Optional<String> whyNotIn(RunPlan plan) {
        boolean closed = plan.pace().closedLoop();
        if (this == THROUGHPUT && !closed) {
            return Optional.of(
                    "expected a closed loop (-c without -q), found a schedule, which sets the rate of all targets alike");
        }
        if (this == FULL_LOAD_CPU_PER_REQUEST && plan.fullLoad().isEmpty()) {
            return Optional.of("expected a time of full load (--full-load), found none");
        }
        // A faster target gets more requests in the same time.
        if ((this == GC_CYCLES || this == JIT_CPU) && closed && plan.duration().isPresent()) {
            return Optional.of(
                    "expected equally many requests for all targets (-n or a schedule), found a closed loop for"
                            + " a time (-z), in which a faster target gets more");
        }
        return Optional.empty();
    }

    /** Returns why a target has none, as what was expected and found; absent where it may have it. */
    public Optional<String> whyNotOf(TargetPlan target) {
        if (target.address().isEmpty()
                || isOfLoad()
                || target.metrics().isPresent() && serverCost().isPresent()) {
            return Optional.empty();
        }
        return Optional.of(
                target.metrics().isPresent()
                        ? "expected a metric of the load, or one that a server's own metrics tell, such as"
                                + " cpuPerRequest, since " + target.name() + " runs already"
                        : "expected a metric of the load such as p50, p99 or throughput, since " + target.name()
                                + " runs already and nobody knows what it costs, unless its targets file says where"
                                + " its metrics are (docs/targets.md)");
    }

    /** Returns what it is made of that a server that runs already may tell by its own metrics; absent of others. */
    public Optional<Cost> serverCost() {
        switch (this) {
            case CPU_PER_REQUEST:
                return Optional.of(Cost.PROCESS_CPU);
            case USER_CPU_PER_REQUEST:
                return Optional.of(Cost.USER_CPU);
            case SYSTEM_CPU_PER_REQUEST:
                return Optional.of(Cost.SYSTEM_CPU);
            case GC_CYCLES:
                return Optional.of(Cost.GC_CYCLES);
            case GC_PAUSE:
                return Optional.of(Cost.GC_PAUSE);
            case ALLOCATED_BYTES_PER_REQUEST:
                return Optional.of(Cost.ALLOCATED);
            case RSS:
                return Optional.of(Cost.RSS);
            default:
                return Optional.empty();
        }
    }

    /** Whether requests and answers alone tell it. */
    public boolean isOfLoad() {
        return this == THROUGHPUT || this == ERRORS || this == MEAN || this == SERVICE_MEAN || level().isPresent();
    }

    private static boolean isOfMetrics(RunResult result) {
        return result.targets().stream()
                .flatMap(target -> target.launches().stream())
                .anyMatch(launch -> launch.costs().isCpuOfMetrics());
    }

    /** Returns how exactly this run knows it, as a clause for people; absent of other metrics than CPU time. */
    public Optional<String> exactness(RunResult result) {
        switch (this) {
            case CPU_PER_REQUEST:
            case STEADY_CPU_PER_REQUEST:
            case FULL_LOAD_CPU_PER_REQUEST:
                if (isOfMetrics(result)) {
                    return Optional.of("as the servers' own metrics tell it");
                }
                return Optional.of(
                        result.targets().stream()
                                        .filter(target -> target.counts().isPresent())
                                        .allMatch(target -> target.costs().isCpuOfGroup())
                                ? "exact (counted by the control group)"
                                : "user and system time of the process (no control group counts it)");
            case USER_CPU_PER_REQUEST:
            case SYSTEM_CPU_PER_REQUEST:
                return isOfMetrics(result)
                        ? Optional.empty()
                        : Optional.of("sampled by timer ticks (cpuPerRequest is exact)");
            default:
                return Optional.empty();
        }
    }

    /**
     * Whether a launch that warmed up so tells its steady state by it: some hold the CPU of the JIT, and say nothing of
     * it where that still works.
     */
    public boolean isSteady(Warmup warmup) {
        return (warmup.isSteady() || isSteadyByCost(warmup))
                && !(holdsJit() && warmup.jitShare().orElse(0) > FullLoad.LOW_JIT_SHARE);
    }

    /** Whether it is a cost of requests, and only their times are too noisy to tell whether something changed. */
    private boolean isSteadyByCost(Warmup warmup) {
        return warmup.state() == Warmup.State.UNDECIDABLE
                && (isPerRequest() || this == GC_CYCLES)
                && warmup.visibleCostStep().orElse(Double.POSITIVE_INFINITY) <= SteadyState.VISIBLE_STEP;
    }

    /**
     * Whether a target was steady by it in all launches, if that is what it tells; what nobody judged counts as such,
     * and errors are errors.
     */
    public boolean isSteady(TargetResult target) {
        return this == ERRORS
                || question() != Verdict.Question.STEADY
                || target.warmup().map(this::isSteady).orElse(true)
                        && !(this == FULL_LOAD_CPU_PER_REQUEST && compilesAtFullLoad(target));
    }

    /** Whether a target's JIT replaced at full load what is measured, in more launches than may be accidents. */
    public static boolean compilesAtFullLoad(TargetResult target) {
        List<FullLoad> loads = target.launches().stream()
                .filter(launch -> launch.exit().isEmpty())
                .flatMap(launch -> launch.fullLoad().stream())
                .collect(Collectors.toList());
        long compiling = loads.stream().filter(FullLoad::codeReplaced).count();
        return compiling > Math.max(1, LaunchRatios.mostUnsteady(loads.size()));
    }

    /** Whether what would have been seen of a change while targets warmed up bounds how this may have changed. */
    public boolean isWatched() {
        return this == APP_CPU_PER_REQUEST || this == STEADY_CPU_PER_REQUEST || this == FULL_LOAD_CPU_PER_REQUEST;
    }

    private boolean holdsJit() {
        return this == CPU_PER_REQUEST
                || this == JIT_CPU_PER_REQUEST
                || this == JIT_CPU
                || this == USER_CPU_PER_REQUEST
                || this == SYSTEM_CPU_PER_REQUEST;
    }

    /** Returns its value for one launch. */
    public OptionalDouble of(LaunchResult launch) {
        OptionalDouble outside = outside(launch.warmup(), launch.firstMinute(), launch.fullLoad());
        if (outside.isPresent()) {
            return outside;
        }
        return launch.isMeasured()
                ? figure.apply(new Measured(
                        launch.successful(),
                        launch.failed(),
                        launch.measuredNs(),
                        launch.responseTime(),
                        launch.serviceTime(),
                        launch.costs(),
                        launch.perRequest(),
                        cost -> decimal(launch.costs().get(cost)),
                        launch.startup()))
                : OptionalDouble.empty();
    }

    /**
     * Returns its value for all launches of a target together. Totals are summed, or per launch where nothing divides
     * them; the start is the median; other figures are the last value.
     */
    public OptionalDouble of(TargetResult target) {
        OptionalDouble outside = outside(target.warmupToSteady(), target.firstMinute(), target.fullLoad());
        if (outside.isPresent()) {
            return outside;
        }
        return target.counts()
                .map(counts -> figure.apply(new Measured(
                        counts.successful(),
                        counts.failed(),
                        target.measuredNs().orElse(0),
                        target.responseTime(),
                        target.serviceTime(),
                        target.costs(),
                        target.perRequest(),
                        target::perLaunch,
                        target.startup())))
                .orElseGet(OptionalDouble::empty);
    }

    /**
     * Returns its value for a part of a launch of which only costs and successful requests are known; mostly absent.
     */
    public OptionalDouble of(Costs costs, long successful) {
        return figure.apply(new Measured(
                successful,
                0,
                0,
                Optional.empty(),
                Optional.empty(),
                costs,
                PerRequest.of(costs, successful),
                cost -> OptionalDouble.empty(),
                Optional.empty()));
    }

    /** Whether it is a cost per request, which parts of a launch have as well as the whole. */
    public boolean isPerRequest() {
        return key.endsWith("PerRequest");
    }

    /** Whether it is CPU time per request at the measured pace, of whatever kind. */
    boolean isCpuPerRequest() {
        return isPerRequest() && this != ALLOCATED_BYTES_PER_REQUEST && this != FULL_LOAD_CPU_PER_REQUEST;
    }

    /**
     * Whether it is a percentile or a mean of a launch that requests without an answer reach: it is at least something,
     * and has no value. So it is where none of the requests got one.
     */
    public boolean isAtLeast(LaunchResult launch) {
        return isAtLeast(launch.responseTime(), launch.serviceTime(), launch.due() > 0 && launch.completed() == 0);
    }

    /** As {@link #isAtLeast(LaunchResult)}, of all launches together. */
    public boolean isAtLeast(TargetResult target) {
        boolean mute = target.counts()
                .filter(counts -> counts.due() > 0 && counts.completed == 0)
                .isPresent();
        return isAtLeast(target.responseTime(), target.serviceTime(), mute);
    }

    private boolean isAtLeast(Optional<Percentiles> response, Optional<Percentiles> service, boolean mute) {
        Optional<Percentiles> times = (isOnRequest() ? service : response).filter(all -> all.count() > 0);
        boolean mean = this == MEAN || this == SERVICE_MEAN;
        return mute && (mean || level().isPresent())
                || times.isPresent()
                        && (mean && times.get().withoutAnswer() > 0
                                || level().filter(level -> !times.get().stands(level))
                                        .isPresent());
    }

    /**
     * Whether a launch did not do the work that it is of, as one that never was ready. What costs nothing then is not
     * cheap. Errors count what was not answered.
     */
    boolean isWithoutWork(LaunchResult launch) {
        return isMute(launch) || isRefused(launch);
    }

    /** Whether a launch answered no request well, so that it tells nothing of it. */
    boolean isMute(LaunchResult launch) {
        return launch.isMeasured()
                ? this != ERRORS && launch.due() > 0 && launch.successful() == 0 || isMuteAtFullLoad(launch)
                : of(launch).isEmpty();
    }

    /** Whether it is of full load, at which a launch refused some of what it answered before. */
    public boolean isRefused(LaunchResult launch) {
        return this == FULL_LOAD_CPU_PER_REQUEST
                && launch.fullLoad()
                        .filter(load -> load.refusedShare().isPresent())
                        .isPresent();
    }

    private boolean isMuteAtFullLoad(LaunchResult launch) {
        return this == FULL_LOAD_CPU_PER_REQUEST
                && launch.fullLoad().filter(load -> load.requests() == 0).isPresent()
                && !isRefused(launch);
    }

    /** Returns which percentile it is; absent of other metrics. */
    Optional<Level> level() {
        return Arrays.stream(Level.values())
                .filter(level -> key.equalsIgnoreCase((isOnRequest() ? "service" : "") + level.key()))
                .findFirst();
    }

    /** Returns why it has no value, where it is a percentile of too few answers, as a clause for people. */
    Optional<String> whyTooFew(TargetResult target) {
        return (isOnRequest() ? target.serviceTime() : target.responseTime())
                .flatMap(times -> level().filter(level -> !times.supports(level))
                        .map(level -> "there were " + (times.count() + times.withoutAnswer())
                                + " requests and it takes at least "
                                + level.neededValues() + " of them"));
    }

    /**
     * Returns that it is a percentile for which launches of a closed loop had too few requests, as a clause for people:
     * the slow launches have the fewest, and the others alone would be the quick ones. Absent else.
     */
    Optional<String> whyTooFew(RunPlan plan, List<LaunchResult> launches) {
        if (level().isEmpty() || !plan.pace().closedLoop()) {
            return Optional.empty();
        }
        List<Integer> few = launches.stream()
                .filter(launch -> (isOnRequest() ? launch.serviceTime() : launch.responseTime())
                        .filter(times -> !times.supports(level().get()))
                        .isPresent())
                .map(LaunchResult::launch)
                .distinct()
                .collect(Collectors.toList());
        return few.isEmpty()
                ? Optional.empty()
                : Optional.of(plan.numbered(few) + " had fewer than the "
                        + level().get().neededValues()
                        + " requests that it takes, and in a closed loop those are the slow ones; have the run last"
                        + " longer");
    }

    /**
     * Whether it is compared only where it is named: the service time is nearly the response time, so that its rows
     * would say little and take certainty from all others.
     */
    public boolean isOnRequest() {
        return key.startsWith("service");
    }

    @Override
    public String toString() {
        return key;
    }
}
