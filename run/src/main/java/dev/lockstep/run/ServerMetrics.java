package dev.lockstep.run;

import dev.lockstep.analysis.Metric;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.monitor.metrics.MetricsEndpoint;
import dev.lockstep.monitor.metrics.MetricsException;
import dev.lockstep.monitor.metrics.MetricsReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What the metrics of a server that runs already say of its cost in each block of load. They are read right before the
 * measured load of a block and right after it, so that a reading's own cost and time are outside; but each answer is
 * made after the server looked at its counter, so that about one reading in all lies between the two. How much that is,
 * a second reading before the block tells.
 *
 * <p>What a block cost is unknown, and a note says why, where either reading failed, the process was another one, or
 * its counter did not move or is too coarse. Of one run; used by the run's thread.
 */
final class ServerMetrics {
    /** Asks the server. */
    interface Endpoint {
        /** @throws MetricsException in one line */
        MetricsReading read() throws MetricsException, InterruptedException;

        /** Reads over a connection of its own; nothing where all lead to one process. */
        default Optional<MetricsReading> readAnew() throws MetricsException, InterruptedException {
            return Optional.of(read());
        }

        static Endpoint of(MetricsEndpoint endpoint) {
            return new Endpoint() {
                @Override
                public MetricsReading read() throws MetricsException, InterruptedException {
                    return endpoint.read();
                }

                @Override
                public Optional<MetricsReading> readAnew() throws MetricsException, InterruptedException {
                    return endpoint.readAnew();
                }
            };
        }
    }

    /** Of two to four workers that answer by turns one answers twice, and has used less CPU than one before it. */
    private static final int LOOKS_FOR_OTHERS = 4;

    /** By how much two readings of one start may differ: some clients make it of the time of day. */
    private static final double START_TOLERANCE_S = 2;
    /** Those of two workers of one server differ by more, and clocks that tell fractions of a second by less. */
    private static final double ONE_START_S = 0.005;
    /** A counter with smaller steps moves from one reading to the next, since a reading itself costs some. */
    private static final long FINE_NS = 1_000_000;
    /** Counters of a JVM that move with its collections. */
    private static final Set<String> ALLOCATED_BY_COLLECTIONS =
            Set.of("jvm_gc_memory_allocated_bytes_total", "jvm_memory_pool_allocated_bytes_total");
    /** With fewer in a block, it matters much whether one more fell into it. */
    private static final int ENOUGH_COLLECTIONS = 10;
    /** A step of the counter that is a larger share of a block is told. */
    private static final double COARSE = 0.01;
    /** One that is a larger share says nothing of the block. */
    private static final double TOO_COARSE = 0.1;
    /** A reading that costs a larger share of a block is told. */
    private static final double DEAR = 0.005;

    private static final String SEVERAL = "its readings are of several processes, such as workers that share a port;"
            + " give the address of one of them, or of an aggregate";

    private final String target;
    private final Endpoint endpoint;
    private final String primary;
    private final List<String> problems = new ArrayList<>();
    private List<String> sources = List.of();
    /** The last one that was had, of this block or an earlier one. */
    private MetricsReading last;
    /** When this block began; null where that is not known, and between blocks. */
    private MetricsReading before;

    private Costs measured = Costs.NONE;
    private long stepNs = 1_000_000_000L;
    private long blocks;
    private long blocksCpuNs;
    private long leastCpuNs = Long.MAX_VALUE;
    private long readings;
    private long readingsCpuNs;
    private long collections;
    /** Whether two readings, one after the other, had the same CPU time although the counter is fine. */
    private boolean isKept;

    /** @param primary the metric by which targets are compared */
    ServerMetrics(String target, Endpoint endpoint, String primary) {
        this.target = target;
        this.endpoint = endpoint;
        this.primary = primary;
    }

    /**
     * Asks for the first time.
     *
     * @throws MetricsException where it tells no CPU time, or not what the primary metric is made of
     */
    void check() throws MetricsException, InterruptedException {
        MetricsReading first = read();
        sources = first.sources();
        boolean lacks = Metric.of(primary)
                .flatMap(Metric::serverCost)
                .filter(cost -> !first.costs().mayHave(cost))
                .isPresent();
        if (lacks) {
            throw new MetricsException("expected metrics of which " + primary + " can be made, found only "
                    + String.join(", ", sources) + "; decide by another metric (--primary)");
        }
        lookForOthers(first);
    }

    /**
     * Later readings come over one connection, behind which there is one process: of several it would tell a part of
     * what they cost, and nothing would show it.
     */
    private void lookForOthers(MetricsReading first) throws MetricsException, InterruptedException {
        MetricsReading earlier = first;
        for (int i = 0; i < LOOKS_FOR_OTHERS; i++) {
            Optional<MetricsReading> next;
            try {
                next = endpoint.readAnew();
            } catch (MetricsException e) {
                // A server that has one connection at a time is no worse for it.
                return;
            }
            if (next.isEmpty()) {
                return;
            }
            if (isOneOfSeveral(earlier, next.get()) || next.get().cpuNs() < earlier.cpuNs()) {
                throw new MetricsException(SEVERAL);
            }
            earlier = next.get();
        }
    }

