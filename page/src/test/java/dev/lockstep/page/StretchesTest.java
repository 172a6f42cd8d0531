package dev.lockstep.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.IntervalFigures;
import org.junit.jupiter.api.Test;

final class StretchesTest {
    private static final long START_MS = 1_700_000_000_000L;
    private static final long SECOND_NS = 1_000_000_000L;

    /** One for all seconds: its histograms are large. */
    private final Interval interval = new Interval();

    /** Returns a second in which each of so many requests took a millisecond and cost 200 us of CPU, half of it JIT. */
    private IntervalFigures second(int launch, boolean warmUp, int number, int completed) {
        interval.responseTime().reset();
        interval.launch = launch;
        interval.phase = warmUp ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
        interval.startMs = START_MS + 1000L * number;
        interval.endMs = interval.startMs + 1000;
        interval.startNs = number * SECOND_NS;
        interval.endNs = interval.startNs + SECOND_NS;
        interval.counts().sent = completed;
        interval.counts().completed = completed;
        if (completed > 0) {
            interval.responseTime().recordValueWithCount(1_000_000, completed);
        }
        interval.costs = Costs.builder()
                .set(Cost.APPLICATION_CPU, completed * 90_000L)
                .set(Cost.JIT_CPU, completed * 100_000L)
                .set(Cost.GC_CPU, completed * 10_000L)
                .set(Cost.GROUP_CPU, completed * 200_000L)
                .set(Cost.USER_CPU, completed * 150_000L)
                .set(Cost.OLD_GEN_USED, 1000 + number)
                .build();
        return IntervalFigures.of(interval);
    }

    private static double sum(JsonNode column) {
        double sum = 0;
        for (JsonNode value : column) {
            sum += value.asDouble();
        }
        return sum;
    }

    private static double highest(JsonNode column) {
        double highest = 0;
        for (JsonNode value : column) {
            highest = Math.max(highest, value.asDouble());
        }
        return highest;
    }

    private static double lowest(JsonNode column) {
        double lowest = Double.MAX_VALUE;
        for (JsonNode value : column) {
            lowest = value.isNull() ? lowest : Math.min(lowest, value.asDouble());
        }
        return lowest;
    }

    @Test
    void triesNotAgainAndAgainToMergeLaunchesThatStayApart() {
        Stretches stretches = new Stretches(10);
        for (int launch = 1; launch <= 1000; launch++) {
            stretches.add(second(launch, false, launch, 100));
        }

        assertEquals(1000, stretches.size());
        // Once for each doubling of what stays apart.
        assertEquals(64, stretches.width());
    }

    @Test
    void keepsEachSecondOfAShortRun() {
        Stretches stretches = new Stretches();
        stretches.add(second(1, true, 0, 100));
        stretches.add(second(1, false, 1, 50));
        stretches.add(second(1, false, 2, 0));

        ObjectNode columns = stretches.columns(START_MS);

        assertEquals("[0.5,1,1.5,2.5]", columns.get("t").toString());
        // Between warm-up and measured phase nothing is drawn.
        assertEquals("[100,null,50,0]", columns.get("rate").toString());
        assertEquals("[90,null,90,null]", columns.get("appCpu").toString());
        assertEquals("[100,null,100,null]", columns.get("jitCpu").toString());
        assertEquals("[10000000,null,5000000,0]", columns.get("steadyCpuTotal").toString());
        assertEquals("[15000000,null,7500000,0]", columns.get("userCpuTotal").toString(), "the JIT's included");
        assertTrue(columns.get("p50").get(3).isNull(), "no answer, no time");
        assertTrue(columns.get("rss").get(0).isNull(), "what is not known is no 0");
        assertEquals(4, columns.get("warm").size());
    }

    @Test
    void keepsTotalsAndPeaksOfMoreThanIsDrawn() {
        Stretches stretches = new Stretches(360);
        int seconds = 1_000;
        for (int i = 0; i < seconds; i++) {
            stretches.add(second(1, i < 100, i, i == 750 ? 9_999 : i == 800 ? 1 : 10));
        }

        ObjectNode columns = stretches.columns(START_MS);

        assertTrue(
                columns.get("t").size() <= 730, "stretches: " + columns.get("t").size());
        assertEquals(10.0 * (seconds - 2) + 10_000, sum(columns.get("successful")));
        assertEquals(seconds, sum(columns.get("d")), 1e-6);
        assertEquals(9_999, highest(columns.get("rateMax")), "a peak of one second");
        assertEquals(1, lowest(columns.get("rateMin")), "a dip of one second");
        assertEquals(1000, lowest(columns.get("oldGenMin")));
        assertTrue(highest(columns.get("rate")) < 9_999);
        assertEquals(1000 + seconds - 1, highest(columns.get("oldGenMax")));
        assertEquals(100, stretches.ranges(START_MS, true).get(0)[1], 1e-6);
        assertEquals(seconds, stretches.ranges(START_MS, false).get(0)[1], 1e-6);
    }

