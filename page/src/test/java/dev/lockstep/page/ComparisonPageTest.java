package dev.lockstep.page;

import static dev.lockstep.page.ReportPageTest.data;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Verdict.Interval;
import dev.lockstep.results.comparison.ComparedRun;
import dev.lockstep.results.comparison.Fact;
import dev.lockstep.results.comparison.RunComparison;
import dev.lockstep.results.comparison.RunHistory;
import dev.lockstep.results.comparison.RunVerdict;
import dev.lockstep.results.comparison.TargetFacts;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class ComparisonPageTest {
    static final String HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> {{data}}";
    private static final OffsetDateTime START = OffsetDateTime.parse("2026-11-02T07:42:00+01:00");

    private static ComparedRun run(String directory, int day) {
        return run(directory, START.plusDays(day));
    }

    private static ComparedRun run(String directory, OffsetDateTime startedAt) {
        return ComparedRun.builder()
                .directory(directory)
                .startedAt(startedAt)
                .status(RunStatus.VALID)
                .capture("users.bin")
                .launches(6)
                .machine("AMD EPYC")
                .build();
    }

    private static RunVerdict verdict(String metric, String target, String run, double ratio) {
        return RunVerdict.builder(metric, target, run)
                .baseline("monday")
                .primary(metric.equals("p50"))
                .decides(metric.equals("p50"))
                .ratio(ratio)
                .value(1e6 * ratio)
                .baselineValue(1e6)
                .interval(Interval.of(ratio - 0.02, ratio + 0.02))
                .level(0.95)
                .launches(6)
                .baselineLaunches(6)
                .finding(ratio > 1.02 ? Finding.WORSE : Finding.INCONCLUSIVE)
                .build();
    }

    static RunComparison comparison(String name) {
        return RunComparison.builder()
                .run(run("monday", 0))
                .run(run("tuesday", 1))
                .primaryMetric("p50")
                .margin(0.01)
                .target(TargetFacts.of(name, List.of(Fact.of("JVM", List.of(name, "17.0.22")))))
                .machine(Fact.of("CPU", List.of("AMD EPYC", name)))
                .verdict(verdict("p50", name, "tuesday", 1.05))
                .verdict(verdict("rss", name, "tuesday", 1.0))
                .note(name)
                .build();
    }

    /** Returns two runs of one target with these ratios. */
    static RunComparison comparison(double p50, double rss) {
        RunComparison usual = comparison("graal");
        return RunComparison.builder()
                .from(usual)
                .verdicts(List.of(verdict("p50", "graal", "tuesday", p50), verdict("rss", "graal", "tuesday", rss)))
                .build();
    }

    /** Returns one of two runs with one metric only, errors, of which the second has none. */
    static RunComparison withoutErrors() {
        return RunComparison.builder()
                .from(comparison("graal"))
                .verdicts(List.of(RunVerdict.builder("errors", "graal", "tuesday")
                        .baseline("monday")
                        .ratio(0)
                        .count(0)
                        .baselineCount(1615)
                        .launches(6)
                        .baselineLaunches(6)
                        .build()))
                .build();
    }

    /** Returns one of which the second run was late, which spoils its latencies and not its memory. */
    static RunComparison late() {
        RunComparison usual = comparison("graal");
        return RunComparison.builder()
                .from(usual)
                .runs(List.of(
                        run("monday", 0),
                        ComparedRun.builder()
                                .from(run("tuesday", 1))
                                .status(RunStatus.INVALID)
                                .statusReason("late")
                                .onlyLate(true)
                                .build()))
                .verdicts(List.of(
                        RunVerdict.builder("p50", "graal", "tuesday")
                                .from(usual.verdicts().get(0))
                                .invalid(true)
                                .build(),
                        usual.verdicts().get(1)))
                .build();
    }

    /** Returns a comparison of which the second run is INVALID, but not for what decides. */
    static RunComparison undecided() {
        return RunComparison.builder()
                .run(run("monday", 0))
                .run(ComparedRun.builder()
                        .from(run("tuesday", 1))
                        .status(RunStatus.INVALID)
                        .statusReason("late")
                        .build())
                .primaryMetric("p50")
                .margin(0.01)
                .verdict(verdict("p50", "graal", "tuesday", 1))
                .build();
    }

    /** Returns a comparison in whose second run the target died, so that nothing has a ratio. */
    static RunComparison died() {
        return RunComparison.builder()
                .from(comparison("graal"))
                .runs(List.of(
                        run("monday", 0),
                        ComparedRun.builder()
                                .from(run("tuesday", 1))
                                .died(List.of("graal"))
                                .build()))
                .verdicts(List.of(RunVerdict.builder("p50", "graal", "tuesday")
                        .primary(true)
                        .decides(true)
                        .baselineValue(1e6)
                        .launches(0)
                        .baselineLaunches(0)
                        .whyNot("graal died in tuesday")
                        .build()))
                .build();
    }

    static RunHistory history(String name, int runs) {
        return history(name, runs, i -> START.plusDays(i * (1 + i % 3)));
    }

    /** Returns runs that began three hours apart. */
    static RunHistory hourly(String name, int runs) {
        return history(name, runs, i -> START.plusHours(3L * i));
    }

    private static RunHistory history(String name, int runs, IntFunction<OffsetDateTime> starts) {
        List<ComparedRun> all = new ArrayList<>();
        RunHistory.Series.Builder series =
                RunHistory.Series.builder(name, "p50").primary(true);
        for (int i = 0; i < runs; i++) {
            all.add(run(name + i, starts.apply(i)));
            RunHistory.Point.Builder point = RunHistory.Point.builder(
                            i, 1e6 + (i < runs / 2 ? 0 : 1e5) + 1000 * (i % 7))
                    .launches(1 + i % 6)
                    .fingerprint(name);
            if (i % 6 > 0) {
                point.interval(Interval.of(0.98e6, 1.12e6));
            }
            if (i == 3) {
                point.leftOut(name);
            }
            series.point(point.build());
        }
        series.change(RunHistory.Change.builder()
                .after(runs / 2 - 1)
                .run(runs / 2)
                .ratio(1.1)
                .interval(Interval.of(1.09, 1.11))
                .pValue(1e-9)
                .better(false)
                .with(List.of(name))
                .build());
        series.newest(verdict("p50", name, name + (runs - 1), 1.05));
        return RunHistory.builder()
                .folder(name)
                .margin(0.01)
                .group(RunHistory.Group.of(name, "ab", "pace recorded", all, List.of(series.build())))
                .skipped(List.of(RunHistory.Skipped.of(name, name)))
                .build();
    }

    private static long scripts(String page) {
        return Pattern.compile("<script>").matcher(page).results().count();
    }

    @Test
    void holdsTheComparisonAndNeedsNothingElse() throws Exception {
        String page = ComparisonPage.of(comparison("graal")).html();

        assertEquals(
                new ObjectMapper().readTree(comparison("graal").toJson()),
                data(page).get("result"));
        assertEquals("worse", data(page).at("/text/verdicts/0/5").asText());
        assertEquals("ms", data(page).at("/columns/p50/unit").asText());
        assertFalse(
                Pattern.compile("<[^>]* (src|href)=\"(?!data:|#)").matcher(page).find(), "loads nothing");
        assertTrue(page.contains("default-src 'none'"));
        assertTrue(page.contains("<title>Lockstep: Runs compared</title>"));
    }

    @Test
    void saysWhatItComesToBesideTheTitle() throws Exception {
        assertEquals("REGRESSION", outcome(comparison("graal")));
        RunComparison nothing = RunComparison.builder()
                .run(run("monday", 0))
                .run(run("tuesday", 1))
                .primaryMetric("p50")
                .margin(0.01)
                .build();
        assertEquals("NOT DECIDED", outcome(nothing));
        RunVerdict invalid = RunVerdict.builder("p50", "graal", "tuesday")
                .decides(true)
                .invalid(true)
                .launches(6)
                .baselineLaunches(6)
                .build();
        assertEquals(
                "INVALID",
                outcome(RunComparison.builder().from(nothing).verdict(invalid).build()));
    }

    private static String outcome(RunComparison comparison) throws Exception {
        return data(ComparisonPage.of(comparison).html())
                .at("/text/outcome/text")
                .asText();
    }

    @Test
    void takesNoTextForMarkup() throws Exception {
        for (String page : List.of(
                ComparisonPage.of(comparison(HOSTILE)).html(),
                ComparisonPage.of(history(HOSTILE, 10)).html())) {
            assertEquals(3, scripts(page), "its own, the library, and what all pages draw with");
            assertFalse(page.contains("<script>alert"));
            assertFalse(page.contains("<img"));
            assertFalse(page.contains("<!--"));
        }
        assertEquals(
                HOSTILE,
                data(ComparisonPage.of(history(HOSTILE, 10)).html())
                        .at("/result/groups/0/series/0/target")
                        .asText());
    }

    @Test
    void staysSmallWithManyRuns() {
        String page = ComparisonPage.of(history("c2", 300)).html();

        assertTrue(page.length() < 500_000, "size with 300 runs of one series: " + page.length());
    }
}
