package dev.lockstep.replayer.answers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.LoadResult;
import dev.lockstep.replayer.meters.LoadMeter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class OpaqueAnswersTest {
    private static final long SECOND = 1_000_000_000;

    private final LoadMeter meter = new LoadMeter(List.of());
    private final OpaqueAnswers answers = new OpaqueAnswers(meter);
    private final long nowNs = System.nanoTime();

    /** A burst that was due 40 s after a turn of 50 s began. */
    @BeforeEach
    void ask() {
        meter.startPhase(true);
        meter.startRound(nowNs - 1000 * SECOND);
        answers.sendingOpaque(0, nowNs - 960 * SECOND);
        meter.endRound(nowNs - 950 * SECOND, nowNs - 950 * SECOND);
    }

    @Test
    void leavesOutTheTimeInWhichATargetThatTakesTurnsIsFrozen() {
        meter.startRound(nowNs - 200 * SECOND);
        answer();

        assertTimes(10 + 200);
    }

    @Test
    void takesAnAnswerBetweenTurnsForOneAtTheEndOfTheTurn() {
        answer();

        assertTimes(10);
    }

    @Test
    void takesAnAnswerBeforeTheNextTurnStartsForOneAtTheEndOfTheTurn() {
        meter.startRound(nowNs + 3600 * SECOND);
        answer();

        assertTimes(10);
    }

    private void answer() {
        ByteBuf answer = Unpooled.buffer(1).writeByte(1);
        answers.read(answer);
        answer.release();
        answers.closed();
    }

    private void assertTimes(long seconds) {
        LoadResult result = meter.result(nowNs).build();
        // The digits of the histogram, and this test's own time.
        assertEquals(seconds * SECOND, result.opaqueFirstByte().getMaxValue(), 5.0 * SECOND);
        assertEquals(seconds * SECOND, result.opaqueLastByte().getMaxValue(), 5.0 * SECOND);
    }
}
