package dev.lockstep.analysis;

import java.util.Locale;
import java.util.Optional;

/**
 * What a CPU ratio is worth in a fleet of servers, in US dollars a year. Immutable.
 *
 * <p>The model is that of Twitter's VM team ("Twitter's quest for a wholly Graal runtime", 2017): servers whose number of
 * cores follows the CPU that the service uses, so 11 % less CPU saves 11 % of what the cores cost. It says 127 USD per
 * core-year x 24 cores x 10,000 servers = 3,048,000 USD a year, of which 11 % are 335,280 USD. Their product is
 * 30,480,000 USD, and 11 % of that are 3,352,800 USD: the source has lost a zero, and this class computes the product.
 */
public final class Money {
    private final double usdPerYear;

    private Money(double usdPerYear) {
        this.usdPerYear = usdPerYear;
    }

    /** Returns the worth of a fleet; all three numbers are more than 0. */
    public static Money of(double usdPerCoreYear, double coresPerServer, double servers) {
        requirePositive("price of a core-year", usdPerCoreYear);
        requirePositive("cores of a server", coresPerServer);
        requirePositive("number of servers", servers);
        return new Money(usdPerCoreYear * coresPerServer * servers);
    }

    private static void requirePositive(String field, double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(field + " must be more than 0, is " + value);
        }
    }

    /** Returns what all cores of the fleet cost, USD a year. */
    public double usdPerYear() {
        return usdPerYear;
    }

    /**
     * Returns what the fleet saves when it needs {@code ratio} times the CPU. With an interval of the ratio, the saving has
     * one too; its low end belongs to the ratio's high one.
     */
    public Saving saving(double ratio, Optional<ConfidenceInterval> interval) {
        requirePositive("ratio", ratio);
        return new Saving(
                saved(ratio), interval.map(i -> ConfidenceInterval.of(saved(i.high()), saved(i.low()), i.level())));
    }

    private double saved(double ratio) {
        return usdPerYear * (1 - ratio);
    }

    /** USD a year that are saved; lost, where it is negative. Immutable. */
    public static final class Saving {
        private final double usdPerYear;
        private final Optional<ConfidenceInterval> interval;

        private Saving(double usdPerYear, Optional<ConfidenceInterval> interval) {
            this.usdPerYear = usdPerYear;
            this.interval = interval;
        }

        public double usdPerYear() {
            return usdPerYear;
        }

        /** Returns the interval of {@link #usdPerYear}; absent where the ratio has none. */
        public Optional<ConfidenceInterval> interval() {
            return interval;
        }

        /** Returns for example {@code saves 3,352,800 USD a year (2,900,000 to 3,800,000)}. */
        @Override
        public String toString() {
            String sum = usdPerYear < 0
                    ? String.format(Locale.ROOT, "costs %,.0f USD a year more", -usdPerYear)
                    : String.format(Locale.ROOT, "saves %,.0f USD a year", usdPerYear);
            // A range of a loss reads from its low end to its high one, in the words of the sentence.
            return sum
                    + interval.map(i -> usdPerYear < 0
                                    ? String.format(Locale.ROOT, " (%,.0f to %,.0f)", -i.high(), -i.low())
                                    : String.format(Locale.ROOT, " (%,.0f to %,.0f)", i.low(), i.high()))
                            .orElse("");
        }
    }
}
