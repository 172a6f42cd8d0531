package dev.lockstep.cli.tune;

import dev.lockstep.search.SearchResult;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** How the values of a search are shown: as they are, or as ratios to a control where they are its logarithms. */
enum Scale {
    PLAIN {
        @Override
        String heading() {
            return "value";
        }

        @Override
        String print(double value) {
            return digits(value);
        }

        @Override
        String deviation(double value, double sd) {
            return digits(sd);
        }

        @Override
        String gain(double value, double usual) {
            return "; the default gave " + digits(usual);
        }
    },
    RATIO {
        @Override
        String heading() {
            return "ratio";
        }

        @Override
        String print(double value) {
            return String.format(Locale.ROOT, "%.4f", Math.exp(value));
        }

        @Override
        String deviation(double value, double sd) {
            return String.format(Locale.ROOT, "%.4f", Math.exp(value) * sd);
        }

        @Override
        String gain(double value, double usual) {
            return String.format(
                    Locale.ROOT,
                    " of the control's, %.1f %% %s",
                    100 * Math.abs(Math.expm1(value)),
                    value <= 0 ? "less" : "more");
        }
    };

    private static final int DIGITS = 4;
    private static final double SMALL = 1e-4;
    private static final double LARGE = 1e9;

    /** Returns a result with its values taken for what they are on this scale. */
    SearchResult of(SearchResult result) {
        return this == RATIO ? result.ofRatios() : result;
    }

    abstract String heading();

    abstract String print(double value);

    /** @param sd the standard deviation of a value */
    abstract String deviation(double value, double sd);

    /** Returns how a value compares with that of the default, as a clause. */
    abstract String gain(double value, double usual);

    /** Returns at least four digits, and all that stand before the point. */
    private static String digits(double value) {
        double magnitude = Math.abs(value);
        if (magnitude != 0 && (magnitude < SMALL || magnitude >= LARGE)) {
            return String.format(Locale.ROOT, "%.3e", value);
        }
        BigDecimal exact = BigDecimal.valueOf(value);
        BigDecimal rounded = exact.precision() - exact.scale() > DIGITS
                ? exact.setScale(0, RoundingMode.HALF_UP)
                : exact.round(new MathContext(DIGITS));
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }
}
