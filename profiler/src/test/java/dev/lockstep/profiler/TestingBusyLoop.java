package dev.lockstep.profiler;

/** A program that does nothing but compute in one method of its own. */
public final class TestingBusyLoop {
    private TestingBusyLoop() {}

    /** Spins for so many milliseconds of CPU time of its thread, then exits. */
    public static void main(String[] args) {
        long endNs = threadCpuNs() + Long.parseLong(args[0]) * 1_000_000;
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
