package dev.lockstep.replayer.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ConnectorTest {
    /** As the kernel connects it, sooner or later, while a server on a port of its own range is away. */
    @Test
    void knowsAConnectionThatLeadsBackToItself() throws Exception {
        EventLoopGroup loop = new NioEventLoopGroup(1);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Bootstrap bootstrap = new Bootstrap()
                    .group(loop)
                    .channel(NioSocketChannel.class)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            // Nothing is read.
                        }
                    });
            SocketAddress free = freeAddress();

            assertTrue(Connector.isToItself(bootstrap.connect(free, free).sync().channel()));
            assertFalse(Connector.isToItself(
                    bootstrap.connect(server.getLocalSocketAddress()).sync().channel()));
        } finally {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    private static SocketAddress freeAddress() throws IOException {
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return bound.getLocalSocketAddress();
        }
    }
}
