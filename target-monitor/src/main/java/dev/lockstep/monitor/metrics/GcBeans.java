package dev.lockstep.monitor.metrics;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcCosts;

/**
 * The collectors of a JVM as its GarbageCollectorMXBeans name them. A concurrent collector has one bean for its cycles,
 * whose time is no pause ({@code ZGC Cycles}, Zing's {@code GPGC New}), and another for its pauses, whose number is no
 * number of cycles ({@code ZGC Pauses}). CMS has one for both, which counts cycles and times their pauses. Used once,
 * by one thread.
 */
final class GcBeans {
    /** From JDK 20 on: each remark and each cleanup, which stop the application within a cycle. */
    static final String G1_CYCLE_PAUSES = "G1 Concurrent GC";

    private final Costs.Builder costs;
    private long cycles;
    private long pauseNs;
    private boolean any;
    /** Zing had no beans for its pauses before 22.12. */
    private boolean tellsPauses;

    GcBeans(Costs.Builder costs) {
        this.costs = costs;
    }

    /**
     * @param count of its collections
     * @param timeNs of them
     */
    void add(String name, long count, long timeNs) {
        any = true;
        boolean pauses = name.endsWith("Pauses") || name.equals(G1_CYCLE_PAUSES);
        boolean concurrent = name.endsWith("Cycles") || name.startsWith("GPGC") && !pauses;
        tellsPauses |= !concurrent;
        cycles += pauses ? 0 : count;
        pauseNs += concurrent ? 0 : timeNs;
        costs.collector(name, GcCosts.of(pauses ? 0 : count, concurrent ? 0 : timeNs));
    }

    void set() {
        if (any) {
            costs.set(Cost.GC_CYCLES, cycles);
        }
        if (tellsPauses) {
            costs.set(Cost.GC_PAUSE, pauseNs);
        }
    }
}
