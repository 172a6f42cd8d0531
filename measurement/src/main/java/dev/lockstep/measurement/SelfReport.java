package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the replayer itself did while it measured: its event loops, its garbage collections, its CPU time. Who reads a
 * latency can see here how much of it can be the replayer's. Immutable; all times are nanoseconds.
 */
public final class SelfReport {
    /** One event loop. Immutable; what the machine does not tell is absent. */
    public static final class Loop {
        private final String cpus;
        private final long cpuNs;
        private final long busyNs;
        private final OptionalLong waitedForCpuNs;
        private final OptionalLong coreBusyNs;
        private final OptionalLong coreStolenNs;
        private final Percentiles stalls;

        /**
         * @param cpus the processors it may run on, as a kernel list, or null
         * @param cpuNs CPU time of its thread
         * @param busyNs the part of it in which there was something to send or to read, and the time in which it waited for
         *     its processor; the rest was spent polling
         * @param waitedForCpuNs how long it was ready to run and another thread, or another machine, had its processor
         * @param coreBusyNs how long its processors ran anything at all
         * @param coreStolenNs how long another machine had them
         * @param stalls from one turn of the loop to the next, where it did not sleep between and it took longer than usual
         */
        public Loop(
                String cpus,
                long cpuNs,
                long busyNs,
                OptionalLong waitedForCpuNs,
                OptionalLong coreBusyNs,
                OptionalLong coreStolenNs,
                Percentiles stalls) {
            this.cpus = cpus;
            this.cpuNs = cpuNs;
            this.busyNs = busyNs;
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

        private ObjectNode toJson(long measuredNs) {
            ObjectNode json = JsonFields.object();
            JsonFields.put(json, "cpus", cpus);
            json.put("cpuNs", cpuNs);
            json.put("busyNs", busyNs);
            if (measuredNs > 0) {
                json.put("utilisation", Math.rint(1e4 * busyNs / measuredNs) / 1e4);
            }
            JsonFields.put(json, "waitedForCpuNs", waitedForCpuNs);
            JsonFields.put(json, "coreBusyNs", coreBusyNs);
            JsonFields.put(json, "coreStolenNs", coreStolenNs);
            json.set("stallsNs", stalls.toJson());
            return json;
        }

        private static Loop fromJson(JsonFields json) {
            return new Loop(
                    json.textOrNull("cpus"),
                    json.number("cpuNs"),
                    json.number("busyNs"),
                    json.numberOrAbsent("waitedForCpuNs"),
                    json.numberOrAbsent("coreBusyNs"),
                    json.numberOrAbsent("coreStolenNs"),
                    Percentiles.fromJson(json.object("stallsNs")));
        }
    }

    private static final String REPLAYER = "replayer";

    private final long measuredNs;
    private final long cpuNs;
    private final long gcCount;
    private final long gcNs;
    private final long longestGcNs;
    private final List<Loop> loops;
    private final boolean bottleneck;

    /**
     * @param measuredNs how long it was watched, rounds of all targets together
     * @param cpuNs CPU time of the whole JVM
     * @param gcCount how many garbage collections paused it
     * @param gcNs how long they took together
     * @param longestGcNs and the longest of them
     * @param bottleneck whether, in a closed loop, the replayer set the pace and not the targets
     */
    public SelfReport(
            long measuredNs,
            long cpuNs,
            long gcCount,
            long gcNs,
            long longestGcNs,
            List<Loop> loops,
            boolean bottleneck) {
        this.measuredNs = measuredNs;
        this.cpuNs = cpuNs;
        this.gcCount = gcCount;
        this.gcNs = gcNs;
        this.longestGcNs = longestGcNs;
        this.loops = List.copyOf(loops);
        this.bottleneck = bottleneck;
    }

    public long measuredNs() {
        return measuredNs;
    }

    public long cpuNs() {
        return cpuNs;
    }

    public long gcCount() {
        return gcCount;
    }

    public long gcNs() {
        return gcNs;
    }

    public long longestGcNs() {
        return longestGcNs;
    }

    public List<Loop> loops() {
        return loops;
    }

    /** Says whether the replayer set the pace of a closed loop, so that rates and times are not the targets'. */
    public boolean bottleneck() {
        return bottleneck;
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

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("measuredNs", measuredNs);
        json.put("cpuNs", cpuNs);
        ObjectNode gc = json.putObject("gc");
        gc.put("count", gcCount);
        gc.put("totalNs", gcNs);
        gc.put("longestNs", longestGcNs);
        var array = json.putArray("loops");
        loops.forEach(loop -> array.add(loop.toJson(measuredNs)));
        if (bottleneck) {
            json.put("bottleneck", REPLAYER);
        }
        return json;
    }

    static SelfReport fromJson(JsonFields json) {
        JsonFields gc = json.object("gc");
        List<Loop> loops = new ArrayList<>();
        json.objects("loops").forEach(loop -> loops.add(Loop.fromJson(loop)));
        return new SelfReport(
                json.number("measuredNs"),
                json.number("cpuNs"),
                gc.number("count"),
                gc.number("totalNs"),
                gc.number("longestNs"),
                loops,
                REPLAYER.equals(json.textOrNull("bottleneck")));
    }
}
