package dev.lockstep.cli.captures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.RecordType;
import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.imports.ImportConfig;
import dev.lockstep.conversion.imports.ImportFormat;
import dev.lockstep.conversion.imports.TrafficImport;
import dev.lockstep.recorder.RecordingConfig;
import dev.lockstep.recorder.RecordingProxy;
import dev.lockstep.redaction.RedactionKey;
import dev.lockstep.redaction.RedactionPolicy;
import dev.lockstep.redaction.Unsearchable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * No secret reaches the disk, whatever carries it and however it is damaged: it is replaced or left out, or the command
 * says first that something could not be searched.
 */
@Timeout(240)
class SecretsSweepTest {
    /** The same each time, so that a build that passed passes again; -Dsweep.seed=N looks elsewhere. */
    private final long seed = Long.getLong("sweep.seed", 2_611);

    private final Random random = new Random(seed);
    private final PlantedTraffic traffic = new PlantedTraffic(seed);

    @TempDir
    private Path folder;

    private RedactionPolicy rules;
    private Path capture;

    @BeforeEach
    void writeRules() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yaml"), PlantedTraffic.RULES);
        rules = RedactionPolicy.load(file, RedactionKey.random());
        capture = folder.resolve("capture.bin");
    }

    @Test
    void letsNoSecretThroughOfPackets() throws IOException {
        importPackets(40);
    }

    @Test
    @Tag("full")
    void letsNoSecretThroughOfManyPackets() throws IOException {
        importPackets(250);
    }

    @Test
    void letsNoSecretThroughOfPayloads() throws IOException {
        importPayloads(20);
    }

    @Test
    @Tag("full")
    void letsNoSecretThroughOfManyPayloads() throws IOException {
        importPayloads(250);
    }

    @Test
    void letsNoSecretThroughTheProxy() throws Exception {
        sendThroughProxy(15);
    }

    @Test
    @Tag("full")
    void letsNoSecretThroughTheProxyWithMany() throws Exception {
        sendThroughProxy(250);
    }

    @Test
    void saysFirstWhatCouldNotBeSearched() throws IOException {
        String file = packets("GET /\33 HTTP/1.1\r\nAuthorization: Bearer c0nf1d3nt14l\r\n\r\n");
        Path filtered = folder.resolve("filtered.bin");

        String dropped = run("import", file, "-o", capture + "");
        assertTrue(
                dropped.startsWith("LEFT OUT: 55 bytes of 1 connection that cannot be searched for secrets "
                        + "(--unsearchable keep keeps them)\n"),
                dropped);
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next() != null) {}
            CaptureInfo info = reader.info();
            assertEquals(1, info.unsearchedConnections());
            assertEquals(55, info.unsearchedLeftOutBytes());
            assertEquals(55, info.gapBytes());
            assertEquals(0, info.dataBytes());
        }
        String inspected = run("inspect", capture + "");
        assertTrue(inspected.contains("\nLeft out: 55 bytes of 1 connection that could not be searched"), inspected);

        String kept = run("import", file, "-o", capture + "", "--force", "--unsearchable", "keep");
        assertTrue(
                kept.startsWith("NOT SEARCHED for secrets but for headers and parameters: 55 bytes of 1 connection, "
                        + "in the file (--unsearchable drop leaves them out)\n"),
                kept);
        assertFalse(Files.readString(capture, StandardCharsets.ISO_8859_1).contains("c0nf1d3nt14l"));
        inspected = run("inspect", "--json", capture + "");
        assertTrue(inspected.contains("\"keptBytes\" : 55"), inspected);

        String again = run("filter", capture + "", "-o", filtered + "", "--redact");
        assertTrue(again.startsWith("LEFT OUT: 55 bytes of 1 connection"), again);
        inspected = run("inspect", "--json", filtered + "");
        assertTrue(inspected.contains("\"leftOutBytes\" : 55"), inspected);
        assertTrue(inspected.contains("\"keptBytes\" : 0"), inspected);

        TestingCommandLine wrong = new TestingCommandLine();
        assertEquals(ExitCode.USAGE, wrong.execute("import", file, "-o", "x", "--no-redact", "--unsearchable", "drop"));
        assertTrue(wrong.err().contains("found --unsearchable"), wrong.err());
        assertEquals(ExitCode.USAGE, wrong.execute("filter", capture + "", "-o", "x", "--unsearchable", "keep"));
        assertEquals(ExitCode.USAGE, wrong.execute("import", file, "-o", "x", "--unsearchable", "none"));
        assertTrue(wrong.err().contains("expected drop or keep, found 'none'"), wrong.err());
    }

    @Test
    void saysFirstOfWhichTypesTheBodiesAreThatWereNotSearched() throws IOException {
        String file = packets("POST /a HTTP/1.1\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\n\1PNG");
        String imported = run("import", file, "-o", capture + "");
        assertTrue(imported.startsWith("NOT SEARCHED for secrets: 1 body (1 image/png), in the file\n"), imported);
    }

    /** Returns a file of packets with one connection, whose client sent this. */
    private String packets(String stream) throws IOException {
        TestingPcap pcap = new TestingPcap();
        pcap.add(List.of(stream.getBytes(StandardCharsets.US_ASCII)), true, -1);
        return pcap.writeTo(folder.resolve("packets.pcap")).toString();
    }

    private static String run(String... args) {
        TestingCommandLine line = new TestingCommandLine();
        assertEquals(ExitCode.DONE, line.execute(args), line::err);
        return line.out();
    }

    /** One connection a file, so that what the counts say is said of it. */
    private void importPackets(int streams) throws IOException {
        for (int i = 0; i < streams; i++) {
            PlantedTraffic.Stream stream = traffic.next();
            TestingPcap pcap = new TestingPcap();
            boolean begins = random.nextInt(4) != 0;
            List<byte[]> pieces = traffic.pieces(stream.bytes);
            int missing = random.nextInt(4) == 0 ? random.nextInt(pieces.size()) : -1;
            pcap.add(pieces, begins, missing);
            Path file = pcap.writeTo(folder.resolve("packets.pcap"));
            importAll(
                    file,
                    ImportFormat.PCAP,
                    stream.name + (begins ? "" : ", open before") + (missing < 0 ? "" : ", hole"));
        }
    }

    private void importPayloads(int streams) throws IOException {
        for (int i = 0; i < streams; i++) {
            PlantedTraffic.Stream stream = traffic.next();
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            text.writeBytes("1 0123456789abcdef01234567 1700000000000000000 0\n".getBytes(StandardCharsets.US_ASCII));
            text.writeBytes(stream.bytes);
            text.writeBytes("\n🐵🙈🙉\n".getBytes(StandardCharsets.UTF_8));
            Path file = Files.write(folder.resolve("payloads.gor"), text.toByteArray());
            importAll(file, ImportFormat.GOR, stream.name + ", payload");
        }
    }

    private void importAll(Path file, ImportFormat format, String name) throws IOException {
        for (Unsearchable unsearchable : Unsearchable.values()) {
            RedactionPolicy policy = rules.unsearchable(unsearchable);
            try {
                TrafficImport.run(ImportConfig.builder()
                        .input(file)
                        .output(capture)
                        .format(format)
                        .ports(format == ImportFormat.PCAP ? Set.of(TestingPcap.SERVER_PORT) : Set.of())
                        .redaction(policy)
                        .build());
            } catch (ConversionException nothing) {
                continue;
            }
            String place = name + ", " + unsearchable + ", seed " + seed + ": " + policy.counts();
            int leaks = leaks(place);
            if (unsearchable == Unsearchable.DROP) {
                assertTrue(leaks == 0 || policy.counts().unsearchedBodies() > 0, place);
            } else {
                assertTrue(leaks == 0 || !RedactionOptions.unsearched(policy).isEmpty(), place);
            }
            Files.delete(capture);
        }
    }

    private void sendThroughProxy(int streams) throws Exception {
        for (Unsearchable unsearchable : Unsearchable.values()) {
            RedactionPolicy policy = rules.unsearchable(unsearchable);
            try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
                Thread sink = new Thread(() -> discard(server), "sink");
                sink.setDaemon(true);
                sink.start();
                RecordingConfig config = RecordingConfig.builder()
                        .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .upstream(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()))
                        .capture(capture)
                        .redaction(policy)
                        .build();
                try (RecordingProxy proxy = RecordingProxy.launch(config)) {
                    for (int i = 0; i < streams; i++) {
                        send(proxy.boundAddress(), traffic.next());
                    }
                }
            }
            String place = unsearchable + ", seed " + seed + ": " + policy.counts();
            long told = policy.counts().unsearchedBodies()
                    + (unsearchable == Unsearchable.KEEP ? policy.counts().unsearchedConnections() : 0);
            int leaks = leaks(place);
            assertTrue(leaks <= told, leaks + " leaks, " + place);
            Files.delete(capture);
        }
    }

    private static void discard(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                socket.getInputStream().readAllBytes();
            } catch (IOException ended) {
                // of the client or of the test
            }
        }
    }

    private void send(InetSocketAddress proxy, PlantedTraffic.Stream stream) throws IOException {
        try (Socket socket = new Socket(proxy.getAddress(), proxy.getPort())) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            for (byte[] piece : traffic.pieces(stream.bytes)) {
                out.write(piece);
            }
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        }
    }

    /** Returns how many connections of the capture hold a secret; nothing else of the file may. */
    private int leaks(String place) throws IOException {
        Map<Integer, ByteArrayOutputStream> connections = new TreeMap<>();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                if (record.type() == RecordType.DATA_C2S) {
                    byte[] bytes = new byte[record.payload().remaining()];
                    record.payload().get(bytes);
                    connections
                            .computeIfAbsent(record.connection(), number -> new ByteArrayOutputStream())
                            .writeBytes(bytes);
                }
            }
        }
        int leaks = 0;
        for (ByteArrayOutputStream bytes : connections.values()) {
            leaks += traffic.isIn(bytes.toByteArray()) ? 1 : 0;
        }
        assertTrue(leaks > 0 || !traffic.isIn(Files.readAllBytes(capture)), "outside of payloads: " + place);
        if (leaks > 0 && Boolean.getBoolean("sweep.print")) {
            System.out.println(place);
        }
        return leaks;
    }
}
