package dev.lockstep.cli;

import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.analysis.Metric;
import dev.lockstep.analysis.SteadyState;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.Warmup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * What each launch of each target did second by second, warm-up first, as far as its steady state and the blocks of its
 * measured phase need it. Hands the intervals on, whose costs must be known by then. Used by the run's thread.
 *
 * <p>Design note: it keeps some ten numbers a second of its own rather than reading {@code intervals.jsonl} back, which a
 * full disk leaves incomplete. A launch of more than half an hour is kept more coarsely the longer it is, so that a run
 * of days needs no more memory and its figures are still those of all of it.
 */
final class LoadSeries implements IntervalSink, LaunchVerdicts.Blocks {
    private static final long SECOND_NS = 1_000_000_000;
    /** A value of less than half a second is too rough to tell changes by. */
    private static final long LEAST_SECOND_NS = SECOND_NS / 2;
    /** Of fewer, no changepoint tells anything. */
    private static final int LEAST_SECONDS = 10;
    /** When a launch has more, each two become one. */
    private static final int MOST_SECONDS = 2048;
    /** Parts of a measured phase, for the bootstrap within a launch. */
    private static final int MOST_BLOCKS = 10;
    /** CPU time is counted in hundredths of a second, of which a block should hold some dozens. */
    private static final long LEAST_BLOCK_NS = 3_000_000_000L;

    /** One interval, or several one after the other. Immutable. */
    private static final class Second {
        final boolean warmup;
        final long lengthNs;
        final long completed;
        final long successful;
        final double p50Ns;
        final Costs costs;

        Second(Interval interval) {
            warmup = interval.warmup;
            lengthNs = interval.endNs - interval.startNs;
            completed = interval.counts().completed;
            successful = interval.counts().successful();
            p50Ns = interval.responseTime().getTotalCount() == 0
                    ? Double.NaN
                    : interval.responseTime().getValueAtPercentile(50);
            costs = interval.costs;
        }

        /** Both together; their medians weigh as much as they have answers. */
        private Second(Second first, Second later) {
            warmup = first.warmup;
            lengthNs = first.lengthNs + later.lengthNs;
            completed = first.completed + later.completed;
            successful = first.successful + later.successful;
            p50Ns = Double.isNaN(first.p50Ns) || first.completed == 0
                    ? later.p50Ns
                    : Double.isNaN(later.p50Ns)
                            ? first.p50Ns
                            : (first.p50Ns * first.completed + later.p50Ns * later.completed) / completed;
            costs = first.costs.plus(later.costs);
        }

        boolean canTake(Second later) {
            return warmup == later.warmup;
        }

        Second plus(Second later) {
            return new Second(this, later);
        }
    }

    /**
     * The intervals of one launch, put together until they cover about a second, or so many that they are never too many. The
     * intervals of a turn may be much shorter: each ends with its turn.
     */
    private static final class Seconds {
        final List<Second> all = new ArrayList<>();
        private long eachNs = SECOND_NS;

        void add(Second second) {
            int last = all.size() - 1;
            if (last >= 0 && all.get(last).canTake(second) && isCloserWith(second, all.get(last).lengthNs)) {
                all.set(last, all.get(last).plus(second));
                return;
            }
            if (all.size() == MOST_SECONDS) {
                halve();
            }
            all.add(second);
        }

        private boolean isCloserWith(Second second, long lengthNs) {
            return lengthNs < LEAST_SECOND_NS || lengthNs + second.lengthNs / 2 <= eachNs;
        }

        private void halve() {
            int kept = 0;
            for (int i = 0; i < all.size(); i++) {
                boolean paired = i + 1 < all.size() && all.get(i).canTake(all.get(i + 1));
                all.set(kept++, paired ? all.get(i).plus(all.get(i + 1)) : all.get(i));
                i += paired ? 1 : 0;
            }
            all.subList(kept, all.size()).clear();
            eachNs *= 2;
        }
    }

    private final IntervalSink next;
    private final Map<String, Map<Integer, Seconds>> seconds = new HashMap<>();

    LoadSeries(IntervalSink next) {
        this.next = next;
    }

    @Override
    public void interval(String target, Interval interval) {
        seconds.computeIfAbsent(target, name -> new HashMap<>())
                .computeIfAbsent(interval.launch, launch -> new Seconds())
                .add(new Second(interval));
        next.interval(target, interval);
    }

    private List<Second> seconds(String target, int launch) {
        Seconds known = seconds.getOrDefault(target, Map.of()).get(launch);
        return known == null ? List.of() : known.all;
    }

