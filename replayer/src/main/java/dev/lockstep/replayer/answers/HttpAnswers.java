package dev.lockstep.replayer.answers;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.protocol.HttpResponseFramer;
import dev.lockstep.replayer.comparison.AnswerDigest;
import dev.lockstep.replayer.meters.LoadMeter;
import dev.lockstep.replayer.requests.RequestSource;
import dev.lockstep.replayer.rewriting.Rewriter;
import dev.lockstep.replayer.rewriting.TokenFinder;
import io.netty.buffer.ByteBuf;

/**
 * Reads HTTP/1 responses, first-in first-out. Runs per request on the event loop.
 *
 * <p>Where the recorded connection switched to another protocol, by 101 or 2xx to CONNECT, and the target switches too,
 * the rest goes on as HTTP/2, or as a stream that is not understood. A connection of a pool ends there.
 */
final class HttpAnswers implements AnswerReader {
    /** Beside the {@link RequestSource.ExpectedAnswer} of a request whose connection ends with its answer. */
    private static final long IS_LAST = 1 << 8;

    private final TargetAnswers answers;
    private final RequestSource source;
    private final LoadMeter meter;
    private final AnsweredConnection connection;
    /** Whether a request may end this connection; recorded ones end as they were recorded. */
    private final boolean pooled;
    /** What changes requests, and what they say of their connection; null where they say what was recorded. */
    private final Rewriter saying;

    private final HttpResponseFramer framer;
    /** What the framing of each awaited answer depends on, oldest first; see {@link RequestSource.ExpectedAnswer}. */
    private final LongQueue expected = new LongQueue(1);

    private long next;
    /** Whether the recorded connection went on in another protocol after its last request; null until it matters. */
    private Boolean recordedSwitch;
    /** Whether the target did. */
    private boolean switched;
    /** Reads what comes behind the last request's answer, once other bytes were sent there; null before. */
    private AnswerReader stream;

    private boolean framing;
    /** Digests the answer that is framed, where answers are compared; null before. */
    private AnswerDigest digest;
    /** Finds the session tokens that requests are rewritten with; null where there are none. */
    private final TokenFinder tokens;

    HttpAnswers(TargetAnswers answers, AnsweredConnection connection) {
        this.answers = answers;
        source = answers.source;
        meter = answers.meter;
        this.connection = connection;
        framer = new HttpResponseFramer(answers.lastHead);
        Rewriter rewriter = answers.rewriter;
        pooled = connection.recorded() == AnsweredConnection.POOLED;
        saying = rewriter != null && rewriter.setsConnection() ? rewriter : null;
        tokens = rewriter == null || !rewriter.wantsAnswers() ? null : new TokenFinder(rewriter);
    }

    @Override
    public boolean opened() {
        framing = false;
        expected.clear();
        switched = false;
        stream = null;
        return true;
    }

    @Override
    public boolean sending(long sequence, long n, long intendedNs) {
        if (expected.isEmpty()) {
            next = sequence;
        }
        long request = source.request(n);
        expected.add(source.expectedAnswer(request) | (pooled && isLast(request) ? IS_LAST : 0));
        return true;
    }

    /** Whether a request ends its connection: a server may close that without a word in its answer. */
    private boolean isLast(long request) {
        return saying == null ? source.endsConnection(request) : saying.endsConnection(source.isHttp10(request));
    }

    @Override
    public boolean sendingOpaque(long piece, long intendedNs) {
        if (!switched && recordedSwitch() && source.isBehindRequests(piece) && expected.isEmpty()) {
            // This connection did not switch.
            return false;
        }
        return stream().sendingOpaque(piece, intendedNs);
    }

    private AnswerReader stream() {
        if (stream == null) {
            stream = switched && source.isHttp2(connection.recorded())
                    ? Http2Answers.behindUpgrade(answers, connection)
                    : new OpaqueAnswers(meter);
        }
        return stream;
    }

    private boolean recordedSwitch() {
        if (recordedSwitch == null) {
            recordedSwitch = source.switches(connection.recorded());
        }
        return recordedSwitch;
    }

