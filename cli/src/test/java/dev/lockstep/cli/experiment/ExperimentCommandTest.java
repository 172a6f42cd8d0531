package dev.lockstep.cli.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.results.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ExperimentCommandTest {
    private final TestingCommandLine line = new TestingCommandLine();

    @TempDir
    private Path folder;

    /** Returns the folder of an experiment of these parts, whose target is never ready. */
    private Path experiment(String parts) throws IOException {
        Path own = Files.createDirectory(folder.resolve("own"));
        Files.writeString(
                own.resolve("targets.yaml"),
                "targets:\n  - {name: a, command: [sh, -c, 'exec sleep 60', '{port}']}\n",
                StandardCharsets.UTF_8);
        Files.writeString(
                own.resolve("experiment.yaml"),
                "title: A\nasks: B\nsource: C\nrig: D\nexpected: E\nsizes: {smoke: {}, quick: {}, full: {}}\n" + parts,
                StandardCharsets.UTF_8);
        return own;
    }

    /** A JVM with too little memory may live and never answer. */
    @Test
    void knowsATargetThatIsNotReadyInTimeFromOtherFailures() throws IOException {
        Path own = experiment("parts:\n"
                + "  - name: least\n"
                + "    tries: ['1', '2']\n"
                + "    command: [--targets-file, '{targetsFile}', --targets, a, --ready-timeout, 200ms, --warmup,"
                + " '0', -z, 1s, -t, '{try}', --assert, a.errors == 0, 'http://127.0.0.1/']\n"
                + "figures:\n  - {name: F, unit: s, part: least, least: timeout}\n");

        assertEquals(
                ExitCode.FAILED,
                line.execute("experiment", own.toString(), "--json", "-o", folder.resolve("out") + ""),
                "without a figure");

        JsonNode figure = Json.parse("figures", line.out()).path("figures").path(0);
        assertEquals(
                "None of 1, 2 holds. Not ready in time, which counts as not holding: 1, 2. No figure was published.",
                figure.path("comment").asText(),
                line::err);
    }

    /** Its targets may answer all the while, if only with errors. */
    @Test
    void hasFailedWhereAServiceEndsMeanwhile() throws IOException {
        Path runs = folder.resolve("runs");
        Path own = experiment("services:\n"
                + "  store: [sh, -c, 'echo \"$1\" >\"$0.new\"; mv \"$0.new\" \"$0\";"
                + " while [ -e \"$0\" ]; do sleep 0.1; done; exit 7', '" + runs + "', '{port}']\n"
                + "parts:\n"
                + "  - name: stored\n"
                + "    services: [store]\n"
                + "    command: [--targets-file, '{targetsFile}', --targets, a, --ready-timeout, 2s, --warmup,"
                + " '0', -z, 1s, 'http://127.0.0.1/']\n"
                + "figures:\n  - {name: F, unit: 1/s, part: stored, value: throughput, target: a}\n");

        failsBesideTheService(own, runs);

        String comment = Json.parse("figures", line.out())
                .path("figures")
                .path(0)
                .path("comment")
                .asText();
        assertTrue(
                comment.startsWith("Failed: service store ended while targets used it (exit code 7); what it printed"),
                () -> comment + line.err());
    }

    @Test
    void leavesNothingOfAServiceThatIsAScript() throws IOException {
        Path runs = folder.resolve("runs");
        Path script = Files.writeString(
                folder.resolve("service.sh"),
                "(trap ': >\"$0.ended\"; exit' TERM; : >\"$0.ready\"\n"
                        + " n=0; while [ $n -lt 300 ]; do n=$((n + 1)); sleep 0.1; done) &\n"
                        + "while [ ! -e \"$0.ready\" ]; do sleep 0.01; done\n"
                        + "echo \"$1\" >\"$2.new\"; mv \"$2.new\" \"$2\"; wait\n");
        Path own = experiment("services:\n"
                + "  store: [sh, '" + script + "', '{port}', '" + runs + "']\n"
                + "parts:\n"
                + "  - name: stored\n"
                + "    services: [store]\n"
                + "    command: [--dry-run, --targets, c2, 'http://127.0.0.1/']\n"
                + "figures:\n  - {name: F, unit: 1/s, part: stored, value: throughput, target: a}\n");

        failsBesideTheService(own, runs);

        assertTrue(Files.exists(folder.resolve("service.sh.ended")), line::err);
    }

    /** @param runs where the service writes its port */
    private void failsBesideTheService(Path own, Path runs) {
        Thread listener = new Thread(() -> listenOnce(runs));
        listener.setDaemon(true);
        listener.start();
        assertEquals(
                ExitCode.FAILED,
                line.execute("experiment", own.toString(), "--json", "-o", folder.resolve("out") + ""),
                "without a figure");
    }

    /** Listens on the port that a service wrote into a file, and has it end once somebody has connected. */
    private static void listenOnce(Path runs) {
        try {
            while (!Files.exists(runs)) {
                Thread.sleep(10);
            }
            int port = Integer.parseInt(Files.readString(runs).trim());
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                socket.accept().close();
            }
            Files.delete(runs);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void listsTheExperimentsAsJsonAndNothingElse() {
        assertEquals(ExitCode.DONE, line.execute("experiment", "--list", "--json"), line::err);

        List<String> names = new ArrayList<>();
        for (JsonNode one : Json.parse("list", "{\"all\": " + line.out() + "}").path("all")) {
            names.add(one.path("experiment").asText());
            assertFalse(one.path("title").asText().isEmpty(), one::toString);
            assertTrue(one.path("asks").asText().endsWith("?"), one::toString);
            for (String field : List.of("smokeNs", "quickNs", "fullNs")) {
                assertTrue(one.path(field).isIntegralNumber(), one::toString);
            }
        }
        assertEquals(List.of("autotune", "cloud-memory", "jit-hotspots", "netty-buffers", "wholly-graal"), names);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jit-hotspots", "--quick", "--smoke", "-o=out"})
    void refusesWhatConcernsOneExperimentBesideTheList(String word) {
        assertEquals(ExitCode.USAGE, line.execute("experiment", "--list", word));

        assertTrue(line.err().contains("--list shows all experiments in all sizes"), line::err);
    }
}
