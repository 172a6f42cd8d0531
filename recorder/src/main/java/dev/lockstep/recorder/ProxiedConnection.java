package dev.lockstep.recorder;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionDetails;
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
import io.netty.channel.EventLoop;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.Socket;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslClientHelloHandler;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;

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

    /** The socket option of linux/tcp.h, of which Netty has no name. */
    private static final RawUnixChannelOption TCP_CONGESTION = new RawUnixChannelOption("TCP_CONGESTION", 6, 13, 4);

    private static final byte[] RENO = {'r', 'e', 'n', 'o'};

    /** How long a client may take for what must come before its own bytes: a PROXY header, a TLS ClientHello. */
    private static final long OPENING_SECONDS = 10;

    private final RecordingSession session;
    private final Side client = new Side();
    private final Side upstream = new Side();
    /** Null until it is known who the client is. */
    private InetSocketAddress clientAddress;

    private ProxyHeader proxyHeader;
    /** Null until the client's was read, and where it does not speak TLS. */
    private ClientHello hello;
    /** Gets the protocol to agree on with the client; null where it does not speak TLS. */
    private Promise<String> agreed;
    /** Null until the connection is recorded. */
    private RecordedConnection tap;
    /** Both sides are ready to take what the other sends. */
    private boolean relaying;

    private CloseReason firstFin;
    private boolean finished;
    private long lastReadNs;
    private Future<?> timer;

    ProxiedConnection(RecordingSession session) {
        this.session = session;
        client.peer = upstream;
        upstream.peer = client;
    }

    /** Returns the handler of the client's channel, which must have been accepted with AUTO_READ off. */
    ChannelHandler clientHandler() {
        return client;
    }

    // ---- Opening: PROXY header, the client's hello, the upstream, TLS with it, TLS with the client.

    private void accepted() {
        lastReadNs = System.nanoTime();
        if (!session.admit(client.channel)) {
            session.counters.refusedConnections.increment();
            client.resetOnClose();
            finish(null);
            return;
        }
        boolean headerExpected = session.config().proxyHeaderIn() != ProxyHeaderIn.NONE;
        if (session.tls().withClients()) {
            client.channel.pipeline().addFirst(new HelloReader());
        }
        if (headerExpected) {
            boolean required = session.config().proxyHeaderIn() == ProxyHeaderIn.REQUIRED;
            client.channel.pipeline().addFirst(new ProxyHeaderReader(required, new HeaderListener()));
        }
        if (headerExpected || session.tls().withClients()) {
            client.read(true);
            timer = client.channel.eventLoop().schedule(this::openingTookTooLong, OPENING_SECONDS, TimeUnit.SECONDS);
        }
        if (!headerExpected) {
            identified(null);
        }
    }

    private final class HeaderListener implements ProxyHeaderReader.Listener {
        @Override
        public void headerRead(ProxyHeader header) {
            if (!finished) {
                identified(header);
            }
        }

        @Override
        public void headerRefused() {
            refuseHeader();
        }
    }

    private void refuseHeader() {
        if (!finished) {
            if (!session.hasEnded()) {
                session.counters.refusedHeaders.increment();
            }
            client.resetOnClose();
            finish(null);
        }
    }

    private void identified(ProxyHeader header) {
        proxyHeader = header;
        clientAddress = header != null && header.source() != null ? header.source() : client.channel.remoteAddress();
        if (!session.tls().withClients()) {
            client.read(false); // until the upstream is there to take what it sends
            client.connected = true;
            record(ConnectionDetails.NONE);
            connectUpstream();
        }
    }

    private void openingTookTooLong() {
        if (clientAddress == null) {
            refuseHeader();
        } else {
            tlsFailed(client, "no TLS handshake came within " + OPENING_SECONDS + " s");
        }
    }

    /** Reads what a TLS client asks for, and holds its handshake back until the upstream has agreed. */
    private final class HelloReader extends SslClientHelloHandler<String> {
        @Override
        protected Future<String> lookup(ChannelHandlerContext ctx, ByteBuf body) {
            agreed = ctx.executor().newPromise();
            if (body == null || finished) {
                agreed.setFailure(new NotSslRecordException("no ClientHello"));
            } else {
                hello = ClientHello.parse(body);
                connectUpstream();
            }
            return agreed;
        }

        @Override
        protected void onLookupComplete(ChannelHandlerContext ctx, Future<String> protocol) {
            if (finished) {
                return;
            }
            if (protocol.isSuccess()) {
                client.tls = session.tls().withClient(protocol.getNow());
                client.socket = null;
                ctx.pipeline().replace(this, null, client.tls);
            } else {
                tlsFailed(client, TlsProblem.text(protocol.cause()));
            }
        }
    }

    private void connectUpstream() {
        stopTimer();
        watchIdleness();
        EventLoop loop = client.channel.eventLoop();
        ChannelFuture connecting =
                session.upstream().clone(loop).handler(upstream).connect();
        connecting.addListener(future -> {
            if (!future.isSuccess()) {
                // A channel that could not even be made reports on a thread of its own.
                loop.execute(this::upstreamFailed);
            }
        });
    }

    private void upstreamAccepted() {
        ProxyHeaderOut version = session.config().proxyHeaderOut();
        if (version != ProxyHeaderOut.NONE) {
            boolean passedOn = proxyHeader != null && proxyHeader.destination() != null;
            InetSocketAddress server = passedOn ? proxyHeader.destination() : client.channel.localAddress();
            upstream.context.writeAndFlush(Unpooled.wrappedBuffer(ProxyHeader.encode(version, clientAddress, server)));
        }
        if (session.tls().withUpstream()) {
            upstream.tls = session.tls().withUpstream(hello);
            upstream.socket = null;
            upstream.channel.pipeline().addFirst(upstream.tls);
        } else {
            upstreamReady();
        }
    }

    private void upstreamReady() {
        upstream.connected = true;
        if (agreed == null) {
            relay();
            return;
        }
        upstream.read(false);
        String protocol = upstream.tls == null
                ? session.tls().protocolWithoutUpstreamTls(hello)
                : upstream.tls.engine().getApplicationProtocol();
        agreed.setSuccess(protocol == null ? "" : protocol);
    }

    private void handshakeDone(Side side) {
        if (side == upstream) {
            upstreamReady();
            return;
        }
        client.connected = true;
        SSLEngine engine = client.tls.engine();
        record(ConnectionDetails.tls(
                hello.serverName(),
                engine.getApplicationProtocol().isEmpty() ? null : engine.getApplicationProtocol(),
                engine.getSession().getProtocol()));
        relay();
    }

    private void record(ConnectionDetails details) {
        tap = session.recorder()
                .open(
                        System.nanoTime(),
                        clientAddress,
                        client.channel.localAddress(),
                        proxyHeader == null ? details : details.withProxyHeader(proxyHeader.bytes()));
    }

    /** Lets the bytes pass, those first that came while the connection was being opened. */
    private void relay() {
        relaying = true;
        upstream.flush();
        client.passHeld();
        upstream.passHeld();
        if (finished) {
            return;
        }
        if (client.inputEnded) {
            upstream.endOutput();
        } else {
            client.read(upstream.channel.isWritable());
        }
        if (upstream.inputEnded) {
            client.endOutput();
        } else {
            upstream.read(client.channel.isWritable());
        }
    }

    private void upstreamFailed() {
        if (!finished) {
            session.counters.upstreamFailures.increment();
            client.resetOnClose();
            finish(CloseReason.UPSTREAM_FAILED);
        }
    }

    private void tlsFailed(Side origin, String problem) {
        if (!finished) {
            if (session.hasEnded()) {
                finish(CloseReason.RECORDING_ENDED);
                return;
            }
            if (origin == client) {
                session.counters.lastClientTlsProblem = problem;
                session.counters.clientTlsFailures.increment();
            } else {
                session.counters.lastUpstreamTlsProblem = problem;
                session.counters.upstreamTlsFailures.increment();
            }
            origin.peer.resetOnClose();
            finish(origin == client ? CloseReason.CLIENT_RESET : CloseReason.UPSTREAM_FAILED);
        }
    }

    // ---- Closing.

    private void watchIdleness() {
        long idleNs = session.config().idleTimeout().toNanos();
        if (idleNs > 0) {
            long restNs = lastReadNs + idleNs - System.nanoTime();
            if (restNs > 0) {
                timer = client.channel.eventLoop().schedule(this::watchIdleness, restNs, TimeUnit.NANOSECONDS);
            } else if (!finished) {
                session.counters.idleConnections.increment();
                finish(CloseReason.TIMEOUT);
            }
        }
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    /** Passes the reset of one side on to the other, behind the bytes that the other side takes at once. */
    private void reset(Side origin) {
        if (finished) {
            return;
        }
        if (!relaying && clientAddress == null) {
            refuseHeader();
            return;
        }
        if (origin.tls != null && !origin.connected) {
            tlsFailed(origin, TlsProblem.CLOSED);
            return;
        }
        finished = true; // before the flush, which may fail and would report that here
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
        stopTimer();
        client.close();
        upstream.close();
        if (clientAddress != null) {
            if (tap == null) {
                record(ConnectionDetails.tls(hello == null ? null : hello.serverName(), null, null));
            }
            client.recordHeld();
            upstream.dropHeld();
            tap.close(System.nanoTime(), reason);
        } else {
            client.dropHeld();
        }
    }

    /** One of the two channels. */
    private final class Side extends ChannelInboundHandlerAdapter {
        Side peer;
        SocketChannel channel;
        ChannelHandlerContext context;
        /** Null where only Netty can write. */
        Socket socket;
        /** Null where this side does not speak TLS, or not yet. */
        SslHandler tls;
        /** What came before it could be passed on, or null. */
        ArrayDeque<ByteBuf> held;
        /** This side takes bytes: it is connected and its TLS, if any, is agreed on. */
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
            if (socket != null && channel.remoteAddress().getAddress().isLoopbackAddress()) {
                withoutPacing();
            }
            if (this == client) {
                accepted();
            } else if (!finished) {
                upstreamAccepted();
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                if (relaying && !finished) {
                    pass(bytes);
                } else if (!finished) {
                    hold(bytes);
                }
            } finally {
                bytes.release();
            }
        }

        private void pass(ByteBuf bytes) {
            long nowNs = System.nanoTime();
            lastReadNs = nowNs;
            if (this == client) {
                tap.clientBytes(nowNs, bytes, bytes.readerIndex(), bytes.writerIndex());
            } else {
                tap.serverBytes(nowNs, bytes, bytes.readerIndex(), bytes.writerIndex());
            }
            if (!peer.writesAll(bytes)) {
                peer.write(bytes);
                if (!peer.channel.isWritable()) {
                    waitForPeer();
                }
            }
        }

        private void hold(ByteBuf bytes) {
            if (held == null) {
                held = new ArrayDeque<>();
            }
            held.add(copy(bytes));
        }

        private void passHeld() {
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

        /** Records what the client has sent although the upstream never came to take it. */
        private void recordHeld() {
            while (held != null && !held.isEmpty()) {
                ByteBuf bytes = held.remove();
                tap.clientBytes(System.nanoTime(), bytes, bytes.readerIndex(), bytes.writerIndex());
                bytes.release();
            }
        }

        private void dropHeld() {
            while (held != null && !held.isEmpty()) {
                held.remove().release();
            }
        }

        private ByteBuf copy(ByteBuf bytes) {
            return context.alloc().directBuffer(bytes.readableBytes()).writeBytes(bytes);
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
            context.write(copy(bytes), context.voidPromise());
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
            if (event == ChannelInputShutdownEvent.INSTANCE || event == SslCloseCompletionEvent.SUCCESS) {
                inputEnded(); // a TLS peer says so in TLS first, mostly, and then by its FIN
            } else if (event instanceof SslHandshakeCompletionEvent) {
                if (((SslHandshakeCompletionEvent) event).isSuccess()) {
                    handshakeDone(this);
                } else {
                    tlsFailed(this, TlsProblem.text(((SslHandshakeCompletionEvent) event).cause()));
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
            if (!connected) {
                endedWhileOpening();
                return;
            }
            if (this == client) {
                tap.clientEnded(System.nanoTime());
            }
            if (firstFin == null) {
                firstFin = this == client ? CloseReason.CLIENT_FIN : CloseReason.SERVER_FIN;
            }
            if (outputBroken) {
                reset(this);
            } else if (relaying) {
                peer.endOutput();
            }
        }

        private void endedWhileOpening() {
            if (clientAddress == null) {
                refuseHeader();
            } else if (this == client && hello == null) {
                finish(CloseReason.CLIENT_FIN); // a check whether the port answers, mostly
            } else {
                tlsFailed(this, TlsProblem.CLOSED);
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

        /** Sends a FIN behind everything that waits to be written, with TLS's own end before it. */
        void endOutput() {
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
                if (!written.isSuccess() || finished) {
                    return;
                }
                if (tls == null) {
                    shutDownOutput();
                } else {
                    tls.closeOutbound().addListener(closed -> shutDownOutput());
                }
            });
        }

        private void shutDownOutput() {
            if (!finished) {
                outputEnded = true;
                channel.shutdownOutput();
                if (peer.outputEnded && !finished) {
                    finish(firstFin);
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
                reset(this);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (connected || this == client) {
                reset(this);
            }
        }

        /**
         * Takes Reno, which every kernel has, on this machine's own loopback, where there is nothing to control: the
         * timers by which BBR paces, where that is the default, cost 5 % of the CPU time (benchmarks/proxy_cost.py).
         */
        private void withoutPacing() {
            try {
                channel.config().setOption(TCP_CONGESTION, ByteBuffer.wrap(RENO));
            } catch (ChannelException stays) {
                // The kernel's default does as well.
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

        /** Closes at once, without TLS's own end: whoever is cut off must not take it for the end. */
        void close() {
            if (channel != null) {
                channel.unsafe().close(channel.newPromise());
            }
        }
    }
}
