package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordedStatus;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Recognises the protocol of a connection at its first bytes and finds where the client's requests begin and end. Runs
 * per read; used by the one thread that handles the connection; needs no close.
 *
 * <p>The bytes may arrive cut anywhere; the boundaries do not depend on the cuts. A caller walks the client's bytes
 * like this, and hands over the server's bytes, in the order in which both came, while {@link #wantsAnswers()}:
 *
 * <pre>{@code
 * while (from < to) {
 *     boolean begins = framer.isBetweenRequests();
 *     int next = framer.feed(buffer, from, to);
 *     boolean ends = framer.isBetweenRequests();
 *     // [from, next) belongs to one request, or to none when framer.isOpaque() or framer.isAside()
 *     from = next;
 * }
 * }</pre>
 *
 * <p>A stream that is not recognised or cannot be followed is never an error: it is opaque from there on. Only where
 * bytes are missing, at the beginning or later, does the framer look for a request again, and only at the beginning of
 * a read, which then must be a packet's: there alone a request's first bytes can be told from a body's.
 *
 * <p>After a CONNECT or a request with an Upgrade header the server's answer decides: 101, or 2xx to CONNECT, makes the
 * rest of the connection opaque; any other final answer lets HTTP/1 go on. Bytes of the client that come before the
 * answer are framed as HTTP/1 for as long as they are HTTP/1: a client may not speak another protocol yet.
 */
public final class ConnectionFramer {
    // What reads the client's next bytes.
    private static final int HTTP1 = 0;
    private static final int RECOGNITION = 1;
    private static final int THRIFT = 2;
    private static final int HTTP2 = 3;
    private static final int OPAQUE = 4;
    private static final int SEARCH = 5;

    private static final byte TLS_HANDSHAKE = 22;
    private static final int TLS_RECORD_TYPES_FROM = 20;
    private static final int TLS_RECORD_TYPES_TO = 23;

    private final HttpRequestFramer http = new HttpRequestFramer();

    private int mode;
    private Protocol protocol = Protocol.UNKNOWN;
    private final boolean isForced;

    /** The first bytes while they are not recognised; null before and after. */
    private ByteBuf first;

    private ThriftFramer thrift;
    private Http2Requests http2;

    /** Reads the answers of HTTP/1; null until the first request, and where they cannot be read. */
    private AwaitedAnswers answers;
    /** Whether answers could not be read, so that later ones cannot be ascribed to requests. */
    private boolean answersLost;

    private final RecordedAnswers recorded = new RecordedAnswers();

    /** Whether bytes were missing, so that a read that looks like a request may turn out to be none. */
    private boolean hasGaps;
    /** While searching: whether the bytes read last belong to no request. */
    private boolean isLost;

    /**
     * Creates a framer for a connection of which no byte was read yet.
     *
     * @param forced the protocol that the connection is known to have, or null to recognise it
     * @param alreadyOpen whether the connection was open before recording began, so that its first byte may be any
     */
    public ConnectionFramer(Protocol forced, boolean alreadyOpen) {
        isForced = forced != null;
        hasGaps = alreadyOpen;
        if (alreadyOpen && (forced == null || forced == Protocol.HTTP1 || forced == Protocol.HTTP2)) {
            search(forced == Protocol.HTTP2 ? forced : Protocol.UNKNOWN);
        } else if (forced == null) {
            mode = RECOGNITION;
        } else {
            begin(forced, alreadyOpen);
        }
    }

    /**
     * Reads on in the client's bytes, at most to the end of one request. The buffer's own indices are neither used nor
     * moved.
     *
     * @param from the index of the first byte to read
     * @param to the index after the last byte that may be read
     * @return the index after the last byte read: {@code to}, or the end of a request
     */
    public int feed(ByteBuf buffer, int from, int to) {
        if (mode != HTTP1) {
            return feedOther(buffer, from, to);
        }
        int next = http.feed(buffer, from, to);
        if (!http.isPlain() || http.isBetweenRequests()) {
            noteRequest(buffer, from, next);
        }
        return next;
    }

