package dev.lockstep.measurement;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.immutables.value.Value;

/**
 * What the replayer itself did while it measured: its event loops, its garbage collections, its CPU time. Who reads a
 * latency can see here how much of it can be the replayer's. Immutable; all times are nanoseconds.
 */
@Value.Immutable
@JsonDeserialize(builder = ImmutableSelfReport.Builder.class)
public abstract class SelfReport {
    /** One event loop. Immutable; what the machine does not tell is absent. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableLoop.Builder.class)
    public abstract static class Loop {
        /** @param cpus as a kernel list, or null */
        public static Loop of(
                String cpus,
                long cpuNs,
                long busyNs,
                OptionalLong waitedForCpuNs,
                OptionalLong coreBusyNs,
                OptionalLong coreStolenNs,
                Percentiles stalls) {
            return ImmutableLoop.of(
                    Optional.ofNullable(cpus),
                    cpuNs,
                    busyNs,
                    OptionalDouble.empty(),
                    waitedForCpuNs,
                    coreBusyNs,
                    coreStolenNs,
                    stalls);
        }

        /** The processors it may run on, as a kernel list. */
        public abstract Optional<String> cpus();

        /** CPU time of its thread. */
        public abstract long cpuNs();

        /** How long it had something to send or to read, or waited for its processor; the rest it spent polling. */
        public abstract long busyNs();

        /** {@code busyNs} / {@code measuredNs}. */
        abstract OptionalDouble utilisation();

        /** How long it was ready to run and another thread, or another machine, had its processor. */
        public abstract OptionalLong waitedForCpuNs();

        /** How long its processors ran anything at all. */
        public abstract OptionalLong coreBusyNs();

        /** How long another machine had them. */
        public abstract OptionalLong coreStolenNs();

        /** Turns of the loop without sleep that took 100 us or longer. */
        @JsonProperty(value = "stallsNs", required = true)
        public abstract Percentiles stalls();

        private Loop within(long measuredNs) {
            return measuredNs == 0
                    ? this
                    : ImmutableLoop.builder()
                            .from(this)
                            .utilisation(Math.rint(1e4 * busyNs() / measuredNs) / 1e4)
                            .build();
        }
    }

    /** Its garbage collections. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableGc.Builder.class)
    abstract static class Gc {
        /** How many there were. */
        abstract long count();

        /** How long they took together. */
        abstract long totalNs();

        /** The longest, in whole milliseconds. */
        abstract long longestNs();
    }

    /** A launch of a target in a closed loop whose pace the replayer set and not the target. Immutable. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableBottleneck.Builder.class)
    public abstract static class Bottleneck {
        /** @param utilisation kept in hundredths of a percent */
        public static Bottleneck of(String target, int launch, double utilisation) {
            return ImmutableBottleneck.of(target, launch, Math.rint(1e4 * utilisation) / 1e4);
        }

        /** The target. */
        public abstract String target();

        /** Which launch of it, counted from 1. */
        public abstract int launch();

        /** Share of its measured time, but for the ends of turns, in which its event loop was busy, 0 to 1. */
        public abstract double utilisation();
    }

    private static final String REPLAYER = "replayer";

    /**
     * @param measuredNs how long it was watched, rounds of all targets together
     * @param cpuNs CPU time of the whole JVM
     * @param gcCount how many garbage collections paused it
     * @param gcNs how long they took together
     * @param longestGcNs and the longest of them
     * @param bottlenecks where, in a closed loop, the replayer set the pace and not the target
     */
    public static SelfReport of(
            long measuredNs,
            long cpuNs,
            long gcCount,
            long gcNs,
            long longestGcNs,
            List<Loop> loops,
            List<Bottleneck> bottlenecks) {
        return ImmutableSelfReport.of(
                measuredNs,
                cpuNs,
                ImmutableGc.of(gcCount, gcNs, longestGcNs),
                loops.stream().map(loop -> loop.within(measuredNs)).collect(Collectors.toList()),
                bottlenecks.isEmpty() ? Optional.empty() : Optional.of(REPLAYER),
                bottlenecks,
                List.of());
    }

    /** How long it was watched, rounds of all targets together. */
    public abstract long measuredNs();

    /** CPU time of the whole JVM. */
    public abstract long cpuNs();

    /** The garbage collections of its JVM. */
    abstract Gc gc();

    /** Its event loops. */
    public abstract List<Loop> loops();

    /** {@code replayer} if it set the pace: a loop of a closed loop was busy for 97 % of a launch of a target. */
    @JsonProperty("bottleneck")
    abstract Optional<String> paceSetter();

    /** Those launches; absent for none, and in results of version 0.1.0. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<Bottleneck> bottlenecks();

    /** Launches in which it set the pace at full load, but for its rests; absent for none. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<Bottleneck> fullLoadBottlenecks();

    /** Returns this report with launches in which the replayer set the pace at full load. */
    public SelfReport withFullLoadBottlenecks(List<Bottleneck> found) {
        return ImmutableSelfReport.builder()
                .from(this)
                .fullLoadBottlenecks(found)
                .build();
    }

    public long gcCount() {
        return gc().count();
    }

    public long longestGcNs() {
        return gc().longestNs();
    }

    /** Says whether the replayer set the pace of a closed loop, so that rates and times are not the targets'. */
    public boolean bottleneck() {
        return paceSetter().filter(REPLAYER::equals).isPresent();
    }

    /** Returns the share of the time in which the busiest loop was busy, 0 to 1. */
    public double utilisation() {
        long busiest = loops().stream().mapToLong(Loop::busyNs).max().orElse(0);
        return measuredNs() == 0 ? 0 : Math.min(1, (double) busiest / measuredNs());
    }

    /** Returns the longest stall of any loop, 0 where there was none. */
    public long longestStallNs() {
        return loops().stream()
                .map(Loop::stalls)
                .filter(stalls -> stalls.count() > 0)
                .mapToLong(Percentiles::max)
                .max()
                .orElse(0);
    }
}
