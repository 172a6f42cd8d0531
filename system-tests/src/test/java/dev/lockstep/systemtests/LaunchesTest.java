package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two launches of all targets: each has every figure that a verdict needs. */
@Tag("full")
final class LaunchesTest extends RealRuns {
    @Test
    void comparesTwoLaunchesOfAJvmWithItself() throws Exception {
        replaySample(
                "--targets=c2",
                "--aa",
                "--launches=2",
                "-z1s",
                "-q200",
                "--warmup=1s",
                ANY_LAG,
                "--assert=c2-aa.errors == 0");

        assertEquals(0, replay.exitCode(), replay.toString());
        JsonNode run = runJson();
        Set<String> positions = new HashSet<>();
        for (JsonNode target : run.path("targets")) {
            assertEquals(400, target.path("completed").asLong(), target.toString());
            assertEquals(2, target.path("launches").size(), target.toString());
            long userCpuNs = 0;
            for (JsonNode launch : target.path("launches")) {
                assertEquals(200, launch.path("completed").asLong(), launch.toString());
                assertTrue(launch.path("startup").path("jvmNs").asLong() > 0, launch.toString());
                assertTrue(launch.path("userCpuNsPerRequest").asDouble() > 0, launch.toString());
                userCpuNs += launch.path("userCpuNs").asLong();
                positions.add(launch.path("launch").asInt() + ":"
                        + launch.path("position").asInt() + target.path("name").asText());
            }
            assertEquals(target.path("userCpuNs").asLong(), userCpuNs, target.toString());
            String name = target.path("name").asText();
            assertTrue(Files.exists(run().resolve(name + ".2.log")), name);
        }
        assertEquals(Set.of("1:1c2", "1:2c2-aa", "2:1c2-aa", "2:2c2"), positions);
        JsonNode verdict = run.path("verdicts").path(0);
        assertEquals("steadyCpuPerRequest", verdict.path("metric").asText());
        assertEquals(2, verdict.path("launches").asInt(), verdict.toString());
        assertTrue(verdict.path("low").asDouble() <= verdict.path("ratio").asDouble(), verdict.toString());
        assertTrue(run.path("noiseFloor").path("high").asDouble() > 0, run.toString());
        assertTrue(run.path("assertions").path(0).path("holds").asBoolean(), run.toString());
        String text = replay.stdout();
        assertTrue(
                text.matches("(?s).*\n(NO )?VERDICT by [^\n]+\nc2-aa \\(the same as c2, so this is noise\\).*"), text);
    }
}
