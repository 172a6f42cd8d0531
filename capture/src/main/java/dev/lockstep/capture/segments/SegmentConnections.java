package dev.lockstep.capture.segments;

import dev.lockstep.capture.RecordType;
import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The connections of one segment that are open where a {@link RecordCursor} stands. Checks that each record fits them,
 * and counts what it means. Runs per record, for one thread.
 */
public final class SegmentConnections {
    private static final int CONN_OPEN = RecordType.CONN_OPEN.code();
    private static final int DATA_C2S = RecordType.DATA_C2S.code();

    private final SegmentChecks checks;
    private final CaptureCounts capture;
    private final BlockCounts segment = new BlockCounts();
    private final OpenConnections<ReadConnection> open = new OpenConnections<>();
    /** Those open at the end of the segment before; null when that was not read. */
    private final OpenConnections<ReadConnection> before;

    private final long connectionsBefore;
    private int opened;
    private int carried;
    private ReadConnection current;
    private boolean goesOn;

    /**
     * Begins before the first record of a segment.
     *
     * @param capture counts over all segments
     * @param earlier the connections of the segment before, or null when that was not read
     */
    SegmentConnections(
            CaptureIdentity identity, SegmentChecks checks, CaptureCounts capture, SegmentConnections earlier) {
        this.checks = checks;
        this.capture = capture;
        this.before = earlier == null ? null : earlier.open;
        this.connectionsBefore = identity.before(CaptureFormat.NOTE_CONNECTIONS_BEFORE);
    }

    void take(BlockRecords record) {
        int type = record.type();
        if (type == DATA_C2S) {
            find(record);
            current.data(record.flags(), record.length(), capture, segment);
        } else if (type == CONN_OPEN) {
            open(record);
        } else if (record.connection() == CaptureFormat.NO_CONNECTION) {
            current = null;
            unconnected(record);
        } else {
            find(record);
            control(record);
        }
    }

    private void find(BlockRecords record) {
        int number = record.connection();
        current = open.find(number);
        if (current == null) {
            throw number < 0 || number >= opened
                    ? checks.contradiction(
                            record.where(),
                            "expected one of the %d connections so far, found connection %s",
                            opened,
                            Integer.toUnsignedString(number))
                    : checks.contradiction(
                            record.where(), "expected no record of connection %d after its end, found one", number);
        }
        requireSequence(record, current.sequence());
        current.next();
    }

    private void requireSequence(BlockRecords record, int expected) {
        if (expected != record.sequence()) {
            throw checks.contradiction(
                    record.where(),
                    "records of connection %d are missing: expected number %d, found %d",
                    record.connection(),
                    expected,
                    record.sequence());
        }
    }

    private void open(BlockRecords record) {
        long where = record.where();
        int number = record.connection();
        ByteBuffer bytes = record.bytes();
        int payload = record.payload();
        checks.requireEqual(where, "connection", opened, number & 0xFFFFFFFFL);
        if (number == Integer.MAX_VALUE) {
            throw checks.contradiction(where, "expected at most %d connections, found more", Integer.MAX_VALUE);
        }
        checks.requireLength(where, "CONN_OPEN", CaptureFormat.OPEN_HEADER_BYTES, record.length());
        int addressBytes = (bytes.get(payload + CaptureFormat.OPEN_CLIENT_ADDRESS_BYTES) & 0xFF)
                + (bytes.get(payload + CaptureFormat.OPEN_SERVER_ADDRESS_BYTES) & 0xFF);
        checks.requireLength(where, "CONN_OPEN", CaptureFormat.OPEN_HEADER_BYTES + addressBytes, record.length());
        int details = payload + CaptureFormat.OPEN_HEADER_BYTES + addressBytes;
        int end = payload + record.length();
        long whole = CaptureFormat.detail(bytes, details, end, CaptureFormat.DETAIL_WHOLE_NUMBER);
        current = new ReadConnection(number, whole < 0 ? wholeNumber(number) : (int) whole, record.sequence());
        open.add(current);
        opened++;
        segment.connections++;
        goesOn = false;
        if (whole >= 0) {
            checks.requireEqual(where, "connections that go on from the segment before", carried++, number);
            if (before == null) {
                current.beganBefore();
            } else {
                long numberBefore = CaptureFormat.detail(bytes, details, end, CaptureFormat.DETAIL_NUMBER_BEFORE);
                carryOver(record, numberBefore);
            }
        }
        capture.connections += goesOn ? 0 : 1;
    }

