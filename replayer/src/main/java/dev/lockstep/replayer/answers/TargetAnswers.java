package dev.lockstep.replayer.answers;

import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.LastHead;
import dev.lockstep.replayer.comparison.AnswerLog;
import dev.lockstep.replayer.meters.LoadMeter;
import dev.lockstep.replayer.meters.Notes;
import dev.lockstep.replayer.requests.RequestSource;
import dev.lockstep.replayer.rewriting.Deadlines;
import dev.lockstep.replayer.rewriting.Rewriter;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;

/** Makes the readers of one target's answers, and holds what they share. Event loop only, once made. */
public final class TargetAnswers {
    final RequestSource source;
    final Rewriter rewriter;
    final Deadlines deadlines;
    final LoadMeter meter;
    final Notes notes;
    private final EventExecutor loop;
    final long timeoutNs;
    /** What the framers of all connections share. */
    final LastHead lastHead = new LastHead();

    private AnswerLog log;

    /**
     * @param rewriter wants values from the answers, or null
     * @param deadlines moves those of requests, or null
     * @param timeoutNs how long an answer may take, {@link Long#MAX_VALUE} for ever
     */
    public TargetAnswers(
            RequestSource source,
            Rewriter rewriter,
            Deadlines deadlines,
            LoadMeter meter,
            Notes notes,
            EventExecutor loop,
            long timeoutNs) {
        this.source = source;
        this.rewriter = rewriter;
        this.deadlines = deadlines;
        this.meter = meter;
        this.notes = notes;
        this.loop = loop;
        this.timeoutNs = timeoutNs;
    }

    /** Makes the reader of a connection whose requests were recorded in this protocol. */
    public AnswerReader newReader(AnsweredConnection connection, Protocol protocol) {
        switch (protocol) {
            case HTTP1:
            case WEBSOCKET:
                return new HttpAnswers(this, connection);
            case THRIFT_FRAMED_BINARY:
            case THRIFT_FRAMED_COMPACT:
            case THRIFT_FRAMED_JSON:
            case THRIFT_UNFRAMED_BINARY:
            case THRIFT_UNFRAMED_COMPACT:
            case THRIFT_UNFRAMED_JSON:
            case THRIFT_HEADER:
            case THRIFT_TTWITTER:
                return new ThriftAnswers(this, connection, protocol);
            case THRIFT_MUX:
                return new MuxAnswers(this, connection);
            case HTTP2:
                return new Http2Answers(this, connection);
            default:
                return new OpaqueAnswers(meter);
        }
    }

    /** @param into takes the answers that are to be compared from now on, or null where none are */
    public void compareInto(AnswerLog into) {
        log = into;
    }

    /** What takes the answers that are to be compared, or null where none are. */
    public AnswerLog log() {
        return log;
    }

    void after(long delayNs, Runnable task) {
        loop.schedule(task, delayNs, TimeUnit.NANOSECONDS);
    }
}
