package dev.lockstep.analysis;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/**
 * A range that was computed so that it holds the true value in a given share of all experiments, its level. Immutable.
 * The unit is that of the figure it belongs to.
 */
public final class ConfidenceInterval {
    /** The level of every interval that nothing else is said of. */
    public static final double USUAL_LEVEL = 0.95;

    private static final double HIGHEST_SHOWN_LEVEL = 0.999;

    private final double low;
    private final double high;
    private final double level;

    private ConfidenceInterval(double low, double high, double level) {
        this.low = low;
        this.high = high;
        this.level = level;
    }

    /** Returns the interval from {@code low} to {@code high}, both in it, of a level between 0 and 1. */
    public static ConfidenceInterval of(double low, double high, double level) {
        if (!(low <= high)) {
            throw new IllegalArgumentException("interval must go from low to high, is " + low + " to " + high);
        }
        return new ConfidenceInterval(low, high, requireLevel(level));
    }

    /**
     * Returns a level as people are shown it: none is certain, however near to that many metrics and looks bring it.
     */
    public static double shown(double level) {
        return Math.min(HIGHEST_SHOWN_LEVEL, level);
    }

    static double requireLevel(double level) {
        if (!(level > 0 && level < 1)) {
            throw new IllegalArgumentException("level must lie between 0 and 1, is " + level);
        }
        return level;
    }

    public double low() {
        return low;
    }

    public double high() {
        return high;
    }

    public boolean contains(double value) {
        return low <= value && value <= high;
    }

    /** Says whether all of this interval lies within the other. */
    public boolean within(ConfidenceInterval other) {
        return other.low <= low && high <= other.high;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof ConfidenceInterval)) {
            return false;
        }
        ConfidenceInterval that = (ConfidenceInterval) other;
        return low == that.low && high == that.high && level == that.level;
    }

    @Override
    public int hashCode() {
        return Double.hashCode(low) + 31 * Double.hashCode(high) + 961 * Double.hashCode(level);
    }

    /** Returns for example {@code 0.951200 to 0.973100 (95 %)}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.6g to %.6g (%s %%)", low, high, share());
    }

    /** Returns the level in percent, to two digits behind the point. */
    private String share() {
        return BigDecimal.valueOf(100 * level)
                .setScale(2, RoundingMode.HALF_EVEN)
                .stripTrailingZeros()
                .toPlainString();
    }
}
