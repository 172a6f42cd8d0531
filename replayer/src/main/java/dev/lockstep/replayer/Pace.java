package dev.lockstep.replayer;

import java.util.Locale;

/**
 * When requests are sent: at their recorded times, at a constant rate, or as fast as answers come back. Immutable.
 *
 * <p>Recorded and constant are open loops: the times are fixed beforehand and a slow target does not change them. The
 * third is a closed loop: each connection sends its next request when its last one was answered.
 */
public final class Pace {
    private enum Kind {
        RECORDED,
        CONSTANT,
        CLOSED_LOOP
    }

    private final Kind kind;
    /** Speed-up for recorded, requests per second for constant. */
    private final double factor;

    private Pace(Kind kind, double factor) {
        this.kind = kind;
        this.factor = factor;
    }

    /**
     * The recorded times.
     *
     * @param speed 2 replays twice as fast as recorded; more than 0
     */
    public static Pace recorded(double speed) {
        if (!(speed > 0) || Double.isInfinite(speed)) {
            throw new IllegalArgumentException("speed: must be a number above 0, is " + speed);
        }
        return new Pace(Kind.RECORDED, speed);
    }

    /**
     * A constant rate.
     *
     * @param ratePerSec requests per second of the whole run to each target; more than 0
     */
    public static Pace constant(double ratePerSec) {
        if (!(ratePerSec > 0) || Double.isInfinite(ratePerSec)) {
            throw new IllegalArgumentException("rate: must be a number above 0, is " + ratePerSec);
        }
        return new Pace(Kind.CONSTANT, ratePerSec);
    }

    /** As fast as answers come back. */
    public static Pace closedLoop() {
        return new Pace(Kind.CLOSED_LOOP, 0);
    }

    /** Tells whether send times are fixed beforehand. */
    public boolean isOpenLoop() {
        return kind != Kind.CLOSED_LOOP;
    }

    /** Tells whether the recorded times are kept. */
    public boolean isRecorded() {
        return kind == Kind.RECORDED;
    }

    /** Returns the speed-up of recorded times. */
    double speed() {
        return factor;
    }

    /** Returns the constant rate. */
    double ratePerSec() {
        return factor;
    }

    /** Returns the pace as the command line writes it: "recorded", "recorded x2", "1000/s" or "max". */
    @Override
    public String toString() {
        switch (kind) {
            case RECORDED:
                return factor == 1 ? "recorded" : "recorded x" + number(factor);
            case CONSTANT:
                return number(factor) + "/s";
            default:
                return "max";
        }
    }

    private static String number(double value) {
        return value == Math.rint(value) && value < 1e15
                ? String.format(Locale.ROOT, "%.0f", value)
                : Double.toString(value);
    }
}
