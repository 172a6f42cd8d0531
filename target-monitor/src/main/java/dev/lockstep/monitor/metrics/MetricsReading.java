package dev.lockstep.monitor.metrics;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.util.List;
import java.util.OptionalDouble;

/** What a server told of its cost at one moment. Immutable. */
public final class MetricsReading {
    private final Costs costs;
    private final OptionalDouble startedAt;
    private final List<String> sources;

    MetricsReading(Costs costs, OptionalDouble startedAt, List<String> sources) {
        this.costs = costs;
        this.startedAt = startedAt;
        this.sources = List.copyOf(sources);
    }

    /**
     * Reads an answer in a format that is text.
     *
     * @throws MetricsException where it tells no CPU time; the message does not name its place
     */
    public static MetricsReading parse(MetricsSource.Format format, String answer) throws MetricsException {
        return format == MetricsSource.Format.JOLOKIA ? JolokiaCosts.of(answer) : PrometheusCosts.of(answer);
    }

    /** Returns what it has used since its start, and what it occupies now; {@link Cost#PROCESS_CPU} always. */
    public Costs costs() {
        return costs;
    }

    /** Returns its CPU time since its start, ns. */
    public long cpuNs() {
        return costs.get(Cost.PROCESS_CPU).orElseThrow();
    }

    /** Returns when its process started, in seconds since 1970; absent where it does not tell. */
    public OptionalDouble startedAt() {
        return startedAt;
    }

    /** Returns the names of the metrics or MBeans that told it. */
    public List<String> sources() {
        return sources;
    }
}
