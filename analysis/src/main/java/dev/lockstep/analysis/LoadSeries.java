package dev.lockstep.analysis;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.results.FirstMinute;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What each launch of each target did second by second, warm-up first, as far as its steady state and the blocks of its
 * measured phase need it. Hands the intervals on, whose costs must be known by then. Used by the run's thread.
 *
 * <p>Design note: it keeps some ten numbers a second of its own rather than reading {@code intervals.jsonl} back, which
 * a full disk leaves incomplete. A launch of more than half an hour is kept more coarsely the longer it is, so that a
 * run of days needs no more memory and its figures are still those of all of it.
 */
public final class LoadSeries implements IntervalSink, LaunchVerdicts.Blocks {
    private static final long SECOND_NS = 1_000_000_000;
    private static final long MINUTE_NS = 60 * SECOND_NS;
    /** A value of less than half a second is too rough to tell changes by. */
    private static final long LEAST_SECOND_NS = SECOND_NS / 2;
    /** What is shorter is the rest of a turn. */
    private static final long LEAST_TURN_NS = SECOND_NS / 10;
    /** By how much the share of refused requests may be larger at full load, of all requests. */
    static final double MOST_MORE_REFUSED = 0.01;
    /** Who uses less of one processor's time at full load sleeps in between, on however many processors. */
    private static final double LEAST_FULL = 0.5;
    /** Of a measured phase that was not steady from the beginning, so much may come before: to find it is not exact. */
    private static final double MOST_BEFORE = 0.1;
    /**
     * How much of a processor's time the JIT of a heated target may take while it is measured, unless it is little of
     * its CPU. At a low rate it is much of little CPU whenever a method is compiled, which is why verdicts rest on the
     * CPU without it.
     */
    private static final double MOST_JIT = 0.25;
    /** In a shorter measured phase a method or two are compiled that are no more than an accident. */
    private static final long LEAST_JUDGED_NS = 5 * SECOND_NS;
    /** As much as it gets where requests want the same processor all the time. */
    private static final double BUSY_JIT_SHARE = 0.5;
    /** When a launch has more, each two become one. */
    private static final int MOST_SECONDS = 2048;
    /** Fewer turns of full load do not tell what a request costs while the JIT rests. */
    private static final int LEAST_RESTING_TURNS = 16;

    /** Parts of a measured phase, for the bootstrap within a launch. */
    private static final int MOST_BLOCKS = 10;
    /** CPU time is counted in hundredths of a second, of which a block should hold some dozens. */
    private static final long LEAST_BLOCK_NS = 3_000_000_000L;

    /** One interval, or several one after the other. Immutable. */
    private static final class Second extends FullLoadTurns.Turn {
        final boolean warmup;
        final boolean heating;
        final long completed;
        /** Of all requests those that failed or were refused. */
        final long refused;

        final double p50Ns;

        Second(Interval interval, boolean heating) {
            super(interval);
            this.heating = heating;
            warmup = !interval.isMeasured();
            completed = interval.counts().completed;
            refused = interval.counts().errorsInLife()
                    + interval.counts().statusClass(4)
                    + interval.counts().statusClass(5);
            p50Ns = interval.responseTime().getTotalCount() == 0
                    ? Double.NaN
                    : interval.responseTime().getValueAtPercentile(50);
        }

        /** Both together; their medians weigh as much as they have answers. */
        private Second(Second first, Second later) {
            super(first, later);
            warmup = first.warmup;
            heating = first.heating;
            completed = first.completed + later.completed;
            refused = first.refused + later.refused;
            p50Ns = Double.isNaN(first.p50Ns) || first.completed == 0
                    ? later.p50Ns
                    : Double.isNaN(later.p50Ns)
                            ? first.p50Ns
                            : (first.p50Ns * first.completed + later.p50Ns * later.completed) / completed;
        }

        /** The CPU of all threads; NaN where they are not known apart. */
        double threadsNs() {
            OptionalLong all = JitShare.allNs(costs);
            return all.isPresent() ? all.getAsLong() : Double.NaN;
        }

        double jitNs() {
            OptionalLong jit = costs.get(Cost.JIT_CPU);
            return jit.isPresent() ? jit.getAsLong() : Double.NaN;
        }

        boolean canTake(Second later) {
            return warmup == later.warmup && heating == later.heating;
        }

        Second plus(Second later) {
            return new Second(this, later);
        }
    }

