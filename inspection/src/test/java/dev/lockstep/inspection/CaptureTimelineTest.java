package dev.lockstep.inspection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class CaptureTimelineTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private static ConnectionFacts connection(int id, long openedNs, long closedNs) {
        ConnectionFacts facts = new ConnectionFacts(id, null, openedNs);
        facts.lastNs = closedNs;
        facts.isClosed = true;
        return facts;
    }

    @Test
    void countsEachRequestOnceHoweverLongTheCapture() {
        TimeBins bins = new TimeBins();
        for (long second = 0; second < 100_000; second++) {
            bins.add(second * SECOND_NS);
        }

        assertTrue(bins.widthNs() > SECOND_NS, "width: " + bins.widthNs());
        assertEquals(100_000, bins.before(Long.MAX_VALUE / 2));
        long middle = 50_000 * SECOND_NS / bins.widthNs() * bins.widthNs();
        assertEquals(middle / SECOND_NS + (middle % SECOND_NS == 0 ? 0 : 1), bins.before(middle));
        assertEquals(0, bins.before(0));
    }

    @Test
    void keepsSomeOfAMillionConnectionsEvenlyAndCountsAll() {
        CaptureTimeline timeline = new CaptureTimeline();
        for (int id = 0; id < 1_000_000; id++) {
            timeline.ended(connection(id, id * 1_000_000L, id * 1_000_000L + SECOND_NS));
        }

        List<ConnectionFacts> kept = timeline.connections();
        assertTrue(kept.size() > 120 && kept.size() <= 256, "kept: " + kept.size());
        for (int i = 1; i < kept.size(); i++) {
            assertEquals(timeline.every(), kept.get(i).id - kept.get(i - 1).id);
        }
        assertEquals(1_000_000, timeline.opened.before(Long.MAX_VALUE / 2));
        assertEquals(1_000_000, timeline.closed.before(Long.MAX_VALUE / 2));
    }

    @Test
    void keepsEachConnectionOfASmallCapture() {
        CaptureTimeline timeline = new CaptureTimeline();
        timeline.ended(connection(1, 5, 9));
        timeline.ended(connection(0, 2, 20));

        assertEquals(1, timeline.every());
        assertEquals(0, timeline.connections().get(0).id, "in the order in which they were opened");
        assertEquals(2, timeline.connections().size());
    }

    @Test
    void hasColumnsInWhichARateMeansSomething() {
        CaptureTimeline timeline = new CaptureTimeline();

        assertTrue(10 * SECOND_NS / timeline.columnNs(10 * SECOND_NS) < 240);
        assertTrue(86_400 * SECOND_NS / timeline.columnNs(86_400 * SECOND_NS) < 2048);
        assertTrue(timeline.columnNs(86_400 * SECOND_NS) < 90 * SECOND_NS);
    }
}
