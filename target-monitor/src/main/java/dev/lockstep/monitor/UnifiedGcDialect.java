package dev.lockstep.monitor;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * HotSpot's unified logging, JDK 9 to 25, with Serial, Parallel, CMS, G1, ZGC and Shenandoah. Used by one thread.
 *
 * <p>The end of a pause is the stamp of its line, which is written when the pause has just ended; its start is that
 * minus the duration. The wording is that of gcTraceTime.inl.hpp, g1HeapTransition.cpp, defNewGeneration.cpp,
 * psYoungGen.cpp, zStat.cpp, shenandoahUtils.cpp and safepoint.cpp. Levels come from where the JVM prints them finest:
 * Serial and Parallel to 1 KB, the others to 1 MB, rounded down, so sums of differences stay true. ZGC counts pages of
 * 2 MB.
 */
final class UnifiedGcDialect extends GcDialect {
    /** How many cycles are remembered, since one may go on while others begin and end. */
    private static final int MAX_CYCLES = 1024;

    private static final Pattern AVAILABLE = Pattern.compile("CPUs: \\d+ total, (\\d{1,6}) available");

    /** The collectors: how a log's header names each, and totals its cycles. */
    private enum Family {
        UNKNOWN(null, "Young", "Full", "Full"),
        SERIAL("Serial", "Serial Young", "Serial Old", "Full"),
        PARALLEL("Parallel", "Parallel Young", "Parallel Old", "Full"),
        CMS("Concurrent Mark Sweep", "CMS Young", "CMS Old", "CMS Concurrent"),
        G1("G1", "G1 Young", "G1 Full", "G1 Concurrent"),
        ZGC("The Z Garbage Collector", "Young", "Full", "ZGC Major"),
        SHENANDOAH("Shenandoah", "Young", "Full", "Shenandoah Old");

        private final String header;
        private final String young;
        private final String full;
        /** Those that last while a thousand others begin and end. */
        private final String longest;

        Family(String header, String young, String full, String longest) {
            this.header = header;
            this.young = young;
            this.full = full;
            this.longest = longest;
        }
    }

    /** What is known of one {@code GC(n)}. */
    private static final class Cycle {
        /** Null until a line names it. */
        private String collector;

        private Transition young;
        private Transition old;
        private Transition eden;
        private Transition edenRegions;
        private Transition survivorRegions;
        private char table = 'h';
        private long heapStart = -1;
        private long heapEnd = -1;
        private long generationStart = -1;
        private long generationEnd = -1;
        private long relocateStartNs = GcAccount.NO_TIME;
        private long relocateEndNs = GcAccount.NO_TIME;
        private int cleanups;
        private long collectionSetUsed;
        private long collectionSetGarbage;

        /** Returns what Shenandoah copies within the heap, which looks like allocation. */
        private long evacuated() {
            return Math.max(0, collectionSetUsed - collectionSetGarbage);
        }
    }

    private final Map<Long, Cycle> cycles = new LinkedHashMap<>(16, 0.75f, true);
    private Family family = Family.UNKNOWN;
    private long highestId = -1;
    private long regionBytes = -1;
    /** What was used after the last collection, of the heap or of ZGC's and CMS's young generation; -1 if not known. */
    private long lastAfter = -1;

    private long lastBefore = -1;
    /** When {@link #lastAfter} was, as far as ZGC needs it. */
    private long lastAfterNs = GcAccount.NO_TIME;

    private long lastStoppingId = -1;
    private long lastStoppingNs;
    private long g1Old = -1;
    private long g1Survivors = -1;

    /** The time of the line being read. */
    private long stampNs;

    private boolean startLine;
    private boolean tagged;

    UnifiedGcDialect(GcAccount account, GcClock clock) {
        super(account, clock);
    }

    @Override
    void newLog() {
        cycles.clear();
        family = Family.UNKNOWN;
        highestId = -1;
        lastAfter = 0;
        lastAfterNs = GcAccount.NO_TIME;
        lastBefore = -1;
        lastStoppingId = -1;
        g1Old = -1;
        g1Survivors = -1;
    }

