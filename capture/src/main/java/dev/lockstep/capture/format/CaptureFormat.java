package dev.lockstep.capture.format;

import dev.lockstep.capture.RecordedStatus;
import java.nio.ByteBuffer;

/**
 * The numbers of capture format 1.0. {@code docs/capture-format.md} has the words; all integers are little endian.
 *
 * <pre>
 *  file:    | header page, 4096 bytes | block | block | ... | block |
 *
 *  header:  0        identity: written once                               2044    2048
 *           | magic | version | features | id | mark | start | notes      | crc32c |
 *           2048     summary: rewritten in place when the file is closed  4092    4096
 *           | state | file length | totals | losses | reason              | crc32c |
 *
 *  block:   0        16       20   21    22    24     28     32      36       40     48     56     64
 *           | mark   | crc32c |kind|codec|flags|stored|raw   |records|reserved|first |base  |last  | stored bytes ...
 *           | 16     | 4      | 1  | 1   | 2   | 4    | 4    | 4     | 4      |record|time  |time  |
 *
 *  record:  0               3      4            8            12             15      16
 *           | payload bytes | type | connection | time delta | sequence no. | flags | payload ...
 *           | 24 bits       | 8    | 32         | 32         | 24           | 8     |
 * </pre>
 */
public final class CaptureFormat {
    /** {@code 89 'L' 'S' 'C' CR LF 1A LF}: the top bit and the line ends show damage by a transfer as text. */
    static final long MAGIC = 0x0A1A0A0D_43534C89L;

    public static final int MAJOR = 1;
    static final int MINOR = 0;

    public static final int HEADER_BYTES = 4096;
    public static final int HALF_BYTES = 2048;
    public static final int HALF_CRC = HALF_BYTES - 4;

    // Bits of features without which a file cannot be read.
    static final long FEATURE_COMPRESSED = 1;
    static final long FEATURE_ENCRYPTED = 2;
    static final long KNOWN_INCOMPATIBLE_FEATURES = FEATURE_COMPRESSED | FEATURE_ENCRYPTED;

    // Identity, the first half of the header page.
    static final int ID_MAGIC = 0;
    public static final int ID_MAJOR = 8;
    public static final int ID_MINOR = 10;
    public static final int ID_HEADER_BYTES = 12;
    public static final int ID_INCOMPATIBLE = 16;
    public static final int ID_COMPATIBLE = 24;
    static final int ID_UUID = 32;
    public static final int ID_MARK = 48;
    public static final int ID_START_EPOCH_NS = 64;
    static final int ID_START_MONOTONIC_NS = 72;
    static final int ID_SEGMENT = 80;
    public static final int ID_NOTES_BYTES = 84;
    public static final int ID_NOTES = 88;

    // Notes in the header: u16 type, u16 length, UTF-8 text.
    static final int NOTE_HEADER_BYTES = 4;
    public static final int NOTE_TOOL_VERSION = 1;
    public static final int NOTE_HOST = 2;
    public static final int NOTE_LISTEN = 3;
    public static final int NOTE_UPSTREAM = 4;
    public static final int NOTE_FILTERS = 5;
    public static final int NOTE_SAMPLING = 6;
    public static final int NOTE_REDACTION = 7;

    /** Separates the rules from the fingerprint of the key in the note on redaction. */
    public static final String NOTE_REDACTION_KEY = "; key ";

    public static final int NOTE_KEY_ID = 8;
    public static final int NOTE_COMMENT = 9;
    public static final int NOTE_CONNECTIONS_BEFORE = 10;
    public static final int NOTE_RECORDS_BEFORE = 11;
    static final int NOTE_TYPES = 12;

    // Summary, the second half of the header page; offsets from its start.
    public static final int SUM_STATE = 0;
    public static final int SUM_REASON = 1;
    public static final int SUM_REASON_TEXT_BYTES = 2;
    public static final int SUM_FLAGS = 4;
    public static final int SUM_FILE_BYTES = 8;
    public static final int SUM_LAST_INDEX = 16;
    public static final int SUM_LAST_TIME_NS = 24;
    public static final int SUM_BLOCKS = 32;
    public static final int SUM_RECORDS = 40;
    public static final int SUM_CONNECTIONS = 48;
    public static final int SUM_REQUESTS = 56;
    public static final int SUM_DATA_BYTES = 64;
    public static final int SUM_LOST_CONNECTIONS = 72;
    public static final int SUM_LOST_REQUESTS = 80;
    public static final int SUM_LOST_BYTES = 88;
    public static final int SUM_REDACTED_VALUES = 96;
    public static final int SUM_MISSED_PACKETS = 104;
    public static final int SUM_UNSEARCHED = 112;
    public static final int SUM_REASON_TEXT = 256;
    public static final int SUM_MAX_REASON_TEXT_BYTES = 1024;

    /** The bit of the summary's flags that says that the recording goes on in the next segment. */
    public static final int SUM_GOES_ON = 1;

    // Block header.
    public static final int BLOCK_HEADER_BYTES = 64;
    public static final int BLOCK_MARK = 0;
    public static final int BLOCK_CRC = 16;
    public static final int BLOCK_KIND = 20;
    public static final int BLOCK_CODEC = 21;
    public static final int BLOCK_FLAGS = 22;
    public static final int BLOCK_STORED_BYTES = 24;
    public static final int BLOCK_RAW_BYTES = 28;
    public static final int BLOCK_RECORDS = 32;
    public static final int BLOCK_FIRST_RECORD = 40;
    public static final int BLOCK_BASE_NS = 48;
    public static final int BLOCK_LAST_NS = 56;

