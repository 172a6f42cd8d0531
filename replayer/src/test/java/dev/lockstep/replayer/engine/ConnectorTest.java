package dev.lockstep.replayer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.net.Transport;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.TestingCapture;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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

    /** Netty makes channels by reflection. */
    @Test
    void knowsThatNoSocketCouldBeMade(@TempDir Path directory) throws Exception {
        Throwable noSocket = new ChannelException(
                "Unable to create Channel from class EpollSocketChannel",
                new InvocationTargetException(
                        new ChannelException(new IOException("newSocketStream(..) failed: Too many open files"))));
        EventLoopGroup loop = Transport.best().eventLoops(1, "test");
        try (Capture capture = TestingCapture.gets(directory, 1, 1)) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
            Connector connector = new Connector(ReplayConfig.builder(capture).build(), address, null, loop.next());

            assertEquals(ErrorKind.CONNECT_FAILED, connector.failure(noSocket));
            assertEquals(
                    "Lockstep ran out of file descriptors; raise the limit (ulimit -n) or use fewer connections",
                    connector.ownLimit());
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
