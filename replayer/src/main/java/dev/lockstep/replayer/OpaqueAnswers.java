package dev.lockstep.replayer;

import io.netty.buffer.ByteBuf;

/**
 * Times what a target sends on a stream of which nothing is understood. Runs per piece and read on the event loop.
 *
 * <p>What is timed are bursts: the pieces that were sent without a byte from the target in between, as one question, and
 * all bytes that come before the next piece is sent, as its answer. A burst begins when its first piece was to be sent:
 * where a target stalls and the recorded client's next questions go out all the same, they join the burst that waits, and
 * the wait is seen in full.
 */
final class OpaqueAnswers implements AnswerReader {
    private final ReplayWorker worker;
    /** Whether a piece was sent since the last byte came. */
    private boolean asked;
    /** Whether a byte came since. */
    private boolean answered;

    private long intendedNs;
    private long lastByteNs;

    OpaqueAnswers(ReplayWorker worker) {
        this.worker = worker;
    }

    @Override
    public boolean opened() {
        return true;
    }

    /** Requests have boundaries, and readers of their own. */
    @Override
    public boolean sending(long sequence, long n) {
        throw new IllegalStateException("request " + n + " on a stream without requests");
    }

    @Override
    public boolean sendingOpaque(long piece, long intendedAtNs) {
        if (asked && !answered) {
            return true;
        }
        endBurst();
        asked = true;
        intendedNs = intendedAtNs;
        worker.counts().opaqueBursts++;
        return true;
    }

    @Override
    public void read(ByteBuf in) {
        in.skipBytes(in.readableBytes());
        if (!asked) {
            // The target speaks first.
            return;
        }
        lastByteNs = System.nanoTime();
        if (!answered) {
            answered = true;
            worker.opaqueFirstByte(lastByteNs - intendedNs);
        }
    }

    @Override
    public void ended() {}

    @Override
    public void closed() {
        if (asked && !answered) {
            worker.counts().opaqueBurstsUnanswered++;
            asked = false;
        }
        endBurst();
    }

    private void endBurst() {
        if (answered) {
            worker.opaqueLastByte(lastByteNs - intendedNs);
        }
        asked = false;
        answered = false;
    }
}
