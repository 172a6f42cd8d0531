package dev.lockstep.analysis;

import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.results.Verdict;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Why a figure of a run is not the target's own, so that no verdict may rest on it: Lockstep itself did something
 * wrong, set the pace of a closed loop or was late, it or others had the target's processors, or Lockstep's own lag is
 * not small against what is compared. Immutable.
 *
 * <p>Where Lockstep sets the pace of a closed loop, a target that is quicker sleeps between requests, which then pay
 * for waking it up: what they cost is not its own either.
 *
 * <p>In turns a closed loop also stops sending while it awaits the answers at the end of each turn. Where that takes
 * two targets unequally long, by more than the margin and a quarter of the difference between their rates, those are
 * not compared.
 *
 * <p>Lag is in response times. It stands beside the same percentile of them, of each target: a tenth of the percentile
 * spoils it, for a ratio moves towards 1 by that share; and so does a difference between two targets' lags of more than
 * a tenth of the difference between their percentiles, unless it is within the margin.
 */
public final class Spoilers {
    private static final double MOST_LAG = 0.1;
    /** How much of a difference between two rates may be what two targets awaited at the ends of turns. */
    private static final double MOST_AWAITED = 0.25;

    private static final String SERVICE = "service";

    /** What of the lag belongs to a metric of the response time. */
    private static final Map<String, ToDoubleFunction<Percentiles>> LAGS = Map.of(
            "p50", lag -> lag.at(Level.P50),
            "p90", lag -> lag.at(Level.P90),
            "p95", lag -> lag.at(Level.P95),
            "p99", lag -> lag.at(Level.P99),
            "p999", lag -> lag.at(Level.P999),
            "mean", Percentiles::mean);

    private final RunResult result;
    private final int launches;

    public Spoilers(RunResult result) {
        this(result, result.launchesThatCount());
    }

    /** @param launches how many launches count, the first ones */
    Spoilers(RunResult result, int launches) {
        this.result = result;
        this.launches = launches;
    }

    /** Returns verdicts without those that are spoiled, which then say why; of a run in turns, latencies are marked. */
    List<Verdict> of(List<Verdict> verdicts) {
        return verdicts.stream().map(this::of).collect(Collectors.toList());
    }

    private Verdict of(Verdict verdict) {
        boolean inTurns = isLatency(verdict.metric()) && result.plan().schedule() == TargetSchedule.ALTERNATE;
        Verdict marked = inTurns ? verdict.markedInTurns() : verdict;
        return why(verdict.metric(), List.of(verdict.target(), verdict.baseline()))
                .or(() -> awaited(verdict))
                .map(marked::without)
                .orElse(marked);
    }

    /** Tells whether a late Lockstep spoils a metric: a latency, or a rate. */
    public static boolean isOfTime(String metric) {
        return isLatency(metric) || metric.equals(Metric.THROUGHPUT.key());
    }

    /** Tells whether a metric is made of times of requests. */
    private static boolean isLatency(String metric) {
        return isResponseTime(metric) || metric.startsWith(SERVICE);
    }

    /** Tells whether a metric is made of times from when a request was to be sent. */
    static boolean isResponseTime(String metric) {
        return LAGS.containsKey(metric);
    }

    /** Returns why nothing can be said by any metric, for people; absent where Lockstep was late at most. */
    public Optional<String> invalid() {
        return result.reasonsBesideLateness().stream().findFirst().map(reason -> "the run is INVALID: " + reason);
    }

    /**
     * Returns why nothing can be said of these targets by a metric, for people; absent where something can.
     *
     * @param targets one, or the two that are compared
     */
    public Optional<String> why(String metric, Collection<String> targets) {
        Optional<String> invalid = invalid();
        if (invalid.isPresent()) {
            return invalid;
        }
        List<TargetResult> compared = compared(targets);
        Optional<String> why = Metric.of(metric).flatMap(one -> paced(one, compared));
        if (!isOfTime(metric)) {
            return why;
        }
        if (why.isEmpty()) {
            why = sharedProcessors();
        }
        if (why.isEmpty() && !result.latenessReasons().isEmpty()) {
            why = Optional.of(result.latenessReasons().get(0));
        }
        if (why.isEmpty()) {
            why = compared.stream()
                    .flatMap(target ->
                            Starvation.of(result, target).map(starved -> target.name() + ": " + starved).stream())
                    .findFirst();
        }
        return why.isEmpty() && isResponseTime(metric) ? lag(metric, compared) : why;
    }

    private List<TargetResult> compared(Collection<String> names) {
        return result.targets().stream()
                .filter(target -> names.contains(target.name()))
                .collect(Collectors.toList());
    }

    /** Returns why more launches say nothing by a metric either: in one of these Lockstep set the pace of a target. */
    Optional<String> paced(Metric metric, List<TargetResult> compared) {
        if (metric == Metric.FULL_LOAD_CPU_PER_REQUEST) {
            return bottleneck(compared, SelfReport::fullLoadBottlenecks);
        }
        return isOfTime(metric.key()) || metric.isCpuPerRequest()
                ? bottleneck(compared, SelfReport::bottlenecks)
                : Optional.empty();
    }

