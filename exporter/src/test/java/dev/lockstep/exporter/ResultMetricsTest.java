package dev.lockstep.exporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class ResultMetricsTest {
    private static final String HOSTILE = "a\"b\\c\nd\u202e\u001b[31m# EOF";

    private static LoadResult load() {
        LoadCounts counts = new LoadCounts();
        Histogram times = new Histogram(3);
        for (int i = 0; i < 200; i++) {
            counts.sent++;
            counts.completed++;
            counts.status(200);
            times.recordValue(2_000_000);
        }
        return LoadResult.builder()
                .counts(counts)
                .measuredNs(2_000_000_000L)
                .responseTime(times)
                .serviceTime(times)
                .build();
    }

    private static RunResult run(String capture) {
        RunPlan plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path(capture)
                        .sha256("ab".repeat(32))
                        .streamSha256("ab".repeat(32))
                        .requests(10)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .target(TargetPlan.builder("graal").profile("graal").build())
                .build();
        return RunResult.builder(plan)
                .startedAt(OffsetDateTime.parse("2026-11-21T07:42:00+01:00"))
                .finishedAt(OffsetDateTime.parse("2026-11-21T07:42:05+01:00"))
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .target(TargetResult.builder("c2")
                        .load(load())
                        .cost(Cost.GROUP_CPU, 1_000_000_000)
                        .cost(Cost.RSS, 4096)
                        .build())
                .target(TargetResult.builder("graal")
                        .exit(TargetExit.builder().exitCode(137).phase("start").build())
                        .build())
                .verdict(Verdict.builder("p99", "graal", "c2")
                        .primary(true)
                        .ratio(0.9)
                        .interval(Verdict.Interval.of(0.8, Double.POSITIVE_INFINITY))
                        .finding(Verdict.Finding.INCONCLUSIVE)
                        .build())
                .build();
    }

    @Test
    void hasTheFinalFiguresInBaseUnits() {
        String text = ResultMetrics.page(run("users.bin"));
        Exposition page = new Exposition(text);

        assertTrue(text.endsWith("\n# EOF\n"), text);
        assertEquals(200, page.value("lockstep_result_requests{outcome=\"completed\",target=\"c2\"}"));
        assertEquals(100, page.value("lockstep_result_requests_per_second{target=\"c2\"}"));
        assertEquals(0.002, page.value("lockstep_result_response_time_seconds{target=\"c2\",quantile=\"0.5\"}"), 1e-5);
        assertEquals(200, page.value("lockstep_result_response_time_seconds_count{target=\"c2\"}"));
        assertEquals(0.4, page.value("lockstep_result_response_time_seconds_sum{target=\"c2\"}"), 1e-3);
        assertNull(
                page.value("lockstep_result_response_time_seconds{target=\"c2\",quantile=\"0.999\"}"),
                "too few answers for it");
        assertEquals(0.005, page.value("lockstep_result_cpu_per_request_seconds{kind=\"all\",target=\"c2\"}"));
        assertEquals(4096, page.value("lockstep_result_memory_bytes{kind=\"rss\",target=\"c2\"}"));
        assertEquals(1, page.value("lockstep_result_died{target=\"graal\"}"));
        assertNull(page.value("lockstep_result_requests_per_second{target=\"graal\"}"), "not measured");
        assertEquals(1, page.value("lockstep_result_valid"));
        String verdict = "baseline=\"c2\",%smetric=\"p99\",primary=\"true\",target=\"graal\"%s}";
        assertEquals(0.8, page.value("lockstep_result_ratio{" + String.format(verdict, "bound=\"low\",", "")));
        assertEquals(
                Double.POSITIVE_INFINITY,
                page.value("lockstep_result_ratio{" + String.format(verdict, "bound=\"high\",", "")));
        assertEquals(
                1, page.value("lockstep_result_verdict{" + String.format(verdict, "", ",verdict=\"inconclusive\"")));
    }

    /** Those without an answer are not among the times, and were taken off them. */
    @Test
    void countsTheTimesOfAllAnswersBesideRequestsWithoutOne() {
        RunResult run = run("users.bin");
        LoadResult load = load();
        load.counts().unsent = 300;
        TargetResult c2 = TargetResult.builder("c2")
                .load(load)
                .cost(Cost.USER_CPU, 600_000_000)
                .cost(Cost.SYSTEM_CPU, 200_000_000)
                .fullLoad(FullLoad.of(1, 2, OptionalDouble.of(20_000)))
                .build();

        Exposition page = new Exposition(
                ResultMetrics.page(run.with(List.of(c2, run.targets().get(1)), Optional.empty())));

        assertEquals(200, page.value("lockstep_result_response_time_seconds_count{target=\"c2\"}"));
        assertEquals(0.4, page.value("lockstep_result_response_time_seconds_sum{target=\"c2\"}"), 1e-3);
        String cost = "lockstep_result_cpu_per_request_seconds{kind=\"%s\",target=\"c2\"}";
        assertEquals(0.003, page.value(String.format(cost, "user")), 1e-9);
        assertEquals(0.001, page.value(String.format(cost, "system")), 1e-9);
        assertEquals(2e-5, page.value(String.format(cost, "without_jit_at_full_load")), 1e-12);
    }

    /**
     * What OpenMetrics says of units and its end is a comment to Prometheus's format; other types are unknown there.
     */
    @Test
    void isAPageOfPrometheussFormatToo() {
        for (Exposition.Family family :
                new Exposition(ResultMetrics.page(run("users.bin"))).families().values()) {
            assertEquals(List.of(), MetricRules.problems(family), family.name);
            assertTrue(List.of("gauge", "summary").contains(family.type), family.name);
        }
    }

    @Test
    void letsNoNameLeaveItsQuotes() {
        RunResult run = run(HOSTILE)
                .withAssertions(List.of(
                        AssertionResult.of(HOSTILE, false, OptionalDouble.empty(), OptionalDouble.empty(), "fails")));

        String text = ResultMetrics.page(run);
        Exposition page = new Exposition(text);

        String name = "a\\\"b\\\\c?d??[31m# EOF";
        assertEquals(
                name, page.families().get("lockstep_result_run").labels.get(0).get("capture"));
        assertEquals(0, page.value("lockstep_result_condition{condition=\"" + name + "\"}"));
        assertEquals(1, text.lines().filter("# EOF"::equals).count());
    }
}
