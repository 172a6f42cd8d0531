package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

class RefusalsTest {
    /** @param refused of 100 answers */
    private static RunResult run(Map<Integer, Long> recorded, int refused) {
        return run("capture.bin", recorded, refused);
    }

    private static RunResult run(String path, Map<Integer, Long> recorded, int refused) {
        return run(path, recorded, i -> i < refused ? (i % 2 == 0 ? 401 : 403) : 200);
    }

    private static List<String> clientErrors(Map<Integer, Long> recorded, int missing) {
        return new Refusals(run("capture.bin", recorded, i -> i < missing ? 404 : 200)).loud();
    }

    private static RunResult run(String path, Map<Integer, Long> recorded, IntUnaryOperator status) {
        return run(path, recorded, TestingRuns.load(1, counts -> {}, status, TestingRuns.evenly(100, 1000)));
    }

    /**
     * @param why there is no digest of what was sent
     * @param refused of 100 answers, by their class alone
     */
    private static List<String> ofRecovered(String why, Map<Integer, Long> recorded, int refused) {
        LoadResult load =
                TestingRuns.load(1, counts -> {}, i -> i < refused ? 400 : 200, TestingRuns.evenly(100, 1000));
        return new Refusals(run(
                        "capture.bin",
                        recorded,
                        LoadResult.builder()
                                .counts(load.counts())
                                .measuredNs(load.measuredNs())
                                .responseTime(load.responseTime())
                                .serviceTime(load.serviceTime())
                                .generatorLag(load.generatorLag())
                                .streamDigest(StreamDigest.absent(why))
                                .build()))
                .loud();
    }

    private static RunResult run(String path, Map<Integer, Long> recorded, LoadResult load) {
        TargetResult target = TargetResult.builder("c2").load(load).build();
        RunPlan.Builder plan = TestingRuns.plan(target);
        RunPlan built = plan.build();
        CaptureReference capture = CaptureReference.builder()
                .path(path)
                .sha256(built.capture().sha256())
                .streamSha256(built.capture().streamSha256())
                .requests(built.capture().requests())
                .statusCodes(recorded)
                .build();
        return TestingRuns.run(built.toBuilder().capture(capture).build(), target)
                .build();
    }

    private static List<String> loud(Map<Integer, Long> recorded, int refused) {
        return new Refusals(run(recorded, refused)).loud();
    }

    @Test
    void saysThatMoreWasRefusedThanInTheRecording() {
        assertEquals(
                List.of("REFUSED: c2: 14 of 100 answers (14.0 %) were 401 or 403, 2.0 % in the recording: logins of the"
                        + " recording are expired or redacted; send live ones with --set-header 'Authorization: ...',"
                        + " --token or --token-command"),
                loud(Map.of(200, 980L, 401, 15L, 403, 5L), 14));
        assertEquals(List.of(), loud(Map.of(200, 870L, 401, 130L), 14));
        assertEquals(List.of(), loud(Map.of(200, 1000L), 1));
        assertEquals(1, loud(Map.of(200, 1000L), 2).size());
    }

    @Test
    void saysThatMuchWasRefusedWhereTheRecordingDoesNotSay() {
        assertEquals(
                List.of(
                        "REFUSED: c2: 6 of 100 answers (6.0 %) were 401 or 403: logins of the recording are expired or"
                                + " redacted; send live ones with --set-header 'Authorization: ...', --token or --token-command"),
                loud(Map.of(), 6));
        assertEquals(List.of(), loud(Map.of(), 5));
    }

    @Test
    void speaksOfNoRecordingWhereTheRequestIsThatOfAUrl() {
        assertEquals(
                List.of("REFUSED: c2: 100 of 100 answers (100.0 %) were 401 or 403: the request has no login that is"
                        + " valid; give it one with --set-header 'Authorization: ...', --token or --token-command"),
                new Refusals(run("http://127.0.0.1:8080/me", Map.of(), 100)).loud());
    }

