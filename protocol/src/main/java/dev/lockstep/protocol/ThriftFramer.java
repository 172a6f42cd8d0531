package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordedStatus;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Finds where Thrift messages begin and end on one connection, in the client's bytes, and learns from the server's
 * which calls get no answer and whether the connection was upgraded. Runs per request; used by the one thread that
 * handles the connection.
 *
 * <p>The bytes may arrive cut anywhere; the boundaries do not depend on the cuts. A stream that cannot be followed is
 * never an error: it is opaque from there on. After a gap, and on a connection that was already open, it looks for a
 * message at the beginning of each piece that it is fed, and is opaque until then.
 *
 * <p>TTwitter: Finagle's client first calls a function of a certain name. A server of Finagle's replies, and from then
 * on each message stands behind a struct of headers; any other server answers with an exception, and nothing changes.
 */
final class ThriftFramer {
    private static final long UPGRADE_PROBE = ThriftMessageReader.hash(ThriftCallHead.UPGRADE_PROBE_NAME);

    private final Protocol protocol;

    /** Reads the client's messages; null where mux does, and where the stream cannot be read. */
    private final ThriftStreamReader calls;
    /** Reads the client's dispatches; null unless the protocol is mux. */
    private final MuxReader mux;

    private final ThriftCalls waiting;
    private final RecordedAnswers recorded;
    private boolean probing;
    private boolean upgraded;

    /** Reads the server's messages; null until their form is recognised by their first bytes. */
    private ThriftStreamReader answers;

    private final ByteBuf firstAnswer;
    private boolean answersLost;
    /** Whether the next bytes of the server may be in the middle of a message, before their form was recognised. */
    private boolean answersInside;

    private long requests;

    /**
     * Creates a framer.
     *
     * @param protocol one of the Thrift protocols
     * @param alreadyOpen whether the first byte that is fed may be any, and not only a message's first
     * @param recorded takes how requests were answered
     */
    ThriftFramer(Protocol protocol, boolean alreadyOpen, RecordedAnswers recorded) {
        this.protocol = protocol;
        this.recorded = recorded;
        answersInside = alreadyOpen;
        mux = protocol == Protocol.THRIFT_MUX ? new MuxReader(alreadyOpen) : null;
        boolean readable = ThriftCallHead.reads(protocol);
        calls = readable ? new ThriftStreamReader(protocol, false, alreadyOpen) : null;
        waiting = readable ? new ThriftCalls() : null;
        firstAnswer = readable ? Unpooled.buffer(ThriftRecognition.MAX_BYTES, ThriftRecognition.MAX_BYTES) : null;
        upgraded = protocol == Protocol.THRIFT_TTWITTER;
    }

    /** Says that the first bytes were already told to begin a request, before it was known what they are. */
    void beginsInPieces() {
        if (mux != null) {
            mux.beginsInPieces();
        }
    }

    /**
     * Reads on in the client's bytes, at most to the end of one request, and returns the index after the last byte
     * read.
     */
    int feed(ByteBuf buffer, int from, int to) {
        if (mux != null) {
            int index = mux.feed(buffer, from, to);
            if (mux.hasEnded()) {
                requests++;
            }
            return index;
        }
        if (calls == null) {
            return to;
        }
        int index = calls.feed(buffer, from, to);
        if (calls.hasEnded()) {
            requestEnded();
        }
        return index;
    }

    /** Whether the next byte begins a request: true at first and right after each request's last byte. */
    boolean isBetweenRequests() {
        return !isOpaqueForGood() && !(mux != null ? mux.hasBegun() : calls.hasBegun());
    }

    /** Whether a request has begun and not ended. */
    boolean isInRequest() {
        return !isOpaqueForGood() && (mux != null ? mux.isInRequest() : calls.hasBegun());
    }

    /** Whether the bytes read last could not be followed, and belong to no request. */
    boolean isOpaque() {
        return isOpaqueForGood() || (mux != null ? mux.isResynchronising() : calls.isResynchronising());
    }

    /** Whether the bytes read last were followed but belong to no request: mux's pings and its handshake. */
    boolean isAside() {
        return mux != null ? mux.isAside() : calls != null && calls.isAside();
    }

    /**
     * The form of the client's messages: TTwitter from the moment the connection is upgraded, and unknown where the
     * first message already could not be followed.
     */
    Protocol protocol() {
        if (protocol != Protocol.THRIFT_ZLIB && requests == 0 && isOpaqueForGood()) {
            return Protocol.UNKNOWN;
        }
        return upgraded ? Protocol.THRIFT_TTWITTER : protocol;
    }

    /** Whether the server's next bytes are of use. */
    boolean wantsAnswers() {
        return calls != null && !calls.isLost() && !answersLost;
    }

