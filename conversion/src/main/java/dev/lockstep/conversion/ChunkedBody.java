package dev.lockstep.conversion;

import java.io.ByteArrayOutputStream;

/** Takes HTTP/1's chunks apart (RFC 9112, section 7.1). */
final class ChunkedBody {
    private static final int MAX_DIGITS = 8;

    private ChunkedBody() {}

    /** Returns what the chunks hold, trailers left out, or null when they are not well formed. */
    static byte[] decode(byte[] chunks) {
        ByteArrayOutputStream body = new ByteArrayOutputStream(chunks.length);
        int at = 0;
        while (true) {
            long size = 0;
            int digits = 0;
            while (at < chunks.length && Character.digit(chunks[at], 16) >= 0 && digits <= MAX_DIGITS) {
                size = 16 * size + Character.digit(chunks[at++], 16);
                digits++;
            }
            while (at < chunks.length && chunks[at] != '\n') {
                at++;
            }
            at++;
            if (digits == 0 || at > chunks.length || size > chunks.length - at) {
                return null;
            }
            if (size == 0) {
                return body.toByteArray();
            }
            body.write(chunks, at, (int) size);
            at += (int) size;
            if (at < chunks.length && chunks[at] == '\r') {
                at++;
            }
            if (at >= chunks.length || chunks[at++] != '\n') {
                return null;
            }
        }
    }
}
