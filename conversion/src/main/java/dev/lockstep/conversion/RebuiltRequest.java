package dev.lockstep.conversion;

import java.net.InetSocketAddress;

/** A whole request of a file that keeps requests and not connections. Immutable. */
final class RebuiltRequest extends Entry {
    final byte[] bytes;
    /** What the file says the connection was, or null when it does not say. */
    final String connection;
    /** Whose connections may carry the request where the file does not say the connection. */
    final String peer;

    final InetSocketAddress client;
    final InetSocketAddress server;
    /** How long its connection waits for the answer, in ns. */
    final long busyNs;
    /** The status of the recorded answer, 0 when not known. */
    final int status;
    /** Whether the connection carries nothing after it. */
    final boolean last;

    RebuiltRequest(
            long timeNs,
            byte[] bytes,
            String connection,
            String peer,
            InetSocketAddress client,
            InetSocketAddress server,
            long busyNs,
            int status,
            boolean last) {
        super(timeNs);
        this.bytes = bytes;
        this.connection = connection;
        this.peer = peer;
        this.client = client;
        this.server = server;
        this.busyNs = busyNs;
        this.status = status;
        this.last = last;
    }

    @Override
    int memoryBytes() {
        return bytes.length + OVERHEAD_BYTES;
    }

    @Override
    void record(long atNs, ImportSink sink) {
        sink.requests().record(atNs, this);
    }
}
