package dev.lockstep.monitor;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What a log of garbage collections has said up to a moment. Immutable; what it has not said is absent.
 *
 * <p>Collectors are named "Serial Young", "Serial Old", "Parallel Young", "Parallel Old", "CMS Young", "CMS
 * Concurrent", "CMS Old", "G1 Young", "G1 Mixed", "G1 Full", "G1 Concurrent", "ZGC", "ZGC Minor", "ZGC Major",
 * "Shenandoah", "Shenandoah Young", "Shenandoah Old", "Shenandoah Full", "OpenJ9 ..." with the type of cycle in its own
 * words, and "Zing". "Young" and "Full" alone come from a log that does not name the collector.
 */
public final class GcTotals {
    private final Map<String, Long> cycles;
    private final Map<String, Long> pauseNs;
    private final long safepointNs;
    private final long allocatedBytes;
    private final long heapUsedBytes;
    private final long oldUsedBytes;
    private final long edenUsedBytes;

    /** Negative numbers are absent. */
    GcTotals(
            Map<String, Long> cycles,
            Map<String, Long> pauseNs,
            long safepointNs,
            long allocatedBytes,
            long heapUsedBytes,
            long oldUsedBytes,
            long edenUsedBytes) {
        this.cycles = new TreeMap<>(cycles);
        this.pauseNs = new TreeMap<>(pauseNs);
        this.safepointNs = safepointNs;
        this.allocatedBytes = allocatedBytes;
        this.heapUsedBytes = heapUsedBytes;
        this.oldUsedBytes = oldUsedBytes;
        this.edenUsedBytes = edenUsedBytes;
    }

    /**
     * Returns the number of cycles by collector, with those that have only begun: distinct {@code GC(n)} of a unified
     * log. A concurrent cycle is one cycle, however many pauses it has.
     */
    public Map<String, Long> cycles() {
        return new TreeMap<>(cycles);
    }

    /** Returns how long each collector had stopped the application; time in nested pauses counts once. */
    public Map<String, Long> pauseNs() {
        return new TreeMap<>(pauseNs);
    }

    /** Returns how long the application was stopped, for collections and anything else, from the request to stop on. */
    public OptionalLong safepointNs() {
        return optional(safepointNs);
    }

    /**
     * Returns what was allocated from the beginning of the log to {@link #heapUsedBytes()}'s moment, in bytes. When the
     * log begins in the middle of the JVM's life, it counts from the first collection in the log.
     */
    public OptionalLong allocatedBytes() {
        return optional(allocatedBytes);
    }

    /** Returns the heap used after the last collection. */
    public OptionalLong heapUsedBytes() {
        return optional(heapUsedBytes);
    }

    /**
     * Returns the old generation used after the last collection that gave this level; G1's humongous objects count as
     * old.
     */
    public OptionalLong oldUsedBytes() {
        return optional(oldUsedBytes);
    }

    /**
     * Returns eden used at the moment of {@link #heapUsedBytes()}: 0 after a collection that emptied it. What eden
     * holds beyond that was allocated since.
     */
    public OptionalLong edenUsedBytes() {
        return optional(edenUsedBytes);
    }

    private static OptionalLong optional(long number) {
        return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
    }

    @Override
    public String toString() {
        return "cycles " + cycles + ", pauses " + pauseNs + " ns, safepoints " + safepointNs + " ns, allocated "
                + allocatedBytes + ", heap " + heapUsedBytes + ", old " + oldUsedBytes + ", eden " + edenUsedBytes;
    }
}
