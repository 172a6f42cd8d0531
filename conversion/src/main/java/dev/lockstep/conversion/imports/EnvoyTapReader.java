package dev.lockstep.conversion.imports;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.packets.DamagedGzipException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads what Envoy's tap of a transport socket writes ({@code envoy.data.tap.v3}): wrappers of streamed segments or of
 * whole buffered traces, as {@link EnvoyTapBinary protobuf} or {@link EnvoyTapJson JSON}. The bytes of each socket are
 * exact, except those that the tap cut, which are recorded as missing.
 *
 * <p>The file does not say on which side the client is. A tap on a listener reads from the client, one on a cluster
 * writes what the client sent. Where the user does not say which it was, the side that speaks first is the client.
 */
final class EnvoyTapReader implements EntryReader, EnvoySegment.Taker {
    private static final int RECOGNISED_BYTES = 16;
    private static final int MAX_OPEN = 1_000_000;

    /** One socket's trace so far. */
    private static final class Trace {
        InetSocketAddress local;
        InetSocketAddress remote;
        /** Null until it is known which side the client is on. */
        ImportedConnection connection;

        boolean clientReads;
        long lastNs;
        boolean readTruncated;
        boolean writeTruncated;
    }

    private final ImportFile file;
    private final InputStream stream;
    /** One of the two is null. */
    private final EnvoyTapBinary binary;

    private final EnvoyTapJson json;
    private final Map<String, Trace> open = new LinkedHashMap<>();
    private final ArrayDeque<Entry> ready = new ArrayDeque<>();
    private long number;
    private boolean ended;

    EnvoyTapReader(ImportFile file) throws IOException {
        this.file = file;
        this.stream = file.open();
        byte[] head = ImportFile.head(stream, RECOGNISED_BYTES);
        boolean delimited = EnvoyTapBinary.isDelimited(head);
        boolean text = head.length > 0
                && (head[0] == '{' || head[0] == '\n' || head[0] == '\r' || head[0] == ' ')
                && !delimited
                && !EnvoyTapBinary.isPlain(head);
        json = text ? new EnvoyTapJson(stream, this) : null;
        binary = text ? null : new EnvoyTapBinary(stream, delimited, this);
    }

    @Override
    public Entry next() throws IOException {
        while (ready.isEmpty() && !ended) {
            number++;
            try {
                if (!(json != null ? json.read() : binary.read())) {
                    end();
                }
            } catch (InvalidProtocolBufferException | JsonProcessingException | EOFException e) {
                file.damaged("the file is cut or damaged within a segment", "segment " + number);
                end();
            } catch (DamagedGzipException e) {
                file.damaged(e.getMessage(), "segment " + number);
                end();
            }
        }
        return ready.poll();
    }

    @Override
    public Entry held() {
        return ready.poll();
    }

    private void end() {
        ended = true;
        for (Trace trace : open.values()) {
            close(trace, trace.lastNs, CloseReason.RECORDING_ENDED);
        }
        open.clear();
    }

    @Override
    public void http() {
        skipped("an HTTP tap has parsed fields, not bytes: tap the transport socket instead");
    }

    @Override
    public void skipped(String reason) {
        file.skip(reason, "segment " + number);
    }

    @Override
    public void changed(String what) {
        file.change(what, "segment " + number);
    }

    @Override
    public void socket(EnvoySegment segment) {
        Trace trace = open.get(segment.id);
        if (trace == null) {
            trace = new Trace();
            open.put(segment.id, trace);
            if (open.size() > MAX_OPEN) {
                String eldest = open.keySet().iterator().next();
                Trace given = open.remove(eldest);
                close(given, given.lastNs, CloseReason.UNKNOWN);
            }
        }
        if (segment.ends != null) {
            trace.local = segment.ends.local;
            trace.remote = segment.ends.remote;
        }
        boolean closed = false;
        for (EnvoySegment.Event event : segment.events) {
            if (!closed) {
                closed = event(trace, event);
            }
        }
        if (segment.buffered) {
            trace.readTruncated = segment.readTruncated;
            trace.writeTruncated = segment.writeTruncated;
        }
        if (closed || segment.buffered) {
            open.remove(segment.id);
            close(trace, trace.lastNs, closed ? CloseReason.UNKNOWN : CloseReason.RECORDING_ENDED);
        }
    }

    /** Makes entries of an event; true when it closes the connection. */
    private boolean event(Trace trace, EnvoySegment.Event event) {
        trace.lastNs = Math.max(trace.lastNs, event.timeNs);
        if (trace.local == null && trace.remote == null) {
            trace.local = event.ends.local;
            trace.remote = event.ends.remote;
        }
        if (event.closed) {
            return true;
        }
        if (!event.read && !event.write || event.data.length == 0 && !event.truncated && !event.endStream) {
            return false;
        }
        if (trace.connection == null) {
            begin(trace, event.read);
        }
        boolean ofClient = event.read == trace.clientReads;
        if (event.data.length > 0) {
            ready.add(
                    ofClient
                            ? trace.connection.clientBytes(trace.lastNs, event.data)
                            : trace.connection.serverBytes(trace.lastNs, event.data));
        }
        if (event.truncated) {
            missing(trace, ofClient);
        }
        if (event.endStream && ofClient) {
            ready.add(trace.connection.clientEnded(trace.lastNs));
        }
        return false;
    }

    private void missing(Trace trace, boolean ofClient) {
        changed((ofClient ? "bytes of a client" : "bytes of a server")
                + " were cut by the tap (max_buffered_rx_bytes, max_buffered_tx_bytes): recorded as missing");
        ready.add(
                ofClient
                        ? trace.connection.clientBytesMissing(trace.lastNs)
                        : trace.connection.serverBytesMissing(trace.lastNs));
    }

    private void begin(Trace trace, boolean firstRead) {
        ImportConfig.TapSide side = file.config.tapSide();
        trace.clientReads = side == ImportConfig.TapSide.LISTENER || side != ImportConfig.TapSide.CLUSTER && firstRead;
        trace.connection = trace.clientReads
                ? new ImportedConnection(trace.remote, trace.local)
                : new ImportedConnection(trace.local, trace.remote);
        ready.add(trace.connection.open(trace.lastNs));
    }

    private void close(Trace trace, long atNs, CloseReason reason) {
        if (trace.connection == null) {
            skipped("a connection without bytes");
            return;
        }
        if (trace.readTruncated) {
            missing(trace, trace.clientReads);
        }
        if (trace.writeTruncated) {
            missing(trace, !trace.clientReads);
        }
        ready.add(trace.connection.close(atNs, reason));
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
