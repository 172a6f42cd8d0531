package dev.lockstep.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * The one buffer that all connections of an event loop read into in turn: each passes on almost all that came before
 * the next one reads. Runs per read on the event loop; released by the loop's owner, on the loop or when that has
 * ended.
 *
 * <p>Design note: Netty's pool, which gives and takes a buffer per read, is slower: benchmarks/closed_loop.py. While a
 * handler keeps this buffer, such as one that decrypts, reads get one of the pool.
 */
public final class ReceiveBuffer extends DefaultMaxMessagesRecvByteBufAllocator {
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
    @SuppressWarnings("deprecation") // The interface names its deprecated type.
    public RecvByteBufAllocator.Handle newHandle() {
        return new SharedHandle();
    }

    private ByteBuf receiveInto(ByteBufAllocator allocator) {
        if (shared == null && !released) {
            shared = new UnpooledByteBufAllocator(true, true).directBuffer(BYTES, BYTES);
        }
        if (released || shared.refCnt() != 1) {
            return allocator.directBuffer(BYTES, BYTES);
        }
        return shared.clear().retain();
    }

    /** Gives the memory back; later reads get buffers of the pool. */
    public void release() {
        if (shared != null && !released) {
            shared.release();
        }
        released = true;
    }
}