    /** Whether the next byte begins a request: true at first and right after each request's last byte. */
    public boolean isBetweenRequests() {
        switch (mode) {
            case HTTP1:
                return http.isBetweenRequests();
            case RECOGNITION:
                return first == null;
            case THRIFT:
                return thrift.isBetweenRequests();
            case SEARCH:
                return true;
            default:
                return false;
        }
    }

    /** Whether a request has begun and not ended, leaving out what no request needs to follow. */
    public boolean isInRequest() {
        switch (mode) {
            case HTTP1:
                return http.isInRequest();
            case RECOGNITION:
                return first != null;
            case THRIFT:
                return thrift.isInRequest();
            default:
                return false;
        }
    }

    /** Whether the bytes read last belong to no request, since the stream is not recognised or not followed. */
    public boolean isOpaque() {
        switch (mode) {
            case HTTP1:
                return http.isOpaque();
            case RECOGNITION:
                return false;
            case THRIFT:
                return thrift.isOpaque();
            case SEARCH:
                return isLost;
            default:
                return true;
        }
    }

    /**
     * Whether the bytes read last belong to no request, though the stream is followed: a protocol's own control frames,
     * such as pings.
     */
    public boolean isAside() {
        return mode == THRIFT && thrift.isAside();
    }

    /** Whether servers may disagree about the end of the current request, or else of the last one. */
    public boolean isAmbiguous() {
        return mode == HTTP1 && http.isAmbiguous();
    }

    /** What the connection's bytes are recognised as by now; changes when a connection switches. */
    public Protocol protocol() {
        switch (mode) {
            case HTTP1:
                return http.isRecognised() ? Protocol.HTTP1 : Protocol.UNKNOWN;
            case THRIFT:
                return thrift.protocol();
            default:
                return protocol;
        }
    }

    /** Why an HTTP/1 connection is not framed further, or null while it is, and for other protocols. */
    OpaqueReason opaqueReason() {
        return mode == HTTP1 ? http.opaqueReason() : null;
    }

    /**
     * How many requests were seen on the connection's HTTP/2 streams. Their frames mix, so the connection's bytes are
     * opaque: these are in addition to those whose boundaries {@link #feed} tells.
     */
    public long http2Requests() {
        return http2 == null ? 0 : http2.requests();
    }

    /**
     * Whether the server's next bytes may decide how the client's are read, or tell how requests were answered. Asked
     * before each of its reads.
     */
    public boolean wantsAnswers() {
        return answers != null || mayAnswerEarly() || mode == THRIFT && thrift.wantsAnswers();
    }

    /** Reads the server's bytes; needed only while {@link #wantsAnswers()}, harmless otherwise. */
    public void feedAnswer(ByteBuf buffer, int from, int to) {
        if (mode == THRIFT) {
            thrift.feedAnswer(buffer, from, to);
            return;
        }
        if (answers == null && mayAnswerEarly()) {
            awaitAnswers(http.requests());
        }
        if (answers != null) {
            noteAnswers(answers.feed(buffer, from, to, http.isInRequest()));
        }
    }

    /** Whether what the server says may belong to a request that has not ended. */
    private boolean mayAnswerEarly() {
        return mode == HTTP1 && !answersLost && http.isInRequest();
    }

    private void awaitAnswers(long request) {
        answers = new AwaitedAnswers(recorded, request, request == 0 && !hasGaps, !answersLost);
    }

    /** Says that the server sends no more, which ends an answer whose length is not told. */
    public void answersEnded() {
        if (answers != null) {
            answers.ended(http.isInRequest());
        }
    }

    /**
     * The number, counted from 0 over the connection's requests, of a request that was answered and was not returned
     * before; -1 where there is none.
     */
    public long takeAnswered() {
        return recorded.take();
    }

    /** How the request of the last {@link #takeAnswered} was answered: {@link RecordedStatus}. */
    public int answeredStatus() {
        return recorded.status();
    }

    /**
     * The number, counted from 0 over the connection's requests, of a request that is known to get no answer and was
     * not returned before; -1 when there is none.
     */
    public long takeUnanswered() {
        return mode == THRIFT ? thrift.takeUnanswered() : -1;
    }

