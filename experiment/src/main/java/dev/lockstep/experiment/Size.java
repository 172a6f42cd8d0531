package dev.lockstep.experiment;

import java.util.Locale;

/** How much of an experiment is carried out. */
public enum Size {
    /** Under a minute: proves only that everything needed is there and works together. */
    SMOKE,
    /** A few minutes on two processors. */
    QUICK,
    /** The whole design. */
    FULL;

    /** Returns its name in files and on the command line. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
