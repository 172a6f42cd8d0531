package dev.lockstep.capture.segments;

import java.nio.ByteBuffer;

/** What redaction could not search, as a summary tells it. Plain values of one thread. */
public final class UnsearchedCounts {
    static final int BYTES = 4 * Long.BYTES;

    /** The connections with bytes of no request that could not be searched. */
    public long connections;
    /** The bytes of these that are in the file, and those that were left out. */
    public long keptBytes;

    public long leftOutBytes;
    /** The bodies and messages of requests that could not be searched; they are in the file. */
    public long bodies;

    void clear() {
        connections = 0;
        keptBytes = 0;
        leftOutBytes = 0;
        bodies = 0;
    }

    void add(UnsearchedCounts other) {
        connections += other.connections;
        keptBytes += other.keptBytes;
        leftOutBytes += other.leftOutBytes;
        bodies += other.bodies;
    }

    /** Writes {@link #BYTES} at an offset. */
    void encode(ByteBuffer page, int from) {
        page.putLong(from, connections)
                .putLong(from + Long.BYTES, keptBytes)
                .putLong(from + 2 * Long.BYTES, leftOutBytes)
                .putLong(from + 3 * Long.BYTES, bodies);
    }

    void decode(ByteBuffer page, int from) {
        connections = page.getLong(from);
        keptBytes = page.getLong(from + Long.BYTES);
        leftOutBytes = page.getLong(from + 2 * Long.BYTES);
        bodies = page.getLong(from + 3 * Long.BYTES);
    }
}
