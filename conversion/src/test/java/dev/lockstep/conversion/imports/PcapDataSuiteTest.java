package dev.lockstep.conversion.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.tap.TrafficStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Imports every packet capture of the test data and compares the number of requests with the two counts of
 * MANIFEST.tsv: that of its script (HTTP and Thrift) and that of tshark (HTTP; the script's for Thrift). A capture in
 * which the three are not one number stands in pcap-requests.tsv with the reason, and no other.
 */
class PcapDataSuiteTest {
    private static final Path DATA = Path.of(System.getProperty("lockstep.testData"));

    @TempDir
    private Path folder;

    @Test
    void findsTheRequestsThatOthersCountInEveryCapture() throws IOException {
        Map<String, String> reasons = new TreeMap<>();
        for (String row : rows("/dev/lockstep/conversion/pcap-requests.tsv")) {
            String[] cells = row.split("\t");
            assertEquals(5, cells.length, row);
            reasons.put(cells[0] + "\t" + cells[1] + "\t" + cells[2] + "\t" + cells[3], cells[4]);
        }
        List<String> differences = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<String> manifest = Files.readAllLines(DATA.resolve("MANIFEST.tsv"), StandardCharsets.UTF_8);
        List<String> columns = Arrays.asList(manifest.get(0).split("\t"));
        for (String row : manifest.subList(1, manifest.size())) {
            String[] cells = row.split("\t", -1);
            if (!cells[0].startsWith("pcap-")) {
                continue;
            }
            names.add(cells[0]);
            long thrift = Long.parseLong(cells[columns.indexOf("thrift_req")]);
            long scan = Long.parseLong(cells[columns.indexOf("http_req")]) + thrift;
            String tsharkCell = cells[columns.indexOf("tshark_req")];
            long tshark = tsharkCell.isEmpty() ? scan : Long.parseLong(tsharkCell) + thrift;
            long ours = imported(DATA.resolve(cells[0])).recordedRequests();
            if (scan != tshark || scan != ours) {
                differences.add(cells[0] + "\t" + scan + "\t" + tshark + "\t" + ours);
            }
        }
        assertTrue(names.size() > 450, () -> names.size() + " captures");
        differences.sort(null);
        assertEquals(String.join("\n", reasons.keySet()), String.join("\n", differences));
    }

    private TrafficStatus imported(Path capture) {
        TrafficStatus status = TrafficImport.run(ImportConfig.builder()
                        .inputs(List.of(capture))
                        .output(folder.resolve("capture.bin"))
                        .captureOptions(CaptureOptions.builder().overwrite(true))
                        .build())
                .status();
        assertEquals(0, status.lostBytes());
        assertEquals(status.clientBytes(), status.recordedBytes());
        return status;
    }

    private static List<String> rows(String resource) throws IOException {
        String text = new String(
                PcapDataSuiteTest.class.getResourceAsStream(resource).readAllBytes(), StandardCharsets.UTF_8);
        List<String> lines = Arrays.asList(text.split("\n"));
        return lines.subList(1, lines.size());
    }
}
