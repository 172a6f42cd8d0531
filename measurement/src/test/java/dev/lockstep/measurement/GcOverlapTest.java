package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class GcOverlapTest {
    @Test
    void givesNoShareOfFewerThanTenRequests() {
        GcOverlap few = new GcOverlap(20_000_000, 9, 9, 9);

        assertEquals(OptionalDouble.empty(), few.share());
        assertEquals(9, few.toJson().get("requests").asLong());
        assertEquals(9, few.toJson().get("overlapped").asLong());
        assertFalse(few.toJson().has("share"));
        assertEquals(OptionalDouble.of(0.5), new GcOverlap(20_000_000, 10, 10, 5).share());
    }
}
