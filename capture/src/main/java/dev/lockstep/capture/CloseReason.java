package dev.lockstep.capture;

/** Why a recorded connection ended. The codes stand in capture files and never change. */
public enum CloseReason {
    /** The file does not say: it ends while the connection is open, or it gives a code of a later version. */
    UNKNOWN(0),
    /** The client closed first, in order. */
    CLIENT_FIN(1),
    /** The server closed first, in order. */
    SERVER_FIN(2),
    /** The client reset the connection. */
    CLIENT_RESET(3),
    /** The server reset the connection. */
    SERVER_RESET(4),
    /** The connection was still open when recording ended. */
    RECORDING_ENDED(5),
    /** Nothing moved for longer than the recorder waits. */
    TIMEOUT(6),
    /** The recorder could not reach the upstream server. */
    UPSTREAM_FAILED(7),
    /** The recorder could not keep up: what followed on this connection is lost. */
    RECORDING_LOST(8);

    private static final CloseReason[] BY_CODE = values();

    private final int code;

    CloseReason(int code) {
        this.code = code;
    }

    /** Returns the number that stands in files, 0 to 255. */
    public int code() {
        return code;
    }

    /** Returns the reason with a code, or {@link #UNKNOWN} for a code that this version does not know. */
    static CloseReason ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNKNOWN;
    }
}
