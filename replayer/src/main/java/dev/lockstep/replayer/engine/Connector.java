package dev.lockstep.replayer.engine;

import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.net.ReceiveBuffer;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.tls.TargetTls;
import dev.lockstep.replayer.tls.TlsLink;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/** Opens channels to one target, and knows why that failed. Event loop only; any thread may read the problems. */
final class Connector {
    private final InetSocketAddress address;
    private final TargetTls tls;
    private final long timeoutNs;
    private final Bootstrap bootstrap;
    private final ReceiveBuffer received = new ReceiveBuffer();
    private volatile String ownLimit;
    private volatile String tlsProblem;

    /** @param tls how TLS is spoken to the target, or null without it */
    Connector(ReplayConfig config, InetSocketAddress address, TargetTls tls, EventLoop loop) {
        this.address = address;
        this.tls = tls;
        timeoutNs = config.timeoutNs();
        long connectMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs));
        bootstrap = new Bootstrap()
                .group(loop)
                .channel(config.transport().socketChannel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RCVBUF_ALLOCATOR, received)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(Integer.MAX_VALUE, connectMs))
                .remoteAddress(address);
    }

    /** The host as a client says it in a request: with the port where it is not that of the scheme. */
    String hostField() {
        String host = address.getHostString();
        // Without the zone of an IPv6 address, which is this machine's own.
        String bracketed = host.indexOf(':') >= 0 ? "[" + host.replaceFirst("%.*", "") + "]" : host;
        return address.getPort() == (tls == null ? 80 : 443) ? bracketed : bracketed + ":" + address.getPort();
    }

    ChannelFuture connect(ChannelHandler handler) {
        return bootstrap.clone().handler(handler).connect();
    }

    /** Returns TLS for a new channel that carries this protocol, or null where none is spoken to the target. */
    TlsLink newTlsLink(Protocol protocol) {
        return tls == null ? null : tls.newLink(address, protocol, timeoutNs);
    }

    /**
     * Tells whether an open connection leads back to itself. On loopback one to a port on which nobody listens does
     * where the kernel gave it that port as its own: it would take what it sends for answers, and keep the port from
     * the server that comes back.
     */
    static boolean isToItself(Channel channel) {
        SocketAddress own = channel.localAddress();
        return own != null && own.equals(channel.remoteAddress());
    }

    /** Says how an attempt to connect failed, and notes it where a limit of this process was met. */
    ErrorKind failure(Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return ErrorKind.CONNECT_TIMEOUT;
        }
        String message = message(cause);
        if (message.contains("Too many open files")) {
            noteOwnLimit("Lockstep ran out of file descriptors; raise the limit (ulimit -n) or use fewer connections");
            return ErrorKind.CONNECT_FAILED;
        }
        if (message.contains("Cannot assign requested address")) {
            noteOwnLimit("Lockstep ran out of local ports; use fewer or longer-lived connections");
            return ErrorKind.CONNECT_FAILED;
        }
        if (cause instanceof NoRouteToHostException
                || message.contains("No route to host")
                || message.contains("unreachable")) {
            return ErrorKind.NO_ROUTE;
        }
        if (message.contains("timed out")) {
            // The kernel's own limit, where ours is longer.
            return ErrorKind.CONNECT_TIMEOUT;
        }
        if (message.contains("reset")) {
            return ErrorKind.CONNECT_RESET;
        }
        return cause instanceof ConnectException ? ErrorKind.CONNECT_REFUSED : ErrorKind.CONNECT_FAILED;
    }

    /**
     * What the system said. Netty puts it into other exceptions where no socket could be made, and else adds the host,
     * which may be called like a failure.
     */
    private static String message(Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }

    private void noteOwnLimit(String limit) {
        if (ownLimit == null) {
            ownLimit = limit;
        }
    }

    /** Which limit of this process, and not of the target, kept a connection from being opened first, or null. */
    String ownLimit() {
        return ownLimit;
    }

    void tlsFailed(String problem) {
        if (tlsProblem == null) {
            tlsProblem = problem;
        }
    }

    /** Why TLS failed first, or null. */
    String tlsProblem() {
        return tlsProblem;
    }

    /** Gives the memory for reads back, after the last connection was closed. */
    void release() {
        received.release();
    }
}