    @Override
    void gap() {
        lastAfter = -1;
        lastAfterNs = GcAccount.NO_TIME;
        g1Old = -1;
    }

    @Override
    void line(String line) {
        GcStamp stamp = GcStamp.unified(line, clock);
        if (stamp == null) {
            account.damaged();
            return;
        }
        stampNs = stamp.timeNs;
        startLine = stamp.tags.endsWith("start");
        tagged = !stamp.tags.isEmpty();
        message(stamp.text, stamp.decorated);
    }

    private void message(String text, boolean decorated) {
        long stoppedNs = SafepointLine.stoppedNs(text);
        if (text.startsWith("GC(")) {
            int end = text.indexOf(") ");
            long id = end < 0 ? -1 : GcText.number(text, 3, end);
            if (id < 0) {
                account.damaged();
                return;
            }
            cycleLine(id, text.substring(end + 2));
        } else if (stoppedNs != SafepointLine.NONE) {
            account.safepoint(stampNs, stoppedNs);
        } else if (text.startsWith("Heap Region Size: ") || text.startsWith("Heap region size: ")) {
            regionBytes = GcText.bytes(text, 18, text.length());
        } else if (text.startsWith("Using ")) {
            header(text.substring(6));
        } else if (text.startsWith("CPUs: ")) {
            Matcher available = AVAILABLE.matcher(text);
            if (available.matches()) {
                account.processors(Integer.parseInt(available.group(1)));
            }
        } else if (!decorated && !text.isBlank() && !text.startsWith("Trigger")) {
            account.damaged();
        }
    }

    private void header(String name) {
        for (Family found : Family.values()) {
            if (name.equals(found.header) || found == Family.SHENANDOAH && name.startsWith(found.header)) {
                // Each JVM prints it once: when the log had lines already, another JVM's lines follow.
                newLog();
                family = found;
            }
        }
    }

    private Cycle cycle(long id) {
        Cycle cycle = cycles.get(id);
        if (cycle == null) {
            cycle = new Cycle();
            if (id + MAX_CYCLES <= highestId) {
                // Forgotten, and therefore counted already.
                cycle.collector = family.longest;
            }
            if (highestId < 0 && id == 0) {
                lastAfter = 0;
            }
            missing(id);
            highestId = Math.max(highestId, id);
            cycles.put(id, cycle);
            if (cycles.size() > MAX_CYCLES) {
                cycles.remove(cycles.keySet().iterator().next());
            }
        }
        return cycle;
    }

    /** Numbers come in order, except that a concurrent cycle's may come later than those of cycles within it. */
    private void missing(long id) {
        if (family == Family.CMS) {
            // It takes a number each time its thread wakes up, and may find nothing to do.
            return;
        }
        if (id > highestId) {
            account.missing(id - highestId - 1);
        } else if (id + MAX_CYCLES > highestId) {
            account.missing(-1);
        }
    }

    private void cycleLine(long id, String line) {
        Cycle cycle = cycle(id);
        char generation = ' ';
        String text = line;
        if (text.length() > 3 && text.startsWith(": ", 1) && "yYoO".indexOf(text.charAt(0)) >= 0) {
            generation = text.charAt(0);
            text = text.substring(3);
        }
        text = text.trim();
        if (text.startsWith("Pause ")) {
            pauseLine(id, cycle, generation, text);
        } else if (text.startsWith("Concurrent ")) {
            concurrentLine(cycle, text);
        } else if (text.startsWith("Garbage Collection ")) {
            collectionLine(cycle, "ZGC");
        } else if (text.startsWith("Minor Collection ")) {
            collectionLine(cycle, "ZGC Minor");
        } else if (text.startsWith("Major Collection ")) {
            collectionLine(cycle, "ZGC Major");
        } else {
            heapLine(cycle, text);
        }
    }

    private void name(Cycle cycle, String collector) {
        if (cycle.collector == null) {
            cycle.collector = collector;
            account.cycle(collector);
        }
    }

    private void collectionLine(Cycle cycle, String collector) {
        family = Family.ZGC;
        name(cycle, collector);
    }

