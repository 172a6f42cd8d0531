package dev.lockstep.conversion.imports;

import java.net.InetSocketAddress;

/**
 * A whole request of a file that keeps requests and not connections. Its reader sets what the file says before it hands
 * the request on.
 */
final class RebuiltRequest extends Entry {
    final byte[] bytes;
    /** Whose connections may carry the request where the file does not say the connection. */
    final String peer;
    /** The connection carries nothing after it. */
    final boolean last;

    /** The connection as the file names it, or null when it does not. */
    String connection;

    InetSocketAddress client;
    InetSocketAddress server;
    /** How long its connection waits for the answer. */
    long busyNs = RebuiltConnections.ASSUMED_ANSWER_NS;
    /** The status of the recorded answer, 0 when not known. */
    int status;

    RebuiltRequest(long timeNs, byte[] bytes, String peer, boolean last) {
        super(timeNs);
        this.bytes = bytes;
        this.peer = peer;
        this.last = last;
    }

    RebuiltRequest on(String name) {
        connection = name;
        return this;
    }

    RebuiltRequest between(InetSocketAddress from, InetSocketAddress to) {
        client = from;
        server = to;
        return this;
    }

    RebuiltRequest answered(int with) {
        status = with;
        return this;
    }

    RebuiltRequest busyFor(long ns) {
        busyNs = ns;
        return this;
    }

    @Override
    int memoryBytes() {
        return bytes.length + OVERHEAD_BYTES;
    }

    @Override
    void record(long atNs, ImportSink sink) {
        sink.requests.record(atNs, this);
    }
}
