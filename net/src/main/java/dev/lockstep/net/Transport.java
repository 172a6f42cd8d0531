package dev.lockstep.net;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.ThreadFactory;

/**
 * The kind of event loop this process uses, and why. Immutable; safe to use from any thread.
 *
 * <p>Epoll is taken where its native library loads; elsewhere NIO stands in, and {@link #describe()} says so with the
 * reason, which every run prints: a silent fallback would spoil comparisons between machines.
 */
public final class Transport {
    /** Netty's: after so many turns in a row that found nothing ready, NIO makes a new selector. */
    private static final String REBUILD_AFTER = "io.netty.selectorAutoRebuildThreshold";

    private final boolean epoll;
    private final String reason;

    private Transport(boolean epoll, String reason) {
        this.epoll = epoll;
        this.reason = reason;
    }

    /** Returns epoll where it loads and was not switched off with {@code -Dlockstep.transport=nio}, else NIO. */
    public static Transport best() {
        if ("nio".equals(System.getProperty("lockstep.transport"))) {
            return nio("asked for by -Dlockstep.transport=nio");
        }
        if (Epoll.isAvailable()) {
            return new Transport(true, "native library loaded");
        }
        Throwable cause = Epoll.unavailabilityCause();
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return nio("epoll is not available: " + cause);
    }

    /**
     * Returns the NIO transport.
     *
     * @param reason why epoll is not used, for {@link #describe()}
     */
    public static Transport nio(String reason) {
        return new Transport(false, reason);
    }

    public String name() {
        return epoll ? "epoll" : "nio";
    }

    /** The name with the reason for it, in one line for people. */
    public String describe() {
        return name() + " (" + reason + ")";
    }

    /** Makes event loops that sleep where nothing is ready. */
    public EventLoopGroup eventLoops(int threads, String name) {
        return eventLoops(threads, name, DefaultSelectStrategyFactory.INSTANCE);
    }

    /**
     * Makes event loops.
     *
     * @param threads how many loops, each with a daemon thread of its own
     * @param name with which the names of the threads begin
     * @param selectStrategy decides at every turn of a loop whether it sleeps or polls
     * @return loops that the caller shuts down
     */
    public EventLoopGroup eventLoops(int threads, String name, SelectStrategyFactory selectStrategy) {
        ThreadFactory threadFactory = new DefaultThreadFactory(name, true);
        return epoll
                ? new EpollEventLoopGroup(threads, threadFactory, selectStrategy)
                : nioEventLoops(threads, threadFactory, selectStrategy);
    }

    private static EventLoopGroup nioEventLoops(
            int threads, ThreadFactory threadFactory, SelectStrategyFactory selectStrategy) {
        // A loop that polls finds nothing ready most of the time. After 512 such turns Netty takes its selector for
        // broken, as old JDKs had it, and registers all channels anew with another one: a delay of our own making. It
        // reads this once, when its first loop is made.
        if (System.getProperty(REBUILD_AFTER) == null) {
            System.setProperty(REBUILD_AFTER, "0");
        }
        return new NioEventLoopGroup(threads, threadFactory, SelectorProvider.provider(), selectStrategy);
    }

    public Class<? extends SocketChannel> socketChannel() {
        return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    public Class<? extends ServerChannel> serverSocketChannel() {
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }
}
