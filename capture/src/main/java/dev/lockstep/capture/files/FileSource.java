package dev.lockstep.capture.files;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/** Reads a file through a window of memory that moves along it. */
public final class FileSource implements BlockSource {
    private static final int WINDOW_BYTES = 1 << 20;

    private final FileChannel channel;
    private ByteBuffer window = empty(WINDOW_BYTES);
    private long start;

    /** Reads an open file, which stays the caller's to close. */
    public FileSource(FileChannel channel) {
        this.channel = channel;
    }

    private static ByteBuffer empty(int capacity) {
        return ByteBuffer.allocateDirect(capacity)
                .order(ByteOrder.LITTLE_ENDIAN)
                .limit(0);
    }

    @Override
    public ByteBuffer bytes(long offset, int length) throws IOException {
        if (offset < start || offset + length > start + window.limit()) {
            fill(offset, length);
        }
        return window;
    }

    private void fill(long offset, int length) throws IOException {
        ByteBuffer filled = window;
        if (length > window.capacity()) {
            filled = empty(Math.max(length, 2 * window.capacity()));
        }
        if (offset >= start && offset < start + window.limit()) {
            window.position((int) (offset - start));
            if (filled == window) {
                window.compact();
            } else {
                filled.clear().put(window);
            }
        } else {
            filled.clear();
        }
        window = filled;
        start = offset;
        while (window.position() < length) {
            if (channel.read(window, start + window.position()) < 0) {
                window.flip();
                throw new EOFException("the file has become shorter while it was read");
            }
        }
        window.flip();
    }

    @Override
    public int position(long offset) {
        return (int) (offset - start);
    }

    @Override
    public long address(long offset) {
        return 0;
    }
}
