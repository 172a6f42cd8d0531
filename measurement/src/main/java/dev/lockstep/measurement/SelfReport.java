package dev.lockstep.measurement;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * What the replayer itself did while it measured: its event loops, its garbage collections, its CPU time. Who reads a
 * latency can see here how much of it can be the replayer's. Immutable; all times are nanoseconds.
 */
public final class SelfReport {
    /** One event loop. Immutable; what the machine does not tell is absent. */
    public static final class Loop {
        /** The processors it may run on, as a kernel list. */
        @JsonProperty
        @JsonInclude(Include.NON_NULL)
        private final String cpus;

        @JsonProperty
        private final long cpuNs;

        /** How long it had something to send or to read, or waited for its processor; the rest it spent polling. */
        @JsonProperty
        private final long busyNs;

        /** {@code busyNs} / {@code measuredNs}. */
        @JsonProperty
        private final OptionalDouble utilisation;

        @JsonProperty
        private final OptionalLong waitedForCpuNs;

        @JsonProperty
        private final OptionalLong coreBusyNs;

        @JsonProperty
        private final OptionalLong coreStolenNs;

        /** Turns of the loop without sleep that took 100 us or longer. */
        @JsonProperty("stallsNs")
        private final Percentiles stalls;

        /**
         * @param cpus the processors it may run on, as a kernel list, or null
         * @param cpuNs CPU time of its thread
         * @param busyNs the part of it in which there was something to send or to read, and the time in which it waited
         *     for its processor; the rest was spent polling
         * @param waitedForCpuNs how long it was ready to run and another thread, or another machine, had its processor
         * @param coreBusyNs how long its processors ran anything at all
         * @param coreStolenNs how long another machine had them
         * @param stalls from one turn of the loop to the next, where it did not sleep between and it took longer than
         *     usual
         */
        @JsonCreator
        public Loop(
                @JsonProperty("cpus") String cpus,
                @JsonProperty(value = "cpuNs", required = true) long cpuNs,
                @JsonProperty(value = "busyNs", required = true) long busyNs,
                @JsonProperty("waitedForCpuNs") OptionalLong waitedForCpuNs,
                @JsonProperty("coreBusyNs") OptionalLong coreBusyNs,
                @JsonProperty("coreStolenNs") OptionalLong coreStolenNs,
                @JsonProperty(value = "stallsNs", required = true) Percentiles stalls) {
            this(cpus, cpuNs, busyNs, OptionalDouble.empty(), waitedForCpuNs, coreBusyNs, coreStolenNs, stalls);
        }

        private Loop(
                String cpus,
                long cpuNs,
                long busyNs,
                OptionalDouble utilisation,
                OptionalLong waitedForCpuNs,
                OptionalLong coreBusyNs,
                OptionalLong coreStolenNs,
                Percentiles stalls) {
            this.cpus = cpus;
            this.cpuNs = cpuNs;
            this.busyNs = busyNs;
            this.utilisation = utilisation;
            this.waitedForCpuNs = waitedForCpuNs;
            this.coreBusyNs = coreBusyNs;
            this.coreStolenNs = coreStolenNs;
            this.stalls = stalls;
        }

        public Optional<String> cpus() {
            return Optional.ofNullable(cpus);
        }

        public long cpuNs() {
            return cpuNs;
        }

        public long busyNs() {
            return busyNs;
        }

        public OptionalLong waitedForCpuNs() {
            return waitedForCpuNs;
        }

        public OptionalLong coreBusyNs() {
            return coreBusyNs;
        }

        public OptionalLong coreStolenNs() {
            return coreStolenNs;
        }

        public Percentiles stalls() {
            return stalls;
        }

        private Loop within(long measuredNs) {
            return new Loop(
                    cpus,
                    cpuNs,
                    busyNs,
                    measuredNs == 0
                            ? OptionalDouble.empty()
                            : OptionalDouble.of(Math.rint(1e4 * busyNs / measuredNs) / 1e4),
                    waitedForCpuNs,
                    coreBusyNs,
                    coreStolenNs,
                    stalls);
        }

        private List<Object> fields() {
            return Arrays.asList(cpus, cpuNs, busyNs, waitedForCpuNs, coreBusyNs, coreStolenNs, stalls);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Loop && fields().equals(((Loop) other).fields());
        }

        @Override
        public int hashCode() {
            return fields().hashCode();
        }

        @Override
        public String toString() {
            return fields().toString();
        }
    }

    /** Its garbage collections. */
    private static final class Collections {
        /** How many there were. */
        @JsonProperty
        private final long count;

        /** How long they took together. */
        @JsonProperty
        private final long totalNs;

        /** The longest, in whole milliseconds. */
        @JsonProperty
        private final long longestNs;

        @JsonCreator
        Collections(
                @JsonProperty(value = "count", required = true) long count,
                @JsonProperty(value = "totalNs", required = true) long totalNs,
                @JsonProperty(value = "longestNs", required = true) long longestNs) {
            this.count = count;
            this.totalNs = totalNs;
            this.longestNs = longestNs;
        }
    }

    /** A launch of a target in a closed loop whose pace the replayer set and not the target. Immutable. */
    public static final class Bottleneck {
        /** The target. */
        @JsonProperty
        private final String target;

