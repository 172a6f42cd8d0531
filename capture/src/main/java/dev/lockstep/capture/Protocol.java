package dev.lockstep.capture;

/**
 * What a connection's bytes were recognised as. The codes stand in capture files and never change.
 *
 * <p>Format version 1 reserves codes for protocols that no recorder of this version recognises yet, so that files which
 * hold them stay readable.
 */
public enum Protocol {
    /** Not recognised, or never said: opaque bytes. */
    UNKNOWN(0, "opaque"),
    /** HTTP/1.0 and HTTP/1.1. */
    HTTP1(1, "http/1"),
    /** HTTP/2 with prior knowledge, or after an upgrade. */
    HTTP2(2, "http/2"),
    /** TLS records; what is inside is not known. */
    TLS(3, "tls"),
    /** A WebSocket after its HTTP/1.1 handshake. */
    WEBSOCKET(4, "websocket"),
    /** Thrift's binary protocol, each message behind a four-byte length. */
    THRIFT_FRAMED_BINARY(5, "thrift-framed-binary"),
    /** Thrift's binary protocol without a length. */
    THRIFT_UNFRAMED_BINARY(6, "thrift-unframed-binary"),
    /** Thrift's THeader frames. */
    THRIFT_HEADER(7, "thrift-header"),
    /** Framed binary Thrift after the upgrade by Twitter's Finagle, a request header before each message. */
    THRIFT_TTWITTER(8, "thrift-ttwitter"),
    /** Thrift inside mux frames. */
    THRIFT_MUX(9, "thriftmux"),
    /** Thrift's compact protocol, each message behind a four-byte length. */
    THRIFT_FRAMED_COMPACT(10, "thrift-framed-compact"),
    /** Thrift's compact protocol without a length. */
    THRIFT_UNFRAMED_COMPACT(11, "thrift-unframed-compact"),
    /** Thrift's JSON protocol, each message behind a four-byte length. */
    THRIFT_FRAMED_JSON(12, "thrift-framed-json"),
    /** Thrift's JSON protocol without a length. */
    THRIFT_UNFRAMED_JSON(13, "thrift-unframed-json"),
    /** Thrift's zlib transport, compressed over the whole stream. */
    THRIFT_ZLIB(14, "thrift-zlib");

    private static final Protocol[] BY_CODE = values();

    private final int code;
    private final String label;

    Protocol(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /** Returns the name for people and machines, such as {@code http/1} or {@code thrift-framed-binary}. */
    public String label() {
        return label;
    }

    /** Tells whether the connection carries Thrift messages, other than over HTTP. */
    public boolean isThrift() {
        return name().startsWith("THRIFT");
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
