package dev.lockstep.redaction;

/** Names whose values are secret anywhere in a document, and paths from its root. Immutable; any thread. */
final class JsonRules {
    /** The most paths there may be: one bit each. */
    static final int MOST_PATHS = 64;

    final NameSet names;
    private final NameSet[] levels;
    private final long[] complete;

    /**
     * Creates rules.
     *
     * @param names the names that are secret anywhere
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
