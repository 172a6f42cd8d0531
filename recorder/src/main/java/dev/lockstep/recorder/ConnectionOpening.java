package dev.lockstep.recorder;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionDetails;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslClientHelloHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;

/**
 * Opens a proxied connection, step by step: the client's PROXY header, its TLS ClientHello, the connection to the
 * upstream, TLS with the upstream, and at last TLS with the client, which gets the protocol that the upstream agreed
 * to. Used by the connection's event loop.
 */
final class ConnectionOpening {
    /** How long a client may take for what must come before its own bytes: a PROXY header, a TLS ClientHello. */
    private static final long DEADLINE_SECONDS = 10;

    private final RecordingSession session;
    private final ProxiedConnection connection;
    private final ProxySide client;
    private final ProxySide upstream;

    /** Null until it is known who the client is. */
    private InetSocketAddress clientAddress;

    private ProxyHeader proxyHeader;
    /** Null until the client's was read, and where it does not speak TLS. */
    private ClientHello hello;
    /** Gets the protocol to agree on with the client; null where it does not speak TLS. */
    private Promise<String> agreed;

    private Future<?> deadline;

    ConnectionOpening(RecordingSession session, ProxiedConnection connection, ProxySide client, ProxySide upstream) {
        this.session = session;
        this.connection = connection;
        this.client = client;
        this.upstream = upstream;
    }

    /** The address of the client, from the PROXY header where one names it; null until it is known. */
    InetSocketAddress clientAddress() {
        return clientAddress;
    }

    /** Goes on when the channel of a side is connected. */
    void active(ProxySide side) {
        if (side == client) {
            accepted();
        } else if (!connection.isFinished()) {
            upstreamAccepted();
        }
    }

    private void accepted() {
        if (!client.admit()) {
            session.counters.refusedConnections.increment();
            client.resetOnClose();
            connection.finish(null);
            return;
        }
        boolean headerExpected = session.config.proxyHeaderIn() != ProxyHeaderIn.NONE;
        if (session.tls.withClients()) {
            client.addFirst(new HelloReader());
        }
        if (headerExpected) {
            boolean required = session.config.proxyHeaderIn() == ProxyHeaderIn.REQUIRED;
            client.addFirst(new ProxyHeaderReader(required, this));
        }
        if (headerExpected || session.tls.withClients()) {
            client.read(true);
            deadline = client.eventLoop().schedule(this::tookTooLong, DEADLINE_SECONDS, TimeUnit.SECONDS);
        }
        if (!headerExpected) {
            identified(null);
        }
    }

    /** Goes on when it is known who the client is; the header is null where none is needed and none came. */
    void identified(ProxyHeader header) {
        if (connection.isFinished()) {
            return;
        }
        proxyHeader = header;
        clientAddress = header != null && header.source != null ? header.source : client.remoteAddress();
        if (!session.tls.withClients()) {
            client.read(false); // until the upstream is there to take what it sends
            client.markReady();
            record(ConnectionDetails.NONE);
            connectUpstream();
        }
    }

    private void record(ConnectionDetails details) {
        connection.record(proxyHeader == null ? details : details.withProxyHeader(proxyHeader.bytes()));
    }

    /** Records a connection that ended before its TLS was agreed on. */
    void recordUnfinished() {
        record(ConnectionDetails.tls(hello == null ? null : hello.serverName(), null, null));
    }

    /** Reads what a TLS client asks for, and holds its handshake back until the upstream has agreed. */
    private final class HelloReader extends SslClientHelloHandler<String> {
        @Override
        protected Future<String> lookup(ChannelHandlerContext ctx, ByteBuf body) {
            agreed = ctx.executor().newPromise();
            if (body == null || connection.isFinished()) {
                agreed.setFailure(new NotSslRecordException("no ClientHello"));
            } else {
                hello = ClientHello.parse(body);
                connectUpstream();
            }
            return agreed;
        }

        @Override
        protected void onLookupComplete(ChannelHandlerContext ctx, Future<String> protocol) {
            if (connection.isFinished()) {
                return;
            }
            if (protocol.isSuccess()) {
                ctx.pipeline().replace(this, null, client.useTls(session.tls.withClient(protocol.getNow())));
            } else {
                tlsFailed(client, TlsProblem.text(protocol.cause()));
            }
        }
    }

