package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/**
 * Finds the secrets in the messages of a body of gRPC or Connect whose messages are JSON. Runs per piece of such a
 * body; used by the thread of its connection.
 *
 * <pre>
 * flags (1 byte) | length of the message (4 bytes) | message ...
 * </pre>
 */
final class EnvelopeScanner extends BodyScanner {
    private static final int HEAD_BYTES = 5;
    /** Connect's mark of the last message; a plain one has no flags. */
    private static final int LAST = 2;
    /** The message is compressed, and may be the last. */
    private static final int COMPRESSED = 1;

    private static final int LAST_COMPRESSED = 3;

    private final JsonScanner json;
    private final Runnable onUnsearched;

    private int headBytes;
    private long left;
    private boolean isSearched;
    private boolean isUnsearched;

    /** @param onUnsearched is run once for each body that cannot be searched */
    EnvelopeScanner(JsonScanner json, Runnable onUnsearched) {
        this.json = json;
        this.onUnsearched = onUnsearched;
    }

    @Override
    void begin() {
        headBytes = 0;
        isSearched = false;
        isUnsearched = false;
    }

    @Override
    void scan(ByteBuf bytes, int from, int to, long base) {
        int i = from;
        while (i < to) {
            if (headBytes == 0) {
                beginMessage(bytes.getByte(i));
            }
            if (headBytes < HEAD_BYTES) {
                left = left << Byte.SIZE | (headBytes == 0 ? 0 : bytes.getByte(i) & 0xff);
                headBytes++;
                i++;
            } else {
                int length = (int) Math.min(left, to - i);
                if (isSearched) {
                    json.scan(bytes, i, i + length, base);
                }
                i += length;
                left -= length;
            }
            if (headBytes == HEAD_BYTES && left == 0) {
                end();
                headBytes = 0;
            }
        }
    }

    private void beginMessage(byte flags) {
        left = 0;
        isSearched = flags != COMPRESSED && flags != LAST_COMPRESSED;
        if (flags != 0 && flags != LAST && !isUnsearched) {
            isUnsearched = true;
            onUnsearched.run();
        }
        if (flags < 0 || flags > LAST_COMPRESSED) {
            // No envelope: if there is a message, it has none.
            headBytes = HEAD_BYTES;
            left = Long.MAX_VALUE;
        }
        if (isSearched) {
            json.begin();
        }
    }

    @Override
    void end() {
        if (isSearched) {
            json.end();
            isSearched = false;
        }
    }
}
