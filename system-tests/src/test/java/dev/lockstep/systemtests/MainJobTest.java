package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The everyday command on real JVMs. */
final class MainJobTest extends RealRuns {
    @Test
    void comparesBothJitsOnTheSample() throws Exception {
        // All of the sample, six times as fast: this is what a newcomer waits for longest.
        replaySample(ANY_LAG, "--warmup=1s", "--speed=6", "--targets", "c2,graal", "--json");

        assertEquals(0, replay.exitCode(), replay.toString());
        JsonNode run = replay.json();
        assertEquals("VALID", run.path("status").asText());
        assertEquals(run, runJson());
        JsonNode capture = run.path("capture");
        long requests = capture.path("requests").asLong();
        assertTrue(requests > 1000);
        for (int i = 0; i < 2; i++) {
            JsonNode target = run.path("targets").path(i);
            String name = i == 0 ? "c2" : "graal";
            assertEquals(name, target.path("name").asText());
            assertEquals(name, target.path("jit").asText());
            assertEquals(requests, target.path("sent").asLong());
            assertEquals(requests, target.path("completed").asLong());
            assertEquals(0, target.path("errors").size(), target.path("errors").toString());
            assertEquals(run.path("targets").path(0).path("statusCodes"), target.path("statusCodes"));
            assertEquals(
                    capture.path("streamSha256").asText(),
                    target.path("streamSha256").asText());
            for (String times : new String[] {"responseTimeNs", "serviceTimeNs", "generatorLagNs"}) {
                for (String figure : new String[] {"p50", "p90", "p95", "p99", "p999", "p9999", "max", "mean"}) {
                    assertTrue(target.path(times).path(figure).isNumber(), name + " " + times + " " + figure);
                }
                assertEquals(requests, target.path(times).path("count").asLong());
            }
            for (String figure : new String[] {"throughputPerSec", "userCpuNsPerRequest", "rssBytes", "startupNs"}) {
                assertTrue(target.path(figure).asDouble() > 0, name + " " + figure + ": " + target);
            }
            for (String file : new String[] {".hlog", ".hgrm", ".log"}) {
                assertTrue(Files.size(run().resolve(name + file)) > 0, name + file);
            }
        }
        assertTrue(run.path("targets").path(1).path("jitProof").toString().contains("JVMCI"));
        assertFalse(run.path("targets").path(0).path("jitProof").toString().contains("JVMCI"));
    }

    @Test
    @Tag("full")
    void printsHeysSummariesAndTheTable() throws Exception {
        replaySample(
                ANY_LAG,
                "--warmup=0",
                "--targets=base=c2,tuned=c2",
                "--jvm-options",
                "tuned=-Xmx99m -Dsome.option='a b'",
                "-n",
                "500",
                "-c",
                "5");

        assertEquals(0, replay.exitCode(), replay.toString());
        String out = replay.stdout();
        for (String part : new String[] {
            "Target base",
            "Target tuned",
            "Summary:",
            "  Requests/sec:\t",
            "Response time histogram:",
            "■",
            "Latency distribution:",
            "  50% in ",
            "Status code distribution:",
            "Ratio to base"
        }) {
            assertTrue(out.contains(part), part + " expected in\n" + out);
        }
        JsonNode run = runJson();
        assertEquals(500, run.path("targets").path(1).path("completed").asLong());
        String tuned = run.path("targets").path(1).toString();
        assertTrue(tuned.contains("-Xmx99m") && tuned.contains("-Dsome.option=a b"), tuned);
        assertEquals(Set.of("rwx------"), Set.of(PosixFilePermissions.toString(Files.getPosixFilePermissions(run()))));
    }

    @Test
    @Tag("full")
    void choosesTheJdkByItsVersion() throws Exception {
        assumeTrue(hasProfile("graal@25"), "no JDK 25 on this machine");

        replaySample(ANY_LAG, "--warmup=0", "--targets=c2@25,graal@25", "-n300", "-c4", "--json");

        assertEquals(0, replay.exitCode(), replay.toString());
        for (JsonNode target : replay.json().path("targets")) {
            assertTrue(
                    target.path("jvm").toString().contains("25."),
                    target.path("jvm").toString());
            assertEquals(300, target.path("completed").asLong());
        }
        assertEquals("graal", replay.json().path("targets").path(1).path("jit").asText());
    }

