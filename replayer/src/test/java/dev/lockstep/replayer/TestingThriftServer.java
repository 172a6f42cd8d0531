package dev.lockstep.replayer;

import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.ConnectionFramer;
import dev.lockstep.protocol.RequestFacts;
import dev.lockstep.protocol.ThriftFacts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A Thrift server over blocking sockets that keeps what it received and answers in order, as the test says. */
public final class TestingThriftServer implements AutoCloseable {
    /** Answers a call. */
    public interface Handler {
        /**
         * Returns the answer's bytes, none where the call gets no answer, or null to close the connection.
         *
         * @param protocol what the connection was recognised as
         * @param name the function's, null where the bytes do not say
         * @param call the call's bytes with their framing
         */
        byte[] answer(int connection, Protocol protocol, String name, boolean oneway, byte[] call);
    }

    static final byte[] NOTHING = {};

    /** Replies to every call but oneway ones; knows no upgrade to TTwitter. */
    public static final Handler PLAIN = (connection, protocol, name, oneway, call) ->
            oneway ? NOTHING : TestingThrift.answer(protocol, call, TestingThrift.UPGRADE_PROBE.equals(name) ? 1 : -1);

    /** Like {@link #PLAIN}, but upgrades connections to TTwitter that ask for it. */
    public static final Handler FINAGLE =
            (connection, protocol, name, oneway, call) -> oneway ? NOTHING : TestingThrift.answer(protocol, call, -1);

    private final TestingAcceptor acceptor;
    private final Handler handler;
    private final Map<Integer, ByteArrayOutputStream> received = new ConcurrentHashMap<>();
    private final List<String> calls = new CopyOnWriteArrayList<>();

    public TestingThriftServer(Handler handler) throws IOException {
        this.handler = handler;
        acceptor = new TestingAcceptor((connection, socket) -> {
            ByteArrayOutputStream kept = new ByteArrayOutputStream();
            received.put(connection, kept);
            return () -> serve(connection, socket, kept);
        });
    }

    public InetSocketAddress address() {
        return acceptor.address();
    }

    /** Returns the bytes received on the n-th connection, in order of acceptance from 0. */
    public byte[] received(int connection) {
        ByteArrayOutputStream kept = received.get(connection);
        synchronized (kept) {
            return kept.toByteArray();
        }
    }

    /** Returns how many connections were accepted. */
    public int connections() {
        return acceptor.connections();
    }

    /** Returns the calls' names in order of arrival, "?" where the bytes do not say. */
    public List<String> calls() {
        return calls;
    }

    private void serve(int connection, Socket socket, ByteArrayOutputStream kept) throws IOException {
        ConnectionFramer framer = new ConnectionFramer(null, false);
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        byte[] buffer = new byte[64 * 1024];
        InputStream in = socket.getInputStream();
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            synchronized (kept) {
                kept.write(buffer, 0, length);
            }
            ByteBuf bytes = Unpooled.wrappedBuffer(buffer, 0, length);
            for (int from = 0; from < length; ) {
                int next = framer.feed(bytes, from, length);
                request.write(buffer, from, next - from);
                from = next;
                if (framer.isBetweenRequests()) {
                    byte[] answer = answer(connection, framer.protocol(), request.toByteArray());
                    request.reset();
                    if (answer == null) {
                        return;
                    }
                    framer.feedAnswer(Unpooled.wrappedBuffer(answer), 0, answer.length);
                    socket.getOutputStream().write(answer);
                }
            }
        }
    }

    private byte[] answer(int connection, Protocol protocol, byte[] call) {
        ThriftFacts facts = RequestFacts.of(protocol, Unpooled.wrappedBuffer(call), 0, call.length)
                .thrift();
        calls.add(facts == null ? "?" : facts.name());
        boolean oneway = facts != null && facts.type() == ThriftFacts.Type.ONEWAY;
        return handler.answer(connection, protocol, facts == null ? null : facts.name(), oneway, call);
    }

    @Override
    public void close() throws IOException {
        acceptor.close();
    }
}
