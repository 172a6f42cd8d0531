package dev.lockstep.conversion.imports;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Puts entries in the order of their times, as far as bounded memory allows: logs are written when answers end, and the
 * pages or connections of a file run beside each other. Used by one thread.
 */
final class ReorderWindow {
    private static final class Waiting {
        final Entry entry;
        final long timeNs;
        final long number;

        Waiting(Entry entry, long timeNs, long number) {
            this.entry = entry;
            this.timeNs = timeNs;
            this.number = number;
        }
    }

    private final long memoryBytes;
    private final ImportSink sink;
    private final PriorityQueue<Waiting> waiting = new PriorityQueue<>(
            Comparator.<Waiting>comparingLong(one -> one.timeNs).thenComparingLong(one -> one.number));
    private long heldBytes;
    private long added;
    private long lastNs = Long.MIN_VALUE;
    private long late;

    ReorderWindow(long memoryBytes, ImportSink sink) {
        this.memoryBytes = memoryBytes;
        this.sink = sink;
    }

    /** Entries of one time stay in the order in which they come. */
    void add(Entry entry, long timeNs) {
        waiting.add(new Waiting(entry, timeNs, added++));
        heldBytes += entry.memoryBytes();
        while (heldBytes > memoryBytes) {
            record();
        }
    }

    void finish() {
        while (!waiting.isEmpty()) {
            record();
        }
    }

    /** How many entries came too late for their time and were recorded at a later one. */
    long late() {
        return late;
    }

    private void record() {
        Waiting first = waiting.remove();
        heldBytes -= first.entry.memoryBytes();
        if (first.timeNs < lastNs) {
            late++;
        }
        lastNs = Math.max(lastNs, first.timeNs);
        first.entry.record(lastNs, sink);
    }
}
