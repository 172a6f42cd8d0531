package dev.lockstep.finagle;

import com.twitter.finagle.Service;
import com.twitter.finagle.Thrift;
import com.twitter.finagle.ThriftMux;
import com.twitter.finagle.thrift.ClientId;
import com.twitter.finagle.thrift.ThriftClientRequest;
import com.twitter.util.Await;
import com.twitter.util.Duration;
import com.twitter.util.Future;
import dev.lockstep.tweets.Call;
import dev.lockstep.tweets.Load;
import dev.lockstep.tweets.Options;
import dev.lockstep.tweets.TweetStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;
import scala.runtime.BoxedUnit;

/**
 * A Finagle client that calls a tweet service as many clients would: sessions of one connection each, calls at the
 * instants of a Poisson process, whether or not earlier ones are answered. What is called, and when, comes from a seed.
 *
 * <p>Exit codes: 0 if every call was answered, 1 if not, 2 if the command line is wrong.
 */
public final class FinagleClient {
    private static final int REQUEST_BYTES = 256;

    private final List<Service<ThriftClientRequest, byte[]>> sessions = new ArrayList<>();
    private final AtomicLong replies = new AtomicLong();
    private final AtomicLong exceptions = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();

    private FinagleClient() {}

    /** Calls for the time that is asked for, waits for the answers, prints how many there were, and exits. */
    public static void main(String[] arguments) throws Exception {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("host", "127.0.0.1");
        defaults.put("port", "9090");
        defaults.put("protocol", "thriftmux");
        defaults.put("kind", "tweets");
        defaults.put("sessions", "8");
        defaults.put("rate", "200");
        defaults.put("seconds", "10");
        defaults.put("seed", "7");
        defaults.put("server-seed", Long.toString(TweetStore.DEFAULT_SEED));
        defaults.put("users", Integer.toString(TweetStore.DEFAULT_USERS));
        if (arguments.length == 1 && (arguments[0].equals("--help") || arguments[0].equals("-h"))) {
            System.out.println("Usage: FinagleClient [OPTION VALUE]...");
            System.out.println("Calls a tweet service at a rate per second. --protocol thriftmux, ttwitter or thrift;");
            System.out.println("--kind tweets or graph; --server-seed and --users as the server's.");
            defaults.forEach((name, value) -> System.out.println("  --" + name + " " + value));
            return;
        }
        FinagleServer.quietDown();
        int status;
        try {
            status = new FinagleClient().run(Options.parse(defaults, arguments));
        } catch (IllegalArgumentException e) {
            System.err.println("finagle-client: " + e.getMessage());
            status = 2;
        }
        System.exit(status);
    }

    private int run(Options options) throws Exception {
        String protocol = options.choice("protocol", "thriftmux", "ttwitter", "thrift");
        Load.Kind kind =
                Load.Kind.valueOf(options.choice("kind", "tweets", "graph").toUpperCase(Locale.ROOT));
        int count = options.number("sessions", 1, 10_000);
        double ratePerSec = options.number("rate", 1, 1_000_000);
        long calls = (long) (ratePerSec * options.number("seconds", 1, 1_000_000));
        long seed = options.number("seed", Long.MIN_VALUE, Long.MAX_VALUE);
        int users = options.number("users", 20, 1_000_000);
        if (count > users) {
            throw new IllegalArgumentException("--sessions must be at most --users, " + users + ", not " + count);
        }
        TweetStore store = new TweetStore(options.number("server-seed", Long.MIN_VALUE, Long.MAX_VALUE), users, 0);
        String address = options.text("host") + ":" + options.port();
        List<Load> loads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sessions.add(connect(protocol, address, "session" + i));
            loads.add(new Load(store, kind, seed, i, count));
        }
        List<Future<byte[]>> open = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(seed);
        long atNs = System.nanoTime();
        for (long i = 0; i < calls; i++) {
            // The first calls open the connections one after the other.
            int session = i < count ? (int) i : random.nextInt(count);
            atNs += (long) (-Math.log(1 - random.nextDouble()) / ratePerSec * 1e9);
            await(atNs);
            Future<byte[]> answer = sessions.get(session)
                    .apply(new ThriftClientRequest(encode(loads.get(session).next()), false));
            if (calls - i <= 10_000) {
                open.add(answer);
            }
            answer.onSuccess(message -> {
                count(message);
                return BoxedUnit.UNIT;
            });
            answer.onFailure(failure -> {
                if (failures.getAndIncrement() == 0) {
                    System.err.println("finagle-client: the first failure: " + failure);
                }
                return BoxedUnit.UNIT;
            });
        }
        for (Future<byte[]> answer : open) {
            Await.ready(answer, Duration.fromSeconds(30));
        }
        for (Service<ThriftClientRequest, byte[]> session : sessions) {
            Await.ready(session.close(), Duration.fromSeconds(5));
        }
        System.out.println("finagle-client: " + calls + " calls over " + protocol + ", " + replies + " replies, "
                + exceptions + " declared exceptions, " + failures + " failures");
        return replies.get() + exceptions.get() == calls ? 0 : 1;
    }

    /** One connection: a session's calls reach the server in their order. */
    private static Service<ThriftClientRequest, byte[]> connect(String protocol, String address, String label) {
        ClientId id = new ClientId("lockstep.load");
        if (protocol.equals("thriftmux")) {
            return ThriftMux.client().withClientId(id).newService(address, label);
        }
        Thrift.Client client = Thrift.client().withClientId(id);
        if (protocol.equals("thrift")) {
            client = client.withNoAttemptTTwitterUpgrade();
        }
        return client.withSessionPool().maxSize(1).newService(address, label);
    }

    private static void await(long atNs) {
        for (long left = atNs - System.nanoTime(); left > 0; left = atNs - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static byte[] encode(Call call) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(REQUEST_BYTES);
        call.write(new TBinaryProtocol(buffer));
        return Arrays.copyOf(buffer.getArray(), buffer.length());
    }

    private void count(byte[] message) {
        try {
            TProtocol in = new TBinaryProtocol(new TMemoryInputTransport(message));
            TMessage head = in.readMessageBegin();
            in.readStructBegin();
            TField field = in.readFieldBegin();
            if (head.type != TMessageType.REPLY || field.type == TType.STOP) {
                failures.incrementAndGet();
            } else if (field.id == 0) {
                replies.incrementAndGet();
            } else {
                exceptions.incrementAndGet();
            }
        } catch (TException e) {
            failures.incrementAndGet();
        }
    }
}
