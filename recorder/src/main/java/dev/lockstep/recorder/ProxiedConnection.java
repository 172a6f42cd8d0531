package dev.lockstep.recorder;

import dev.lockstep.capture.CloseReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;

/**
 * A client's connection and the connection to the upstream that goes with it. Both run on one event loop, so nothing
 * here is shared between threads. Runs per read.
 *
 * <p>What is read from one side is written to the other at once; only what that does not take is queued, as a copy. Each
 * side's end is passed on as it came: a FIN after
 * all bytes before it, a reset as a reset. A side is read only while the other takes what it is given, so the memory of
 * a connection is bounded by its two outbound buffers.
 *
 * <p>Design note: with epoll, Netty reads on after the peer's FIN even where reading is paused. What it then reads is
 * at most what the kernel's receive buffer held, so the bound grows by that for such a connection.
 */
final class ProxiedConnection {
    /** A side is not read while more than the high mark waits for the other, until that has shrunk to the low mark. */
    private static final WriteBufferWaterMark WAITING_BYTES = new WriteBufferWaterMark(64 << 10, 256 << 10);

    /** Counts what a buffer holds of memory, not of bytes, so that tiny reads for a slow peer are bounded too. */
    private static final MessageSizeEstimator MEMORY = () -> message -> ((ByteBuf) message).capacity();

    private final RecordingSession session;
    private final Side client = new Side();
    private final Side upstream = new Side();
    private RecordedConnection tap;
    private CloseReason firstFin;
    private boolean finished;

    ProxiedConnection(RecordingSession session) {
        this.session = session;
        client.peer = upstream;
        upstream.peer = client;
    }

    /** Returns the handler of the client's channel, which must have been accepted with AUTO_READ off. */
    ChannelHandler clientHandler() {
        return client;
    }

    private void opened() {
        SocketChannel channel = client.channel;
        client.connected = true;
        tap = session.recorder().open(System.nanoTime(), channel.remoteAddress(), channel.localAddress());
        ChannelFuture connecting =
                session.upstream().clone(channel.eventLoop()).handler(upstream).connect();
        connecting.addListener(future -> {
            if (!future.isSuccess()) {
                // A channel that could not even be made reports on a thread of its own.
                channel.eventLoop().execute(this::upstreamFailed);
            }
        });
    }

    private void upstreamConnected() {
        upstream.connected = true;
        upstream.flush();
        if (client.inputEnded) {
            upstream.endOutput();
        } else {
            client.read(upstream.channel.isWritable());
        }
    }

    private void upstreamFailed() {
        if (!finished) {
            session.counters.upstreamFailures.increment();
            finished = true;
            client.resetOnClose();
            finish(CloseReason.UPSTREAM_FAILED);
        }
    }

    /** Passes the reset of one side on to the other, behind the bytes that the other side takes at once. */
    private void reset(Side origin) {
        if (finished) {
            return;
        }
        finished = true;
        if (origin.peer.connected) {
            origin.peer.flush();
        }
        origin.peer.resetOnClose();
        if (session.hasEnded()) {
            finish(CloseReason.RECORDING_ENDED);
        } else {
            finish(origin == client ? CloseReason.CLIENT_RESET : CloseReason.SERVER_RESET);
        }
    }

    private void finish(CloseReason reason) {
        finished = true;
        tap.close(System.nanoTime(), reason);
        client.close();
        upstream.close();
    }

    /** One of the two channels. */
    private final class Side extends ChannelInboundHandlerAdapter {
        Side peer;
        SocketChannel channel;
        ChannelHandlerContext context;
        /** Null where only Netty can write. */
        Socket socket;

