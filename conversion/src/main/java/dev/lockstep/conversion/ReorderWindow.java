package dev.lockstep.conversion;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Brings entries into the order of their times, as far as bounded memory goes: logs are written when answers end, and
 * files of several pages or connections run beside each other. Used by one thread.
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

    /** Takes an entry; those of one time stay in the order in which they come. */
    void add(Entry entry, long timeNs) {
        waiting.add(new Waiting(entry, timeNs, added++));
        heldBytes += entry.memoryBytes();
        while (heldBytes > memoryBytes) {
            record();
        }
    }

    /** Records all that waits. */
    void finish() {
        while (!waiting.isEmpty()) {
            record();
        }
    }

    /** Returns how many entries came too late for their time and were recorded at a later one. */
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
