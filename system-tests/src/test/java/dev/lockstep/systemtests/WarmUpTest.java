package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Targets that are heated until they are steady, or until it has taken too long. */
@Tag("full")
final class WarmUpTest extends RealRuns {
    @Test
    void heatsBothJitsAndSaysWhetherTheyWereSteady() throws Exception {
        replaySample(ANY_LAG, "--targets=c2,graal", "--warmup-limit=17s", "-n300", "--json");

        assertEquals(0, replay.exitCode(), replay.toString());
        JsonNode run = replay.json();
        assertEquals(run, runJson());
        assertReportPrintsTheSame("--json");
        assertEquals(17_000_000_000L, run.path("plan").path("warmupLimitNs").asLong());
        assertEquals("max", run.path("plan").path("warmupPace").asText());
        boolean steady = true;
        for (JsonNode target : run.path("targets")) {
            JsonNode warmup = target.path("warmup");
            assertEquals(
                    warmup.path("state"),
                    target.path("launches").path(0).path("warmup").path("state"));
            assertTrue(
                    List.of("steady", "not-steady", "undecidable")
                            .contains(warmup.path("state").asText()),
                    target.toString());
            assertTrue(warmup.path("jitShare").isNumber(), target.toString());
            assertTrue(warmup.path("cpuNs").asLong() > 0, target.toString());
            assertTrue(warmup.path("requests").asLong() > 0, target.toString());
            steady &= warmup.path("state").asText().equals("steady");
            assertEquals(300, target.path("completed").asLong(), "the heating counts for nothing");

            long warmUpNs = 0;
            for (String line : Files.readAllLines(run().resolve("intervals.jsonl"))) {
                JsonNode interval = new ObjectMapper().readTree(line);
                if (interval.path("target").equals(target.path("name"))
                        && interval.path("phase").asText().equals("warmup")) {
                    warmUpNs += interval.path("endNs").asLong()
                            - interval.path("startNs").asLong();
                }
            }
            // Five seconds of them at the recorded pace; of less than ten seconds before these nothing is judged.
            assertTrue(warmUpNs > 16e9, target.path("name") + " was warmed up for " + warmUpNs / 1e9 + " s");
        }
        JsonNode verdict = run.path("verdicts").path(0);
        assertEquals("steady", verdict.path("question").asText());
        assertTrue(steady || verdict.path("verdict").asText().equals("not-steady"), verdict.toString());
    }
}