    /**
     * The intervals of one launch, put together until they cover about a second, or so many that they are never too
     * many. The intervals of a turn may be much shorter: each ends with its turn.
     */
    private static final class Seconds {
        final List<Second> all = new ArrayList<>();
        /** Whether the target ended by itself in it. */
        boolean died;
        /** Whether it is being heated. */
        boolean heating;
        /**
         * How the heating stands, or stood when it was found to be enough, and what came before it was steady; null
         * where it was not heated.
         */
        SteadyState heated;

        List<Second> beforeHeated;
        /** All of full load, turn by turn; interval by interval where targets have it at the same time. */
        final List<Second> fullLoadTurns = new ArrayList<>();

        private long fullLoadEndNs;
        private boolean inTurns;

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

        /** @param startNs when it began; who takes turns does nothing between two of them */
        void addFullLoad(Second second, long startNs) {
            int last = fullLoadTurns.size() - 1;
            boolean goesOn = startNs == fullLoadEndNs;
            fullLoadEndNs = startNs + second.lengthNs;
            if (last >= 0 && !goesOn && !inTurns) {
                // So what came until now was one, though it took more than an interval.
                inTurns = true;
                Second first = sum(fullLoadTurns).orElseThrow();
                fullLoadTurns.clear();
                fullLoadTurns.add(first);
            } else if (last >= 0 && (goesOn && inTurns || second.lengthNs < LEAST_TURN_NS)) {
                // What is left of a round tells nothing by itself.
                fullLoadTurns.set(last, fullLoadTurns.get(last).plus(second));
                return;
            }
            fullLoadTurns.add(second);
        }

        private static Optional<Second> sum(List<Second> seconds) {
            return seconds.stream().reduce(Second::plus);
        }

        /** Returns how many turns of full load do not count. */
        int settling() {
            return FullLoadTurns.settling(fullLoadTurns);
        }

        private List<Second> countingTurns() {
            return FullLoadTurns.counting(fullLoadTurns);
        }

        /** Returns what came under full load from when its figures count on. */
        Optional<Second> fullLoad() {
            return sum(countingTurns());
        }

        private static double refused(List<Second> seconds) {
            long all = FullLoadTurns.requests(seconds);
            return all == 0
                    ? 0
                    : (double) seconds.stream()
                                    .mapToLong(second -> second.refused)
                                    .sum()
                            / all;
        }

        double refusedAtFullLoad() {
            return refused(countingTurns());
        }

        double refusedWhileMeasured() {
            return refused(measured(all));
        }

        /** Returns how far in the capture it came. */
        long requestsAtFullLoad() {
            return FullLoadTurns.requests(fullLoadTurns);
        }

        long requestsWhileSettling() {
            return FullLoadTurns.requestsWhileSettling(fullLoadTurns);
        }

        /** Whether full load had it refuse what it answered before: cheap answers, or work that is in none. */
        boolean isOverloaded() {
            return refusedAtFullLoad() > refusedWhileMeasured() + MOST_MORE_REFUSED;
        }

        OptionalDouble jitShareAtFullLoad() {
            return countingTurns().isEmpty() ? OptionalDouble.empty() : jitShare(countingTurns());
        }

        /** Returns how much of one processor's time full load took; NaN where there was none, or nobody knows. */
        double busyAtFullLoad() {
            return fullLoad().map(all -> all.threadsNs() / all.lengthNs).orElse(Double.NaN);
        }

