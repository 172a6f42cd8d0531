package dev.lockstep.capture;

/** The kinds of record. The codes stand in capture files and never change. */
public enum RecordType {
    /** A connection begins; holds its addresses. */
    CONN_OPEN(0x81),
    /** What the connection's bytes were recognised as. */
    PROTOCOL(0x02),
    /** Bytes from the client to the server. */
    DATA_C2S(0x83),
    /** The client sent its FIN. */
    HALF_CLOSE(0x04),
    /** The connection ended. */
    CONN_CLOSE(0x05),
    /** Bytes of the connection are missing here. */
    GAP(0x86),
    /** The recorder could not keep up; holds what it lost since the last such record. */
    DROPPED(0x07),
    /** Reserved: bytes from the server to the client. */
    DATA_S2C(0x08),
    /** Reserved: what the recorded server answered. */
    RESPONSE_DIGEST(0x09),
    /** Reserved: a note about the recording. */
    META(0x0A),
    /** Another recorder goes on here; holds its clocks, and how much of a torn end it cut. */
    CLOCK(0x0B),
    /** A request of the connection gets no answer. */
    NO_ANSWER(0x0C),
    /** How a request of the connection was answered. */
    ANSWER(0x0D);

    private static final int MUST_UNDERSTAND = 0x80;
    private static final RecordType[] BY_CODE = values();

    private final int code;

    RecordType(int code) {
        this.code = code;
    }

    /** Whether a record of this type must belong to a connection. */
    public boolean ofConnection() {
        return ordinal() < DROPPED.ordinal()
                || this == DATA_S2C
                || this == RESPONSE_DIGEST
                || this == NO_ANSWER
                || this == ANSWER;
    }

    /** Returns the number that stands in files, 1 to 255; its top bit says that a reader must know the type. */
    public int code() {
        return code;
    }

    /** Returns the type with a code, or null where this version knows none. */
    public static RecordType ofCode(int code) {
        int ordinal = (code & ~MUST_UNDERSTAND) - 1;
        return ordinal >= 0 && ordinal < BY_CODE.length && BY_CODE[ordinal].code == code ? BY_CODE[ordinal] : null;
    }
}
