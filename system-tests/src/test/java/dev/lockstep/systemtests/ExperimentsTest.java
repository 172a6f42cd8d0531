package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The published experiments in their smallest size: all that they need works together. Up to a minute each. */
@Tag("full")
final class ExperimentsTest {
    private static final Path EXPERIMENTS = Replay.ROOT.resolve("experiments");

    @TempDir
    private Path directory;

    /** Under a minute on a quiet machine. */
    private static final long LONGEST_S = 600;

    /** This one is killed and goes on. */
    private static final String KILLED = "netty-buffers";

    static List<String> experiments() throws IOException {
        try (Stream<Path> folders = Files.list(EXPERIMENTS)) {
            return folders.map(folder -> folder.getFileName().toString())
                    .filter(name -> !name.equals(KILLED))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    private Replay smoke(String name) throws IOException {
        return Replay.start(directory, "experiment", name, "--smoke", "--json", "-o", directory.resolve("out") + "");
    }

    @ParameterizedTest
    @MethodSource("experiments")
    void setsFiguresBesideThePublishedOnes(String name) throws Exception {
        try (Replay replay = smoke(name)) {
            assertHasFigures(name, replay, replay.exitCode(LONGEST_S));
        }
    }

    private void assertHasFigures(String name, Replay replay, int exitCode) throws IOException {
        JsonNode result = replay.json();
        assertEquals(name, result.path("experiment").asText());
        List<JsonNode> parts =
                StreamSupport.stream(result.path("parts").spliterator(), false).collect(Collectors.toList());
        // Such as a machine without redis-server.
        assumeFalse(parts.stream().anyMatch(part -> part.path("end").asText().equals("skipped")), replay.toString());
        assertEquals(0, exitCode, replay.toString());
        assertTrue(parts.stream().allMatch(part -> part.path("end").asText().equals("done")), replay.toString());
        boolean measured = false;
        boolean published = false;
        for (JsonNode figure : result.path("figures")) {
            for (String field : List.of("name", "unit", "published", "here", "low", "high", "comment")) {
                assertTrue(figure.has(field), figure.toString());
            }
            assertTrue(
                    figure.path("here").isNumber()
                            || !figure.path("comment").asText().isEmpty(),
                    figure.toString());
            measured |= figure.path("here").isNumber();
            published |= figure.path("published").isNumber();
        }
        assertTrue(measured && published, result.toString());
        assertTrue(Files.readString(directory.resolve("out/experiment.html")).contains("<h1"));
    }

    @Test
    void goesOnAfterAKill() throws Exception {
        assumeTrue(
                Files.exists(Replay.ROOT.resolve("services/echo/target/lockstep/lockstep-echo-0.1.0.jar")),
                "the echo servers are not built");
        Path state = directory.resolve("out/experiment.json");
        try (Replay killed = smoke(KILLED)) {
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (!(Files.exists(state) && Files.readString(state).contains("DONE"))
                    && killed.isAlive()
                    && System.nanoTime() < end) {
                Thread.sleep(50);
            }
            ProcessHandle.of(killed.pid()).orElseThrow().destroyForcibly();
        }
        assertTrue(Files.readString(state).contains("\"capture\""), "killed after the first part");

        try (Replay again = smoke(KILLED)) {
            assertHasFigures(KILLED, again, again.exitCode(LONGEST_S));
            assertTrue(again.stderr().contains("capture: done before"), again.toString());
        }
    }

    /** A program of a part starts others, which the kernel's word to the program alone would leave running. */
    @Test
    void leavesNoServerBehindWhenItIsKilledAsItRecords() throws Exception {
        assumeTrue(
                Files.exists(Replay.ROOT.resolve("services/finagle/target/lockstep/lib/lockstep-finagle-0.1.0.jar")),
                "the Finagle service is not built");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "no setpriv");
        try (Replay killed = smoke("wholly-graal")) {
            ProcessHandle lockstep = ProcessHandle.of(killed.pid()).orElseThrow();
            Replay.await(() -> jvms(lockstep).size() >= 2 || !killed.isAlive());
            List<ProcessHandle> jvms = jvms(lockstep);
            assertTrue(jvms.size() >= 2, "server and recorder: " + killed);

            killed.signal("KILL");

            Replay.await(() -> jvms.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    @Test
    void printsTheTableThoughPartsCannotEvenBegin() throws Exception {
        Path own = Files.createDirectories(directory.resolve("own"));
        Files.writeString(
                own.resolve("experiment.yaml"),
                "title: A\nasks: B\nsource: C\nrig: D\nexpected: E\n"
                        + "sizes: {smoke: {}, quick: {}, full: {}}\n"
                        + "services: {store: [ls, /]}\n"
                        + "parts:\n"
                        + "  - {name: stored, services: [store], command: ['http://127.0.0.1/{store}']}\n"
                        + "  - {name: misspelt, command: [--sped, 'http://127.0.0.1/']}\n"
                        + "  - {name: made, command: [exec, cp, '{folder}/experiment.yaml', '{directory}/copy']}\n"
                        + "figures:\n"
                        + "  - {name: F, unit: 1/s, part: stored, value: throughput, target: c2}\n"
                        + "  - {name: G, unit: 1/s, part: misspelt, value: throughput, target: c2}\n");

        try (Replay replay = smoke(own.toString())) {
            assertEquals(1, replay.exitCode(LONGEST_S), "no figure was found, though a part is done: " + replay);
            assertTrue(replay.stderr().contains("made: done"), replay.toString());
            JsonNode figures = replay.json().path("figures");
            assertTrue(
                    figures.path(0).path("comment").asText().startsWith("Failed: service store: expected an open port"),
                    replay.toString());
            assertTrue(
                    figures.path(1).path("comment").asText().startsWith("Failed: unknown option --sped"),
                    replay.toString());
        }
        assertTrue(Files.exists(directory.resolve("out/copy")));
    }

    private static List<ProcessHandle> jvms(ProcessHandle parent) {
        return parent.descendants()
                .filter(one -> one.info().command().orElse("").endsWith("/java"))
                .collect(Collectors.toList());
    }
}
