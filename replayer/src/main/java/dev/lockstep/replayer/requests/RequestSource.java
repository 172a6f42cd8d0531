package dev.lockstep.replayer.requests;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordedStatus;
import dev.lockstep.protocol.FinagleDeadline;
import dev.lockstep.protocol.Http2Requests;
import dev.lockstep.protocol.ThriftCallHead;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.LongStream;

/**
 * Hands the bytes of recorded requests to sockets. Runs per request on the event loop; one worker owns one source.
 *
 * <p>Design note: the bytes of a request that lies in one piece go to the socket from where they lie. Through a
 * channel, a small request is copied from the mapped file into a pooled direct buffer, since a copy of a few hundred
 * bytes costs less than the objects of a slice; a large one is sent as a slice of the mapping.
 */
public final class RequestSource {
    /** Stands for the number of a request that is not in the capture's table. */
    public static final long NOT_IN_TABLE = Long.MAX_VALUE;

    private static final int COPIED_BYTES = 16 * 1024;
    /** Enough bytes to tell a method whose answer is framed in its own way, its blank included. */
    private static final int METHOD_BYTES = 8;

    private static final long HEAD = methodBits("HEAD ");
    private static final long CONNECT = methodBits("CONNECT ");

    private final Capture capture;
    private final Endpoints endpoints;
    private final long requests;
    private final ByteBuf[] mappings;
    /** Hashes of the names of functions whose calls the recorded server did not answer; the latest of them. */
    private final long[] unansweredFunctions = new long[32];

    /** How many were written there; in a long run over many functions more than an int holds. */
    private long functions;
    /** Null until the first Thrift request. */
    private ThriftCallHead thriftCall;
    /** By connection, whether its first request asks for the upgrade to TTwitter; null until asked for. */
    private BitSet probing;
    /** The places in the capture of all requests that ask for that upgrade; null until asked for. */
    private long[] probes;
    /** Where each mapping begins in memory. */
    private final long[] addresses;

    /** @param endpoints of the same capture */
    public RequestSource(Capture capture, Endpoints endpoints) {
        this.capture = capture;
        this.endpoints = endpoints;
        requests = capture.requestCount();
        mappings = RecordedRequests.mappings(capture);
        addresses = new long[mappings.length];
        for (int i = 0; i < mappings.length; i++) {
            addresses[i] = mappings[i].hasMemoryAddress() ? mappings[i].memoryAddress() : 0;
        }
    }

    public long requestCount() {
        return requests;
    }

    /** The place in the capture of the n-th request of a phase. */
    public long request(long n) {
        return n < requests ? n : n % requests;
    }

    /** The endpoint of the n-th request of a phase. */
    public int endpoint(long n) {
        return endpoints.of(request(n));
    }

    /** The endpoint of a stream of a recorded HTTP/2 connection, by its place among those that its client opened. */
    public int endpointOfStream(int connection, int stream) {
        return endpoints.ofStream(connection, stream);
    }

    /** Returns how many requests of a phase each endpoint has from the n-th on, of so many. */
    public long[] countByEndpoint(long n, long count) {
        return endpoints.count(n, count);
    }

    /** As {@link #countByEndpoint}, without those that ask for the upgrade to TTwitter. */
    public long[] countWithoutProbes(long n, long count) {
        long[] counts = countByEndpoint(n, count);
        if (count > 0) {
            for (long probe : upgradeProbes()) {
                long times = Math.floorDiv(n + count - 1 - probe, requests) - Math.floorDiv(n - 1 - probe, requests);
                counts[endpoint(probe)] -= times;
            }
        }
        return counts;
    }

    /** Tells whether a request, by its place in the capture, ended its recorded connection. */
    public boolean endsConnection(long request) {
        return endpoints.endsConnection(request);
    }

    /** Tells whether a request, by its place in the capture, is one of HTTP/1.0. */
    public boolean isHttp10(long request) {
        return endpoints.isHttp10(request);
    }

