package dev.lockstep.replayer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.OpaquePieces;
import dev.lockstep.capture.Protocol;
import dev.lockstep.conversion.imports.ImportConfig;
import dev.lockstep.conversion.imports.TrafficImport;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.TestingAcceptor;
import dev.lockstep.replayer.TestingReplay;
import dev.lockstep.replayer.TestingThrift;
import dev.lockstep.replayer.schedule.RecordedSchedule;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replays every packet capture of the test data, much faster than it was recorded, to a server that keeps what it gets
 * and answers each request in its protocol: each connection gets, in the recorded order of connections, the very bytes
 * that its client sent. What is otherwise stands in pcap-replays.tsv with the reason, and nothing else does.
 */
@Tag("full")
final class PcapReplayTest {
    private static final Path DATA = Path.of(System.getProperty("lockstep.testData"));
    private static final long LENGTH_NS = 20_000_000;
    private static final long MS = 1_000_000;

    @TempDir
    private Path folder;

    /** What one recorded connection has to send. */
    private static final class Expected {
        final Protocol protocol;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        /** Where its requests end in these bytes, and what they are answered with. */
        final List<Integer> ends = new ArrayList<>();

        final List<byte[]> answers = new ArrayList<>();
        final List<Long> requestsNs = new ArrayList<>();

        Expected(Protocol protocol) {
            this.protocol = protocol;
        }
    }

    /** Returns what the replayed connections have to send, in the order in which they open. */
    private static List<Expected> expected(Capture capture) {
        Map<Integer, Expected> connections = new TreeMap<>();
        for (int connection = 0; connection < capture.connectionCount(); connection++) {
            if (ConnectionDemand.isReplayed(capture, connection)) {
                connections.put(connection, new Expected(capture.protocol(connection)));
            }
        }
        OpaquePieces opaque = capture.opaque();
        long piece = 0;
        List<Long> pieces = new ArrayList<>();
        for (; piece < opaque.count(); piece++) {
            if (!opaque.isByHole(piece)) {
                pieces.add(piece);
            }
        }
        for (Map.Entry<Integer, Expected> entry : connections.entrySet()) {
            int connection = entry.getKey();
            List<Long> own = pieces.stream()
                    .filter(number -> opaque.connection(number) == connection)
                    .collect(Collectors.toList());
            for (long request = 0; request < capture.requestCount(); request++) {
                if (capture.connection(request) == connection) {
                    addPieces(capture, entry.getValue(), own, capture.indexInConnection(request));
                    addRequest(capture, entry.getValue(), request);
                }
            }
            addPieces(capture, entry.getValue(), own, Long.MAX_VALUE);
        }
        return new ArrayList<>(connections.values());
    }

    private static void addPieces(Capture capture, Expected expected, List<Long> pieces, long requestsBefore) {
        OpaquePieces opaque = capture.opaque();
        while (!pieces.isEmpty() && opaque.requestsBefore(pieces.get(0)) <= requestsBefore) {
            long piece = pieces.remove(0);
            byte[] bytes = new byte[opaque.length(piece)];
            ByteBuffer view = capture.mapping(opaque.mapping(piece));
            view.position(opaque.offset(piece));
            view.get(bytes);
            expected.bytes.writeBytes(bytes);
        }
    }

