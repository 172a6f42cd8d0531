package dev.lockstep.monitor.metrics;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.monitor.metrics.PrometheusText.Sample;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Finds what a process costs among its metrics: by the names of the official clients (Go, Java, Python, Rust, .NET), of
 * prom-client (Node), of Micrometer and of OpenTelemetry. A gauge such as {@code process_cpu_usage} is no use: it is of
 * the moment, and no CPU time can be made of it. Of the rest, what is no number of 0 or more is left out: of a gauge,
 * NaN says that there is no value now. Used once, by one thread.
 */
final class PrometheusCosts {
    private static final String CPU = "process_cpu_seconds_total";
    /** Micrometer's, from 1.13 on. */
    private static final String CPU_NS = "process_cpu_time_ns_total";
    /** The last two are OpenTelemetry's. */
    private static final List<String> CPU_TIMES =
            List.of(CPU, CPU_NS, "process_cpu_time_seconds_total", "jvm_cpu_time_seconds_total");
    /** By what label user and system time are told apart, where they are. */
    private static final List<String> MODES = List.of("mode", "cpu_mode", "state", "process_cpu_state", "type");

    /** Micrometer's: cycles of ZGC and Shenandoah, and G1's remarks and cleanups, which are pauses all the same. */
    private static final String CONCURRENT = "jvm_gc_concurrent_phase_time_seconds";

    private static final String MESH_AGENT = "istio_agent_";

    private static final double NS_PER_S = 1e9;
    /** Memory pools of a JVM that are no heap. */
    private static final Set<String> NO_HEAP = Set.of("Metaspace", "Compressed Class Space", "Code Cache", "CodeCache");

    /**
     * What a client tells of the process beside the first two of its CPU times. All of it has the application's prefix
     * or none, other than what Go's and Python's clients tell of their runtimes.
     */
    private static final List<String> OF_PROCESS = List.of(
            "process_start_time_seconds",
            "process_resident_memory_bytes",
            "process_virtual_memory_bytes",
            "process_open_fds",
            "process_max_fds",
            "process_cpu_usage",
            "process_cpu_time_seconds_total",
            "jvm_cpu_time_seconds_total",
            "process_uptime_seconds",
            "process_files_open_files",
            "jvm_memory_used_bytes",
            "jvm_memory_bytes_used",
            "nodejs_version_info");

    private final PrometheusText text;
    private final String prefix;
    private final Costs.Builder costs = Costs.builder();
    private final List<String> sources = new ArrayList<>();

    private PrometheusCosts(PrometheusText text) throws MetricsException {
        this.text = text;
        refuseExporters();
        prefix = prefix();
    }

    /** The CPU time that an exporter tells is its own. */
    private void refuseExporters() throws MetricsException {
        for (String name : new TreeSet<>(text.names())) {
            boolean isOfAgent = text.of(name).stream()
                    .anyMatch(sample -> sample.label("name").contains("javaagent"));
            if (name.endsWith("exporter_build_info") && !isOfAgent
                    || name.equals("cadvisor_version_info")
                    || name.startsWith("namedprocess_namegroup_")) {
                throw new MetricsException("expected what the server tells of itself, found " + name
                        + ", as of an exporter: the CPU time there is the exporter's own");
            }
        }
    }

    /**
     * Another program's metrics beside the server's, such as those of a service mesh's agent, have a prefix as well.
     */
    private String prefix() throws MetricsException {
        List<String> prefixes = text.prefixesOf(CPU);
        if (prefixes.isEmpty()) {
            prefixes = text.prefixesOf(CPU_NS);
        }
        boolean isOfOther = OF_PROCESS.stream().anyMatch(name -> !text.of(name).isEmpty());
        if (prefixes.isEmpty() || isOfOther) {
            return "";
        }
        prefixes.remove(MESH_AGENT);
        if (prefixes.size() > 1) {
            throw new MetricsException("expected the CPU time of one process, found it with several prefixes, "
                    + String.join(", ", prefixes) + "; give the address of one of them");
        }
        return prefixes.isEmpty() ? "" : prefixes.get(0);
    }

