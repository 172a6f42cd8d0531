package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is found in the packet captures of Thrift, made by several implementations of it, against what the data set's
 * own script finds in them.
 */
final class ThriftCapturesTest {
    private static final List<String[]> MESSAGES = messages();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "arkime/cassandra1.pcap",
                "arkime/thrift.pcap",
                "beats/thrift_echo_binary.pcap",
                "beats/thrift_tutorial.pcap",
                "finagle/finagle-mux-dev.pcapng",
                "thrift-crosstest/java-binary-framed.pcapng",
                "thrift-crosstest/java-client-py-srv-compact-buffered.pcapng",
                "thrift-crosstest/py-json-buffered.pcapng",
                "thrift-tools/calc-service-binary.pcap",
                "thrift-tools/calc-service-compact.pcap",
                "thrift-tools/finagle-thrift.pcap"
            })
    void findsTheMessagesThatTheDataSetsScriptFinds(String capture) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<String> expected = expected(capture);
        List<TestingTraffic.Connection> connections = TestingTraffic.read("pcap-thrift/" + capture);

        assertEquals(expected, found(connections), capture);
        assertEquals(
                expected,
                found(connections.stream()
                        .map(TestingTraffic.Connection::byteByByte)
                        .collect(Collectors.toList())),
                capture + " byte by byte");
        for (int i = 0; i < 20; i++) {
            assertEquals(
                    expected,
                    found(connections.stream()
                            .map(connection -> connection.randomlyCut(random))
                            .collect(Collectors.toList())),
                    capture + ", seed " + seed);
        }
    }

    @Test
    void learnsWhichCallsOfTheTutorialGetNoAnswer() {
        List<String> unanswered = new ArrayList<>();
        for (TestingTraffic.Connection connection : TestingTraffic.read("pcap-thrift/beats/thrift_tutorial.pcap")) {
            unanswered.addAll(new Session(connection).unanswered);
        }

        assertEquals(List.of("zip", "zip"), unanswered);
    }

    @Test
    void namesTheFunctionsInsideMux() {
        List<String> names = new ArrayList<>();
        for (TestingTraffic.Connection connection : TestingTraffic.read("pcap-thrift/finagle/finagle-mux-dev.pcapng")) {
            for (ThriftFacts facts : new Session(connection).requests) {
                names.add(facts.name());
            }
        }

        assertEquals(60, names.size());
        assertTrue(names.stream().allMatch(name -> name.matches("[A-Za-z]+")), () -> "names: " + names);
    }

    @Test
    void keepsTheZlibTransportOpaque() {
        List<TestingTraffic.Connection> connections =
                TestingTraffic.read("pcap-thrift/thrift-crosstest/py-binary-buffered-zlib.pcapng");

        int streams = 0;
        for (TestingTraffic.Connection connection : connections) {
            // The test's driver asks with a line feed whether the server listens.
            if (connection.stream(true).length > 1) {
                Session session = new Session(connection);
                assertEquals(Protocol.THRIFT_ZLIB, session.protocol);
                assertTrue(session.opaque);
                assertEquals(List.of(), session.requests);
                streams++;
            }
        }
        assertTrue(streams > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"binary", "compact"})
    void namesTheFunctionsOfThriftOverHttp(String protocol) {
        // The same client ran in both captures.
        List<String> expected = new ArrayList<>();
        for (String[] message : MESSAGES) {
            if (message[0].equals("thrift-crosstest/py-json-buffered.pcapng") && message[2].equals("client")) {
                expected.add(message[4] + " " + message[5]);
            }
        }
        List<String> found = new ArrayList<>();
        for (TestingTraffic.Connection connection :
                TestingTraffic.read("pcap-thrift/thrift-crosstest/py-" + protocol + "-http.pcapng")) {
            HttpRequestFramer framer = new HttpRequestFramer();
            ByteBuf stream = Unpooled.wrappedBuffer(connection.stream(true));
            for (int from = 0; stream.writerIndex() > 1 && from < stream.writerIndex(); ) {
                int to = framer.feed(stream, from, stream.writerIndex());
                ThriftFacts facts =
                        RequestFacts.of(Protocol.HTTP1, stream, from, to).thrift();
                found.add(facts.name() + " " + facts.type());
                from = to;
            }
        }
        assertEquals(expected, found);
    }

    /** The client's messages of each connection, with what is recognised of it. */
    private static List<String> found(List<TestingTraffic.Connection> connections) {
        List<String> found = new ArrayList<>();
        for (TestingTraffic.Connection connection : connections) {
            Session session = new Session(connection);
            assertFalse(session.opaque);
            for (int i = 0; i < session.requests.size(); i++) {
                ThriftFacts facts = session.requests.get(i);
                String name = session.protocol == Protocol.THRIFT_MUX ? "?" : facts.name();
                found.add(session.forms.get(i) + " " + name + " " + facts.type() + " " + facts.sequenceId());
            }
        }
        return found;
    }

    private static List<String> expected(String capture) {
        List<String> expected = new ArrayList<>();
        for (String[] message : MESSAGES) {
            boolean request = message[5].equals("CALL") || message[5].equals("ONEWAY");
            if (message[0].equals(capture) && message[2].equals("client") && request) {
                expected.add(form(message[3]) + " " + message[4] + " " + message[5] + " " + message[6]);
            }
        }
        assertFalse(expected.isEmpty());
        return expected;
    }

    private static Protocol form(String form) {
        switch (form) {
            case "mux-2":
                return Protocol.THRIFT_MUX;
            case "ttwitter-binary":
                return Protocol.THRIFT_TTWITTER;
            default:
                return Protocol.valueOf("THRIFT_" + form.replace('-', '_').toUpperCase(java.util.Locale.ROOT));
        }
    }

    private static List<String[]> messages() {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                ThriftCapturesTest.class.getResourceAsStream("thrift-messages.tsv"), StandardCharsets.UTF_8))) {
            return reader.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t"))
                    .collect(Collectors.toList());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Plays one connection to a framer. */
    private static final class Session {
        final List<ThriftFacts> requests = new ArrayList<>();
        final List<Protocol> forms = new ArrayList<>();
        final List<String> unanswered = new ArrayList<>();
        final Protocol protocol;
        final boolean opaque;

        private final ByteArrayOutputStream request = new ByteArrayOutputStream();

        Session(TestingTraffic.Connection connection) {
            ConnectionFramer framer = new ConnectionFramer(null, connection.alreadyOpen);
            for (TestingTraffic.Piece piece : connection.pieces) {
                ByteBuf bytes = Unpooled.wrappedBuffer(piece.bytes);
                if (piece.client) {
                    client(framer, bytes);
                } else {
                    framer.feedAnswer(bytes, 0, bytes.writerIndex());
                }
                for (long number = framer.takeUnanswered(); number >= 0; number = framer.takeUnanswered()) {
                    unanswered.add(requests.get((int) number).name());
                }
            }
            protocol = framer.protocol();
            opaque = framer.isOpaque();
        }

        private void client(ConnectionFramer framer, ByteBuf bytes) {
            for (int from = 0; from < bytes.writerIndex(); ) {
                int to = framer.feed(bytes, from, bytes.writerIndex());
                if (!framer.isAside() && !framer.isOpaque()) {
                    for (int i = from; i < to; i++) {
                        request.write(bytes.getByte(i));
                    }
                    if (framer.isBetweenRequests()) {
                        ByteBuf message = Unpooled.wrappedBuffer(request.toByteArray());
                        requests.add(ThriftFacts.of(framer.protocol(), message, 0, message.writerIndex()));
                        forms.add(framer.protocol());
                        request.reset();
                    }
                }
                from = to;
            }
        }
    }
}
