package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.comparison.ComparedRun;
import dev.lockstep.results.comparison.RunHistory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class HistoryReportTest {
    private final HistoryReport report = HistoryReport.of(TestingComparisons.history())
            .on(Paint.NONE, List.of("./replay", "compare", "--html", "history.html", "--history", "lockstep-runs"));

    @Test
    void looksLikeTheGoldenFiles() throws IOException {
        assertEquals(TestingRuns.resource("history.txt"), report.text());
        assertEquals(TestingRuns.resource("history.md"), report.markdown());
    }

    @Test
    void isAsWideAsATerminal() {
        List<String> lines = report.text().lines().collect(Collectors.toList());

        assertTrue(lines.stream().allMatch(line -> line.length() <= Lines.WIDTH), String.join("\n", lines));
    }

    @Test
    void saysWhyARunIsLeftOut() {
        assertTrue(
                report.text()
                        .replaceAll("\\s+", " ")
                        .contains(" Left out: lockstep-runs/run-4 of 2026-11-18, c2: not steady "),
                report.text());
        assertTrue(report.markdown().contains("- Left out: "), report.markdown());
    }

    @Test
    void marksWhatWasFoundOfTheNewestRun() {
        assertEquals("19.9", newest(2, Optional.empty(), Finding.INCONCLUSIVE));
        assertEquals("19.9w", newest(2, Optional.empty(), Finding.WORSE));
        assertEquals("19.9=", newest(2, Optional.empty(), Finding.EQUIVALENT));
        assertEquals("19.9 x", newest(2, Optional.of("not steady"), Finding.INCONCLUSIVE));
        assertEquals("-", newest(1, Optional.empty(), Finding.INCONCLUSIVE), "no older value in its place");
    }

    /** Returns the cell of the newest value in a series of so many runs, of a group of two. */
    private static String newest(int runs, Optional<String> leftOut, Finding finding) {
        RunHistory.Series.Builder series =
                RunHistory.Series.builder("c2", "fullLoadCpuPerRequest").primary(true);
        List<ComparedRun> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            both.add(TestingComparisons.run("run-" + i, i).build());
            if (i < runs) {
                series.point(RunHistory.Point.builder(i, 19_900)
                        .launches(6)
                        .fingerprint("")
                        .leftOut(i == 1 ? leftOut : Optional.empty())
                        .build());
            }
        }
        series.newest(TestingComparisons.verdict("fullLoadCpuPerRequest", "c2", "run-1", 1)
                .finding(finding)
                .build());
        RunHistory.Series built = series.build();
        return HistoryReport.cells(RunHistory.Group.of("a.bin", "ab", "", both, List.of(built)), built)
                .get(1);
    }

    /** A run that is left out was the 9, and all others 0. */
    @Test
    void showsHowRunsThatCountDifferWhateverWasLeftOut() {
        double[] values = {1000, 100_000, 1010, 1100};
        RunHistory.Series.Builder series =
                RunHistory.Series.builder("c2", "p99").primary(true);
        List<ComparedRun> runs = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            runs.add(TestingComparisons.run("run-" + i, i).build());
            series.point(RunHistory.Point.builder(i, values[i])
                    .launches(6)
                    .fingerprint("")
                    .leftOut(i == 1 ? Optional.of("INVALID: late") : Optional.empty())
                    .build());
        }
        RunHistory.Series built = series.build();

        assertEquals(
                "0x19",
                HistoryReport.cells(RunHistory.Group.of("a.bin", "ab", "", runs, List.of(built)), built)
                        .get(5));
    }

    @Test
    void tellsRunsOfOneDayApartAndSaysThatATargetDied() {
        List<ComparedRun> runs = List.of(
                TestingComparisons.run("a", 0).build(),
                TestingComparisons.run("b", 1).build(),
                ComparedRun.builder()
                        .from(TestingComparisons.run("c", 1).build())
                        .startedAt(TestingComparisons.run("c", 1)
                                .build()
                                .startedAt()
                                .plusHours(2))
                        .died(List.of("c2"))
                        .build());
        RunHistory.Series.Builder cpu =
                RunHistory.Series.builder("c2", "fullLoadCpuPerRequest").primary(true);
        RunHistory.Series.Builder errors = RunHistory.Series.builder("c2", "errors");
        for (int i = 0; i < 3; i++) {
            RunHistory.Point point = RunHistory.Point.builder(i, 1000 + i)
                    .launches(6)
                    .fingerprint("")
                    .build();
            errors.point(point);
            if (i < 2) {
                cpu.point(point);
            }
        }
        RunHistory.Group group = RunHistory.Group.of("a.bin", "ab", "", runs, List.of(cpu.build(), errors.build()));

        assertEquals("a.bin, : 3 runs, 2026-11-02 to 2026-11-03 09:42", HistoryReport.title(group));
        assertEquals(List.of("Left out: c of 2026-11-03 09:42, c2: c2 died"), HistoryReport.leftOut(group));
        assertEquals("09-", HistoryReport.cells(group, group.series().get(0)).get(5));
    }

    @Test
    void saysForWhatAllEarlierRunsWereLeftOut() {
        assertEquals(
                "No verdict: no run before it had the same requests at the same load and this metric",
                unjudged(Optional.empty()));
        assertEquals("No verdict: 2 earlier runs were left out: not steady", unjudged(Optional.of("not steady")));
    }

    private static String unjudged(Optional<String> leftOut) {
        RunHistory.Series.Builder series =
                RunHistory.Series.builder("c2", "fullLoadCpuPerRequest").primary(true);
        List<ComparedRun> runs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            runs.add(TestingComparisons.run("run-" + i, i).build());
            series.point(RunHistory.Point.builder(i, 1000)
                    .launches(6)
                    .fingerprint("")
                    .leftOut(i < 2 ? leftOut : Optional.empty())
                    .build());
        }
        RunHistory history = RunHistory.builder()
                .folder("runs")
                .margin(0.01)
                .group(RunHistory.Group.of("a.bin", "ab", "", runs, List.of(series.build())))
                .build();
        return HistoryReport.of(history).answers().get(1).text();
    }

    @Test
    void namesWhatWasPassedOver() {
        assertTrue(report.text().contains("\nskipped lockstep-runs/killed: its run was killed\n"), report.text());
        assertTrue(report.text().contains("\nskipped 1 more: --json names them\n"), report.text());
        assertFalse(report.markdown().contains("<img"), report.markdown());
    }

    @Test
    void saysOfTheSameRunsWhyTheyAreLeftOutAsItShows() {
        RunHistory.Series.Builder series =
                RunHistory.Series.builder("c2", "fullLoadCpuPerRequest").primary(true);
        RunHistory.Series.Builder other = RunHistory.Series.builder("c2", "p50");
        List<ComparedRun> runs = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            runs.add(TestingComparisons.run("run-" + i, i).build());
            RunHistory.Point point = RunHistory.Point.builder(i, 1000 + i)
                    .launches(6)
                    .fingerprint("")
                    .leftOut(i == 7 || i == 8 ? Optional.of("not steady") : Optional.empty())
                    .build();
            // It lacks its value every other time.
            if (i < 10 || i % 2 == 0) {
                series.point(point);
            }
            other.point(point);
        }
        RunHistory.Group group = RunHistory.Group.of("a.bin", "ab", "", runs, List.of(series.build(), other.build()));

        String line = HistoryReport.cells(group, group.series().get(0)).get(5);
        List<String> leftOut = HistoryReport.leftOut(group);

        assertEquals(12, line.length(), "of runs 8 to 19");
        assertEquals("x", line.substring(0, 1));
        assertEquals("-", line.substring(3, 4), "run 11 has none");
        assertEquals(6, leftOut.size(), leftOut + "");
        assertTrue(leftOut.get(0).contains("run-19 "), leftOut + "");
        assertTrue(leftOut.get(5).contains("run-8 "), leftOut + "");
        RunHistory.Series old = RunHistory.Series.builder("old", "p50")
                .point(RunHistory.Point.builder(0, 1)
                        .launches(6)
                        .fingerprint("")
                        .build())
                .build();
        assertEquals("-", HistoryReport.cells(group, old).get(5), "none of the newest runs");
    }
}
