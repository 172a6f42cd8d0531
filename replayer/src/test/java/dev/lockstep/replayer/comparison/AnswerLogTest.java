package dev.lockstep.replayer.comparison;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.ErrorKind;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AnswerLogTest {
    private final AnswerLog log = new AnswerLog(20_000, 1 << 16, List.of());

    private void answer(int n, String... headers) {
        TestingAnswers.answer(log, n, 200, "body " + n % 3, headers);
    }

    @Test
    void keepsWhatCameOfEachRequest() {
        TestingAnswers.answer(log, 0, 204, "");
        log.answered(1, 999, (1L << 48) - 1);
        log.failed(2, ErrorKind.READ_TIMEOUT);
        TestingAnswers.answer(log, 3, 200, "abc");

        assertEquals(205, log.outcome(0));
        assertTrue(log.isWhole(0));
        assertEquals(1000, log.outcome(1));
        assertEquals((1L << 48) - 1, log.bodyBytes(1));
        assertFalse(log.isWhole(1));
        assertEquals(AnswerLog.FAILED + ErrorKind.READ_TIMEOUT.ordinal(), log.outcome(2));
        assertEquals(3, log.bodyBytes(3));
        assertNotEquals(log.body(0), log.body(3));
        assertEquals(0, log.outcome(4));
    }

    @Test
    void takesNoNoteOfRequestsBeyondThoseItCovers() {
        log.answered(20_000, 200, 1);
        log.failed(1L << 40, ErrorKind.READ_TIMEOUT);

        assertEquals(0, log.outcome(19_999));
    }

    @Test
    void keepsASetOfHeadersOnce() {
        answer(0, "server: a", "etag: 1");
        answer(1, "etag: 1", "server: a");
        answer(2, "server: a", "etag: 2");

        assertEquals(log.headerSet(0), log.headerSet(1));
        assertNotEquals(log.setHash(log.headerSet(0)), log.setHash(log.headerSet(2)));
        assertEquals(2, log.headers(log.headerSet(2)));
        assertEquals("etag", log.headerName(log.headerSet(2), 1));
    }

    @Test
    void stillTellsHeaderSetsApartWhenItsTableIsFull() {
        AnswerLog other = new AnswerLog(20_000, 1 << 16, List.of());
        for (int i = 0; i < 20_000; i++) {
            answer(i, "etag: " + i);
            TestingAnswers.answer(other, i, 200, "", "etag: " + (i == 19_998 ? "changed" : i));
        }

        assertTrue(log.isListed(log.headerSet(0)));
        assertFalse(log.isListed(log.headerSet(19_999)));
        assertEquals(log.setHash(log.headerSet(19_999)), other.setHash(other.headerSet(19_999)));
        assertNotEquals(log.setHash(log.headerSet(19_998)), other.setHash(other.headerSet(19_998)));
    }
}
