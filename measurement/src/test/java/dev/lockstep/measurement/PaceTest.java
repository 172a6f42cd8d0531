package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PaceTest {
    @Test
    void readsWhatItWrites() {
        for (String text : List.of(
                "recorded",
                "max",
                "1000/s",
                "0.5/s",
                "12.25/s",
                "1000000000/s",
                "poisson:2000/s:seed=7",
                "poisson:0.5/s:seed=-9223372036854775808",
                "ramp:100/s..5000/s:60s",
                "ramp:0/s..0.5/s:1500ms",
                "ramp:5/s..1/s:0.001us",
                "steps:100/s:10s,500/s:10s",
                "steps:1/s:1500us",
                "closed:10ms",
                "closed:7200s")) {
            assertEquals(text, Pace.parse(text).toString());
            assertEquals(Pace.parse(text), Pace.parse(Pace.parse(text).toString()));
        }
    }

    @Test
    void writesOneSpellingOfAll() {
        assertEquals("poisson:2000/s:seed=1", Pace.parse("poisson:2000/s").toString());
        assertEquals("ramp:1/s..2/s:90s", Pace.parse("ramp:1.0/s..2/s:1.5m").toString());
        assertEquals(
                "steps:1/s:3600s,2/s:500ms", Pace.parse("steps:1/s:1h,2/s:0.5s").toString());
        assertEquals(Pace.MAX, Pace.parse("closed"));
        assertEquals(Pace.MAX, Pace.parse("closed:0s"));
    }

    @Test
    void knowsItsParts() {
        Pace ramp = Pace.parse("ramp:100/s..500/s:60s");
        assertEquals(100, ramp.rampFromPerSec());
        assertEquals(500, ramp.rampToPerSec());
        assertEquals(Duration.ofSeconds(60), ramp.length().orElseThrow());
        assertEquals(300, ramp.ratePerSec().getAsDouble());
        Pace steps = Pace.parse("steps:100/s:10s,400/s:20s");
        assertEquals(2, steps.steps().size());
        assertEquals(Duration.ofSeconds(30), steps.length().orElseThrow());
        assertEquals(300, steps.ratePerSec().getAsDouble());
        assertEquals(Duration.ofMillis(10), Pace.parse("closed:10ms").think());
        assertEquals(7, Pace.parse("poisson:3/s:seed=7").seed());
        assertTrue(Pace.parse("poisson:3/s").length().isEmpty());
    }

    @Test
    void writesARateWithoutExponentOrNeedlessDigits() {
        assertEquals("10000000/s", Pace.rate(1e7).toString());
        assertEquals("1000/s", Pace.parse("1000.0/s").toString());
        assertEquals(1000, Pace.parse("1000/s").ratePerSec().getAsDouble());
    }

    @Test
    void onlyClosedPacesAreAClosedLoop() {
        assertTrue(Pace.MAX.closedLoop());
        assertTrue(Pace.closed(Duration.ofMillis(1)).closedLoop());
        assertFalse(Pace.poisson(5, 1).closedLoop());
        assertFalse(Pace.RECORDED.closedLoop());
        assertFalse(Pace.rate(5).closedLoop());
        assertTrue(Pace.RECORDED.ratePerSec().isEmpty());
    }

    @Test
    void refusesOtherText() {
        for (String text : List.of("", "fast", "1000", "-5/s", "1e3/s", "1000 /s", "/s", "NaN/s")) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Pace.parse(text));
            assertEquals("pace must be " + Pace.FORMS + ", is \"" + text + "\"", e.getMessage());
        }
    }

    @Test
    void saysWhatIsExpectedOfAPaceThatIsNearlyRight() {
        assertRefused("poisson:2000", "poisson:RATE/s[:seed=N], for example");
        assertRefused("poisson:2000/s:seed=x", "poisson:RATE/s[:seed=N], for example");
        assertRefused("poisson:2000/s:seed=9999999999999999999", "a seed that fits 64 bits");
        assertRefused("ramp:1/s..2/s", "ramp:RATE/s..RATE/s:DURATION, for example");
        assertRefused("ramp:1/s..0/s:1s", "more than 0");
        assertRefused("ramp:1/s..2/s:0s", "longer than 0");
        assertRefused("steps:", "steps:RATE/s:DURATION,..., for example");
        assertRefused("steps:1/s:1s,", "steps:RATE/s:DURATION,..., for example");
        assertRefused("steps:0/s:1s", "more than 0");
        assertRefused("closed:10", "closed or closed:DURATION, for example");
        assertRefused("closed:999999999999999h", "at most 292 years");
    }

    private static void assertRefused(String text, String expected) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Pace.parse(text));
        assertTrue(e.getMessage().startsWith("pace must be ") || e.getMessage().startsWith("pace must have "));
        assertTrue(e.getMessage().contains(expected), e.getMessage());
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
