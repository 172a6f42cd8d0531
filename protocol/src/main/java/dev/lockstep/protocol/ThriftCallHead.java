package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;

/**
 * Reads of one whole Thrift request after the other what its answer is recognised by: name, sequence id, and whether it
 * gets one. Runs per request; one thread; allocates nothing after its first requests.
 *
 * <p>For each request {@link #begin}, then {@link #feed} with its pieces in order until that returns false.
 */
public final class ThriftCallHead {
    /** The function that a client of Finagle's calls first, to ask for the upgrade to TTwitter. */
    public static final String UPGRADE_PROBE_NAME = "__can__finagle__trace__v3__";

    private static final long UPGRADE_PROBE = ThriftMessageReader.hash(UPGRADE_PROBE_NAME);

    private final ThriftStreamReader framed = new ThriftStreamReader(Protocol.THRIFT_FRAMED_BINARY, false, false);
    private final ThriftMessageReader unframed = new ThriftMessageReader(false);
    private boolean isFramed;
    private boolean known;
    private ThriftMessageReader message;

    /**
     * Begins at the first byte of a request.
     *
     * @param protocol one that {@link #reads}
     */
    public void begin(Protocol protocol) {
        isFramed = isFramed(protocol);
        known = false;
        if (isFramed) {
            framed.restart();
            framed.expectTwitterHeader(protocol == Protocol.THRIFT_TTWITTER);
            message = framed.head();
        } else {
            unframed.begin(false);
            message = unframed;
        }
    }

    /** Reads a piece of the request; returns whether more of it is of use. */
    public boolean feed(ByteBuf buffer, int from, int to) {
        if (!isFramed) {
            unframed.read(buffer, from, to);
            known = unframed.isDone();
            return !known && !unframed.hasFailed();
        }
        int index = from;
        do {
            index = framed.feed(buffer, index, to);
            known = framed.hasHead();
        } while (index < to && framed.isAside());
        return !known && framed.hasBegun();
    }

    /** Whether the request says its name; a compressed one does not, nor does a frame without a message. */
    public boolean isKnown() {
        return known;
    }

    /** A hash of the name, 0 where it is not known. */
    public long nameHash() {
        return known ? message.nameHash() : 0;
    }

    /** A hash of the name without the service's before a colon, 0 where it is not known. */
    public long methodHash() {
        return known ? message.methodHash() : 0;
    }

    /** The sequence id, or 0. */
    public int sequenceId() {
        return isFramed ? framed.sequenceId() : known ? message.sequenceId() : 0;
    }

    /** Whether the request says that it gets no answer. Some get none though they do not say so. */
    public boolean isOneway() {
        return known && message.type() == ThriftMessageReader.ONEWAY;
    }

    /** Whether the request asks the server to upgrade the connection to TTwitter. */
    public boolean isUpgradeProbe() {
        return known && message.nameHash() == UPGRADE_PROBE;
    }

    /** Whether this reads requests of a protocol: Thrift's forms whose messages are answered in order. */
    public static boolean reads(Protocol protocol) {
        return protocol.isThrift() && protocol != Protocol.THRIFT_MUX && protocol != Protocol.THRIFT_ZLIB;
    }

    private static boolean isFramed(Protocol protocol) {
        switch (protocol) {
            case THRIFT_FRAMED_BINARY:
            case THRIFT_FRAMED_COMPACT:
            case THRIFT_FRAMED_JSON:
            case THRIFT_HEADER:
            case THRIFT_TTWITTER:
                return true;
            case THRIFT_UNFRAMED_BINARY:
            case THRIFT_UNFRAMED_COMPACT:
            case THRIFT_UNFRAMED_JSON:
                return false;
            default:
                throw new IllegalArgumentException("protocol: must be Thrift answered in order, is " + protocol);
        }
    }
}