    /** @throws MetricsException where they tell no CPU time, without their place */
    static MetricsReading of(String body) throws MetricsException {
        return new PrometheusCosts(PrometheusText.parse(body)).reading();
    }

    private MetricsReading reading() throws MetricsException {
        cpu();
        collections();
        memory();
        OptionalDouble told = only("process_start_time_seconds");
        OptionalDouble started = isCount(told.orElse(-1)) ? told : OptionalDouble.empty();
        return new MetricsReading(costs.build(), started, sources);
    }

    private void cpu() throws MetricsException {
        String name = CPU_TIMES.stream()
                .map(this::full)
                .filter(one -> !text.of(one).isEmpty())
                .findFirst()
                .orElseThrow(this::noCpu);
        List<Sample> found = text.of(name);
        if (found.size() > 1 && !areModes(found)) {
            throw new MetricsException("expected the CPU time of one process, found " + name + " " + found.size()
                    + " times, as of several processes; give the address of one of them");
        }
        sources.add(name);
        double cpuNs = sum(found, any -> true) * (name.endsWith(CPU_NS) ? 1 : NS_PER_S);
        if (!isCount(cpuNs)) {
            throw new MetricsException("expected " + name + " to be 0 or more, found " + cpuNs);
        }
        costs.set(
                Cost.PROCESS_CPU,
                name.endsWith(CPU_NS)
                        ? Math.round(cpuNs)
                        : found.stream().mapToLong(sample -> ns(sample.value())).sum());
        OptionalDouble user = only("process_cpu_user_seconds_total");
        OptionalDouble system = only("process_cpu_system_seconds_total");
        if (isCount(user.orElse(-1)) && isCount(system.orElse(-1))) {
            costs.set(Cost.USER_CPU, ns(user.getAsDouble()));
            costs.set(Cost.SYSTEM_CPU, ns(system.getAsDouble()));
        }
    }

    private MetricsException noCpu() {
        return new MetricsException("expected the counter " + CPU + " (or " + CPU_NS + " of Micrometer), found none"
                + (text.of("process_cpu_usage").isEmpty()
                        ? ""
                        : "; process_cpu_usage is the usage of a moment, of which no CPU time can be made:"
                                + " Micrometer has the counter from 1.13 on (Spring Boot 3.3)"));
    }

    /** Whether two samples are the user and the system time of one process, and differ in nothing else. */
    private static boolean areModes(List<Sample> found) {
        return found.size() == 2
                && MODES.stream()
                        .anyMatch(mode -> Set.of("user", "system")
                                        .equals(found.stream()
                                                .map(sample -> sample.label(mode))
                                                .collect(Collectors.toSet()))
                                && found.get(0)
                                        .labelsBut(mode)
                                        .equals(found.get(1).labelsBut(mode)));
    }

    private void collections() {
        List<Sample> counts = text.of("jvm_gc_collection_seconds_count");
        if (!counts.isEmpty()) {
            collectors(counts, text.of("jvm_gc_collection_seconds_sum"));
            return;
        }
        // Micrometer's and Node's are not there before the first collection.
        pauses(
                "jvm_gc_pause_seconds",
                sample -> !sample.label("gc").endsWith("Pauses"),
                sum(text.of(full(CONCURRENT + "_count")), sample -> sample.label("gc")
                        .endsWith("Cycles")),
                sum(text.of(full(CONCURRENT + "_sum")), sample -> sample.label("gc")
                        .equals(GcBeans.G1_CYCLE_PAUSES)),
                !text.of("jvm_memory_used_bytes").isEmpty());
        pauses("go_gc_duration_seconds", any -> true, 0, 0, false);
        pauses(
                "nodejs_gc_duration_seconds",
                sample -> sample.label("kind").equals("minor")
                        || sample.label("kind").equals("major"),
                0,
                0,
                !text.of(prefix + "nodejs_version_info").isEmpty());
        List<Sample> python = text.of("python_gc_collections_total");
        if (!python.isEmpty()) {
            set(Cost.GC_CYCLES, "python_gc_collections_total", sum(python, any -> true));
        }
    }

