package dev.lockstep.exporter;

import dev.lockstep.measurement.Cost;
import java.util.Locale;
import java.util.Map;

/**
 * The metrics of a target that are counters or gauges: each with its name, its base unit and the sentence that explains
 * it. All have the label {@code target}. Micrometer writes dots as underscores and adds the unit and {@code _total}.
 * Immutable.
 */
final class TargetMetric {
    private static final String PREFIX = "lockstep.target.";
    /** Set apart, so that the name of a cost without a place of its own is never that of another metric. */
    private static final String PREFIX_OF_OTHERS = PREFIX + "cost.";

    static final String COLLECTOR = "collector";
    /** Stands where it is not known which collector it was. */
    static final String ALL_COLLECTORS = "all";

    static final TargetMetric REQUESTS =
            named("requests", null, true, "Requests sent to the target, those that failed included.");
    static final TargetMetric COMPLETED = named(
            "completed.requests", null, true, "Requests whose answer was read to its last byte, whatever its status.");
    static final TargetMetric SUCCESSFUL =
            named("successful.requests", null, true, "Requests answered, and not with 5xx: what costs are divided by.");
    static final TargetMetric RESPONSES = named("responses", null, true, "Answers by the class of their status.");
    static final TargetMetric ERRORS =
            named("errors", null, true, "Failed requests by what went wrong; a 5xx is none, and told by responses.");
    static final TargetMetric DEFERRED =
            named("deferred.requests", null, true, "Sends that waited for a connection because all were busy.");
    static final TargetMetric ONEWAY = named("oneway.requests", null, true, "Completed requests that get no answer.");
    static final TargetMetric STRAY_ANSWERS =
            named("stray.answers", null, true, "Times that bytes came on a connection that awaited nothing.");
    static final TargetMetric CONNECTIONS = named("connections", null, true, "Connections opened to the target.");
    static final TargetMetric SENT =
            named("sent", "bytes", true, "Request bytes given to sockets, whether or not the target took all of them.");
    static final TargetMetric OPAQUE_SENT =
            named("opaque.sent", "bytes", true, "Recorded bytes that belong to no request, handed to sockets.");
    static final TargetMetric RECEIVED = named("received", "bytes", true, "Response bytes read.");
    static final TargetMetric RECEIVED_BODY =
            named("received.body", "bytes", true, "Response body bytes read, chunk framing not counted.");
    static final TargetMetric IN_FLIGHT =
            named("in.flight.requests", null, false, "Requests that awaited their answers when the last second ended.");
    static final TargetMetric SLOWEST_RESPONSE =
            named("slowest.response", "seconds", false, "Longest response time of the last second with answers.");
    static final TargetMetric RESPONSE_TIME_QUANTILE = named(
            "response.time.quantile",
            "seconds",
            false,
            "Response time below which a share of the answers lies, since the warm-up or measured phase of the launch"
                    + " began.");
    static final TargetMetric LAUNCH = named("launch", null, false, "Which launch of the target runs, counted from 1.");
    static final TargetMetric WARMING_UP =
            named("warming.up", null, false, "Whether the load is that of the warm-up, which does not count: 1 or 0.");

    static final TargetMetric CPU = named("cpu", "seconds", true, "CPU time of the process by mode.");
    static final TargetMetric THREAD_CPU =
            named("thread.cpu", "seconds", true, "CPU time, user and system, by the kind of thread.");
    static final TargetMetric CPU_PER_REQUEST = named(
            "cpu.per.request",
            "seconds",
            false,
            "CPU time of a successful request by what it was spent on, since the warm-up or measured phase of the launch"
                    + " began.");
    static final TargetMetric GROUP_CPU = named("group.cpu", "seconds", true, "CPU time of the control group.");
    static final TargetMetric GC_CYCLES = named("gc.cycles", null, true, "Garbage collection cycles.");
    static final TargetMetric GC_PAUSE =
            named("gc.pause", "seconds", true, "How long garbage collections stopped the application.");
    static final TargetMetric SAFEPOINT = named(
            "safepoint",
            "seconds",
            true,
            "How long safepoints stopped the application, those of collections included.");
    static final TargetMetric ALLOCATED =
            named("allocated", "bytes", true, "What the application allocated on the Java heap.");
    static final TargetMetric MEMORY = named("memory", "bytes", false, "Memory in use by kind; kinds overlap.");
    static final TargetMetric MEMORY_PEAK =
            named("memory.peak", "bytes", false, "Highest memory in use since the start of the process by kind.");
    static final TargetMetric PAGE_FAULTS =
            named("page.faults", null, true, "Page faults by kind; major ones waited for the disk.");
    static final TargetMetric CONTEXT_SWITCHES =
            named("context.switches", null, true, "Context switches of its threads by kind.");
    static final TargetMetric THROTTLED_PERIODS =
            named("throttled.periods", null, true, "Times that the control group's CPU quota stopped it.");
    static final TargetMetric THROTTLED =
            named("throttled", "seconds", true, "How long the control group's CPU quota stopped it.");
    static final TargetMetric OOM_KILLS =
            named("oom.kills", null, true, "Processes that the kernel killed for lack of memory.");

