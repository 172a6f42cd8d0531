package dev.lockstep.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The numbers that stand in files, as docs/capture-format.md has them. */
final class CodesTest {
    @Test
    void neverChangesTheCodesOfProtocols() {
        assertEquals(
                List.of(
                        "UNKNOWN 0",
                        "HTTP1 1",
                        "HTTP2 2",
                        "TLS 3",
                        "WEBSOCKET 4",
                        "THRIFT_FRAMED_BINARY 5",
                        "THRIFT_UNFRAMED_BINARY 6",
                        "THRIFT_HEADER 7",
                        "THRIFT_TTWITTER 8",
                        "THRIFT_MUX 9",
                        "THRIFT_FRAMED_COMPACT 10",
                        "THRIFT_UNFRAMED_COMPACT 11",
                        "THRIFT_FRAMED_JSON 12",
                        "THRIFT_UNFRAMED_JSON 13",
                        "THRIFT_ZLIB 14"),
                Arrays.stream(Protocol.values())
                        .map(protocol -> protocol + " " + protocol.code())
                        .collect(Collectors.toList()));
        for (Protocol protocol : Protocol.values()) {
            assertSame(protocol, Protocol.ofCode(protocol.code()));
        }
        assertSame(Protocol.UNKNOWN, Protocol.ofCode(15));
        assertSame(Protocol.UNKNOWN, Protocol.ofCode(65_535));
    }

    @Test
    void neverChangesTheCodesOfCloseReasons() {
        assertEquals(
                List.of(
                        "UNKNOWN 0",
                        "CLIENT_FIN 1",
                        "SERVER_FIN 2",
                        "CLIENT_RESET 3",
                        "SERVER_RESET 4",
                        "RECORDING_ENDED 5",
                        "TIMEOUT 6",
                        "UPSTREAM_FAILED 7",
                        "RECORDING_LOST 8"),
                Arrays.stream(CloseReason.values())
                        .map(reason -> reason + " " + reason.code())
                        .collect(Collectors.toList()));
        for (CloseReason reason : CloseReason.values()) {
            assertSame(reason, CloseReason.ofCode(reason.code()));
        }
        assertSame(CloseReason.UNKNOWN, CloseReason.ofCode(255));
    }

    @Test
    void neverChangesTheCodesOfRecordTypes() {
        assertEquals(
                List.of(
                        "CONN_OPEN 81",
                        "PROTOCOL 2",
                        "DATA_C2S 83",
                        "HALF_CLOSE 4",
                        "CONN_CLOSE 5",
                        "GAP 86",
                        "DROPPED 7",
                        "DATA_S2C 8",
                        "RESPONSE_DIGEST 9",
                        "META a",
                        "CLOCK b",
                        "NO_ANSWER c",
                        "ANSWER d"),
                Arrays.stream(RecordType.values())
                        .map(type -> type + " " + Integer.toHexString(type.code()))
                        .collect(Collectors.toList()));
        for (RecordType type : RecordType.values()) {
            assertSame(type, RecordType.ofCode(type.code()));
        }
        assertNull(RecordType.ofCode(0));
        assertNull(RecordType.ofCode(0x01));
        assertNull(RecordType.ofCode(0x82));
        assertNull(RecordType.ofCode(0x0E));
    }
}
