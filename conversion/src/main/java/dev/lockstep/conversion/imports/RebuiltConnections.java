package dev.lockstep.conversion.imports;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.tap.RecordedConnection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Deals requests out to connections, where a file keeps requests only. Used by one thread.
 *
 * <p>A request whose file names its connection goes there. Any other takes a connection of the same peer that waits for
 * no answer, the one used last, or else a new one. How long an answer takes is often not known; see
 * {@link #ASSUMED_ANSWER_NS}. A connection that is idle for {@link #IDLE_NS} is closed, so that few are open at a time.
 */
final class RebuiltConnections {
    /** How long a connection waits for its answer where the file does not say. */
    static final long ASSUMED_ANSWER_NS = TimeUnit.SECONDS.toNanos(1);

    /** How long a connection may be idle. */
    static final long IDLE_NS = TimeUnit.SECONDS.toNanos(60);

    private static final int SWITCHING_PROTOCOLS = 101;

    /** How many connections may be open. The one that was idle the longest is closed for another. */
    private static final int MAX_OPEN = 100_000;

    private static final Comparator<Open> BY_FREE =
            Comparator.<Open>comparingLong(open -> open.freeNs).thenComparingLong(open -> open.number);

    private static final class Open {
        final RecordedConnection recorded;
        /** The key in {@link #named}, or null. */
        final String name;
        /** The key in {@link #ofPeers}. */
        final String peer;

        final long number;
        long freeNs;
        long lastNs;

        Open(long number, RecordedConnection recorded, String name, String peer) {
            this.number = number;
            this.recorded = recorded;
            this.name = name;
            this.peer = peer;
        }

        /** A value that stands behind all that are free at a time. */
        Open(long atNs, String peer) {
            this(Long.MAX_VALUE, null, null, peer);
            freeNs = atNs;
        }
    }

    private final ImportSink sink;
    private final Map<String, Open> named = new HashMap<>();
    /** Those without a name, of each peer by when they are free. */
    private final Map<String, TreeSet<Open>> ofPeers = new HashMap<>();
    /** All that are open, the one idle the longest first. */
    private final LinkedHashMap<Open, Boolean> byUse = new LinkedHashMap<>(16, 0.75f, true);

    private long nextNumber;

    RebuiltConnections(ImportSink sink) {
        this.sink = sink;
    }

    /** Times never decrease from call to call. */
    void record(long atNs, RebuiltRequest request) {
        closeIdle(atNs);
        Open open = request.connection != null ? named.get(request.connection) : takeFree(request.peer, atNs);
        if (open == null) {
            open = open(atNs, request);
        }
        // Requests of one instant on one connection would count as sent in one piece.
        long requestNs = Math.max(atNs, open.lastNs + 1);
        ByteBuf bytes = Unpooled.wrappedBuffer(request.bytes);
        open.recorded.clientBytes(requestNs, bytes, 0, request.bytes.length);
        ByteBuf answer = Unpooled.wrappedBuffer(answer(request.status));
        if (isKnown(request.status)) {
            open.recorded.serverBytes(requestNs, answer, 0, answer.readableBytes());
        } else {
            open.recorded.assumedServerBytes(requestNs, answer, 0, answer.readableBytes());
        }
        open.lastNs = requestNs;
        open.freeNs = requestNs + request.busyNs;
        sink.happened(requestNs);
        byUse.put(open, true);
        if (open.name == null) {
            ofPeers.computeIfAbsent(open.peer, unused -> new TreeSet<>(BY_FREE)).add(open);
        }
        // Behind 101 another protocol follows, also where the file does not keep the header that asked for it.
        if (request.last || request.status == SWITCHING_PROTOCOLS) {
            close(open, requestNs);
        } else if (byUse.size() > MAX_OPEN) {
            close(byUse.keySet().iterator().next(), requestNs);
        }
    }

    private Open open(long atNs, RebuiltRequest request) {
        Open open = new Open(
                nextNumber++, sink.open(atNs, request.client, request.server, false), request.connection, request.peer);
        open.lastNs = atNs - 1;
        if (open.name != null) {
            named.put(open.name, open);
        }
        return open;
    }

    /** An answer's head with the status; nothing else of it decides how the connection goes on. */
    private static byte[] answer(int status) {
        int known = isKnown(status) ? status : 200;
        return ("HTTP/1.1 " + known + " \r\n" + (known == SWITCHING_PROTOCOLS ? "" : "Content-Length: 0\r\n") + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static boolean isKnown(int status) {
        return status >= 200 && status <= 999 || status == SWITCHING_PROTOCOLS;
    }

    /** Takes out the peer's connection that became free last; null when none is free. */
    private Open takeFree(String peer, long atNs) {
        TreeSet<Open> connections = ofPeers.get(peer);
        Open open = connections == null ? null : connections.floor(new Open(atNs, peer));
        if (open != null) {
            connections.remove(open);
        }
        return open;
    }

    private void closeIdle(long atNs) {
        while (!byUse.isEmpty()) {
            Open eldest = byUse.keySet().iterator().next();
            if (eldest.lastNs + IDLE_NS > atNs || eldest.freeNs > atNs) {
                return;
            }
            close(eldest, Math.max(eldest.freeNs, eldest.lastNs));
        }
    }

    private void close(Open open, long atNs) {
        byUse.remove(open);
        if (open.name != null) {
            named.remove(open.name);
        } else {
            TreeSet<Open> connections = ofPeers.get(open.peer);
            connections.remove(open);
            if (connections.isEmpty()) {
                ofPeers.remove(open.peer);
            }
        }
        open.recorded.close(atNs, CloseReason.UNKNOWN);
    }

    /** Closes all at the end of the import. */
    void closeAll(long atNs) {
        while (!byUse.isEmpty()) {
            close(byUse.keySet().iterator().next(), atNs);
        }
    }
}