    /** The most bytes that a block stores after its header; a reader refuses more. */
    public static final int MAX_STORED_BYTES = 32 << 20;

    public static final int KIND_RECORDS = 0x81;
    public static final int KIND_INDEX = 0x02;
    public static final int CODEC_NONE = 0;
    public static final int CODEC_ZSTD = 2;

    /** The bit of a block's flags that says that its stored bytes are encrypted. */
    public static final int BLOCK_ENCRYPTED = 1;

    /** Stored bytes that are encrypted begin with the nonce and end with the tag. */
    public static final int NONCE_BYTES = 12;

    public static final int TAG_BYTES = 16;

    /** The bit of a block kind or record type that stops a reader which does not know it. */
    public static final int MUST_UNDERSTAND = 0x80;

    // Index block, after the block header.
    public static final int INDEX_PREVIOUS = 0;
    public static final int INDEX_ENTRY_BYTES_FIELD = 8;
    public static final int INDEX_ENTRIES = 12;
    public static final int INDEX_HEADER_BYTES = 16;
    public static final int INDEX_ENTRY_BYTES = 32;
    public static final int ENTRY_BLOCK = 0;
    public static final int ENTRY_BASE_NS = 8;
    public static final int ENTRY_FIRST_RECORD = 16;
    public static final int ENTRY_LOW_CONNECTION = 24;
    public static final int ENTRY_HIGH_CONNECTION = 28;

    // Record header.
    public static final int RECORD_HEADER_BYTES = 16;
    public static final int RECORD_LENGTH_AND_TYPE = 0;
    public static final int RECORD_CONNECTION = 4;
    public static final int RECORD_TIME_DELTA = 8;
    public static final int RECORD_SEQUENCE_AND_FLAGS = 12;

    public static final int MAX_PAYLOAD_BYTES = (1 << 24) - 1;
    public static final int SEQUENCE_MASK = (1 << 24) - 1;
    public static final long MAX_TIME_DELTA_NS = (1L << 32) - 1;

    /** The connection of a record that belongs to none. */
    public static final int NO_CONNECTION = -1;

    // Payload of CONN_OPEN; the addresses follow, the client's first.
    public static final int OPEN_CLIENT_ADDRESS_BYTES = 0;
    public static final int OPEN_SERVER_ADDRESS_BYTES = 1;
    public static final int OPEN_FLAGS = 2;
    public static final int OPEN_CLIENT_PORT = 4;
    public static final int OPEN_SERVER_PORT = 6;
    public static final int OPEN_HEADER_BYTES = 8;

    /** The bit of CONN_OPEN's flags that says that the connection was open before. */
    public static final int OPEN_ALREADY = 1;

    // What may stand behind the addresses: u16 type, u16 length, value.
    public static final int DETAIL_HEADER_BYTES = 4;
    public static final int DETAIL_TLS_SERVER_NAME = 1;
    public static final int DETAIL_ALPN = 2;
    public static final int DETAIL_TLS_VERSION = 3;
    public static final int DETAIL_PROXY_HEADER = 4;
    public static final int DETAIL_NUMBER_BEFORE = 5;
    public static final int DETAIL_WHOLE_NUMBER = 6;
    public static final int CARRIED_DETAIL_BYTES = 2 * (DETAIL_HEADER_BYTES + Integer.BYTES);

    // Payload of DROPPED.
    public static final int DROPPED_CONNECTIONS = 0;
    public static final int DROPPED_REQUESTS = 8;
    public static final int DROPPED_BYTES = 16;
    public static final int DROPPED_PAYLOAD_BYTES = 24;

    public static final int PROTOCOL_PAYLOAD_BYTES = 2;
    public static final int CLOSE_PAYLOAD_BYTES = 1;
    public static final int GAP_PAYLOAD_BYTES = 8;
    public static final int NO_ANSWER_PAYLOAD_BYTES = 8;

    // Payload of ANSWER.
    public static final int ANSWER_REQUEST = 0;
    static final int ANSWER_STATUS = 8;
    public static final int ANSWER_PAYLOAD_BYTES = 10;

    // Payload of CLOCK.
    static final int CLOCK_EPOCH_NS = 0;
    static final int CLOCK_MONOTONIC_NS = 8;
    public static final int CLOCK_CUT_BYTES = 16;
    /** What earlier versions wrote has no more. */
    public static final int CLOCK_LEAST_PAYLOAD_BYTES = 24;

    /** A byte: 1 where what was there had not been closed, 2 where what a filter read had not been, else 0. */
    public static final int CLOCK_LEFT_OPEN = 24;

    public static final int CLOCK_FILTERED = 2;

    public static final int CLOCK_PAYLOAD_BYTES = 25;

    private CaptureFormat() {}

    /** Returns the {@link RecordedStatus} in the payload of an ANSWER record. */
    public static int status(ByteBuffer payload, int from) {
        int status = payload.getShort(from + ANSWER_STATUS) & 0xFFFF;
        return status <= RecordedStatus.MAX ? status : RecordedStatus.UNKNOWN;
    }

    /** Returns the four-byte number that stands behind CONN_OPEN's addresses under a type, or -1. */
    public static long detail(ByteBuffer payload, int from, int to, int wanted) {
        for (int at = from; at + DETAIL_HEADER_BYTES <= to; ) {
            int type = payload.getShort(at) & 0xFFFF;
            int length = payload.getShort(at + 2) & 0xFFFF;
            at += DETAIL_HEADER_BYTES;
            if (type == wanted && length >= Integer.BYTES && length <= to - at) {
                return payload.getInt(at) & 0xFFFFFFFFL;
            }
            at += length;
        }
        return -1;
    }
}
