package dev.lockstep.livetests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TMultiplexedProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.THttpClient;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TZlibTransport;
import org.apache.thrift.transport.layered.TFramedTransport;

/** A client of libthrift's that calls the functions of live.thrift. */
final class JavaClient implements AutoCloseable {
    private static final int TIMEOUT_MS = 60_000;

    private final TTransport transport;
    private final TProtocol in;
    private final TProtocol out;
    private int sequenceId;

    private JavaClient(Combination combination, int port) throws TException {
        transport = transport(combination.transport, port);
        in = JavaServer.protocols(combination.protocol).getProtocol(transport);
        out = combination.multiplexed ? new TMultiplexedProtocol(in, Call.SERVICE) : in;
        if (!transport.isOpen()) {
            transport.open();
        }
    }

    /** Makes the calls, and checks the answers. */
    static void call(Combination combination, int port) throws TException {
        int bigBytes = combination.protocol == MessageProtocol.JSON ? 5_000 : 70_000;
        ThriftValue item = ThriftValue.struct(
                1,
                ThriftValue.of(1, 7),
                ThriftValue.of(2, "item"),
                ThriftValue.list(3, ThriftValue.of(0, 1L), ThriftValue.of(0, 2L)),
                ThriftValue.map(4, ThriftValue.of(0, "a"), ThriftValue.of(0, 1)),
                ThriftValue.of(5, true),
                ThriftValue.of(6, 1.5),
                ThriftValue.set(7, ThriftValue.of(0, "x"), ThriftValue.of(0, "y")));
        try (JavaClient client = new JavaClient(combination, port)) {
            client.call("ping");
            assertEquals(
                    "hello", client.call("echo", ThriftValue.of(1, "hello")).get(0).value);
            assertEquals(
                    5,
                    client.call("add", ThriftValue.of(1, 2), ThriftValue.of(2, 3))
                            .get(0)
                            .value);
            client.send("log", TMessageType.ONEWAY, ThriftValue.of(1, "one"));
            client.send("log", TMessageType.ONEWAY, ThriftValue.of(1, "two"));
            String big = "x".repeat(bigBytes);
            assertEquals(big, client.call("echo", ThriftValue.of(1, big)).get(0).value);
            assertEquals(1, client.call("nested", item).get(0).parts().size());
            assertEquals(
                    "because",
                    client.call("fail", ThriftValue.of(1, "because")).get(1).get(1).value);
            if (!combination.multiplexed) {
                client.callMissing();
            }
            client.send("log", TMessageType.ONEWAY, ThriftValue.of(1, "three"));
            client.call("ping");
        }
    }

    @Override
    public void close() {
        transport.close();
    }

    private static TTransport transport(Transport transport, int port) throws TException {
        switch (transport) {
            case HTTP:
                return new THttpClient("http://127.0.0.1:" + port + "/live");
            case FRAMED:
                return new TFramedTransport(new TSocket("127.0.0.1", port, TIMEOUT_MS));
            case ZLIB:
                return new TZlibTransport(new TSocket("127.0.0.1", port, TIMEOUT_MS));
            default:
                return new TSocket("127.0.0.1", port, TIMEOUT_MS);
        }
    }

    private void send(String name, byte type, ThriftValue... arguments) throws TException {
        sequenceId++;
        out.writeMessageBegin(new TMessage(name, type, sequenceId));
        ThriftValue.struct(0, arguments).write(out);
        out.writeMessageEnd();
        transport.flush();
    }

    /** Calls a function that the service has not. */
    private void callMissing() throws TException {
        send("missing", TMessageType.CALL);
        assertEquals(new TMessage("missing", TMessageType.EXCEPTION, sequenceId), in.readMessageBegin());
        assertEquals(
                TApplicationException.UNKNOWN_METHOD,
                TApplicationException.readFrom(in).getType());
        in.readMessageEnd();
    }

    private ThriftValue call(String name, ThriftValue... arguments) throws TException {
        send(name, TMessageType.CALL, arguments);
        TMessage answer = in.readMessageBegin();
        assertEquals(new TMessage(name, TMessageType.REPLY, sequenceId), answer);
        ThriftValue result = ThriftValue.read(in, TType.STRUCT, 0);
        in.readMessageEnd();
        return result;
    }
}
