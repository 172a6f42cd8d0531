package dev.lockstep.capture;

import dev.lockstep.capture.files.CaptureOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/** A capture file in memory that stalls or fails when a test says so. */
final class TestingOutput implements CaptureOutput {
    private byte[] bytes = new byte[1 << 16];
    private int length;
    private long capacity = Long.MAX_VALUE;
    private String failure = "No space left on device";
    private boolean forceFails;
    private boolean closed;
    private CountDownLatch stall = new CountDownLatch(0);
    private CountDownLatch stalled = new CountDownLatch(1);

    /** Lets writes succeed up to a length of the file, and then fail after a part, as a full disk does. */
    synchronized TestingOutput failBeyond(long capacity, String failure) {
        this.capacity = capacity;
        this.failure = failure;
        return this;
    }

    synchronized void failForce() {
        forceFails = true;
    }

    /** Lets the next writes wait. */
    synchronized void stall() {
        stall = new CountDownLatch(1);
        stalled = new CountDownLatch(1);
    }

    /** Waits until a write waits. */
    void awaitStalled() throws InterruptedException {
        CountDownLatch reached;
        synchronized (this) {
            reached = stalled;
        }
        reached.await();
    }

    synchronized void goOn() {
        stall.countDown();
    }

    synchronized byte[] contents() {
        return Arrays.copyOf(bytes, length);
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        CountDownLatch wait;
        synchronized (this) {
            wait = stall;
            if (wait.getCount() > 0) {
                stalled.countDown();
            }
        }
        try {
            wait.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        synchronized (this) {
            int room = (int) Math.min(source.remaining(), Math.max(0, capacity - position));
            int end = (int) position + room;
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
            }
            source.get(bytes, (int) position, room);
            length = Math.max(length, end);
            if (source.hasRemaining()) {
                throw new IOException(failure);
            }
        }
    }

    @Override
    public synchronized void truncate(long newLength) {
        length = (int) Math.min(length, newLength);
    }

    @Override
    public synchronized void force() throws IOException {
        if (forceFails) {
            throw new IOException("Input/output error");
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