        void heatedAs(SteadyState state) {
            heated = state;
            beforeHeated = new ArrayList<>(
                    state.steady() ? all.subList(0, state.index().orElseThrow()) : all);
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

    /** How a launch was found to be. Immutable. */
    private static final class Finding {
        final Warmup.State state;
        final String reason;
        /** What came before it was steady; all of it where it was not, and its warm-up where nobody can tell. */
        final List<Second> before;
        /** How long it was measured before it was steady. */
        final long lateNs;

        final OptionalDouble jitShare;
        final OptionalDouble visibleStep;
        /** Of the level seconds; absent where something changed. */
        final Optional<SteadyState.Halves> halves;
        /** Of the application's CPU alone. */
        final Optional<SteadyState.Halves> costHalves;

        Finding(
                Warmup.State state,
                String reason,
                List<Second> before,
                long lateNs,
                OptionalDouble jitShare,
                OptionalDouble visibleStep,
                Optional<SteadyState.Halves> halves,
                Optional<SteadyState.Halves> costHalves) {
            this.costHalves = costHalves;
            this.halves = halves;
            this.jitShare = jitShare;
            this.state = state;
            this.reason = reason;
            this.before = before;
            this.lateNs = lateNs;
            this.visibleStep = visibleStep;
        }

        static Finding notSteady(String reason, List<Second> all, OptionalDouble jitShare) {
            return new Finding(
                    Warmup.State.NOT_STEADY,
                    reason,
                    all,
                    0,
                    jitShare,
                    OptionalDouble.empty(),
                    Optional.empty(),
                    Optional.empty());
        }
    }

    private final IntervalSink next;
    /** By target and launch. */
    private final Map<String, Map<Integer, Finding>> findings = new HashMap<>();

    private final Map<String, Map<Integer, Seconds>> seconds = new HashMap<>();

    public LoadSeries(IntervalSink next) {
        this.next = next;
    }

    @Override
    public void interval(String target, Interval interval) {
        Seconds known = launch(target, interval.launch);
        Second second = new Second(interval, known.heating);
        if (interval.phase == Interval.Phase.FULL_LOAD) {
            known.addFullLoad(second, interval.startNs);
        } else {
            known.add(second);
        }
        next.interval(target, interval);
    }

    private Seconds launch(String target, int launch) {
        return seconds.computeIfAbsent(target, name -> new HashMap<>())
                .computeIfAbsent(launch, number -> new Seconds());
    }

    private List<Second> seconds(String target, int launch) {
        Seconds known = seconds.getOrDefault(target, Map.of()).get(launch);
        return known == null ? List.of() : known.all;
    }

    /**
     * Says that a launch is heated from now on, faster than it will be measured, or that this is over: then it is
     * judged by its heating.
     */
    public void heats(String target, int launch, boolean heating) {
        Seconds known = launch(target, launch);
        if (known.heating && !heating && known.heated == null) {
            known.heatedAs(state(known.all));
        }
        known.heating = heating;
    }

    /** Says that the target ended by itself in a launch, which is over. */
    public void died(String target, int launch) {
        launch(target, launch).died = true;
    }

    /** Returns how a launch stands now that is being heated, or never is. */
    public SteadyState state(String target, int launch) {
        Seconds known = launch(target, launch);
        SteadyState state = state(known.all);
        if (known.heating) {
            // Not when it ends: what comes until all is answered is no more of it.
            known.heatedAs(state);
        }
        return state;
    }

    /** Tells whether the JIT took little of the CPU in the last seconds since the heating; false for fewer seconds. */
    public boolean jitRests(String target, int launch, int seconds) {
        List<Second> paced = seconds(target, launch).stream()
                .filter(second -> !second.heating)
                .collect(Collectors.toList());
        return paced.size() >= seconds
                && jitShare(paced.subList(paced.size() - seconds, paced.size())).orElse(0)
                        <= SteadyState.RESTING_JIT_SHARE;
    }

    /** Tells whether the JIT took half of the CPU or more in the last second; false where nobody knows. */
    public boolean jitIsBusy(String target, int launch) {
        List<Second> all = seconds(target, launch);
        return !all.isEmpty()
                && jitShare(all.subList(all.size() - 1, all.size())).orElse(0) >= BUSY_JIT_SHARE;
    }

    /** Returns the JIT's share of the CPU in these seconds; absent where nobody knows. */
    private static OptionalDouble jitShare(List<Second> seconds) {
        double[] all = seconds.stream().mapToDouble(Second::threadsNs).toArray();
        double[] jit = seconds.stream().mapToDouble(Second::jitNs).toArray();
        double share = new JitShare(all, jit, all.length).last();
        return Double.isNaN(share) ? OptionalDouble.empty() : OptionalDouble.of(share);
    }

    /** Returns how long a launch got load so far. */
    public long loadNs(String target, int launch) {
        return lengthNs(seconds(target, launch));
    }

    /**
     * Returns how a launch warmed up; absent where it had no load, or its first load is not known, or where the target
     * died in it before it was steady: whether it would have been, nobody knows.
     *
     * @param startCpuNs CPU time of the process before its first load
     * @param measuredFromTheStart whether there was no load before it was measured
     */
    public Optional<Warmup> warmup(String target, int launch, OptionalLong startCpuNs, boolean measuredFromTheStart) {
        List<Second> all = seconds(target, launch);
        if (all.isEmpty() || !measuredFromTheStart && all.stream().noneMatch(second -> second.warmup)) {
            return Optional.empty();
        }
        Seconds known = launch(target, launch);
        Finding found = known.heating || known.heated == null ? unheated(all) : heated(known);
        if (known.died && found.state != Warmup.State.STEADY) {
            return Optional.empty();
        }
        findings.computeIfAbsent(target, name -> new TreeMap<>()).put(launch, found);
        Warmup.Builder warmup = Warmup.builder(found.state)
                .durationNs(lengthNs(found.before))
                .requests(found.before.stream()
                        .mapToLong(second -> second.completed)
                        .sum())
                .jitShare(found.jitShare)
                .visibleStep(found.visibleStep)
                .visibleCostStep(SteadyState.Halves.visibleStep(found.costHalves));
        cpuNs(found.before, startCpuNs).ifPresent(warmup::cpuNs);
        return Optional.of(warmup.build());
    }

    /**
     * Returns what a launch did under full load; absent where it got none, or no more than a second of it. To be asked
     * once all targets of the launch had theirs.
     */
    public Optional<FullLoad> fullLoad(String target, int launch) {
        Seconds known = launch(target, launch);
        Optional<Second> whole = known.fullLoad();
        if (whole.isEmpty()) {
            return Optional.empty();
        }
        if (known.isOverloaded()) {
            return Optional.of(
                    FullLoad.refusing(whole.get().lengthNs, whole.get().successful, known.refusedAtFullLoad()));
        }
        List<Second> same = ofTheSameRequests(known, launch);
        Second all = Seconds.sum(same).orElse(whole.get());
        boolean replaces = replacesCode(known, launch);
        // Beside a JIT a request costs more, which is no cost of the year's.
        Second costing = compiles(known) && !replaces
                ? Seconds.sum(same.stream().filter(LoadSeries::rests).collect(Collectors.toList()))
                        .orElse(all)
                : all;
        return Optional.of(FullLoad.of(
                        all.lengthNs,
                        all.successful,
                        Metric.STEADY_CPU_PER_REQUEST.of(costing.costs, costing.successful))
                .withJit(known.jitShareAtFullLoad(), replaces));
    }

    /**
     * Returns those turns of full load in which a target got the same requests as others of about its rate: all begin
     * with the capture's first one, and the faster ones come to more of it, which may cost more or less. By rate, each
     * group begins with a target that is not {@linkplain FullLoadTurns#areAlike alike} to the first of the group
     * before.
     */
    private List<Second> ofTheSameRequests(Seconds known, int launch) {
        List<Seconds> group = new ArrayList<>();
        for (Seconds one : loaded(launch)) {
            if (!group.isEmpty()
                    && !FullLoadTurns.areAlike(group.get(0).requestsAtFullLoad(), one.requestsAtFullLoad())) {
                if (group.contains(known)) {
                    break;
                }
                group.clear();
            }
            group.add(one);
        }
        long from =
                group.stream().mapToLong(Seconds::requestsWhileSettling).max().orElse(0);
        return FullLoadTurns.ofRequests(known.fullLoadTurns, from, group.get(0).requestsAtFullLoad());
    }

    /** Returns the targets of a launch whose full load counts and was not too much for them, the slowest first. */
    private List<Seconds> loaded(int launch) {
        return seconds.values().stream()
                .map(launches -> launches.get(launch))
                .filter(one -> one != null && !one.countingTurns().isEmpty() && !one.isOverloaded())
                .sorted(Comparator.comparingLong(Seconds::requestsAtFullLoad))
                .collect(Collectors.toList());
    }

    /** Returns the halves of a launch's level seconds; absent where something changed, or nothing is known of it. */
    Optional<SteadyState.Halves> halves(String target, int launch) {
        return finding(target, launch).flatMap(found -> found.halves);
    }

    /** As {@link #halves}, of the application's CPU per request alone. */
    Optional<SteadyState.Halves> costHalves(String target, int launch) {
        return finding(target, launch).flatMap(found -> found.costHalves);
    }

    private Optional<Finding> finding(String target, int launch) {
        return Optional.ofNullable(findings.getOrDefault(target, Map.of()).get(launch));
    }

    /**
     * Returns the log of the ratio of what a request cost without the JIT in each turn of full load, of those that
     * count for both; none where their turns are not the same, one of them tells nothing, or one refused requests: what
     * it costs to refuse hides what the others cost.
     */
    double[] logRatiosAtFullLoad(String target, String baseline, int launch) {
        Seconds one = launch(target, launch);
        Seconds other = launch(baseline, launch);
        int count = one.fullLoadTurns.size();
        int from = Math.max(one.settling(), other.settling());
        if (count != other.fullLoadTurns.size() || from >= count || one.isOverloaded() || other.isOverloaded()) {
            return new double[0];
        }
        double[] logs = new double[count - from];
        for (int i = from; i < count; i++) {
            OptionalDouble cost = cost(one.fullLoadTurns.get(i));
            OptionalDouble others = cost(other.fullLoadTurns.get(i));
            if (cost.isEmpty() || others.isEmpty()) {
                return new double[0];
            }
            logs[i - from] = Math.log(cost.getAsDouble() / others.getAsDouble());
        }
        return logs;
    }

    /** Whether both JITs took little of the CPU in both halves of full load: two that both compile keep their ratio. */
    boolean restAtFullLoad(String target, String baseline, int launch) {
        Seconds one = launch(target, launch);
        Seconds other = launch(baseline, launch);
        int from = Math.max(one.settling(), other.settling());
        return restsAtFullLoad(one, from) && restsAtFullLoad(other, from);
    }

    /**
     * Whether the JIT took much of the CPU at full load and may have changed what a request costs. It did not where
     * that is nearly the same in the turns in which it rested, and did not change from their earlier half to the later
     * one; the latter beside the same turns of targets whose JITs rested all the time, for machines change too.
     */
    private boolean replacesCode(Seconds known, int launch) {
        if (!compiles(known)) {
            return false;
        }
        int from = known.settling();
        List<Seconds> others = loaded(launch).stream()
                .filter(one -> one != known
                        && one.fullLoadTurns.size() == known.fullLoadTurns.size()
                        && restsAtFullLoad(one, from)
                        && one.fullLoadTurns.subList(from, one.fullLoadTurns.size()).stream()
                                .allMatch(turn -> cost(turn).isPresent()))
                .collect(Collectors.toList());
        Second resting = null;
        List<Double> logs = new ArrayList<>();
        for (int i = from; i < known.fullLoadTurns.size(); i++) {
            Second turn = known.fullLoadTurns.get(i);
            if (rests(turn) && cost(turn).isPresent()) {
                resting = resting == null ? turn : resting.plus(turn);
                double log = logCost(turn);
                for (Seconds other : others) {
                    log -= logCost(other.fullLoadTurns.get(i)) / others.size();
                }
                logs.add(log);
            }
        }
        if (logs.size() < LEAST_RESTING_TURNS) {
            return true;
        }
        SteadyState.Halves whole =
                new SteadyState.Halves(logCost(known.fullLoad().orElseThrow()) - logCost(resting), 0);
        double[] values = logs.stream().mapToDouble(log -> log).toArray();
        return !whole.areLevel() || !SteadyState.Halves.of(values).areSurelyLevel();
    }

    /** Whether the JIT took much of the CPU at full load. */
    private static boolean compiles(Seconds known) {
        return known.jitShareAtFullLoad().orElse(0) > FullLoad.LOW_JIT_SHARE;
    }

    /** Whether the JIT took little of the CPU in a turn. */
    private static boolean rests(Second turn) {
        return jitShare(List.of(turn)).orElse(1) <= FullLoad.LOW_JIT_SHARE;
    }

    /** Returns the log of what a request cost without the JIT; NaN where nobody knows. */
    private static double logCost(Second turn) {
        return Math.log(cost(turn).orElse(Double.NaN));
    }

    private static OptionalDouble cost(Second turn) {
        OptionalDouble cost = turn.successful == 0
                ? OptionalDouble.empty()
                : Metric.STEADY_CPU_PER_REQUEST.of(turn.costs, turn.successful);
        // Without a control group a turn may end before the first tick.
        return cost.orElse(0) > 0 ? cost : OptionalDouble.empty();
    }

    private static boolean restsAtFullLoad(Seconds known, int from) {
        List<Second> turns = known.fullLoadTurns.subList(from, known.fullLoadTurns.size());
        int half = turns.size() / 2;
        return half > 0
                && Stream.of(turns.subList(0, half), turns.subList(half, turns.size()))
                        .allMatch(part -> jitShare(part).orElse(1) <= FullLoad.LOW_JIT_SHARE);
    }

    /**
     * Returns in which launches a target that was steady before compiled anew at full load, for people; absent where it
     * did not.
     *
     * @param steady whether the launches together have shown what single ones could not
     * @param whole how many launches count, the first ones
     */
    public Optional<String> compiling(String target, boolean steady, int whole) {
        Map<Integer, Double> shares = new TreeMap<>();
        upTo(whole, target).forEach((launch, known) -> {
            if (replacesCode(known, launch)
                    && finding(target, launch)
                            .filter(found -> found.state == Warmup.State.STEADY
                                    || steady && found.state == Warmup.State.UNDECIDABLE)
                            .isPresent()) {
                shares.put(launch, known.jitShareAtFullLoad().orElseThrow());
            }
        });
        return shares.values().stream()
                .max(Double::compare)
                .map(most -> String.format(
                        Locale.ROOT,
                        "%s: at full load the JIT took %s%.0f %% of its CPU in %s: it compiled anew, and what a request"
                                + " costs there is in part that of code that it then replaced",
                        target,
                        shares.size() > 1 ? "up to " : "",
                        100 * most,
                        launches(new ArrayList<>(shares.keySet()))));
    }

    /** Returns the first launches of a target, so many. */
    private Map<Integer, Seconds> upTo(int whole, String target) {
        Map<Integer, Seconds> launches = new TreeMap<>(seconds.getOrDefault(target, Map.of()));
        launches.keySet().removeIf(launch -> launch > whole);
        return launches;
    }

    /**
     * Returns in which launches a target refused more at full load than while it was measured, for people.
     *
     * @param whole how many launches count, the first ones
     */
    public Optional<String> overloaded(String target, int whole) {
        Map<Integer, Seconds> launches = upTo(whole, target);
        launches.values().removeIf(known -> !known.isOverloaded());
        return launches.entrySet().stream()
                .findFirst()
                .map(first -> String.format(
                        Locale.ROOT,
                        "%s: at full load %.1f %% of its requests failed or were answered with 4xx or 5xx in %s, %.1f %%"
                                + " while it was measured: what a request costs there is not told",
                        target,
                        100 * first.getValue().refusedAtFullLoad(),
                        launches(new ArrayList<>(launches.keySet())),
                        100 * first.getValue().refusedWhileMeasured()));
    }

    /**
     * Returns in which launches a target had time to sleep at full load, for people; absent where it had not, or nobody
     * knows.
     *
     * @param whole how many launches count, the first ones
     * @param pacedByLockstep in which launches it slept because full load was no faster than Lockstep, as that says by
     *     itself
     */
    public Optional<String> idle(String target, int whole, List<SelfReport.Bottleneck> pacedByLockstep) {
        Map<Integer, Seconds> launches = upTo(whole, target);
        launches.values().removeIf(known -> !(known.busyAtFullLoad() < LEAST_FULL));
        pacedByLockstep.stream()
                .filter(one -> one.target().equals(target))
                .forEach(one -> launches.remove(one.launch()));
        return launches.values().stream()
                .map(Seconds::busyAtFullLoad)
                .max(Double::compare)
                .map(most -> String.format(
                        Locale.ROOT,
                        "%s: at full load it used %s%.0f %% of one processor in %s: it waits for something else, such as"
                                + " a database, a lock or the network, needs more connections (-c with -q), or others"
                                + " or a CPU quota kept it from running; what a request costs there is in part waking"
                                + " up",
                        target,
                        launches.size() > 1 ? "up to " : "",
                        100 * most,
                        launches(new ArrayList<>(launches.keySet()))));
    }

    /**
     * Returns what a launch did in its first minute; absent where it did not live so long, or took longer to start, or
     * its first load is not known.
     *
     * @param startNs how long it took until it answered
     * @param startCpuNs CPU time of the process before its first load
     */
    public Optional<FirstMinute> firstMinute(String target, int launch, OptionalLong startNs, OptionalLong startCpuNs) {
        // Of a longer start nobody knows what of its CPU was used in the first minute.
        if (startNs.isEmpty() || startNs.getAsLong() > MINUTE_NS) {
            return Optional.empty();
        }
        long lifeNs = startNs.getAsLong();
        long requests = 0;
        List<Second> lived = new ArrayList<>();
        List<Second> all = new ArrayList<>(seconds(target, launch));
        all.addAll(launch(target, launch).fullLoadTurns);
        for (Second second : all) {
            if (lifeNs + second.lengthNs >= MINUTE_NS) {
                // Of a soak it may last a minute itself.
                double share = (double) (MINUTE_NS - lifeNs) / second.lengthNs;
                OptionalLong before = cpuNs(lived, startCpuNs);
                OptionalLong last = cpuNs(List.of(second), OptionalLong.of(0));
                return before.isPresent() && last.isPresent()
                        ? Optional.of(FirstMinute.of(
                                before.getAsLong() + Math.round(share * last.getAsLong()),
                                requests + Math.round(share * second.completed)))
                        : Optional.empty();
            }
            lived.add(second);
            lifeNs += second.lengthNs;
            requests += second.completed;
        }
        return Optional.empty();
    }

    private static Finding unheated(List<Second> all) {
        SteadyState state = state(all);
        List<Second> before = state.seemsSteady() ? all.subList(0, state.levelFrom()) : all;
        long lateNs = lateNs(all, before);
        if (state.seemsSteady() && isTooLate(all, lateNs)) {
            return Finding.notSteady(
                    "steady only " + Quantities.duration(lateNs) + " into its measured phase", all, state.jitShare());
        }
        return new Finding(
                state.state(),
                state.reason(),
                state.steady() ? before : state.state() == Warmup.State.UNDECIDABLE ? warmUp(all) : all,
                state.steady() ? lateNs : 0,
                state.jitShare(),
                state.visibleStep(),
                state.halves(),
                state.costHalves());
    }

    /**
     * The heating tells whether it is steady, and the JIT whether that lasts at the measured pace. Whether its seconds
     * are level is not asked again: at a low rate the machine itself is not, and targets in turns share what it does.
     */
    private static Finding heated(Seconds known) {
        List<Second> measured = measured(known.all);
        OptionalDouble share = jitShare(measured);
        double jit = measured.stream().mapToDouble(Second::jitNs).sum() / Math.max(LEAST_JUDGED_NS, lengthNs(measured));
        if (jit > MOST_JIT && share.orElse(1) > FullLoad.LOW_JIT_SHARE) {
            String reason = String.format(
                    Locale.ROOT,
                    "after it was heated, the JIT took %.0f %% of a processor while it was measured",
                    100 * jit);
            return Finding.notSteady(reason, known.all, share);
        }
        return new Finding(
                known.heated.state(),
                known.heated.reason(),
                known.heated.state() == Warmup.State.NOT_STEADY ? known.all : known.beforeHeated,
                0,
                share.isPresent() ? share : known.heated.jitShare(),
                known.heated.visibleStep(),
                known.heated.halves(),
                known.heated.costHalves());
    }

    /** Returns how much of these seconds before the steady ones was measured. */
    private static long lateNs(List<Second> all, List<Second> before) {
        return Math.max(0, lengthNs(before) - lengthNs(warmUp(all)));
    }

    private static boolean isTooLate(List<Second> all, long lateNs) {
        return lateNs > MOST_BEFORE * (lengthNs(all) - lengthNs(warmUp(all)));
    }

    private static SteadyState state(List<Second> seconds) {
        double[] cpu = seconds.stream().mapToDouble(LoadSeries::logCpu).toArray();
        double[] time = seconds.stream().mapToDouble(LoadSeries::logTime).toArray();
        double[] all = seconds.stream().mapToDouble(Second::threadsNs).toArray();
        double[] jit = seconds.stream().mapToDouble(Second::jitNs).toArray();
        long each = Math.round((double) lengthNs(seconds) / Math.max(1, seconds.size()) / SECOND_NS);
        return SteadyState.of(cpu, time, all, jit, Math.max(1, each));
    }

    private static long lengthNs(List<Second> seconds) {
        return seconds.stream().mapToLong(second -> second.lengthNs).sum();
    }

    private static List<Second> measured(List<Second> seconds) {
        return seconds.stream().filter(second -> !second.warmup).collect(Collectors.toList());
    }

    private static List<Second> warmUp(List<Second> seconds) {
        return seconds.stream().filter(second -> second.warmup).collect(Collectors.toList());
    }

    /** Returns the CPU time of the process up to the end of these; absent where some is not known. */
    private static OptionalLong cpuNs(List<Second> seconds, OptionalLong startCpuNs) {
        boolean known = startCpuNs.isPresent()
                && seconds.stream()
                        .allMatch(second -> second.costs.get(Cost.USER_CPU).isPresent()
                                && second.costs.get(Cost.SYSTEM_CPU).isPresent());
        return known
                ? OptionalLong.of(startCpuNs.getAsLong()
                        + seconds.stream()
                                .mapToLong(second -> second.costs
                                                .get(Cost.USER_CPU)
                                                .orElse(0)
                                        + second.costs.get(Cost.SYSTEM_CPU).orElse(0))
                                .sum())
                : OptionalLong.empty();
    }

    private static double logTime(Second second) {
        return second.lengthNs < LEAST_SECOND_NS || !(second.p50Ns > 0) ? Double.NaN : Math.log(second.p50Ns);
    }

    /** Of the application's threads where they are known apart: a JIT that has ended is no gain of the application. */
    private static double logCpu(Second second) {
        OptionalLong application = second.costs.get(Cost.APPLICATION_CPU);
        double cpuNs = application.isPresent()
                ? application.getAsLong()
                : second.costs.get(Cost.USER_CPU).orElse(0)
                        + second.costs.get(Cost.SYSTEM_CPU).orElse(0);
        return second.lengthNs < LEAST_SECOND_NS || !(cpuNs > 0) || second.successful <= 0
                ? Double.NaN
                : Math.log(cpuNs / second.successful);
    }

    /**
     * Returns what of a target's launches was measured before it was steady, for people; absent where nothing was.
     *
     * @param steady whether the launches together have shown what single ones could not
     * @param whole how many launches count, the first ones
     */
    public Optional<String> unsteady(String target, boolean steady, int whole) {
        Map<Integer, Finding> launches = new TreeMap<>(findings.getOrDefault(target, Map.of()));
        launches.keySet().removeIf(launch -> launch > whole);
        List<String> parts = new ArrayList<>();
        for (Warmup.State state : List.of(Warmup.State.NOT_STEADY, Warmup.State.UNDECIDABLE)) {
            List<Integer> numbers = launches.keySet().stream()
                    .filter(launch -> launches.get(launch).state == state)
                    .collect(Collectors.toList());
            if (!numbers.isEmpty() && !(steady && state == Warmup.State.UNDECIDABLE)) {
                String which = launches(numbers) + " (" + launches.get(numbers.get(0)).reason
                        + (numbers.size() > 1 ? " in launch " + numbers.get(0) : "") + ")";
                parts.add(
                        state == Warmup.State.NOT_STEADY
                                ? "no steady state in " + which
                                        + (numbers.size() <= LaunchRatios.mostUnsteady(launches.size())
                                                ? ": left out of all ratios"
                                                : ": its figures depend on how long it is measured")
                                : "cannot tell whether it was steady in " + which
                                        + "; a longer warm-up, measured phase or a higher rate would tell");
            }
        }
        List<Integer> late = launches.keySet().stream()
                .filter(launch -> launches.get(launch).state == Warmup.State.STEADY && launches.get(launch).lateNs > 0)
                .collect(Collectors.toList());
        if (!late.isEmpty()) {
            long latestNs = late.stream()
                    .mapToLong(launch -> launches.get(launch).lateNs)
                    .max()
                    .orElse(0);
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
     * @return what each part comes to, in the unit of the metric; empty where it is no cost per request, the phase is
     *     too short, or a part lacks the cost
     */
    @Override
    public List<Block> of(Metric metric, String target, int launch) {
        List<Second> measured = measured(seconds(target, launch));
        long lengthNs = lengthNs(measured);
        int count = (int) Math.min(MOST_BLOCKS, lengthNs / LEAST_BLOCK_NS);
        if (!metric.isPerRequest() || count < 2) {
            return List.of();
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
        List<Block> blocks = new ArrayList<>();
        for (int block = 0; block < count; block++) {
            // What all requests of a block cost is what one would cost if it were the only one.
            OptionalDouble cost = costs[block] == null ? OptionalDouble.empty() : metric.of(costs[block], 1);
            if (cost.isEmpty()) {
                return List.of();
            }
            blocks.add(Block.of(cost.getAsDouble(), successful[block]));
        }
        return blocks;
    }
}
