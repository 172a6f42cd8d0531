package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The profile of a service that only computes names the method that computes. */
@Tag("full")
final class ProfileTest extends RealRuns {
    @Test
    void namesTheMethodThatTakesTheCpuTime() throws Exception {
        replay = Replay.run(
                directory,
                ANY_LAG,
                "--targets=c2",
                "-c1",
                "-z1s",
                "--warmup=1s",
                "--profile",
                "--profile-duration=2s",
                "--json",
                "-o",
                "run",
                "http://127.0.0.1/cpu/lu?n=400");

        assertEquals(0, replay.exitCode(), replay.toString());
        JsonNode run = replay.json();
        assertEquals(run, runJson());
        assertReportPrintsTheSame("--json");
        JsonNode profile = run.path("profile");
        JsonNode target = profile.path("targets").path(0);
        assertTrue(target.path("profiler").asText().startsWith("async-profiler "), target.toString());
        assertTrue(
                List.of("perf_events", "ctimer").contains(target.path("event").asText()), target.toString());
        assertTrue(target.path("samples").asLong() > 0, target.toString());
        assertTrue(target.path("cpuNsPerRequest").asDouble() > 0, target.toString());
        JsonNode hottest = StreamSupport.stream(profile.path("methods").spliterator(), false)
                .filter(method -> !method.path("kind").asText().equals("vm_threads"))
                .findFirst()
                .orElseThrow();
        assertEquals("dev.lockstep.app.LuWork.factor", hottest.path("name").asText(), target.toString());
        // A machine that mostly stands still takes few samples, but never fewer than two of this method.
        assertTrue(hottest.path("samples").path("c2").asLong() > 1, hottest.toString());

        String stacks = Files.readString(run().resolve("c2.collapsed"));
        assertTrue(stacks.contains("dev.lockstep.app.LuWork.factor_["), stacks);
        assertFalse(stacks.contains("dev.lockstep.app.TargetApp.main"), "start-up is in the profile:\n" + stacks);
        String graph = Files.readString(run().resolve("c2.flame.html"));
        assertTrue(graph.startsWith("<!DOCTYPE html>"), graph);
        assertFalse(Files.exists(run().resolve("c2.profile.log")));
        String page = Files.readString(run().resolve("report.html"));
        String flames = page.substring(page.indexOf("\"flames\":{\"c2\":"));
        assertTrue(flames.contains("\"dev.lockstep.app.LuWork.factor\""), "the page has the stacks");
        for (String file : new String[] {"run.json", "c2.collapsed", "c2.flame.html"}) {
            assertEquals(
                    "rw-------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(run().resolve(file))),
                    file);
        }
    }
}
