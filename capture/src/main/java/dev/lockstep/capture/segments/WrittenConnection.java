package dev.lockstep.capture.segments;

import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.capture.format.CaptureFormat;
import java.nio.ByteBuffer;

/**
 * A connection that is open in a {@code CaptureWriter}; its id is its number in the whole capture. Under the writer's
 * lock.
 */
final class WrittenConnection extends OpenConnections.Connection {
    private final byte[] opening;
    private int number;
    private int sequence;
    private int protocol = -1;
    private boolean inMessage;
    /** Whether the message began in the segment that is recorded to. */
    private boolean begunHere;

    private boolean lost;

    /**
     * Begins a connection.
     *
     * @param number its number in the segment
     * @param sequence the number of its first record
     * @param opening the payload of its CONN_OPEN record, to begin the next segments with
     */
    WrittenConnection(int id, int number, int sequence, byte[] opening) {
        super(id);
        this.number = number;
        this.sequence = sequence;
        this.opening = opening;
    }

    /** Returns its number in the segment that is recorded to, or -1 when it is not in it. */
    int number() {
        return number;
    }

    boolean isInSegment() {
        return number >= 0;
    }

    int nextSequence() {
        return sequence++;
    }

    /** Whether records of it were lost: then nothing more of it is recorded. */
    boolean isLost() {
        return lost;
    }

    void lose() {
        lost = true;
    }

    void protocol(Protocol recognised) {
        protocol = recognised.code();
    }

    /** Returns the code of its protocol, or -1 while nothing was said of it. */
    int protocolCode() {
        return protocol;
    }

    /**
     * Takes data that is recorded, and counts the request that may end with it.
     *
     * @return the flags to record: the end of what never began is no end
     */
    int take(int flags, Tally tally, BlockCounts block) {
        int kept = flags;
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            inMessage = true;
            begunHere = true;
        }
        if ((flags & RecordFlags.TRUNCATED) != 0) {
            inMessage = false;
        } else if ((flags & RecordFlags.MESSAGE_END) != 0) {
            if (inMessage) {
                tally.takeRequest();
                block.requestEnds++;
                block.requests += begunHere ? 1 : 0;
            } else {
                kept &= ~RecordFlags.MESSAGE_END;
            }
            inMessage = false;
        }
        return kept;
    }

    /** Takes data that is not recorded; returns whether a request is lost with it. */
    boolean loseData(int flags) {
        boolean begun = inMessage || (flags & RecordFlags.MESSAGE_START) != 0;
        inMessage = begun && (flags & (RecordFlags.MESSAGE_END | RecordFlags.TRUNCATED)) == 0;
        return begun && endsMessage(flags);
    }

    static boolean endsMessage(int flags) {
        return (flags & RecordFlags.MESSAGE_END) != 0 && (flags & RecordFlags.TRUNCATED) == 0;
    }

    /** Ends the message without counting it, since bytes of it are missing. */
    void abandonMessage() {
        inMessage = false;
    }

    // ---- Into the next segment.

    /** Leaves a segment that is full; returns the number that the connection had in it, or -1. */
    int leaveSegment() {
        int before = number;
        number = CaptureFormat.NO_CONNECTION;
        begunHere = false;
        return before;
    }

    void enterSegment(int itsNumber) {
        number = itsNumber;
    }

    int carriedBytes() {
        return opening.length + CaptureFormat.CARRIED_DETAIL_BYTES;
    }

    /** Puts the payload of the CONN_OPEN record with which it goes on. */
    void putCarried(ByteBuffer record, int numberBefore) {
        int flags = record.position() + CaptureFormat.OPEN_FLAGS;
        record.put(opening)
                .putShort((short) CaptureFormat.DETAIL_NUMBER_BEFORE)
                .putShort((short) Integer.BYTES)
                .putInt(numberBefore)
                .putShort((short) CaptureFormat.DETAIL_WHOLE_NUMBER)
                .putShort((short) Integer.BYTES)
                .putInt(id());
        record.putShort(flags, (short) (record.getShort(flags) | CaptureFormat.OPEN_ALREADY));
    }
}