        boolean connected;
        /** Netty was given bytes to write, and not yet told to do it. */
        boolean unflushed;
        /** The other end sent its FIN. */
        boolean inputEnded;
        /** We sent our FIN. */
        boolean outputEnded;
        /** The other end takes no more; it may have left bytes for us to read all the same. */
        boolean outputBroken;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
            channel = (SocketChannel) ctx.channel();
            if (channel instanceof EpollSocketChannel) {
                socket = (Socket) ((EpollSocketChannel) channel).fd();
            }
            channel.config()
                    .setTcpNoDelay(true)
                    .setKeepAlive(true)
                    .setAllowHalfClosure(true)
                    .setAutoClose(false)
                    .setAllocator(PooledByteBufAllocator.DEFAULT)
                    .setRecvByteBufAllocator(session.receiveBuffer(channel.eventLoop()))
                    .setWriteBufferWaterMark(WAITING_BYTES)
                    .setMessageSizeEstimator(MEMORY);
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            if (this == client) {
                opened();
            } else if (!finished) {
                upstreamConnected();
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                if (finished || peer.context == null) {
                    return;
                }
                if (this == client) {
                    tap.clientBytes(System.nanoTime(), bytes, bytes.readerIndex(), bytes.writerIndex());
                } else {
                    tap.serverBytes(System.nanoTime(), bytes, bytes.readerIndex(), bytes.writerIndex());
                }
                if (!peer.writesAll(bytes)) {
                    peer.write(bytes);
                    if (!peer.channel.isWritable()) {
                        waitForPeer();
                    }
                }
            } finally {
                bytes.release();
            }
        }

        /**
         * Writes at once what the kernel takes, where that is possible: almost always all of it. It saves the way through
         * Netty's queue of outbound buffers, which costs a fifth of the time outside the kernel
         * (benchmarks/proxy_cost.py).
         *
         * @return whether nothing remains
         */
        private boolean writesAll(ByteBuf bytes) {
            if (socket == null || !connected || !bytes.hasMemoryAddress()) {
                return false;
            }
            ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
            if (queue == null || queue.totalPendingWriteBytes() != 0) {
                return false;
            }
            try {
                bytes.skipBytes(socket.sendAddress(bytes.memoryAddress(), bytes.readerIndex(), bytes.writerIndex()));
            } catch (IOException e) {
                return false; // Netty's own write meets the same, and reports it as it does.
            }
            return !bytes.isReadable();
        }

        /** Queues bytes, which are copied: their buffer is for the next read. */
        private void write(ByteBuf bytes) {
            ByteBuf copy = context.alloc().directBuffer(bytes.readableBytes());
            context.write(copy.writeBytes(bytes), context.voidPromise());
            unflushed = true;
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            // Netty fails what is flushed before the channel is connected.
            if (peer.unflushed && peer.connected) {
                peer.flush();
            }
        }

        private void flush() {
            unflushed = false;
            context.flush();
        }

        private void waitForPeer() {
            if (peer.connected) {
                peer.flush();
            }
            read(peer.channel.isWritable());
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (connected && !outputBroken && channel.isWritable()) {
                peer.read(true);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (finished) {
                return;
            }
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                inputEnded();
            } else if (event == ChannelOutputShutdownEvent.INSTANCE && !outputEnded) {
                outputBroke();
            }
        }

        private void inputEnded() {
            inputEnded = true;
            if (this == client) {
                tap.clientEnded(System.nanoTime());
            }
            if (firstFin == null) {
                firstFin = this == client ? CloseReason.CLIENT_FIN : CloseReason.SERVER_FIN;
            }
            if (outputBroken) {
                reset(this);
            } else if (peer.connected) {
                peer.endOutput();
            }
        }

        /**
         * Handles a failed write. A server that refuses an upload answers and closes, and its reset may be noticed
         * here before its answer is read; so this side is still read to its end, which is near.
         */
        private void outputBroke() {
            outputBroken = true;
            if (inputEnded) {
                reset(this);
            } else {
                peer.read(false);
            }
        }

        /** Sends a FIN behind everything that waits to be written. */
        void endOutput() {
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
                if (written.isSuccess() && !finished) {
                    outputEnded = true;
                    channel.shutdownOutput();
                    if (peer.outputEnded && !finished) {
                        finish(firstFin);
                    }
                }
            });
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // A write that fails is handled as an event; each write that waited behind it reports here once more.
            boolean reported = cause instanceof ChannelOutputShutdownException
                    || cause instanceof ClosedChannelException
                    || cause instanceof NotYetConnectedException;
            if (!reported) {
                reset(this);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (connected) {
                reset(this);
            }
        }

        /** Reads this side, or pauses. */
        void read(boolean on) {
            if (channel.config().isAutoRead() != on) {
                channel.config().setAutoRead(on);
            }
        }

        void resetOnClose() {
            if (channel != null && channel.isOpen()) {
                try {
                    channel.config().setOption(ChannelOption.SO_LINGER, 0);
                } catch (ChannelException gone) {
                    // The kernel has closed the socket by itself; there is nothing left to reset.
                }
            }
        }

        void close() {
            if (channel != null) {
                channel.close();
            }
        }
    }
}
