package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.OffsetDateTime;
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

    @Test
    void writesMemoryInPowersOf1024() {
        assertEquals("6026 MiB", Quantities.mebibytes(6_318_718_976L));
        assertEquals("11.8 GiB", Quantities.gibibytes(12_670_153_523L));
    }

    @Test
    void writesWhenSomethingWas() {
        assertEquals(
                "2026-11-02 07:42:00+01:00", Quantities.moment(OffsetDateTime.parse("2026-11-02T07:42:00.123+01:00")));
        assertEquals("2026-11-02 06:42:00Z", Quantities.moment(OffsetDateTime.parse("2026-11-02T06:42:00Z")));
    }

    @Test
    void writesALagInAUnitThatDoesNotRoundItToNothing() {
        assertEquals("1 ns", Quantities.lag(1));
        assertEquals("1.0 us", Quantities.lag(1_000));
        assertEquals("281.3 us", Quantities.lag(281_299));
        assertEquals("10.0 ms", Quantities.lag(10_000_000));
    }
}
