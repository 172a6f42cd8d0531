package dev.lockstep.analysis;

import dev.lockstep.results.FullLoad;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * From which second on a freshly started JVM gets neither faster nor slower any more, if the seconds tell. "Not steady"
 * is a result, for some JVMs never become so, and "undecidable" is another. Immutable.
 *
 * <p>A launch is steady when all of this holds:
 *
 * <ul>
 *   <li><em>Level</em>: each series, one value per second in log (the application's CPU per request, p50), is cut into
 *       segments of equal mean by {@link ChangePoints}. What else a machine does makes requests dearer and never
 *       cheaper, so each second counts as the second lowest of the last six. The last segment is what the launch ended
 *       in; the segments before it whose mean is within 5 % of it belong to it. Where the lower quartiles of their two
 *       halves differ by more than 3.5 % and than noise explains, only the later half is level. It holds ten seconds
 *       and a quarter of all seconds at least.
 *   <li><em>Compiled</em>: the JIT takes little of the CPU in each ten seconds from then on, and would not take much
 *       less soon, if it went on falling as it did from five seconds to the last five.
 *   <li><em>Power</em>: a step of 5 % in the middle of the level seconds would have been found in four of five cases.
 *       Otherwise nothing was found because nothing could be.
 * </ul>
 *
 * <p>Source of the first: E. Barrett et al., "Virtual machine warmup blows hot and cold", OOPSLA 2017: changepoints,
 * segments equivalent to the last one, and a last 25 % (500 of 2,000 iterations) that must be free of changes. They
 * take as tolerance the larger of the variance and 1 ms, we a share, since our series differ in unit.
 */
public final class SteadyState {
    /** The step that the seconds must be able to show: 5 %. */
    public static final double VISIBLE_STEP = 0.05;
    /** The same in log; what differs by no more is the same. */
    static final double STEP = Math.log1p(VISIBLE_STEP);
    /**
     * Halves that differ by no more than this in log are the same, however quiet they are. What is left up to the step
     * is for the power: where noise alone would make the two quantiles of it the step, both limits meet.
     */
    private static final double TOLERANCE = 0.7 * STEP;
    /** It rests when it takes less: what then still changes is not its doing. */
    static final double RESTING_JIT_SHARE = 0.075;
    /** Its share falls no more when it falls by no more than this: now and then it compiles one more method. */
    private static final double LEVEL_JIT_SHARE = 0.05;

    /** For how long it falls no more, at least, compared with as long before. */
    private static final int FALLING_SECONDS = 5;

    /** Of fewer seconds, no changepoint tells anything. */
    static final int LEAST_SECONDS = 10;

    private static final int LEAST_SHARE = 4;
    /**
     * For how long the JIT is to rest, at least, before more of it is said not to help; and for as long as it has
     * worked where requests still get cheaper, else for half as long. What it compiles now and then in between, a
     * second each, it does for hours.
     */
    private static final int ENOUGH_SECONDS = 20;

    /** Of so many seconds together the second lowest counts, so that a disturbance of two fewer is not seen. */
    private static final int DISTURBED_SECONDS = 6;
    /** The standard deviation of the lower quartile of n normal values, for each root of n and deviation of one. */
    private static final double QUARTILE_DEVIATION = 1.3626;
    /** Histograms of three digits know p50 no better, and where it stays in one bucket nothing would be a change. */
    private static final double LEAST_NOISE = 0.001;

    /** The standard normal quantile of 97.5 %: halves that differ by more noise than this are not the same. */
    private static final double SIGNIFICANT = 1.959963984540054;
    /** The standard normal quantile of 99.9 %: of some launches, none differs by more by chance. */
    private static final double CERTAIN = 3.090232306167813;
    /** The standard normal quantile of 80 %: how surely a step is to be found. */
    private static final double POWER = 0.8416212335729143;

    /** Two halves of what is level. Immutable. */
    static final class Halves {
        /** By how much the later one is above the earlier one, in log. */
        private final double difference;
        /** The standard deviation of that. */
        private final double deviation;

        Halves(double difference, double deviation) {
            this.difference = difference;
            this.deviation = deviation;
        }

        /** Returns those of values in log, one after the other, of which each half counts in its mean. */
        static Halves of(double[] logs) {
            int half = logs.length / 2;
            double noise = ChangePoints.noise(logs);
            return new Halves(
                    level(Arrays.copyOfRange(logs, half, logs.length), noise)
                            - level(Arrays.copyOfRange(logs, 0, half), noise),
                    2 * noise / Math.sqrt(logs.length));
        }

        /** Without what lies far out, of its own: beside the middle of all a step would lie far out itself. */
        private static double level(double[] logs, double noise) {
            double middle = Sample.median(logs);
            double most = ChangePoints.MOST_DEVIATIONS * noise;
            return Sample.mean(Arrays.stream(logs)
                    .map(log -> middle + Math.max(-most, Math.min(most, log - middle)))
                    .toArray());
        }

        /** Returns the means of several launches. */
        static Halves mean(List<Halves> launches) {
            double difference = 0;
            double variance = 0;
            for (Halves launch : launches) {
                difference += launch.difference;
                variance += launch.deviation * launch.deviation;
            }
            return new Halves(difference / launches.size(), Math.sqrt(variance) / launches.size());
        }

        /** Returns the mean of so many times as many launches, if further ones are like these. */
        Halves ofMore(double times) {
            return new Halves(difference, deviation / Math.sqrt(times));
        }

        /** Whether they differ by no more than what is the same, or what noise explains. */
        boolean areLevel() {
            return Math.abs(difference) <= largest();
        }

        /** Whether they are level, and a step in their middle would have been found. */
        boolean areSurelyLevel() {
            return areLevel() && visible() <= STEP;
        }

        /** Whether they differ by more than the step that matters, and than chance ever explains. */
        boolean differCertainly() {
            return Math.abs(difference) > Math.max(CERTAIN * deviation, STEP);
        }

        /** Returns the smallest step in the middle of what there is that would have been found: 0.05 is 5 %. */
        static OptionalDouble visibleStep(Optional<Halves> halves) {
            return halves.isPresent()
                    ? OptionalDouble.of(Math.expm1(halves.get().visible()))
                    : OptionalDouble.empty();
        }

        /** Returns the smallest step in log in their middle that would have been found. */
        double visible() {
            return largest() + POWER * deviation;
        }

        private double largest() {
            return Math.max(SIGNIFICANT * deviation, TOLERANCE);
        }
    }

    /** What one series shows. */
    private static final class Level {
        /** From where on it is level; only where {@link #change} is absent. */
        final int begin;
        /** The last change, in log, which came too late; NaN without one. */
        final double change;

        final int changedAt;
        /** Of the level seconds; null where there are none. */
        final Halves halves;

        private Level(int begin, double change, int changedAt, Halves halves) {
            this.begin = begin;
            this.change = change;
            this.changedAt = changedAt;
            this.halves = halves;
        }

        static Level changed(double change, int at) {
            return new Level(0, change, at, null);
        }

        static Level from(int begin, Halves halves) {
            return new Level(begin, Double.NaN, 0, halves);
        }

        boolean isLevel() {
            return Double.isNaN(change);
        }

        /** The smallest step in log that the level seconds would show. */
        double visible() {
            return halves.visible();
        }
    }

    private final Warmup.State state;
    private final int index;
    private final int levelSeconds;
    private final boolean rests;
    private final OptionalDouble jitShare;
    private final OptionalDouble visibleStep;
    private final Optional<Halves> halves;
    private final Optional<Halves> costHalves;
    private final String reason;
    private final String progress;

    private SteadyState(
            Warmup.State state,
            int index,
            int levelSeconds,
            boolean rests,
            double jitShare,
            double visible,
            Halves halves,
            Halves costHalves,
            String reason,
            String progress) {
        this.halves = Optional.ofNullable(halves);
        this.state = state;
        this.index = index;
        this.levelSeconds = levelSeconds;
        this.rests = rests;
        this.jitShare = Double.isNaN(jitShare) ? OptionalDouble.empty() : OptionalDouble.of(jitShare);
        visibleStep = Double.isFinite(visible) ? OptionalDouble.of(Math.expm1(visible)) : OptionalDouble.empty();
        this.costHalves = Optional.ofNullable(costHalves);
        this.reason = reason;
        this.progress = progress;
    }

    /**
     * Looks for the steady state of a launch. All series are of the same length, one value per second from the first
     * load on, NaN where a second has none; a series without ten values says nothing.
     *
     * @param cpu the application's CPU per request, in natural log
     * @param time the median response time, in natural log
     * @param allCpu the CPU of all threads, of any unit
     * @param jitCpu that of the JIT's threads, in the same unit; all NaN where nobody knows
     */
    static SteadyState of(double[] cpu, double[] time, double[] allCpu, double[] jitCpu) {
        return of(cpu, time, allCpu, jitCpu, 1);
    }

    /**
     * As {@link #of(double[], double[], double[], double[])}, of a long launch.
     *
     * @param each how many seconds a value stands for, which people are told the times by
     */
    static SteadyState of(double[] cpu, double[] time, double[] allCpu, double[] jitCpu, long each) {
        int length = time.length;
        if (cpu.length != length || allCpu.length != length || jitCpu.length != length) {
            throw new IllegalArgumentException("series must be of one length, found " + cpu.length + ", " + length
                    + ", " + allCpu.length + " and " + jitCpu.length);
        }
        JitShare jit = new JitShare(allCpu, jitCpu, LEAST_SECONDS);
        int busy = jit.lowFrom(FullLoad.LOW_JIT_SHARE);
        int working = jit.mostlyLowFrom(RESTING_JIT_SHARE);
        int rested = length - working;
        double share = jit.last();
        boolean compiling = share > FullLoad.LOW_JIT_SHARE;
        boolean rests = !compiling && rested >= Math.max(ENOUGH_SECONDS, working);
        boolean restsForLevel = !compiling && rested >= Math.max(ENOUGH_SECONDS, working / 2);
        String compiles = compiling ? "the JIT takes " + percent(share) + " of the CPU" : "";
        if (known(time) < LEAST_SECONDS) {
            return compiling
                    ? of(Warmup.State.NOT_STEADY, length, rests, share, compiles, shown(share, null, null))
                    : of(
                            Warmup.State.UNDECIDABLE,
                            length,
                            rests,
                            share,
                            "only " + known(time) + " seconds with a value, a steady state takes " + LEAST_SECONDS,
                            shown(share, null, null));
        }
        Level times = level(time);
        Level costs = known(cpu) < LEAST_SECONDS ? null : level(cpu);
        String shown = shown(share, costs, times);
        Level changed = costs != null && !costs.isLevel() ? costs : times;
        if (!changed.isLevel()) {
            String found = String.format(
                    Locale.ROOT,
                    "%s changed by %+.1f %% at second %d of %d, later than a steady state may begin",
                    changed == times ? "p50" : "the application's CPU per request",
                    100 * Math.expm1(changed.change),
                    each * changed.changedAt,
                    each * length);
            // What gets dearer while the JIT rests is no warm-up any more.
            if (!(changed.change > 0 ? restsForLevel : rests) || Double.isNaN(share)) {
                return of(Warmup.State.NOT_STEADY, length, rests, share, found, shown);
            }
            // With a JIT at rest nobody can tell whether it is the service, or the machine. If it is noise, then of so
            // much at least, and only a larger step would be seen.
            double visible = Math.abs(changed.change) * (SIGNIFICANT + POWER) / SIGNIFICANT;
            return new SteadyState(
                    Warmup.State.UNDECIDABLE,
                    length,
                    0,
                    true,
                    share,
                    visible,
                    null,
                    null,
                    "the JIT rests, but " + found,
                    shown);
        }
        if (compiling) {
            return of(Warmup.State.NOT_STEADY, length, rests, share, compiles, shown);
        }
        double falls = jit.falls(FALLING_SECONDS);
        if (falls > LEVEL_JIT_SHARE) {
            // However long it has had little to do: some seconds more, and it falls no more.
            return of(
                    Warmup.State.NOT_STEADY,
                    length,
                    false,
                    share,
                    "the JIT's share of the CPU still falls, by " + percent(falls) + " of all in 5 s",
                    shown);
        }
        int begin = Math.max(costs == null ? 0 : costs.begin, times.begin);
        double visible = Math.max(costs == null ? 0 : costs.visible(), times.visible());
        begin = Math.max(begin, busy);
        if (length - begin < LEAST_SECONDS) {
            return of(
                    Warmup.State.NOT_STEADY,
                    length,
                    rests,
                    share,
                    "the JIT was busy up to second " + each * begin + " of " + each * length,
                    shown);
        }
        Halves halves = costs == null || times.visible() > costs.visible() ? times.halves : costs.halves;
        Halves costHalves = costs == null ? null : costs.halves;
        if (visible > STEP) {
            return new SteadyState(
                    Warmup.State.UNDECIDABLE,
                    begin,
                    length - begin,
                    restsForLevel,
                    share,
                    visible,
                    halves,
                    costHalves,
                    "no change was found, but one" + (costs != null && costs.visible() <= STEP ? " of p50" : "")
                            + " of less than "
                            + percent(Math.expm1(visible)) + " would not have been",
                    shown);
        }
        return new SteadyState(
                Warmup.State.STEADY,
                begin,
                length - begin,
                rests,
                share,
                visible,
                halves,
                costHalves,
                "steady from second " + each * begin + " of " + each * length,
                shown);
    }

    private static SteadyState of(
            Warmup.State state, int index, boolean rests, double share, String reason, String progress) {
        return new SteadyState(state, index, 0, rests, share, Double.POSITIVE_INFINITY, null, null, reason, progress);
    }

    private static String shown(double share, Level cpu, Level time) {
        List<String> parts = new ArrayList<>();
        if (!Double.isNaN(share)) {
            parts.add("JIT " + percent(share));
        }
        if (cpu != null) {
            parts.add("CPU " + shown(cpu));
        }
        if (time != null) {
            parts.add("p50 " + shown(time));
        }
        return String.join(", ", parts);
    }

    private static String shown(Level level) {
        if (!level.isLevel()) {
            return String.format(Locale.ROOT, "changed by %+.0f %%", 100 * Math.expm1(level.change));
        }
        double visible = Math.expm1(level.visible());
        return level.visible() <= STEP
                ? "level"
                : visible < 1 ? "level within " + percent(visible) : "too noisy to tell";
    }

    private static String percent(double share) {
        return share < 0.0995
                ? String.format(Locale.ROOT, "%.1f %%", 100 * share)
                : String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }

    private static int known(double[] values) {
        return (int) Arrays.stream(values).filter(value -> !Double.isNaN(value)).count();
    }

    private static Level level(double[] values) {
        int[] seconds = new int[values.length];
        double[] known = new double[values.length];
        int count = 0;
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])) {
                seconds[count] = i;
                known[count++] = values[i];
            }
        }
        known = Arrays.copyOf(known, count);
        Sample.requireFinite("values", known);
        double[] undisturbed = undisturbed(known);
        // While it compiles, a JVM is noisier than it will be.
        double noise = noise(known, Math.max(0, Math.min(count / 2, count - 2 * LEAST_SECONDS)));
        int[] changes = ChangePoints.find(undisturbed, noise);
        int first = changes.length;
        double last = mean(undisturbed, changes, first);
        while (first > 0 && Math.abs(mean(undisturbed, changes, first - 1) - last) <= STEP) {
            first--;
        }
        double change = first == 0 ? 0 : last - mean(undisturbed, changes, first - 1);
        // The second lowest shows a fall a second late, and a rise when all but one have risen.
        int late = change < 0 ? 1 : DISTURBED_SECONDS - 2;
        int begin = first == 0 ? 0 : Math.max(0, changes[first - 1] - late);
        int least = Math.max(LEAST_SECONDS, (count + LEAST_SHARE - 1) / LEAST_SHARE);
        while (count - begin >= least) {
            double deviation = 2 * QUARTILE_DEVIATION * noise(known, begin) / Math.sqrt(count - begin);
            int middle = (begin + count) / 2;
            change = lowerQuartile(known, middle, count) - lowerQuartile(known, begin, middle);
            Halves halves = new Halves(change, deviation);
            if (halves.areLevel()) {
                return Level.from(seconds[begin], halves);
            }
            begin = middle;
        }
        return Level.changed(change, seconds[begin]);
    }

    private static double noise(double[] values, int from) {
        return Math.max(LEAST_NOISE, ChangePoints.noise(Arrays.copyOfRange(values, from, values.length)));
    }

    private static double lowerQuartile(double[] values, int from, int to) {
        return Sample.quantile(Sample.sorted(Arrays.copyOfRange(values, from, to)), 0.25);
    }

    /** Returns the mean of a segment, from 0; {@code changes[i - 1]} is where segment i begins. */
    private static double mean(double[] values, int[] changes, int segment) {
        int begin = segment == 0 ? 0 : changes[segment - 1];
        int end = segment == changes.length ? values.length : changes[segment];
        return Sample.mean(Arrays.copyOfRange(values, begin, end));
    }

    /** Returns for each second the second lowest of it and some before it; one lower than all others counts as odd. */
    private static double[] undisturbed(double[] values) {
        double[] result = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            double[] last = Sample.sorted(Arrays.copyOfRange(values, Math.max(0, i + 1 - DISTURBED_SECONDS), i + 1));
            result[i] = last[Math.min(1, last.length - 1)];
        }
        return result;
    }

    public Warmup.State state() {
        return state;
    }

    public boolean steady() {
        return state == Warmup.State.STEADY;
    }

    /**
     * Returns the first second of the level ones, from 0; of a launch that is not steady, the number of all seconds.
     */
    OptionalInt index() {
        return steady() ? OptionalInt.of(index) : OptionalInt.empty();
    }

    /** Returns from which second on nothing changes, also where it is not known whether a change would be seen. */
    int levelFrom() {
        return index;
    }

    /**
     * Tells whether it is to be waited no longer: it is steady, or seems so, and the launches will show it together, or
     * its JIT has rested for so long that what still changes, or hides changes, is the machine, or the service itself,
     * which more of the same load does not make steady.
     *
     * @param launches how many will be judged together
     */
    public boolean isAsSureAsCanBe(int launches) {
        return steady() || isEnoughOf(launches) || rests && (jitShare.isPresent() || seemsSteady()) && !isSoonSure();
    }

    /** Tells whether so many launches that are each as noisy as this show together a step of 5 %. */
    private boolean isEnoughOf(int launches) {
        return seemsSteady()
                && visibleStep.isPresent()
                && visibleStep.getAsDouble() <= VISIBLE_STEP * Math.sqrt(launches);
    }

    /**
     * Tells whether a step of 5 % would be seen in some more level seconds: what can be seen shrinks with their root.
     */
    private boolean isSoonSure() {
        if (levelSeconds == 0) {
            return false;
        }
        double needed = levelSeconds * Math.pow(Math.log1p(visibleStep.getAsDouble()) / STEP, 2);
        return needed - levelSeconds <= ENOUGH_SECONDS;
    }

    /** Tells whether nothing changes that can be seen, and the JIT has done its work. */
    boolean seemsSteady() {
        return levelSeconds > 0;
    }

    /** Returns the JIT's share of the CPU in the last seconds; absent where nobody knows. */
    public OptionalDouble jitShare() {
        return jitShare;
    }

    /** Returns the smallest step that would have been found, 0.05 for 5 %; absent where it was not steady. */
    public OptionalDouble visibleStep() {
        return visibleStep;
    }

    /** As {@link #halves}, of the application's CPU per request alone. */
    Optional<Halves> costHalves() {
        return costHalves;
    }

    /** Returns the halves of its level seconds, of what is less sure; absent where something changed. */
    Optional<Halves> halves() {
        return halves;
    }

    /** Returns a line for people on why it is what it is. */
    public String reason() {
        return reason;
    }

    /** Returns how far it is, in a few words for people: {@code JIT 12 %, CPU changed by -30 %, p50 level}. */
    public String progress() {
        return progress;
    }

    @Override
    public String toString() {
        return state.key() + ": " + reason;
    }
}
