package dev.lockstep.monitor.metrics;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What a JVM costs by its MBeans, however they were read. They know no resident memory, and the allocation of all
 * threads only from JDK 21 on and in late updates of older ones. Used once, by one thread.
 */
final class MBeanCosts {
    // Each is a bean's name and one attribute of it.
    static final String CPU = "java.lang:type=OperatingSystem ProcessCpuTime";
    static final String STARTED = "java.lang:type=Runtime StartTime";
    static final String HEAP = "java.lang:type=Memory HeapMemoryUsage";
    static final String ALLOCATED = "java.lang:type=Threading TotalThreadAllocatedBytes";

    static final String COLLECTORS = "java.lang:type=GarbageCollector,name=*";
    static final String COLLECTION_COUNT = "CollectionCount";
    static final String COLLECTION_TIME = "CollectionTime";

    private static final long NS_PER_MS = 1_000_000;

    private final Costs.Builder costs = Costs.builder();
    private final GcBeans collectors = new GcBeans(costs);
    private final List<String> sources = new ArrayList<>();
    private OptionalDouble startedAt = OptionalDouble.empty();

    MBeanCosts(long cpuNs) {
        costs.set(Cost.PROCESS_CPU, cpuNs);
        sources.add(CPU);
    }

    /** @param startedMs since 1970 */
    void started(long startedMs) {
        startedAt = OptionalDouble.of(startedMs / 1e3);
    }

    /** @param timeMs of its collections */
    void collector(String name, long count, long timeMs) {
        collectors.add(name, count, timeMs * NS_PER_MS);
        if (!sources.contains(COLLECTORS)) {
            sources.add(COLLECTORS);
        }
    }

    void heapUsed(long bytes) {
        costs.set(Cost.HEAP_USED, bytes);
        sources.add(HEAP);
    }

    void allocated(long bytes) {
        costs.set(Cost.ALLOCATED, bytes);
        sources.add(ALLOCATED);
    }

    MetricsReading reading() {
        collectors.set();
        return new MetricsReading(costs.build(), startedAt, sources);
    }
}
