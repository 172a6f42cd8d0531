package dev.lockstep.tap;

import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.ConnectionDetails;
import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.ConnectionFramer;
import dev.lockstep.redaction.RedactionCounts;
import dev.lockstep.redaction.RedactionPolicy;
import java.net.InetSocketAddress;

/**
 * Opens the connections of a recording; proxy, packets and imports all record through it. Any thread may open a
 * connection; one thread then uses it.
 */
public final class TrafficRecorder {
    private final CaptureWriter writer;
    private final TrafficCounters counters = new TrafficCounters();
    private final Protocol forced;
    private final RedactionPolicy redaction;

    /**
     * The writer stays the caller's, who closes it.
     *
     * @param forced the protocol of all connections, or null to recognise each one's
     * @param redaction which values to replace, with counts for this recording alone, or null to keep the bytes exact
     */
    public TrafficRecorder(CaptureWriter writer, Protocol forced, RedactionPolicy redaction) {
        this.writer = writer;
        this.forced = forced;
        this.redaction = redaction;
    }

    /**
     * Records that a client has connected. Either address is null when it is not known.
     *
     * @param alreadyOpen whether it was open before, and its first bytes are seen now
     */
    public RecordedConnection open(
            long nowNs, InetSocketAddress client, InetSocketAddress server, boolean alreadyOpen) {
        return open(nowNs, client, server, alreadyOpen, ConnectionDetails.NONE);
    }

    public RecordedConnection open(
            long nowNs, InetSocketAddress client, InetSocketAddress server, ConnectionDetails details) {
        return open(nowNs, client, server, false, details);
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

    /** Notes in the capture what could not be searched for secrets; called once, when all connections are closed. */
    public void noteUnsearched() {
        if (redaction != null) {
            RedactionCounts counts = redaction.counts();
            writer.unsearched(
                    counts.unsearchedConnections(),
                    counts.unsearchedKeptBytes(),
                    counts.unsearchedLeftOutBytes(),
                    counts.unsearchedBodies());
        }
    }

    public TrafficStatus status() {
        return new TrafficStatus(this);
    }

    TrafficCounters counters() {
        return counters;
    }

    CaptureWriter writer() {
        return writer;
    }
}
