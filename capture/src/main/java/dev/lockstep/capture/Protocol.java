package dev.lockstep.capture;

/**
 * What a connection's bytes were recognised as. The codes stand in capture files and never change.
 *
 * <p>Format version 1 reserves codes for protocols that no recorder of this version recognises yet, so that files which
 * hold them stay readable.
 */
public enum Protocol {
    /** Not recognised, or not yet: opaque bytes. */
    UNKNOWN(0, "opaque"),
    /** HTTP/1.0 and HTTP/1.1, also with Thrift in the bodies. */
    HTTP1(1, "http/1"),
    /** HTTP/2 by prior knowledge, after an upgrade or by ALPN. */
    HTTP2(2, "http/2"),
    /** TLS records; what is inside is not known. */
    TLS(3, "tls"),
    /** A WebSocket after its HTTP/1.1 handshake. */
    WEBSOCKET(4, "websocket"),
    /** Thrift's binary protocol, strict or not, each message behind a four-byte length. */
    THRIFT_FRAMED_BINARY(5, "thrift-framed-binary"),
    /** Thrift's binary protocol, strict or not, without a length. */
    THRIFT_UNFRAMED_BINARY(6, "thrift-unframed-binary"),
    /** Thrift's THeader frames, whatever protocol is inside. */
    THRIFT_HEADER(7, "thrift-header"),
    /** Framed binary Thrift after the upgrade by Twitter's Finagle: a request header before each message. */
    THRIFT_TTWITTER(8, "thrift-ttwitter"),
    /** ThriftMux: mux frames, Thrift messages in their dispatches. */
    THRIFT_MUX(9, "thriftmux"),
    /** Thrift's compact protocol, each message behind a four-byte length. */
    THRIFT_FRAMED_COMPACT(10, "thrift-framed-compact"),
    /** Thrift's compact protocol without a length. */
    THRIFT_UNFRAMED_COMPACT(11, "thrift-unframed-compact"),
    /** Thrift's JSON protocol, each message behind a four-byte length. */
    THRIFT_FRAMED_JSON(12, "thrift-framed-json"),
    /** Thrift's JSON protocol without a length. */
    THRIFT_UNFRAMED_JSON(13, "thrift-unframed-json"),
    /** Thrift's zlib transport: compressed over the whole stream, so opaque. */
    THRIFT_ZLIB(14, "thrift-zlib");

    private static final Protocol[] BY_CODE = values();

    private final int code;
    private final String label;
    /** By the name and not the code, since later protocols get the next codes. */
    private final boolean thrift = name().startsWith("THRIFT");

    Protocol(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /** The name in options and reports, such as {@code http/1} or {@code thrift-framed-binary}. */
    public String label() {
        return label;
    }

    /**
     * Whether the connection carries Thrift messages by itself; Thrift over HTTP is {@link #HTTP1} or {@link #HTTP2}.
     */
    public boolean isThrift() {
        return thrift;
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
