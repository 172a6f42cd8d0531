package dev.lockstep.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;

/**
 * The socket of a channel, for bytes that lie ready in memory outside the heap: one system call hands them over, past
 * the pipeline and the outbound buffer, with no object and no copy. Runs per request on the event loop; the channel
 * owns the socket.
 *
 * <p>Design note: in a closed loop of small requests the way through Netty (a pooled copy, an entry of the outbound
 * buffer, the flush through the pipeline) takes a tenth of all CPU, system calls included: benchmarks/closed_loop.py.
 */
public final class DirectSocket {
    private final Channel channel;
    private final Socket socket;

    private DirectSocket(Channel channel, Socket socket) {
        this.channel = channel;
        this.socket = socket;
    }

    /**
     * Returns the socket of an epoll channel whose only handler is this one; null of any other, where the bytes have to
     * go through the pipeline.
     */
    public static DirectSocket of(Channel channel, ChannelHandler only) {
        return channel.pipeline().first() == only ? of(channel) : null;
    }

    /** Returns the socket of an epoll channel whose handlers leave bytes as they are; null of any other channel. */
    public static DirectSocket of(Channel channel) {
        if (!(channel instanceof UnixChannel)) {
            return null;
        }
        FileDescriptor descriptor = ((UnixChannel) channel).fd();
        return descriptor instanceof Socket ? new DirectSocket(channel, (Socket) descriptor) : null;
    }

    /** Tells whether nothing that was written to the channel before still waits; else bytes would overtake it. */
    public boolean isFree() {
        ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
        return outbound != null && outbound.totalPendingWriteBytes() == 0;
    }

    /**
     * Hands bytes to the socket.
     *
     * @return how many of them it took, 0 included
     * @throws IOException where the connection is broken
     */
    public int send(long address, int length) throws IOException {
        return socket.sendAddress(address, 0, length);
    }
}
