package dev.lockstep.analysis;

import dev.lockstep.results.Verdict.Finding;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The ratio of a run to earlier ones by the rate of rare events: errors by requests. Given how many events there were
 * in all, how many of them are the run's is binomial if each comes by itself; this is exact however few there are.
 * Where they come together, as when a launch has a hundred and five others have none, they count as so many fewer:
 * those of the launches, and of the earlier runs, are divided by how many times more they vary than chance makes them.
 * Two runs of which one has a single launch do not tell that, nor does a single launch after several runs that had no
 * event or one, so that they decide nothing, unless one lost as many as no single accident explains, or the runs
 * without are so many that such a verdict is wrong in at most 5 of 100. Immutable.
 *
 * <p>Sources: J. Przyborowski and H. Wilenski, Biometrika 31 (1940); C. J. Clopper and E. S. Pearson, Biometrika 26
 * (1934), both as in {@link PairedCounts}; for the dispersion P. McCullagh and J. A. Nelder, "Generalized linear
 * models" (1989), chapter 4.5.
 */
final class RunCounts {
    /** Where so much more of all is lost than before, be it in one launch, that is no accident: the build fails. */
    private static final double LARGEST_ACCIDENT = 0.05;

    /**
     * After so many runs without a burst of events, the newest is called worse for one that is an accident with at most
     * 5 %: where one meets each run with probability q, that is q (1 - q)^7, at most 0.049.
     */
    private static final int LEAST_WITHOUT = 7;

    /** The launches of one run. Immutable. */
    static final class Run {
        private final long[] events;
        private final long[] of;

        private Run(long[] events, long[] of) {
            this.events = events;
            this.of = of;
        }

        /** @param of in how many requests of each launch they could have happened, more than 0 */
        static Run of(long[] events, long[] of) {
            return new Run(events.clone(), of.clone());
        }

        long total() {
            return sum(events);
        }

        private long all() {
            return sum(of);
        }

        int launches() {
            return events.length;
        }

        double rate() {
            return (double) total() / all();
        }

        private static long sum(long[] values) {
            long sum = 0;
            for (long value : values) {
                sum += value;
            }
            return sum;
        }
    }

    private final Run run;
    private final long earlierEvents;
    private final long earlierAll;
    /** How many times more events vary than if each came by itself, at least 1. */
    private final double dispersion;

    private final boolean known;
    private final boolean indicative;

    private RunCounts(List<Run> earlier, Run run) {
        this.run = run;
        earlierEvents = earlier.stream().mapToLong(Run::total).sum();
        earlierAll = earlier.stream().mapToLong(Run::all).sum();
        dispersion = Math.max(1, Math.max(ofLaunches(earlier, run), ofRuns(earlier)));
        int fewest = Math.min(run.launches(), earlier.get(0).launches());
        double more = run.rate() - (double) earlierEvents / Math.max(1, earlierAll);
        // One event says nothing of whether they come together.
        boolean tells = earlier.size() == 1
                ? fewest > 1
                : run.launches() > 1 || earlierEvents > 1 || earlier.size() >= LEAST_WITHOUT;
        known = tells || more > LARGEST_ACCIDENT;
        indicative = (earlier.size() > 1 ? earlier.size() : fewest) < Decision.FULL_PAIRS;
    }

    static RunCounts of(List<Run> earlier, Run run) {
        return new RunCounts(earlier, run);
    }

    private static double ofLaunches(List<Run> earlier, Run run) {
        double[] sums = new double[2];
        earlier.forEach(one -> add(sums, one.events, one.of));
        add(sums, run.events, run.of);
        return sums[1] == 0 ? 1 : sums[0] / sums[1];
    }

    private static double ofRuns(List<Run> earlier) {
        double[] sums = new double[2];
        add(
                sums,
                earlier.stream().mapToLong(Run::total).toArray(),
                earlier.stream().mapToLong(Run::all).toArray());
        return sums[1] == 0 ? 1 : sums[0] / sums[1];
    }

    /** Adds Pearson's chi-squared of events around their common rate, and its degrees of freedom. */
    private static void add(double[] sums, long[] events, long[] of) {
        double rate = (double) Run.sum(events) / Run.sum(of);
        if (rate == 0) {
            return;
        }
        for (int i = 0; i < events.length; i++) {
            double expected = rate * of[i];
            sums[0] += (events[i] - expected) * (events[i] - expected) / expected;
        }
        sums[1] += events.length - 1;
    }

    /** Returns how many events the run had. */
    long events() {
        return run.total();
    }

    long earlierEvents() {
        return earlierEvents;
    }

    boolean indicative() {
        return indicative;
    }

    /** Returns the ratio of the rates; infinite where only the run has events. */
    double ratio() {
        return run.rate() / ((double) earlierEvents / earlierAll);
    }

    /** Returns an interval; absent where nothing tells whether events come together. */
    Optional<ConfidenceInterval> interval(double level) {
        if (!known) {
            return Optional.empty();
        }
        return Optional.of(PairedCounts.exactInterval(
                run.total() / dispersion, run.all(), earlierEvents / dispersion, earlierAll, level));
    }

    /** Returns the two-sided p-value that the rates are one; absent where there is no interval. */
    OptionalDouble pValue() {
        if (!known) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(
                PairedCounts.exactP(run.total() / dispersion, run.all(), earlierEvents / dispersion, earlierAll));
    }

    Finding finding(double margin, double level) {
        return RunRatio.finding(
                interval(level),
                interval(Math.max(level, Decision.FEW_PAIRS_LEVEL)),
                ratio(),
                indicative,
                Direction.LOWER_IS_BETTER,
                margin);
    }
}