    private static void addRequest(Capture capture, Expected expected, long request) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int fragment = 0; fragment < capture.fragments(request); fragment++) {
            byte[] part = new byte[capture.fragmentLength(request, fragment)];
            ByteBuffer view = capture.mapping(capture.mapping(request, fragment));
            view.position(capture.offset(request, fragment));
            view.get(part);
            bytes.writeBytes(part);
        }
        expected.bytes.writeBytes(bytes.toByteArray());
        expected.ends.add(expected.bytes.size());
        expected.answers.add(answer(capture, request, bytes.toByteArray()));
        expected.requestsNs.add(capture.timeNs(request));
    }

    private static byte[] answer(Capture capture, long request, byte[] bytes) {
        Protocol protocol = capture.protocol(capture.connection(request));
        if (protocol.isThrift()) {
            boolean upgrades = protocol == Protocol.THRIFT_TTWITTER;
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            boolean refuses = !upgrades && text.contains(TestingThrift.UPGRADE_PROBE);
            return capture.getsAnswer(request) ? TestingThrift.answer(protocol, bytes, refuses ? 1 : -1) : new byte[0];
        }
        boolean isLast = capture.indexInConnection(request) == capture.requestCount(capture.connection(request)) - 1;
        boolean connects = new String(bytes, StandardCharsets.ISO_8859_1).startsWith("CONNECT ");
        if (isLast && protocol != Protocol.HTTP1) {
            return ascii(connects ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 101 Switching Protocols\r\n\r\n");
        }
        return ascii((connects ? "HTTP/1.1 403 Forbidden" : "HTTP/1.1 200 OK") + "\r\nContent-Length: 0\r\n\r\n");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Keeps what comes on each connection and answers where a request ends. */
    private static final class RecordingServer implements AutoCloseable {
        private final TestingAcceptor acceptor;
        private final List<Expected> expected;
        private final List<ByteArrayOutputStream> received = Collections.synchronizedList(new ArrayList<>());
        private final List<List<Long>> arrivalsNs = Collections.synchronizedList(new ArrayList<>());
        private final AtomicInteger open = new AtomicInteger();

        RecordingServer(List<Expected> expected) throws IOException {
            this.expected = expected;
            acceptor = new TestingAcceptor((connection, socket) -> {
                if (connection >= expected.size()) {
                    // Gets no answer.
                    return () -> socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                }
                ByteArrayOutputStream kept = new ByteArrayOutputStream();
                List<Long> times = new ArrayList<>();
                received.add(kept);
                arrivalsNs.add(times);
                open.incrementAndGet();
                Expected script = expected.get(connection);
                return () -> serve(socket, script, kept, times);
            });
        }

        private void serve(Socket socket, Expected script, ByteArrayOutputStream kept, List<Long> times)
                throws IOException {
            try {
                InputStream in = socket.getInputStream();
                byte[] buffer = new byte[16 * 1024];
                int answered = 0;
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    long nowNs = System.nanoTime();
                    kept.write(buffer, 0, read);
                    while (answered < script.ends.size() && script.ends.get(answered) <= kept.size()) {
                        times.add(nowNs);
                        socket.getOutputStream().write(script.answers.get(answered++));
                    }
                }
            } finally {
                open.decrementAndGet();
            }
        }

        InetSocketAddress address() {
            return acceptor.address();
        }

        /** Returns how what came differs from what was to come, or nothing. */
        String difference() throws InterruptedException {
            for (int waits = 0; (open.get() > 0 || received.size() < expected.size()) && waits < 15_000; waits++) {
                TimeUnit.MILLISECONDS.sleep(2);
            }
            if (received.size() != expected.size()) {
                return received.size() + " of " + expected.size() + " connections";
            }
            for (int connection = 0; connection < expected.size(); connection++) {
                byte[] sent = expected.get(connection).bytes.toByteArray();
                byte[] came = received.get(connection).toByteArray();
                int same = Arrays.mismatch(sent, came);
                if (same >= 0) {
                    return "connection " + connection + " of "
                            + expected.get(connection).protocol.label() + " got " + came.length + " of " + sent.length
                            + " bytes, the same up to " + same;
                }
            }
            return "";
        }

        @Override
        public void close() throws IOException {
            acceptor.close();
        }
    }

    private static Capture imported(Path pcap, Path output) {
        TrafficImport.run(ImportConfig.builder()
                .inputs(List.of(pcap))
                .output(output)
                .captureOptions(CaptureOptions.builder())
                .build());
        return Capture.open(output);
    }

    private static LoadResult replay(Capture capture, double speed, long timeoutNs, InetSocketAddress address) {
        ReplayConfig.Builder config =
                ReplayConfig.builder(capture).speed(speed).timeoutNs(timeoutNs).spinNs(0);
        return TestingReplay.to(address, config).result();
    }

    /** Replays a capture and says what was otherwise than recorded, or nothing. */
    private static String replay(Path pcap, Path output) throws Exception {
        try (Capture capture = imported(pcap, output)) {
            for (int connection = 0; connection < capture.connectionCount(); connection++) {
                if (capture.protocol(connection) == Protocol.THRIFT_MUX) {
                    return "ThriftMux";
                }
            }
            List<Expected> expected = expected(capture);
            if (expected.isEmpty()) {
                return "nothing to send";
            }
            boolean isHttp2 = expected.stream().anyMatch(connection -> connection.protocol == Protocol.HTTP2);
            try (RecordingServer server = new RecordingServer(expected)) {
                double speed = Math.max(1, (double) capture.info().lastTimeNs() / LENGTH_NS);
                // The server does not speak HTTP/2: its requests are sent, and not answered.
                LoadResult result = replay(capture, speed, isHttp2 ? 3_000 * MS : 60_000 * MS, server.address());
                String difference = server.difference();
                if (!difference.isEmpty()) {
                    return difference;
                }
                LoadCounts counts = result.counts();
                assertEquals(0, counts.unsent, pcap.toString());
                assertEquals(0, counts.opaqueBytesUnsent, pcap.toString());
                if (!isHttp2 && counts.completed != capture.requestCount()) {
                    return counts.completed + " of " + capture.requestCount() + " requests answered, "
                            + counts.errorsByKind();
                }
                if (capture.requestCount() > 0
                        && !capture.streamSha256().equals(result.streamDigest().sha256())) {
                    return "digest: " + result.streamDigest().absentReason();
                }
                return "";
            }
        }
    }

    @Test
    @Timeout(300)
    void sendsOnEachConnectionWhatItsClientSent() throws Exception {
        List<Path> pcaps;
        try (Stream<Path> files = Files.walk(DATA)) {
            pcaps = files.filter(file -> file.getFileName().toString().contains(".pcap"))
                    .sorted()
                    .collect(Collectors.toList());
        }
        assertTrue(pcaps.size() > 450, () -> pcaps.size() + " captures");
        ExecutorService replays = Executors.newFixedThreadPool(8);
        List<Future<String>> outcomes = new ArrayList<>();
        try {
            for (Path pcap : pcaps) {
                Path output = folder.resolve("capture-" + outcomes.size() + ".bin");
                outcomes.add(replays.submit(() -> {
                    try {
                        return replay(pcap, output);
                    } catch (AssertionError e) {
                        throw new AssertionError(pcap + ": " + e.getMessage(), e);
                    }
                }));
            }
            List<String> differences = new ArrayList<>();
            for (int i = 0; i < outcomes.size(); i++) {
                String outcome = outcomes.get(i).get();
                if (!outcome.isEmpty()) {
                    differences.add(DATA.relativize(pcaps.get(i)) + "\t" + outcome);
                }
            }
            assertEquals(String.join("\n", exceptions()), String.join("\n", differences));
        } finally {
            replays.shutdownNow();
        }
    }

    private static List<String> exceptions() throws IOException {
        String text = new String(
                PcapReplayTest.class.getResourceAsStream("pcap-replays.tsv").readAllBytes(), StandardCharsets.UTF_8);
        List<String> rows = new ArrayList<>();
        for (String row : text.split("\n")) {
            String[] cells = row.split("\t");
            assertEquals(3, cells.length, row);
            rows.add(cells[0] + "\t" + cells[1]);
        }
        return rows.subList(1, rows.size());
    }

    @Test
    @Timeout(60)
    void sendsInOrderAndNeverEarly() throws Exception {
        Path pcap = DATA.resolve("pcap-http/zeek/http__pipelined-requests.pcap");
        try (Capture capture = imported(pcap, folder.resolve("capture.bin"))) {
            List<Expected> expected = expected(capture);
            try (RecordingServer server = new RecordingServer(expected)) {
                double speed = Math.max(1, capture.durationNs() / (500.0 * MS));
                RecordedSchedule schedule = RecordedSchedule.withOpaque(capture, speed);
                long beforeNs = System.nanoTime();
                replay(capture, speed, 60_000 * MS, server.address());

                assertEquals("", server.difference());
                for (int connection = 0; connection < expected.size(); connection++) {
                    List<Long> arrivalsNs = server.arrivalsNs.get(connection);
                    List<Long> requestsNs = expected.get(connection).requestsNs;
                    assertEquals(requestsNs.size(), arrivalsNs.size());
                    for (int i = 0; i < arrivalsNs.size(); i++) {
                        assertTrue(arrivalsNs.get(i) - beforeNs >= schedule.scaled(requestsNs.get(i)));
                        assertTrue(i == 0 || arrivalsNs.get(i) >= arrivalsNs.get(i - 1));
                    }
                }
            }
        }
    }
}
