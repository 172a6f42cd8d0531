package dev.lockstep.monitor.metrics;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcCosts;

/**
 * The collectors of a JVM as its GarbageCollectorMXBeans name them. A concurrent collector has one bean for its cycles,
 * whose time is no pause ({@code ZGC Cycles}, {@code G1 Concurrent GC}), and another for its pauses, whose number is no
 * number of cycles ({@code ZGC Pauses}). Used once, by one thread.
 */
final class GcBeans {
    private final Costs.Builder costs;
    private long cycles;
    private long pauseNs;
    private boolean any;

    GcBeans(Costs.Builder costs) {
        this.costs = costs;
    }

    /**
     * @param count of its collections
     * @param timeNs of them
     */
    void add(String name, long count, long timeNs) {
        any = true;
        boolean concurrent = name.contains("Concurrent") || name.endsWith("Cycles");
        boolean counts = !name.endsWith("Pauses");
        cycles += counts ? count : 0;
        pauseNs += concurrent ? 0 : timeNs;
        costs.collector(name, GcCosts.of(counts ? count : 0, concurrent ? 0 : timeNs));
    }

    void set() {
        if (any) {
            costs.set(Cost.GC_CYCLES, cycles).set(Cost.GC_PAUSE, pauseNs);
        }
    }
}
