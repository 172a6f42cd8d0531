package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.Drift;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The status of a soak run, as people see it. */
final class SoakWatchTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long MINUTE_NS = 60 * SECOND_NS;

    private final List<List<Drift>> trends = new ArrayList<>();
    private final SoakWatch watch = new SoakWatch(24 * 60 * MINUTE_NS, MINUTE_NS, Set.of("server"), trends::add);

    private void second(String target, int second, long rssBytes) {
        second(target, second, Costs.builder().set(Cost.RSS, rssBytes).build());
    }

    private void second(String target, int second, Costs costs) {
        Interval interval = new Interval();
        interval.startNs = second * SECOND_NS;
        interval.endNs = interval.startNs + SECOND_NS;
        interval.startMs = 1_795_243_320_000L + 1000L * second;
        interval.endMs = interval.startMs + 1000;
        interval.counts().completed = 2000;
        interval.responseTime().recordValueWithCount(1_234_000, 2000);
        interval.costs = costs;
        watch.interval(target, interval);
    }

    @Test
    void showsErrorsAndLeaksFirstAndThenWhatEachTargetDoes() {
        assertNull(watch.line());
        for (int second = 0; second < 70; second++) {
            second("c2", second, 96_100_000);
            second("graal", second, 128_000_000);
        }

        assertEquals(
                "1 min 10 s of 24 h 0 min: 0 errors; too early to tell of leaks; c2 2000/s p99 1.23 ms 92 MiB; graal 2000/s p99 1.23 ms 122 MiB",
                watch.line());
    }

    @Test
    void saysWhoHasNoLoad() {
        second("c2", 0, 1000);
        for (int second = 1; second < 121; second++) {
            second("graal", second, 1000);
        }

        assertTrue(
                watch.line().contains("; c2 2000/s p99 1.23 ms 0 MiB (no load for 2 min 0 s); graal "), watch.line());
    }

    @Test
    void saysWhatLeaksWhileItDoes() {
        for (int second = 0; second < 600; second++) {
            second("c2", second, 96_000_000 + second * 17_000);
        }

        assertTrue(
                watch.line()
                        .matches("10 min 0 s of 24 h 0 min: 0 errors; FOUND c2 RSS \\+5[789]\\.[0-9] MiB/h; "
                                + "c2 2000/s p99 1\\.23 ms 101 MiB"),
                watch.line());
    }

    @Test
    void saysWhoseMemoryNobodyWatches() {
        second("server", 0, Costs.NONE);
        assertTrue(watch.line().contains(": 0 errors; memory not watched: it runs already; server "), watch.line());

        for (int second = 0; second < 330; second++) {
            second("server", second, Costs.NONE);
            second("c2", second, 96_000_000);
            assertTrue(watch.line().contains("leak"), watch.line());
        }

        assertTrue(
                watch.line().contains("; no leak found; memory of server not watched: it runs already; server "),
                watch.line());
    }

    @Test
    void saysOfAHeapThatWasNotCollectedThatItIsTooEarly() {
        for (int second = 0; second < 600; second++) {
            second(
                    "c2",
                    second,
                    Costs.builder()
                            .set(Cost.RSS, 96_000_000)
                            .set(Cost.OLD_GEN_USED, 20_000_000 + second * 17_000)
                            .set(Cost.GC_CYCLES, 1)
                            .build());
        }

        assertTrue(watch.line().contains("; too early to tell of leaks; c2 "), watch.line());
    }

    /** Of a target whose every answer is a 500. */
    @Test
    void countsAnswersThatSayThatTheServerFailed() {
        Interval interval = new Interval();
        interval.endNs = SECOND_NS;
        interval.counts().completed = 7;
        interval.counts().status(500, 6);
        interval.counts().status(404);
        watch.interval("c2", interval);

        assertTrue(watch.line().startsWith("1.0 s of 24 h 0 min: 6 errors; "), watch.line());
    }

    /** The times of the answers alone are fine. */
    @Test
    void showsNoP99ThatRequestsWithoutAnAnswerReach() {
        Interval interval = new Interval();
        interval.endNs = SECOND_NS;
        interval.counts().completed = 990;
        interval.counts().error(ErrorKind.READ_TIMEOUT, 10);
        interval.responseTime().recordValueWithCount(1_234_000, 990);
        watch.interval("c2", interval);

        assertTrue(watch.line().endsWith("; c2 990/s p99 -"), watch.line());
    }

    /** The end would take it back. */
    @Test
    void findsNoDriftOfAP99ThatRequestsWithoutAnAnswerReachInManyIntervals() {
        for (int second = 0; second < 600; second++) {
            slower("c2", second, second % 10 == 0 ? 30 : 0);
            slower("graal", second, 0);
        }

        assertTrue(watch.line().contains("; FOUND graal p99 +"), watch.line());
        assertFalse(watch.line().contains("c2 p99 +"), watch.line());
        assertEquals(
                List.of("graal"),
                trends.get(trends.size() - 1).stream()
                        .filter(drift -> drift.metric() == Drift.Metric.RESPONSE_TIME_P99)
                        .map(Drift::target)
                        .collect(Collectors.toList()));
    }

    private void slower(String target, int second, int errors) {
        Interval interval = new Interval();
        interval.startNs = second * SECOND_NS;
        interval.endNs = interval.startNs + SECOND_NS;
        interval.startMs = 1_795_243_320_000L + 1000L * second;
        interval.endMs = interval.startMs + 1000;
        interval.counts().completed = 2000;
        interval.counts().error(ErrorKind.READ_TIMEOUT, errors);
        interval.responseTime().recordValueWithCount(1_000_000 + 5_000L * second, 2000);
        interval.costs = Costs.builder().set(Cost.RSS, 96_000_000).build();
        watch.interval(target, interval);
    }

    @Test
    void handsTheTrendsOfAllTargetsOnOnceAMinute() {
        for (int second = 0; second < 330; second++) {
            second("c2", second, 96_000_000 + second * 17_000);
            second("graal", second, 96_000_000);
        }

        assertEquals(5, trends.size());
        assertEquals(List.of(), trends.get(2), "too early");
        assertEquals(
                List.of("c2 RSS", "c2 RESPONSE_TIME_P99", "graal RSS", "graal RESPONSE_TIME_P99"),
                trends.get(4).stream()
                        .map(drift -> drift.target() + " " + drift.metric())
                        .collect(Collectors.toList()));
        assertEquals(3600 * 17_000, trends.get(4).get(0).slopePerHour(), 100);
    }

    @Test
    void countsErrorsAndLeavesTheWarmUpAndWhatIsUnknownOut() {
        Interval interval = new Interval();
        interval.endNs = SECOND_NS;
        interval.phase = Interval.Phase.WARM_UP;
        watch.interval("c2", interval);
        assertNull(watch.line());
        interval.phase = Interval.Phase.MEASURED;
        interval.counts().error(ErrorKind.READ_TIMEOUT);
        watch.interval("c2", interval);

        assertEquals("1.0 s of 24 h 0 min: 1 error; too early to tell of leaks; c2 0/s", watch.line());
    }
}