    /**
     * Says that the client's next bytes are missing. Where the framer knows that they lay inside a body it stays in
     * step, and that request has a hole; elsewhere the request that had begun has no end, and the framer looks for the
     * beginning of another in what comes after.
     *
     * @param bytes how many, 0 when not known
     */
    public void missing(long bytes) {
        hasGaps = true;
        switch (mode) {
            case HTTP1:
                if (http.isOpaque()) {
                    break;
                }
                if (!http.missing(bytes)) {
                    search(http.isRecognised() ? Protocol.HTTP1 : Protocol.UNKNOWN);
                    answers = null;
                } else if (http.isBetweenRequests()) {
                    requestEnded();
                }
                break;
            case RECOGNITION:
                first = null;
                search(Protocol.UNKNOWN);
                break;
            case THRIFT:
                thrift.missing(bytes);
                break;
            case HTTP2:
                http2.missing();
                break;
            default:
                break;
        }
    }

    /** Says that the server's next bytes are missing; {@code bytes} is 0 when it is not known how many. */
    public void answerMissing(long bytes) {
        if (mode == THRIFT) {
            thrift.answerMissing(bytes);
        } else if (answers != null) {
            answers.missing(bytes);
        }
    }

    private int feedOther(ByteBuf buffer, int from, int to) {
        if (from >= to) {
            return to;
        }
        switch (mode) {
            case RECOGNITION:
                return recognise(buffer, from, to);
            case THRIFT:
                return thrift.feed(buffer, from, to);
            case HTTP2:
                http2.feed(buffer, from, to, null);
                return to;
            case SEARCH:
                return find(buffer, from, to);
            default:
                return to;
        }
    }

    /** Recognises the connection at its first bytes, and has the framer of their protocol read them. */
    private int recognise(ByteBuf buffer, int from, int to) {
        if (first == null) {
            Protocol found = recognised(buffer, from, to);
            if (found != null) {
                begin(found, false);
                return feed(buffer, from, to);
            }
            first = Unpooled.buffer(ThriftRecognition.MAX_BYTES);
        }
        // One by one, so that what is recognised, and where, does not depend on the cuts.
        for (int index = from; index < to; index++) {
            first.writeByte(buffer.getByte(index));
            Protocol found = recognised(first, 0, first.writerIndex());
            if (found == null && first.writerIndex() == ThriftRecognition.MAX_BYTES) {
                found = Protocol.UNKNOWN;
            }
            if (found != null) {
                ByteBuf read = first;
                first = null;
                begin(found, false);
                if (thrift != null) {
                    thrift.beginsInPieces();
                }
                // A protocol is recognised at the latest with its first message's last byte.
                for (int next = 0; next < read.writerIndex(); ) {
                    next = feed(read, next, read.writerIndex());
                }
                return isBetweenRequests() || index + 1 == to ? index + 1 : feed(buffer, index + 1, to);
            }
        }
        return to;
    }

    /** Returns the protocol of a connection with these first bytes, null when more are needed. */
    private static Protocol recognised(ByteBuf buffer, int from, int to) {
        byte b = buffer.getByte(from);
        if (b == '\r' || b == '\n' || b != 'x' && HttpRequestLine.isTokenByte(b)) {
            return Protocol.HTTP1;
        }
        if (b == TLS_HANDSHAKE) {
            return to - from < 2 ? null : buffer.getByte(from + 1) == 3 ? Protocol.TLS : Protocol.UNKNOWN;
        }
        Protocol found = ThriftRecognition.CALLS.recognise(buffer, from, to);
        // No other protocol begins with an x, but a method may.
        return b == 'x' && found == Protocol.UNKNOWN ? Protocol.HTTP1 : found;
    }

    /** @param alreadyOpen of Thrift alone: HTTP in the middle of a connection is searched for */
    private void begin(Protocol found, boolean alreadyOpen) {
        switch (found) {
            case HTTP1:
                mode = HTTP1;
                break;
            case UNKNOWN:
            case TLS:
            case WEBSOCKET:
                turnOpaque(found);
                break;
            case HTTP2:
                follow(new Http2Requests());
                break;
            default:
                follow(new ThriftFramer(found, alreadyOpen, recorded));
        }
    }

    private void follow(ThriftFramer framer) {
        mode = THRIFT;
        thrift = framer;
        answers = null;
    }

