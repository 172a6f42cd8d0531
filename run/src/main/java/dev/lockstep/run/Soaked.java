package dev.lockstep.run;

import dev.lockstep.analysis.SoakSeries;
import dev.lockstep.measurement.Costs;
import dev.lockstep.results.Drift;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the measured intervals of one target of a soak run come to: its trends, and whether its p99 is known in enough
 * of them. Used by one thread.
 */
final class Soaked {
    /** Of all intervals: so few cannot be most of one of the 32 parts whose medians a trend is looked for in. */
    private static final double MOST_WITHOUT_P99 = 0.01;

    private final SoakSeries series;
    private long intervals;
    /** Of these, in how many requests without an answer reach the p99. */
    private long withoutP99;

    Soaked(String target) {
        series = new SoakSeries(target);
    }

    /**
     * Adds one interval.
     *
     * @param errors requests without a good answer; a 5xx is an answer
     * @param p99Ns of its answers
     */
    void add(long lengthNs, Costs costs, long completed, long errors, OptionalLong p99Ns) {
        boolean stands = !SoakSeries.isWithoutP99(completed, errors);
        series.add(lengthNs, costs, stands ? p99Ns : OptionalLong.empty());
        intervals++;
        withoutP99 += stands ? 0 : 1;
    }

    /** Returns what is known of each quantity, of the p99 also where {@link #whyNoP99} says that it does not count. */
    List<Drift> drifts() {
        return series.drifts();
    }

    /** Returns why nobody can tell whether the p99 drifts: the seconds in which it was worst have none. */
    Optional<String> whyNoP99() {
        return withoutP99 > MOST_WITHOUT_P99 * intervals
                ? Optional.of(
                        "requests without an answer reach it in " + withoutP99 + " of " + intervals + " intervals")
                : Optional.empty();
    }
}
