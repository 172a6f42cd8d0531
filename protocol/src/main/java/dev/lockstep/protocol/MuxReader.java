package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;

/**
 * Finds the requests in what a mux client sends: each dispatch is one, from its first fragment to its last. Runs per
 * request; used by the one thread that handles the connection.
 *
 * <p>Pings, drains and the handshake belong to no request. Where the fragments of several dispatches are mixed, a
 * request is what lies between the ends of two dispatches, so that their number stays true.
 */
final class MuxReader {
    private boolean resynchronising;
    private boolean lost;

    // Of the frame being read: its first eight bytes, and how many more follow.
    private long header;
    private int headerBytes;
    private int remaining;
    private boolean isRequest;

    // Of the request being read.
    private boolean begun;
    private boolean inFragments;
    /** Whether control is read as a request's beginning, because it was told so before its header was there. */
    private boolean joined;

    private boolean ended;
    private boolean aside;

    /** Creates a reader of a stream whose first byte is a frame's first, unless the connection was already open. */
    MuxReader(boolean alreadyOpen) {
        resynchronising = alreadyOpen;
    }

    /** Says that the first bytes were already told to begin a request: it includes what precedes it. */
    void beginsInPieces() {
        begun = true;
        joined = true;
    }

    /** Reads on, at most to the end of one request, and returns the index after the last byte read. */
    int feed(ByteBuf buffer, int from, int to) {
        ended = false;
        if (resynchronising) {
            if (ThriftRecognition.CALLS.recogniseInside(buffer, from, to) != Protocol.THRIFT_MUX) {
                return to;
            }
            resynchronising = false;
            headerBytes = 0;
        }
        aside = headerBytes == MuxFrame.HEADER_BYTES && !isRequest && !begun;
        joined |= begun && headerBytes < MuxFrame.HEADER_BYTES;
        int index = from;
        while (index < to && !lost && !ended) {
            if (headerBytes < MuxFrame.HEADER_BYTES) {
                begun |= !aside;
                header = header << 8 | buffer.getByte(index++) & 0xff;
                if (++headerBytes == MuxFrame.HEADER_BYTES) {
                    headerRead();
                }
            } else {
                int bytes = Math.min(remaining, to - index);
                index += bytes;
                remaining -= bytes;
            }
            if (headerBytes == MuxFrame.HEADER_BYTES && remaining == 0 && !lost) {
                endFrame();
                if (aside) {
                    return index;
                }
            }
        }
        return lost ? to : index;
    }

    /** Whether the last {@link #feed} ended a request. */
    boolean hasEnded() {
        return ended;
    }

    /** Whether the bytes read last are control. */
    boolean isAside() {
        return aside;
    }

    /** Whether the next byte goes on with a request that has begun. */
    boolean hasBegun() {
        return begun;
    }

    /** Whether a dispatch has begun and not ended. */
    boolean isInRequest() {
        return inFragments || headerBytes == MuxFrame.HEADER_BYTES && isRequest;
    }

    boolean isLost() {
        return lost;
    }

    boolean isResynchronising() {
        return resynchronising;
    }

    /** Says that the next bytes are missing; {@code bytes} is 0 when it is not known how many. */
    void missing(long bytes) {
        if (lost || resynchronising) {
            return;
        }
        if (bytes > 0 && headerBytes == MuxFrame.HEADER_BYTES && bytes <= remaining) {
            remaining -= (int) bytes;
            if (remaining == 0) {
                endFrame();
                ended = false;
            }
        } else {
            begun = false;
            inFragments = false;
            resynchronising = true;
        }
    }

    private void headerRead() {
        int length = (int) (header >>> 32);
        int type = (byte) (header >>> 24);
        isRequest = MuxFrame.isRequest(type);
        remaining = length - MuxFrame.TAG_BYTES;
        if (!MuxFrame.isFromClient(type, length)) {
            lost = true;
            begun = false;
        } else if (!isRequest && !inFragments && !joined) {
            begun = false;
            aside = true;
        }
    }

    private void endFrame() {
        boolean fragment = ((int) header & MuxFrame.FRAGMENT) != 0;
        headerBytes = 0;
        if (isRequest && fragment) {
            inFragments = true;
        } else if (isRequest) {
            inFragments = false;
            begun = false;
            joined = false;
            ended = true;
        }
    }
}
