package dev.lockstep.conversion;

/** One thing that happened, as an imported file tells it: a request, or an event of a connection. Used by one thread. */
abstract class Entry {
    /** What an entry takes in memory beside its bytes, about. */
    static final int OVERHEAD_BYTES = 200;

    /** When it happened, in ns since 1970; {@link #NO_TIME} where the file does not say. */
    final long timeNs;

    /** The time of an entry whose file says none: that of the one before; where none has a time, they are spaced evenly. */
    static final long NO_TIME = Long.MIN_VALUE;

    Entry(long timeNs) {
        this.timeNs = timeNs;
    }

    /** Returns what the entry takes in memory, in bytes, about. */
    abstract int memoryBytes();

    /** Puts the entry into the capture, at its own time or, in a file without times, at another. */
    abstract void record(long atNs, ImportSink sink);
}
