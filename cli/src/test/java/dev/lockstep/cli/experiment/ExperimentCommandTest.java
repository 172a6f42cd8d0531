package dev.lockstep.cli.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExperimentCommandTest {
    @TempDir
    private Path folder;

    private final TestingCommandLine line = new TestingCommandLine();

    @Test
    void printsTheTableThoughPartsCannotEvenBegin() throws IOException {
        Path own = Files.createDirectories(folder.resolve("own"));
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
        Path out = folder.resolve("out");

        int exitCode = line.execute("experiment", own.toString(), "--smoke", "-o", out.toString());

        assertEquals(ExitCode.FAILED, exitCode, "no figure was found, though a part is done");
        String text = line.out().replaceAll("\\s+", " ");
        assertTrue(text.contains("F 1/s - - - Failed: service store: expected an open port "), text);
        assertTrue(text.contains("G 1/s - - - Failed: Unknown option: '--sped'"), text);
        assertTrue(Files.exists(out.resolve("copy")));
        assertTrue(line.err().contains("made: done"), line.err());
    }
}