    /** Reads the server's bytes, in the order in which they came between the client's. */
    void feedAnswer(ByteBuf buffer, int from, int to) {
        int index = from;
        if (wantsAnswers() && answers == null) {
            index = recogniseAnswer(buffer, from, to);
        }
        while (index < to && wantsAnswers()) {
            index = answers.feed(buffer, index, to);
            if (answers.hasEnded()) {
                answerEnded();
            } else if (answers.isLost()) {
                loseAnswers();
            }
        }
    }

    /** The number of a request that is known to get no answer and was not returned before, or -1. */
    long takeUnanswered() {
        return waiting == null ? -1 : waiting.takeUnanswered();
    }

    /** Says that the client's next bytes are missing; {@code bytes} is 0 when it is not known how many. */
    void missing(long bytes) {
        if (mux != null) {
            mux.missing(bytes);
        } else if (calls != null) {
            if (!calls.missing(bytes) || calls.isTorn()) {
                waiting.forget();
            }
            if (calls.hasEnded()) {
                requestEnded();
            }
        }
    }

    /** Says that the server's next bytes are missing; {@code bytes} is 0 when it is not known how many. */
    void answerMissing(long bytes) {
        if (calls == null) {
            return;
        }
        if (answers == null) {
            answersInside = true;
            firstAnswer.clear();
            waiting.forget();
            return;
        }
        if (!answers.missing(bytes) || answers.isTorn()) {
            waiting.forget();
        }
        if (answers.hasEnded()) {
            answerEnded();
        }
    }

    private boolean isOpaqueForGood() {
        return mux != null ? mux.isLost() : calls == null || calls.isLost();
    }

    private void requestEnded() {
        long number = requests++;
        if (calls.isTorn()) {
            return;
        }
        if (!calls.hasHead()) {
            waiting.sent(number, 0, 0, calls.sequenceId());
            return;
        }
        ThriftMessageReader head = calls.head();
        if (calls.hadTwitterHeader()) {
            upgrade();
        } else if (head.nameHash() == UPGRADE_PROBE && number == 0) {
            probing = true;
            calls.expectTwitterHeader(true);
        }
        if (head.type() == ThriftMessageReader.ONEWAY) {
            waiting.unanswered(number);
        } else if (head.type() == ThriftMessageReader.CALL) {
            waiting.sent(number, head.nameHash(), head.methodHash(), head.sequenceId());
        }
    }

    private void answerEnded() {
        if (answers.isTorn()) {
            return;
        }
        if (!answers.hasHead()) {
            waiting.answered(answers.answeredName(), answers.sequenceId());
            return;
        }
        ThriftMessageReader head = answers.head();
        if (head.type() != ThriftMessageReader.REPLY && head.type() != ThriftMessageReader.EXCEPTION) {
            return;
        }
        if (probing && head.nameHash() == UPGRADE_PROBE) {
            probing = false;
            if (head.type() == ThriftMessageReader.REPLY) {
                upgrade();
            } else if (!upgraded) {
                calls.expectTwitterHeader(false);
            }
        }
        boolean isException = head.type() == ThriftMessageReader.EXCEPTION;
        long request = waiting.answered(answers.answeredName(), answers.sequenceId());
        if (request >= 0) {
            recorded.add(request, isException ? RecordedStatus.THRIFT_EXCEPTION : RecordedStatus.THRIFT_REPLY);
        }
    }

    private void upgrade() {
        if (!upgraded) {
            upgraded = true;
            calls.upgradeToTwitter();
            if (answers != null) {
                answers.upgradeToTwitter();
            }
        }
    }

    /** Looks at the server's first bytes, which may be of another form than the client's, until that is known. */
    private int recogniseAnswer(ByteBuf buffer, int from, int to) {
        if (answersInside) {
            Protocol found = ThriftRecognition.ANSWERS.recogniseInside(buffer, from, to);
            if (found == Protocol.UNKNOWN) {
                return to;
            }
            answers = new ThriftStreamReader(found, true, false);
            return from;
        }
        int index = from;
        Protocol found = null;
        while (found == null && index < to && firstAnswer.isWritable()) {
            firstAnswer.writeByte(buffer.getByte(index++));
            found = ThriftRecognition.ANSWERS.recognise(firstAnswer, 0, firstAnswer.writerIndex());
        }
        if (found == null && firstAnswer.isWritable()) {
            return to;
        }
        if (found == null || !ThriftCallHead.reads(found)) {
            loseAnswers();
            return to;
        }
        answers = new ThriftStreamReader(found, true, false);
        if (upgraded) {
            answers.upgradeToTwitter();
        }
        answers.feed(firstAnswer, 0, firstAnswer.writerIndex());
        return index;
    }

    private void loseAnswers() {
        answersLost = true;
        waiting.stop();
    }
}
