package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class QuantitiesTest {
    @Test
    void putsTheNounIntoItsNumber() {
        assertEquals("0 requests", Quantities.count(0, "request"));
        assertEquals("1 request", Quantities.count(1, "request"));
    }

    @Test
    void takesAByteUnitThatKeepsTheNumberShort() {
        assertEquals("999 bytes", Quantities.bytes(999));
        assertEquals("1.0 kB", Quantities.bytes(1000));
        assertEquals("999.9 kB", Quantities.bytes(999_900));
        assertEquals("1.0 MB", Quantities.bytes(999_960));
        assertEquals("9.2 EB", Quantities.bytes(Long.MAX_VALUE));
    }

    @Test
    void takesATimeUnitThatKeepsTheNumberShort() {
        assertEquals("850 ms", Quantities.duration(850_999_999L));
        assertEquals("1.5 s", Quantities.duration(1_500_000_000L));
        assertEquals("2 min 5 s", Quantities.duration(125_000_000_000L));
        assertEquals("26 h 3 min", Quantities.duration(93_780_000_000_000L));
        assertEquals("47 h 59 min", Quantities.duration(172_799_000_000_000L));
        assertEquals("1528 days 15 h", Quantities.duration(132_073_200_000_000_000L));
    }
}
