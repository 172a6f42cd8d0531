package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CostsTest {
    private static final Costs EARLIER = Costs.builder()
            .set(Cost.USER_CPU, 100)
            .set(Cost.MINOR_FAULTS, 7)
            .set(Cost.RSS, 5_000)
            .set(Cost.MEMORY_PEAK, 9_000)
            .collector("G1 Young", new GcCosts(3, 30))
            .build();
    private static final Costs LATER = Costs.builder()
            .set(Cost.USER_CPU, 160)
            .set(Cost.GC_CYCLES, 4)
            .set(Cost.RSS, 4_000)
            .set(Cost.MEMORY_PEAK, 8_000)
            .collector("G1 Young", new GcCosts(4, 42))
            .collector("G1 Full", new GcCosts(1, 9))
            .build();

    @Test
    void totalsAreSubtractedAndLevelsStay() {
        Costs since = LATER.since(EARLIER);
        assertEquals(OptionalLong.of(60), since.get(Cost.USER_CPU));
        assertEquals(OptionalLong.of(4_000), since.get(Cost.RSS));
        assertEquals(OptionalLong.empty(), since.get(Cost.GC_CYCLES), "not known before");
        assertEquals(OptionalLong.empty(), since.get(Cost.MINOR_FAULTS), "not known after");
        assertEquals(Map.of("G1 Young", new GcCosts(1, 12), "G1 Full", new GcCosts(1, 9)), since.collectors());
    }

    @Test
    void totalsAddUpLevelsAreTheLaterOnesAndPeaksTheHigher() {
        Costs sum = EARLIER.plus(LATER);
        assertEquals(OptionalLong.of(260), sum.get(Cost.USER_CPU));
        assertEquals(OptionalLong.empty(), sum.get(Cost.GC_CYCLES));
        assertEquals(OptionalLong.of(4_000), sum.get(Cost.RSS));
        assertEquals(OptionalLong.of(9_000), sum.get(Cost.MEMORY_PEAK));
        assertEquals(new GcCosts(7, 72), sum.collectors().get("G1 Young"));
    }

    @Test
    void takesTotalsThatCanNoLongerBeReadFromBefore() {
        Costs dead = Costs.builder().set(Cost.USER_CPU, 170).build();
        Costs known = dead.orTotalsOf(EARLIER);
        assertEquals(OptionalLong.of(170), known.get(Cost.USER_CPU));
        assertEquals(OptionalLong.of(7), known.get(Cost.MINOR_FAULTS));
        assertEquals(OptionalLong.empty(), known.get(Cost.RSS));
        assertEquals(EARLIER.collectors(), known.collectors());
    }

    @Test
    void readsBackWhatItWrites() {
        ObjectNode json = JsonFields.object();
        EARLIER.putInto(json);
        assertEquals(EARLIER, Costs.fromJson(JsonFields.parse("costs", json.toString())));
        assertFalse(json.has(Cost.GC_CYCLES.key()));
        assertTrue(Costs.NONE.isEmpty());
        assertFalse(EARLIER.isEmpty());
    }
}
