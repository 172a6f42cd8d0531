package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ExtraCpuTest {
    private static final long MS = 1_000_000;

    /** CPU time of the simulated process: what it needs itself and what is burnt. */
    private long needNs;

    private long nowNs;

    /** Every look at the clock takes 2 us of CPU time, for the work between two looks. */
    private long tick() {
        return nowNs += 2_000;
    }

    private ExtraCpu extraCpu(double share) {
        ExtraCpu extraCpu = new ExtraCpu(share, () -> needNs + nowNs, () -> nowNs, this::tick);
        extraCpu.start();
        return extraCpu;
    }

    @Test
    void burnsItsShareOfASteadyLoad() {
        ExtraCpu extraCpu = extraCpu(0.05);
        ExtraCpu.Loop loop = extraCpu.new Loop();
        for (int interval = 0; interval < 200; interval++) {
            for (int request = 0; request < 1_000; request++) {
                needNs += 20_000;
                loop.request();
            }
            extraCpu.settle();
        }
        // What the last interval needed is still owed.
        assertEquals(0.05 * (needNs - 20 * MS), extraCpu.burntNs(), 0.05 * 20 * MS);
    }

    @Test
    void staysOnItsShareWhenTheLoadChangesAndWhenOtherThreadsWork() {
        ExtraCpu extraCpu = extraCpu(0.2);
        ExtraCpu.Loop[] loops = {extraCpu.new Loop(), extraCpu.new Loop(), extraCpu.new Loop()};
        for (int interval = 0; interval < 1_000; interval++) {
            int requests = interval % 10 == 0 ? 5_000 : interval % 7 * 100;
            needNs += 3 * MS;
            for (int request = 0; request < requests; request++) {
                needNs += request % 100 == 0 ? 500_000 : 10_000;
                loops[request % loops.length].request();
            }
            extraCpu.settle();
        }
        assertEquals(0.2, (double) extraCpu.burntNs() / needNs, 0.005);
    }

    @Test
    void burnsNoMoreThanIsOwedWhenRequestsRushIn() {
        ExtraCpu extraCpu = extraCpu(0.05);
        ExtraCpu.Loop loop = extraCpu.new Loop();
        needNs += 300 * MS;
        loop.request();
        extraCpu.settle();
        for (int request = 0; request < 100_000; request++) {
            loop.request();
        }
        assertEquals(0.05 * 300 * MS, extraCpu.burntNs(), ExtraCpu.QUANTUM_NS);
    }

    @Test
    void burnsNothingWithoutRequests() {
        ExtraCpu extraCpu = extraCpu(0.05);
        needNs += 1_000 * MS;
        extraCpu.settle();
        assertEquals(0, extraCpu.burntNs());
    }

    @Test
    void doesNotCountWhatWasUsedBeforeTheStart() {
        needNs = 5_000 * MS;
        ExtraCpu extraCpu = extraCpu(0.05);
        ExtraCpu.Loop loop = extraCpu.new Loop();
        extraCpu.settle();
        for (int request = 0; request < 1_000; request++) {
            loop.request();
        }
        assertEquals(0, extraCpu.burntNs());
    }

    @Test
    void readsTheClocksOfThisProcess() {
        assertTrue(ExtraCpu.isSupported());
        ExtraCpu extraCpu = ExtraCpu.ofThisProcess(0.5);
        extraCpu.start();
        ExtraCpu.Loop loop = extraCpu.new Loop();
        long endNs = System.nanoTime() + 60_000 * MS;
        while (extraCpu.burntNs() == 0 && System.nanoTime() < endNs) {
            loop.request();
            extraCpu.settle();
        }
        assertTrue(extraCpu.burntNs() > 0);
    }
}
