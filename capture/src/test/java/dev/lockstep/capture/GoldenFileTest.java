package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.format.CaptureFormat;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Seals format 1.0: the writer still makes these files byte for byte, and the reader still reads them. A file of a
 * released version is never changed; a new version adds its own.
 */
final class GoldenFileTest {
    @TempDir
    Path folder;

    private static byte[] golden(String name) throws Exception {
        try (InputStream in = GoldenFileTest.class.getResourceAsStream("v1.0-" + name + ".bin")) {
            return in.readAllBytes();
        }
    }

    private Capture open(String name, OpenOptions options) throws Exception {
        return Capture.open(Files.write(folder.resolve(name + ".bin"), golden(name)), options);
    }

    @Test
    void writesEveryByteAsItDid() throws Exception {
        assertArrayEquals(golden("closed"), GoldenCaptures.closed());
        assertArrayEquals(golden("unclosed"), GoldenCaptures.unclosed());
        assertArrayEquals(golden("torn"), GoldenCaptures.torn());
        assertArrayEquals(golden("lossy"), GoldenCaptures.lossy());
        assertArrayEquals(golden("disk-full"), GoldenCaptures.diskFull());
    }

    @Test
    void readsTheClosedFile() throws Exception {
        Capture capture = open("closed", OpenOptions.defaults());

        assertAll(capture);
        assertEquals("8c4451dc73b3d84ba5a452658f2717595e977944d6f8ae7da9474e0dd74a535b", capture.sha256());
        assertEquals(CloseReason.RECORDING_ENDED, capture.closeReason(1));
        assertEquals(20_000, capture.closedNs(1));
        CaptureInfo info = capture.info();
        assertTrue(info.closedProperly());
        assertEquals(4656, info.fileBytes());
        assertEquals(14, info.records());
    }

    @Test
    void readsTheFileThatWasNotClosed() throws Exception {
        Capture capture = open("unclosed", OpenOptions.defaults());

        assertAll(capture);
        assertEquals(CloseReason.UNKNOWN, capture.closeReason(1));
        assertEquals(7_000, capture.closedNs(1));
        assertFalse(capture.info().closedProperly());
        assertEquals(13, capture.info().records());
    }

    @Test
    void readsTheTornFileToItsLastWholeBlock() throws Exception {
        Capture capture = open("torn", OpenOptions.defaults());
        assertAll(capture);
        assertEquals(92, capture.info().cutBytes());
        assertFalse(capture.info().closedProperly());
    }

    /** Checks what the first three files have in common. */
    private static void assertAll(Capture capture) {
        assertAll(capture, 0);
    }

    private static void assertAll(Capture capture, long redactedValues) {
        assertEquals(redactedValues, capture.info().redactedValues());
        assertEquals(1, capture.info().redactedRecords());
        assertEquals(2, capture.connectionCount());
        assertEquals(3, capture.requestCount());
        assertEquals(85, capture.requestBytes());
        assertEquals(2_000, capture.durationNs());
        assertEquals("GET /one HTTP/1.1\r\n\r\n", text(capture, 0));
        assertEquals("POST /two HTTP/1.1\r\nContent-Length: 0\r\n\r\n", text(capture, 1));
        assertEquals("GET /three HTTP/1.1\r\n\r\n", text(capture, 2));
        assertEquals("af6d6af56139e1b7d03e8abad885c61b6ad0af166ded86e42746158cc810c58c", capture.streamSha256());
        assertEquals(3_000, capture.timeNs(0));
        assertEquals(4_000, capture.timeNs(1));
        assertEquals(5_000, capture.timeNs(2));
        assertEquals(0, capture.connection(0));
        assertEquals(1, capture.connection(1));
        assertEquals(0, capture.connection(2));
        assertEquals(1, capture.indexInConnection(2));
        assertEquals(2, capture.fragments(1));
        assertEquals(Protocol.HTTP1, capture.protocol(0));
        assertEquals(Protocol.UNKNOWN, capture.protocol(1));
        assertEquals("127.0.0.1:40000", TestingCaptures.clientAddress(capture, 0));
        assertEquals("127.0.0.1:8080", TestingCaptures.serverAddress(capture, 0));
        assertEquals("[0:0:0:0:0:0:0:1]:40001", TestingCaptures.clientAddress(capture, 1));
        assertEquals("unknown", TestingCaptures.serverAddress(capture, 1));
        assertEquals(1_000, capture.openedNs(0));
        assertEquals(12_000, capture.closedNs(0));
        assertEquals(CloseReason.CLIENT_FIN, capture.closeReason(0));
        assertEquals(2, capture.requestCount(0));
        assertEquals(1, capture.requestCount(1));
        CaptureInfo info = capture.info();
        assertEquals("00112233-4455-6677-8899-aabbccddeeff", info.id().toString());
        assertEquals("1.0", info.formatVersion());
        assertEquals(Instant.parse("2023-11-14T22:13:20.123456789Z"), info.startedAt());
        assertEquals("0.1.0", info.toolVersion());
        assertEquals("golden", info.host());
        assertEquals("127.0.0.1:8080", info.listen());
        assertEquals("127.0.0.1:9090", info.upstream());
        assertNull(info.endedEarly());
        assertEquals(108, info.dataBytes());
        assertEquals(6, info.opaqueBytes());
        assertEquals(1, info.opaqueConnections());
        assertEquals(2, info.incompleteRequests());
        assertEquals(1, info.gaps());
        assertEquals(1_234, info.gapBytes());
        assertEquals(0, info.lostConnections());
        assertEquals(0, info.lostRequests());
        assertEquals(0, info.lostBytes());
    }

