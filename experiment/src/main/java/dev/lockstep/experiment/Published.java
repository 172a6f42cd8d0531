package dev.lockstep.experiment;

import java.util.List;

/** A published figure: a number, or a range as of "3.5 to 5 %" or "more than 13 times". Immutable. */
final class Published {
    private final double low;
    private final double high;

    private Published(double low, double high) {
        this.low = low;
        this.high = high;
    }

    /** @param value a number, or a list of two in rising order, of which one may be infinite */
    static Published of(String place, Object value) {
        if (!(value instanceof List)) {
            double number = Fields.number(place, value);
            return new Published(number, number);
        }
        List<?> ends = (List<?>) value;
        if (ends.size() != 2) {
            throw new ExperimentException(
                    place + ": expected a number, or two for a range, found a list of " + ends.size());
        }
        double low = Fields.number(place + "[0]", ends.get(0));
        double high = Fields.number(place + "[1]", ends.get(1));
        if (!(low < high)) {
            throw new ExperimentException(place + ": expected a range in rising order, found " + value);
        }
        return new Published(low, high);
    }

    boolean isRange() {
        return low < high;
    }

    /** Returns it as one number: of a range the end nearer to 0, which is the least that was claimed. */
    double number() {
        return Math.abs(low) <= Math.abs(high) ? low : high;
    }

    /** Whether a number of these is within an interval. */
    boolean meets(double from, double to) {
        return low <= to && from <= high;
    }

    /** Returns it for people. */
    String text() {
        return !isRange()
                ? PublishedTable.print(low)
                : Double.isInfinite(high)
                        ? PublishedTable.print(low) + " or more"
                        : Double.isInfinite(low)
                                ? PublishedTable.print(high) + " or less"
                                : PublishedTable.print(low) + " to " + PublishedTable.print(high);
    }
}