    @Test
    @Tag("full")
    void capsMemoryAndPinsCores() throws Exception {
        assumeTrue(canCapMemory(), "no control group that caps memory can be made");

        replaySample(ANY_LAG, "--warmup=0", "--targets=c2", "--memory=256m", "-z1s", "--json");

        assertEquals(0, replay.exitCode(), replay.toString());
        for (JsonNode target : replay.json().path("targets")) {
            assertEquals(256L << 20, target.path("memoryLimitBytes").asLong());
            assertTrue(
                    target.path("isolation").asText().contains("cgroup"),
                    target.path("isolation").asText());
            assertNotEquals("", target.path("cpus").asText());
            assumeTrue(target.has("memoryPeakBytes"), "cgroup v2 tells no peak before Linux 5.19");
            long peak = target.path("memoryPeakBytes").asLong();
            assertTrue(peak > 16 << 20 && peak <= 256L << 20, "peak " + peak);
        }
    }

    @Test
    @Tag("full")
    void tellsWhenTheCapIsTooSmallForTheJvm() throws Exception {
        assumeTrue(canCapMemory(), "no control group that caps memory can be made");

        replaySample("--targets=c2", "--memory=8m", "-z1s", "--warmup=0");

        assertEquals(1, replay.exitCode(), replay.toString());
        String said = replay.stdout() + replay.stderr();
        assertTrue(said.contains("c2") && said.toLowerCase(Locale.ROOT).contains("memory"), said);
    }

    @Test
    @Tag("full")
    void isInvalidWhenThisSideWasLate() throws Exception {
        replaySample("--max-lag=1ns", "--warmup=0", "--targets=c2", "-n50", "-q500");

        assertEquals(3, replay.exitCode(), replay.toString());
        assertTrue(replay.stdout().startsWith("INVALID: "), replay.toString());
    }

    @Test
    @Tag("full")
    void endsEarlyOnInterruptAndPrintsWhatWasMeasured() throws Exception {
        startSample(ANY_LAG, "--warmup=0", "--targets=c2,other=c2", "-z120s", "-q200", "--json");
        replay.awaitStderr("other: round 1");

        replay.signal("INT");

        assertEquals(0, replay.exitCode(), replay.toString());
        JsonNode run = replay.json();
        assertTrue(run.path("interrupted").asBoolean());
        assertTrue(run.path("targets").path(0).path("completed").asLong() > 0);
        assertTrue(Files.exists(run().resolve("run.json")));
    }

    @Test
    @Tag("full")
    void leavesNothingWhenInterruptedDuringTheStart() throws Exception {
        replay = Replay.start(directory, "--targets=c2,graal", Replay.SAMPLE.toString());
        replay.awaitStderr("c2: starting");

        replay.signal("INT");

        assertEquals(1, replay.exitCode(), replay.toString());
    }

    @Test
    @Tag("full")
    void takesItsTargetsAlongWhenKilledAndKeepsWhatTheyDid() throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/bin/setpriv")), "no setpriv");
        startSample(ANY_LAG, "--targets=c2,other=c2", "--soak=1h", "--warmup=1s", "-q200");
        Path run = run();
        Path rows = run.resolve("intervals.jsonl");
        Replay.await(() -> !replay.isAlive() || measured(rows) >= 3);

        replay.signal("KILL");

        Replay killed = replay;
        killed.exitCode();
        JsonNode recovered = new ObjectMapper().readTree(OwnJvm.run("recover", "--json", run.toString()));
        assertTrue(recovered.path("interrupted").asBoolean());
        assertTrue(recovered.path("plan").path("soak").asBoolean());
        JsonNode c2 = recovered.path("targets").path(0);
        assertTrue(c2.path("completed").asLong() >= 300, c2.toString());
        assertTrue(c2.path("userCpuNs").asLong() > 0, c2.toString());
        assertEquals("c2", c2.path("jit").asText());
        assertEquals(
                c2.path("completed").asLong(),
                c2.path("launches").path(0).path("completed").asLong());
        OwnJvm.assertRefused(1, List.of("recover", run.toString()), "run");
        // The next run sweeps the groups, and a frozen target dies with them.
        replay = Replay.run(
                directory,
                ANY_LAG,
                "--warmup=0",
                "--targets=c2",
                "-n10",
                "-c1",
                "-o",
                "next",
                Replay.SAMPLE.toString());
        assertEquals(0, replay.exitCode(), replay.toString());
        assertEquals(List.of(), killed.controlGroups());
    }

    /** How many intervals of the measured phase were written. */
    private static long measured(Path rows) {
        try {
            return !Files.exists(rows)
                    ? 0
                    : Files.readString(rows)
                            .lines()
                            .filter(row -> !row.contains("\"warmup\""))
                            .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean hasProfile(String name) {
        return OwnJvm.doctor().lines().anyMatch(line -> line.strip().startsWith(name + " ") && line.contains(" ok "));
    }

    /** Where it cannot, the line may name control groups too: by which version they are refused. */
    private static boolean canCapMemory() {
        return OwnJvm.doctor()
                .lines()
                .anyMatch(line -> line.matches(" *isolation +cgroup v[12]: (cpuset, )?memory\\b.*"));
    }
}
