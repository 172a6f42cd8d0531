package dev.lockstep.replayer;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.protocol.HttpResponseFramer;
import io.netty.buffer.ByteBuf;

/** Reads HTTP/1 responses, first-in first-out. Runs per request on the event loop. */
final class HttpAnswers implements AnswerReader {
    private final ReplayWorker worker;
    private final ReplayConnection connection;
    private final HttpResponseFramer framer = new HttpResponseFramer();
    /** What the framing of each awaited answer depends on, oldest first; see {@link RequestSource.ExpectedAnswer}. */
    private final LongQueue expected = new LongQueue(1);

    private long next;
    private boolean framing;
    /** Digests the answer that is framed, where answers are compared; null until the first of them. */
    private AnswerDigest digest;
    /** Where the answer that is framed is noted; null where it is not compared. */
    private AnswerLog log;

    HttpAnswers(ReplayWorker worker, ReplayConnection connection) {
        this.worker = worker;
        this.connection = connection;
    }

    @Override
    public boolean opened() {
        framing = false;
        expected.clear();
        return true;
    }

    @Override
    public boolean sending(long sequence, long n) {
        if (expected.isEmpty()) {
            next = sequence;
        }
        expected.add(worker.source().expectedAnswer(worker.source().request(n)));
        return true;
    }

    @Override
    public boolean sendingOpaque(long piece, long intendedNs) {
        return true;
    }

    @Override
    public void read(ByteBuf in) {
        while (in.isReadable()) {
            if (!connection.isAwaited(next)) {
                worker.excessBytes();
                connection.close(ErrorKind.EXCESS_RESPONSE);
                return;
            }
            if (!framing) {
                long kind = expected.get(0);
                framer.expect(
                        kind == RequestSource.ExpectedAnswer.TO_HEAD, kind == RequestSource.ExpectedAnswer.TO_CONNECT);
                framing = true;
                if (worker.answerLog() != null || log != null) {
                    compare();
                }
            }
            switch (framer.feed(in)) {
                case HttpResponseFramer.MORE:
                    return;
                case HttpResponseFramer.COMPLETE:
                    if (in.isReadable() && expected.size() == 1) {
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
    public void ended() {
        if (framing && framer.endOfStream() == HttpResponseFramer.COMPLETE) {
            complete();
        }
    }

    /** Has the answer that begins digested, where it is among those to be compared. */
    private void compare() {
        AnswerLog current = worker.answerLog();
        log = current != null && current.covers(connection.number(next)) ? current : null;
        if (log != null) {
            if (digest == null) {
                digest = new AnswerDigest();
            }
            digest.begin(log.names());
        }
        framer.listener(log == null ? null : digest);
    }

    /** Reports the answer that was read; returns whether the connection goes on. */
    private boolean complete() {
        framing = false;
        expected.remove();
        if (log != null) {
            log.digested(connection.number(next), digest);
        }
        return connection.completed(next++, framer.status(), framer.bodyBytes(), framer.persistent());
    }
}
