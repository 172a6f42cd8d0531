package dev.lockstep.cli.targets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ShellWordsTest {
    @Test
    void splitsAtBlanks() {
        assertEquals(List.of("-Dx=1", "-Dy=2"), ShellWords.split("  -Dx=1 \t\n -Dy=2 "));
        assertEquals(List.of(), ShellWords.split(" "));
    }

    @Test
    void keepsWhatIsQuoted() {
        assertEquals(List.of("-Dx=a b", "-Dy=c  d", ""), ShellWords.split("-Dx='a b' \"-Dy=c  d\" ''"));
        assertEquals(List.of("a\\b", "\"", "a\\b\"\\"), ShellWords.split("'a\\b' '\"' \"a\\b\\\"\\\\\""));
        assertEquals(List.of("a b"), ShellWords.split("a\\ b"));
    }

    @Test
    void refusesAQuoteThatIsNotClosed() {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> ShellWords.split("-Dx='a b"));
        assertEquals("a quote (') is opened and not closed in: -Dx='a b", e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> ShellWords.split("a\\"));
    }
}