    /** Tells whether the request's method changes the framing of its answer; see {@link ExpectedAnswer}. */
    public byte expectedAnswer(long request) {
        int length = capture.fragmentLength(request, 0);
        ByteBuf bytes = mappings[capture.mapping(request, 0)];
        int offset = capture.offset(request, 0);
        int first = length > 0 ? bytes.getByte(offset) : '\r';
        if (first != 'H' && first != 'C' && first != '\r' && first != '\n') {
            return ExpectedAnswer.PLAIN;
        }
        long method = methodBits(request);
        if (method == CONNECT) {
            return ExpectedAnswer.TO_CONNECT;
        }
        return method >>> 24 == HEAD >>> 24 ? ExpectedAnswer.TO_HEAD : ExpectedAnswer.PLAIN;
    }

    /** The first bytes of the request line, which may lie in several pieces. */
    private long methodBits(long request) {
        long bits = 0;
        int taken = 0;
        for (int fragment = 0; fragment < capture.fragments(request); fragment++) {
            ByteBuf bytes = mappings[capture.mapping(request, fragment)];
            int from = capture.offset(request, fragment);
            int to = from + capture.fragmentLength(request, fragment);
            for (int at = from; at < to; at++) {
                byte b = bytes.getByte(at);
                // Empty lines before a request line belong to the request (RFC 9112, 2.2).
                if (taken > 0 || (b != '\r' && b != '\n')) {
                    bits = bits << 8 | b & 0xff;
                    if (++taken == METHOD_BYTES) {
                        return bits;
                    }
                }
            }
        }
        return 0;
    }

    private static long methodBits(String method) {
        long bits = 0;
        for (int i = 0; i < METHOD_BYTES; i++) {
            bits = bits << 8 | (i < method.length() ? method.charAt(i) : 0);
        }
        return bits;
    }

    /** Reads the head of a Thrift request; it is valid until the next one is read. */
    public ThriftCallHead thriftCall(long n, Protocol protocol) {
        if (thriftCall == null) {
            thriftCall = new ThriftCallHead();
        }
        long request = request(n);
        int fragments = capture.fragments(request);
        thriftCall.begin(protocol);
        for (int fragment = 0; fragment < fragments; fragment++) {
            int offset = capture.offset(request, fragment);
            int end = offset + capture.fragmentLength(request, fragment);
            if (end > offset && !thriftCall.feed(mappings[capture.mapping(request, fragment)], offset, end)) {
                break;
            }
        }
        return thriftCall;
    }

    /**
     * Tells whether a Thrift call gets an answer, as far as that is known. One that says it is oneway gets none, nor
     * does one that the recorded server did not answer. Whether a connection's last call is answered cannot be seen; it
     * is taken from earlier calls of the same function, which is oneway or not.
     *
     * @param call of the n-th request of the phase
     */
    public boolean getsAnswer(long n, ThriftCallHead call) {
        if (call.isOneway()) {
            return false;
        }
        long request = request(n);
        if (!capture.getsAnswer(request)) {
            if (call.isKnown() && !isUnansweredFunction(call.nameHash())) {
                unansweredFunctions[(int) (functions++ % unansweredFunctions.length)] = call.nameHash();
            }
            return false;
        }
        return !isLastOfItsConnection(n) || !call.isKnown() || !isUnansweredFunction(call.nameHash());
    }

    /** Tells whether the recorded server answered the n-th request of the phase with a TApplicationException. */
    public boolean wasException(long n) {
        return capture.recordedStatus(request(n)) == RecordedStatus.THRIFT_EXCEPTION;
    }

    private boolean isUnansweredFunction(long nameHash) {
        for (int i = (int) Math.min(functions, unansweredFunctions.length) - 1; i >= 0; i--) {
            if (unansweredFunctions[i] == nameHash) {
                return true;
            }
        }
        return false;
    }

