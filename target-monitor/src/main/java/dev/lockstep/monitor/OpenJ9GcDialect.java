package dev.lockstep.monitor;

import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * OpenJ9's verbose log of garbage collections, XML of which each line is read alone, so that it needs no end. Used by
 * one thread.
 *
 * <p>Elements and attributes as in the log examples of the Eclipse OpenJ9 documentation (gencon, balanced) and OMR's
 * VerboseHandlerOutput; metronome's as in IBM's "Using verbose:gc information". A pause is an exclusive access in which
 * the collector did something; other exclusive accesses are safepoints only. Allocation is what the JVM itself counts
 * ({@code allocation-stats}), exact.
 */
final class OpenJ9GcDialect extends GcDialect {
    /** Types of cycles of the documented policies; the log could name others. */
    private static final Set<String> TYPES = Set.of(
            "scavenge", "global", "partial gc", "global mark phase", "global garbage collect", "heartbeat", "epsilon");

    private static final long MS_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Of the exclusive access that goes on. */
    private String collector;

    private boolean inGcEnd;
    private long heapUsed;
    private String metronome = "OpenJ9 other";

    OpenJ9GcDialect(GcAccount account, GcClock clock) {
        super(account, clock);
    }

    @Override
    void gap() {
        collector = null;
        inGcEnd = false;
    }

    @Override
    void line(String line) {
        int at = line.indexOf('<');
        while (at >= 0) {
            int end = end(line, at);
            if (end < 0) {
                // quanta's attributes go on in a second line; none that we need does.
                if (isOurs(line, at)) {
                    element(line, at, line.length());
                }
                return;
            }
            element(line, at, end);
            at = line.indexOf('<', end);
        }
    }

    /** Returns the index of the element's end, or -1; quoted text may hold the sign. */
    private static int end(String line, int from) {
        boolean quoted = false;
        for (int i = from; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '>' && !quoted) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isOurs(String line, int at) {
        return line.startsWith("<quanta ", at);
    }

    private void element(String line, int from, int to) {
        int nameEnd = from + 1;
        while (nameEnd < to && " />".indexOf(line.charAt(nameEnd)) < 0
                || nameEnd == from + 1 && line.charAt(nameEnd) == '/') {
            nameEnd++;
        }
        String attributes = line.substring(nameEnd, to);
        switch (line.substring(from + 1, nameEnd)) {
            case "exclusive-start":
                collector = null;
                break;
            case "exclusive-end":
                exclusiveEnd(attributes);
                break;
            case "cycle-start":
                metronome = collector(attributes);
                collector = metronome;
                account.cycle(collector);
                break;
            case "gc-start":
                collector = collector(attributes);
                inGcEnd = false;
                break;
            case "gc-end":
                inGcEnd = true;
                account.edenUsed(-1);
                break;
            case "/gc-end":
                inGcEnd = false;
                break;
            case "mem-info":
                heap(attributes);
                break;
            case "mem":
                space(attributes);
                break;
            case "allocation-stats":
                allocation(attributes);
                break;
            case "quanta":
                quanta(attributes);
                break;
            default:
        }
    }

    private static String collector(String attributes) {
        String type = attribute(attributes, "type");
        return "OpenJ9 " + (type != null && TYPES.contains(type) ? type : "other");
    }

    private void exclusiveEnd(String attributes) {
        long durationNs = milliseconds(attributes, "durationms");
        String timestamp = attribute(attributes, "timestamp");
        if (durationNs < 0 || timestamp == null) {
            account.damaged();
        } else {
            long endNs = clock.ofEpochMs(clock.epochMs(timestamp));
            account.safepoint(endNs, durationNs);
            if (collector != null) {
                account.pause(collector, endNs, durationNs, durationNs);
            }
        }
        collector = null;
    }

    private void heap(String attributes) {
        long used = used(attributes);
        if (!inGcEnd) {
            return;
        }
        if (used < 0) {
            account.damaged();
        } else {
            heapUsed = used;
            account.heapUsed(used);
        }
    }

    private void space(String attributes) {
        String type = attribute(attributes, "type");
        if (!inGcEnd || type == null) {
            return;
        }
        long used = used(attributes);
        if (used < 0) {
            account.damaged();
        } else if (type.equals("tenure")) {
            account.oldUsed(used);
        } else if (type.equals("survivor")) {
            // All of it is shown as used, for it is kept free for the next scavenge.
            account.heapUsed(Math.max(0, heapUsed - used));
        } else if (type.equals("allocate") || type.equals("eden")) {
            account.edenUsed(used);
        }
    }

    private void allocation(String attributes) {
        long bytes = number(attributes, "totalBytes");
        if (bytes < 0) {
            account.damaged();
        } else {
            account.allocated(bytes);
        }
    }

    /** A heartbeat sums up metronome's pauses since the last one. */
    private void quanta(String attributes) {
        long count = number(attributes, "quantumCount");
        long meanNs = milliseconds(attributes, "meanTimeMs");
        if (count < 0 || meanNs < 0 || count > 1_000_000) {
            account.damaged();
        } else {
            account.pauses(metronome, count, Math.multiplyHigh(count, meanNs) == 0 ? count * meanNs : 0);
        }
    }

    private static long used(String attributes) {
        long total = number(attributes, "total");
        long free = number(attributes, "free");
        return total < 0 || free < 0 ? -1 : Math.max(-1, total - free);
    }

    private static long number(String attributes, String name) {
        String value = attribute(attributes, name);
        return value == null ? -1 : GcText.number(value, 0, value.length());
    }

    private static long milliseconds(String attributes, String name) {
        String value = attribute(attributes, name);
        return value == null ? -1 : GcText.decimal(value, 0, value.length(), MS_NS);
    }

    /** Returns null when there is none, or no end of it. */
    private static String attribute(String attributes, String name) {
        int at = attributes.indexOf(" " + name + "=\"");
        int start = at + name.length() + 3;
        int end = at < 0 ? -1 : attributes.indexOf('"', start);
        return end < 0 ? null : attributes.substring(start, end);
    }
}
