package dev.lockstep.livetests;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.recorder.PassiveConfig;
import dev.lockstep.recorder.PassiveRecording;
import dev.lockstep.recorder.RecorderException;
import dev.lockstep.recorder.RecordingConfig;
import dev.lockstep.recorder.RecordingProxy;
import dev.lockstep.recorder.RecordingStatus;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.TargetReplay;
import io.netty.buffer.ByteBufUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients of three Thrift libraries call servers of three, in every form that they have in common, through the
 * recording proxy; at the same time the packets between the clients and the proxy are recorded passively. What is
 * recorded, by both, is what the clients sent and called. Then the capture is replayed to the same server, which sees
 * the same calls.
 */
@Tag("full")
@Timeout(240)
final class ThriftLiveTest {
    private static PythonPeers python;
    private static String withoutPython;

    @TempDir
    Path directory;

    @BeforeAll
    static void startPython() throws Exception {
        withoutPython = PythonPeers.reasonAgainst();
        if (withoutPython == null) {
            python = PythonPeers.start();
        }
    }

    @AfterAll
    static void stopPython() throws Exception {
        if (python != null) {
            python.close();
        }
    }

    static List<Combination> servers() {
        List<Combination> servers = new ArrayList<>();
        for (Library library : Library.values()) {
            for (Transport transport : Transport.values()) {
                for (MessageProtocol protocol : MessageProtocol.values()) {
                    if (library.serves(transport, protocol)) {
                        servers.add(new Combination(library, transport, protocol, false));
                        if (transport == Transport.UNFRAMED || transport == Transport.FRAMED) {
                            servers.add(new Combination(library, transport, protocol, true));
                        }
                    }
                }
            }
        }
        return servers;
    }

    /** Clients of the server's own form; and a server of THeader answers what it is asked in. */
    static List<Combination> clients(Combination server) {
        List<Combination> clients = new ArrayList<>();
        for (Library library : Library.values()) {
            if (library.has(server.transport, server.protocol) && (library == Library.JAVA || python != null)) {
                clients.add(new Combination(library, server.transport, server.protocol, server.multiplexed));
            }
            if (server.transport == Transport.HEADER) {
                clients.add(new Combination(library, Transport.FRAMED, server.protocol, false));
                clients.add(new Combination(library, Transport.UNFRAMED, server.protocol, false));
            }
        }
        return clients;
    }

    @ParameterizedTest
    @MethodSource("servers")
    void recordsWhatClientsSendByProxyAndPassivelyAndReplaysIt(Combination server) throws Exception {
        assumeTrue(server.library == Library.JAVA || withoutPython == null, withoutPython);
        List<Combination> clients = clients(server);
        Path file = directory.resolve("proxy.bin");
        String withoutPackets;
        try (Running running = serve(server)) {
            withoutPackets = record(server, clients, running, file);
            List<String> calls = new ArrayList<>();
            for (int i = 0; i < clients.size(); i++) {
                Call.expected(clients.get(i))
                        .forEach(call -> calls.add(call.name.substring(call.name.indexOf(':') + 1)));
            }
            if (server.library == Library.THRIFTPY2) {
                // It answers for its handler.
                calls.removeIf("missing"::equals);
            }
            // Some servers answer a call before they have done the oneway one in front of it.
            assertEquals(sorted(calls), sorted(running.awaitCalls(calls.size())), server.toString());
            replay(server, clients, running, file);
            calls.addAll(calls);
            assertEquals(sorted(calls), sorted(running.awaitCalls(calls.size())), "replay to " + server);
        }
        assumeTrue(withoutPackets == null, withoutPackets);
    }

