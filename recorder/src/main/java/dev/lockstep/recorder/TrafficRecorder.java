package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.ConnectionDetails;
import dev.lockstep.protocol.ConnectionFramer;
import dev.lockstep.protocol.StreamProtocol;
import dev.lockstep.redaction.RedactionPolicy;
import java.net.InetSocketAddress;

/**
 * Turns the traffic of connections, wherever it comes from, into a capture: proxy, packets and imports all record
 * through it. Connections may be opened from any thread; each is then used by one.
 */
public final class TrafficRecorder {
    private final CaptureWriter writer;
    private final TrafficCounters counters;
    private final StreamProtocol forced;
    private final RedactionPolicy redaction;

    /**
     * Creates a recorder; the writer stays the caller's, who closes it.
     *
     * @param forced the protocol of all connections, or null to recognise each one's
     * @param redaction which values to replace, or null to keep the bytes exact
     */
    public TrafficRecorder(CaptureWriter writer, StreamProtocol forced, RedactionPolicy redaction) {
        this(writer, new TrafficCounters(), forced, redaction);
    }

    TrafficRecorder(CaptureWriter writer, TrafficCounters counters, StreamProtocol forced, RedactionPolicy redaction) {
        this.writer = writer;
        this.counters = counters;
        this.forced = forced;
        this.redaction = redaction;
    }

    /** Records that a client has connected. Either address is null when it is not known. */
    public RecordedConnection open(long nowNs, InetSocketAddress client, InetSocketAddress server) {
        return open(nowNs, client, server, false, ConnectionDetails.NONE);
    }

    /** Records that a client has connected, with what else is known of the connection. */
    public RecordedConnection open(
            long nowNs, InetSocketAddress client, InetSocketAddress server, ConnectionDetails details) {
        return open(nowNs, client, server, false, details);
    }

    /** Records a connection that was open before recording began, when its first bytes are seen. */
    public RecordedConnection openedBefore(long nowNs, InetSocketAddress client, InetSocketAddress server) {
        return open(nowNs, client, server, true, ConnectionDetails.NONE);
    }

    private RecordedConnection open(
            long nowNs,
            InetSocketAddress client,
            InetSocketAddress server,
            boolean alreadyOpen,
            ConnectionDetails details) {
        int connection = writer.openConnection(nowNs, client, server, alreadyOpen, details);
        counters.connections.increment();
        return new RecordedConnection(
                writer,
                counters,
                new ConnectionFramer(forced, alreadyOpen),
                redaction == null ? null : redaction.redactor(alreadyOpen),
                connection);
    }

    /** Returns what was seen and written so far; any thread may ask. */
    public RecordingStatus status() {
        return new RecordingStatus(counters, writer.totals());
    }
}
