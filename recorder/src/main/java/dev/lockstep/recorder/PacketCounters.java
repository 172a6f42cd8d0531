package dev.lockstep.recorder;

import java.util.concurrent.atomic.LongAdder;

/** What befell a packet reader; it writes, any thread reads. {@link RecordingStatus} defines each figure. */
final class PacketCounters {
    final LongAdder packets = new LongAdder();
    final LongAdder kernelDrops = new LongAdder();
    volatile String interfaceProblem;
    /** Why the reader ended by itself, one line, or null. */
    volatile String failure;
}
