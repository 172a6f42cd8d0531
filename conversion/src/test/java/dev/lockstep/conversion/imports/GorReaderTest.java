package dev.lockstep.conversion.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.conversion.GorFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GorReaderTest {
    private static final String SEPARATOR = new String(GorFormat.separator(), StandardCharsets.ISO_8859_1);
    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    @TempDir
    private Path folder;

    private TestingImports.Result run(String content) throws IOException {
        TestingImports imports = new TestingImports(folder);
        return imports.run(imports.file("a.gor", content));
    }

    private static String record(String id, long timeNs, String bytes) {
        return "1 " + id + " " + timeNs + " 0\n" + bytes + SEPARATOR;
    }

    @Test
    void keepsBytesTimesAndConnections() throws IOException {
        String binary = "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n\0\n\u00f0\u009f\n";
        TestingImports.Result result = run(record("1f901f907f00000100000001", 1_700_000_000_000_000_000L, GET)
                + "2 1f901f907f00000100000001 1700000000000000500 0\nHTTP/1.1 200 OK\r\n\r\n" + SEPARATOR
                + record("1f911f907f00000100000001", 1_700_000_000_000_001_000L, GET)
                + record("1f901f907f00000100000002", 1_700_000_000_000_002_000L, binary));

        assertEquals(List.of("0 0 " + GET, "1 1000 " + GET, "0 2000 " + binary), result.requests());
    }

    @Test
    void keepsRequestsAfterHttp10OnTheirConnection() throws IOException {
        String old = "GET / HTTP/1.0\r\n\r\n";
        TestingImports.Result result = run(record("1f901f907f00000100000001", 1_700_000_000_000_000_000L, old)
                + record("1f901f907f00000100000002", 1_700_000_000_000_000_005L, old)
                + record("unknown", 1_700_000_000_000_000_006L, old)
                + record("unknown", 1_700_000_005_000_000_006L, old));

        assertEquals(List.of("0 0 " + old, "0 5 " + old, "1 6 " + old, "2 5000000006 " + old), result.requests());
    }

    @Test
    void countsTimesThatNoClockCanHave() throws IOException {
        TestingImports.Result result = run(record("a", 1_700_000_000_000_000_000L, GET)
                + "1 a 9999999999999999999 0\n" + GET + SEPARATOR
                + "1 a 99999999999 0\n" + GET + SEPARATOR
                + "1 a 99999999999999999 0\n" + GET + SEPARATOR);

        assertEquals(List.of("0 0 " + GET), result.requests());
        assertEquals(List.of("3 the time is behind the year 2262 [record 2, record 3, record 4]"), result.skipped());
    }

    @Test
    void saysThatTheLastRecordHasNoEndWhereItEndsWithinItsFirstLine() throws IOException {
        TestingImports.Result result =
                run(record("1f901f907f00000100000001", 1_700_000_000_000_000_000L, GET) + "1 1f901f9");

        assertEquals(List.of("0 0 " + GET), result.requests());
        assertEquals(List.of(), result.skipped());
        assertTrue(result.changed().get(0).startsWith("1 the last record has no end; "), result.changed() + "");
    }

    @Test
    void putsWhatIsNotOneWholeRequestOnAConnectionOfItsOwn() throws IOException {
        TestingImports.Result result = run(record("1f901f907f00000100000001", 1_700_000_000_000_000_000L, GET)
                + record(
                        "1f901f907f00000100000002",
                        1_700_000_000_000_000_001L,
                        "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab")
                + record("1f901f907f00000100000003", 1_700_000_000_000_000_002L, GET)
                + "nonsense" + SEPARATOR
                + "1 1f901f907f00000100000004 1700000000000000003 0\n" + GET);

        assertEquals(List.of("0 0 " + GET, "0 2 " + GET, "0 3 " + GET), result.requests());
        assertEquals(List.of("1 the record has no line with type, id and time [record 4]"), result.skipped());
        assertEquals(
                List.of(
                        "1 the bytes are not one whole request: imported on a connection of their own [record 2]",
                        "1 the last record has no end; imported as far as it can be read [a.gor record 5]"),
                result.changed());
    }
}
