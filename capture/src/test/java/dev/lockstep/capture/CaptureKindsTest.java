package dev.lockstep.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every kind of capture gives the same requests, read from its mappings as a replay reads them. */
final class CaptureKindsTest {
    private static final int[] LENGTHS = {0, 1, 37, 93, 4_000, 4_096, 65_535, 65_536, 65_537, 400_000};
    private static final int PIECE_BYTES = 65_536;

    @TempDir
    Path folder;

    private static List<CaptureOptions.Builder> kinds() {
        List<CaptureOptions.Builder> kinds = new ArrayList<>();
        for (long rotateBytes : new long[] {0, 1 << 20}) {
            for (Compression compression : Compression.values()) {
                for (EncryptionKey key : new EncryptionKey[] {null, GoldenCaptures.KEY}) {
                    CaptureOptions.Builder options =
                            CaptureOptions.builder().waitForDisk(true).compression(compression);
                    if (rotateBytes > 0) {
                        options.rotateBytes(rotateBytes);
                    }
                    kinds.add(key == null ? options : options.encryption(key));
                }
            }
        }
        return kinds;
    }

    /** Returns requests of many lengths, in an order of chance: half random bytes, half of one letter. */
    private static List<byte[]> requests() {
        Random random = new Random(7);
        List<byte[]> requests = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            for (int length : LENGTHS) {
                byte[] request = new byte[length];
                random.nextBytes(request);
                Arrays.fill(request, length / 2, length, (byte) ('a' + i));
                requests.add(request);
            }
        }
        for (int i = 0; i < 400; i++) {
            requests.add(("GET /small/" + i + " HTTP/1.1\r\nHost: h\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        }
        Collections.shuffle(requests, random);
        return requests;
    }

    private static void record(Path path, CaptureOptions options, List<byte[]> requests) {
        try (CaptureWriter writer = CaptureWriter.create(path, options)) {
            long startNs = System.nanoTime();
            int[] connections = new int[3];
            for (int i = 0; i < connections.length; i++) {
                connections[i] = writer.openConnection(startNs, null, null);
            }
            for (int i = 0; i < requests.size(); i++) {
                byte[] request = requests.get(i);
                int from = 0;
                do {
                    int to = Math.min(request.length, from + PIECE_BYTES);
                    int flags = (from == 0 ? RecordFlags.MESSAGE_START : 0)
                            | (to == request.length ? RecordFlags.MESSAGE_END : 0);
                    writer.data(connections[i % 3], startNs + i, flags, ByteBuffer.wrap(request, from, to - from));
                    from = to;
                } while (from < request.length);
            }
        }
    }

    @Test
    void givesTheSameRequestsInMappingsWhateverItsKind() throws Exception {
        List<byte[]> requests = requests();
        MessageDigest stream = MessageDigest.getInstance("SHA-256");
        requests.forEach(stream::update);
        StringBuilder expected = new StringBuilder();
        for (byte b : stream.digest()) {
            expected.append(String.format("%02x", b));
        }
        int number = 0;
        for (CaptureOptions.Builder options : kinds()) {
            Path path = folder.resolve("kind-" + number + ".bin");
            record(path, options.build(), requests);

            Capture capture = Capture.open(path, OpenOptions.defaults().encryption(GoldenCaptures.KEY));

            String kind = "kind " + number++;
            assertEquals(requests.size(), capture.requestCount(), kind);
            assertEquals(expected.toString(), capture.streamSha256(), kind);
            // A socket writes what lies between a view's position and its limit.
            List<ByteBuffer> views = new ArrayList<>();
            for (int i = 0; i < capture.mappingCount(); i++) {
                views.add(capture.mapping(i).slice());
            }
            int pieces = 0;
            for (int i = 0; i < requests.size(); i++) {
                ByteBuffer found = ByteBuffer.allocate((int) capture.requestLength(i));
                for (int fragment = 0; fragment < capture.fragments(i); fragment++) {
                    ByteBuffer view = views.get(capture.mapping(i, fragment)).duplicate();
                    int at = capture.offset(i, fragment);
                    view.limit(at + capture.fragmentLength(i, fragment)).position(at);
                    found.put(view);
                    pieces = Math.max(pieces, capture.fragments(i));
                }
                assertArrayEquals(requests.get(i), found.array(), kind + ", request " + i);
            }
            assertTrue(pieces >= 7, kind + ": pieces of the longest request: " + pieces);
        }
    }
}
