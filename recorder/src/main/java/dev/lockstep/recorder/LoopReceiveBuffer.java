package dev.lockstep.recorder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * The memory into which an event loop reads. All its connections share it, because almost all that is read is passed on
 * before the next read. A reader may retain it; the loop takes other memory meanwhile. Used by the loop's thread, and
 * closed when that has ended.
 */
final class LoopReceiveBuffer extends DefaultMaxMessagesRecvByteBufAllocator implements AutoCloseable {
    private static final int BYTES = 64 << 10;

    private final ByteBuf buffer = new UnpooledByteBufAllocator(true, true).directBuffer(BYTES, BYTES);

    @Override
    @SuppressWarnings("deprecation") // The interface names its deprecated type.
    public RecvByteBufAllocator.Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public int guess() {
                return BYTES;
            }

            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                return buffer.refCnt() == 1 ? buffer.clear().retain() : allocator.directBuffer(BYTES, BYTES);
            }
        };
    }

    @Override
    public void close() {
        buffer.release();
    }
}