    /**
     * Tells whether the n-th request of the phase asks for the upgrade to TTwitter: the first one on its recorded
     * connection, with that name.
     */
    public boolean isUpgradeProbe(long n) {
        return isFirstOfItsConnection(n)
                && thriftCall(n, Protocol.THRIFT_FRAMED_BINARY).isUpgradeProbe();
    }

    /** Returns how many requests before the n-th of a phase ask for the upgrade to TTwitter. */
    public long upgradeProbesBefore(long n) {
        long[] all = upgradeProbes();
        int found = Arrays.binarySearch(all, request(n));
        return n / requests * all.length + (found < 0 ? ~found : found);
    }

    private long[] upgradeProbes() {
        if (probes == null) {
            probes = LongStream.range(0, requests).filter(this::isUpgradeProbe).toArray();
        }
        return probes;
    }

    /** Tells whether the n-th request of the phase was the first on its recorded connection. */
    public boolean isFirstOfItsConnection(long n) {
        return capture.indexInConnection(request(n)) == 0;
    }

    /** Tells whether a recorded connection's first request asks for the upgrade to TTwitter. */
    public boolean beginsWithProbe(int connection) {
        if (probing == null) {
            probing = new BitSet();
            for (long request = 0; request < requests; request++) {
                if (capture.protocol(capture.connection(request)) == Protocol.THRIFT_TTWITTER
                        && isUpgradeProbe(request)) {
                    probing.set(capture.connection(request));
                }
            }
        }
        return probing.get(connection);
    }

    /**
     * Writes a request to the channel without flushing.
     *
     * @param n the request's number in the phase
     * @param sentStream takes note of the very buffers that are written, or null
     * @return the request's length in bytes
     */
    public long write(Channel channel, long n, SentStream sentStream) {
        long request = request(n);
        int fragments = capture.fragments(request);
        long bytes = 0;
        for (int fragment = 0; fragment < fragments; fragment++) {
            int length = capture.fragmentLength(request, fragment);
            ByteBuf out = bytes(channel, capture.mapping(request, fragment), capture.offset(request, fragment), length);
            if (sentStream != null && isCopied(length)) {
                sentStream.handedCopy(n, out, fragment == fragments - 1);
            } else if (sentStream != null) {
                sentStream.handed(n, out, fragment == fragments - 1);
            }
            channel.write(out, channel.voidPromise());
            bytes += length;
        }
        return bytes;
    }

    /** Writes a request as it was recorded, from one of its bytes on, without flushing; returns how many bytes. */
    public long writeFrom(Channel channel, long request, long from) {
        long skip = from;
        long bytes = 0;
        for (int fragment = 0; fragment < capture.fragments(request); fragment++) {
            int length = capture.fragmentLength(request, fragment);
            int skipped = (int) Math.min(skip, length);
            skip -= skipped;
            if (length > skipped) {
                int offset = capture.offset(request, fragment) + skipped;
                channel.write(
                        bytes(channel, capture.mapping(request, fragment), offset, length - skipped),
                        channel.voidPromise());
                bytes += length - skipped;
            }
        }
        return bytes;
    }

    /**
     * Writes recorded bytes that belong to no request to the channel without flushing.
     *
     * @param piece their number among the capture's opaque pieces
     * @return their length
     */
    public int writeOpaque(Channel channel, long piece) {
        OpaquePieces opaque = capture.opaque();
        int length = opaque.length(piece);
        channel.write(bytes(channel, opaque.mapping(piece), opaque.offset(piece), length), channel.voidPromise());
        return length;
    }

    private ByteBuf bytes(Channel channel, int mapping, int offset, int length) {
        return isCopied(length)
                ? channel.alloc().directBuffer(length).writeBytes(mappings[mapping], offset, length)
                : mappings[mapping].retainedSlice(offset, length);
    }

    private static boolean isCopied(int length) {
        return length <= COPIED_BYTES;
    }

