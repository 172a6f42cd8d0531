package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.cli.command.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What shells make of the scripts that are printed. */
@Timeout(60)
final class CompletionCommandTest {
    private static final Path BASH = Path.of("/bin/bash");
    private static final Path FISH = Path.of("/usr/bin/fish");
    private static final Path ZSH = Path.of("/usr/bin/zsh");

    @TempDir
    private Path folder;

    private void print(String... shell) throws IOException {
        TestingCommandLine line = new TestingCommandLine();
        String[] words =
                Stream.concat(Stream.of("completion"), Stream.of(shell)).toArray(String[]::new);
        assertEquals(ExitCode.DONE, line.execute(words), line::err);
        Files.writeString(folder.resolve("script"), line.out());
    }

    /** Returns what the last of these words may become in bash. */
    private Set<String> completed(String... words) throws Exception {
        StringBuilder quoted = new StringBuilder();
        Arrays.stream(words).forEach(word -> quoted.append(" '").append(word).append("'"));
        return printed(
                BASH,
                "-c",
                "exec 2>/dev/null; source " + folder.resolve("script") + "; COMP_WORDS=(" + quoted + "); COMP_CWORD="
                        + (words.length - 1)
                        + "; $(complete -p replay | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\"");
    }

    /** Returns the lines that a shell prints, without what follows a tabulator. */
    private static Set<String> printed(Path shell, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(shell.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said.lines()
                .map(line -> line.replaceFirst("\t.*", "").strip())
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void completesCommandsOptionsAndTheirWords() throws Exception {
        assumeTrue(Files.isExecutable(BASH), "no bash");
        print();

        assertEquals(Set.of("record", "recover", "report"), completed("replay", "re"));
        assertEquals(Set.of("--targets", "--targets-file"), completed("replay", "--targ"));
        assertEquals(
                Set.of("--upstream-ca", "--upstream-insecure", "--upstream-name", "--upstream-tls", "--upstream"),
                completed("replay", "record", "--upst"));
        assertEquals(Set.of("alternate", "together"), completed("replay", "--schedule", ""));
        assertTrue(completed("replay", "import", "--format", "").containsAll(Set.of("pcap", "har", "gor")));
    }

    @Test
    void completesInFishWithDescriptions() throws Exception {
        assumeTrue(Files.isExecutable(FISH), "no fish");
        print("fish");

        assertEquals(Set.of("record", "recover", "report"), inFish("replay re"));
        assertEquals(Set.of("--targets", "--targets-file"), inFish("replay --targ"));
        assertEquals(Set.of("--upstream-name"), inFish("replay record --upstream-n"));
        assertEquals(Set.of("alternate", "together"), inFish("replay --schedule "));
        assertEquals(Set.of("bash", "fish", "zsh"), inFish("replay completion "));
    }

    private Set<String> inFish(String line) throws Exception {
        return printed(
                FISH, "--no-config", "-c", "cd " + folder + "; source script; complete --do-complete '" + line + "'");
    }

    /** zsh completes only where somebody types: here it finds the function, which hands over to that for bash. */
    @Test
    void isAFileOfZshsFunctions() throws Exception {
        assumeTrue(Files.isExecutable(ZSH), "no zsh");
        print("zsh");
        Files.move(folder.resolve("script"), folder.resolve("_replay"));

        assertEquals(
                Set.of("_replay", "_complete_replay: function"),
                printed(
                        ZSH,
                        "-f",
                        "-c",
                        "fpath=(" + folder + " $fpath); autoload -U compinit; compinit -u -D; print ${_comps[replay]}; "
                                // Instead of the widget that only a line editor has.
                                + "_bash_complete() { whence -w ${@[-1]} }; autoload -U +X bashcompinit; "
                                + "bashcompinit() {}; complete() {}; _replay"));
    }

    @Test
    void refusesAnotherShellInOneLine() {
        TestingCommandLine line = new TestingCommandLine();

        assertEquals(ExitCode.USAGE, line.execute("completion", "tcsh"));

        assertTrue(line.err().contains("expected bash, zsh or fish, found \"tcsh\""), line::err);
    }
}
