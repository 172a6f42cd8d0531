package dev.lockstep.echo;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executors;
import org.jboss.netty.bootstrap.ServerBootstrap;
import org.jboss.netty.channel.Channel;
import org.jboss.netty.channel.ChannelHandlerContext;
import org.jboss.netty.channel.Channels;
import org.jboss.netty.channel.ExceptionEvent;
import org.jboss.netty.channel.MessageEvent;
import org.jboss.netty.channel.SimpleChannelUpstreamHandler;
import org.jboss.netty.channel.socket.nio.NioServerSocketChannelFactory;
import org.jboss.netty.util.Version;

/**
 * Sends back what it receives, on Netty 3, which has NIO alone. It serves until a signal ends it; exit code 1 if it
 * cannot start, 2 if the command line is wrong.
 */
public final class Netty3EchoServer implements AutoCloseable {
    private static final int BACKLOG = 16_384;

    private final ServerBootstrap bootstrap;
    private final Channel channel;

    private Netty3EchoServer(ServerBootstrap bootstrap, Channel channel) {
        this.bootstrap = bootstrap;
        this.channel = channel;
    }

    /** Runs the server until the process is told to stop. */
    public static void main(String[] arguments) {
        try {
            List<String> defaults = EchoOptions.ofServer();
            if (EchoOptions.help("Netty3EchoServer", defaults, arguments)) {
                return;
            }
            EchoOptions options = EchoOptions.parse(defaults, arguments);
            options.choice("--transport", "nio");
            Netty3EchoServer server = launch(
                    new InetSocketAddress(options.text("--host"), options.number("--port", 0, 65_535)),
                    options.number("--threads", 1, 1_024));
            EchoOptions.ready(Version.ID.replaceAll("-[0-9a-f]+$", ""), options, server.port(), "");
        } catch (RuntimeException | Error e) {
            EchoOptions.fail(e);
        }
    }

    /** Listens at the address, port 0 for a free one, with so many threads that read and write. */
    static Netty3EchoServer launch(InetSocketAddress address, int threads) {
        ServerBootstrap bootstrap = new ServerBootstrap(new NioServerSocketChannelFactory(
                Executors.newCachedThreadPool(), Executors.newCachedThreadPool(), threads));
        bootstrap.setOption("backlog", BACKLOG);
        bootstrap.setOption("reuseAddress", true);
        bootstrap.setOption("child.tcpNoDelay", true);
        bootstrap.setPipelineFactory(() -> Channels.pipeline(new EchoHandler()));
        return new Netty3EchoServer(bootstrap, bootstrap.bind(address));
    }

    int port() {
        return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
        bootstrap.shutdown();
    }

    private static final class EchoHandler extends SimpleChannelUpstreamHandler {
        @Override
        public void messageReceived(ChannelHandlerContext context, MessageEvent event) {
            event.getChannel().write(event.getMessage());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, ExceptionEvent event) {
            event.getChannel().close();
        }
    }
}
