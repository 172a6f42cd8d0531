package dev.lockstep.conversion;

/** What an importer takes of one entry; longer ones are counted and passed over. */
final class Limits {
    /** The longest line of a log or list, in bytes. */
    static final int LINE_BYTES = 1 << 20;

    /** The longest request, in bytes. */
    static final int REQUEST_BYTES = 16 << 20;

    /** How deep what is nested in an entry may be. */
    static final int DEPTH = 64;

    private Limits() {}
}
