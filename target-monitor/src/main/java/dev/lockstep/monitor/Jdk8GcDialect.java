package dev.lockstep.monitor;

import java.util.concurrent.TimeUnit;

/**
 * What JDK 8 prints with {@code -XX:+PrintGCDetails}: Serial, Parallel, CMS and G1. Used by one thread.
 *
 * <p>A line is stamped when its pause begins. There are no numbers of cycles (but with {@code -XX:+PrintGCID}), so each
 * pause of a stopping collector is a cycle, and each initial mark begins a concurrent one. Levels are to 1 KB, of G1 to
 * a tenth of the unit it prints.
 */
final class Jdk8GcDialect extends GcDialect {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private long lastAfter = -1;
    /** A full collection by G1, kept until a line with finer levels follows or cannot follow any more. */
    private Transition coarse;

    /** A G1 pause whose line other output cut in two. */
    private String openHead;

    private long openStartNs;
    /** Whether the heap of the last G1 pause is still to come. */
    private boolean awaitsHeap;

    private boolean rotated;

    Jdk8GcDialect(GcAccount account, GcClock clock) {
        super(account, clock);
    }

    @Override
    void newLog() {
        gap();
        lastAfter = 0;
    }

    @Override
    void gap() {
        lastAfter = -1;
        openHead = null;
        coarse = null;
        awaitsHeap = false;
    }

    @Override
    void line(String line) {
        GcStamp stamp = GcStamp.jdk8(line, clock);
        String text = stamp.text;
        long stoppedNs = SafepointLine.stoppedNs(text);
        if (stoppedNs != SafepointLine.NONE) {
            account.safepoint(stamp.timeNs, stoppedNs);
        } else if (text.startsWith("[GC concurrent-") || text.startsWith("[CMS-concurrent-")) {
            // Concurrent; the initial mark has counted it.
            return;
        } else if (text.startsWith("[GC") || text.startsWith("[Full GC")) {
            pauseLine(stamp.timeNs, withoutTimes(text));
        } else if (openHead != null && text.startsWith(", ") && text.endsWith(" secs]")) {
            String head = openHead;
            openHead = null;
            pauseLine(openStartNs, head + text);
        } else if (awaitsHeap && text.trim().startsWith("[Eden: ")) {
            g1Heap(text);
        } else if (line.contains("GC log file created ")) {
            rotated = true;
        } else if (line.startsWith("CommandLine flags: ")) {
            // Every file begins like this, but only a JVM's first one has no line about rotation before it.
            if (!rotated) {
                newLog();
            }
            rotated = false;
        } else if (line.contains("[GC (") || line.contains("[Full GC (") || line.contains("[GC pause (")) {
            account.damaged();
        }
    }

    private static String withoutTimes(String text) {
        int times = text.indexOf(" [Times: ");
        return (times < 0 ? text : text.substring(0, times)).trim();
    }

    private void pauseLine(long startNs, String text) {
        awaitsHeap = false;
        if (coarse != null) {
            collected(coarse.beforeBytes, coarse.afterBytes);
            coarse = null;
        }
        boolean g1 = text.startsWith("[GC pause");
        if (!text.endsWith(" secs]")) {
            openHead = null;
            int cut = text.indexOf(" [G1Ergonomics");
            // Output that cuts in begins with its own stamp.
            int end = cut < 0 ? text.length() : text.lastIndexOf(") ", cut) + 1;
            if (g1 && end > 0) {
                openHead = text.substring(0, end);
                openStartNs = startNs;
            } else {
                account.damaged();
            }
            return;
        }
        int comma = text.lastIndexOf(", ");
        long durationNs = comma < 0 ? -1 : GcText.decimal(text, comma + 2, text.length() - 6, SECOND_NS);
        String collector = collector(text);
        Transition heap = outermost(text);
        if (durationNs < 0 || heap == null && needsHeap(collector)) {
            account.damaged();
            return;
        }
        if (collector.endsWith("Concurrent")) {
            if (text.contains("Initial Mark") || text.contains("CMS-initial-mark")) {
                account.cycle(collector);
            }
        } else {
            account.cycle(collector);
            if (text.contains("(initial-mark)")) {
                account.cycle("G1 Concurrent");
            }
        }
        long endNs = startNs == GcAccount.NO_TIME ? startNs : startNs + durationNs;
        account.pause(collector, endNs, durationNs, durationNs);
        awaitsHeap = collector.startsWith("G1") && !collector.endsWith("Concurrent");
        levels(text, collector, heap);
    }

