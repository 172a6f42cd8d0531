package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.results.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
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
        assertEquals(2e6, c2.perRequest().userCpuNsPerRequest().getAsDouble());
        TargetResult graal = result.targets().get(1);
        assertTrue(graal.exit().orElseThrow().oomKilled());
        assertTrue(graal.counts().isEmpty());
    }

    @Test
    void hasTheFiguresOfEachEndpointThatGotRequests() {
        List<EndpointResult> endpoints = TestingRuns.result().targets().get(0).endpoints();

        assertEquals(
                List.of("GET /users/N", "POST /orders", "Audit.log"),
                endpoints.stream().map(EndpointResult::name).collect(Collectors.toList()));
        EndpointResult orders = endpoints.get(1);
        assertEquals(21, orders.count());
        assertEquals(3, orders.errors());
        assertTrue(orders.supported(Level.P50).isPresent());
        assertTrue(orders.supported(Level.P99).isEmpty());
        assertTrue(orders.p99Ns().isPresent());
        assertTrue(orders.stands(Level.P50));
        assertFalse(orders.stands(Level.P99));
        assertTrue(endpoints.get(2).p50Ns().isEmpty());
    }

    @Test
    void hasNoFigureThatWasNotMeasured() {
        TargetResult nothing = TargetResult.builder("c2").build();
        assertTrue(nothing.counts().isEmpty());
        assertTrue(nothing.throughputPerSec().isEmpty());
        assertTrue(nothing.responseTime().isEmpty());
        assertTrue(nothing.streamDigest().isEmpty());
        assertTrue(nothing.perRequest().userCpuNsPerRequest().isEmpty());
        assertEquals(
                "{\"name\":\"c2\",\"command\":[],\"jvmOptions\":[],\"notes\":[]}",
                Json.tree(nothing).toString());

        TargetResult unanswered = TargetResult.builder("c2")
                .load(TestingRuns.load(List.of()))
                .cost(Cost.USER_CPU, 5)
                .build();
        String json = Json.tree(unanswered).toString();
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

    @Test
    void namesTheFieldThatIsMissingInAPartOfTheResult() throws IOException {
        assertUnreadable(
                "run.json: plan.capture.requests: expected a whole number, found nothing",
                golden().replaceAll("\"requests\": \\d+,", ""));
        assertUnreadable(
                "run.json: targets[0].ownLagNs: expected an object, found nothing",
                golden().replace("\"ownLagNs\"", "\"otherLagNs\""));
        assertUnreadable(
                "run.json: targets[0].launches[0].failed: expected a whole number, found nothing",
                withTargetField("\"launches\": [{\"launch\": 1, \"position\": 1, \"completed\": 1}]"));
        assertUnreadable(
                "run.json: targets[0].collectors.G1 Young.pauseNs: expected a whole number, found true",
                withTargetField("\"collectors\": {\"G1 Young\": {\"pauseNs\": true}}"));
        assertUnreadable(
                "run.json: targets[0].comparison.baseline: expected a text, found nothing",
                withTargetField("\"comparison\": {}"));
        assertUnreadable(
                "run.json: self.gc: expected an object, found nothing",
                withField("\"self\": {\"measuredNs\": 1, \"cpuNs\": 1, \"gc\": null, \"loops\": []}"));
        assertUnreadable(
                "run.json: verdicts[0].launches: expected a whole number up to 2147483647, found nothing",
                withField("\"verdicts\": [{\"metric\": \"p99\", \"target\": \"graal\", \"baseline\": \"c2\","
                        + " \"verdict\": \"better\"}]"));
    }

    @Test
    void refusesAValueThatOnlyAReportWouldStumbleOver() throws IOException {
        String verdict = "\"verdicts\": [{\"metric\": \"p99\", \"target\": \"graal\", \"baseline\": \"c2\","
                + " \"verdict\": \"better\", \"launches\": 2, ";
        assertUnreadable("run.json: verdicts[0]: low must be given", withField(verdict + "\"high\": 0.9}]"));
        assertUnreadable(
                "run.json: verdicts[0].ratio: expected a number, found \"NaN\"",
                withField(verdict + "\"ratio\": \"NaN\"}]"));
        assertUnreadable("run.json: trends: expected a list of values, found null", withField("\"trends\": [null]"));
        assertUnreadable(
                "run.json: plan.version: expected 1, found 7; read it with the Lockstep that wrote it",
                golden().replaceAll("(\"plan\": \\{\\s+\"version\": )1", "$17"));
    }

    @Test
    void takesNullAsAMissingField() throws IOException {
        RunResult result = RunResult.fromJson(golden().replace(
                        "\"outages\": []", "\"outages\": [{\"fromNs\": 1, \"toNs\": null, \"failedRequests\": 2}]"));

        assertEquals(
                OptionalLong.empty(), result.targets().get(0).outages().get(0).toNs());
    }

    private static String withField(String field) throws IOException {
        return golden().replace("\"interrupted\"", field + ", \"interrupted\"");
    }

    private static String withTargetField(String field) throws IOException {
        return golden().replaceFirst("\"sent\"", field + ", \"sent\"");
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
        RunResult invalid = builder.invalid("first").late("second").build();
        assertEquals(RunStatus.INVALID, invalid.status());
        assertEquals(List.of("first", "second"), invalid.statusReasons());
        assertEquals(List.of("second"), RunResult.fromJson(invalid.toJson()).latenessReasons());
    }

    @Test
    void givesEveryPercentileTheIssueNamesInNanoseconds() {
        Histogram histogram = TestingRuns.histogram(0, 1);
        histogram.recordValue(1_500_000);
        String json = Json.tree(Percentiles.of(histogram)).toString();
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
