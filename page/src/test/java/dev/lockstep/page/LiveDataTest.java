package dev.lockstep.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LiveDataTest {
    private static final String HOSTILE = "</script><script>alert(1)</script><!-- {{script}}";

    /** One for all seconds: its histograms are large. */
    private final Interval interval = new Interval();

    private IntervalFigures second(int number, int launch, boolean warmUp, int completed) {
        interval.launch = launch;
        interval.phase = warmUp ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
        interval.startMs = 1_700_000_000_000L + 1000L * number;
        interval.endMs = interval.startMs + 1000;
        interval.endNs = 1_000_000_000L;
        interval.counts().completed = completed;
        return IntervalFigures.of(interval);
    }

    /** What a page makes of what it is told. */
    private static final class Page {
        private final List<Map<String, List<String>>> series = List.of(new LinkedHashMap<>(), new LinkedHashMap<>());

        void take(ObjectNode told) {
            for (int i = 0; i < series.size(); i++) {
                JsonNode one = told.get("series").get(i);
                Map<String, List<String>> columns = series.get(i);
                List<String> names = new ArrayList<>();
                one.get("columns").fieldNames().forEachRemaining(names::add);
                columns.keySet().retainAll(names);
                for (String name : names) {
                    List<String> rows = columns.computeIfAbsent(name, column -> new ArrayList<>());
                    rows.subList(one.get("at").asInt(), rows.size()).clear();
                    one.at("/columns/" + name).forEach(row -> rows.add(row.toString()));
                }
            }
        }
    }

    @Test
    void tellsAPagePieceByPieceWhatItTellsANewOneAtOnce() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        LiveData data = new LiveData(List.of("c2", "graal"));
        Page page = new Page();
        LiveData.Known known = data.nothing();
        int second = 5;
        for (int launch = 1; launch <= 3; launch++) {
            for (int i = 0; i < 900; i++) {
                boolean warmUp = i < 100;
                // The second target began before the first one of which the page heard.
                data.add("c2", second(second, launch, warmUp, random.nextInt(100)));
                data.add("graal", second(second - 5, launch, warmUp, random.nextInt(100)));
                second++;
                if (random.nextInt(40) == 0) {
                    page.take(data.since(known));
                }
            }
        }
        page.take(data.since(known));
        Page fresh = new Page();
        fresh.take(data.since(data.nothing()));

        assertEquals(fresh.series, page.series, "seed " + seed);
        int rows = fresh.series.get(0).get("t").size();
        assertTrue(rows > 1000 && rows < 2600, "rows: " + rows);
        assertTrue(fresh.series.get(0).containsKey("rateMax"), "no peak is lost");
    }

    /** The first target's launches were counted, so that 1 showed the second launch. */
    @Test
    void namesLaunchesByTheirNumbersWhicheverTargetHadThem() {
        LiveData data = new LiveData(List.of("c2", "graal"));
        data.add("graal", second(0, 1, false, 10));
        data.add("c2", second(2, 2, false, 10));
        data.add("graal", second(3, 2, false, 10));

        assertEquals(
                "[[0.0,1.0,1],[2.0,4.0,2]]",
                data.since(data.nothing()).get("stretches").toString());
    }

    @Test
    void drawsNothingBeforeTheFirstSecond() {
        LiveData data = new LiveData(List.of("c2", "graal"));

        ObjectNode told = data.since(data.nothing());

        assertEquals("[0,1.0]", told.get("range").toString());
        assertEquals(0, told.at("/series/0/columns/t").size());
    }

    @Test
    void takesNoNameForMarkup() {
        RunPlan plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path(HOSTILE)
                        .sha256("ab".repeat(32))
                        .streamSha256("ab".repeat(32))
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .build();

        String page = LivePage.of(plan);

        assertFalse(page.contains("<script>alert"));
        assertFalse(page.contains("<!--"));
        assertTrue(page.contains("connect-src 'self'"), "asks its own server for events");
        assertFalse(page.contains("unsafe-eval"));
    }
}