    /**
     * Returns how a launch warmed up, by what it needed of CPU and of time for a request; absent where it had load for less
     * than ten seconds, which tell nothing, or where its first load is not known.
     *
     * @param measuredFromTheStart whether there was no load before it was measured
     */
    Optional<Warmup> warmup(String target, int launch, boolean measuredFromTheStart) {
        List<Second> all = seconds(target, launch);
        if (!measuredFromTheStart && all.stream().noneMatch(second -> second.warmup)) {
            return Optional.empty();
        }
        double[] times = all.stream().mapToDouble(LoadSeries::logTime).toArray();
        double[] cpu = all.stream().mapToDouble(LoadSeries::logCpu).toArray();
        if (known(times) < LEAST_SECONDS) {
            return Optional.empty();
        }
        SteadyState state = known(cpu) < LEAST_SECONDS
                ? SteadyState.of(SteadyState.USUAL_TOLERANCE, times)
                : SteadyState.of(SteadyState.USUAL_TOLERANCE, cpu, times);
        if (!state.steady()) {
            return Optional.of(Warmup.notSteady());
        }
        List<Second> before = all.subList(0, state.index().getAsInt());
        return Optional.of(Warmup.steady(
                before.stream().mapToLong(second -> second.lengthNs).sum(),
                before.stream().mapToLong(second -> second.completed).sum()));
    }

    private static long known(double[] values) {
        long known = 0;
        for (double value : values) {
            known += Double.isNaN(value) ? 0 : 1;
        }
        return known;
    }

    private static double logTime(Second second) {
        return second.lengthNs < LEAST_SECOND_NS || !(second.p50Ns > 0) ? Double.NaN : Math.log(second.p50Ns);
    }

    private static double logCpu(Second second) {
        double value =
                Metric.CPU_PER_REQUEST.of(second.costs, second.successful).orElse(0);
        return second.lengthNs < LEAST_SECOND_NS || !(value > 0) ? Double.NaN : Math.log(value);
    }

    /** Returns how long a launch got load before it was measured. */
    private long warmedNs(String target, int launch) {
        return seconds(target, launch).stream()
                .filter(second -> second.warmup)
                .mapToLong(second -> second.lengthNs)
                .sum();
    }

    /** Returns what of a target's launches was measured before it was steady, for people; absent where nothing was. */
    Optional<String> unsteady(String target, Map<Integer, Warmup> launches) {
        List<Integer> never = new ArrayList<>();
        List<Integer> late = new ArrayList<>();
        long latestNs = 0;
        for (Map.Entry<Integer, Warmup> launch : launches.entrySet()) {
            OptionalLong steadyNs = launch.getValue().durationNs();
            long lateNs = steadyNs.orElse(0) - warmedNs(target, launch.getKey());
            if (steadyNs.isEmpty()) {
                never.add(launch.getKey());
            } else if (lateNs > 0) {
                late.add(launch.getKey());
                latestNs = Math.max(latestNs, lateNs);
            }
        }
        List<String> parts = new ArrayList<>();
        if (!never.isEmpty()) {
            parts.add("no steady state in " + launches(never) + ": its figures depend on how long it is measured");
        }
        if (!late.isEmpty()) {
            parts.add(Quantities.duration(latestNs) + " were measured before the steady state in " + launches(late)
                    + "; a longer --warmup leaves them out");
        }
        return parts.isEmpty() ? Optional.empty() : Optional.of(target + ": " + String.join("; ", parts));
    }

    private static String launches(List<Integer> numbers) {
        return (numbers.size() == 1 ? "launch " : "launches ")
                + numbers.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /**
     * Cuts the measured phase into at most ten parts of the same length, of which each holds some seconds.
     *
     * @return what each part comes to, in the unit of the metric; empty where it is no cost per request, the phase is too
     *     short, or a part lacks the cost
     */
    @Override
    public double[] of(Metric metric, String target, int launch) {
        List<Second> measured = seconds(target, launch).stream()
                .filter(second -> !second.warmup)
                .collect(Collectors.toList());
        long lengthNs = measured.stream().mapToLong(second -> second.lengthNs).sum();
        int count = (int) Math.min(MOST_BLOCKS, lengthNs / LEAST_BLOCK_NS);
        if (!metric.isPerRequest() || count < 2) {
            return new double[0];
        }
        Costs[] costs = new Costs[count];
        long[] successful = new long[count];
        double atNs = 0;
        for (Second second : measured) {
            int block = (int) Math.min(count - 1, (atNs + second.lengthNs / 2.0) * count / lengthNs);
            costs[block] = costs[block] == null ? second.costs : costs[block].plus(second.costs);
            successful[block] += second.successful;
            atNs += second.lengthNs;
        }
        double[] values = new double[count];
        for (int block = 0; block < count; block++) {
            OptionalDouble value =
                    costs[block] == null ? OptionalDouble.empty() : metric.of(costs[block], successful[block]);
            if (!(value.orElse(0) > 0)) {
                return new double[0];
            }
            values[block] = value.getAsDouble();
        }
        return values;
    }
}