    private void carryOver(BlockRecords record, long numberBefore) {
        ReadConnection earlier = numberBefore < 0 ? null : before.find((int) numberBefore);
        if (earlier == null || earlier.wholeNumber != current.wholeNumber) {
            throw checks.contradiction(
                    record.where(),
                    "expected a connection that is open at the end of the segment before, found number %d there,"
                            + " %d in the whole capture",
                    numberBefore,
                    current.wholeNumber);
        }
        requireSequence(record, earlier.sequence());
        before.remove((int) numberBefore);
        current.goOnFrom(earlier);
        goesOn = true;
    }

    private int wholeNumber(int number) {
        return (int) connectionsBefore + number - carried;
    }

    private void control(BlockRecords record) {
        long where = record.where();
        RecordType type = knownType(record);
        if (type == RecordType.PROTOCOL) {
            checks.requireLength(where, "PROTOCOL", CaptureFormat.PROTOCOL_PAYLOAD_BYTES, record.length());
        } else if (type == RecordType.CONN_CLOSE) {
            checks.requireLength(where, "CONN_CLOSE", CaptureFormat.CLOSE_PAYLOAD_BYTES, record.length());
            current.abandon(capture);
            open.remove(current.id());
        } else if (type == RecordType.GAP) {
            checks.requireLength(where, "GAP", CaptureFormat.GAP_PAYLOAD_BYTES, record.length());
            current.abandon(capture);
            capture.gaps++;
            capture.gapBytes += record.bytes().getLong(record.payload());
        } else if (type == RecordType.NO_ANSWER) {
            checks.requireLength(where, "NO_ANSWER", CaptureFormat.NO_ANSWER_PAYLOAD_BYTES, record.length());
        } else if (type == RecordType.ANSWER) {
            checks.requireLength(where, "ANSWER", CaptureFormat.ANSWER_PAYLOAD_BYTES, record.length());
        } else if (type == RecordType.DROPPED) {
            throw checks.contradiction(
                    where, "expected no connection for a record of type DROPPED, found %d", current.id());
        }
    }

    private void unconnected(BlockRecords record) {
        long where = record.where();
        ByteBuffer bytes = record.bytes();
        int payload = record.payload();
        RecordType type = knownType(record);
        if (type == RecordType.DROPPED) {
            checks.requireLength(where, "DROPPED", CaptureFormat.DROPPED_PAYLOAD_BYTES, record.length());
            segment.droppedConnections += bytes.getLong(payload + CaptureFormat.DROPPED_CONNECTIONS);
            segment.droppedRequests += bytes.getLong(payload + CaptureFormat.DROPPED_REQUESTS);
            segment.droppedBytes += bytes.getLong(payload + CaptureFormat.DROPPED_BYTES);
        } else if (type == RecordType.CLOCK) {
            checks.requireLength(where, "CLOCK", CaptureFormat.CLOCK_LEAST_PAYLOAD_BYTES, record.length());
            long cutBytes = bytes.getLong(payload + CaptureFormat.CLOCK_CUT_BYTES);
            int leftOpen = record.length() > CaptureFormat.CLOCK_LEFT_OPEN
                    ? bytes.get(payload + CaptureFormat.CLOCK_LEFT_OPEN)
                    : 0;
            capture.appends += leftOpen == CaptureFormat.CLOCK_FILTERED ? 0 : 1;
            capture.repairedBytes += cutBytes;
            capture.leftOpen |= cutBytes > 0 || leftOpen != 0;
        } else if (type != null && type.ofConnection()) {
            throw checks.contradiction(where, "expected a connection for a record of type %s, found none", type);
        }
    }

    /** Returns the record's type, or null for one that may be skipped. */
    private RecordType knownType(BlockRecords record) {
        RecordType known = RecordType.ofCode(record.type());
        if (known == null && (record.type() & CaptureFormat.MUST_UNDERSTAND) != 0) {
            throw checks.newer(
                    record.where(),
                    "expected a record of a known type, found type " + SegmentChecks.hex(record.type())
                            + " that must be understood");
        }
        return known;
    }

    /** Returns the connection of the last record, or null when it belongs to none. */
    ReadConnection current() {
        return current;
    }

    /** Whether the last record, a CONN_OPEN, goes on with a connection that was met in the segment before. */
    public boolean goesOn() {
        return goesOn;
    }

    BlockCounts counts() {
        return segment;
    }

    /** Returns the connections that are open, in the order of their numbers. */
    List<ReadConnection> stillOpen() {
        return open.inOrder();
    }

    /** Returns how many connections the segment has so far; the next one gets this number. */
    int opened() {
        return opened;
    }

    /** Returns the number in the whole capture of the connection that begins next. */
    int nextWholeNumber() {
        return wholeNumber(opened);
    }
}