    @Test
    void readsTheFileWithLosses() throws Exception {
        Capture capture = open("lossy", OpenOptions.defaults());

        assertEquals(2, capture.requestCount());
        assertEquals(CloseReason.RECORDING_LOST, capture.closeReason(0));
        CaptureInfo info = capture.info();
        assertTrue(info.closedProperly());
        assertEquals(1, info.lostConnections());
        assertEquals(2, info.lostRequests());
        assertEquals(2_122, info.lostBytes());
        List<RecordType> types = new ArrayList<>();
        TestingCaptures.forEachRecord(capture, record -> types.add(record.type()));
        assertEquals(
                List.of(
                        RecordType.CONN_OPEN,
                        RecordType.DATA_C2S,
                        RecordType.DATA_C2S,
                        RecordType.DROPPED,
                        RecordType.CONN_CLOSE),
                types);
    }

    @Test
    void readsTheFileThatEndedOnAFullDisk() throws Exception {
        Capture capture = open("disk-full", OpenOptions.defaults());

        assertEquals(1, capture.requestCount());
        CaptureInfo info = capture.info();
        assertTrue(info.closedProperly());
        assertEquals(
                "test.bin: recording ended early, the disk is full at offset 6304: No space left on device;"
                        + " what was written before is readable",
                info.endedEarly());
        assertEquals(1, info.lostConnections());
        assertEquals(2, info.lostRequests());
        assertEquals(4_200, info.lostBytes());
    }

    @Test
    void readsTheCompressedFile() throws Exception {
        assertAll(open("compressed", OpenOptions.defaults()), 1);
        // Compression is zstd's own and may change with it: what this version writes is only as good.
        Capture again = Capture.open(Files.write(folder.resolve("again.bin"), GoldenCaptures.compressed()));
        assertAll(again, 1);
        CaptureInfo info = again.info();
        assertTrue(info.compressed());
        assertTrue(info.storedBytes() < info.rawBytes());
        assertEquals("path /api", info.filters());
        assertEquals("1 of 10", info.sampling());
        assertEquals("default", info.redaction());
        assertEquals("golden", info.comment());
    }

    @Test
    void readsTheEncryptedFileWithItsKeyOnly() throws Exception {
        Capture capture = open("encrypted", OpenOptions.defaults().encryption(GoldenCaptures.KEY));
        assertAll(capture, 1);
        assertEquals(GoldenCaptures.KEY.id(), capture.info().keyId());

        Path path = folder.resolve("encrypted.bin");
        CaptureException none = assertThrows(CaptureException.class, () -> Capture.open(path));
        assertEquals(
                path + ": is encrypted under key " + GoldenCaptures.KEY.id()
                        + ": expected this key, found none; give it with --key-file or --key-env",
                none.getMessage());
        EncryptionKey other = EncryptionKey.of(new byte[32]);
        CaptureException wrong = assertThrows(
                CaptureException.class,
                () -> CaptureReader.open(path, OpenOptions.defaults().encryption(other)));
        assertEquals(
                path + ": is encrypted under another key: expected key " + GoldenCaptures.KEY.id() + ", found key "
                        + other.id() + "; give the right one with --key-file or --key-env",
                wrong.getMessage());
        CaptureInfo verified = CaptureReader.verify(path, OpenOptions.defaults());
        assertEquals(14, verified.records());
        assertEquals(3, verified.requests());
        assertTrue(verified.closedProperly());
    }

    @Test
    void hidesWhatWasSentInAnEncryptedFile() throws Exception {
        byte[] first = GoldenCaptures.encrypted();
        byte[] second = GoldenCaptures.encrypted();
        assertFalse(new String(first, StandardCharsets.ISO_8859_1).contains("GET /"));
        // The same bytes under the same key and mark: the nonces differ, and so must everything behind them.
        int nonce = CaptureFormat.HEADER_BYTES + CaptureFormat.BLOCK_HEADER_BYTES;
        assertFalse(Arrays.equals(
                Arrays.copyOfRange(first, nonce, nonce + 12), Arrays.copyOfRange(second, nonce, nonce + 12)));
        int same = 0;
        for (int at = nonce + 12; at < nonce + 112; at++) {
            same += first[at] == second[at] ? 1 : 0;
        }
        assertTrue(same < 10, same + " of 100 bytes are the same");
    }
}