    /** Begins a block. */
    void begin(int launch) throws InterruptedException {
        measured = Costs.NONE;
        before = null;
        try {
            MetricsReading earlier = last;
            MetricsReading first = read();
            MetricsReading second = read();
            if (earlier != null && isRestarted(earlier, first) || isRestarted(first, second)) {
                // Of what was warm it is cold.
                unknown(launch, "it RESTARTED before the measured load: it is another process from then on");
            } else if (isOneOfSeveral(earlier, first) || isOneOfSeveral(first, second)) {
                unknown(launch, SEVERAL);
            } else {
                readings++;
                readingsCpuNs += second.cpuNs() - first.cpuNs();
                before = second;
                isKept |= second.cpuNs() == first.cpuNs() && stepNs < FINE_NS;
            }
        } catch (MetricsException e) {
            unknown(launch, e.getMessage());
        }
    }

    /** Ends it. */
    void end(int launch) throws InterruptedException {
        MetricsReading begun = before;
        before = null;
        if (begun == null) {
            return;
        }
        try {
            MetricsReading after = read();
            long cpuNs = after.cpuNs() - begun.cpuNs();
            if (isRestarted(begun, after)) {
                unknown(
                        launch,
                        "it RESTARTED, for its CPU time went from " + Quantities.duration(begun.cpuNs()) + " to "
                                + Quantities.duration(after.cpuNs()) + ": it is another process from then on");
            } else if (isOneOfSeveral(begun, after)) {
                unknown(launch, SEVERAL);
            } else if (cpuNs == 0) {
                unknown(
                        launch,
                        "its CPU time stood still at " + Quantities.duration(after.cpuNs())
                                + ", as that of another process, or in an answer that is kept for a while"
                                + (stepNs < FINE_NS
                                        ? ""
                                        : "; or it took less than a step of the counter, " + Quantities.duration(stepNs)
                                                + ": take longer blocks (-z)"));
            } else if (stepNs > TOO_COARSE * cpuNs) {
                unknown(
                        launch,
                        "it took " + Quantities.duration(cpuNs) + " of CPU, by a counter that moves in steps of "
                                + Quantities.duration(stepNs) + "; take longer blocks (-z) or a higher rate (-q)");
            } else {
                measured = after.costs().since(begun.costs()).ofPart();
                collections += measured.get(Cost.GC_CYCLES).orElse(0);
                blocks++;
                blocksCpuNs += cpuNs;
                leastCpuNs = Math.min(leastCpuNs, cpuNs);
            }
        } catch (MetricsException e) {
            unknown(launch, e.getMessage());
        }
    }

    private MetricsReading read() throws MetricsException, InterruptedException {
        last = endpoint.read();
        while (last.cpuNs() % stepNs != 0) {
            stepNs /= 10;
        }
        return last;
    }

    /**
     * Whether two readings are of workers that were started together. Who makes its start of the time of day, as Node's
     * client does, tells whole seconds.
     */
    private static boolean isOneOfSeveral(MetricsReading one, MetricsReading next) {
        if (one == null || one.startedAt().isEmpty() || next.startedAt().isEmpty()) {
            return false;
        }
        double start = one.startedAt().getAsDouble();
        double other = next.startedAt().getAsDouble();
        return Math.abs(start - other) > ONE_START_S && (start % 1 != 0 || other % 1 != 0);
    }

    private static boolean isRestarted(MetricsReading one, MetricsReading next) {
        boolean started = one.startedAt().isPresent()
                && next.startedAt().isPresent()
                && Math.abs(one.startedAt().getAsDouble() - next.startedAt().getAsDouble()) > START_TOLERANCE_S;
        return started || next.cpuNs() < one.cpuNs();
    }

    private void unknown(int launch, String why) {
        problems.add("no cost of block " + launch + ": " + why);
    }

    /** Returns what the last block cost; nothing where that is not known. */
    Costs measured() {
        return measured;
    }

    /** Returns what a reader of these costs must know, a line each. */
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        notes.add(target + ": CPU" + (sources.size() > 1 ? " and memory" : "") + " as its own metrics tell ("
                + String.join(", ", sources) + "), read before and after each block");
        problems.forEach(problem -> notes.add(target + ": " + problem));
        if (blocks > 0 && stepNs > COARSE * leastCpuNs) {
            notes.add(target + ": its CPU counter moves in steps of " + Quantities.duration(stepNs)
                    + ", and a block took but " + Quantities.duration(leastCpuNs) + "; longer blocks (-z) tell more");
        }
        if (isKept) {
            notes.add(target + ": two readings, one after the other, told the same CPU time; if it keeps its answers"
                    + " for a while, what a block cost is off by as much");
        }
        if (blocks > 0
                && collections < ENOUGH_COLLECTIONS * blocks
                && sources.stream().anyMatch(ALLOCATED_BY_COLLECTIONS::contains)) {
            notes.add(
                    target + ": it tells with each collection what it allocated, and there were " + collections + " in "
                            + blocks + (blocks == 1 ? " block" : " blocks") + "; longer blocks (-z) tell more of that");
        }
        double readingNs = readings == 0 ? 0 : (double) readingsCpuNs / readings;
        if (blocks > 0 && readingNs > DEAR * blocksCpuNs / blocks) {
            notes.add(target + ": one reading of its metrics costs it "
                    + String.format(Locale.ROOT, "%.1f ms", readingNs / 1e6)
                    + " of CPU, and one is in the cost of each block, "
                    + Quantities.duration(blocksCpuNs / blocks) + " on average");
        }
        return notes;
    }
}
