package dev.lockstep.tweets;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.server.TServer;
import org.apache.thrift.server.TThreadedSelectorServer;
import org.apache.thrift.transport.TNonblockingServerSocket;
import org.apache.thrift.transport.TTransportException;

/**
 * Serves tweets and the social graph on libthrift's threaded selector server: framed transport, binary protocol.
 *
 * <p>Exit codes: 0 for --help, 1 if it cannot start, 2 if the command line is wrong. It serves until a signal ends it.
 */
public final class TweetServer implements AutoCloseable {
    private static final int MAX_THREADS = 1_024;
    private static final int MAX_FRAME_BYTES = 1 << 20;
    private static final int BACKLOG = 4_096;

    private final TServer server;
    private final TNonblockingServerSocket socket;
    private final Thread thread;

    private TweetServer(TServer server, TNonblockingServerSocket socket) {
        this.server = server;
        this.socket = socket;
        this.thread = new Thread(server::serve, "thrift server");
    }

    /** Runs the server until the process is told to stop. */
    public static void main(String[] arguments) {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("host", "127.0.0.1");
        defaults.put("port", "9090");
        defaults.put("seed", Long.toString(TweetStore.DEFAULT_SEED));
        defaults.put("users", Integer.toString(TweetStore.DEFAULT_USERS));
        defaults.put("max-posted", Integer.toString(TweetStore.DEFAULT_MAX_POSTED));
        defaults.put("selectors", "1");
        defaults.put("workers", Integer.toString(Runtime.getRuntime().availableProcessors()));
        if (arguments.length == 1 && (arguments[0].equals("--help") || arguments[0].equals("-h"))) {
            System.out.println("Usage: tweets [OPTION VALUE]...");
            System.out.println("A tweet service and a social graph over Thrift, framed binary. Options and defaults:");
            defaults.forEach((name, value) -> System.out.println("  --" + name + " " + value));
            return;
        }
        try {
            Options options = Options.parse(defaults, arguments);
            TweetStore store = new TweetStore(
                    options.number("seed", Long.MIN_VALUE, Long.MAX_VALUE),
                    options.number("users", 20, 1_000_000),
                    options.number("max-posted", 0, Integer.MAX_VALUE - 1));
            TweetServer server = launch(
                    store,
                    new InetSocketAddress(options.text("host"), options.port()),
                    options.number("selectors", 1, MAX_THREADS),
                    options.number("workers", 1, MAX_THREADS));
            Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
            System.out.println("tweets ready: thrift://" + options.text("host") + ":" + server.port() + " seed="
                    + options.text("seed") + " users=" + options.text("users") + " jvm=\""
                    + System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version") + "\" pid="
                    + ProcessHandle.current().pid());
        } catch (IllegalArgumentException e) {
            System.err.println("tweets: " + e.getMessage());
            System.exit(2);
        } catch (TTransportException e) {
            System.err.println("tweets: cannot listen on port: " + e.getMessage());
            System.exit(1);
        }
    }

    /** Starts a server that serves when this returns; port 0 stands for a free one. */
    static TweetServer launch(TweetStore store, InetSocketAddress address, int selectors, int workers)
            throws TTransportException {
        TNonblockingServerSocket socket =
                new TNonblockingServerSocket(new TNonblockingServerSocket.NonblockingAbstractServerSocketArgs()
                        .bindAddr(address)
                        .backlog(BACKLOG));
        TThreadedSelectorServer.Args arguments = new TThreadedSelectorServer.Args(socket)
                .selectorThreads(selectors)
                .workerThreads(workers)
                .processor(new TweetProcessor(new TweetService(store)))
                .protocolFactory(new TBinaryProtocol.Factory());
        arguments.maxReadBufferBytes = MAX_FRAME_BYTES * 64L;
        TweetServer server = new TweetServer(new TThreadedSelectorServer(arguments), socket);
        server.thread.start();
        return server;
    }

    int port() {
        return socket.getPort();
    }

    @Override
    public void close() {
        server.stop();
    }
}
