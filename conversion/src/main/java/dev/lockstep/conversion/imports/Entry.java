package dev.lockstep.conversion.imports;

/** One event that an imported file tells: a request, or an event of a connection. Used by one thread. */
abstract class Entry {
    /** About what an entry takes in memory beside its bytes. */
    static final int OVERHEAD_BYTES = 200;

    /** When it happened, in ns since 1970; {@link #NO_TIME} where the file does not say. */
    final long timeNs;

    /** The file says no time. The entry gets that of the one before; where none has a time, they are spaced evenly. */
    static final long NO_TIME = Long.MIN_VALUE;

    Entry(long timeNs) {
        this.timeNs = timeNs;
    }

    /** About what the entry takes in memory. */
    abstract int memoryBytes();

    /** Puts the entry into the capture, at its own time or, in a file without times, at another. */
    abstract void record(long atNs, ImportSink sink);
}
