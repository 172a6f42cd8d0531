package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class GcOverlapTest {
    @Test
    void givesNoShareOfFewerThanTenRequests() {
        GcOverlap few = overlap(9, 9);

        assertEquals(OptionalDouble.empty(), few.share());
        assertEquals(OptionalDouble.of(0.5), overlap(10, 5).share());
    }

    private static GcOverlap overlap(long requests, long overlapped) {
        return GcOverlap.of(20_000_000, requests, requests, overlapped, OptionalDouble.empty(), OptionalDouble.empty());
    }
}
