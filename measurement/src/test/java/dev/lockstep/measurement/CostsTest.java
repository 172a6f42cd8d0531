package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CostsTest {
    private static final Costs EARLIER = Costs.builder()
            .set(Cost.USER_CPU, 100)
            .set(Cost.MINOR_FAULTS, 7)
            .set(Cost.RSS, 5_000)
            .set(Cost.MEMORY_PEAK, 9_000)
            .collector("G1 Young", GcCosts.of(3, 30))
            .build();
    private static final Costs LATER = Costs.builder()
            .set(Cost.USER_CPU, 160)
            .set(Cost.GC_CYCLES, 4)
            .set(Cost.RSS, 4_000)
            .set(Cost.MEMORY_PEAK, 8_000)
            .collector("G1 Young", GcCosts.of(4, 42))
            .collector("G1 Full", GcCosts.of(1, 9))
            .build();

    @Test
    void totalsAreSubtractedAndLevelsStay() {
        Costs since = LATER.since(EARLIER);
        assertEquals(OptionalLong.of(60), since.get(Cost.USER_CPU));
        assertEquals(OptionalLong.of(4_000), since.get(Cost.RSS));
        assertEquals(OptionalLong.empty(), since.get(Cost.GC_CYCLES), "not known before");
        assertEquals(OptionalLong.empty(), since.get(Cost.MINOR_FAULTS), "not known after");
        assertEquals(Map.of("G1 Young", GcCosts.of(1, 12), "G1 Full", GcCosts.of(1, 9)), since.collectors());
    }

    @Test
    void totalsAddUpLevelsAreTheLaterOnesAndPeaksTheHigher() {
        Costs sum = EARLIER.plus(LATER);
        assertEquals(OptionalLong.of(260), sum.get(Cost.USER_CPU));
        assertEquals(OptionalLong.empty(), sum.get(Cost.GC_CYCLES));
        assertEquals(OptionalLong.of(4_000), sum.get(Cost.RSS));
        assertEquals(OptionalLong.of(9_000), sum.get(Cost.MEMORY_PEAK));
        assertEquals(GcCosts.of(7, 72), sum.collectors().get("G1 Young"));
    }

    @Test
    void thePeakOfTwoLaunchesIsTheHigherOneWhicheverCameFirst() {
        for (Cost cost : Cost.values()) {
            if (cost.kind() == Cost.Kind.PEAK) {
                Costs high = Costs.builder().set(cost, 9_000).build();
                Costs low = Costs.builder().set(cost, 8_000).build();
                assertEquals(OptionalLong.of(9_000), high.plus(low).get(cost), cost.key());
                assertEquals(OptionalLong.of(9_000), low.plus(high).get(cost), cost.key());
                assertEquals(OptionalLong.of(8_000), low.plus(Costs.NONE).get(cost), cost.key());
                assertEquals(OptionalLong.of(8_000), Costs.NONE.plus(low).get(cost), cost.key());
            }
        }
        assertEquals(Cost.Kind.PEAK, Cost.PEAK_RSS.kind());
        assertEquals(Cost.Kind.PEAK, Cost.MEMORY_PEAK.kind());
    }

    @Test
    void anAwaitedTotalWasZeroOnceThereIsAValue() {
        Costs start = Costs.builder().awaited(Cost.ALLOCATED).build();
        Costs none = Costs.builder().awaited(Cost.ALLOCATED).build().since(start);
        Costs some = Costs.builder().set(Cost.ALLOCATED, 70).build().since(start);
        assertTrue(start.isEmpty());
        assertEquals(OptionalLong.empty(), none.get(Cost.ALLOCATED));
        assertEquals(OptionalLong.of(70), some.get(Cost.ALLOCATED));
        assertEquals(OptionalLong.of(70), none.plus(some).get(Cost.ALLOCATED));
        assertEquals(OptionalLong.of(70), some.plus(none).get(Cost.ALLOCATED));
        assertEquals(OptionalLong.empty(), none.plus(none).concluded().get(Cost.ALLOCATED));
        assertEquals(Costs.NONE, none.concluded());
        assertEquals(OptionalLong.empty(), some.plus(none.concluded()).get(Cost.ALLOCATED), "two launches");
        assertEquals(OptionalLong.empty(), Costs.NONE.since(start).get(Cost.ALLOCATED), "can no longer be read");
        assertEquals(OptionalLong.empty(), LATER.since(start).get(Cost.ALLOCATED));
        assertEquals(OptionalLong.empty(), some.since(Costs.NONE).get(Cost.ALLOCATED), "could not be read then");
    }

    /** As between two collections of a JVM that publishes it with each of them. */
    @Test
    void whatAnIntervalDoesNotTellOfAllocationTheNextHolds() {
        Costs unknown = Costs.builder().set(Cost.USER_CPU, 1).build();
        Costs known =
                Costs.builder().set(Cost.USER_CPU, 1).set(Cost.ALLOCATED, 500).build();

        Costs sum = unknown.awaiting(Cost.ALLOCATED).plus(known).plus(unknown.awaiting(Cost.ALLOCATED));

        assertEquals(OptionalLong.of(500), sum.concluded().get(Cost.ALLOCATED));
        assertEquals(OptionalLong.empty(), unknown.plus(known).get(Cost.ALLOCATED));
        assertEquals(
                OptionalLong.empty(),
                unknown.awaiting(Cost.ALLOCATED).concluded().get(Cost.ALLOCATED));
    }

    @Test
    void allocationThatStandsStillIsNotKnownUntilItMoves() {
        Costs before = Costs.builder().set(Cost.ALLOCATED, 5_000).build();
        Costs after = Costs.builder().set(Cost.ALLOCATED, 7_000).build();

        Costs still = before.since(before);
        assertEquals(OptionalLong.empty(), still.get(Cost.ALLOCATED));
        assertEquals(OptionalLong.empty(), still.plus(still).concluded().get(Cost.ALLOCATED));
        assertEquals(
                OptionalLong.of(2_000),
                still.plus(after.since(before)).plus(still).get(Cost.ALLOCATED));
    }

    @Test
    void cyclesThatAreNotKnownStayUnknown() {
        Costs before = Costs.builder().collector("Zing", GcCosts.ofPauses(30)).build();
        Costs after = Costs.builder().collector("Zing", GcCosts.ofPauses(70)).build();
        assertEquals(Map.of("Zing", GcCosts.ofPauses(40)), after.since(before).collectors());
        assertEquals(Map.of("Zing", GcCosts.ofPauses(100)), after.plus(before).collectors());
        assertEquals(OptionalLong.empty(), GcCosts.ofPauses(1).cycles());
        assertEquals(Costs.NONE, after.withoutCollections());
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
    void whatCanNoLongerBeReadOfALivingProcessStaysAbsent() {
        Costs living = Costs.builder()
                .set(Cost.USER_CPU, 170)
                .set(Cost.VOLUNTARY_SWITCHES, 3)
                .build();
        assertEquals(living, living.orTotalsOf(EARLIER));
    }

    @Test
    void takesTheCpuTimeOfTheControlGroupAndOfTheProcessWhereThereIsNone() {
        Costs process =
                Costs.builder().set(Cost.USER_CPU, 30).set(Cost.SYSTEM_CPU, 8).build();

        assertEquals(OptionalLong.of(38), process.cpuNs());
        assertFalse(process.isCpuOfGroup());
        assertEquals(OptionalLong.of(41), process.with(Cost.GROUP_CPU, 41).cpuNs());
        assertTrue(process.with(Cost.GROUP_CPU, 41).isCpuOfGroup());
        assertEquals(
                OptionalLong.empty(),
                Costs.builder().set(Cost.USER_CPU, 30).build().cpuNs());
    }

    @Test
    void isEmptyWithoutAnyValue() {
        assertTrue(Costs.NONE.isEmpty());
        assertFalse(EARLIER.isEmpty());
    }
}
