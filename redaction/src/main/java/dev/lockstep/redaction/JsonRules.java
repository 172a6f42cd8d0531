package dev.lockstep.redaction;

/** Names whose values are secret anywhere in a document, and paths from its root. Immutable; any thread. */
final class JsonRules {
    /** The most paths there may be: one bit each. */
    static final int MOST_PATHS = 64;

    // What a name says of its value: bits of {@link #names}.
    /** It is a secret. */
    static final long SECRET = 1;

    /** It is a name itself, as in {@code {"name":"password","value":...}}. */
    static final long NAME = 1 << 1;

    /** It is the value of the name that stands before. */
    static final long VALUE = 1 << 2;

    final NameSet names;
    private final NameSet[] levels;
    private final long[] complete;

    /**
     * Creates rules.
     *
     * @param names what names say anywhere in a document
     * @param levels for each level of a path, which paths have a name there, as bits
     * @param complete for each level, which paths end there
     */
    JsonRules(NameSet names, NameSet[] levels, long[] complete) {
        this.names = names;
        this.levels = levels;
        this.complete = complete;
    }

    /** How many names the longest path has. */
    int levels() {
        return levels.length;
    }

    NameSet level(int level) {
        return levels[level];
    }

    long complete(int level) {
        return complete[level];
    }
}