    private void concurrentLine(Cycle cycle, String text) {
        if (text.startsWith("Concurrent Relocate ")) {
            cycle.relocateEndNs = stampNs;
        } else if (text.startsWith("Concurrent Cycle")
                || text.startsWith("Concurrent Mark Cycle")
                || text.startsWith("Concurrent Undo Cycle")) {
            family = Family.G1;
            name(cycle, "G1 Concurrent");
        } else if (text.length() > 11 && Character.isLowerCase(text.charAt(11)) && family != Family.CMS) {
            shenandoah(cycle, text);
            if (text.startsWith("Concurrent cleanup") && text.endsWith("ms")) {
                Transition heap = transition(text, 0);
                if (heap != null) {
                    // The first comes before the evacuation, the second when the copies are there and the old are gone.
                    long copies = cycle.cleanups++ == 0 ? 0 : cycle.evacuated();
                    collected(heap.beforeBytes - copies, heap.afterBytes);
                }
            }
        }
    }

    private void shenandoah(Cycle cycle, String text) {
        family = Family.SHENANDOAH;
        name(
                cycle,
                text.startsWith("Pause Full")
                        ? "Shenandoah Full"
                        : text.contains("(Young")
                                ? "Shenandoah Young"
                                : text.contains("(Old") ? "Shenandoah Old" : "Shenandoah");
    }

    private void pauseLine(long id, Cycle cycle, char generation, String text) {
        if (!text.endsWith("ms")) {
            if (!startLine && tagged) {
                account.damaged();
            } else if (family != Family.UNKNOWN) {
                nameByPause(cycle, generation, text);
            }
            return;
        }
        int number = text.lastIndexOf(' ') + 1;
        long durationNs = GcText.decimal(text, number, text.length() - 2, TimeUnit.MILLISECONDS.toNanos(1));
        String head = text.substring(0, Math.max(0, number - 1));
        Transition heap = Transition.find(head, 0);
        if (durationNs < 0 || heap == null && head.contains("->")) {
            account.damaged();
            return;
        }
        if (heap != null) {
            head = head.substring(0, heap.start).trim();
        }
        nameByPause(cycle, generation, head);
        // With Serial and CMS a full collection can be part of a young one's pause; its number is then the higher one.
        boolean stopping = (family == Family.SERIAL || family == Family.CMS || family == Family.UNKNOWN)
                && !cycle.collector.endsWith("Concurrent");
        boolean nested = stopping && id < lastStoppingId;
        long countedNs = nested ? Math.max(0, durationNs - lastStoppingNs) : durationNs;
        if (stopping) {
            lastStoppingId = id;
            lastStoppingNs = durationNs;
        }
        account.pause(cycle.collector, stampNs, durationNs, countedNs);
        levels(cycle, head, heap, nested);
    }

    private void nameByPause(Cycle cycle, char generation, String text) {
        if (text.startsWith("Pause Mark Start")
                || text.startsWith("Pause Mark End")
                || text.startsWith("Pause Relocate Start")) {
            family = Family.ZGC;
            if (text.startsWith("Pause Relocate Start")) {
                cycle.relocateStartNs = stampNs;
            }
            name(cycle, generation == 'y' ? "ZGC Minor" : generation == ' ' ? "ZGC" : "ZGC Major");
            return;
        }
        if (family == Family.SHENANDOAH
                || text.startsWith("Pause Init ")
                || text.startsWith("Pause Final ")
                || text.startsWith("Pause Degenerated")) {
            shenandoah(cycle, text);
            return;
        }
        boolean g1 = family == Family.G1;
        boolean full = text.startsWith("Pause Full");
        boolean young = text.startsWith("Pause Young") || text.startsWith("Pause Mixed");
        if (g1 && !full && (text.startsWith("Pause Mixed") || text.contains("(Mixed)"))) {
            name(cycle, "G1 Mixed");
        } else if (young || g1 && text.startsWith("Pause Initial Mark")) {
            name(cycle, family.young);
        } else {
            name(cycle, (g1 || family == Family.CMS) && !full ? family.longest : family.full);
        }
    }

