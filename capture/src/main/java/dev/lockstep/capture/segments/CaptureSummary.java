package dev.lockstep.capture.segments;

import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The second half of the header page: how the recording ended. Plain values, filled and read by one thread. */
public final class CaptureSummary {
    /** How a file was left. The ordinals stand in files. */
    public enum State {
        /** Recording goes on, or the recorder died. */
        OPEN,
        /** The recorder finished the file. */
        CLOSED,
        /** The recorder had to stop, for a reason, and finished the file. */
        ENDED_EARLY
    }

    /** Why recording ended early. The ordinals stand in files. */
    enum Reason {
        NONE,
        DISK_FULL,
        WRITE_FAILED,
        /** Whoever wrote it was told to stop before all was written. */
        STOPPED
    }

    /** How the file was left. */
    public State state = State.OPEN;

    Reason reason = Reason.NONE;
    /** Why recording ended early, in words for people, or empty. */
    public String reasonText = "";

    long fileBytes;
    long lastIndex;
    long lastTimeNs;
    long blocks;
    long records;
    long connections;
    long requests;
    long dataBytes;
    long lostConnections;
    long lostRequests;
    long lostBytes;
    long redactedValues;
    long missedPackets;
    final UnsearchedCounts unsearched = new UnsearchedCounts();
    /** Whether the recording goes on in the next segment. */
    boolean goesOn;

    /** Writes the half page at an offset; the buffer must hold zeros there. */
    void encode(ByteBuffer page, int from) {
        ByteBuffer half = page.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        byte[] text = reasonText.getBytes(StandardCharsets.UTF_8);
        if (text.length > CaptureFormat.SUM_MAX_REASON_TEXT_BYTES) {
            text = Arrays.copyOf(text, CaptureFormat.SUM_MAX_REASON_TEXT_BYTES);
        }
        half.put(from + CaptureFormat.SUM_STATE, (byte) state.ordinal())
                .put(from + CaptureFormat.SUM_REASON, (byte) reason.ordinal())
                .putShort(from + CaptureFormat.SUM_REASON_TEXT_BYTES, (short) text.length)
                .putLong(from + CaptureFormat.SUM_FILE_BYTES, fileBytes)
                .putLong(from + CaptureFormat.SUM_LAST_INDEX, lastIndex)
                .putLong(from + CaptureFormat.SUM_LAST_TIME_NS, lastTimeNs)
                .putLong(from + CaptureFormat.SUM_BLOCKS, blocks)
                .putLong(from + CaptureFormat.SUM_RECORDS, records)
                .putLong(from + CaptureFormat.SUM_CONNECTIONS, connections)
                .putLong(from + CaptureFormat.SUM_REQUESTS, requests)
                .putLong(from + CaptureFormat.SUM_DATA_BYTES, dataBytes)
                .putLong(from + CaptureFormat.SUM_LOST_CONNECTIONS, lostConnections)
                .putLong(from + CaptureFormat.SUM_LOST_REQUESTS, lostRequests)
                .putLong(from + CaptureFormat.SUM_LOST_BYTES, lostBytes)
                .putLong(from + CaptureFormat.SUM_REDACTED_VALUES, redactedValues)
                .putLong(from + CaptureFormat.SUM_MISSED_PACKETS, missedPackets)
                .putInt(from + CaptureFormat.SUM_FLAGS, goesOn ? CaptureFormat.SUM_GOES_ON : 0);
        unsearched.encode(half, from + CaptureFormat.SUM_UNSEARCHED);
        half.position(from + CaptureFormat.SUM_REASON_TEXT);
        half.put(text);
        half.putInt(from + CaptureFormat.HALF_CRC, CaptureIdentity.checksum(half, from));
    }

    /** Returns null when the checksum of the half page is right, or what is wrong, as "expected ..., found ...". */
    static String problem(ByteBuffer page, int from) {
        int expected = page.getInt(from + CaptureFormat.HALF_CRC);
        int found = CaptureIdentity.checksum(page, from);
        return expected == found
                ? null
                : "expected checksum " + CaptureIdentity.hex(expected) + ", found " + CaptureIdentity.hex(found);
    }

    /**
     * Reads a half page whose checksum is right. States and reasons of later versions are read as the nearest known.
     */
    static CaptureSummary decode(ByteBuffer page, int from) {
        CaptureSummary summary = new CaptureSummary();
        int state = page.get(from + CaptureFormat.SUM_STATE) & 0xFF;
        summary.state = state < State.values().length ? State.values()[state] : State.ENDED_EARLY;
        int reason = page.get(from + CaptureFormat.SUM_REASON) & 0xFF;
        summary.reason = reason < Reason.values().length ? Reason.values()[reason] : Reason.WRITE_FAILED;
        int textBytes = page.getShort(from + CaptureFormat.SUM_REASON_TEXT_BYTES) & 0xFFFF;
        byte[] text = new byte[Math.min(textBytes, CaptureFormat.SUM_MAX_REASON_TEXT_BYTES)];
        ByteBuffer source = page.duplicate();
        source.position(from + CaptureFormat.SUM_REASON_TEXT);
        source.get(text);
        summary.reasonText = new String(text, StandardCharsets.UTF_8);
        summary.fileBytes = page.getLong(from + CaptureFormat.SUM_FILE_BYTES);
        summary.lastIndex = page.getLong(from + CaptureFormat.SUM_LAST_INDEX);
        summary.lastTimeNs = page.getLong(from + CaptureFormat.SUM_LAST_TIME_NS);
        summary.blocks = page.getLong(from + CaptureFormat.SUM_BLOCKS);
        summary.records = page.getLong(from + CaptureFormat.SUM_RECORDS);
        summary.connections = page.getLong(from + CaptureFormat.SUM_CONNECTIONS);
        summary.requests = page.getLong(from + CaptureFormat.SUM_REQUESTS);
        summary.dataBytes = page.getLong(from + CaptureFormat.SUM_DATA_BYTES);
        summary.lostConnections = page.getLong(from + CaptureFormat.SUM_LOST_CONNECTIONS);
        summary.lostRequests = page.getLong(from + CaptureFormat.SUM_LOST_REQUESTS);
        summary.lostBytes = page.getLong(from + CaptureFormat.SUM_LOST_BYTES);
        summary.redactedValues = page.getLong(from + CaptureFormat.SUM_REDACTED_VALUES);
        summary.missedPackets = page.getLong(from + CaptureFormat.SUM_MISSED_PACKETS);
        summary.unsearched.decode(page, from + CaptureFormat.SUM_UNSEARCHED);
        summary.goesOn = (page.getInt(from + CaptureFormat.SUM_FLAGS) & CaptureFormat.SUM_GOES_ON) != 0;
        return summary;
    }
}
