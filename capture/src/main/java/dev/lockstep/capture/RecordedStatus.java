package dev.lockstep.capture;

/** How a recorded server answered a request, as one number: a status code of HTTP, or one of these. */
public final class RecordedStatus {
    /** Not known. */
    public static final int UNKNOWN = 0;
    /** A reply of Thrift, declared exceptions included. */
    public static final int THRIFT_REPLY = 1;
    /** A TApplicationException of Thrift. */
    public static final int THRIFT_EXCEPTION = 2;

    /** No status is higher. */
    public static final int MAX = 999;

    private RecordedStatus() {}

    /** Whether it is a status code of HTTP. */
    public static boolean isHttp(int status) {
        return status >= 100;
    }
}
