package dev.lockstep.replayer.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * The one buffer that all connections of a worker read into in turn: each reads all that came before the next one
 * reads. Runs per read on the event loop; released by the worker.
 *
 * <p>Design note: Netty's pool, which gives and takes a buffer per read, is slower: benchmarks/closed_loop.py. While a
 * handler keeps this buffer, such as one that decrypts, reads get one of the pool.
 */
final class ReceiveBuffer extends DefaultMaxMessagesRecvByteBufAllocator {
    private static final int BYTES = 64 * 1024;

    private ByteBuf shared;
    private boolean released;

    private final class SharedHandle extends MaxMessageHandle {
        @Override
        public int guess() {
            return BYTES;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return receiveInto(allocator);
        }
    }

    @Override
    @SuppressWarnings("deprecation") // the interface has no other method that makes one
    public Handle newHandle() {
        return new SharedHandle();
    }

    private ByteBuf receiveInto(ByteBufAllocator allocator) {
        if (shared == null && !released) {
            shared = Unpooled.directBuffer(BYTES, BYTES);
        }
        if (released || shared.refCnt() != 1) {
            return allocator.directBuffer(BYTES, BYTES);
        }
        return shared.clear().retain();
    }

    /** Gives the memory back; later reads get buffers of the pool. */
    void release() {
        if (shared != null && !released) {
            shared.release();
        }
        released = true;
    }
}
