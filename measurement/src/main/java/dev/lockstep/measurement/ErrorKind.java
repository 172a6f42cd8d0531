package dev.lockstep.measurement;

/** What went wrong with a request. A failed request is data: it is counted under its kind, never thrown. */
public enum ErrorKind {
    /** The target's port answered the connection attempt with a reset: nobody listens there. */
    CONNECT_REFUSED("connect-refused"),
    /** The connection was reset while it was being opened, as a server does whose backlog is given up. */
    CONNECT_RESET("connect-reset"),
    /** No connection within the time allowed. */
    CONNECT_TIMEOUT("connect-timeout"),
    /** The network knows no way to the target. */
    NO_ROUTE("no-route"),
    /** No connection for another reason, for example no free local port. */
    CONNECT_FAILED("connect-failed"),
    /**
     * TLS could not be agreed on, or was broken off: the certificate is not trusted, no protocol in common, and so on.
     */
    TLS_FAILED("tls-failed"),
    /** The connection was reset while the request was being answered. */
    CONNECTION_RESET("connection-reset"),
    /**
     * The connection was closed before the answer was whole: by the target, or since another request on it had waited
     * too long.
     */
    PREMATURE_CLOSE("premature-close"),
    /** The answer was not whole within the time allowed. */
    READ_TIMEOUT("read-timeout"),
    /** What came back is not a response of the protocol. */
    MALFORMED_RESPONSE("malformed-response"),
    /** The answer went on behind its end, and was the last that its connection awaited. */
    EXCESS_RESPONSE("excess-response"),
    /** The answer is not to the request whose turn it is: another name, or another sequence id or tag. */
    MISMATCHED_RESPONSE("mismatched-response"),
    /** A Thrift answer that is a TApplicationException. */
    THRIFT_EXCEPTION("thrift-exception"),
    /** A mux server said that it could not serve the request. */
    MUX_ERROR("mux-error"),
    /** A mux server did not take the request on. */
    MUX_NACK("mux-nack"),
    /** The target gave the request's HTTP/2 stream up. */
    STREAM_RESET("stream-reset"),
    /** The target took no more streams on the HTTP/2 connection (GOAWAY). */
    GOING_AWAY("going-away"),
    /**
     * More HTTP/2 body bytes were due than the other side had made room for, since that was recorded with another one.
     */
    FLOW_CONTROL("flow-control"),
    /** The recorded client gave the request up before this target had answered it. */
    CANCELLED("cancelled"),
    /** The target answered the handshake or upgrade of the protocol in another way than the recorded server. */
    HANDSHAKE_FAILED("handshake-failed"),
    /** The connection broke while the request was being written: the target reset it before it took all. */
    WRITE_FAILED("write-failed"),
    /** The target's process had ended: the request was in flight then, or due later and never sent. */
    TARGET_DIED("target-died");

    private final String key;

    ErrorKind(String key) {
        this.key = key;
    }

    /** Returns the name used in result files and on the screen. */
    public String key() {
        return key;
    }

    /** Returns the kind with this {@link #key}. */
    public static ErrorKind parse(String key) {
        for (ErrorKind kind : values()) {
            if (kind.key.equals(key)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("unknown kind of error \"" + key + "\"");
    }
}
