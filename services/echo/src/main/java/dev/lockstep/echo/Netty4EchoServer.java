package dev.lockstep.echo;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.Version;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Sends back what it receives, in the buffers it received it in, on the Netty 4 of the class path: 4.1 or 4.2. It
 * serves until a signal ends it; exit code 1 if it cannot start, 2 if the command line is wrong.
 */
public final class Netty4EchoServer implements AutoCloseable {
    private static final int BACKLOG = 16_384;

    private final EventLoopGroup eventLoops;
    private final Channel channel;

    private Netty4EchoServer(EventLoopGroup eventLoops, Channel channel) {
        this.eventLoops = eventLoops;
        this.channel = channel;
    }

    /** Runs the server until the process is told to stop. */
    public static void main(String[] arguments) {
        try {
            List<String> defaults = EchoOptions.ofServer("--allocator", "default");
            if (EchoOptions.help("Netty4EchoServer", defaults, arguments)) {
                return;
            }
            EchoOptions options = EchoOptions.parse(defaults, arguments);
            boolean epoll = options.choice("--transport", "nio", "epoll").equals("epoll");
            ByteBufAllocator allocator =
                    allocator(options.choice("--allocator", "default", "pooled", "unpooled", "adaptive"));
            Netty4EchoServer server = launch(
                    new InetSocketAddress(options.text("--host"), options.number("--port", 0, 65_535)),
                    options.number("--threads", 1, 1_024),
                    epoll,
                    allocator);
            String version = Version.identify().get("netty-transport").artifactVersion();
            EchoOptions.ready(
                    version,
                    options,
                    server.port(),
                    " allocator=" + allocator.getClass().getSimpleName());
        } catch (RuntimeException | Error e) {
            EchoOptions.fail(e);
        }
    }

    /** The default is Netty's own: pooled in 4.1, adaptive in 4.2. */
    static ByteBufAllocator allocator(String name) {
        switch (name) {
            case "pooled":
                return PooledByteBufAllocator.DEFAULT;
            case "unpooled":
                return UnpooledByteBufAllocator.DEFAULT;
            case "adaptive":
                return new AdaptiveByteBufAllocator();
            default:
                return ByteBufAllocator.DEFAULT;
        }
    }

    /** Listens at the address, port 0 for a free one, with so many threads that read and write. */
    static Netty4EchoServer launch(InetSocketAddress address, int threads, boolean epoll, ByteBufAllocator allocator) {
        if (epoll) {
            Epoll.ensureAvailability();
        }
        EventLoopGroup eventLoops = epoll ? new EpollEventLoopGroup(threads) : new NioEventLoopGroup(threads);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(eventLoops)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.ALLOCATOR, allocator)
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new EchoHandler());
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            // Its threads would keep the process, which never gets ready. Netty itself throws a checked exception here.
            eventLoops.shutdownGracefully();
            throw new ChannelException("cannot listen on " + address + ": " + bound.cause(), bound.cause());
        }
        return new Netty4EchoServer(eventLoops, bound.channel());
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        eventLoops.shutdownGracefully();
    }

    @ChannelHandler.Sharable
    static final class EchoHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            // With a promise for each message, as Netty 3 has a future: else that would be a difference, too.
            context.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