    private void levels(Cycle cycle, String head, Transition heap, boolean nested) {
        boolean generations = cycle.young != null && cycle.old != null;
        if (!generations && heap == null) {
            return;
        }
        long before = generations ? cycle.young.beforeBytes + cycle.old.beforeBytes : heap.beforeBytes;
        long after = generations ? cycle.young.afterBytes + cycle.old.afterBytes : heap.afterBytes;
        if (head.equals("Pause Degenerated GC (Update Refs)")) {
            before -= cycle.evacuated();
        }
        if (nested) {
            // The difference was collected within, so the inner one has counted all but what this line gives more
            // finely.
            lastAfter = Math.max(0, lastBefore);
        }
        if (family == Family.CMS && generations) {
            // Its old generation shrinks between pauses, which the log does not show.
            collected(cycle.young.beforeBytes, cycle.young.afterBytes);
            account.heapUsed(after);
        } else if (family != Family.CMS) {
            collected(before, after);
        }
        if (generations) {
            account.oldUsed(cycle.old.afterBytes);
            // Where survivors found no room, all stays where it was.
            boolean emptied = head.startsWith("Pause Young") && cycle.young.afterBytes < cycle.young.beforeBytes
                    || cycle.young.afterBytes == 0;
            account.edenUsed(cycle.eden != null ? cycle.eden.afterBytes : emptied ? 0 : -1);
        } else if (family == Family.G1) {
            g1Levels(cycle, before, after);
        } else {
            account.edenUsed(-1);
        }
    }

    private void g1Levels(Cycle cycle, long before, long after) {
        if (cycle.edenRegions != null && cycle.survivorRegions != null && regionBytes > 0) {
            long eden = cycle.edenRegions.afterBytes * regionBytes;
            g1Survivors = cycle.survivorRegions.afterBytes * regionBytes;
            g1Old = Math.max(0, after - eden - g1Survivors);
            account.edenUsed(Math.max(0, eden));
        } else if (cycle.collector.equals("G1 Concurrent") && g1Old >= 0) {
            // Remark and cleanup free old regions only; all that is new is in eden.
            g1Old = Math.max(0, g1Old + after - before);
            account.edenUsed(Math.max(0, after - g1Old - g1Survivors));
        } else {
            g1Old = -1;
            account.edenUsed(-1);
        }
        if (g1Old >= 0) {
            account.oldUsed(g1Old);
        }
    }

    /** Takes a collection of the part of the heap that allocation fills. */
    private void collected(long before, long after) {
        account.allocated(lastAfter < 0 ? 0 : before - lastAfter);
        lastBefore = before;
        lastAfter = after;
        account.heapUsed(after);
    }

