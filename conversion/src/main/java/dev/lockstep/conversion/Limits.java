package dev.lockstep.conversion;

/** The largest entries that conversions take. Larger ones are counted and passed over. */
public final class Limits {
    public static final int LINE_BYTES = 1 << 20;

    public static final int REQUEST_BYTES = 16 << 20;

    /** How deep the values of an entry may be nested. */
    public static final int DEPTH = 64;

    private Limits() {}
}
