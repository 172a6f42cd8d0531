package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.TargetResult;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FailureTableTest {
    private static TargetResult target(String name, ErrorKind... errors) {
        return TargetResult.builder(name)
                .load(TestingRuns.load(
                        1,
                        counts -> Arrays.stream(errors).forEach(counts::error),
                        i -> i < 3 ? 404 : i == 3 ? 503 : 200,
                        TestingRuns.evenly(10, 1000)))
                .build();
    }

    private static String table(TargetResult... targets) {
        return new FailureTable(TestingRuns.run(targets)).toString();
    }

    @Test
    void hasALineForEachThingThatFailedAnywhere() {
        assertEquals(
                "what failed       c2  other\n"
                        + "connect-refused    0      1  nobody listens at the target's port\n"
                        + "connection-reset   2      0  reset before the answer was whole\n"
                        + "status 4xx         3      3  answered: the request was bad or not allowed\n"
                        + "status 5xx         1      1  answered with the target's own error\n"
                        + "Per request is per successful request: answered, and not with status 5xx.\n",
                table(
                        target("c2", ErrorKind.CONNECTION_RESET, ErrorKind.CONNECTION_RESET),
                        target("other", ErrorKind.CONNECT_REFUSED),
                        TargetResult.builder("dead").build()));
    }

    @Test
    void isLoudAboutATargetThatFailsMoreThanNowAndThen() {
        TargetResult good = TargetResult.builder("good")
                .load(TestingRuns.load(1, TestingRuns.evenly(10, 1000)))
                .build();
        FailureTable table = new FailureTable(
                TestingRuns.run(good, target("bad", ErrorKind.CONNECTION_RESET, ErrorKind.CONNECTION_RESET)));
        assertEquals(List.of("FAILING: bad: 3 of 10 requests failed, mostly connection-reset"), table.loud());
    }

    /** What the recorded server failed at, a target may fail at. */
    @Test
    void isLoudAboutMoreServerErrorsThanWereRecorded() {
        assertEquals(List.of(), loudOf(3, 3, 0));
        assertEquals(
                List.of("FAILING: c2: 6 of 100 requests failed, mostly status 5xx (in the recording 3.0 % had 5xx)"),
                loudOf(3, 6, 0));
    }

    /** The recorded server answered, if badly. */
    @Test
    void isLoudAboutRequestsWithoutAnAnswerHoweverManyServerErrorsWereRecorded() {
        String line = " of 100 requests failed, mostly read-timeout";
        assertEquals(List.of("FAILING: c2: 20" + line), loudOf(50, 0, 20));
        assertEquals(List.of("FAILING: c2: 60" + line + " (in the recording 50.0 % had 5xx)"), loudOf(50, 40, 20));
    }

    @Test
    void writesNoShareOfZeroPercentOfTheRecording() {
        assertEquals(
                List.of("FAILING: c2: 6 of 100 requests failed, mostly status 5xx"),
                loudOf(Map.of(200, 9999L, 503, 1L), 6, 0));
    }

    /**
     * Returns the lines of a target that answers so many of 100 requests with 503, and some not in time.
     *
     * @param recorded how many of the recorded answers were 503
     */
    private static List<String> loudOf(long recorded, int failed, int unanswered) {
        return loudOf(Map.of(200, 100 - recorded, 503, recorded), failed, unanswered);
    }

    private static List<String> loudOf(Map<Integer, Long> recorded, int failed, int unanswered) {
        TargetResult target = TargetResult.builder("c2")
                .load(TestingRuns.load(
                        1,
                        counts -> {
                            counts.sent += unanswered;
                            counts.error(ErrorKind.READ_TIMEOUT, unanswered);
                        },
                        i -> i < failed ? 503 : 200,
                        TestingRuns.evenly(100 - unanswered, 1000)))
                .build();
        CaptureReference capture = CaptureReference.builder()
                .path("a.bin")
                .sha256("ab".repeat(32))
                .streamSha256(TestingRuns.STREAM_SHA256)
                .requests(100)
                .statusCodes(recorded)
                .build();
        return new FailureTable(TestingRuns.run(
                                TestingRuns.plan(target).capture(capture).build(), target)
                        .build())
                .loud();
    }

    /** Requests of HTTP/2 that were never sent are no errors, and would be missed nowhere else. */
    @Test
    void isLoudAboutBytesOutsideOfRequestsThatCouldNotBeSent() {
        assertEquals(
                List.of(
                        "UNSENT: c2: 10 of 1,000 bytes could not be sent, all outside of the capture's requests (HTTP/2,"
                                + " WebSockets, unknown protocols); see the notes"),
                loudOfUnsent(10, 0));
        assertEquals(List.of(), loudOfUnsent(9, 0));
        assertEquals(loudOfUnsent(10, 0), loudOfUnsent(10, 200));
        assertEquals(List.of(), loudOfUnsent(0, 200), "of TLS and cut uploads");
    }

    /** @param hopeless bytes unsent beside them that no target need take */
    private static List<String> loudOfUnsent(long unsent, long hopeless) {
        TargetResult target = TargetResult.builder("c2")
                .load(TestingRuns.load(
                        1,
                        counts -> {
                            counts.bytesSent = 700;
                            counts.opaqueBytesSent = 300 - unsent;
                            counts.opaqueBytesUnsent = unsent + hopeless;
                            counts.hopelessBytesUnsent = hopeless;
                        },
                        TestingRuns.evenly(10, 1000)))
                .build();
        return new FailureTable(TestingRuns.run(target)).loud();
    }

    @Test
    void isLoudAboutATargetThatDidNotKeepUp() {
        TargetResult slow = TargetResult.builder("slow")
                .load(TestingRuns.load(1, counts -> counts.unsent = 40, TestingRuns.evenly(60, 1000)))
                .build();
        FailureTable table = new FailureTable(TestingRuns.run(slow));

        assertEquals(List.of("FAILING: slow: 40 of 100 requests failed, mostly not sent"), table.loud());
        assertEquals(
                "what failed  slow\nnot sent       40  due before the end: no connection was free\n", table.toString());
    }

    @Test
    void isEmptyWhereNothingFailed() {
        assertEquals(
                "",
                table(TargetResult.builder("c2")
                        .load(TestingRuns.load(1, TestingRuns.evenly(10, 1000)))
                        .build()));
        assertEquals("", table(TargetResult.builder("dead").build()));
    }

    @Test
    void putsANameThatLeavesNoRoomAboveItsFigures() {
        String name = "n".repeat(64);
        String table = table(target(name, ErrorKind.CONNECTION_RESET), target("c2", ErrorKind.CONNECTION_RESET));
        assertTrue(
                table.startsWith(name + "\nwhat failed\nconnection-reset  1  reset before the answer was whole\n"),
                table);
        assertTrue(table.contains("\nwhat failed       c2\nconnection-reset   1  reset before"), table);
        assertTrue(table.lines().allMatch(line -> line.length() <= 80), table);
    }

    @Test
    void staysWithinATerminalWithManyTargets() {
        TargetResult[] targets = new TargetResult[16];
        for (int i = 0; i < targets.length; i++) {
            targets[i] = target("target-" + i, ErrorKind.READ_TIMEOUT);
        }
        String table = table(targets);
        assertTrue(table.lines().allMatch(line -> line.length() <= 80), table);
        assertTrue(table.contains("target-15"), table);
    }

    @Test
    void everyKindFitsATerminalWithItsMeaning() {
        for (ErrorKind kind : ErrorKind.values()) {
            String table = table(target("c2", kind));
            String line = table.lines()
                    .filter(candidate -> candidate.startsWith(kind.key()))
                    .findFirst()
                    .orElseThrow();
            assertTrue(line.matches(".* 1(  [A-Za-z].+)?") && line.length() <= 80, line);
        }
    }
}
