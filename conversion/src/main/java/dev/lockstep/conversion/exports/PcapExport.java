package dev.lockstep.conversion.exports;

import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.ConnectionStart;
import dev.lockstep.capture.RecordType;
import dev.lockstep.conversion.Findings;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Writes a capture as packets, for tcpdump, Wireshark and other tools: each connection as TCP segments in Ethernet
 * frames, with the recorded addresses and times. The servers only acknowledge, because a capture has no answers.
 */
final class PcapExport {
    private PcapExport() {}

    /** Writes a pcap file with times in ns. */
    static ExportReport write(CaptureReader reader, OutputStream out, Runnable check) throws IOException {
        long startNs = ChronoUnit.NANOS.between(Instant.EPOCH, reader.info().startedAt());
        PcapConnections connections = new PcapConnections(new PcapWriter(out));
        for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
            check.run();
            write(record, startNs + record.timeNs(), connections);
        }
        Findings skipped = new Findings();
        skipped.add("places where bytes of clients are missing in the capture", null, connections.gaps());
        TrafficExport.noteCut(reader, skipped);
        return ImmutableExportReport.of(
                ExportFormat.PCAP,
                ExportReport.NOT_COUNTED,
                connections.connections(),
                connections.bytes(),
                skipped.list());
    }

    private static void write(CaptureRecord record, long epochNs, PcapConnections connections) throws IOException {
        RecordType type = record.type();
        if (type == null) {
            return;
        }
        int id = record.connection();
        switch (type) {
            case CONN_OPEN:
                ConnectionStart start = record.connectionStart();
                if (!connections.isOpen(id)) { // else it goes on from the segment before
                    connections.open(id, epochNs, start.client(), start.server(), start.alreadyOpen());
                }
                break;
            case DATA_C2S:
                connections.data(id, epochNs, record.payload().duplicate());
                break;
            case GAP:
                connections.gap(id, epochNs, record.missingBytes());
                break;
            case HALF_CLOSE:
                connections.halfClose(id, epochNs);
                break;
            case CONN_CLOSE:
                connections.close(id, epochNs, record.closeReason());
                break;
            default: // nothing that a network would show
        }
    }
}
