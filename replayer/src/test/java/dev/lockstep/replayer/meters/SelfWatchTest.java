package dev.lockstep.replayer.meters;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.SelfReport;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SelfWatchTest {
    private static final long MS = 1_000_000;

    /** Of a second, in which the loop and with it this process computed for a tenth. */
    private static String culprit(boolean ownProcessors, long ownCpuMs, long waitedMs, long coreBusyMs, long stolenMs) {
        SelfReport.Loop loop = SelfReport.Loop.of(
                "0",
                100 * MS,
                100 * MS,
                OptionalLong.of(waitedMs * MS),
                OptionalLong.of(coreBusyMs * MS),
                OptionalLong.of(stolenMs * MS),
                Percentiles.of(LatencyRecorder.newHistogram()));
        return SelfWatch.culprit(
                SelfReport.of(1000 * MS, ownCpuMs * MS, 0, 0, 0, List.of(loop), List.of()), ownProcessors);
    }

    @Test
    void saysWhoHadTheLoopsProcessor() {
        assertEquals(
                "other programs had its processor 0 for at least 84 % of the time; stop them, or give Lockstep a core that"
                        + " nothing else uses",
                culprit(true, 110, 500, 950, 0));
        assertEquals(
                "a target or other programs had its processor 0 for at least 84 % of the time; give Lockstep a core that"
                        + " nothing else uses",
                culprit(false, 110, 500, 950, 0));
        assertEquals(
                "other machines on the same host had its processor 0 for 30 % of the time; measure on a quieter one",
                culprit(true, 110, 0, 110, 300));
        assertEquals(
                "other threads had its processor 0 for 60 % of the time; give Lockstep a core that nothing else uses",
                culprit(true, 700, 500, 700, 0));
        assertEquals(
                "it waited for a processor for 20 % of the time; give Lockstep a core that nothing else uses",
                culprit(true, 110, 200, 110, 0));
        assertEquals(
                "nothing else had its processor for long; give it a core of its own or a lower rate",
                culprit(true, 110, 0, 110, 0));
    }

    /** Full load is a closed loop, whatever the pace that is measured. */
    @Test
    void callsABusyLoopABottleneckOfFullLoadToo() {
        SelfWatch watch = new SelfWatch(false, true);

        watch.served("paced", 1, 0.99, 1000);
        watch.loadedFully("quick", 2, 0.99, 1000);
        watch.loadedFully("out-of-reach", 2, 0.99, 0);
        watch.loadedFully("slow", 2, 0.5, 1000);

        assertEquals(List.of(), watch.report().bottlenecks());
        assertEquals(
                List.of(SelfReport.Bottleneck.of("quick", 2, 0.99)),
                watch.report().fullLoadBottlenecks());
    }

    /** On two processors it is a target that has them. */
    @Test
    void callsALoopNoBottleneckThatSharesItsProcessor() {
        SelfWatch watch = new SelfWatch(true, false);

        watch.served("quick", 2, 0.99, 1000);
        watch.loadedFully("quick", 2, 0.99, 1000);

        assertEquals(List.of(), watch.report().bottlenecks());
        assertEquals(List.of(), watch.report().fullLoadBottlenecks());
    }

    @Test
    void callsABusyLoopABottleneckOnlyWhereItServedItsTarget() {
        SelfWatch watch = new SelfWatch(true, true);

        watch.served("quick", 1, 0.99, 1000);
        watch.served("out-of-reach", 1, 0.99, 0);
        watch.served("slow", 1, 0.5, 1000);

        assertEquals(
                List.of("quick"),
                watch.report().bottlenecks().stream()
                        .map(SelfReport.Bottleneck::target)
                        .collect(Collectors.toList()));
    }
}
