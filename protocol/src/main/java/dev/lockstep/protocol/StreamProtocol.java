package dev.lockstep.protocol;

/** What the bytes of a connection were recognised as. */
public enum StreamProtocol {
    /** Not recognised, or not yet: opaque bytes. */
    UNKNOWN,
    /** HTTP/1.0 and HTTP/1.1, Thrift over HTTP among it. */
    HTTP1,
    /** HTTP/2, by prior knowledge, after an upgrade or by ALPN. */
    HTTP2,
    /** TLS records; what is inside is not known. */
    TLS,
    /** A WebSocket after its HTTP/1.1 handshake. */
    WEBSOCKET,
    /** Thrift's binary protocol, strict or not, each message behind a four-byte length. */
    THRIFT_FRAMED_BINARY,
    /** Thrift's compact protocol, each message behind a four-byte length. */
    THRIFT_FRAMED_COMPACT,
    /** Thrift's JSON protocol, each message behind a four-byte length. */
    THRIFT_FRAMED_JSON,
    /** Thrift's binary protocol, strict or not, without a length. */
    THRIFT_UNFRAMED_BINARY,
    /** Thrift's compact protocol without a length. */
    THRIFT_UNFRAMED_COMPACT,
    /** Thrift's JSON protocol without a length. */
    THRIFT_UNFRAMED_JSON,
    /** Thrift's THeader frames, whatever protocol is inside. */
    THRIFT_HEADER,
    /** Framed binary Thrift after the upgrade by Twitter's Finagle: a request header before each message. */
    THRIFT_TTWITTER,
    /** ThriftMux: mux frames, Thrift messages in their dispatches. */
    THRIFT_MUX,
    /** Thrift's zlib transport: compressed over the whole stream, so opaque. */
    THRIFT_ZLIB
}
