package dev.lockstep.conversion.imports;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reads a stream in pieces that end with a separator or have a length, and never reads further than asked. For one
 * thread.
 */
final class ByteSource implements Closeable {
    private static final int CHUNK_BYTES = 64 << 10;

    private final InputStream in;
    private final byte[] buffer = new byte[CHUNK_BYTES];
    private int at;
    private int end;
    private long consumed;
    private boolean tooLong;
    private boolean separated;

    ByteSource(InputStream in) {
        this.in = in;
    }

    /** How many bytes were taken out. */
    long position() {
        return consumed;
    }

    /** The next byte, or -1 at the end. */
    int read() throws IOException {
        if (at == end && !fill()) {
            return -1;
        }
        consumed++;
        return buffer[at++] & 0xFF;
    }

    private boolean fill() throws IOException {
        int count = in.read(buffer, 0, buffer.length);
        at = 0;
        end = Math.max(0, count);
        return count > 0;
    }

    /**
     * The bytes before the next separator, which is passed over, or before the end; null at the end. A piece longer
     * than {@code max} is passed over to its separator, and {@link #wasTooLong()}.
     */
    byte[] readUntil(byte[] separator, int max) throws IOException {
        tooLong = false;
        separated = false;
        if (at == end && !fill()) {
            return null;
        }
        ByteArrayOutputStream piece = new ByteArrayOutputStream();
        int[] failure = failures(separator);
        int matched = 0;
        while (at < end || fill()) {
            int from = at;
            while (at < end) {
                byte b = buffer[at++];
                while (matched > 0 && b != separator[matched]) {
                    matched = failure[matched - 1];
                }
                if (b == separator[matched] && ++matched == separator.length) {
                    separated = true;
                    break;
                }
            }
            consumed += at - from;
            if (!tooLong) {
                piece.write(buffer, from, at - from);
            }
            if (separated) {
                break;
            }
            if (piece.size() > max + separator.length) {
                tooLong = true;
                piece.reset();
            }
        }
        if (tooLong) {
            return new byte[0];
        }
        int length = piece.size() - (separated ? separator.length : 0);
        tooLong = length > max;
        return tooLong ? new byte[0] : Arrays.copyOf(piece.toByteArray(), length);
    }

    /** For each prefix of the pattern, how much of it matches again behind its first byte. */
    private static int[] failures(byte[] pattern) {
        int[] failure = new int[pattern.length];
        int matched = 0;
        for (int i = 1; i < pattern.length; i++) {
            while (matched > 0 && pattern[i] != pattern[matched]) {
                matched = failure[matched - 1];
            }
            failure[i] = pattern[i] == pattern[matched] ? ++matched : matched;
        }
        return failure;
    }

    /** The last piece was longer than allowed and is not here. */
    boolean wasTooLong() {
        return tooLong;
    }

    /** The last piece ended with its separator and not with the end of the stream. */
    boolean wasSeparated() {
        return separated;
    }

    /**
     * Memory is taken as the bytes come, so that a wrong length costs no more than the file has.
     *
     * @throws EOFException when the stream ends before
     */
    byte[] readExactly(int length) throws IOException {
        ByteArrayOutputStream piece = new ByteArrayOutputStream(Math.min(length, CHUNK_BYTES));
        int left = length;
        while (left > 0) {
            if (at == end && !fill()) {
                throw new EOFException("the file ends " + left + " bytes before its entry does");
            }
            int count = Math.min(left, end - at);
            piece.write(buffer, at, count);
            at += count;
            consumed += count;
            left -= count;
        }
        return piece.toByteArray();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