    @Test
    void drawsNoLineFromLaunchToLaunch() {
        Stretches stretches = new Stretches(360);
        for (int i = 0; i < 1_000; i++) {
            stretches.add(second(1 + i / 500, false, i, 1));
        }

        ObjectNode columns = stretches.columns(START_MS);

        assertEquals(2, stretches.ranges(START_MS, false).size());
        assertEquals(500, stretches.ranges(START_MS, false).get(1)[0], 1e-6);
        JsonNode launches = columns.get("launch");
        for (int i = 1; i < launches.size(); i++) {
            if (launches.get(i).asInt() != launches.get(i - 1).asInt()) {
                assertTrue(columns.get("rate").get(i).isNull());
            }
        }
    }

    @Test
    void drawsWhatADeadTargetOwedEvenlyToTheEnd() {
        Interval rest = new Interval();
        rest.startMs = START_MS;
        rest.endNs = 5 * SECOND_NS;
        rest.counts().error(ErrorKind.TARGET_DIED, 12);
        Stretches stretches = new Stretches();
        stretches.add(IntervalFigures.of(rest));

        ObjectNode columns = stretches.columns(START_MS);
        assertEquals("[0.5,1.5,2.5,3.5,4.5]", columns.get("t").toString());
        assertEquals("[2.400,2.400,2.400,2.400,2.400]", columns.get("errors").toString());
        assertEquals("[0,0,0,0,0]", columns.get("rate").toString());
    }

    @Test
    void countsNoCostOfADeadTargetTwice() {
        Interval rest = new Interval();
        rest.startMs = START_MS;
        rest.endNs = 5 * SECOND_NS;
        rest.counts().error(ErrorKind.TARGET_DIED, 12);
        rest.costs = Costs.builder()
                .set(Cost.APPLICATION_CPU, 500_000)
                .set(Cost.JIT_CPU, 300_000)
                .set(Cost.GC_CPU, 200_000)
                .set(Cost.GROUP_CPU, 1_000_000)
                .set(Cost.GC_CYCLES, 3)
                .set(Cost.OLD_GEN_USED, 1000)
                .build();
        Stretches stretches = new Stretches();
        stretches.add(IntervalFigures.of(rest));

        ObjectNode columns = stretches.columns(START_MS);
        assertEquals(5, columns.get("t").size());
        assertEquals(700_000, sum(columns.get("steadyCpuTotal")), "all but the JIT's");
        assertEquals(3, sum(columns.get("cycles")));
        assertEquals(1000, lowest(columns.get("oldGen")), "a level, in each part");
        assertEquals(5, sum(columns.get("d")), 1e-6);
    }

    @Test
    void drawsASlowIntervalOfOtherErrorsAsOne() {
        Interval slow = new Interval();
        slow.startMs = START_MS;
        slow.endNs = 5 * SECOND_NS;
        slow.counts().error(ErrorKind.TARGET_DIED, 11);
        slow.counts().error(ErrorKind.CONNECTION_RESET, 1);
        Stretches stretches = new Stretches();
        stretches.add(IntervalFigures.of(slow));

        assertEquals("[2.5]", stretches.columns(START_MS).get("t").toString());
    }

    @Test
    void countsTheErrorsOfATurnInASecondOfIt() {
        Interval turn = new Interval();
        turn.startMs = START_MS;
        turn.endNs = SECOND_NS / 4;
        turn.counts().completed = 9;
        turn.counts().error(ErrorKind.READ_TIMEOUT, 2);
        Stretches stretches = new Stretches();
        stretches.add(IntervalFigures.of(turn));

        ObjectNode columns = stretches.columns(START_MS);
        assertEquals("[36]", columns.get("rate").toString());
        assertEquals("[8]", columns.get("errors").toString());
    }

