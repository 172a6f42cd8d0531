package dev.lockstep.capture;

/**
 * What a connection's bytes were recognised as. The codes stand in capture files and never change.
 *
 * <p>Format version 1 reserves codes for protocols that no recorder of this version recognises yet, so that files which
 * hold them stay readable.
 */
public enum Protocol {
    /** Not recognised, or never said: opaque bytes. */
    UNKNOWN(0),
    /** HTTP/1.0 and HTTP/1.1. */
    HTTP1(1),
    /** HTTP/2 with prior knowledge, or after an upgrade. */
    HTTP2(2),
    /** TLS records; what is inside is not known. */
    TLS(3),
    /** A WebSocket after its HTTP/1.1 handshake. */
    WEBSOCKET(4),
    /** Thrift's binary protocol, each message behind a four-byte length. */
    THRIFT_FRAMED_BINARY(5),
    /** Thrift's binary protocol without a length. */
    THRIFT_UNFRAMED_BINARY(6),
    /** Thrift's THeader frames. */
    THRIFT_HEADER(7),
    /** Framed binary Thrift after the upgrade by Twitter's Finagle, a request header before each message. */
    THRIFT_TTWITTER(8),
    /** Thrift inside mux frames. */
    THRIFT_MUX(9),
    /** Thrift's compact protocol, each message behind a four-byte length. */
    THRIFT_FRAMED_COMPACT(10),
    /** Thrift's compact protocol without a length. */
    THRIFT_UNFRAMED_COMPACT(11),
    /** Thrift's JSON protocol, each message behind a four-byte length. */
    THRIFT_FRAMED_JSON(12),
    /** Thrift's JSON protocol without a length. */
    THRIFT_UNFRAMED_JSON(13),
    /** Thrift's zlib transport, compressed over the whole stream. */
    THRIFT_ZLIB(14);

    private static final Protocol[] BY_CODE = values();

    private final int code;

    Protocol(int code) {
        this.code = code;
    }

    /** Returns the number that stands in files, 0 to 65,535. */
    public int code() {
        return code;
    }

    /** Returns the protocol with a code, or {@link #UNKNOWN} for a code that this version does not know. */
    static Protocol ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNKNOWN;
    }
}
