package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.cli.command.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What bash makes of the script that is printed. */
@Timeout(60)
final class CompletionCommandTest {
    private static final Path BASH = Path.of("/bin/bash");

    @TempDir
    private Path folder;

    @BeforeEach
    void print() throws IOException {
        assumeTrue(Files.isExecutable(BASH));
        TestingCommandLine line = new TestingCommandLine();
        assertEquals(ExitCode.DONE, line.execute("completion"), line::err);
        Files.writeString(folder.resolve("script"), line.out());
    }

    /** Returns what the last of these words may become. */
    private Set<String> completed(String... words) throws Exception {
        StringBuilder quoted = new StringBuilder();
        Arrays.stream(words).forEach(word -> quoted.append(" '").append(word).append("'"));
        Process bash = new ProcessBuilder(
                        BASH.toString(),
                        "-c",
                        "exec 2>/dev/null; source " + folder.resolve("script") + "; COMP_WORDS=(" + quoted
                                + "); COMP_CWORD="
                                + (words.length - 1)
                                + "; $(complete -p replay | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\"")
                .redirectErrorStream(true)
                .start();
        bash.getOutputStream().close();
        String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, bash.waitFor(), said);
        Set<String> all = new TreeSet<>();
        said.lines().map(String::strip).filter(word -> !word.isEmpty()).forEach(all::add);
        return all;
    }

    @Test
    void completesCommandsOptionsAndTheirWords() throws Exception {
        assertEquals(Set.of("record", "recover", "report"), completed("replay", "re"));
        assertEquals(Set.of("--targets", "--targets-file"), completed("replay", "--targ"));
        assertEquals(
                Set.of("--upstream-ca", "--upstream-insecure", "--upstream-name", "--upstream-tls", "--upstream"),
                completed("replay", "record", "--upst"));
        assertEquals(Set.of("alternate", "together"), completed("replay", "--schedule", ""));
        assertTrue(completed("replay", "import", "--format", "").containsAll(Set.of("pcap", "har", "gor")));
    }
}