    /** Records the clients' calls twice, and checks both; returns why the second, of the packets, could not be made. */
    private String record(Combination server, List<Combination> clients, Running running, Path proxyFile)
            throws Exception {
        Path passiveFile = directory.resolve("passive.bin");
        List<byte[]> sent;
        List<Integer> ports;
        List<Integer> firstConnections = new ArrayList<>();
        String withoutPackets = null;
        try (RecordingProxy proxy = RecordingProxy.launch(RecordingConfig.builder()
                        .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .upstream(new InetSocketAddress(InetAddress.getLoopbackAddress(), running.port))
                        .capture(proxyFile)
                        .build());
                TappingRelay relay = TappingRelay.start(proxy.boundAddress().getPort())) {
            PassiveRecording passive = null;
            try {
                passive = PassiveRecording.launch(PassiveConfig.builder()
                        .interfaceName("lo")
                        .ports(proxy.boundAddress().getPort())
                        .capture(passiveFile)
                        .build());
            } catch (RecorderException e) {
                withoutPackets = e.getMessage();
            }
            try {
                for (Combination client : clients) {
                    firstConnections.add(relay.sent().size());
                    if (client.library == Library.JAVA) {
                        JavaClient.call(client, relay.port());
                    } else {
                        python.call(client, relay.port());
                    }
                }
                ports = relay.ports();
                awaitAll(server, clients.size(), ports.size(), proxy::status);
                if (passive != null) {
                    awaitAll(server, clients.size(), ports.size(), passive::status);
                }
                sent = relay.sent();
            } finally {
                if (passive != null) {
                    passive.close();
                }
            }
        }
        firstConnections.add(sent.size());
        check(server, clients, firstConnections, sent, Recording.read(proxyFile, ports));
        if (withoutPackets == null) {
            check(server, clients, firstConnections, sent, Recording.read(passiveFile, ports));
        }
        return withoutPackets;
    }

    /** Replays the capture to the server that was recorded: all calls are answered, and the bytes are the same. */
    private static void replay(Combination server, List<Combination> clients, Running running, Path file)
            throws Exception {
        try (Capture capture = Capture.open(file);
                TappingRelay relay = TappingRelay.start(running.port);
                Replayer replayer = Replayer.launchCold(ReplayConfig.builder(capture)
                        .speed(4)
                        .timeoutNs(60_000_000_000L)
                        .spinNs(0)
                        .build())) {
            TargetReplay target =
                    replayer.addTarget("live", new InetSocketAddress(InetAddress.getLoopbackAddress(), relay.port()));
            replayer.measure(List.of(target), 0, 1, Replayer.Progress.NONE);
            replayer.finish();

            LoadCounts counts = target.result().counts();
            String what = "replay to " + server;
            assertEquals(Map.of(), counts.errorsByKind(), what);
            assertEquals(exceptions(server, clients), counts.exceptionsAsRecorded, what);
            assertEquals(capture.requestCount(), counts.completed, what);
            assertEquals(capture.requestCount(), counts.sent, what);
            assertEquals(0, counts.strayAnswers, what);
            long oneway = 0;
            for (Recording.Connection connection : Recording.read(file)) {
                oneway += connection.unanswered.size();
            }
            assertEquals(oneway, counts.oneway, what);
            awaitSent(sent(file), relay);
            assertEquals(hex(sent(file)), hex(relay.sent()), what);
        }
    }

    /** Waits until the relay has read as much; the last bytes that no answer was awaited for may be under way. */
    private static void awaitSent(List<byte[]> expected, TappingRelay relay) throws InterruptedException {
        long deadlineNs = System.nanoTime() + 60_000_000_000L;
        while (bytes(relay.sent()) < bytes(expected) && System.nanoTime() < deadlineNs) {
            Thread.sleep(5);
        }
    }

    private static long bytes(List<byte[]> streams) {
        return streams.stream().mapToLong(stream -> stream.length).sum();
    }

    /** Returns how many calls of a missing function can be seen to fail: not those in HTTP, nor in opaque streams. */
    private static long exceptions(Combination server, List<Combination> clients) {
        boolean seen = server.transport != Transport.HTTP
                && server.transport != Transport.ZLIB
                && server.protocol != MessageProtocol.OWN_JSON;
        return seen && !server.multiplexed ? clients.size() : 0;
    }

    private static List<byte[]> sent(Path file) {
        List<byte[]> sent = new ArrayList<>();
        Recording.read(file).forEach(connection -> sent.add(connection.sent.toByteArray()));
        return sent;
    }

    /** Returns the streams in an order of their own: connections that are opened at once may be accepted in any. */
    private static List<String> hex(List<byte[]> streams) {
        List<String> hex = new ArrayList<>();
        streams.forEach(stream -> hex.add(ByteBufUtil.hexDump(stream)));
        return sorted(hex);
    }

    private static List<String> sorted(List<String> strings) {
        List<String> sorted = new ArrayList<>(strings);
        Collections.sort(sorted);
        return sorted;
    }

