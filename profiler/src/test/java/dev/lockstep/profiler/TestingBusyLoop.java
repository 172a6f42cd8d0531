package dev.lockstep.profiler;

/** A program that does nothing but compute in one method of its own. */
public final class TestingBusyLoop {
    /** More frames than a JVM's own recorder keeps by default. */
    private static final int FRAMES = 100;

    private TestingBusyLoop() {}

    /** Spins for so many milliseconds of CPU time of its thread, then exits. */
    public static void main(String[] args) {
        descend(FRAMES, Long.parseLong(args[0]) * 1_000_000);
    }

    private static void descend(int frames, long cpuNs) {
        if (frames > 0) {
            descend(frames - 1, cpuNs);
        } else {
            compute(cpuNs);
        }
    }

    private static void compute(long cpuNs) {
        long endNs = threadCpuNs() + cpuNs;
        long sum = 0;
        while (threadCpuNs() < endNs) {
            sum += spin(sum);
        }
        System.out.println(sum);
    }

    static long spin(long seed) {
        long x = seed | 1;
        for (int i = 0; i < 1_000_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long threadCpuNs() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