    private void connectUpstream() {
        cancelDeadline();
        connection.beginIdleTime();
        if (connection.isFinished()) {
            return; // an upstream that is connected now would be nobody's to close
        }
        EventLoop loop = client.eventLoop();
        ChannelFuture connecting =
                session.upstream.clone(loop).handler(upstream).connect();
        connecting.addListener(future -> {
            if (!future.isSuccess()) {
                // A channel that could not even be made reports on a thread of its own.
                loop.execute(this::upstreamFailed);
            }
        });
    }

    private void upstreamAccepted() {
        ProxyHeaderOut version = session.config.proxyHeaderOut();
        if (version != ProxyHeaderOut.NONE) {
            boolean passedOn = proxyHeader != null && proxyHeader.destination != null;
            InetSocketAddress server = passedOn ? proxyHeader.destination : client.localAddress();
            upstream.writeAndFlush(Unpooled.wrappedBuffer(ProxyHeader.encode(version, clientAddress, server)));
        }
        if (session.tls.withUpstream()) {
            upstream.addFirst(upstream.useTls(session.tls.withUpstream(hello)));
        } else {
            upstreamReady();
        }
    }

    private void upstreamReady() {
        upstream.markReady();
        if (agreed == null) {
            connection.relay();
            return;
        }
        upstream.read(false);
        String protocol = session.tls.withUpstream()
                ? upstream.tlsEngine().getApplicationProtocol()
                : session.tls.protocolWithoutUpstreamTls(hello);
        agreed.trySuccess(protocol == null ? "" : protocol);
    }

    /** Goes on when a side's TLS handshake is done. */
    void handshakeDone(ProxySide side) {
        if (side == upstream) {
            upstreamReady();
            return;
        }
        client.markReady();
        SSLEngine engine = client.tlsEngine();
        record(ConnectionDetails.tls(
                hello.serverName(),
                engine.getApplicationProtocol().isEmpty() ? null : engine.getApplicationProtocol(),
                engine.getSession().getProtocol()));
        connection.relay();
    }

    // ---- What can go wrong.

    void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    /** Waits for nothing any more, of a connection that has ended. */
    void abandon() {
        cancelDeadline();
        if (agreed != null) {
            // The client's handshake is held until then, with its bytes.
            agreed.tryFailure(new ClosedChannelException());
        }
    }

    private void tookTooLong() {
        if (clientAddress == null) {
            refuseHeader();
        } else {
            tlsFailed(client, "no TLS handshake came within " + DEADLINE_SECONDS + " s");
        }
    }

    /** Ends a connection that begins with something else than a proper PROXY header. */
    void refuseHeader() {
        if (!connection.isFinished()) {
            if (!session.hasEnded()) {
                session.counters.refusedHeaders.increment();
            }
            client.resetOnClose();
            connection.finish(null);
        }
    }

    private void upstreamFailed() {
        if (!connection.isFinished()) {
            session.counters.upstreamFailures.increment();
            client.resetOnClose();
            connection.finish(CloseReason.UPSTREAM_FAILED);
        }
    }

    /** Ends the connection after a TLS handshake that failed; the problem is one line. */
    void tlsFailed(ProxySide origin, String problem) {
        if (connection.isFinished()) {
            return;
        }
        if (session.hasEnded()) {
            connection.finish(CloseReason.RECORDING_ENDED);
            return;
        }
        ProxyCounters counters = session.counters;
        if (origin == client) {
            counters.lastClientTlsProblem = problem;
            counters.clientTlsFailures.increment();
            upstream.resetOnClose();
            connection.finish(CloseReason.CLIENT_RESET);
        } else {
            counters.lastUpstreamTlsProblem = problem;
            counters.upstreamTlsFailures.increment();
            client.resetOnClose();
            connection.finish(CloseReason.UPSTREAM_FAILED);
        }
    }

    /** Ends the connection after the FIN of a side that is not ready. */
    void inputEnded(ProxySide side) {
        if (clientAddress == null) {
            refuseHeader();
        } else if (side == client && hello == null) {
            connection.finish(CloseReason.CLIENT_FIN); // a check whether the port answers, mostly
        } else if (side == upstream && !side.isInHandshake()) {
            upstreamFailed(); // reset as soon as it was connected
        } else {
            tlsFailed(side, TlsProblem.CLOSED);
        }
    }

    /**
     * Ends the connection where a reset means that the opening failed.
     *
     * @return false where it does not, because the connection is open or was as good as that
     */
    boolean failedBy(ProxySide side) {
        if (clientAddress == null) {
            refuseHeader();
            return true;
        }
        if (side.isInHandshake()) {
            tlsFailed(side, TlsProblem.CLOSED);
            return true;
        }
        return false;
    }
}
