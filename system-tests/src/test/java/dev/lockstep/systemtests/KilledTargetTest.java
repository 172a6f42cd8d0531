package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A target that the kernel kills is a result, and the other target finishes. */
@Tag("full")
final class KilledTargetTest extends RealRuns {
    private static final String VICTIM = "-Dlockstep.test.victim=yes";

    @Test
    void keepsWhatWasMeasuredBeforeTheKill() throws Exception {
        JsonNode run = runAndKill("c2: round 2", "--schedule=alternate", "--rounds=4", "--warmup=0");

        assertKilled(run, "measurement");
        JsonNode killed = run.path("targets").path(0);
        assertTrue(killed.path("completed").asLong() > 0, run.toString());
        assertTrue(killed.path("errors").path("target-died").asLong() > 0, run.toString());
        assertEquals(
                0, killed.path("unanswered").asLong() + killed.path("unsent").asLong(), run.toString());
        long failed = 0;
        for (JsonNode count : killed.path("errors")) {
            failed += count.asLong();
        }
        assertEquals(600, killed.path("completed").asLong() + failed);
        assertEquals(failed, failedInIntervals("c2"), "the intervals have all of them");
    }

    private long failedInIntervals(String target) throws Exception {
        long failed = 0;
        for (String line : Files.readAllLines(run().resolve("intervals.jsonl"))) {
            JsonNode interval = new ObjectMapper().readTree(line);
            if (interval.path("target").asText().equals(target)
                    && interval.path("phase").isMissingNode()) {
                for (JsonNode count : interval.path("errors")) {
                    failed += count.asLong();
                }
            }
        }
        return failed;
    }

    @Test
    void takesAKillDuringTheWarmUpForAResultToo() throws Exception {
        JsonNode run = runAndKill("c2: warm-up", "--schedule=alternate", "--warmup=3s");

        assertKilled(run, "warm-up");
        assertTrue(run.path("targets").path(0).path("completed").isMissingNode(), run.toString());
    }

    /** Runs two targets and kills c2 once standard error holds the text. */
    private JsonNode runAndKill(String when, String... options) throws Exception {
        List<String> all = new ArrayList<>(
                List.of("--targets=c2,other=c2", "--jvm-options", "c2=" + VICTIM, "-z3s", "-q200", ANY_LAG));
        all.addAll(List.of(options));
        startSample(all.toArray(new String[0]));
        replay.awaitStderr(when);
        Replay.signal(victim(), "KILL");

        assertEquals(0, replay.exitCode(), replay.toString());
        return runJson();
    }

    private long victim() {
        List<ProcessHandle> victims = ProcessHandle.of(replay.pid())
                .orElseThrow()
                .descendants()
                .filter(handle -> handle.info().commandLine().orElse("").contains(VICTIM))
                .collect(Collectors.toList());
        assertEquals(1, victims.size(), victims.toString());
        return victims.get(0).pid();
    }

    private void assertKilled(JsonNode run, String phase) throws Exception {
        JsonNode exit = run.path("targets").path(0).path("exit");
        assertEquals(137, exit.path("exitCode").asInt(), run.toString());
        assertEquals("SIGKILL", exit.path("signalName").asText());
        assertEquals(phase, exit.path("phase").asText());
        assertFalse(exit.path("oomKilled").asBoolean());
        JsonNode other = run.path("targets").path(1);
        assertTrue(other.path("exit").isMissingNode(), other.toString());
        assertEquals(0, other.path("errors").size(), other.path("errors").toString());
        long completed = other.path("completed").asLong();
        // A machine that is a second late counts the rest as unsent.
        assertEquals(600, completed + other.path("unsent").asLong());
        assertTrue(completed > 0, other.toString());
        assertEquals(completed, other.path("responseTimeNs").path("count").asLong());
        String text = replay.stdout();
        assertTrue(text.contains("during " + phase + ": exit code 137") && text.contains("SIGKILL"), text);
        assertEquals(3, Files.readAllLines(run().resolve("summary.csv")).size());
    }
}
