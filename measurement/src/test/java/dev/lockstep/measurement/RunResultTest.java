package dev.lockstep.measurement;

import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class RunResultTest {
    @Test
    void looksLikeTheGoldenFile() throws IOException {
        assertEquals(golden(), TestingRuns.result().toJson());
    }

    @Test
    void readsTheGoldenFile() throws IOException {
        RunResult result = RunResult.fromJson(golden());

        assertEquals(golden(), result.toJson());
        assertEquals(RunStatus.INVALID, result.status());
        assertEquals(TestingRuns.START, result.startedAt());
        assertEquals("c2", result.baseline().name());
        TargetResult c2 = result.targets().get(0);
        assertEquals(1000, c2.counts().orElseThrow().completed);
        assertEquals(200.0, c2.throughputPerSec().getAsDouble());
        assertEquals(2e6, c2.userCpuNsPerRequest().getAsDouble());
        TargetResult graal = result.targets().get(1);
        assertTrue(graal.exit().orElseThrow().oomKilled());
        assertTrue(graal.counts().isEmpty());
    }

    @Test
    void hasNoFigureThatWasNotMeasured() {
        TargetResult nothing = TargetResult.builder("c2").build();
        assertTrue(nothing.counts().isEmpty());
        assertTrue(nothing.throughputPerSec().isEmpty());
        assertTrue(nothing.responseTime().isEmpty());
        assertTrue(nothing.streamDigest().isEmpty());
        assertTrue(nothing.userCpuNsPerRequest().isEmpty());
        assertEquals(
                "{\"name\":\"c2\",\"command\":[],\"jvmOptions\":[],\"notes\":[]}",
                nothing.toJson().toString());

        TargetResult unanswered = TargetResult.builder("c2")
                .load(TestingRuns.load(List.of()))
                .cost(Cost.USER_CPU, 5)
                .build();
        String json = unanswered.toJson().toString();
        assertTrue(json.contains("\"completed\":0,"), json);
        assertTrue(json.contains("\"errors\":{},\"statusCodes\":{}"), json);
        assertTrue(json.contains("\"responseTimeNs\":{\"count\":0,\"unsupported\":[]}"), json);
        assertFalse(json.contains("PerRequest"), json);
    }

    @Test
    void survivesErrorsAndAMissingDigest() {
        LoadCounts counts = new LoadCounts();
        counts.error(ErrorKind.CONNECT_REFUSED, 3);
        counts.error(ErrorKind.READ_TIMEOUT, 4);
        counts.thriftException(6);
        counts.thriftException(99);
        counts.unanswered = 5;
        LoadResult load = LoadResult.builder()
                .counts(counts)
                .measuredNs(1_000)
                .streamDigest(StreamDigest.absent("no pass was completed"))
                .build();
        RunPlan plan = RunPlan.builder()
                .capture(TestingRuns.capture())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .build();
        String json = RunResult.builder(plan)
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START)
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("c2").load(load).build())
                .build()
                .toJson();

        TargetResult read = RunResult.fromJson(json).targets().get(0);

        assertEquals(counts.errorsByKind(), read.counts().orElseThrow().errorsByKind());
        assertEquals(Map.of(6, 1L, 11, 1L), read.counts().orElseThrow().thriftExceptions());
        assertEquals("no pass was completed", read.streamDigest().orElseThrow().absentReason());
        assertFalse(json.contains("\"streamSha256\": null"));
        assertEquals(json, RunResult.fromJson(json).toJson());
    }

    @Test
    void laterChangesToTheLoadsCountsDoNotReachIt() {
        LoadResult load = TestingRuns.load(TestingRuns.requests(1, 10));
        TargetResult target = TargetResult.builder("c2").load(load).build();
        load.counts().sent = 99;
        target.counts().orElseThrow().sent = 98;
        assertEquals(10, target.counts().orElseThrow().sent);
    }

    @Test
    void keepsFieldsOfNewerVersionsOutOfTheWay() throws IOException {
        String newer = golden().replace("\"interrupted\"", "\"forecasts\": [{\"metric\": \"p99\"}], \"interrupted\"")
                .replace("\"sent\"", "\"birdsSeen\": 5, \"sent\"");
        assertNotEquals(golden(), newer);
        assertEquals(golden(), RunResult.fromJson(newer).toJson());
    }

    @Test
    void refusesAResultThatContradictsItself() throws IOException {
        assertUnreadable(
                "run.json: statusReasons: expected some exactly when status is INVALID, found status VALID and 1 reasons",
                golden().replace("\"INVALID\"", "\"VALID\""));
        assertUnreadable(
                "run.json: status: expected VALID or INVALID, found \"GOOD\"",
                golden().replace("\"INVALID\"", "\"GOOD\""));
        assertUnreadable(
                "run.json: startedAt: expected a time like 2026-11-21T07:42:00+01:00, found \"today\"",
                golden().replace("\"2026-11-21T07:42:00.123+01:00\"", "\"today\""));
        assertUnreadable(
                "run.json: targets[0]: unknown kind of error \"lost\"",
                golden().replace("\"errors\": {}", "\"errors\": {\"lost\": 1}"));
        assertUnreadable(
                "run.json: targets[0]: statusCodes: expected a code from 0 to 999, found \"2000\"",
                golden().replace("\"statusCodes\": {", "\"statusCodes\": {\"2000\": 1,"));
        assertUnreadable(
                "run.json: targets must be those of the plan in its order, [c2, graal], are [tuned, graal]",
                golden().replaceFirst("\"name\": \"c2\"", "\"name\": \"tuned\""));
        assertUnreadable(
                "run.json: targets[0].responseTimeNs.p99: expected a whole number, found nothing",
                golden().replaceFirst("\"p99\": \\d+,", ""));
        assertUnreadable(
                "run.json: unknown field plan.mode; misspelt, or written by a newer version of Lockstep",
                golden().replace("\"pace\"", "\"mode\": 1, \"pace\""));
        assertUnreadable(
                "run.json: version: expected 1, found 3; read it with the Lockstep that wrote it",
                golden().replaceFirst("\"version\": 1", "\"version\": 3"));
    }

    private static void assertUnreadable(String message, String json) {
        MeasurementException e = assertThrows(MeasurementException.class, () -> RunResult.fromJson(json));
        assertEquals(message, e.getMessage());
    }

    @Test
    void wantsTimesEnvironmentAndThePlansTargets() {
        RunPlan plan = TestingRuns.plan().build();
        assertThrows(IllegalArgumentException.class, () -> RunResult.builder(plan)
                .environment(TestingRuns.environment())
                .build());
        assertThrows(IllegalArgumentException.class, () -> RunResult.builder(plan)
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START)
                .target(TargetResult.builder("c2").build())
                .target(TargetResult.builder("graal").build())
                .build());
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> RunResult.builder(plan)
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START)
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("graal").build())
                .target(TargetResult.builder("c2").build())
                .build());
        assertEquals("targets must be those of the plan in its order, [c2, graal], are [graal, c2]", e.getMessage());
    }

    @Test
    void isInvalidExactlyWithAReason() {
        RunResult.Builder builder = part(TestingRuns.plan().build(), TestingRuns.requests(1, 10));
        assertEquals(RunStatus.VALID, builder.build().status());
        RunResult invalid = builder.invalid("first").invalid("second").build();
        assertEquals(RunStatus.INVALID, invalid.status());
        assertEquals(List.of("first", "second"), invalid.statusReasons());
    }

    @Test
    void partsOfSeveralReplayersMergeToTheWhole() {
        RunPlan plan = TestingRuns.plan().maxRequests(3000).build();
        List<TestingRuns.Request> all = TestingRuns.requests(7, 3000);
        RunResult whole = part(plan, all).build();

        RunResult merged = null;
        for (RunPlan share : plan.split(3)) {
            RunResult part = part(
                            share,
                            all.stream()
                                    .filter(r -> share.share().includes(r.connection))
                                    .collect(toList()))
                    .note("same note")
                    .build();
            merged = merged == null ? part : merged.merge(part);
        }

        assertEquals(plan, merged.plan());
        assertEquals(List.of("same note"), merged.notes());
        assertEquals(3, merged.environments().size());
        for (int i = 0; i < 2; i++) {
            TargetResult expected = whole.targets().get(i);
            TargetResult found = merged.targets().get(i);
            assertEquals(expected.responseTime(), found.responseTime());
            assertEquals(expected.serviceTime(), found.serviceTime());
            assertEquals(expected.generatorLag(), found.generatorLag());
            assertEquals(expected.ownLag(), found.ownLag());
            assertEquals(expected.throughputPerSec(), found.throughputPerSec());
            assertEquals(expected.userCpuNsPerRequest(), found.userCpuNsPerRequest());
            assertEquals(
                    expected.counts().orElseThrow().statusCodes(),
                    found.counts().orElseThrow().statusCodes());
            assertEquals(12, found.counts().orElseThrow().connections);
        }
        assertEquals(merged.toJson(), RunResult.fromJson(merged.toJson()).toJson());
    }

    @Test
    void mergingKeepsReasonsInterruptionAndTheWholeSpanOfTime() {
        List<RunPlan> plans = TestingRuns.plan().build().split(2);
        RunResult first = part(plans.get(0), TestingRuns.requests(1, 10))
                .startedAt(TestingRuns.START.plusSeconds(1))
                .interrupted(true)
                .build();
        RunResult second = part(plans.get(1), TestingRuns.requests(2, 10))
                .finishedAt(TestingRuns.START.plusSeconds(60))
                .invalid("late")
                .build();

        RunResult merged = first.merge(second);

        assertEquals(List.of("late"), merged.statusReasons());
        assertTrue(merged.interrupted());
        assertEquals(TestingRuns.START, merged.startedAt());
        assertEquals(TestingRuns.START.plusSeconds(60), merged.finishedAt());
    }

    @Test
    void mergingTakesFromEitherSideWhatOnlyOneKnows() {
        List<RunPlan> plans = TestingRuns.plan().build().split(2);
        RunResult launcher = RunResult.builder(plans.get(0))
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START)
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("c2")
                        .jit("HotSpot C2")
                        .cost(Cost.USER_CPU, 1000)
                        .cost(Cost.RSS, 5)
                        .note("launched here")
                        .build())
                .target(TargetResult.builder("graal").build())
                .build();
        RunResult loader = RunResult.builder(plans.get(1))
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START)
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("c2")
                        .address("192.0.2.1:80")
                        .load(TestingRuns.load(TestingRuns.requests(1, 10)))
                        .build())
                .target(TargetResult.builder("graal").build())
                .build();

        TargetResult merged = launcher.merge(loader).targets().get(0);
        assertEquals("HotSpot C2", merged.jit().orElseThrow());
        assertEquals("192.0.2.1:80", merged.address().orElseThrow());
        assertEquals(100.0, merged.userCpuNsPerRequest().getAsDouble());
        assertEquals(List.of("launched here"), merged.notes());
        assertEquals(merged.toJson(), loader.merge(launcher).targets().get(0).toJson());
    }

    @Test
    void refusesToMergeDifferentRuns() {
        List<RunPlan> plans = TestingRuns.plan().build().split(2);
        RunResult one = part(plans.get(0), TestingRuns.requests(1, 10)).build();
        RunPlan faster = plans.get(1).toBuilder().speed(2).build();
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> one.merge(part(faster, TestingRuns.requests(2, 10)).build()));
        assertEquals(
                "only parts of one run can be merged: the two plans differ in more than share, path and cores",
                e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> one.merge(one));
    }

    @Test
    void refusesToMergeFiguresWithoutTheirHistograms() {
        List<RunPlan> plans = TestingRuns.plan().build().split(2);
        RunResult one = part(plans.get(0), TestingRuns.requests(1, 10)).build();
        RunResult two = RunResult.fromJson(
                part(plans.get(1), TestingRuns.requests(2, 10)).build().toJson());
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> one.merge(two));
        assertEquals(
                "target c2: results are merged with their histograms; read the whole run directory, not run.json alone",
                e.getMessage());
    }

    @Test
    void givesEveryPercentileTheIssueNamesInNanoseconds() {
        Histogram histogram = TestingRuns.histogram(0, 1);
        histogram.recordValue(1_500_000);
        String json = Percentiles.of(histogram).toString();
        for (String field : List.of("p50", "p90", "p95", "p99", "p999", "p9999", "max", "mean", "count")) {
            assertTrue(json.contains("\"" + field + "\":"), field);
        }
    }

    private static RunResult.Builder part(RunPlan plan, List<TestingRuns.Request> requests) {
        RunResult.Builder builder = RunResult.builder(plan)
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START.plusSeconds(7))
                .environment(TestingRuns.environment());
        for (TargetPlan target : plan.targets()) {
            builder.target(TargetResult.builder(target.name())
                    .load(TestingRuns.load(requests))
                    .cost(Cost.USER_CPU, 3_000_000)
                    .build());
        }
        return builder;
    }

    private static String golden() throws IOException {
        try (InputStream in = RunResultTest.class.getResourceAsStream("run.json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
