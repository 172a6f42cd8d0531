package dev.lockstep.conversion.exports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.RecordType;
import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.imports.ImportConfig;
import dev.lockstep.conversion.imports.ImportReport;
import dev.lockstep.conversion.imports.TrafficImport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PcapExportTest {
    private static final Path DATA = Path.of(System.getProperty("lockstep.testData"));

    @TempDir
    private Path folder;

    private static ExportReport export(Path capture, Path packets) {
        return TrafficExport.run(ExportConfig.builder()
                .input(capture)
                .output(packets)
                .overwrite(true)
                .build());
    }

    @Test
    void exportsWhatIsImportedAgainAsTheSameStreams() throws IOException {
        for (String name : List.of(
                "pcap-thrift/beats/thrift_tutorial.pcap",
                "pcap-thrift/thrift-crosstest/java-binary-framed.pcapng",
                "pcap-http/suricata/http-ipv6__input.pcap",
                "pcap-http/suricata/http-range-multiflows__input.pcap",
                "pcap-http/suricata/tcp-rst-unacked-stream-07-http__input.pcap",
                "pcap-http/zeek/http__206_example_a.pcap",
                "pcap-http/zeek/ipv6-http-atomic-frag.pcap",
                "pcap-h2/suricata/http2-keywords__input.pcap")) {
            Path capture = imported(DATA.resolve(name), "first.bin");
            Path packets = folder.resolve("packets.pcap");
            ExportReport exported = export(capture, packets);
            List<String> streams = streams(capture);
            assertEquals(streams.size(), exported.connections(), name);
            assertEquals(streams, streams(imported(packets, "second.bin")), name);
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(packets)));
        }
    }

    @Test
    void hidesWhatReplacesAFileThatOthersMayRead() throws IOException {
        Path capture = imported(DATA.resolve("pcap-thrift/beats/thrift_tutorial.pcap"), "first.bin");
        Path packets = Files.writeString(folder.resolve("packets.pcap"), "old");
        Files.setPosixFilePermissions(packets, PosixFilePermissions.fromString("rw-r--r--"));

        export(capture, packets);

        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(packets)));
    }

    @Test
    void importsSeveralFilesAsOneInTheOrderOfTheirTimes() throws IOException {
        byte[] whole = Files.readAllBytes(DATA.resolve("pcap-thrift/beats/thrift_tutorial.pcap"));
        int middle = 24;
        for (int packets = 0; packets < 20; packets++) {
            middle += 16 + ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getInt(middle + 8);
        }
        Path first = folder.resolve("z.pcap");
        Path second = folder.resolve("a.pcap");
        Files.write(first, Arrays.copyOf(whole, middle));
        byte[] rest = Arrays.copyOfRange(whole, middle - 24, whole.length);
        System.arraycopy(whole, 0, rest, 0, 24);
        Files.write(second, rest);
        Path capture = folder.resolve("both.bin");
        ImportReport report = TrafficImport.run(ImportConfig.builder()
                .inputs(List.of(second, first))
                .output(capture)
                .captureOptions(CaptureOptions.builder())
                .build());
        assertEquals(17, report.status().requests());
        assertEquals(
                streams(imported(DATA.resolve("pcap-thrift/beats/thrift_tutorial.pcap"), "whole.bin")),
                streams(capture));
    }

    @Test
    void importsOnlyTheServersAtGivenPorts() {
        Path file = DATA.resolve("pcap-http/suricata/http-range-multiflows__input.pcap");
        ConversionException nothing = assertThrows(
                ConversionException.class,
                () -> TrafficImport.run(ImportConfig.builder()
                        .inputs(List.of(file))
                        .output(folder.resolve("none.bin"))
                        .captureOptions(CaptureOptions.builder())
                        .ports(Set.of(9))
                        .build()));
        assertTrue(nothing.getMessage().contains("connections to other ports"), nothing.getMessage());
    }

    private Path imported(Path packets, String name) {
        Path capture = folder.resolve(name);
        TrafficImport.run(ImportConfig.builder()
                .inputs(List.of(packets))
                .output(capture)
                .captureOptions(CaptureOptions.builder().overwrite(true))
                .build());
        return capture;
    }

    /** Returns of each connection its addresses, how many records are gaps, and the SHA-256 of its bytes. */
    private static List<String> streams(Path capture) {
        Map<Integer, String> addresses = new LinkedHashMap<>();
        Map<Integer, MessageDigest> digests = new LinkedHashMap<>();
        Map<Integer, Long> missing = new LinkedHashMap<>();
        Map<Integer, String> ends = new LinkedHashMap<>();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                int id = record.connection();
                if (record.type() == RecordType.CONN_OPEN) {
                    addresses.put(
                            id,
                            record.connectionStart().client() + " -> "
                                    + record.connectionStart().server() + " "
                                    + record.connectionStart().alreadyOpen());
                    digests.put(id, sha256());
                    missing.put(id, 0L);
                } else if (record.type() == RecordType.DATA_C2S) {
                    digests.get(id).update(record.payload().duplicate());
                } else if (record.type() == RecordType.GAP) {
                    missing.merge(id, record.missingBytes(), Long::sum);
                } else if (record.type() == RecordType.CONN_CLOSE) {
                    // Which FIN was first is told at the end only, when the client's is written already.
                    ends.put(id, record.closeReason().toString().replace("SERVER_FIN", "CLIENT_FIN"));
                }
            }
        }
        List<String> streams = new ArrayList<>();
        addresses.forEach((id, between) -> streams.add(between + " missing " + missing.get(id) + " "
                + Arrays.toString(digests.get(id).digest()) + " " + ends.get(id)));
        streams.sort(null);
        return streams;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
