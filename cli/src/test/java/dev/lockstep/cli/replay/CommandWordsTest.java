package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.cli.TestingCommandLine;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParseResult;

final class CommandWordsTest {
    /** What stood behind the option is left out, and would have kept the capture from being its value. */
    @Test
    void hasAnOptionWithoutAValueTakeNoneAgain() {
        List<String> words = CommandWords.of(
                parsed("--targets", "c2", "--rewrite-host", "-o", "run", "--force", "shop.bin"), "shop.bin");

        assertEquals(List.of("replay", "--targets", "c2", "--rewrite-host=", "shop.bin"), words);
        ParseResult again = parsed(words.subList(1, words.size()).toArray(new String[0]));
        assertEquals(List.of(""), again.matchedOption("--rewrite-host").originalStringValues());
        assertEquals(List.of("shop.bin"), again.matchedPositional(0).originalStringValues());
    }

    @Test
    void hasJvmOptionsAsTheyWereTyped() {
        assertEquals(
                List.of("replay", "--jvm-options", "-Dx=1", "--jvm-options", "b=-Dx=1", "a.bin"),
                CommandWords.of(parsed("--jvm-options", "-Dx=1", "--jvm-options", "b=-Dx=1", "a.bin"), "a.bin"));
    }

    /** With --force left out it would be refused. */
    @Test
    void asksForTheSameComparisonAsAPage() {
        assertEquals(
                List.of("replay", "compare", "--html", "all.html", "--force", "--margin", "2%", "run1", "run2"),
                CommandWords.ofComparison(
                        parsed("compare", "--force", "run1", "run2", "--margin", "2%", "--markdown", "a.md")
                                .subcommand(),
                        "all.html"));
    }

    private static ParseResult parsed(String... words) {
        return TestingCommandLine.parser().parseArgs(words);
    }
}
