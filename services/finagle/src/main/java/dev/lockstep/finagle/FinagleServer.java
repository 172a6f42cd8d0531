package dev.lockstep.finagle;

import com.twitter.finagle.ListeningServer;
import com.twitter.finagle.Service;
import com.twitter.finagle.Thrift;
import com.twitter.finagle.ThriftMux;
import com.twitter.util.Await;
import com.twitter.util.Future;
import com.twitter.util.TimeoutException;
import dev.lockstep.tweets.Call;
import dev.lockstep.tweets.Options;
import dev.lockstep.tweets.TweetStore;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;

/**
 * Serves tweets and the social graph on Finagle. As {@code thriftmux} it takes clients of ThriftMux, TTwitter and plain
 * framed Thrift at one port, as {@code thrift} the latter two.
 *
 * <p>Exit codes: 0 for --help, 1 if it cannot start, 2 if the command line is wrong. It serves until a signal ends it.
 */
public final class FinagleServer {
    private static final int ANSWER_BYTES = 4_096;

    /** Keeps it from being collected, which would reset its level. */
    private static final Logger ROOT = Logger.getLogger("");

    private FinagleServer() {}

    /** Runs the server until the process is told to stop. */
    public static void main(String[] arguments) {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("host", "127.0.0.1");
        defaults.put("port", "9090");
        defaults.put("protocol", "thriftmux");
        defaults.put("seed", Long.toString(TweetStore.DEFAULT_SEED));
        defaults.put("users", Integer.toString(TweetStore.DEFAULT_USERS));
        defaults.put("max-posted", Integer.toString(TweetStore.DEFAULT_MAX_POSTED));
        defaults.put("threads", Integer.toString(Runtime.getRuntime().availableProcessors()));
        if (arguments.length == 1 && (arguments[0].equals("--help") || arguments[0].equals("-h"))) {
            System.out.println("Usage: finagle [OPTION VALUE]...");
            System.out.println("The tweet service on Finagle; --protocol thriftmux takes clients of Thrift too.");
            defaults.forEach((name, value) -> System.out.println("  --" + name + " " + value));
            return;
        }
        quietDown();
        try {
            Options options = Options.parse(defaults, arguments);
            boolean mux = options.choice("protocol", "thrift", "thriftmux").equals("thriftmux");
            setThreads(options.number("threads", 1, 1_024));
            TweetStore store = new TweetStore(
                    options.number("seed", Long.MIN_VALUE, Long.MAX_VALUE),
                    options.number("users", 20, 1_000_000),
                    options.number("max-posted", 0, Integer.MAX_VALUE - 1));
            ListeningServer server = serve(store, new InetSocketAddress(options.text("host"), options.port()), mux);
            System.out.println("finagle ready: " + options.text("protocol") + "://" + options.text("host") + ":"
                    + port(server) + " seed=" + options.text("seed") + " users=" + options.text("users")
                    + " threads=" + options.text("threads") + " jvm=\"" + System.getProperty("java.vm.name") + " "
                    + System.getProperty("java.vm.version") + "\" pid="
                    + ProcessHandle.current().pid());
            // Finagle's threads are daemons.
            Await.ready(server);
        } catch (InterruptedException | TimeoutException e) {
            System.exit(1);
        } catch (IllegalArgumentException e) {
            System.err.println("finagle: " + e.getMessage());
            System.exit(2);
        } catch (Exception | Error e) {
            // Finagle throws a BindException without declaring it. Threads may be running: without an exit the process
            // would stay, and never become ready.
            System.err.println("finagle: cannot start: " + e);
            System.exit(1);
        }
    }

    /** Finagle warns that it cannot read the internals of newer JVMs; opening them to it makes its start fail. */
    static void quietDown() {
        ROOT.setLevel(Level.SEVERE);
    }

    /** Must be called before anything of Finagle is used. */
    static void setThreads(int threads) {
        System.setProperty("com.twitter.finagle.netty4.numWorkers", Integer.toString(threads));
    }

    /** Starts a server, which the caller closes; port 0 stands for a free one. */
    static ListeningServer serve(TweetStore store, InetSocketAddress address, boolean mux) {
        Service<byte[], byte[]> service = new Bytes(new ScalaTweets(store));
        return mux
                ? ThriftMux.server().withLabel("tweets").serve(address, service)
                : Thrift.server().withLabel("tweets").serve(address, service);
    }

    static int port(ListeningServer server) {
        return ((InetSocketAddress) server.boundAddress()).getPort();
    }

    /** A message in, a message out. */
    private static final class Bytes extends Service<byte[], byte[]> {
        private final ScalaTweets tweets;

        Bytes(ScalaTweets tweets) {
            this.tweets = tweets;
        }

        @Override
        public Future<byte[]> apply(byte[] message) {
            Call call;
            try {
                call = Call.read(new TBinaryProtocol(new TMemoryInputTransport(message)));
            } catch (TException e) {
                return Future.exception(e);
            }
            return tweets.answer(call).map(answer -> {
                try {
                    TMemoryBuffer buffer = new TMemoryBuffer(ANSWER_BYTES);
                    answer.write(new TBinaryProtocol(buffer), call);
                    return Arrays.copyOf(buffer.getArray(), buffer.length());
                } catch (TException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }
}
