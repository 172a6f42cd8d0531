package dev.lockstep.report;

import dev.lockstep.analysis.Metric;
import java.util.Optional;

/** By how much two amounts of a metric differ, in words: "5.0 % more CPU per request", "2.0 % lower p50". */
final class Difference {
    /** From here on a ratio differs from 1 in the digits that are printed. */
    private static final double EVEN = 5e-4;

    private final String label;
    private final String verb;
    private final String more;
    private final String less;
    private final String even;

    /** @param key of a metric; one that this version does not know is called so */
    Difference(String key) {
        Optional<Metric> metric = Metric.of(key);
        label = metric.map(Metric::label).orElse(key);
        verb = metric.filter(Metric::isPerRequest).isPresent() ? " uses " : " has ";
        boolean counted = metric.filter(one -> one == Metric.THROUGHPUT || one == Metric.GC_CYCLES)
                .isPresent();
        boolean lasting = metric.filter(one -> one == Metric.STARTUP || one == Metric.WARMUP_TIME)
                .isPresent();
        boolean high =
                metric.filter(one -> one.isOfLoad() && one != Metric.THROUGHPUT).isPresent();
        more = lasting ? "longer" : high ? "higher" : "more";
        less = lasting ? "shorter" : high ? "lower" : counted ? "fewer" : "less";
        even = lasting || high ? "the same " + label : (counted ? "as many " : "as much ") + label;
    }

    /** Returns what stands between a target and its amount, with blanks: it uses CPU, and has a p50. */
    String verb() {
        return verb;
    }

    /** Returns for example "5.0 % more CPU per request than c2". */
    String than(double ratio, String other) {
        return isEven(ratio) ? even + " as " + other : end(ratio) + ' ' + label + " than " + other;
    }

    /** Returns for example "between 1.0 % less and 5.0 % more CPU per request than c2". */
    String between(double low, double high, String other) {
        // Nothing is neither more nor less.
        String ends = isEven(low)
                ? "0 % and " + end(high)
                : isEven(high) ? percent(low) + " % and 0 % " + word(low) : end(low) + " and " + end(high);
        return "between " + ends + ' ' + label + " than " + other;
    }

    private String end(double ratio) {
        return percent(ratio) + " % " + word(ratio);
    }

    private String word(double ratio) {
        return ratio < 1 ? less : more;
    }

    private static String percent(double ratio) {
        return Figures.format("%.1f", 100 * Math.abs(ratio - 1));
    }

    private static boolean isEven(double ratio) {
        return Math.abs(ratio - 1) < EVEN;
    }
}
