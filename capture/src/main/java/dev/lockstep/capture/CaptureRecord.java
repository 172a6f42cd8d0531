package dev.lockstep.capture;

import dev.lockstep.capture.format.CaptureFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** One record of a capture: a view that is valid until the next one is read. */
public final class CaptureRecord {
    private ByteBuffer view;
    private long number;
    private int typeCode;
    private int connection;
    private long timeNs;
    private int flags;

    CaptureRecord() {}

    /**
     * Moves to a record.
     *
     * @param bytes the memory that holds it, little endian
     * @param readOnly a read-only view of this memory, which becomes the payload's
     * @param at where its header begins
     */
    void set(ByteBuffer bytes, ByteBuffer readOnly, int at, long baseNs, long itsNumber, int itsConnection) {
        int lengthAndType = bytes.getInt(at + CaptureFormat.RECORD_LENGTH_AND_TYPE);
        int length = lengthAndType & CaptureFormat.MAX_PAYLOAD_BYTES;
        number = itsNumber;
        typeCode = lengthAndType >>> 24;
        connection = itsConnection;
        timeNs = baseNs + (bytes.getInt(at + CaptureFormat.RECORD_TIME_DELTA) & CaptureFormat.MAX_TIME_DELTA_NS);
        flags = bytes.getInt(at + CaptureFormat.RECORD_SEQUENCE_AND_FLAGS) >>> 24;
        int payload = at + CaptureFormat.RECORD_HEADER_BYTES;
        view = readOnly;
        view.limit(payload + length).position(payload).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns the kind of record, or null for one that this version does not know and may skip. */
    public RecordType type() {
        return RecordType.ofCode(typeCode);
    }

    /** Returns the record's place in the file, counted from 0. */
    public long number() {
        return number;
    }

    /** Returns the connection, or -1 for a record that belongs to none. */
    public int connection() {
        return connection;
    }

    /** Returns the time in ns since the capture's start. */
    public long timeNs() {
        return timeNs;
    }

    /** Returns the {@link RecordFlags}. */
    public int flags() {
        return flags;
    }

    /** Returns what a CONN_OPEN record says. */
    public ConnectionStart connectionStart() {
        require(RecordType.CONN_OPEN);
        return ConnectionStart.decode(view, view.position(), view.remaining());
    }

    /** Returns what a PROTOCOL record says. */
    public Protocol protocol() {
        require(RecordType.PROTOCOL);
        return Protocol.ofCode(view.getShort(view.position()) & 0xFFFF);
    }

    /** Returns why the connection of a CONN_CLOSE record ended. */
    public CloseReason closeReason() {
        require(RecordType.CONN_CLOSE);
        return CloseReason.ofCode(view.get(view.position()) & 0xFF);
    }

    /** Returns how many bytes of the client are missing at a GAP record, 0 when it is not known. */
    public long missingBytes() {
        require(RecordType.GAP);
        return view.getLong(view.position());
    }

    /** Returns which request of its connection, counted from 0, gets no answer by a NO_ANSWER record. */
    public long unansweredRequest() {
        require(RecordType.NO_ANSWER);
        return view.getLong(view.position());
    }

    /** Returns which request of its connection, counted from 0, an ANSWER record tells of. */
    public long answeredRequest() {
        require(RecordType.ANSWER);
        return view.getLong(view.position() + CaptureFormat.ANSWER_REQUEST);
    }

    /** Returns the {@link RecordedStatus} of an ANSWER record; one that this version does not know is unknown. */
    public int answeredStatus() {
        require(RecordType.ANSWER);
        return CaptureFormat.status(view, view.position());
    }

    private void require(RecordType type) {
        if (typeCode != type.code()) {
            throw new IllegalStateException("record " + number + " is of type " + type() + ", not " + type);
        }
    }

    /**
     * Returns a read-only, little endian view of the payload, from its position to its limit; the view is used again
     * for the next record.
     */
    public ByteBuffer payload() {
        return view;
    }
}
