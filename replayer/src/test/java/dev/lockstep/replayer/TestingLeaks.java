package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects what Netty's leak detector, set to paranoid for all tests, reports while this is open. */
final class TestingLeaks extends Handler {
    private final Logger logger = Logger.getLogger(ResourceLeakDetector.class.getName());
    private final List<String> reports = new CopyOnWriteArrayList<>();

    TestingLeaks() {
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        reports.add(record.getMessage());
    }

    @Override
    public void flush() {}

    /** Fails if a buffer was lost. */
    @Override
    public void close() {
        // A leak is found when a lost buffer's object was collected and another buffer is then made.
        for (int i = 0; i < 3; i++) {
            System.gc();
            for (ByteBufAllocator allocator : List.of(PooledByteBufAllocator.DEFAULT, ByteBufAllocator.DEFAULT)) {
                allocator.directBuffer(16).release();
                allocator.heapBuffer(16).release();
            }
        }
        logger.removeHandler(this);
        assertEquals(List.of(), reports);
    }
}
