package dev.lockstep.fuzzing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Watches what a parser allocates on the heap: an input of a few bytes must not cost megabytes. */
final class Allocation {
    /** What any parser may take whatever the input: its own buffers, tables and messages. */
    private static final long FIXED_BYTES = 24L << 20;

    /** What it may take per byte of the input, text of a message about it among that. */
    private static final long BYTES_PER_BYTE = 4096;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    static void check(FuzzTargets.Parser parser, byte[] input) throws Exception {
        long limit = FIXED_BYTES + BYTES_PER_BYTE * input.length;
        if (measure(parser, input) > limit) {
            // The first time may have loaded classes, which a fuzzer instruments on this thread.
            long bytes = measure(parser, input);
            if (bytes > limit) {
                throw new AssertionError("allocated " + bytes + " bytes for an input of " + input.length);
            }
        }
    }

    private static long measure(FuzzTargets.Parser parser, byte[] input) throws Exception {
        long thread = Thread.currentThread().getId();
        long before = THREADS.getThreadAllocatedBytes(thread);
        parser.parse(input);
        return THREADS.getThreadAllocatedBytes(thread) - before;
    }
}
