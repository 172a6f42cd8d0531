package dev.lockstep.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TransportTest {
    @Test
    void usesEpollOnLinux() {
        Transport transport = Transport.best();

        assertEquals(
                System.getProperty("os.name").equals("Linux") ? "epoll" : "nio",
                transport.name(),
                transport.describe());
    }

    @Test
    void saysWhyNioStandsIn() {
        Transport transport = Transport.nio("no native library for this processor");

        assertEquals("nio", transport.name());
        assertEquals("nio (no native library for this processor)", transport.describe());
    }

    @Test
    void pollingIsNoSignOfABrokenSelector() throws Exception {
        Transport.nio("for the test")
                .eventLoops(1, "test")
                .shutdownGracefully(0, 5, TimeUnit.SECONDS)
                .sync();

        assertEquals("0", System.getProperty("io.netty.selectorAutoRebuildThreshold"));
    }

    @Test
    void connectsOverEpollAndOverNio() throws Exception {
        for (Transport transport : new Transport[] {Transport.best(), Transport.nio("for the test")}) {
            EventLoopGroup loops = transport.eventLoops(1, "test");
            try {
                Channel server = new ServerBootstrap()
                        .group(loops)
                        .channel(transport.serverSocketChannel())
                        .childHandler(new ChannelInboundHandlerAdapter())
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .sync()
                        .channel();
                Channel client = new Bootstrap()
                        .group(loops)
                        .channel(transport.socketChannel())
                        .handler(new ChannelInboundHandlerAdapter())
                        .connect(server.localAddress())
                        .sync()
                        .channel();

                assertTrue(client.isActive(), transport.describe());
                assertNotNull(client.remoteAddress());
            } finally {
                loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
            }
        }
    }
}
