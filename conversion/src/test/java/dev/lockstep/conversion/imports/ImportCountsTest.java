package dev.lockstep.conversion.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.conversion.ConversionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds what is imported of the logs in test-data against the counts of its MANIFEST.tsv. */
class ImportCountsTest {
    /** Files of which other counts are right, with the reason. */
    private static final Map<String, Integer> DIFFERENCES = Map.of(
            // 5 POSTs, whose bodies a log does not keep; a line that ends within its last field is imported.
            "access-log/elastic-apache_logs.log", 9995,
            // The manifest counts flows: 5 of HTTP, and 2 of TCP that carry no HTTP and become opaque connections.
            "mitm/diff_data.mitm", 5,
            // 3 of the 6 flows are the WebSocket messages behind the other 3, which are their handshakes.
            "mitm/dumpfile-7-websocket.mitm", 3);

    @TempDir
    private Path folder;

    @Test
    void importsAsManyRequestsAsTheManifestCounts() throws IOException {
        Path data = Path.of(System.getProperty("lockstep.testData"));
        TestingImports imports = new TestingImports(folder);
        Map<String, Integer> expected = new TreeMap<>();
        Map<String, Integer> found = new TreeMap<>();
        for (String line : Files.readAllLines(data.resolve("MANIFEST.tsv"))) {
            String[] fields = line.split("\t");
            if (!fields[0].matches("(har|gor|mitm|access-log)/.*") || fields[3].equals("n/a")) {
                continue;
            }
            TestingImports.Result result = imports.run(data.resolve(fields[0]));
            expected.put(fields[0], DIFFERENCES.getOrDefault(fields[0], Integer.valueOf(fields[3])));
            found.put(fields[0], result.texts().size());
            assertEquals(
                    result.texts().size(),
                    result.report.status().recordedRequests(),
                    fields[0] + " counts its requests");
        }
        assertEquals(expected, found);
        assertTrue(found.size() >= 31, "files in the table: " + found.size());
    }

    @Test
    void refusesJsonThatIsNoHar() {
        Path file = Path.of(System.getProperty("lockstep.testData")).resolve("har/mitmproxy/har_extractor.har");
        ConversionException e = assertThrows(ConversionException.class, () -> new TestingImports(folder).run(file));
        assertTrue(e.getMessage().contains("expected a HAR, an object with log.entries"), e.getMessage());
    }
}
