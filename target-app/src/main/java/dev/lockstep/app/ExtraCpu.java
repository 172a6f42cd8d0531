package dev.lockstep.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Burns a known share of user CPU time on top of what the process needs, spread over its requests: a difference that a
 * comparison must find.
 *
 * <p>Definition: with a share of 0.05, the process uses 1.05 times the user CPU time that it would use without, as the
 * kernel counts it, from {@link #start} on and over any span much longer than {@link #SETTLE_INTERVAL_MS}. The share is
 * of everything: event loops, JIT compiler and garbage collector. Without requests nothing is burnt; the next requests
 * make up for it.
 *
 * <p>Algorithm: at every interval {@link #settle} reads the user CPU time of the process and subtracts what was burnt
 * so far, which gives what should have been burnt. It divides the difference by the number of requests expected in the
 * next interval. Each request adds its part to what its event loop owes. When that reaches {@link #QUANTUM_NS} the loop
 * spins for as long and reads from its own CPU clock how much it really burnt, so that neither clock readings (system
 * calls) nor an interrupted spin makes the sum wrong. What {@link #settle} itself uses counts as burnt. Errors do not
 * add up because each interval starts from the totals.
 *
 * <p>Accuracy: the share of the totals is exact to one tick of the kernel's counting (mostly 10 ms).
 *
 * <p>{@link Loop} runs per request on the event loop; {@link #settle} is called by one thread.
 */
final class ExtraCpu {
    static final int SETTLE_INTERVAL_MS = 50;
    static final long QUANTUM_NS = 50_000;

    private static final int STEPS_BETWEEN_LOOKS = 100;

    /** The JDK has no clock for the user time of a process; field 14 of this file counts it in ticks. */
    private static final Path STAT = Path.of("/proc/self/stat");
    /** The kernel shows 100 ticks a second (USER_HZ) on every architecture that this runs on. */
    private static final long TICK_NS = 10_000_000;

    private final double share;
    private final LongSupplier processUserNs;
    private final LongSupplier threadCpuNs;
    private final LongSupplier monotonicNs;
    private final LongAdder requests = new LongAdder();
    private final LongAdder burntNs = new LongAdder();
    /** May still be burnt in this interval. Keeps a sudden rush of requests from burning too much. */
    private final AtomicLong budgetNs = new AtomicLong();

    private long startUserNs;
    private long settledRequests;
    private double expectedRequests = 1;
    private volatile double perRequestNs;

    private ExtraCpu(double share, LongSupplier processUserNs, LongSupplier threadCpuNs, LongSupplier monotonicNs) {
        this.share = share;
        this.processUserNs = processUserNs;
        this.threadCpuNs = threadCpuNs;
        this.monotonicNs = monotonicNs;
    }

    static ExtraCpu ofThisProcess(double share) {
        var threads = ManagementFactory.getThreadMXBean();
        return new ExtraCpu(share, ExtraCpu::userNsOfThisProcess, threads::getCurrentThreadCpuTime, System::nanoTime);
    }

    static ExtraCpu on(double share, LongSupplier processUserNs, LongSupplier threadCpuNs, LongSupplier monotonicNs) {
        return new ExtraCpu(share, processUserNs, threadCpuNs, monotonicNs);
    }

    /** Whether {@link #ofThisProcess} works on this system. */
    static boolean isSupported() {
        return Files.isReadable(STAT) && ManagementFactory.getThreadMXBean().isCurrentThreadCpuTimeSupported();
    }

    /** Starts the account: CPU time used before this is not counted. */
    void start() {
        startUserNs = processUserNs.getAsLong();
    }

    /** Works out what is owed; to be called every {@link #SETTLE_INTERVAL_MS}. */
    void settle() {
        long cpuBefore = threadCpuNs.getAsLong();
        long burnt = burntNs.sum();
        long own = Math.max(0, processUserNs.getAsLong() - startUserNs - burnt);
        long owed = (long) (own * share) - burnt;
        long seen = requests.sum();
        expectedRequests = Math.max(1, (expectedRequests + (seen - settledRequests)) / 2);
        settledRequests = seen;
        budgetNs.set(owed);
        perRequestNs = Math.max(0, owed / expectedRequests);
        // 20 readings a second cost 1 % of a process that uses a third of a core. Half of that is kernel time, taken
        // for
        // user time here because no thread clock separates the two finely enough.
        burntNs.add(threadCpuNs.getAsLong() - cpuBefore);
    }

    long burntNs() {
        return burntNs.sum();
    }

    /** The part of one event loop, used on that loop only. */
    final class Loop {
        private double owedNs;
        /** The result of burning; a field, so that the JIT does not remove the work. */
        private long work;

        /** Burns this request's part, or lets it wait until there is enough to measure. */
        void request() {
            requests.increment();
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

    private static long userNsOfThisProcess() {
        try {
            String stat = Files.readString(STAT, StandardCharsets.ISO_8859_1);
            // The name in field 2 may contain spaces and parentheses; fields are counted from behind it.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[14 - 3]) * TICK_NS;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + STAT, e);
        }
    }
}