    private void follow(Http2Requests requests) {
        mode = HTTP2;
        protocol = Protocol.HTTP2;
        http2 = requests;
        answers = null;
    }

    private void turnOpaque(Protocol found) {
        mode = OPAQUE;
        protocol = found;
        answers = null;
    }

    private void search(Protocol known) {
        mode = SEARCH;
        protocol = known;
        isLost = false;
    }

    /** Looks whether a read begins with a request; if not, it is part of what cannot be followed. */
    private int find(ByteBuf buffer, int from, int to) {
        boolean mayBeHttp1 = protocol == Protocol.HTTP1 || protocol == Protocol.UNKNOWN;
        if (mayBeHttp1 && RequestStart.looksLikeHttp1(buffer, from, to)) {
            http.restart();
            mode = HTTP1;
            return feed(buffer, from, to);
        }
        boolean mayBeAny = protocol == Protocol.UNKNOWN && !isForced;
        boolean mayBeHttp2 = mayBeAny || protocol == Protocol.HTTP2;
        if (mayBeHttp2 && RequestStart.looksLikeHttp2(buffer, from, to)) {
            follow(new Http2Requests());
            return feedOther(buffer, from, to);
        }
        if (mayBeAny) {
            if (looksLikeTls(buffer, from, to)) {
                turnOpaque(Protocol.TLS);
                return to;
            }
            Protocol found = ThriftRecognition.CALLS.recogniseInside(buffer, from, to);
            if (found != Protocol.UNKNOWN) {
                follow(new ThriftFramer(found, true, recorded));
                return feedOther(buffer, from, to);
            }
        }
        if (mayBeHttp2 && RequestStart.looksLikeHttp2Frames(buffer, from, to)) {
            follow(Http2Requests.inTheMiddle());
            return feedOther(buffer, from, to);
        }
        isLost = true;
        return to;
    }

    private static boolean looksLikeTls(ByteBuf buffer, int from, int to) {
        return to - from >= 3
                && buffer.getByte(from) >= TLS_RECORD_TYPES_FROM
                && buffer.getByte(from) <= TLS_RECORD_TYPES_TO
                && buffer.getByte(from + 1) == 3
                && buffer.getByte(from + 2) >= 0
                && buffer.getByte(from + 2) <= 4;
    }

    /** Notes what the HTTP/1 framer's last read means for what comes after. */
    private void noteRequest(ByteBuf buffer, int from, int to) {
        if (http.isOpaque()) {
            answers = null;
            if (http.opaqueReason() == OpaqueReason.HTTP2) {
                follow(new Http2Requests());
                http2.prefaceRead(RequestStart.HTTP2_PREFACE_KNOWN_BYTES);
                http2.feed(buffer, http.opaqueFrom(), to, null);
            } else if (hasGaps && http.opaqueReason() != OpaqueReason.SWITCHED_PROTOCOL) {
                // What looked like a request was none, or one with a hole that was not known.
                search(http.isRecognised() ? Protocol.HTTP1 : Protocol.UNKNOWN);
                isLost = true;
            }
            return;
        }
        if (from < to && http.isBetweenRequests()) {
            requestEnded();
        }
    }

    /** Has the answer to the HTTP/1 request awaited that has ended. */
    private void requestEnded() {
        if (answers == null) {
            if (answersLost && !http.maySwitchProtocol()) {
                return;
            }
            awaitAnswers(http.requests() - 1);
        }
        answers.await(http.endedHead(), http.endedConnect(), http.maySwitchProtocol());
    }

    private void noteAnswers(AwaitedAnswers.Outcome outcome) {
        switch (outcome) {
            case SWITCHED:
                Protocol next = answers.protocol();
                if (next != Protocol.HTTP2) {
                    turnOpaque(next);
                } else if (http.isBetweenRequests()) {
                    follow(new Http2Requests());
                } else {
                    // The client's preface is being read and will be seen for what it is.
                    answers = null;
                }
                break;
            case REFUSED:
                http.refuseSwitch();
                break;
            case UNKNOWN:
                answersLost = true;
                answers = null;
                break;
            default:
                break;
        }
    }
}
