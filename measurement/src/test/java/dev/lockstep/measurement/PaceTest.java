package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class PaceTest {
    @Test
    void readsWhatItWrites() {
        for (String text : List.of("recorded", "max", "1000/s", "0.5/s", "12.25/s", "1000000000/s")) {
            assertEquals(text, Pace.parse(text).toString());
            assertEquals(Pace.parse(text), Pace.parse(Pace.parse(text).toString()));
        }
    }

    @Test
    void writesARateWithoutExponentOrNeedlessDigits() {
        assertEquals("10000000/s", Pace.rate(1e7).toString());
        assertEquals("1000/s", Pace.parse("1000.0/s").toString());
        assertEquals(1000, Pace.parse("1000/s").ratePerSec().getAsDouble());
    }

    @Test
    void onlyTheHighestPaceIsAClosedLoop() {
        assertTrue(Pace.MAX.closedLoop());
        assertFalse(Pace.RECORDED.closedLoop());
        assertFalse(Pace.rate(5).closedLoop());
        assertTrue(Pace.RECORDED.ratePerSec().isEmpty());
    }

    @Test
    void refusesOtherText() {
        for (String text : List.of("", "fast", "1000", "-5/s", "1e3/s", "1000 /s", "/s", "NaN/s")) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Pace.parse(text));
            assertEquals("pace must be recorded, max or a rate like 1000/s, is \"" + text + "\"", e.getMessage());
        }
    }

    @Test
    void refusesARateThatIsNoRate() {
        assertThrows(IllegalArgumentException.class, () -> Pace.rate(0));
        assertThrows(IllegalArgumentException.class, () -> Pace.parse("0/s"));
        assertThrows(IllegalArgumentException.class, () -> Pace.rate(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> Pace.rate(Double.POSITIVE_INFINITY));
        assertThrows(IllegalArgumentException.class, () -> Pace.parse("1000000001/s"));
    }
}