    private void heapLine(Cycle cycle, String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return;
        }
        switch (text.substring(0, colon)) {
            case "DefNew":
                youngLine(cycle, text, Family.SERIAL);
                break;
            case "PSYoungGen":
                youngLine(cycle, text, Family.PARALLEL);
                break;
            case "ParNew":
                youngLine(cycle, text, Family.CMS);
                break;
            case "Tenured":
            case "ParOldGen":
            case "PSOldGen":
            case "CMS":
                cycle.old = transition(text, colon);
                break;
            case "Eden regions":
                seen(Family.G1);
                cycle.edenRegions = transition(text, colon);
                break;
            case "Survivor regions":
                cycle.survivorRegions = transition(text, colon);
                break;
            case "Heap Statistics":
                cycle.table = 'h';
                break;
            case "Young Generation Statistics":
                cycle.table = 'y';
                break;
            case "Old Generation Statistics":
                cycle.table = 'o';
                break;
            case "Used":
                usedRow(cycle, text.substring(colon + 1));
                break;
            case "Collectable Garbage":
                cycle.collectionSetGarbage = Math.max(0, sizeAfter(text, ", CSet: "));
                break;
            case "Pacer for Evacuation. Used CSet":
                cycle.collectionSetUsed = Math.max(0, sizeAfter(text, "Used CSet: "));
                break;
            case "At end of Concurrent Young GC":
            case "At end of Concurrent Old GC":
            case "At end of Concurrent Global GC":
                if (text.contains("Old generation used: ")) {
                    account.oldUsed(sizeAfter(text, "Old generation used: "));
                }
                break;
            case "Allocated":
                allocatedRow(cycle, text.substring(colon + 1));
                break;
            default:
        }
    }

    private static long sizeAfter(String text, String label) {
        int from = text.indexOf(label) + label.length();
        int to = from;
        while (to < text.length() && ", ".indexOf(text.charAt(to)) < 0) {
            to++;
        }
        return from < label.length() ? -1 : GcText.bytes(text, from, to);
    }

    private void seen(Family found) {
        if (family == Family.UNKNOWN) {
            family = found;
        }
    }

    private void youngLine(Cycle cycle, String text, Family found) {
        seen(found);
        cycle.young = transition(text, text.indexOf(':'));
        int eden = text.indexOf(" Eden: ");
        if (eden >= 0) {
            cycle.eden = transition(text, eden + 6);
        }
    }

    private Transition transition(String text, int from) {
        Transition found = Transition.find(text, from);
        if (found == null) {
            account.damaged();
        }
        return found;
    }

    /** Reads a row of ZGC's tables: levels at mark start, mark end, relocate start, relocate end; -1 for a dash. */
    private static long[] row(String text) {
        long[] levels = {-1, -1, -1, -1};
        int column = 0;
        for (String word : text.trim().split("\\s+", 32)) {
            if (column < levels.length && !word.startsWith("(")) {
                int end = word.indexOf('(');
                levels[column++] = GcText.bytes(word, 0, end < 0 ? word.length() : end);
            }
        }
        return levels;
    }

    private static void usedRow(Cycle cycle, String text) {
        long[] levels = row(text);
        if (cycle.table == 'h') {
            cycle.heapStart = levels[0];
            cycle.heapEnd = levels[3];
        } else {
            cycle.generationStart = levels[0];
            cycle.generationEnd = levels[3];
        }
    }

    private void allocatedRow(Cycle cycle, String text) {
        long[] allocated = row(text);
        boolean whole = cycle.table == 'h';
        long start = whole ? cycle.heapStart : cycle.generationStart;
        long end = whole ? cycle.heapEnd : cycle.generationEnd;
        if (allocated[2] < 0 || allocated[3] < 0 || start < 0 || end < 0) {
            account.damaged();
            return;
        }
        account.edenUsed(-1);
        if (cycle.table != 'o') {
            long before = lastAfter < 0 ? 0 : Math.max(0, start - lastAfter) + allocated[2];
            long beside = whileRelocating(cycle, before, Math.max(0, allocated[3] - allocated[2]));
            account.allocated(before + beside);
            lastAfter = end;
            lastAfterNs = cycle.relocateEndNs;
            account.heapUsed(end);
        }
        if (cycle.heapEnd >= 0) {
            account.heapUsed(cycle.heapEnd);
        }
        if (cycle.table == 'y' && cycle.heapEnd >= 0) {
            account.oldUsed(Math.max(0, cycle.heapEnd - end));
        } else if (cycle.table == 'o') {
            account.oldUsed(end);
        }
    }

    /**
     * Returns what was allocated while ZGC relocated. What it says of that counts the pages it copies to as a whole,
     * tens of megabytes that nobody allocated; so it is only the limit, and the rate before is taken for these
     * milliseconds.
     */
    private long whileRelocating(Cycle cycle, long before, long limit) {
        if (cycle.relocateStartNs == GcAccount.NO_TIME
                || cycle.relocateEndNs < cycle.relocateStartNs
                || lastAfterNs == GcAccount.NO_TIME
                || lastAfterNs >= cycle.relocateStartNs) {
            return 0;
        }
        double rate = (double) before / (cycle.relocateStartNs - lastAfterNs);
        return Math.min(limit, (long) (rate * (cycle.relocateEndNs - cycle.relocateStartNs)));
    }
}
