package dev.lockstep.tuner;

import java.util.Locale;

/** Which values are the better ones. */
public enum Direction {
    MINIMIZE,
    MAXIMIZE;

    /** What users and files call it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the factor that turns values into ones to be minimised, and back. */
    double sign() {
        return this == MINIMIZE ? 1 : -1;
    }
}
