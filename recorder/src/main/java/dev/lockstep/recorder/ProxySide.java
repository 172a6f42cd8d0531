package dev.lockstep.recorder;

import dev.lockstep.net.DirectSocket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayDeque;
import javax.net.ssl.SSLEngine;

/**
 * One of the two channels of a proxied connection. Runs per read on the event loop.
 *
 * <p>What is read here is written to the peer at once; only what the peer does not take is queued, as a copy. A side is
 * read only while the peer takes what it is given, so two outbound buffers bound the memory of a connection.
 *
 * <p>Design note: with epoll, Netty reads on after the FIN even where reading is paused. What it then reads is at most
 * what the kernel's receive buffer held, so the bound grows by that for such a connection.
 */
final class ProxySide extends ChannelInboundHandlerAdapter {
    /** Reading pauses when more than the high mark waits for the peer, until that has shrunk to the low mark. */
    private static final WriteBufferWaterMark WAITING_BYTES = new WriteBufferWaterMark(64 << 10, 256 << 10);

    /** Counts the memory that a buffer holds, not its bytes, so that tiny reads for a slow peer are bounded too. */
    private static final MessageSizeEstimator MEMORY = () -> message -> ((ByteBuf) message).capacity();

    /** A socket option of linux/tcp.h for which Netty has no name. */
    private static final RawUnixChannelOption TCP_CONGESTION = new RawUnixChannelOption("TCP_CONGESTION", 6, 13, 4);

    private static final byte[] RENO = {'r', 'e', 'n', 'o'};

    private final ProxiedConnection connection;
    private final RecordingSession session;
    private ProxySide peer;
    private SocketChannel channel;
    private ChannelHandlerContext context;
    /** Null where only Netty can write. */
    private DirectSocket direct;
    /** Null where this side does not speak TLS, or not yet. */
    private SslHandler tls;
    /** What came before it could be passed on, or null. */
    private ArrayDeque<ByteBuf> held;
    /** This side takes bytes: it is connected and its TLS, if any, is agreed on. */
    private boolean ready;
    /** Netty was given bytes to write, and not yet told to do it. */
    private boolean unflushed;
    /** The other end sent its FIN. */
    private boolean inputEnded;
    /** It did so without TLS's own end before it: what came may be a part. */
    private boolean cutOff;
    /** We sent our FIN. */
    private boolean outputEnded;
    /** The other end takes no more; it may have left bytes for us to read all the same. */
    private boolean outputBroken;

    ProxySide(ProxiedConnection connection, RecordingSession session) {
        this.connection = connection;
        this.session = session;
    }

    /** Sets the other side; to be called once, before this side has a channel. */
    void pairWith(ProxySide other) {
        peer = other;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        channel = (SocketChannel) ctx.channel();
        direct = DirectSocket.of(channel);
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
        if (direct != null && channel.remoteAddress().getAddress().isLoopbackAddress()) {
            withoutPacing();
        }
        connection.opening().active(this);
    }

    /**
     * Takes Reno, which every kernel has, on this machine's own loopback, where there is nothing to control: the timers
     * by which BBR paces, where that is the default, cost 5 % of the CPU time (benchmarks/proxy_cost.py).
     */
    private void withoutPacing() {
        try {
            channel.config().setOption(TCP_CONGESTION, ByteBuffer.wrap(RENO));
        } catch (ChannelException stays) {
            // The kernel's default does as well.
        }
    }

    // ---- For the opening.

    EventLoop eventLoop() {
        return channel.eventLoop();
    }

    InetSocketAddress localAddress() {
        return channel.localAddress();
    }

    InetSocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    /** Whether the session lets this client in; it counts from then on. */
    boolean admit() {
        return session.admit(channel);
    }

    void addFirst(ChannelHandler handler) {
        channel.pipeline().addFirst(handler);
    }

    /** Takes the handler, which the caller puts into the pipeline, for this side's TLS, and returns it. */
    SslHandler useTls(SslHandler handler) {
        tls = handler;
        direct = null;
        return handler;
    }

    SSLEngine tlsEngine() {
        return tls.engine();
    }

    boolean isInHandshake() {
        return tls != null && !ready;
    }

    boolean isReady() {
        return ready;
    }

    void markReady() {
        ready = true;
    }

    void writeAndFlush(ByteBuf bytes) {
        context.writeAndFlush(bytes);
    }

