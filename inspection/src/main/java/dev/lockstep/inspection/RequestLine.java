package dev.lockstep.inspection;

/** One request as a list for people shows it. Immutable. */
public final class RequestLine {
    private final long timeNs;
    private final int connection;
    private final String protocol;
    private final String method;
    private final String target;
    private final String host;
    private final long bytes;

    RequestLine(long timeNs, int connection, String protocol, String method, String target, String host, long bytes) {
        this.timeNs = timeNs;
        this.connection = connection;
        this.protocol = protocol;
        this.method = method;
        this.target = target;
        this.host = host;
        this.bytes = bytes;
    }

    /** Returns the time of its first byte in ns since the capture's start. */
    public long timeNs() {
        return timeNs;
    }

    /** Returns its connection's number. */
    public int connection() {
        return connection;
    }

    /** Returns what its connection was recognised as. */
    public String protocol() {
        return protocol;
    }

    /** Returns HTTP's method or the Thrift function, or null; as recorded, not fit for a terminal. */
    public String method() {
        return method;
    }

    /** Returns HTTP's target, or null; as recorded, not fit for a terminal. */
    public String target() {
        return target;
    }

    /** Returns HTTP's host, or null; as recorded, not fit for a terminal. */
    public String host() {
        return host;
    }

    /** Returns its length in bytes; 0 for HTTP/2, where it is not known. */
    public long bytes() {
        return bytes;
    }
}
