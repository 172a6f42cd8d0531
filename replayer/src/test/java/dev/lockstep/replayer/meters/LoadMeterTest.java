package dev.lockstep.replayer.meters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LoadMeterTest {
    private static final long MS = 1_000_000;

    private final LoadMeter meter = new LoadMeter(List.of("GET /a", "GET /b"));
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
        meter.withoutAnswer(0, ErrorKind.CONNECTION_RESET);
        meter.lost(ErrorKind.CONNECTION_RESET, 1);
        meter.endRound(startNs + 30 * MS, startNs + 30 * MS);
        meter.withoutAnswer(1, ErrorKind.CONNECTION_RESET);
        meter.lost(ErrorKind.CONNECTION_RESET, 1);

        assertFalse(meter.notSent(0, ErrorKind.CONNECT_REFUSED));
        assertEquals(2, meter.counts().sent);
        assertEquals(1, meter.counts().errors());
        assertEquals(1, meter.counts().unanswered);
        assertEquals(0, meter.inFlight());
    }

    @Test
    void aRequestCountsForItsEndpointWhateverBecomesOfIt() {
        meter.answered(0, startNs, startNs, startNs + 5 * MS, 200, 0);
        meter.answered(0, startNs, startNs, startNs + 7 * MS, 503, 0);
        meter.answeredEarly(0, 500, 0);
        meter.completedOneway(1);
        meter.notSent(1, ErrorKind.CONNECT_REFUSED);
        meter.answeredWith(1, ErrorKind.THRIFT_EXCEPTION, startNs);
        meter.failedEarly(1, ErrorKind.STREAM_RESET);
        meter.unsent(1, 10);
        meter.withoutAnswer(1, ErrorKind.READ_TIMEOUT);
        LoadResult result = meter.result(startNs).timeoutNs(60 * MS).build();
        meter.answered(0, startNs, startNs, startNs + 5 * MS, 200, 0);

        EndpointLoad first = result.endpoints().get(0);
        assertEquals("GET /a", first.name());
        assertEquals(3, first.count());
        assertEquals(2, first.errors());
        assertEquals(2, result.responseTimes(first).count());
        assertEquals(5, result.responseTimes(first).at(Level.P50) / MS);
        assertTrue(result.responseTimes(first).stands(Level.P99));
        EndpointLoad second = result.endpoints().get(1);
        assertEquals(15, second.count());
        assertEquals(14, second.errors());
        assertEquals(Percentiles.NONE, result.responseTimes(second));
    }

    @Test
    void aCallThatGetsNoAnswerIsASignOfLifeWhereNoOtherWaitedInVain() {
        meter.completedOneway(0);
        assertEquals(1, meter.heard());

        meter.lost(ErrorKind.READ_TIMEOUT, 1);
        meter.completedOneway(0);
        assertEquals(1, meter.heard());

        meter.answered(1, startNs, startNs, startNs + 5 * MS, 0, 0);
        meter.completedOneway(0);
        assertEquals(3, meter.heard());

        meter.lost(ErrorKind.READ_TIMEOUT, 1);
        meter.startPhase(true);
        meter.completedOneway(0);
        assertEquals(4, meter.heard());
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