    /** Where the n-th request of the phase lies in memory, or 0 where it does not lie there in one piece. */
    public long address(long n) {
        long request = request(n);
        if (capture.fragments(request) != 1) {
            return 0;
        }
        long address = addresses[capture.mapping(request, 0)];
        return address == 0 ? 0 : address + capture.offset(request, 0);
    }

    /** The length of a request that lies in one piece. */
    public int length(long n) {
        return capture.fragmentLength(request(n), 0);
    }

    /** Notes the bytes of a request that lies in one piece, which are about to be sent from where they lie. */
    public void note(long n, SentStream sentStream) {
        ByteBuf bytes = slice(n, 0);
        sentStream.handed(n, bytes, true);
        bytes.release();
    }

    /** Writes the end of a request that lies in one piece to the channel, without flushing. */
    public void writeRest(Channel channel, long n, int from) {
        channel.write(slice(n, from), channel.voidPromise());
    }

    private ByteBuf slice(long n, int from) {
        long request = request(n);
        return mappings[capture.mapping(request, 0)].retainedSlice(
                capture.offset(request, 0) + from, capture.fragmentLength(request, 0) - from);
    }

    /** Returns the protocol in which a connection's requests are answered, before it switches to another one. */
    public Protocol answersOf(int connection) {
        Protocol protocol = capture.protocol(connection);
        return !protocol.isThrift() && capture.requestCount(connection) > 0 ? Protocol.HTTP1 : protocol;
    }

    /** Tells whether a connection of HTTP/1 went on in another protocol behind its last request. */
    public boolean switches(int connection) {
        return capture.protocol(connection) != Protocol.HTTP1;
    }

    /** Tells whether a connection is one of HTTP/2, or went on in it behind an upgrade. */
    public boolean isHttp2(int connection) {
        return capture.protocol(connection) == Protocol.HTTP2;
    }

    /** Tells whether the n-th request of the phase is the last one on its recorded connection. */
    public boolean isLastOfItsConnection(long n) {
        return Endpoints.isLastOfItsConnection(capture, request(n));
    }

    /** Tells whether recorded bytes that belong to no request come behind their connection's last request. */
    public boolean isBehindRequests(long piece) {
        OpaquePieces opaque = capture.opaque();
        return opaque.requestsBefore(piece) == capture.requestCount(opaque.connection(piece));
    }

    /** Copies a request into a buffer of the channel's, which is the caller's. */
    public ByteBuf copy(Channel channel, long n) {
        long request = request(n);
        int length = (int) capture.requestLength(request);
        ByteBuf out = channel.alloc().directBuffer(length);
        copy(request, out, length);
        return out;
    }

    /** Appends the first bytes of a request, which must have as many. */
    public void copy(long request, ByteBuf out, int length) {
        int left = length;
        for (int fragment = 0; left > 0; fragment++) {
            int bytes = Math.min(left, capture.fragmentLength(request, fragment));
            out.writeBytes(mappings[capture.mapping(request, fragment)], capture.offset(request, fragment), bytes);
            left -= bytes;
        }
    }

    /** Has a piece of a request read for its deadline, as {@link FinagleDeadline#feed}. */
    public boolean feed(long request, int fragment, FinagleDeadline deadline, int place) {
        int offset = capture.offset(request, fragment);
        int end = offset + capture.fragmentLength(request, fragment);
        return deadline.feed(mappings[capture.mapping(request, fragment)], offset, end, place);
    }

    /** Has recorded bytes that belong to no request read as those of an HTTP/2 client. */
    public void feed(long piece, Http2Requests client) {
        OpaquePieces opaque = capture.opaque();
        int offset = opaque.offset(piece);
        client.feed(mappings[opaque.mapping(piece)], offset, offset + opaque.length(piece), null);
    }

    /** The request methods whose answers are framed in a way of their own. */
    public static final class ExpectedAnswer {
        static final byte PLAIN = 0;
        public static final byte TO_HEAD = 1;
        public static final byte TO_CONNECT = 2;

        private ExpectedAnswer() {}
    }
}
