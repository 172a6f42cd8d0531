package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HeySummaryTest {
    /**
     * hey.txt is what hey 0.1.4 printed for {@code -n 400 -c 4 -t 1} against a server that held back four answers, and
     * hey-latencies.txt the times that the same run gave with {@code -o '{{ jsonify .Lats }}'}.
     */
    @Test
    void printsWhatHeyPrintsForTheSameRequests() throws IOException {
        long[] times = TestingRuns.resource("hey-latencies.txt")
                .lines()
                .mapToLong(Long::parseLong)
                .toArray();
        String ours = summary(times, 2.393379539);

        String heys = TestingRuns.resource("hey.txt")
                // hey counts the failed requests too.
                .replace("Requests/sec:\t167.1277", "Requests/sec:\t165.4564")
                // hey's percentages are of the 396 answers, ours of all 400 requests: four got none.
                .replace("99% in 0.0188", "99% in at least 0.0195")
                .replace("95% in 0.0156", "95% in 0.0157")
                .replace("75% in 0.0054", "75% in 0.0058")
                .replace("Slowest:\t0.0195", "Slowest:\tat least 0.0195")
                .replaceFirst("(?s)  DNS\\+dialup.*?\n\n", details(ours))
                .replaceFirst("Get .*", "read-timeout");
        assertEquals(heys, ours);
    }

    private static String summary(long[] times, double seconds) {
        return HeySummary.of(TargetResult.builder("c2")
                .load(TestingRuns.load(
                        seconds,
                        counts -> {
                            for (int i = 0; i < 4; i++) {
                                counts.error(ErrorKind.READ_TIMEOUT);
                            }
                        },
                        i -> i < 40 ? 404 : 200,
                        times))
                .build());
    }

    private static String details(String summary) {
        int from = summary.indexOf("  service time:");
        return summary.substring(from, summary.indexOf("\n\n", from) + 2);
    }

    @Test
    void givesTheTimesThatAreMeasuredHereAsDetails() {
        String summary = HeySummary.of(TargetResult.builder("c2")
                .load(TestingRuns.load(1, 1_000_000, 3_000_000))
                .build());
        assertTrue(
                summary.contains("\nDetails (average, fastest, slowest):\n"
                        + "  service time:\t0.0020 secs, 0.0010 secs, 0.0030 secs\n"
                        + "  generator lag:\t0.0000 secs, 0.0000 secs, 0.0000 secs\n\nStatus code"),
                summary);
    }

    @Test
    void showsNoFiguresWhereNothingWasAnswered() {
        String summary = HeySummary.of(TargetResult.builder("c2")
                .load(TestingRuns.load(2, counts -> {
                    counts.error(ErrorKind.CONNECT_REFUSED);
                    counts.error(ErrorKind.CONNECT_REFUSED);
                    counts.error(ErrorKind.READ_TIMEOUT);
                }))
                .build());
        assertEquals(
                "\nSummary:\n"
                        + "  Total:\t2.0000 secs\n"
                        + "  Slowest:\t-\n"
                        + "  Fastest:\t-\n"
                        + "  Average:\t-\n"
                        + "  Requests/sec:\t-\n"
                        + "  \n"
                        + "\nResponse time histogram:\n"
                        + "\n\nLatency distribution:\n"
                        + "\nDetails (average, fastest, slowest):\n"
                        + "  service time:\t-\n"
                        + "  generator lag:\t-\n"
                        + "\nStatus code distribution:\n"
                        + "\nError distribution:\n"
                        + "  [2]\tconnect-refused\n"
                        + "  [1]\tread-timeout\n",
                summary);
    }

    /** They are complete when written, without a time. */
    @Test
    void hasTheRateOfOnewayCallsAlone() {
        TargetResult c2 = TargetResult.builder("c2")
                .load(TestingRuns.load(2, counts -> {
                    counts.sent = 100;
                    counts.completed = 100;
                    counts.oneway = 100;
                }))
                .build();

        String summary = HeySummary.of(c2);

        assertTrue(summary.contains("  Average:\t-\n  Requests/sec:\t50.0000\n"), summary);
        assertEquals(
                "50.0", ComparisonTable.ofLoad(TestingRuns.run(c2)).cells("c2").get(0));
    }

    @Test
    void putsASingleAnswerInTheFirstRow() {
        String summary = HeySummary.of(
                TargetResult.builder("c2").load(TestingRuns.load(1, 44_000_000)).build());
        assertEquals("  0.044 [1]\t|" + "\u25A0".repeat(40), row(summary, 0));
        for (int i = 1; i < 11; i++) {
            assertEquals("  0.044 [0]\t|", row(summary, i));
        }
        assertTrue(summary.contains("\n  10% in 0.0440 secs\n"), summary);
        assertTrue(summary.contains("\n  99% in 0.0440 secs\n"), summary);
    }

    @Test
    void putsEqualAnswersInTheFirstRow() {
        long[] times = new long[1234];
        Arrays.fill(times, 5_000_000);
        String summary = HeySummary.of(
                TargetResult.builder("c2").load(TestingRuns.load(1, times)).build());
        assertEquals("  0.005 [1234]\t|" + "\u25A0".repeat(40), row(summary, 0));
        assertEquals("  0.005 [0]\t|", row(summary, 10));
    }

    @Test
    void dividesTheRangeInTenEqualSteps() {
        // 1 s to 11 s: marks at 1, 2 ... 11 s.
        String summary = HeySummary.of(TargetResult.builder("c2")
                .load(TestingRuns.load(
                        1,
                        1_000_000_000L,
                        1_500_000_000L,
                        1_900_000_000L,
                        2_100_000_000L,
                        10_500_000_000L,
                        11_000_000_000L))
                .build());
        assertTrue(row(summary, 0).startsWith("  1.000 [1]\t|"), summary);
        assertTrue(row(summary, 1).matches("  2\\.00\\d \\[2]\t\\|.*"), summary);
        assertTrue(row(summary, 2).matches("  3\\.00\\d \\[1]\t\\|.*"), summary);
        assertTrue(row(summary, 3).matches("  4\\.00\\d \\[0]\t\\|"), summary);
        assertTrue(row(summary, 10).matches("  11\\.00\\d \\[2]\t\\|" + "\u25A0".repeat(40)), summary);
    }

    @Test
    void drawsTheLongestBarWithFortyCharactersAndRoundsTheOthers() {
        long[] times = new long[100];
        Arrays.fill(times, 0, 80, 1_000_000);
        Arrays.fill(times, 80, 99, 5_000_000);
        times[99] = 10_000_000;
        String summary = HeySummary.of(
                TargetResult.builder("c2").load(TestingRuns.load(1, times)).build());
        assertTrue(row(summary, 0).endsWith("[80]\t|" + "\u25A0".repeat(40)), summary);
        // 19 * 40 / 80 = 9.5 and 1 * 40 / 80 = 0.5, both rounded up as by hey.
        assertTrue(row(summary, 5).endsWith("[19]\t|" + "\u25A0".repeat(10)), summary);
        assertTrue(row(summary, 10).endsWith("[1]\t|\u25A0"), summary);
    }

    @Test
    void holdsCountsAndTimesOfADay() {
        long dayNs = TimeUnit.DAYS.toNanos(1);
        String summary = HeySummary.of(TargetResult.builder("c2")
                .load(TestingRuns.load(86_400, counts -> counts.bodyBytesReceived = Long.MAX_VALUE, 1, dayNs))
                .build());
        assertTrue(summary.contains("  Total data:\t9223372036854775807 bytes\n"), summary);
        assertTrue(summary.matches("(?s).*  Slowest:\t864\\d\\d\\.\\d{4} secs\n.*"), summary);
    }

    @Test
    void leavesOutPercentilesOfZeroAsHeyDoes() {
        String summary = HeySummary.of(TargetResult.builder("c2")
                .load(TestingRuns.load(1, 0, 0, 0, 1_000_000))
                .build());
        assertFalse(summary.contains("50% in"), summary);
        assertTrue(summary.contains("90% in 0.0010 secs"), summary);
    }

    @Test
    void isTheSameOfAResultReadBackWhoseIntervalsTheDiskDidNotTake() {
        RunResult result = TestingRuns.run(TargetResult.builder("c2")
                .load(TestingRuns.load(1, TestingRuns.evenly(2000, 20_000_000)))
                .intervalsLost(3)
                .build());

        RunResult read = RunResult.fromJson(result.toJson());

        assertEquals(result, read);
        assertEquals(
                HeySummary.of(result.targets().get(0)),
                HeySummary.of(read.targets().get(0)));
        assertTrue(HeySummary.of(read.targets().get(0)).contains("\u25A0"));
    }

    @Test
    void hasNoBarsAndFewerPercentilesWithoutTheHistogramsFile() {
        RunResult read = RunResult.fromJson(TestingRuns.run(TargetResult.builder("c2")
                        .load(TestingRuns.load(1, TestingRuns.evenly(2000, 20_000_000)))
                        .build())
                .toJson());
        String summary = HeySummary.of(read.targets().get(0));
        assertFalse(summary.contains("\u25A0"), summary);
        assertTrue(
                summary.contains("\nLatency distribution:\n"
                        + "  50% in 0.0100 secs\n"
                        + "  90% in 0.0180 secs\n"
                        + "  95% in 0.0190 secs\n"
                        + "  99% in 0.0198 secs\n\n"),
                summary);
    }

    private static String row(String summary, int index) {
        String[] lines =
                summary.substring(summary.indexOf("Response time histogram:")).split("\n");
        return lines[1 + index];
    }

    @Test
    void countsAsErrorsWhatWasNotSentOrNotAnswered() {
        String summary = HeySummary.of(TargetResult.builder("c2")
                .load(TestingRuns.load(
                        2,
                        counts -> {
                            counts.error(ErrorKind.TARGET_DIED, 5);
                            counts.unanswered = 3;
                            counts.unsent = 1;
                        },
                        1_000_000))
                .build());

        assertTrue(
                summary.endsWith(
                        "\nError distribution:\n" + "  [5]\ttarget-died\n  [3]\tunanswered\n  [1]\tnot sent\n"),
                summary);
    }

    @Test
    void saysOfATargetThatDiedWhatItsPercentilesCount() {
        String summary = HeySummary.of(TargetResult.builder("c2")
                .exit(TargetExit.builder().exitCode(137).build())
                .load(TestingRuns.load(2, counts -> counts.error(ErrorKind.TARGET_DIED, 3325), 1_000_000))
                .build());

        assertTrue(
                summary.contains(
                        "\n  (percentiles count the 3325 without an answer; average and histogram do not)\n\nDetails"),
                summary);
    }
}
