package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadCountsTest {
    @Test
    void leavesOutKindsAndCodesThatDidNotOccur() {
        LoadCounts counts = new LoadCounts();
        assertEquals(Map.of(), counts.errorsByKind());
        assertEquals(Map.of(), counts.statusCodes());

        counts.error(ErrorKind.READ_TIMEOUT);
        counts.error(ErrorKind.READ_TIMEOUT);
        counts.error(ErrorKind.CONNECT_REFUSED);
        counts.status(200);
        counts.status(0);
        counts.status(999);

        assertEquals(3, counts.errors());
        assertEquals(Map.of(ErrorKind.READ_TIMEOUT, 2L, ErrorKind.CONNECT_REFUSED, 1L), counts.errorsByKind());
        assertEquals(List.of(0, 200, 999), List.copyOf(counts.statusCodes().keySet()));
    }

    @Test
    void addsEveryCount() {
        LoadCounts a = counts(1);
        a.add(counts(10));

        assertEquals(11, a.sent);
        assertEquals(22, a.completed);
        assertEquals(33, a.unanswered);
        assertEquals(44, a.unsent);
        assertEquals(55, a.deferred);
        assertEquals(66, a.connections);
        assertEquals(77, a.bytesSent);
        assertEquals(88, a.bytesReceived);
        assertEquals(99, a.bodyBytesReceived);
        assertEquals(Map.of(200, 110L), a.statusCodes());
        assertEquals(Map.of(ErrorKind.WRITE_FAILED, 121L), a.errorsByKind());
    }

    @Test
    void countsAnswersOfTheServersErrorAsFailures() {
        LoadCounts counts = new LoadCounts();
        counts.completed = 10;
        counts.status(200, 5);
        counts.status(404, 2);
        counts.status(500, 1);
        counts.status(599, 2);
        counts.error(ErrorKind.READ_TIMEOUT, 4);

        assertEquals(3, counts.serverErrors());
        assertEquals(7, counts.successful());
        assertEquals(7, counts.failed());
        counts.sent = 14;
        counts.unanswered = 2;
        counts.unsent = 3;
        assertEquals(12, counts.failed(), "what could not be sent is a failure too");
        assertEquals(17, counts.due());
    }

    @Test
    void copiesAreIndependent() {
        LoadCounts original = counts(1);
        LoadCounts copy = original.copy();
        original.sent++;
        original.status(500);
        original.error(ErrorKind.WRITE_FAILED);

        assertEquals(1, copy.sent);
        assertEquals(Map.of(200, 10L), copy.statusCodes());
        assertEquals(11, copy.errors());
    }

    private static LoadCounts counts(long unit) {
        LoadCounts counts = new LoadCounts();
        counts.sent = unit;
        counts.completed = 2 * unit;
        counts.unanswered = 3 * unit;
        counts.unsent = 4 * unit;
        counts.deferred = 5 * unit;
        counts.connections = 6 * unit;
        counts.bytesSent = 7 * unit;
        counts.bytesReceived = 8 * unit;
        counts.bodyBytesReceived = 9 * unit;
        counts.status(200, 10 * unit);
        counts.error(ErrorKind.WRITE_FAILED, 11 * unit);
        return counts;
    }
}