    /** Micrometer's name of it. */
    final String meterName;
    /** Its base unit, or null where it counts things. */
    final String unit;
    /** Says whether it only ever grows. */
    final boolean counter;

    final String help;

    private TargetMetric(String meterName, String unit, boolean counter, String help) {
        this.meterName = meterName;
        this.unit = unit;
        this.counter = counter;
        this.help = help;
    }

    private static TargetMetric named(String name, String unit, boolean counter, String help) {
        return new TargetMetric(PREFIX + name, unit, counter, help);
    }

    /**
     * Where a cost is published: a metric, the label that tells it from others there, and how many of the cost make 1.
     */
    static final class Place {
        private static final double NS = 1e9;
        private static final Map<Cost, Place> PLACES = Map.ofEntries(
                Map.entry(Cost.USER_CPU, new Place(TargetMetric.CPU, "mode", "user", NS)),
                Map.entry(Cost.SYSTEM_CPU, new Place(TargetMetric.CPU, "mode", "system", NS)),
                Map.entry(Cost.APPLICATION_CPU, new Place(TargetMetric.THREAD_CPU, "kind", "application", NS)),
                Map.entry(Cost.JIT_CPU, new Place(TargetMetric.THREAD_CPU, "kind", "jit", NS)),
                Map.entry(Cost.GC_CPU, new Place(TargetMetric.THREAD_CPU, "kind", "gc", NS)),
                Map.entry(Cost.GROUP_CPU, alone(TargetMetric.GROUP_CPU, NS)),
                Map.entry(Cost.GC_CYCLES, new Place(TargetMetric.GC_CYCLES, COLLECTOR, ALL_COLLECTORS, 1)),
                Map.entry(Cost.GC_PAUSE, new Place(TargetMetric.GC_PAUSE, COLLECTOR, ALL_COLLECTORS, NS)),
                Map.entry(Cost.SAFEPOINT, alone(TargetMetric.SAFEPOINT, NS)),
                Map.entry(Cost.ALLOCATED, alone(TargetMetric.ALLOCATED, 1)),
                Map.entry(Cost.HEAP_USED, new Place(TargetMetric.MEMORY, "kind", "heap", 1)),
                Map.entry(Cost.OLD_GEN_USED, new Place(TargetMetric.MEMORY, "kind", "old_gen", 1)),
                Map.entry(Cost.RSS, new Place(TargetMetric.MEMORY, "kind", "rss", 1)),
                Map.entry(Cost.MEMORY, new Place(TargetMetric.MEMORY, "kind", "group", 1)),
                Map.entry(Cost.PEAK_RSS, new Place(TargetMetric.MEMORY_PEAK, "kind", "rss", 1)),
                Map.entry(Cost.MEMORY_PEAK, new Place(TargetMetric.MEMORY_PEAK, "kind", "group", 1)),
                Map.entry(Cost.MINOR_FAULTS, new Place(TargetMetric.PAGE_FAULTS, "kind", "minor", 1)),
                Map.entry(Cost.MAJOR_FAULTS, new Place(TargetMetric.PAGE_FAULTS, "kind", "major", 1)),
                Map.entry(Cost.VOLUNTARY_SWITCHES, new Place(TargetMetric.CONTEXT_SWITCHES, "kind", "voluntary", 1)),
                Map.entry(
                        Cost.INVOLUNTARY_SWITCHES, new Place(TargetMetric.CONTEXT_SWITCHES, "kind", "involuntary", 1)),
                Map.entry(Cost.THROTTLED_PERIODS, alone(TargetMetric.THROTTLED_PERIODS, 1)),
                Map.entry(Cost.THROTTLED, alone(TargetMetric.THROTTLED, NS)),
                Map.entry(Cost.OOM_KILLS, alone(TargetMetric.OOM_KILLS, 1)));

        final TargetMetric metric;
        /** Null where the metric has no label but the target. */
        final String label;

        final String value;
        final double divisor;

        private Place(TargetMetric metric, String label, String value, double divisor) {
            this.metric = metric;
            this.label = label;
            this.value = value;
            this.divisor = divisor;
        }

        private static Place alone(TargetMetric metric, double divisor) {
            return new Place(metric, null, null, divisor);
        }

        /** Returns where a cost is published. */
        static Place of(Cost cost) {
            Place own = PLACES.get(cost);
            return own != null ? own : other(cost.key(), cost.kind());
        }

        /** Returns where a cost without a place of its own is published: in a metric named by its key. */
        static Place other(String key, Cost.Kind kind) {
            boolean time = key.endsWith("Ns");
            String unit = time ? "seconds" : key.endsWith("Bytes") ? "bytes" : null;
            String name = key.replaceFirst("(Ns|Bytes)$", "")
                    .replaceAll("(?=[A-Z])", ".")
                    .toLowerCase(Locale.ROOT);
            String help = "The cost that results name " + key
                    + (kind == Cost.Kind.PEAK ? ", the highest since the start of the process." : ".");
            return alone(new TargetMetric(PREFIX_OF_OTHERS + name, unit, kind == Cost.Kind.TOTAL, help), time ? NS : 1);
        }
    }
}