    /**
     * Returns that Lockstep took of the targets' processors in a closed loop, where how soon the next request is sent
     * depends on it; in any launch, for it has the same processors in all.
     */
    Optional<String> sharedProcessors() {
        return result.self()
                .filter(self -> self.measuredNs() > 0
                        && result.plan().pace().closedLoop()
                        && self.cpuNs() > Starvation.MOST_SHARE * self.measuredNs()
                        && Starvation.isReplayerAmongTargets(result))
                .map(self -> String.format(
                        Locale.ROOT,
                        "Lockstep took %.0f %% of a processor, and all of its processors are the targets' too; give it a"
                                + " core of its own (--cores), or a rate (-q)",
                        100.0 * self.cpuNs() / self.measuredNs()));
    }

    private Optional<String> bottleneck(
            List<TargetResult> compared, Function<SelfReport, List<SelfReport.Bottleneck>> which) {
        return result.self().map(which).orElse(List.of()).stream()
                // One that was cut is in no pair.
                .filter(one -> one.launch() <= launches)
                .filter(one ->
                        compared.stream().anyMatch(target -> target.name().equals(one.target())))
                .map(one -> String.format(
                        Locale.ROOT,
                        "Lockstep was busy %.0f %% of the time that it sent to %s and set its pace",
                        100 * one.utilisation(),
                        one.target()))
                .findFirst();
    }

    /**
     * Returns that a closed loop in turns was at the ends of its turns for unequal parts of its time, where nothing
     * more is sent: how long they last is how slow the slowest request is that is under way, and no rate.
     */
    private Optional<String> awaited(Verdict verdict) {
        RunPlan plan = result.plan();
        List<TargetResult> compared = compared(List.of(verdict.target(), verdict.baseline()));
        if (!verdict.metric().equals(Metric.THROUGHPUT.key())
                || !plan.pace().closedLoop()
                || plan.schedule() != TargetSchedule.ALTERNATE
                || plan.duration().isEmpty()
                || compared.size() != 2) {
            return Optional.empty();
        }
        double[] shares = compared.stream()
                .mapToDouble(target -> awaitedShare(target, plan.duration().get()))
                .toArray();
        double difference = Math.abs(Math.log((1 - shares[0]) / (1 - shares[1])));
        double found = LaunchRatios.ofFirst(launches, plan)
                .of(compared.get(0), compared.get(1), Metric.THROUGHPUT)
                .orElse(1);
        int longer = shares[0] > shares[1] ? 0 : 1;
        return difference > Math.max(Math.log1p(plan.margin()), MOST_AWAITED * Math.abs(Math.log(found)))
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "%s got no new request for %.1f %% of its time, while its last answers of each turn were awaited,"
                                + " %s for %.1f %%: that is how slow the slowest requests are, and no rate; --schedule"
                                + " together has no turns",
                        compared.get(longer).name(),
                        100 * shares[longer],
                        compared.get(1 - longer).name(),
                        100 * shares[1 - longer]))
                : Optional.empty();
    }

    private double awaitedShare(TargetResult target, Duration length) {
        long measuredNs = 0;
        long awaitedNs = 0;
        for (LaunchResult launch : target.launches()) {
            if (launch.launch() <= launches) {
                measuredNs += launch.measuredNs();
                awaitedNs += Math.max(0, launch.measuredNs() - length.toNanos());
            }
        }
        return awaitedNs == 0 ? 0 : (double) awaitedNs / measuredNs;
    }

    /** Returns the mean of what its launches have, as verdicts compare it: that of all requests may be one launch's. */
    private OptionalDouble value(Metric metric, TargetResult target) {
        double[] logs = LaunchRatios.ofFirst(launches, result.plan()).logs(metric, target);
        return logs.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(Math.exp(Sample.mean(logs)));
    }

    private Optional<String> lag(String metric, List<TargetResult> compared) {
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        double leastLag = Double.POSITIVE_INFINITY;
        double mostLag = 0;
        String late = "";
        for (TargetResult target : compared) {
            OptionalDouble value =
                    Metric.of(metric).map(one -> value(one, target)).orElseGet(OptionalDouble::empty);
            Percentiles lags = target.ownLag().filter(lag -> lag.count() > 0).orElse(null);
            if (value.isEmpty() || lags == null) {
                return Optional.empty();
            }
            double lag = LAGS.get(metric).applyAsDouble(lags);
            least = Math.min(least, value.getAsDouble());
            most = Math.max(most, value.getAsDouble());
            leastLag = Math.min(leastLag, lag);
            late = lag >= mostLag ? target.name() : late;
            mostLag = Math.max(mostLag, lag);
        }
        boolean large = mostLag > MOST_LAG * least;
        boolean uneven = compared.size() > 1
                && mostLag - leastLag > Math.max(result.plan().margin() * least, MOST_LAG * (most - least));
        return large || uneven
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "Lockstep's own lag at the same percentile, %.1f us for %s, is not small against %s",
                        mostLag / 1e3,
                        late,
                        large
                                ? String.format(Locale.ROOT, "%.1f us", least / 1e3)
                                : String.format(Locale.ROOT, "a difference of %.1f us", (most - least) / 1e3)))
                : Optional.empty();
    }
}