    @Override
    public void read(ByteBuf in) {
        while (in.isReadable()) {
            if (stream != null && expected.isEmpty()) {
                stream.read(in);
                return;
            }
            if (!connection.isAwaited(next)) {
                skipLineEnds(in);
                if (!in.isReadable()) {
                    return;
                }
                meter.excessBytes();
                connection.close(ErrorKind.EXCESS_RESPONSE);
                return;
            }
            if (!framing) {
                long kind = expected.get(0) & ~IS_LAST;
                framer.expect(
                        kind == RequestSource.ExpectedAnswer.TO_HEAD, kind == RequestSource.ExpectedAnswer.TO_CONNECT);
                framing = true;
                if (answers.log() != null || digest != null) {
                    compare();
                }
                if (tokens != null) {
                    tokens.begin(connection.number(next), digest != null && digest.isOn() ? digest : null);
                    framer.listener(tokens);
                }
            }
            switch (framer.feed(in)) {
                case HttpResponseFramer.MORE:
                    return;
                case HttpResponseFramer.COMPLETE:
                    if (expected.size() == 1 && !framer.switched()) {
                        // Some end a body with a line's end that is no part of it.
                        skipLineEnds(in);
                    }
                    // In a pool a connection that switches is closed, with what came behind.
                    if (in.isReadable() && expected.size() == 1 && stream == null && !framer.switched()) {
                        // Before the next request goes out, whose answer these bytes would be taken for.
                        connection.close(ErrorKind.EXCESS_RESPONSE);
                        return;
                    }
                    if (!complete()) {
                        return;
                    }
                    break;
                default:
                    connection.close(ErrorKind.MALFORMED_RESPONSE);
                    return;
            }
        }
    }

    @Override
    public void closed() {
        if (stream != null) {
            stream.closed();
            stream = null;
        }
    }

    @Override
    public void ended() {
        if (framing && framer.endOfStream() == HttpResponseFramer.COMPLETE) {
            complete();
        } else if (stream != null) {
            stream.ended();
        }
    }

    @Override
    public ErrorKind expiredAs() {
        return stream == null ? ErrorKind.READ_TIMEOUT : stream.expiredAs();
    }

    /** Has the answer that begins digested, where it is among those to be compared. */
    private void compare() {
        if (digest == null) {
            digest = new AnswerDigest();
        }
        framer.listener(digest.begin(answers.log(), connection.number(next)) ? digest : null);
    }

    /** Reports the answer that was read; returns whether the connection goes on. */
    private boolean complete() {
        framing = false;
        boolean isLast = (expected.remove() & IS_LAST) != 0;
        if (tokens != null) {
            tokens.end();
        }
        if (answers.rewriter != null) {
            answers.rewriter.answered(framer.status());
        }
        if (digest != null) {
            digest.end(connection.number(next));
        }
        if (!pooled && (framer.switched() || recordedSwitch())) {
            return completeSwitch();
        }
        return connection.completed(next++, framer.status(), framer.bodyBytes(), framer.persistent() && !isLast);
    }

    private static void skipLineEnds(ByteBuf in) {
        while (in.isReadable()) {
            byte next = in.getByte(in.readerIndex());
            if (next != '\r' && next != '\n') {
                return;
            }
            in.skipBytes(1);
        }
    }

    /** Reports an answer that may be the last one of HTTP; what comes behind is only sent where both switch or none. */
    private boolean completeSwitch() {
        boolean wanted = recordedSwitch() && source.isLastOfItsConnection(connection.number(next));
        if (framer.switched() != wanted) {
            answers.notes.add("the target answered " + framer.status()
                    + (wanted
                            ? " where the recorded server switched protocols (101, or 2xx to CONNECT), so the rest of"
                                    + " the connection was not sent"
                            : ", which switches protocols, where the recorded server did not"));
            return connection.answeredWith(ErrorKind.HANDSHAKE_FAILED, next++, wanted && framer.persistent());
        }
        if (wanted) {
            switched = true;
            stream();
        }
        return connection.completed(next++, framer.status(), framer.bodyBytes(), wanted || framer.persistent());
    }
}
