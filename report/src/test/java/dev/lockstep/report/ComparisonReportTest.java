package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.RunStatus;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.comparison.RunComparison;
import dev.lockstep.results.comparison.RunVerdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class ComparisonReportTest {
    private final RunComparison regression = TestingComparisons.regression();

    @Test
    void looksLikeTheGoldenFiles() throws IOException {
        assertEquals(
                TestingRuns.resource("compare-regression.txt"),
                onTerminal(regression, Paint.NONE).text());
        assertEquals(
                TestingRuns.resource("compare-regression.md"),
                ComparisonReport.of(regression).markdown());
        assertEquals(
                TestingRuns.resource("compare-hostile.txt"),
                onTerminal(TestingComparisons.hostile(), Paint.NONE).text());
    }

    private static ComparisonReport onTerminal(RunComparison comparison, Paint paint) {
        List<String> words = new ArrayList<>(List.of("./replay", "compare", "--html", "compare.html"));
        comparison.runs().forEach(run -> words.add(run.directory()));
        return ComparisonReport.of(comparison).on(paint, words);
    }

    @Test
    void fitsAnOldTerminal() {
        List<String> lines = onTerminal(regression, Paint.NONE).text().lines().collect(Collectors.toList());

        assertTrue(lines.size() <= FirstScreen.MOST_LINES, lines.size() + " lines:\n" + String.join("\n", lines));
        assertTrue(lines.stream().allMatch(line -> line.length() <= Lines.WIDTH), String.join("\n", lines));
    }

    @Test
    void saysAboveTheTableWhichRunHasAnotherReference() {
        RunComparison comparison = RunComparison.builder()
                .from(regression)
                .verdicts(List.of(TestingComparisons.verdict("p50", "c2", "lockstep-runs/tuesday", 1.1)
                        .control("graal")
                        .build()))
                .build();

        String line = "Run 2: graal stands for the day; ratios of others are without it";
        assertTrue(ComparisonReport.of(comparison).text().contains("\n" + line + "\nrun "));
        assertTrue(ComparisonReport.of(comparison).markdown().contains("\n- " + line + "\n"));
        assertFalse(ComparisonReport.of(regression).text().contains("stands for the day;"), "c2 is the first target");
    }

    @Test
    void namesTheMetricThatIsWorseWhereThePrimaryOneIsNot() {
        RunComparison comparison = RunComparison.builder()
                .from(regression)
                .verdicts(List.of(TestingComparisons.verdict("errors", "c2", "lockstep-runs/tuesday", 2)
                        .decides(true)
                        .build()))
                .build();

        assertTrue(ComparisonReport.of(comparison).text().startsWith("REGRESSION by share of errors\n"));
    }

    @Test
    void showsWhatTheBaselineHadThoughOnlyTheThirdRunWasJudgedByIt() {
        RunComparison comparison = RunComparison.builder()
                .run(TestingComparisons.run("a", 0).build())
                .run(TestingComparisons.run("b", 1).build())
                .run(TestingComparisons.run("c", 2).build())
                .primaryMetric("p50")
                .margin(0.01)
                .verdict(TestingComparisons.verdict("p50", "c2", "b", 1).build())
                .verdict(RunVerdict.builder("errors", "c2", "c")
                        .count(7)
                        .baselineCount(3)
                        .launches(6)
                        .baselineLaunches(6)
                        .build())
                .build();

        assertTrue(
                ComparisonReport.of(comparison).markdown().contains("| c2 1 | 0.153 | 3 |"),
                ComparisonReport.of(comparison).markdown());
    }

    @Test
    void paintsLinesWithoutChangingThem() {
        String painted =
                onTerminal(regression, (tone, line) -> "<" + tone + ">" + line).text();

        assertTrue(painted.contains("<BAD>REGRESSION by CPU per request at full load\n"), painted);
        assertTrue(painted.contains("<COMMAND>  ./replay compare --html"), painted);
        assertEquals(
                onTerminal(regression, Paint.NONE).text(),
                painted.replaceAll("<(HEADING|GOOD|BAD|DOUBT|COMMAND)>", ""));
    }

    @Test
    void suggestsNoPageWhereThereIsOne() {
        assertFalse(ComparisonReport.of(regression).text().contains("Next"));
    }

    @Test
    void showsNoMarkupOfOthers() {
        String text = onTerminal(TestingComparisons.hostile(), Paint.NONE).text();
        String markdown = ComparisonReport.of(TestingComparisons.hostile()).markdown();

        assertFalse(text.contains("\u001b") || text.contains("\u202e"), text);
        assertFalse(markdown.contains("<img") || markdown.contains("[a]("), markdown);
        assertTrue(
                markdown.lines().filter(line -> line.startsWith("|")).allMatch(line -> line.endsWith("|")), markdown);
    }

    @Test
    void saysWhatTheIntervalDoesNotKnow() {
        RunVerdict.Builder two = TestingComparisons.verdict("p50", "c2", "b", 1.1);

        assertEquals(
                "c2 has 10.0 % higher p50 than in run 1 (1.100, 95 % interval 1.080 to 1.120, 6 launches against 6):"
                        + " worse; the interval does not know how much days differ",
                sentence(two.build()));
        assertEquals(
                "c2 has 10.0 % higher p50 than in run 1 (1.100, 95 % interval 1.080 to 1.120, 6 launches against 6):"
                        + " worse (indicative); runs differ by 0.8 % from day to day (4 runs)",
                sentence(two.dayRuns(4).dayDeviation(0.008).indicative(true).build()));
    }

    @Test
    void saysWhatWasFound() {
        RunVerdict.Builder same = TestingComparisons.verdict("rss", "c2", "b", 1.0001)
                .control("graal")
                .finding(Finding.EQUIVALENT);
        assertEquals(
                "c2: no difference in resident memory to what it was in run 1 (1.000, 95 % interval 0.980 to 1.020, 6"
                        + " launches against 6): equivalent within 1 %; against graal, which takes out the day",
                sentence(same.build()));

        assertEquals(
                "c2: cannot tell its resident memory from what it was in run 1 (1.000, no interval, 6 launches against"
                        + " 6): one launch in a run decides nothing",
                sentence(same.interval(Optional.empty())
                        .level(OptionalDouble.empty())
                        .finding(Finding.INCONCLUSIVE)
                        .build()));

        assertEquals(
                "c2: share of errors above 0, and 0 in run 1 (7 : 0, no interval, 6 launches against 6): worse",
                sentence(RunVerdict.builder("errors", "c2", "b")
                        .count(7)
                        .baselineCount(0)
                        .launches(6)
                        .baselineLaunches(6)
                        .finding(Finding.WORSE)
                        .build()));

        assertEquals(
                "c2: cannot tell its share of errors from what it was in run 1 (1 : 0, no interval, 6 launches against"
                        + " 6): inconclusive",
                sentence(RunVerdict.builder("errors", "c2", "b")
                        .count(1)
                        .baselineCount(0)
                        .launches(6)
                        .baselineLaunches(6)
                        .pValue(0.9)
                        .finding(Finding.INCONCLUSIVE)
                        .build()));

        RunVerdict.Builder died = RunVerdict.builder("errors", "c2", "b")
                .launches(0)
                .baselineLaunches(0)
                .died(true)
                .finding(Finding.WORSE);
        assertEquals("c2 did not die in run 1: it died, worse", sentence(died.build()));
        assertEquals(
                "c2: share of errors above 0, and 0 in run 1 (7 : 0, no interval, 6 launches against 6): it died, worse",
                sentence(died.count(7)
                        .baselineCount(0)
                        .launches(6)
                        .baselineLaunches(6)
                        .build()));
    }

    private static String sentence(RunVerdict verdict) {
        return new RunSentences(0.01).sentence(verdict, "in run 1");
    }

    @Test
    void isReadAsJson() {
        String json = regression.toJson();

        assertTrue(json.startsWith("{\n  \"version\": 1,\n  \"runs\": [\n"), json);
        assertTrue(json.contains("\"verdict\": \"worse\""), json);
        assertTrue(json.contains("\"regression\": true"), json);
    }

    @Test
    void marksFiguresThatAreNotToBeTrustedAndTargetsThatDied() {
        RunComparison comparison = RunComparison.builder()
                .run(TestingComparisons.run("a", 0).build())
                .run(TestingComparisons.run("b", 1)
                        .status(RunStatus.INVALID)
                        .statusReason("late")
                        .died(List.of("c2"))
                        .build())
                .primaryMetric("p50")
                .margin(0.01)
                .verdict(TestingComparisons.verdict("p50", "c2", "b", 1.1)
                        .invalid(true)
                        .build())
                .build();
        ComparisonReport report = ComparisonReport.of(comparison);

        String text = report.text();
        assertTrue(text.contains("Run 2: b, ") && text.contains("launches, c2 died\n"), text);
        assertTrue(
                text.contains("\nINVALID: the figures of run 2, and ratios to them, are not to be trusted\nrun "),
                text);
        assertTrue(text.contains("\n2!x  ") && text.contains("within 1 %, ! INVALID, x died\n"), text);
        String markdown = report.markdown();
        assertEquals(
                2,
                markdown.split(
                                        "\\*\\*INVALID: the figures of run 2, and ratios to them, are not to be trusted\\*\\*",
                                        -1)
                                .length
                        - 1,
                markdown);
        assertEquals(
                "2 INVALID DIED", report.cells(comparison.verdicts().get(0)).get(0));
    }

    @Test
    void trustsTheCpuOfARunThatWasOnlyLate() {
        RunComparison comparison = RunComparison.builder()
                .run(TestingComparisons.run("a", 0).build())
                .run(TestingComparisons.run("b", 1)
                        .status(RunStatus.INVALID)
                        .statusReason("late")
                        .onlyLate(true)
                        .build())
                .primaryMetric("fullLoadCpuPerRequest")
                .margin(0.01)
                .verdict(TestingComparisons.verdict("fullLoadCpuPerRequest", "c2", "b", 1.1)
                        .build())
                .verdict(TestingComparisons.verdict("p50", "c2", "b", 1.1)
                        .finding(Finding.INCONCLUSIVE)
                        .invalid(true)
                        .build())
                .build();
        ComparisonReport report = ComparisonReport.of(comparison);

        String text = report.text();
        assertTrue(
                text.startsWith("REGRESSION by CPU per request at full load\n"
                        + "INVALID: run 2: latencies and rates, not CPU and memory: late\n"),
                text);
        assertTrue(
                text.contains(
                        "\nINVALID: rates and latencies of run 2, and ratios to them, are not to be trusted\nrun "),
                text);
        assertTrue(text.contains("\n2   ") && text.contains("1.100w  1.100!\n"), text);
        assertTrue(text.contains("within 1 %, ! INVALID\n"), text);
        assertTrue(report.markdown().contains("| ratio | 1.100w | 1.100 INVALID |"), report.markdown());
        assertTrue(
                report.markdown().startsWith("## Lockstep: runs compared\n\n**REGRESSION by CPU"), report.markdown());
        assertEquals("2", report.cells(comparison.verdicts().get(0)).get(0));
        assertEquals("2 INVALID", report.cells(comparison.verdicts().get(1)).get(0));
    }
}
