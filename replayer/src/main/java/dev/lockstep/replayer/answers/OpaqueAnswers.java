package dev.lockstep.replayer.answers;

import dev.lockstep.replayer.meters.LoadMeter;
import io.netty.buffer.ByteBuf;

/**
 * Times what a target sends on a stream that is not understood. Runs per piece and read on the event loop.
 *
 * <p>A burst is timed as one: the pieces sent without a byte from the target in between are the question, and all bytes
 * that come before the next piece is sent are its answer. A burst begins when its first piece was to be sent: where a
 * target stalls and the recorded client's next questions go out all the same, they join the burst that waits, and the
 * whole wait is seen. The time between turns is left out, as it is for requests: the target is frozen then.
 */
final class OpaqueAnswers implements AnswerReader {
    private final LoadMeter meter;
    /** Whether a piece was sent since the last byte came. */
    private boolean asked;
    /** Whether a byte came since. */
    private boolean answered;

    /** When it was to be sent and when the last byte came, on the clock that stands still between turns. */
    private long intendedNs;

    private long lastByteNs;

    OpaqueAnswers(LoadMeter meter) {
        this.meter = meter;
    }

    @Override
    public boolean opened() {
        return true;
    }

    /** Requests have boundaries, and readers of their own. */
    @Override
    public boolean sending(long sequence, long n, long intendedNs) {
        throw new IllegalStateException("request " + n + " on a stream without requests");
    }

    @Override
    public boolean sendingOpaque(long piece, long intendedAtNs) {
        if (asked && !answered) {
            return true;
        }
        endBurst();
        asked = true;
        long nowNs = System.nanoTime();
        intendedNs = meter.ranNs(nowNs) - (nowNs - intendedAtNs);
        meter.counts().opaqueBursts++;
        return true;
    }

    @Override
    public void read(ByteBuf in) {
        in.skipBytes(in.readableBytes());
        if (!asked) {
            // The target speaks first.
            return;
        }
        lastByteNs = meter.ranNs(System.nanoTime());
        if (!answered) {
            answered = true;
            meter.opaqueFirstByte(lastByteNs - intendedNs);
        }
    }

    @Override
    public void ended() {}

    @Override
    public void closed() {
        if (asked && !answered) {
            meter.counts().opaqueBurstsUnanswered++;
            asked = false;
        }
        endBurst();
    }

    private void endBurst() {
        if (answered) {
            meter.opaqueLastByte(lastByteNs - intendedNs);
        }
        asked = false;
        answered = false;
    }
}
