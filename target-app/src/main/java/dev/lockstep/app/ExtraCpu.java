package dev.lockstep.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Burns a known share of CPU time on top of what the process needs, spread over its requests: a difference that a
 * comparison must find.
 *
 * <p>Definition: with a share of 0.05, the process uses 1.05 times the CPU time, user and system, that it would use
 * without, as the kernel counts it, from {@link #start} on and over any span much longer than a settlement. The share
 * is of everything: event loops, JIT compiler and garbage collector. Without requests nothing is burnt; the next
 * requests make up for it.
 *
 * <p>Algorithm: from time to time {@link #settle} reads the CPU time of the process and subtracts what was burnt so
 * far, which gives what should have been burnt. It divides the difference by the number of requests expected until the
 * next time. Each request adds its part to what its event loop owes. When that reaches {@link #QUANTUM_NS} the loop
 * spins for as long and reads from its own CPU clock how much it really burnt, so that neither clock readings (system
 * calls) nor an interrupted spin makes the sum wrong. What {@link #settle} itself uses counts as burnt. Errors do not
 * add up because each interval starts from the totals.
 *
 * <p>It settles after {@link #REQUESTS_TO_SETTLE} requests of a loop, and {@link #SETTLE_INTERVAL_NS} at least after
 * the last time: a timer that woke the process 20 times a second took a fifth of the CPU of 300 requests a second.
 *
 * <p>Accuracy: the share of the totals is exact to one tick of the kernel's counting (mostly 10 ms).
 *
 * <p>{@link Loop} runs per request on the event loop; one of them settles at a time.
 */
final class ExtraCpu {
    private static final long SETTLE_INTERVAL_NS = 50_000_000;
    private static final int REQUESTS_TO_SETTLE = 256;
    static final long QUANTUM_NS = 50_000;

    private static final int STEPS_BETWEEN_LOOKS = 100;

    /** Fields 14 and 15 of this file count user and system time in ticks; their sum is exact to one. */
    private static final Path STAT = Path.of("/proc/self/stat");
    /** The kernel shows 100 ticks a second (USER_HZ) on every architecture that this runs on. */
    private static final long TICK_NS = 10_000_000;

    private final double share;
    private final LongSupplier processCpuNs;
    private final LongSupplier threadCpuNs;
    private final LongSupplier monotonicNs;
    private final LongAdder requests = new LongAdder();
    private final LongAdder burntNs = new LongAdder();
    /** May still be burnt in this interval. Keeps a sudden rush of requests from burning too much. */
    private final AtomicLong budgetNs = new AtomicLong();

    private final AtomicBoolean settling = new AtomicBoolean();
    /** Never, before the start. */
    private volatile long settledAtNs = Long.MAX_VALUE;

    private long startCpuNs;
    private long settledRequests;
    private double expectedRequests = 1;
    private volatile double perRequestNs;

    ExtraCpu(double share, LongSupplier processCpuNs, LongSupplier threadCpuNs, LongSupplier monotonicNs) {
        this.share = share;
        this.processCpuNs = processCpuNs;
        this.threadCpuNs = threadCpuNs;
        this.monotonicNs = monotonicNs;
    }

    static ExtraCpu ofThisProcess(double share) {
        var threads = ManagementFactory.getThreadMXBean();
        return new ExtraCpu(share, ExtraCpu::cpuNsOfThisProcess, threads::getCurrentThreadCpuTime, System::nanoTime);
    }

    /** Whether {@link #ofThisProcess} works on this system. */
    static boolean isSupported() {
        return Files.isReadable(STAT) && ManagementFactory.getThreadMXBean().isCurrentThreadCpuTimeSupported();
    }

    /** Starts the account: CPU time used before this is not counted. */
    void start() {
        long nowNs = monotonicNs.getAsLong();
        startCpuNs = processCpuNs.getAsLong();
        settledAtNs = nowNs;
    }

    private void settleWhenDue() {
        if (monotonicNs.getAsLong() - settledAtNs >= SETTLE_INTERVAL_NS && settling.compareAndSet(false, true)) {
            settle();
            settledAtNs = monotonicNs.getAsLong();
            settling.set(false);
        }
    }

    /** Works out what is owed. Used by one thread at a time. */
    void settle() {
        long cpuBefore = threadCpuNs.getAsLong();
        long burnt = burntNs.sum();
        long own = Math.max(0, processCpuNs.getAsLong() - startCpuNs - burnt);
        long owed = (long) (own * share) - burnt;
        long seen = requests.sum();
        expectedRequests = Math.max(1, (expectedRequests + (seen - settledRequests)) / 2);
        settledRequests = seen;
        budgetNs.set(owed);
        perRequestNs = Math.max(0, owed / expectedRequests);
        burntNs.add(threadCpuNs.getAsLong() - cpuBefore);
    }

    long burntNs() {
        return burntNs.sum();
    }

    /** The part of one event loop, used on that loop only. */
    final class Loop {
        private double owedNs;
        private int unsettled;
        /** The result of burning; a field, so that the JIT does not remove the work. */
        private long work;

        /** Burns this request's part, or lets it wait until there is enough to measure. */
        void request() {
            requests.increment();
            if (++unsettled == REQUESTS_TO_SETTLE) {
                unsettled = 0;
                settleWhenDue();
            }
            owedNs += perRequestNs;
            if (owedNs >= QUANTUM_NS) {
                burn();
            }
        }

        private void burn() {
            long spinNs = (long) Math.min(owedNs, budgetNs.get());
            owedNs = 0;
            if (spinNs <= 0) {
                return;
            }
            long cpuBefore = threadCpuNs.getAsLong();
            long start = monotonicNs.getAsLong();
            do {
                // Not Thread.onSpinWait(): a hypervisor takes a loop of pauses for waiting and gives the core away.
                for (int i = 0; i < STEPS_BETWEEN_LOOKS; i++) {
                    work = PreloadedUsers.mix(work);
                }
            } while (monotonicNs.getAsLong() - start < spinNs);
            long spent = threadCpuNs.getAsLong() - cpuBefore;
            burntNs.add(spent);
            budgetNs.addAndGet(-spent);
        }
    }

    private static long cpuNsOfThisProcess() {
        try {
            String stat = Files.readString(STAT, StandardCharsets.ISO_8859_1);
            // The name in field 2 may contain spaces and parentheses; fields are counted from behind it.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[14 - 3]) + Long.parseLong(fields[15 - 3])) * TICK_NS;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + STAT, e);
        }
    }
}
