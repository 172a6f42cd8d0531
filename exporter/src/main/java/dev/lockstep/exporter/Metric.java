package dev.lockstep.exporter;

import dev.lockstep.measurement.Cost;

/**
 * The metrics of a target that are counters or gauges: each with its name, its base unit and the sentence that explains
 * it. All have the label {@code target}. Micrometer writes dots as underscores and adds the unit and {@code _total}.
 */
enum Metric {
    REQUESTS("requests", null, true, "Requests sent to the target, those that failed included."),
    COMPLETED(
            "completed.requests", null, true, "Requests whose answer was read to its last byte, whatever its status."),
    RESPONSES("responses", null, true, "Answers by the class of their status."),
    ERRORS("errors", null, true, "Failed requests by what went wrong."),
    DEFERRED("deferred.requests", null, true, "Sends that waited for a connection because all were busy."),
    ONEWAY("oneway.requests", null, true, "Completed requests that get no answer."),
    STRAY_ANSWERS("stray.answers", null, true, "Times that bytes came on a connection that awaited nothing."),
    CONNECTIONS("connections", null, true, "Connections opened to the target."),
    SENT("sent", "bytes", true, "Request bytes handed to sockets."),
    OPAQUE_SENT("opaque.sent", "bytes", true, "Recorded bytes that belong to no request, handed to sockets."),
    RECEIVED("received", "bytes", true, "Response bytes read."),
    RECEIVED_BODY("received.body", "bytes", true, "Response body bytes read, chunk framing not counted."),
    IN_FLIGHT("in.flight.requests", null, false, "Requests that awaited their answers when the last second ended."),
    SLOWEST_RESPONSE("slowest.response", "seconds", false, "Longest response time of the last second with answers."),
    LAUNCH("launch", null, false, "Which launch of the target runs, counted from 1."),
    WARMING_UP("warming.up", null, false, "Whether the load is that of the warm-up, which does not count: 1 or 0."),

    CPU("cpu", "seconds", true, "CPU time of the process by mode."),
    THREAD_CPU("thread.cpu", "seconds", true, "CPU time, user and system, by the kind of thread."),
    GROUP_CPU("group.cpu", "seconds", true, "CPU time of the control group."),
    GC_CYCLES("gc.cycles", null, true, "Garbage collection cycles."),
    GC_PAUSE("gc.pause", "seconds", true, "How long garbage collections stopped the application."),
    SAFEPOINT(
            "safepoint",
            "seconds",
            true,
            "How long safepoints stopped the application, those of collections included."),
    ALLOCATED("allocated", "bytes", true, "What the application allocated on the Java heap."),
    MEMORY("memory", "bytes", false, "Memory in use by kind; kinds overlap."),
    MEMORY_PEAK("memory.peak", "bytes", false, "Highest memory in use since the start of the process by kind."),
    PAGE_FAULTS("page.faults", null, true, "Page faults by kind; major ones waited for the disk."),
    CONTEXT_SWITCHES("context.switches", null, true, "Context switches of its threads by kind."),
    THROTTLED_PERIODS("throttled.periods", null, true, "Times that the control group's CPU quota stopped it."),
    THROTTLED("throttled", "seconds", true, "How long the control group's CPU quota stopped it."),
    OOM_KILLS("oom.kills", null, true, "Processes that the kernel killed for lack of memory.");

    private static final String PREFIX = "lockstep.target.";

    private final String meterName;
    private final String unit;
    private final boolean counter;
    private final String help;

    Metric(String name, String unit, boolean counter, String help) {
        this.meterName = PREFIX + name;
        this.unit = unit;
        this.counter = counter;
        this.help = help;
    }

    /** Returns Micrometer's name of it. */
    String meterName() {
        return meterName;
    }

    /** Returns its base unit, or null where it counts things. */
    String unit() {
        return unit;
    }

    /** Says whether it only ever grows. */
    boolean isCounter() {
        return counter;
    }

    String help() {
        return help;
    }

    /** Where a cost is published: a metric, the label that tells it from others there, and how many of the cost make 1. */
    static final class Place {
        private static final double NS = 1e9;

        final Metric metric;
        /** Null where the metric has no label but the target. */
        final String label;

        final String value;
        final double divisor;

        private Place(Metric metric, String label, String value, double divisor) {
            this.metric = metric;
            this.label = label;
            this.value = value;
            this.divisor = divisor;
        }

        private static Place alone(Metric metric, double divisor) {
            return new Place(metric, null, null, divisor);
        }

        private static Place of(Metric metric, String label, String value, double divisor) {
            return new Place(metric, label, value, divisor);
        }

        /** Returns where a cost is published. */
        static Place of(Cost cost) {
            switch (cost) {
                case USER_CPU:
                    return of(CPU, "mode", "user", NS);
                case SYSTEM_CPU:
                    return of(CPU, "mode", "system", NS);
                case APPLICATION_CPU:
                    return of(THREAD_CPU, "kind", "application", NS);
                case JIT_CPU:
                    return of(THREAD_CPU, "kind", "jit", NS);
                case GC_CPU:
                    return of(THREAD_CPU, "kind", "gc", NS);
                case GROUP_CPU:
                    return alone(Metric.GROUP_CPU, NS);
                case GC_CYCLES:
                    return of(Metric.GC_CYCLES, COLLECTOR, ALL_COLLECTORS, 1);
                case GC_PAUSE:
                    return of(Metric.GC_PAUSE, COLLECTOR, ALL_COLLECTORS, NS);
                case SAFEPOINT:
                    return alone(Metric.SAFEPOINT, NS);
                case ALLOCATED:
                    return alone(Metric.ALLOCATED, 1);
                case HEAP_USED:
                    return of(Metric.MEMORY, "kind", "heap", 1);
                case OLD_GEN_USED:
                    return of(Metric.MEMORY, "kind", "old_gen", 1);
                case RSS:
                    return of(Metric.MEMORY, "kind", "rss", 1);
                case MEMORY:
                    return of(Metric.MEMORY, "kind", "group", 1);
                case PEAK_RSS:
                    return of(Metric.MEMORY_PEAK, "kind", "rss", 1);
                case MEMORY_PEAK:
                    return of(Metric.MEMORY_PEAK, "kind", "group", 1);
                case MINOR_FAULTS:
                    return of(PAGE_FAULTS, "kind", "minor", 1);
                case MAJOR_FAULTS:
                    return of(PAGE_FAULTS, "kind", "major", 1);
                case VOLUNTARY_SWITCHES:
                    return of(CONTEXT_SWITCHES, "kind", "voluntary", 1);
                case INVOLUNTARY_SWITCHES:
                    return of(CONTEXT_SWITCHES, "kind", "involuntary", 1);
                case THROTTLED_PERIODS:
                    return alone(Metric.THROTTLED_PERIODS, 1);
                case THROTTLED:
                    return alone(Metric.THROTTLED, NS);
                case OOM_KILLS:
                    return alone(Metric.OOM_KILLS, 1);
                default:
                    throw new IllegalArgumentException("a cost without a metric: " + cost);
            }
        }
    }

    static final String COLLECTOR = "collector";
    /** Stands where it is not known which collector it was. */
    static final String ALL_COLLECTORS = "all";
}
