package dev.lockstep.conversion.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.CodedOutputStream;
import dev.lockstep.conversion.exports.TestingCaptures;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvoyTapReaderTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    @TempDir
    private Path folder;

    /** Writes one message. */
    @FunctionalInterface
    private interface Fields {
        void write(CodedOutputStream out) throws IOException;
    }

    private static byte[] message(Fields fields) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        fields.write(out);
        out.flush();
        return bytes.toByteArray();
    }

    private static byte[] address(String host, int port) throws IOException {
        byte[] socket = message(out -> {
            out.writeString(2, host);
            out.writeUInt32(3, port);
        });
        return message(out -> out.writeByteArray(1, socket));
    }

    private static byte[] connection() throws IOException {
        byte[] local = address("10.0.0.2", 80);
        byte[] remote = address("10.0.0.1", 5000);
        return message(out -> {
            out.writeByteArray(2, local);
            out.writeByteArray(3, remote);
        });
    }

    /** Returns an event; {@code way} is 2 for read, 3 for write, 4 for closed. */
    private static byte[] event(long second, int way, String data, boolean truncated, boolean endStream)
            throws IOException {
        byte[] time = message(out -> out.writeInt64(1, second));
        byte[] body = message(out -> {
            out.writeByteArray(1, data.getBytes(StandardCharsets.ISO_8859_1));
            out.writeBool(3, truncated);
        });
        byte[] transfer = message(out -> {
            if (way != 4) {
                out.writeByteArray(1, body);
            }
            if (endStream) {
                out.writeBool(2, true);
            }
        });
        return message(out -> {
            out.writeByteArray(1, time);
            out.writeByteArray(way, transfer);
        });
    }

    private static byte[] streamed(long id, int field, byte[] piece) throws IOException {
        byte[] segment = message(out -> {
            out.writeUInt64(1, id);
            out.writeByteArray(field, piece);
        });
        return message(out -> out.writeByteArray(4, segment));
    }

    private static byte[][] listenerTrace(long id) throws IOException {
        return new byte[][] {
            streamed(id, 2, connection()),
            streamed(id, 3, event(1_700_000_000, 2, GET, false, false)),
            streamed(id, 3, event(1_700_000_001, 3, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, false)),
            streamed(id, 3, event(1_700_000_002, 2, GET, false, false)),
            streamed(id, 3, event(1_700_000_003, 4, "", false, false))
        };
    }

    private Path file(boolean delimited, byte[]... wrappers) throws IOException {
        byte[] all = message(out -> {
            for (byte[] wrapper : wrappers) {
                if (delimited) {
                    out.writeUInt32NoTag(wrapper.length);
                }
                out.writeRawBytes(wrapper);
            }
        });
        return Files.write(folder.resolve("tap" + delimited + wrappers.length), all);
    }

    @Test
    void keepsAllOfASegmentThatWasReadWhereTheImportIsStopped() throws IOException {
        byte[] ends = connection();
        byte[] first = event(1_700_000_000, 2, GET, false, false);
        byte[] second = event(1_700_000_002, 2, GET, false, false);
        byte[] trace = message(out -> {
            out.writeUInt64(1, 7);
            out.writeByteArray(2, ends);
            out.writeByteArray(3, first);
            out.writeByteArray(3, second);
        });
        Path file = file(true, message(out -> out.writeByteArray(3, trace)));

        int[] asked = {0};

        TestingImports.Result result =
                new TestingImports(folder).run(List.of(file), config -> config.cancelled(() -> ++asked[0] > 1));

        assertEquals(List.of(GET, GET), result.texts());
    }

    @Test
    void readsBothBinaryForms() throws IOException {
        for (boolean delimited : new boolean[] {true, false}) {
            TestingImports.Result result =
                    new TestingImports(Files.createTempDirectory(folder, "out")).run(file(delimited, listenerTrace(7)));

            assertEquals(ImportFormat.ENVOY_TAP, result.report.format());
            assertEquals(List.of("0 0 " + GET, "0 2000000000 " + GET), result.requests());
        }
    }

    @Test
    void takesWhoSpeaksFirstForTheClient() throws IOException {
        Path cluster = file(
                true,
                streamed(9, 2, connection()),
                streamed(9, 3, event(1_700_000_000, 3, GET, false, true)),
                streamed(9, 3, event(1_700_000_001, 2, "HTTP/1.1 200 OK\r\n\r\n", false, false)));

        assertEquals(List.of(GET + "<end>"), TestingCaptures.streams(new TestingImports(folder).run(cluster).capture));
        assertEquals(
                List.of("HTTP/1.1 200 OK\r\n\r\n"),
                TestingCaptures.streams(new TestingImports(Files.createTempDirectory(folder, "out"))
                        .run(List.of(cluster), config -> config.tapSide(ImportConfig.TapSide.LISTENER))
                        .capture));
    }

    @Test
    void recordsWhatTheTapCutAsMissing() throws IOException {
        byte[] buffered = message(out -> {
            out.writeUInt64(1, 3);
            out.writeByteArray(2, connection());
            out.writeByteArray(
                    3, event(1_700_000_000, 2, "POST / HTTP/1.1\r\nContent-Length: 9000\r\n\r\nab", true, false));
            out.writeBool(4, true);
        });
        Path file = file(true, message(out -> out.writeByteArray(3, buffered)));

        TestingImports.Result result = new TestingImports(folder).run(file);

        assertEquals(
                List.of("POST / HTTP/1.1\r\nContent-Length: 9000\r\n\r\nab<gap 0><gap 0>"),
                TestingCaptures.streams(result.capture));
        assertEquals(0, result.texts().size());
    }

    @Test
    void readsJsonInBothSpellings() throws IOException {
        String snake = "{\"socket_streamed_trace_segment\":{\"trace_id\":\"1\",\"event\":{\"timestamp\":"
                + "\"2026-01-01T00:00:00.25Z\",\"read\":{\"data\":{\"as_bytes\":\"R0VUIC8gSFRUUC8xLjENCg==\"}}}}}\n";
        String camel = "{\"socketStreamedTraceSegment\":{\"traceId\":\"1\",\"event\":{\"timestamp\":"
                + "\"2026-01-01T00:00:01Z\",\"read\":{\"data\":{\"asString\":\"Host: x\\r\\n\\r\\n\"}}}}}\n";
        TestingImports imports = new TestingImports(folder);

        TestingImports.Result result = imports.run(imports.file("tap.json", snake + camel));

        assertEquals(List.of("0 0 " + GET), result.requests());
    }

    @Test
    void importsManyFilesInTheOrderOfTheirTimes() throws IOException {
        Path first = Files.write(folder.resolve("a"), Files.readAllBytes(file(true, listenerTrace(1))));
        Path second = Files.write(folder.resolve("b"), Files.readAllBytes(first));

        TestingImports.Result result = new TestingImports(folder).run(List.of(first, second), config -> config);

        assertEquals(
                List.of("0 0 " + GET, "1 0 " + GET, "0 2000000000 " + GET, "1 2000000000 " + GET), result.requests());
    }

    @Test
    void importsACutFileAsFarAsItGoes() throws IOException {
        byte[] whole = Files.readAllBytes(file(true, listenerTrace(1)));
        for (int length = whole.length - 1; length > whole.length - 60; length -= 7) {
            Path cut = Files.write(folder.resolve("cut" + length), Arrays.copyOf(whole, length));

            TestingImports.Result result = new TestingImports(Files.createTempDirectory(folder, "out")).run(cut);

            assertEquals("0 0 " + GET, result.requests().get(0));
        }
    }
}