    @Test
    void takesA5xxForAnErrorAsTablesDo() {
        Interval second = new Interval();
        second.startMs = START_MS;
        second.endNs = SECOND_NS;
        second.counts().completed = 10;
        second.counts().status(200, 7);
        second.counts().status(503, 3);
        second.counts().error(ErrorKind.READ_TIMEOUT, 1);
        second.costs = Costs.NONE.with(Cost.APPLICATION_CPU, 14_000);
        Stretches stretches = new Stretches();
        stretches.add(IntervalFigures.of(second));

        ObjectNode columns = stretches.columns(START_MS);
        assertEquals("[7]", columns.get("rate").toString());
        assertEquals("[4]", columns.get("errors").toString());
        assertEquals("[7]", columns.get("successful").toString());
        assertEquals("[2]", columns.get("appCpu").toString(), "us per successful request");
    }

    /** Returns a second with ten requests; some JVMs tell in few of them what they allocated. */
    private static IntervalFigures allocating(int launch, boolean warmUp, int number, long bytes) {
        Interval interval = new Interval();
        interval.launch = launch;
        interval.phase = warmUp ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
        interval.startMs = START_MS + 1000L * number;
        interval.endNs = SECOND_NS;
        interval.counts().completed = 10;
        interval.costs = bytes == 0 ? Costs.NONE : Costs.NONE.with(Cost.ALLOCATED, bytes);
        return IntervalFigures.of(interval);
    }

    @Test
    void dividesWhatWasAllocatedByAllRequestsSinceItWasToldLast() {
        Stretches stretches = new Stretches();
        stretches.add(allocating(1, false, 0, 0));
        stretches.add(allocating(1, false, 1, 0));
        stretches.add(allocating(1, false, 2, 30_000));
        stretches.add(allocating(1, false, 3, 0));
        stretches.add(allocating(2, true, 4, 0));
        stretches.add(allocating(2, false, 5, 20_000));
        stretches.add(allocating(2, false, 6, 10_000));

        // Between launches and phases nothing is drawn; of a launch's end that was not told the next knows nothing.
        assertEquals(
                "[null,null,1000,null,null,null,null,1000,1000]",
                stretches.columns(START_MS).get("allocated").toString());
    }

    @Test
    void knowsTheAllocationOfWhatIsDrawnTogether() {
        Stretches stretches = new Stretches(1);
        for (int i = 0; i < 4; i++) {
            stretches.add(allocating(1, false, i, i % 2 == 0 ? 0 : 20_000));
        }

        assertEquals("[1000,1000]", stretches.columns(START_MS).get("allocated").toString());
    }

    @Test
    void takesWhatFailsInAMomentForNoRate() {
        Interval moment = new Interval();
        moment.startMs = START_MS;
        moment.endNs = SECOND_NS / 1000;
        moment.counts().error(ErrorKind.TARGET_DIED, 94);
        Stretches stretches = new Stretches();
        stretches.add(IntervalFigures.of(moment));

        assertEquals(94, highest(stretches.columns(START_MS).get("errors")));
    }

    /** Turns of a second, of which the answer to the last request came 80 us later. */
    @Test
    void drawsWhatIsLeftOfATurnWithTheSecondBeforeIt() {
        for (int most : new int[] {3600, 1}) {
            Stretches stretches = new Stretches(most);
            for (int turn = 0; turn < 4; turn++) {
                stretches.add(second(1, false, 2 * turn, 99));
                stretches.add(rest(2 * turn + 1));
            }

            ObjectNode columns = stretches.columns(START_MS);

            assertEquals(100, highest(columns.get("rate")), 1.0);
            assertEquals(400, sum(columns.get("successful")));
            if (most == 1) {
                assertEquals(99, highest(columns.get("rateMax")));
            }
        }
    }

    /** Returns 80 us with an answer, which follow the second before. */
    private static IntervalFigures rest(int number) {
        Interval interval = new Interval();
        interval.startMs = START_MS + 1000L * number;
        interval.endMs = interval.startMs;
        interval.startNs = number * SECOND_NS;
        interval.endNs = interval.startNs + 80_000;
        interval.counts().completed = 1;
        interval.responseTime().recordValue(1_000_000);
        interval.costs = Costs.builder()
                .set(Cost.APPLICATION_CPU, 90_000)
                .set(Cost.JIT_CPU, 0)
                .set(Cost.GC_CPU, 0)
                .set(Cost.GROUP_CPU, 90_000)
                .set(Cost.USER_CPU, 90_000)
                .set(Cost.OLD_GEN_USED, 1000 + number)
                .build();
        return IntervalFigures.of(interval);
    }
}
