package dev.lockstep.replayer.meters;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Outage;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class OutageWatchTest {
    private final OutageWatch watch = new OutageWatch();

    private void open(int connections) {
        for (int i = 0; i < connections; i++) {
            watch.opened();
        }
    }

    /** The connection breaks and so many requests with it. */
    private void lose(int requests, long nowNs) {
        if (requests > 0) {
            watch.failed(requests, nowNs);
        }
        watch.closed();
    }

    @Test
    void lastsFromTheFirstFailureToTheNextAnswer() {
        open(2);
        watch.answered(50);
        lose(1, 100);
        lose(1, 101);
        watch.connectFailed(ErrorKind.CONNECT_REFUSED, 102);
        watch.failed(1, 103);
        watch.connectFailed(ErrorKind.CONNECT_TIMEOUT, 150);
        open(1);
        watch.answered(200);
        watch.answered(201);

        assertEquals(List.of(Outage.of(90, OptionalLong.of(190), 3)), watch.outages(10));
        assertEquals(0, watch.leftOut());
    }

    @Test
    void lastsFromTheDeathOfAnIdleTargetOn() {
        open(1);
        watch.answered(50);
        watch.closed();
        watch.died();
        watch.failed(0, 60);
        watch.failed(7, 70);

        assertEquals(List.of(Outage.of(60, OptionalLong.empty(), 7)), watch.outages(10));
    }

    @Test
    void isNoneWhileOthersAnswer() {
        open(2);
        lose(1, 100);
        watch.connectFailed(ErrorKind.CONNECT_TIMEOUT, 101);
        watch.answered(102);
        lose(0, 103);
        open(1);
        watch.answered(104);
        assertEquals(List.of(), watch.outages(0));
    }

    @Test
    void isNoneWhereAnotherConnectionAnswersAtOnce() {
        open(1);
        lose(1, 100);
        open(1);
        watch.answered(101);
        assertEquals(List.of(), watch.outages(0));
    }

    @Test
    void isOneWhereNewConnectionsFailToo() {
        open(1);
        lose(1, 100);
        open(1);
        lose(1, 110);
        open(1);
        watch.answered(120);
        assertEquals(List.of(Outage.of(100, OptionalLong.of(120), 2)), watch.outages(0));
    }

    @Test
    void mayLastFromBeforeTheStartToTheEnd() {
        watch.connectFailed(ErrorKind.NO_ROUTE, 5);
        watch.startPhase();
        watch.connectFailed(ErrorKind.NO_ROUTE, 90);
        watch.failed(7, 100);
        assertEquals(List.of(Outage.of(0, OptionalLong.empty(), 7)), watch.outages(95));
    }

    @Test
    void ownLimitsAreNone() {
        watch.connectFailed(ErrorKind.CONNECT_FAILED, 5);
        watch.answered(6);
        assertEquals(List.of(), watch.outages(0));
    }

    @Test
    void countsTheOnesBeyondTheList() {
        for (int i = 0; i < OutageWatch.MOST_LISTED + 5; i++) {
            watch.connectFailed(ErrorKind.CONNECT_REFUSED, 10 * i);
            open(1);
            watch.answered(10 * i + 5);
            lose(0, 10 * i + 6);
        }
        assertEquals(OutageWatch.MOST_LISTED, watch.outages(0).size());
        assertEquals(5, watch.leftOut());
    }
}