    /** All of them or none: a sum that lacks one now and has it later would count what was not collected. */
    private void collectors(List<Sample> counts, List<Sample> times) {
        if (!isCount(sum(counts, any -> true)) || !isCount(sum(times, any -> true))) {
            return;
        }
        GcBeans beans = new GcBeans(costs);
        for (Sample count : counts) {
            String collector = count.label("gc");
            double seconds = sum(times, time -> time.label("gc").equals(collector));
            beans.add(collector, Math.round(count.value()), Math.round(seconds * NS_PER_S));
        }
        beans.set();
        sources.add("jvm_gc_collection_seconds");
    }

    /**
     * @param cycles which of the counts are whole collections; the others are parts of one
     * @param otherCycles and {@code otherSeconds} what another metric has of collections and pauses
     * @param awaited whether they are missing only as long as there was no collection
     */
    private void pauses(
            String name, Predicate<Sample> cycles, double otherCycles, double otherSeconds, boolean awaited) {
        String own = text.of(prefix + name + "_count").isEmpty() ? name : prefix + name;
        List<Sample> counts = text.of(own + "_count");
        if (!counts.isEmpty()) {
            double count = sum(counts, cycles) + otherCycles;
            double seconds = sum(text.of(own + "_sum"), any -> true) + otherSeconds;
            if (isCount(count) && isCount(seconds)) {
                costs.set(Cost.GC_CYCLES, Math.round(count)).set(Cost.GC_PAUSE, Math.round(seconds * NS_PER_S));
                sources.add(own);
            }
        } else if (awaited) {
            costs.awaited(Cost.GC_CYCLES).awaited(Cost.GC_PAUSE);
        }
    }

    private void memory() {
        setOnly(Cost.RSS, "process_resident_memory_bytes");
        for (String name : new String[] {"jvm_memory_used_bytes", "jvm_memory_bytes_used"}) {
            List<Sample> heap = new ArrayList<>(text.of(name));
            heap.removeIf(pool -> !pool.label("area").equals("heap"));
            if (!heap.isEmpty()) {
                set(Cost.HEAP_USED, name, sum(heap, any -> true));
            }
        }
        setOnly(Cost.HEAP_USED, "go_memstats_heap_alloc_bytes");
        setOnly(Cost.HEAP_USED, "nodejs_heap_size_used_bytes");
        List<Sample> pools = new ArrayList<>(text.of("jvm_memory_pool_allocated_bytes_total"));
        pools.removeIf(pool ->
                NO_HEAP.contains(pool.label("pool")) || pool.label("pool").startsWith("CodeHeap"));
        if (!pools.isEmpty()) {
            set(Cost.ALLOCATED, "jvm_memory_pool_allocated_bytes_total", sum(pools, any -> true));
        }
        setOnly(Cost.ALLOCATED, "jvm_gc_memory_allocated_bytes_total");
        setOnly(Cost.ALLOCATED, "go_memstats_alloc_bytes_total");
    }

    private void setOnly(Cost cost, String name) {
        only(name).ifPresent(value -> set(cost, name, value));
    }

    private void set(Cost cost, String name, double value) {
        if (isCount(value)) {
            costs.set(cost, Math.round(value));
            sources.add(name);
        }
    }

    /** Returns the value of a metric that stands there once, with the prefix of all or without. */
    private OptionalDouble only(String name) {
        List<Sample> found = text.of(full(name));
        return found.size() == 1 ? OptionalDouble.of(found.get(0).value()) : OptionalDouble.empty();
    }

    private String full(String name) {
        return text.of(prefix + name).isEmpty() ? name : prefix + name;
    }

    /** Returns what the decimals say: as a double, a product of many seconds is off by some ns, and looks exact. */
    private static long ns(double seconds) {
        return BigDecimal.valueOf(seconds)
                .movePointRight(9)
                .setScale(0, RoundingMode.HALF_UP)
                .min(BigDecimal.valueOf(Long.MAX_VALUE))
                .longValue();
    }

    private static double sum(List<Sample> samples, Predicate<Sample> which) {
        return samples.stream().filter(which).mapToDouble(Sample::value).sum();
    }

    private static boolean isCount(double value) {
        return value >= 0 && value < Long.MAX_VALUE;
    }
}
