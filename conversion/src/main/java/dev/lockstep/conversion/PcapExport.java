package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.ConnectionStart;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.RecordType;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

/**
 * Writes a capture as packets, for tcpdump, Wireshark and their kin: each connection as TCP segments in Ethernet frames,
 * with the recorded addresses and times. The servers only acknowledge, as a capture has no answers.
 */
public final class PcapExport {
    private static final int BUFFER_BYTES = 256 << 10;

    private final long packets;
    private final long connections;
    private final long bytes;
    private final long gaps;

    private PcapExport(PcapWriter writer, PcapConnections connections) {
        this.packets = writer.packets();
        this.connections = connections.connections();
        this.bytes = connections.bytes();
        this.gaps = connections.gaps();
    }

    /**
     * Writes a capture's connections to a pcap file with times in ns, which only its owner may read; returns what was
     * written.
     *
     * @param overwrite whether an existing file is replaced
     * @throws dev.lockstep.capture.CaptureException when the capture cannot be read
     * @throws ConversionException when the packets cannot be written
     */
    public static PcapExport run(Path capture, OpenOptions options, Path output, boolean overwrite) {
        try (CaptureReader reader = CaptureReader.open(capture, options);
                OutputStream out = new BufferedOutputStream(create(output, overwrite), BUFFER_BYTES)) {
            Instant start = reader.info().startedAt();
            long startNs = start.getEpochSecond() * 1_000_000_000L + start.getNano();
            PcapWriter writer = new PcapWriter(out);
            PcapConnections connections = new PcapConnections(writer);
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                write(record, startNs + record.timeNs(), connections);
            }
            return new PcapExport(writer, connections);
        } catch (FileAlreadyExistsException e) {
            throw new ConversionException(output, "exists already; expected a file to create, --force replaces it", e);
        } catch (IOException e) {
            throw new ConversionException(output, "cannot be written: " + e.getMessage(), e);
        }
    }

    private static OutputStream create(Path path, boolean overwrite) throws IOException {
        Set<OpenOption> options = overwrite
                ? Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)
                : Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        return Channels.newOutputStream(FileChannel.open(
                path,
                options,
                PosixFilePermissions.asFileAttribute(EnumSet.copyOf(PosixFilePermissions.fromString("rw-------")))));
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

    /** Returns how many packets were written. */
    public long packets() {
        return packets;
    }

    /** Returns how many connections were written. */
    public long connections() {
        return connections;
    }

    /** Returns how many bytes of clients were written. */
    public long bytes() {
        return bytes;
    }

    /** Returns how many holes were written where bytes of a client are missing. */
    public long gaps() {
        return gaps;
    }
}
