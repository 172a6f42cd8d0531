package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.AnswerComparison.Kind;
import dev.lockstep.measurement.AnswerComparison.Part;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerLinesTest {
    private static AnswerLines lines(AnswerComparison comparison) {
        return new AnswerLines(run(comparison));
    }

    private static RunResult run(AnswerComparison comparison) {
        return TestingRuns.run(
                TargetResult.builder("c2").load(TestingRuns.load(5, 1_000_000)).build(),
                TargetResult.builder("graal")
                        .load(TestingRuns.load(5, 1_000))
                        .comparison(comparison)
                        .build());
    }

    private static AnswerComparison.Builder compared(long compared, long different) {
        return AnswerComparison.builder("c2")
                .requests(10_000)
                .compared(compared)
                .withoutContents(0)
                .different(different)
                .noisePairs(20_000);
    }

    private static Kind kind(String name, long different, Part... parts) {
        return Kind.of(name, 5_000, different, 10_000, List.of(parts));
    }

    @Test
    void saysLoudlyWhatIsDifferent() {
        AnswerComparison comparison = compared(10_000, 320)
                .kind(kind("GET /users/N", 300, Part.of("status", 300, 0, true, "500 instead of 200")))
                .kind(kind("GET /x", 15, Part.of("body length", 15, 0, true, null), Part.of("body", 15, 0, true, null)))
                .kind(kind("GET /y", 3, Part.of("body", 10, 14, true, null)))
                .kind(kind("GET /z", 1, Part.of("no answer", 1, 0, true, "read-timeout instead of 200")))
                .kind(kind("GET /q", 1, Part.of("header etag", 1, 0, true, null)))
                .build();

        assertEquals(
                List.of("ANSWERS DIFFER: graal: 3.20 % of its answers (320 of 10000) differ from c2's: "
                        + "status 500 instead of 200 on GET /users/N (300 of 5000); body of GET /x (15 of 5000); "
                        + "body of GET /y (3 of 5000, more than the noise of 0.140 %); and 2 more kinds of requests"),
                lines(comparison).loud());
        assertEquals(
                List.of(
                        "Answers compared with c2's:",
                        "graal: DIFFERENT, 3.20 % of its answers (320 of 10000) differ; 10000 of 10000 requests of the "
                                + "first pass compared; c2's own answers vary in body of GET /y"),
                lines(comparison).all());
    }

    /** All 300 were said to have had the status that 200 of them had, or fewer. */
    @Test
    void saysWhatMostDifferInWhereNotAllDo() {
        Part headers = Part.of("header etag", 100, 0, true, null);
        AnswerComparison comparison = compared(10_000, 900)
                .kind(kind("GET /a", 300, Part.of("status", 200, 0, true, "500 instead of 200"), headers))
                .kind(kind("GET /b", 300, Part.of("status", 200, 0, true, "mostly 500 instead of 200"), headers))
                .kind(kind("GET /c", 300, Part.of("body", 200, 0, true, null), headers))
                .build();

        assertEquals(
                List.of("ANSWERS DIFFER: graal: 9.00 % of its answers (900 of 10000) differ from c2's: "
                        + "mostly status 500 instead of 200 on GET /a (300 of 5000); "
                        + "status mostly 500 instead of 200 on GET /b (300 of 5000); "
                        + "mostly body of GET /c (300 of 5000)"),
                lines(comparison).loud());
    }

    @Test
    void saysThatAnswersAreEqualAndWhatThatDoesNotCover() {
        AnswerComparison comparison = compared(9_000, 0)
                .withoutContents(10)
                .ignoredHeader("server")
                .kind(kind("GET /x", 0, Part.of("header etag", 0, 1_000, false, null)))
                .kind(kind("GET /y", 0, Part.of("header etag", 0, 3, false, null), Part.of("body", 2, 3, false, null)))
                .build();

        assertEquals(List.of(), lines(comparison).loud());
        assertEquals(
                "graal: equal; 9000 of 10000 requests of the first pass compared, 10 of them by status and length only, "
                        + "without server; c2's own answers vary in header etag of 2 kinds of requests, body of GET /y",
                lines(comparison).all().get(1));
    }

    @Test
    void saysThatNoiseWasNotLearned() {
        AnswerComparison comparison = AnswerComparison.builder("c2")
                .requests(10)
                .compared(10)
                .withoutContents(0)
                .different(0)
                .build();

        assertTrue(
                lines(comparison).all().get(1).endsWith("; noise not learned, every difference counts"),
                lines(comparison).all().get(1));
    }

    @Test
    void saysLoudlyThatNothingCouldBeCompared() {
        assertEquals(
                List.of(
                        "ANSWERS NOT COMPARED: graal: of none of 10000 requests is it known what came of it both here and "
                                + "at c2"),
                lines(compared(0, 0).build()).loud());
    }

    @Test
    void standsFirstAndBesideTheRatiosInTheReport() {
        String text = TestingRuns.text(run(compared(10, 1)
                .kind(kind("GET /x", 1, Part.of("body", 1, 0, true, null)))
                .build()));

        assertTrue(text.startsWith("ANSWERS DIFFER: graal: 10.0 % of its answers (1 of 10) differ from c2's"), text);
        assertTrue(text.indexOf("Answers compared with c2's:") > text.indexOf("Ratio to c2:"), text);
    }

    @Test
    void areNotThereWhereNothingWasToBeCompared() {
        assertEquals(List.of(), lines(null).all());
        assertEquals(List.of(), lines(null).loud());
    }
}