    private static boolean needsHeap(String collector) {
        return collector.startsWith("Serial") || collector.startsWith("Parallel") || collector.equals("CMS Young");
    }

    private static String collector(String text) {
        boolean full = text.startsWith("[Full GC");
        if (text.startsWith("[GC pause")) {
            return text.contains("(mixed)") ? "G1 Mixed" : "G1 Young";
        }
        if (text.startsWith("[GC remark") || text.startsWith("[GC cleanup")) {
            return "G1 Concurrent";
        }
        if (text.contains("CMS-initial-mark") || text.contains("CMS-remark")) {
            return "CMS Concurrent";
        }
        if (text.contains("[PSYoungGen")) {
            return full ? "Parallel Old" : "Parallel Young";
        }
        if (text.contains("[CMS") || text.contains("[ParNew")) {
            return full || text.contains("[CMS") || text.contains("[Tenured") ? "CMS Old" : "CMS Young";
        }
        if (text.contains("[DefNew") || text.contains("[Tenured")) {
            return full || text.contains("[Tenured") ? "Serial Old" : "Serial Young";
        }
        return full ? "G1 Full" : "Young";
    }

    /** Finds the change of the whole heap: the one that is in no brackets but those of the line. */
    private static Transition outermost(String text) {
        int depth = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '[') {
                depth++;
            } else if (c == ']') {
                depth--;
            } else if (depth == 1 && c == '-' && text.startsWith("->", i)) {
                int from = Math.max(text.lastIndexOf(' ', i), text.lastIndexOf(']', i)) + 1;
                return Transition.find(text, from);
            }
        }
        return null;
    }

    private static Transition generation(String text, String... names) {
        for (String name : names) {
            int at = text.indexOf("[" + name + ": ");
            if (at >= 0) {
                return Transition.find(text, at + name.length() + 3);
            }
        }
        return null;
    }

    private void levels(String text, String collector, Transition heap) {
        if (heap == null) {
            return;
        }
        if (collector.equals("G1 Full")) {
            coarse = heap;
            return;
        }
        Transition young = generation(text, "PSYoungGen", "DefNew", "ParNew");
        Transition old = generation(text, "ParOldGen", "PSOldGen", "Tenured", "CMS");
        if (collector.startsWith("CMS")) {
            // Its old generation shrinks between pauses, which the log does not show.
            if (young != null) {
                long youngAfter = old == null ? young.afterBytes : Math.max(0, heap.afterBytes - old.afterBytes);
                collected(young.beforeBytes, youngAfter);
            } else {
                lastAfter = old == null ? -1 : Math.max(0, heap.afterBytes - old.afterBytes);
            }
            account.heapUsed(heap.afterBytes);
        } else {
            collected(heap.beforeBytes, heap.afterBytes);
        }
        if (collector.startsWith("G1")) {
            // The lines of a pause that follow say more; of a cleanup there is no more.
            account.edenUsed(-1);
        } else {
            long oldAfter =
                    old != null ? old.afterBytes : young == null ? -1 : Math.max(0, heap.afterBytes - young.afterBytes);
            account.oldUsed(oldAfter);
            // "GC--": survivors found no room, and all stays where it was.
            boolean emptied = collector.endsWith("Young") && !text.startsWith("[GC--") || heap.afterBytes == oldAfter;
            account.edenUsed(emptied ? 0 : -1);
        }
    }

    private void collected(long before, long after) {
        account.allocated(lastAfter < 0 ? 0 : before - lastAfter);
        lastAfter = after;
        account.heapUsed(after);
    }

    /**
     * Reads {@code [Eden: 7168.0K(7168.0K)->0.0B(4096.0K) Survivors: 0.0B->1024.0K Heap:
     * 7168.0K(32.0M)->6664.5K(32.0M)]}.
     */
    private void g1Heap(String text) {
        int survivorsAt = text.indexOf(" Survivors: ");
        int heapAt = text.indexOf(" Heap: ");
        Transition eden = Transition.find(text, text.indexOf("[Eden: ") + 7);
        Transition survivors = survivorsAt < 0 ? null : Transition.find(text, survivorsAt + 12);
        Transition heap = heapAt < 0 ? null : Transition.find(text, heapAt + 7);
        if (eden == null || survivors == null || heap == null) {
            account.damaged();
            return;
        }
        awaitsHeap = false;
        // The full collection's own line gave the same, only coarser.
        coarse = null;
        collected(heap.beforeBytes, heap.afterBytes);
        account.edenUsed(eden.afterBytes);
        account.oldUsed(Math.max(0, heap.afterBytes - eden.afterBytes - survivors.afterBytes));
    }
}
