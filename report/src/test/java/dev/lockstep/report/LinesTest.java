package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LinesTest {
    @Test
    void cutsAtBlanksAndIndentsWhatGoesOn() {
        assertEquals(List.of(""), Lines.wrapped(""));
        assertEquals(List.of("a".repeat(80)), Lines.wrapped("a".repeat(80)));
        assertEquals(
                List.of("a".repeat(40) + " " + "b".repeat(39), "  c"),
                Lines.wrapped("a".repeat(40) + " " + "b".repeat(39) + " c"));
        assertEquals(
                List.of("   " + "a".repeat(77), "     b"),
                Lines.wrapped("   " + "a".repeat(77) + " b"),
                "an indent stays");
    }

    @Test
    void cutsNoWord() {
        assertEquals(List.of("a", "  " + "b".repeat(100), "  c"), Lines.wrapped("a " + "b".repeat(100) + " c"));
        assertEquals(List.of("  " + "b".repeat(100)), Lines.wrapped("  " + "b".repeat(100)));
    }
}