    private void check(
            Combination server,
            List<Combination> clients,
            List<Integer> firstConnections,
            List<byte[]> sent,
            List<Recording.Connection> recorded) {
        for (int i = 0; i < sent.size(); i++) {
            assertArrayEquals(sent.get(i), recorded.get(i).sent.toByteArray(), server + ", connection " + i);
            assertFalse(recorded.get(i).hasGap);
        }
        for (int i = 0; i < clients.size(); i++) {
            Combination client = clients.get(i);
            String what = client + " calls " + server;
            List<Call> calls = new ArrayList<>();
            Set<Long> unanswered = new TreeSet<>();
            for (Recording.Connection connection :
                    recorded.subList(firstConnections.get(i), firstConnections.get(i + 1))) {
                assertEquals(protocol(client), connection.protocol, what);
                for (long number : connection.unanswered) {
                    unanswered.add(calls.size() + number);
                }
                calls.addAll(connection.calls());
            }
            checkCalls(client, what, calls, unanswered);
        }
    }

    private static void checkCalls(Combination client, String what, List<Call> calls, Set<Long> unanswered) {
        List<Call> expected = Call.expected(client);
        Set<Long> oneway = new TreeSet<>();
        for (int i = 0; i < expected.size(); i++) {
            if (expected.get(i).oneway) {
                oneway.add((long) i);
            }
        }
        if (client.transport == Transport.ZLIB
                || client.protocol == MessageProtocol.OWN_JSON && client.transport != Transport.HTTP) {
            assertEquals(List.of(), calls, what);
        } else if (client.transport == Transport.HEADER_ZLIB || client.protocol == MessageProtocol.OWN_JSON) {
            assertEquals(expected.size(), calls.size(), what);
            assertTrue(calls.stream().allMatch(call -> call.name == null), what);
        } else {
            assertEquals(expected, calls, what);
            // HTTP answers them too.
            assertEquals(client.transport == Transport.HTTP ? Set.of() : oneway, unanswered, what);
        }
    }

    private static Protocol protocol(Combination client) {
        switch (client.transport) {
            case ZLIB:
                return Protocol.THRIFT_ZLIB;
            case HTTP:
                return Protocol.HTTP1;
            case FRAMED:
            case UNFRAMED:
                if (client.protocol == MessageProtocol.OWN_JSON) {
                    return Protocol.UNKNOWN;
                }
                String message = client.protocol == MessageProtocol.OLD_BINARY ? "BINARY" : client.protocol.name();
                return Protocol.valueOf("THRIFT_" + client.transport + "_" + message);
            default:
                return Protocol.THRIFT_HEADER;
        }
    }

    /** Waits until all was seen: each call where it is known what one is, or else the end of each connection. */
    private static void awaitAll(Combination server, int clients, int connections, Supplier<RecordingStatus> status)
            throws InterruptedException {
        long deadlineNs = System.nanoTime() + 60_000_000_000L;
        while (true) {
            RecordingStatus now = status.get();
            boolean all = server.transport == Transport.HTTP
                    ? now.requests() == clients * Call.COUNT
                    : now.connections() == connections && now.openConnections() == 0;
            if (all) {
                return;
            }
            String seen = now.requests() + " requests on " + now.connections() + " connections, of which "
                    + now.openConnections() + " are open";
            assertTrue(System.nanoTime() < deadlineNs, seen);
            Thread.sleep(5);
        }
    }

    private Running serve(Combination server) throws Exception {
        if (server.library == Library.JAVA) {
            JavaServer java = JavaServer.start(server);
            return new Running(java.port(), java);
        }
        return new Running(python.serve(server), null);
    }

    /** A server that runs; Python's end with their process. */
    private static final class Running implements AutoCloseable {
        final int port;
        private final JavaServer java;

        Running(int port, JavaServer java) {
            this.port = port;
            this.java = java;
        }

        /** Returns the names of the calls that came so far, when there are this many. */
        List<String> awaitCalls(int count) throws Exception {
            long deadlineNs = System.nanoTime() + 60_000_000_000L;
            while (true) {
                List<String> calls = java != null ? new ArrayList<>(java.calls()) : python.calls(port);
                if (calls.size() >= count || System.nanoTime() > deadlineNs) {
                    return calls;
                }
                Thread.sleep(5);
            }
        }

        @Override
        public void close() {
            if (java != null) {
                java.close();
            }
        }
    }
}
