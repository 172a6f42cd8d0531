package dev.lockstep.replayer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class SilenceWatchTest {
    private final SilenceWatch watch = new SilenceWatch(100);

    @Test
    void countsNoSilenceBeforeTheLastRequestIsDue() {
        watch.restart(0, 1000);

        assertEquals(600, watch.leftNs(0, 2000, 1500));
        assertEquals(100, watch.leftNs(0, 2000, 2000));
        assertEquals(1, watch.leftNs(0, 2000, 2099));
        assertEquals(0, watch.leftNs(0, 2000, 2100));
    }

    @Test
    void beginsAnewWithEachAnswer() {
        watch.restart(7, 1000);

        assertEquals(10, watch.leftNs(7, 1000, 1090));
        assertEquals(100, watch.leftNs(8, 1000, 1095));
        assertEquals(55, watch.leftNs(8, 1000, 1140));
        assertEquals(0, watch.leftNs(8, 1000, 1195));
    }
}