        /** Which launch of it, counted from 1. */
        @JsonProperty
        private final int launch;

        /** Share of its measured time in which its event loop was busy, 0 to 1. */
        @JsonProperty
        private final double utilisation;

        @JsonCreator
        private Bottleneck(
                @JsonProperty(value = "target", required = true) String target,
                @JsonProperty(value = "launch", required = true) int launch,
                @JsonProperty(value = "utilisation", required = true) double utilisation) {
            this.target = target;
            this.launch = launch;
            this.utilisation = utilisation;
        }

        /** @param utilisation kept in hundredths of a percent */
        public static Bottleneck of(String target, int launch, double utilisation) {
            return new Bottleneck(target, launch, Math.rint(1e4 * utilisation) / 1e4);
        }

        public String target() {
            return target;
        }

        public int launch() {
            return launch;
        }

        public double utilisation() {
            return utilisation;
        }

        private List<Object> fields() {
            return List.of(target, launch, utilisation);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Bottleneck && fields().equals(((Bottleneck) other).fields());
        }

        @Override
        public int hashCode() {
            return fields().hashCode();
        }

        @Override
        public String toString() {
            return fields().toString();
        }
    }

    private static final String REPLAYER = "replayer";

    @JsonProperty
    private final long measuredNs;

    @JsonProperty
    private final long cpuNs;

    /** The garbage collections of its JVM. */
    @JsonProperty
    private final Collections gc;

    /** Its event loops. */
    @JsonProperty
    private final List<Loop> loops;

    /** {@code replayer} if it set the pace: a loop of a closed loop was busy for 97 % of a launch of a target. */
    @JsonProperty
    @JsonInclude(Include.NON_NULL)
    private final String bottleneck;

    /** Those launches; absent for none, and in results of version 0.1.0. */
    @JsonProperty
    @JsonInclude(Include.NON_EMPTY)
    private final List<Bottleneck> bottlenecks;

    /**
     * @param measuredNs how long it was watched, rounds of all targets together
     * @param cpuNs CPU time of the whole JVM
     * @param gcCount how many garbage collections paused it
     * @param gcNs how long they took together
     * @param longestGcNs and the longest of them
     * @param bottlenecks where, in a closed loop, the replayer set the pace and not the target
     */
    public SelfReport(
            long measuredNs,
            long cpuNs,
            long gcCount,
            long gcNs,
            long longestGcNs,
            List<Loop> loops,
            List<Bottleneck> bottlenecks) {
        this(
                measuredNs,
                cpuNs,
                new Collections(gcCount, gcNs, longestGcNs),
                loops,
                bottlenecks.isEmpty() ? null : REPLAYER,
                bottlenecks);
    }

    @JsonCreator
    private SelfReport(
            @JsonProperty(value = "measuredNs", required = true) long measuredNs,
            @JsonProperty(value = "cpuNs", required = true) long cpuNs,
            @JsonProperty(value = "gc", required = true) Collections gc,
            @JsonProperty("loops") List<Loop> loops,
            @JsonProperty("bottleneck") String bottleneck,
            @JsonProperty("bottlenecks") List<Bottleneck> bottlenecks) {
        this.measuredNs = measuredNs;
        this.cpuNs = cpuNs;
        this.gc = gc;
        this.loops = loops == null
                ? List.of()
                : loops.stream().map(loop -> loop.within(measuredNs)).collect(Collectors.toList());
        this.bottleneck = bottleneck;
        this.bottlenecks = bottlenecks == null ? List.of() : List.copyOf(bottlenecks);
    }

    public long measuredNs() {
        return measuredNs;
    }

    public long cpuNs() {
        return cpuNs;
    }

    public long gcCount() {
        return gc.count;
    }

    public long gcNs() {
        return gc.totalNs;
    }

    public long longestGcNs() {
        return gc.longestNs;
    }

    public List<Loop> loops() {
        return loops;
    }

    /** Says whether the replayer set the pace of a closed loop, so that rates and times are not the targets'. */
    public boolean bottleneck() {
        return REPLAYER.equals(bottleneck);
    }

    /** Returns which launches of which targets; none in results of version 0.1.0, which did not tell them apart. */
    public List<Bottleneck> bottlenecks() {
        return bottlenecks;
    }

    /** Returns the share of the time in which the busiest loop was busy, 0 to 1. */
    public double utilisation() {
        long busiest = loops.stream().mapToLong(Loop::busyNs).max().orElse(0);
        return measuredNs == 0 ? 0 : Math.min(1, (double) busiest / measuredNs);
    }

    /** Returns the longest stall of any loop, 0 where there was none. */
    public long longestStallNs() {
        return loops.stream()
                .map(Loop::stalls)
                .filter(stalls -> stalls.count() > 0)
                .mapToLong(Percentiles::max)
                .max()
                .orElse(0);
    }

    private List<Object> fields() {
        return Arrays.asList(measuredNs, cpuNs, gc.count, gc.totalNs, gc.longestNs, loops, bottleneck, bottlenecks);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SelfReport && fields().equals(((SelfReport) other).fields());
    }

    @Override
    public int hashCode() {
        return fields().hashCode();
    }

    @Override
    public String toString() {
        return fields().toString();
    }
}
