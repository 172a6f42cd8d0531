package dev.lockstep.replayer.engine;

import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.net.DirectSocket;
import dev.lockstep.replayer.tls.TlsLink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.io.IOException;

/**
 * One channel of a {@link ReplayConnection}: opens it, agrees on TLS, and knows when the socket has taken what was
 * written. Runs per request on the event loop. When the connection has turned to another wire, or to none, it ignores
 * what this one still has to say.
 */
final class Wire extends ChannelInboundHandlerAdapter {
    private final ReplayConnection connection;
    private final Target target;
    /** TLS of the channel, or null without it. */
    private final TlsLink tls;

    private final ChannelFutureListener onTaken = this::taken;
    private Channel channel;
    /** The channel's socket where nothing stands between it and this handler, else null. */
    private DirectSocket socket;
    /** Whether a promise is out that tells when the socket took all that was flushed before it. */
    private boolean promised;

    Wire(ReplayConnection connection, Target target, Protocol protocol) {
        this.connection = connection;
        this.target = target;
        tls = target.connector().newTlsLink(protocol);
    }

    /** Opens the channel; {@link ReplayConnection#opened} or {@link ReplayConnection#notConnected} follows. */
    void connect() {
        ChannelFuture connecting = target.connector().connect(tls == null ? this : tls.initializer(this));
        channel = connecting.channel();
        connecting.addListener((ChannelFutureListener) this::connected);
    }

    private void connected(ChannelFuture connecting) {
        if (!target.isOnLoop()) {
            // Where no channel could be made, Netty reports it on a thread of its own.
            target.execute(() -> connected(connecting));
            return;
        }
        if (!connecting.isSuccess()) {
            connection.notConnected(target.connector().failure(connecting.cause()));
        } else if (Connector.isToItself(channel)) {
            connection.notConnected(ErrorKind.CONNECT_REFUSED);
            channel.close();
        } else if (tls == null) {
            opened();
        } else {
            tls.handshake().addListener(this::secured);
        }
    }

    private void secured(Future<? super Channel> handshake) {
        if (!connection.isConnecting(this)) {
            return;
        }
        if (handshake.isSuccess() && tls.isAgreed()) {
            opened();
            return;
        }
        if (!tls.isAbandoned()) {
            target.connector().tlsFailed(tls.problem(handshake.cause()));
        }
        connection.notConnected(ErrorKind.TLS_FAILED);
        channel.close();
    }

    private void opened() {
        socket = DirectSocket.of(channel, this);
        connection.opened();
    }

    Channel channel() {
        return channel;
    }

    /** The socket, where it can be given bytes past the channel now; else null. */
    DirectSocket freeSocket() {
        return socket != null && socket.isFree() ? socket : null;
    }

    boolean isTls() {
        return tls != null;
    }

    /** When encrypted bytes were last about to be handed to the socket, on the monotonic clock. */
    long encryptedNs() {
        return tls.flushedNs();
    }

    /**
     * Tells whether the socket took all that was flushed. Where it did not, {@link ReplayConnection#taken} is called
     * when it has.
     */
    boolean hasTakenAll() {
        ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
        if (outbound == null) {
            return false;
        }
        if (outbound.isEmpty()) {
            return true;
        }
        if (!promised) {
            // Behind the last byte goes an empty buffer whose promise tells when the socket took it.
            promised = true;
            ChannelFuture taken = tls == null ? channel.writeAndFlush(Unpooled.EMPTY_BUFFER) : tls.afterFlushed();
            taken.addListener(onTaken);
        }
        return false;
    }

    private void taken(ChannelFuture writing) {
        promised = false;
        if (writing.isSuccess()) {
            connection.taken(this);
        }
    }

    /** Ends our side once the socket took all that was sent; what the target still says is read. */
    void endOutput() {
        if (tls == null) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener((ChannelFutureListener) taken -> {
                if (taken.isSuccess() && connection.isOn(this)) {
                    ((DuplexChannel) channel).shutdownOutput();
                }
            });
        } else {
            tls.endOutput();
        }
    }

    /** Fails an attempt to connect, which then ends like any that failed. */
    void abandon() {
        if (tls != null) {
            tls.abandon();
        }
        channel.close();
    }

    void close() {
        channel.close();
    }

    void readOnlyWhileWritable() {
        if (!channel.isWritable()) {
            channel.config().setAutoRead(false);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        // Later, since this comes in the middle of a flush.
        target.execute(() -> {
            if (connection.isOn(this) && channel.isWritable()) {
                channel.config().setAutoRead(true);
                connection.writable();
            }
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            if (connection.isOn(this)) {
                connection.read(in);
            }
        } finally {
            in.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (connection.isOn(this)) {
            connection.flushRest();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        // The end of a TLS handshake is told by its future.
        if (connection.isOn(this) && !connection.isConnecting(this)) {
            connection.ended(this);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!connection.isOn(this)) {
            return;
        }
        boolean isOfTls = tls != null && TlsLink.isTlsFailure(cause);
        if (tls != null && connection.isConnecting(this) && (isOfTls || cause instanceof IOException)) {
            // The end of a TLS handshake is told by its future; a broken channel is closed.
            return;
        }
        if (isOfTls) {
            // A target that wants a certificate may say so only after a handshake of TLS 1.3.
            target.connector().tlsFailed(tls.problem(cause));
            connection.close(ErrorKind.TLS_FAILED);
        } else {
            connection.broken(cause);
        }
    }
}
