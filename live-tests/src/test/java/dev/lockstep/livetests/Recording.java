package dev.lockstep.livetests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.capture.RecordType;
import dev.lockstep.protocol.RequestFacts;
import dev.lockstep.protocol.ThriftFacts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What a capture says of each of its connections, read from the records alone. */
final class Recording {
    /** One connection. */
    static final class Connection {
        final int clientPort;
        final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        final List<byte[]> requests = new ArrayList<>();
        final Set<Long> unanswered = new TreeSet<>();
        Protocol protocol = Protocol.UNKNOWN;
        boolean hasGap;
        private final ByteArrayOutputStream request = new ByteArrayOutputStream();

        Connection(int clientPort) {
            this.clientPort = clientPort;
        }

        /** Returns the requests as calls; one whose name the bytes do not say has null for it. */
        List<Call> calls() {
            List<Call> calls = new ArrayList<>();
            for (byte[] bytes : requests) {
                ByteBuf message = Unpooled.wrappedBuffer(bytes);
                ThriftFacts facts =
                        RequestFacts.of(protocol, message, 0, bytes.length).thrift();
                calls.add(
                        facts == null
                                ? new Call(null, false, 0)
                                : new Call(facts.name(), facts.type() == ThriftFacts.Type.ONEWAY, facts.sequenceId()));
            }
            return calls;
        }
    }

    private Recording() {}

    /** Returns the connections in the order of their clients' ports. */
    static List<Connection> read(Path path, List<Integer> clientPorts) {
        List<Connection> connections = read(path);
        Map<Integer, Connection> byPort = new HashMap<>();
        for (Connection connection : connections) {
            byPort.put(connection.clientPort, connection);
        }
        assertEquals(new HashSet<>(clientPorts), byPort.keySet());
        assertEquals(clientPorts.size(), connections.size());
        List<Connection> inOrder = new ArrayList<>();
        for (int port : clientPorts) {
            inOrder.add(byPort.get(port));
        }
        return inOrder;
    }

    /** Returns the connections in the order in which they were recorded. */
    static List<Connection> read(Path path) {
        List<Connection> connections = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(path)) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                if (record.type() == RecordType.CONN_OPEN) {
                    connections.add(
                            new Connection(record.connectionStart().client().getPort()));
                    continue;
                }
                Connection connection = connections.get(record.connection());
                if (record.type() == RecordType.PROTOCOL) {
                    connection.protocol = record.protocol();
                } else if (record.type() == RecordType.NO_ANSWER) {
                    connection.unanswered.add(record.unansweredRequest());
                } else if (record.type() == RecordType.GAP) {
                    connection.hasGap = true;
                } else if (record.type() == RecordType.DATA_C2S) {
                    byte[] bytes = new byte[record.payload().remaining()];
                    record.payload().get(bytes);
                    connection.sent.writeBytes(bytes);
                    if ((record.flags() & RecordFlags.MESSAGE_START) != 0) {
                        connection.request.reset();
                    }
                    connection.request.writeBytes(bytes);
                    if ((record.flags() & RecordFlags.MESSAGE_END) != 0) {
                        connection.requests.add(connection.request.toByteArray());
                    }
                }
            }
        }
        return connections;
    }
}
