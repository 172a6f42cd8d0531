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
 * Makes this process use a known share more user CPU time than it needs, spread over its requests. A comparison can
 * then be asked whether it finds a difference that is known to be there.
 *
 * <p>Definition: with a share of 0.05, the user CPU time of the process, as the kernel counts it, is 1.05 times what
 * it would be without; from the time of {@link #start} on, and over any span that is long against
 * {@link #SETTLE_INTERVAL_MS}. It is a share of everything: event loops, JIT compiler and garbage collector. Nothing is
 * burnt while there are no requests; what is then owed comes with the next ones.
 *
 * <p>How: every interval {@link #settle} reads the user CPU time of the process, takes off what was burnt so far, and
 * so knows what should have been burnt. The difference is divided by the number of requests expected in the next
 * interval. A request adds its part to what its event loop owes, and when that reaches {@link #QUANTUM_NS} the loop
 * spins for as long and reads from its own CPU clock how much that really was, so that neither the reading of clocks
 * (system calls) nor an interrupted spin makes the sum wrong. What {@link #settle} itself uses counts as burnt. Errors do
 * not add up because each interval starts from the totals.
 *
 * <p>Accuracy: the share of the totals is exact to the kernel's counting, whose step is one tick (mostly 10 ms).
 *
 * <p>{@link Loop} runs per request on the event loop; {@link #settle} is called by one thread.
 */
final class ExtraCpu {
    static final int SETTLE_INTERVAL_MS = 50;
    static final long QUANTUM_NS = 50_000;

    private static final int STEPS_BETWEEN_LOOKS = 100;

    /** No clock of its own kind is in the JDK for the user time of a process; field 14 counts it in ticks. */
    private static final Path STAT = Path.of("/proc/self/stat");
    /** USER_HZ: what the kernel shows ticks in, 100 on every architecture that this runs on. */
    private static final long TICK_NS = 10_000_000;

    private final double share;
    private final LongSupplier processUserNs;
    private final LongSupplier threadCpuNs;
    private final LongSupplier monotonicNs;
    private final LongAdder requests = new LongAdder();
    private final LongAdder burntNs = new LongAdder();
    /** What may still be burnt in this interval; keeps a sudden rush of requests from burning too much. */
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

    /** Makes one that reads the clocks of this process. */
    static ExtraCpu ofThisProcess(double share) {
        var threads = ManagementFactory.getThreadMXBean();
        return new ExtraCpu(share, ExtraCpu::userNsOfThisProcess, threads::getCurrentThreadCpuTime, System::nanoTime);
    }

    /** Makes one on given clocks. */
    static ExtraCpu on(double share, LongSupplier processUserNs, LongSupplier threadCpuNs, LongSupplier monotonicNs) {
        return new ExtraCpu(share, processUserNs, threadCpuNs, monotonicNs);
    }

    /** Tells whether {@link #ofThisProcess} can work here. */
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
        // Of a process that uses a third of a core, 20 readings a second are a percent. What of it the kernel uses is
        // taken
        // for user time, as no clock of threads tells it apart finely enough: an error of half a percent of such a
        // process.
        burntNs.add(threadCpuNs.getAsLong() - cpuBefore);
    }

    /** Returns the CPU time burnt so far, in nanoseconds. */
    long burntNs() {
        return burntNs.sum();
    }

    /** The part of one event loop, used on that loop only. */
    final class Loop {
        private double owedNs;
        /** What is worked out while burning; a field, so that the work is not optimised away. */
        private long work;

        /** Burns this request's part, or lets it wait until there is enough to be worth measuring. */
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