    @Test
    void saysThatATargetHasNotWhatIsAskedOf() {
        assertEquals(
                List.of("CLIENT ERRORS: c2: 60 of 100 answers (60.0 %) were 4xx, most of them 404, 10.0 % in the"
                        + " recording: it may lack the data or the paths that are asked for; errors are not slow"),
                clientErrors(Map.of(200, 900L, 404, 100L), 60));
        assertEquals(List.of(), clientErrors(Map.of(200, 900L, 404, 100L), 15));
        assertEquals(1, clientErrors(Map.of(), 51).size());
        assertEquals(List.of(), clientErrors(Map.of(), 50));
    }

    @Test
    void saysThatATargetLimitsTheRate() {
        assertEquals(
                List.of("CLIENT ERRORS: c2: 60 of 100 answers (60.0 %) were 4xx, most of them 429: it limits the rate;"
                        + " send less (-q) or raise its limit; errors are not slow"),
                new Refusals(run("http://127.0.0.1/users", Map.of(), i -> i < 60 ? 429 : 200)).loud());
    }

    /** Its answers have 400 for all of 4xx: no recorded 400 is to be asked for, and nobody knows that they were 401. */
    @Test
    void comparesAllClientErrorsOfARecoveredRun() {
        Map<Integer, Long> recorded = Map.of(200, 700L, 401, 150L, 404, 150L);

        assertEquals(List.of(), ofRecovered(TargetResult.RECOVERED, recorded, 34));
        assertEquals(
                List.of(
                        "CLIENT ERRORS: c2: 36 of 100 answers (36.0 %) were 4xx, 30.0 % in the recording: logins may have"
                                + " expired, or it may lack the data or the paths that are asked for; which they were is not"
                                + " known of a recovered run"),
                ofRecovered(TargetResult.RECOVERED, recorded, 36));
        assertEquals(List.of(), ofRecovered("the run was killed", recorded, 34), "as older results say it");
        assertEquals(List.of(), ofRecovered(TargetResult.RECOVERED, Map.of(), 50));
        assertEquals(1, ofRecovered(TargetResult.RECOVERED, Map.of(), 51).size());
    }

    /** Such answers are as good as errors, unless the recording has no others. */
    @Test
    void isSaidBehindValidWhereAllWasRefused() {
        assertEquals("VALID, but c2 answered no request well", new Headlines(run(Map.of(200, 10L), 100)).outcome());
        assertEquals("VALID, but c2 answered no request well", new Headlines(run(Map.of(), 100)).outcome());
        assertEquals("VALID", new Headlines(run(Map.of(401, 10L), 100)).outcome());
        assertEquals("VALID", new Headlines(run(Map.of(200, 10L), 99)).outcome());
    }

    /** What the recorded server failed at, a target may fail at. */
    @Test
    void isNotSaidWhereTheRecordingHasNothingButErrors() {
        assertEquals("VALID", outcome(Map.of(500, 10L), i -> 503));
        assertEquals("VALID", outcome(Map.of(404, 6L, 500, 4L), i -> i < 60 ? 404 : 500));
        assertEquals("VALID, but c2 answered no request well", outcome(Map.of(404, 10L), i -> 500));
        assertEquals("VALID, but c2 answered no request well", outcome(Map.of(200, 1L, 500, 9L), i -> 500));
    }

    private static String outcome(Map<Integer, Long> recorded, IntUnaryOperator status) {
        return new Headlines(run("capture.bin", recorded, status)).outcome();
    }

    @Test
    void standsFirstOnTheFirstScreen() {
        String screen = new FirstScreen(run(Map.of(200, 10L), 50), Paint.NONE).toString();
        String text = TestingRuns.text(run(Map.of(200, 10L), 50));

        assertTrue(screen.startsWith("REFUSED: c2: 50 of 100 answers"), screen);
        assertTrue(text.indexOf("REFUSED: ") >= 0 && text.indexOf("REFUSED: ") < 400, text);
    }
}
