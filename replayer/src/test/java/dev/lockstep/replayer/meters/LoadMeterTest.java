package dev.lockstep.replayer.meters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LoadMeterTest {
    private static final long MS = 1_000_000;

    private final LoadMeter meter = new LoadMeter();
    private final long startNs = System.nanoTime() - 1000 * MS;

    @BeforeEach
    void start() {
        meter.startPhase(true);
        meter.startInterval(startNs);
        meter.startRound(startNs);
    }

    private Interval take(boolean last) {
        Interval interval = new Interval();
        meter.takeInterval(interval, last);
        return interval;
    }

    @Test
    void anIntervalThatIsTakenLateEndsWithItsRoundAndLeavesTheLastOneEmpty() {
        meter.endRound(startNs + 30 * MS, startNs + 30 * MS);

        Interval late = take(false);
        Interval last = take(true);

        assertEquals(startNs, late.startNs);
        assertEquals(startNs + 30 * MS, late.endNs);
        assertEquals(startNs + 30 * MS, last.startNs);
        assertEquals(startNs + 30 * MS, last.endNs);
    }

    @Test
    void whatIsGivenUpBetweenRoundsIsUnansweredAndNoFailure() {
        meter.sending(false);
        meter.sending(false);
        meter.lost(ErrorKind.CONNECTION_RESET, 1);
        meter.endRound(startNs + 30 * MS, startNs + 30 * MS);
        meter.lost(ErrorKind.CONNECTION_RESET, 1);

        assertFalse(meter.notSent(ErrorKind.CONNECT_REFUSED));
        assertEquals(2, meter.counts().sent);
        assertEquals(1, meter.counts().errors());
        assertEquals(1, meter.counts().unanswered);
        assertEquals(0, meter.inFlight());
    }

    @Test
    void onlyWhatIsLateThroughNoTargetCountsAsOurLag() {
        meter.written(0, startNs, startNs + 5 * MS, false);
        meter.written(1, startNs, startNs + 500 * MS, true);
        meter.endRound(startNs + 600 * MS, startNs + 600 * MS);

        long lagNs = meter.result(startNs).build().ownLag().getMaxValue();
        assertTrue(lagNs >= 5 * MS && lagNs < 6 * MS, "" + lagNs);
    }
}
