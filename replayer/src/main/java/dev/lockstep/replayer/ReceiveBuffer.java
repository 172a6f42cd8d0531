package dev.lockstep.replayer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * The one buffer into which all connections of a worker read in turn, since each reads to the end of what came before the
 * next does. Runs per read on the event loop; released by the worker.
 *
 * <p>Design note: against Netty's pool, which gives and takes a buffer per read: benchmarks/closed_loop.py. A handler that
 * keeps what it was given, such as one that decrypts, keeps this buffer; reads get one of the pool meanwhile.
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
