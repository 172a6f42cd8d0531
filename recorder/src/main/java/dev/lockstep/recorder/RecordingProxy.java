package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.net.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A TCP proxy that passes both directions through byte for byte and writes what clients send into a capture file.
 *
 * <p>The traffic comes first: clients and upstream notice nothing when the capture fails or falls behind, and
 * {@link #status()} says what is missing from the file.
 *
 * <p>Any thread but its own may ask it. The one who launched it closes it.
 */
public final class RecordingProxy implements AutoCloseable {
    private final Transport transport;
    private final EventLoopGroup loops;
    private final Channel server;
    private final InetSocketAddress boundAddress;
    private final RecordingSession session;
    private boolean closed;

    private RecordingProxy(Transport transport, EventLoopGroup loops, Channel server, RecordingSession session) {
        this.transport = transport;
        this.loops = loops;
        this.server = server;
        this.boundAddress = (InetSocketAddress) server.localAddress();
        this.session = session;
    }

    /**
     * Takes the listen address, creates the capture file, and starts to accept connections.
     *
     * @throws RecorderException when a host name is unknown or the listen address cannot be taken; no file is touched
     * @throws CaptureException when the capture file cannot be created
     */
    public static RecordingProxy launch(RecordingConfig config) {
        return launch(Objects.requireNonNull(config, "config"), Transport.best());
    }

    /**
     * Runs the code of a recording on made-up traffic, so that the first true connections meet compiled code. Returns
     * when that is done, and leaves nothing behind.
     *
     * @param duration how long at most; a second compiles most of it, ten all
     * @param redacts whether the recording will redact
     * @param enough ends it earlier; asked often, on this thread
     * @throws RecorderException when the loopback interface or the folder for temporary files cannot be used
     */
    public static void warmUp(Duration duration, boolean redacts, BooleanSupplier enough) {
        ProxyWarmUp.run(duration, redacts, enough);
    }

    static RecordingProxy launch(RecordingConfig config, Transport transport) {
        InetSocketAddress listen = resolve("listen", config.listen());
        InetSocketAddress upstream = resolve("upstream", config.upstream());
        TlsEngines tls = new TlsEngines(config);
        EventLoopGroup loops = transport.eventLoops(config.eventLoops(), "lockstep-recorder");
        doNotTimeTasks(loops);
        RecordingSession session =
                new RecordingSession(config, tls, loops, upstreamBootstrap(config, transport, upstream));
        try {
            Channel server = bind(listen, transport, loops, session);
            session.begin(config.openCapture(text((InetSocketAddress) server.localAddress()), text(upstream)));
            server.config().setAutoRead(true);
            return new RecordingProxy(transport, loops, server, session);
        } catch (Throwable t) {
            shutDown(loops);
            session.close();
            throw t;
        }
    }

    /** The address that clients connect to, with the port that was taken. */
    public InetSocketAddress boundAddress() {
        return boundAddress;
    }

    public Transport transport() {
        return transport;
    }

    /** Answers after {@link #close()} too, then with the final counts. */
    public RecordingStatus status() {
        return new RecordingStatus(session.recorder(), session.counters);
    }

    /**
     * Stops accepting, records and closes the connections that are still open, and completes the capture file.
     * Idempotent; returns when all of that is done. Does not throw: {@link RecordingStatus#captureFailure()} says what
     * went wrong with the file.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        session.end();
        server.close().awaitUninterruptibly();
        loops.forEach(RecordingProxy::resetWhereBytesWait);
        // The loops close their channels before they end, and each connection then records its end.
        shutDown(loops);
        session.recorder().noteUnsearched();
        session.writer().close();
        session.close();
    }

    /** Tasks are rare here. Measuring them would read the clock twice at each turn of a loop. */
    private static void doNotTimeTasks(EventLoopGroup loops) {
        if (loops instanceof EpollEventLoopGroup) {
            ((EpollEventLoopGroup) loops).setIoRatio(100);
        } else if (loops instanceof NioEventLoopGroup) {
            ((NioEventLoopGroup) loops).setIoRatio(100);
        }
    }

    private static Bootstrap upstreamBootstrap(
            RecordingConfig config, Transport transport, InetSocketAddress upstream) {
        return new Bootstrap()
                .channel(transport.socketChannel())
                .disableResolver()
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        config.connectTimeout().toMillis())
                .remoteAddress(upstream);
    }

    private static Channel bind(
            InetSocketAddress listen, Transport transport, EventLoopGroup loops, RecordingSession session) {
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(transport.serverSocketChannel())
                // The kernel queues clients, but nobody is accepted before there is a capture file to record them.
                .option(ChannelOption.AUTO_READ, false)
                .handler(new AcceptFailureHandler(session.counters))
                // A client is read only once the upstream is there to take what it sends.
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new ProxiedConnection(session).clientHandler());
                    }
                })
                .bind(listen)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new RecorderException(
                    "cannot listen on " + text(listen) + ": " + bindProblem(bound.cause()), bound.cause());
        }
        return bound.channel();
    }

    private static String bindProblem(Throwable cause) {
        String problem = String.valueOf(cause.getMessage());
        if (problem.contains("in use")) {
            return "the port is taken; stop the program that has it, or listen on another port";
        }
        if (problem.contains("ermission denied")) {
            return "no permission; listen on a port from 1024 up, or grant CAP_NET_BIND_SERVICE";
        }
        if (problem.contains("assign requested address")) {
            return "this machine does not have the address; listen on one of its own";
        }
        return problem;
    }

    private static InetSocketAddress resolve(String field, InetSocketAddress address) {
        InetSocketAddress resolved =
                address.isUnresolved() ? new InetSocketAddress(address.getHostString(), address.getPort()) : address;
        if (resolved.isUnresolved()) {
            throw new RecorderException(
                    "cannot resolve the " + field + " host '" + address.getHostString()
                            + "': unknown host; check the name, or give an IP address",
                    null);
        }
        return resolved;
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    /** Has sides for which bytes wait closed by a reset: whoever gets a part only must not take it for the whole. */
    private static void resetWhereBytesWait(EventExecutor loop) {
        Runnable task = () -> ((SingleThreadEventLoop) loop)
                .registeredChannelsIterator()
                .forEachRemaining(channel -> {
                    ProxySide side = channel.pipeline().get(ProxySide.class);
                    if (side != null && side.waitingBytes() > 0) {
                        side.resetOnClose();
                    }
                });
        loop.submit(task).awaitUninterruptibly();
    }

    private static void shutDown(EventLoopGroup loops) {
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