    // ---- Passing bytes on.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            if (connection.isRelaying()) {
                pass(bytes);
            } else if (!connection.isFinished()) {
                hold(bytes);
            }
        } finally {
            bytes.release();
        }
    }

    private void pass(ByteBuf bytes) {
        connection.recordRead(this, bytes);
        if (!peer.writesAll(bytes)) {
            peer.write(bytes);
            if (!peer.channel.isWritable()) {
                waitForPeer();
            }
        }
    }

    /**
     * Writes at once what the kernel takes, where that is possible: almost always all of it. It saves the way through
     * Netty's queue of outbound buffers, which costs a fifth of the time outside the kernel (benchmarks/proxy_cost.py).
     *
     * @return whether nothing remains
     */
    private boolean writesAll(ByteBuf bytes) {
        if (direct == null || !ready || !bytes.hasMemoryAddress() || !direct.isFree()) {
            return false;
        }
        try {
            bytes.skipBytes(direct.send(bytes.memoryAddress() + bytes.readerIndex(), bytes.readableBytes()));
        } catch (IOException e) {
            return false; // Netty's own write meets the same, and reports it as it does.
        }
        return !bytes.isReadable();
    }

    /** Queues bytes, which are copied: their buffer is for the next read. */
    private void write(ByteBuf bytes) {
        context.write(copy(bytes), context.voidPromise());
        unflushed = true;
    }

    private ByteBuf copy(ByteBuf bytes) {
        return context.alloc().directBuffer(bytes.readableBytes()).writeBytes(bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        // Netty fails what is flushed before the channel is connected.
        if (peer.unflushed && peer.ready) {
            peer.flush();
        }
    }

    void flush() {
        unflushed = false;
        context.flush();
    }

    private void waitForPeer() {
        if (peer.ready) {
            peer.flush();
        }
        read(peer.channel.isWritable());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ready && !outputBroken && channel.isWritable()) {
            peer.read(true);
        }
    }

    /** Reads this side, or pauses. */
    void read(boolean on) {
        if (channel.config().isAutoRead() != on) {
            channel.config().setAutoRead(on);
        }
    }

    /** Reads on after the opening, or passes on the FIN that came meanwhile. */
    void resume() {
        if (inputEnded) {
            peer.endOutput();
        } else {
            read(peer.channel.isWritable());
        }
    }

    // ---- Bytes that came too early.

    private void hold(ByteBuf bytes) {
        if (held == null) {
            held = new ArrayDeque<>();
        }
        held.add(copy(bytes));
    }

    void passHeld() {
        while (held != null && !held.isEmpty()) {
            ByteBuf bytes = held.remove();
            try {
                pass(bytes);
            } finally {
                bytes.release();
            }
        }
        peer.flush();
    }

    void recordHeld() {
        while (held != null && !held.isEmpty()) {
            ByteBuf bytes = held.remove();
            connection.recordLeft(bytes);
            bytes.release();
        }
    }

    void dropHeld() {
        while (held != null && !held.isEmpty()) {
            held.remove().release();
        }
    }

    // ---- The end.

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (connection.isFinished()) {
            return;
        }
        if (event == ChannelInputShutdownEvent.INSTANCE || event == SslCloseCompletionEvent.SUCCESS) {
            // A TLS peer says so in TLS first, mostly, and then by its FIN.
            cutOff |= tls != null && !inputEnded && event == ChannelInputShutdownEvent.INSTANCE;
            inputEnded();
        } else if (event instanceof SslHandshakeCompletionEvent) {
            if (((SslHandshakeCompletionEvent) event).isSuccess()) {
                connection.opening().handshakeDone(this);
            } else {
                connection.opening().tlsFailed(this, TlsProblem.text(((SslHandshakeCompletionEvent) event).cause()));
            }
        } else if (event == ChannelOutputShutdownEvent.INSTANCE && !outputEnded) {
            outputBroke();
        }
    }

    private void inputEnded() {
        if (inputEnded) {
            return;
        }
        inputEnded = true;
        if (!ready) {
            connection.opening().inputEnded(this);
            return;
        }
        connection.inputEnded(this);
        if (outputBroken) {
            connection.reset(this);
        } else if (connection.isRelaying()) {
            peer.endOutput();
        }
    }

    /**
     * Handles a failed write. A server that refuses an upload answers and closes, and its reset may be noticed here
     * before its answer is read; so this side is still read to its end, which is near.
     */
    private void outputBroke() {
        outputBroken = true;
        if (inputEnded) {
            connection.reset(this);
        } else {
            peer.read(false);
        }
    }

    /** Sends a FIN behind everything that waits to be written, behind TLS's own end unless the peer's TLS had none. */
    private void endOutput() {
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            if (!written.isSuccess() || connection.isFinished()) {
                return;
            }
            if (tls == null || peer.cutOff) {
                shutDownOutput();
            } else {
                tls.closeOutbound().addListener(closed -> shutDownOutput());
            }
        });
    }

    private void shutDownOutput() {
        if (!connection.isFinished()) {
            outputEnded = true;
            channel.shutdownOutput();
            if (peer.outputEnded) {
                connection.bothEnded();
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // A write that fails is handled as an event; each write that waited behind it reports here once more.
        boolean reported = cause instanceof ChannelOutputShutdownException
                || cause instanceof ClosedChannelException
                || cause instanceof NotYetConnectedException;
        if (!reported) {
            connection.reset(this);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        // TLS 1.2 answers an end with its own, and Netty closes where our FIN is before that. Nothing is lost by it.
        if (!inputEnded || !outputEnded) {
            connection.channelClosed(this);
        }
    }

    /** Returns how much memory waits for this side to take its bytes, less what it has taken of the first buffer. */
    long waitingBytes() {
        ChannelOutboundBuffer waiting =
                channel == null ? null : channel.unsafe().outboundBuffer();
        return waiting == null ? 0 : waiting.totalPendingWriteBytes() - waiting.currentProgress();
    }

    /** Makes the peer's close a reset, after what it takes at once. */
    void passResetOn() {
        if (peer.ready) {
            peer.flush();
        }
        peer.resetOnClose();
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

    /** Closes at once, without TLS's own end: whoever is cut off must not take it for the end. */
    void close() {
        if (channel != null) {
            channel.unsafe().close(channel.newPromise());
        }
    }
}
