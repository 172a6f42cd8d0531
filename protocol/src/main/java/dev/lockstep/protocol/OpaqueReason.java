package dev.lockstep.protocol;

/** Why the rest of a connection is kept as plain bytes instead of being split into requests. */
enum OpaqueReason {
    /** The connection never carried HTTP/1.0 or HTTP/1.1. */
    NOT_HTTP1,
    /** The client speaks HTTP/2 with prior knowledge, or after an upgrade. */
    HTTP2,
    /** Another protocol follows a CONNECT, or a request with an Upgrade header. */
    SWITCHED_PROTOCOL,
    /** Bytes follow a request after which the client keeps no connection, and after HTTP/1.0 are no request. */
    AFTER_CLOSE,
    /** A later request does not begin with a request line. */
    INVALID_REQUEST_LINE,
    /** A header or trailer line breaks the grammar in a way that servers do not agree on. */
    INVALID_HEADER,
    /** Content-Length is no number, or there are two that differ. */
    INVALID_CONTENT_LENGTH,
    /** Transfer-Encoding does not end with its only "chunked". */
    INVALID_TRANSFER_ENCODING,
    /** A chunk's size, extension or end breaks the grammar. */
    INVALID_CHUNK,
    /**
     * Request line and headers, trailers, or a chunk's size line are longer than
     * {@link HttpRequestFramer#MAX_SECTION_BYTES}.
     */
    SECTION_TOO_LONG
}
