package dev.lockstep.replayer.comparison;

import dev.lockstep.protocol.HttpBytes;
import dev.lockstep.protocol.HttpResponseFramer;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Digests one answer after the other while it is framed: the headers that matter, by name, and the body, of one in gzip
 * what it holds. No body is kept. Runs per answer on the event loop; one belongs to a connection.
 *
 * <p>The order of headers of different names does not count, the order of the values of one name does. CRC-32C (RFC
 * 3720, appendix B.4) is fast, in the JDK, and does not depend on how the bytes were cut; it need not be cryptographic,
 * since no target forges answers: two different answers collide in one of 2^32 cases.
 */
public final class AnswerDigest implements HttpResponseFramer.Listener {
    private static final int NONE = -1;
    private static final byte[] IDENTITY = "identity".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] GZIP = "gzip".getBytes(StandardCharsets.US_ASCII);

    private final CRC32C body = new CRC32C();
    private final CRC32C value = new CRC32C();

    private AnswerLog log;
    private HeaderNames names;
    private int[] numbers = new int[16];
    private int[] hashes = new int[16];
    private int count;
    /** Where the header of the line before stands, for a line that goes on with it. */
    private int last;

    private AnswerBody.Coding coding;
    /** How much of the body came, as it is on its way. */
    private long bodyBytes;
    /** Unpacks the body of this answer; null where it is not in gzip. The log's, and given back to it. */
    private GzipDigest gzip;

    /** Whether the body of this answer is kept; what follows is of that. */
    private boolean keeps;

    private byte[] beginning = {};
    private int length;
    private final byte[] type = new byte[AnswerBodies.MOST_OF_A_TYPE];
    private int typeLength;

    /**
     * Begins an answer.
     *
     * @param into where it is noted, or null
     * @param n the number of its request in the phase
     * @return whether it is one to be digested
     */
    public boolean begin(AnswerLog into, long n) {
        // The answer before may have been cut off.
        giveBack();
        log = into != null && into.covers(n) ? into : null;
        if (log == null) {
            return false;
        }
        names = log.names;
        body.reset();
        count = 0;
        last = NONE;
        keeps = log.keepsBodies();
        length = 0;
        typeLength = 0;
        bodyBytes = 0;
        coding = AnswerBody.Coding.NONE;
        return true;
    }

    /** Tells whether the answer that began last is one to be digested. */
    public boolean isOn() {
        return log != null;
    }

    /** Notes the answer, which is whole, if it is one that was digested. */
    public void end(long n) {
        if (log != null) {
            log.digested(n, this);
            giveBack();
        }
    }

    private void giveBack() {
        if (gzip != null) {
            log.giveBack(gzip);
            gzip = null;
        }
    }

    @Override
    public void headerLine(ByteBuf bytes, int from, int to) {
        byte first = bytes.getByte(from);
        if (first == ' ' || first == '\t') {
            if (last != NONE) {
                addValue(last, bytes, from, to);
            }
            return;
        }
        last = NONE;
        int colon = bytes.indexOf(from, to, (byte) ':');
        if (colon < 0) {
            return;
        }
        int nameEnd = HttpBytes.trimmedEnd(bytes, from, colon);
        int number = names.number(bytes, from, nameEnd);
        if (names.isContentEncoding(number)) {
            encoded(bytes, HttpBytes.skipBlanks(bytes, colon + 1, to), HttpBytes.trimmedEnd(bytes, colon + 1, to));
        } else if (keeps && names.isContentType(number)) {
            int start = HttpBytes.skipBlanks(bytes, colon + 1, to);
            typeLength = Math.max(0, Math.min(type.length, HttpBytes.trimmedEnd(bytes, colon + 1, to) - start));
            bytes.getBytes(start, type, 0, typeLength);
        }
        if (names.ignored(number)) {
            return;
        }
        int valueEnd = to;
        if (names.isCookie(number)) {
            int equals = bytes.indexOf(colon + 1, to, (byte) '=');
            valueEnd = equals < 0 ? to : equals;
        }
        last = place(number);
        addValue(last, bytes, colon + 1, valueEnd);
    }

    private int place(int number) {
        for (int i = 0; i < count; i++) {
            if (numbers[i] == number) {
                return i;
            }
        }
        if (count == numbers.length) {
            numbers = Arrays.copyOf(numbers, count * 2);
            hashes = Arrays.copyOf(hashes, count * 2);
        }
        numbers[count] = number;
        hashes[count] = 1;
        return count++;
    }

    private void addValue(int place, ByteBuf bytes, int from, int to) {
        int end = HttpBytes.trimmedEnd(bytes, from, to);
        int start = HttpBytes.skipBlanks(bytes, from, end);
        value.reset();
        update(value, bytes, start, end);
        // Odd factor and an added one: two values are not one, nor the other way round.
        hashes[place] = hashes[place] * 0x9E3779B1 + (int) value.getValue() + 1;
    }

    private void encoded(ByteBuf bytes, int start, int end) {
        boolean first = coding == AnswerBody.Coding.NONE;
        coding = first && HttpBytes.equalsIgnoringCase(bytes, start, end, IDENTITY)
                ? AnswerBody.Coding.NONE
                : first && HttpBytes.equalsIgnoringCase(bytes, start, end, GZIP)
                        ? AnswerBody.Coding.GZIP
                        : AnswerBody.Coding.OTHER;
    }

    @Override
    public void body(ByteBuf bytes, int from, int to) {
        update(body, bytes, from, to);
        if (coding == AnswerBody.Coding.GZIP && bodyBytes == 0 && to > from) {
            gzip = log.takeGzip();
        }
        if (gzip != null) {
            unpack(bytes, from, to);
        }
        bodyBytes += to - from;
        if (keeps && length < AnswerBodies.MOST_OF_A_BODY) {
            int more = Math.min(to - from, AnswerBodies.MOST_OF_A_BODY - length);
            if (beginning.length < length + more) {
                beginning = Arrays.copyOf(
                        beginning,
                        Math.min(AnswerBodies.MOST_OF_A_BODY, Math.max(length + more, 2 * beginning.length)));
            }
            bytes.getBytes(from, beginning, length, more);
            length += more;
        }
    }

    /** Adds what was kept of the body to those that are. */
    void keepBody(int request, AnswerBodies bodies) {
        if (keeps) {
            bodies.add(request, coding, type, typeLength, beginning, length, bodyBytes);
        }
    }

    private void unpack(ByteBuf bytes, int from, int to) {
        if (bytes.nioBufferCount() == 1) {
            gzip.add(bytes.internalNioBuffer(from, to - from));
        } else {
            for (ByteBuffer part : bytes.nioBuffers(from, to - from)) {
                gzip.add(part);
            }
        }
    }

    private static void update(CRC32C crc, ByteBuf bytes, int from, int to) {
        if (from == to) {
            return;
        }
        if (bytes.nioBufferCount() == 1) {
            crc.update(bytes.internalNioBuffer(from, to - from));
        } else {
            for (ByteBuffer part : bytes.nioBuffers(from, to - from)) {
                crc.update(part);
            }
        }
    }

    int body() {
        return isUnpacked() ? gzip.content() : (int) body.getValue();
    }

    /** Tells whether {@link #body} is that of what the body holds, and not of the body as it came. */
    boolean isUnpacked() {
        return gzip != null && gzip.isWhole();
    }

    /** How much the body holds; only where it is unpacked. */
    long unpackedBytes() {
        return gzip.bytes();
    }

    /** How many headers of different names count. */
    int headers() {
        return count;
    }

    /** The number of the i-th header's name. */
    int number(int i) {
        return numbers[i];
    }

    int hash(int i) {
        return hashes[i];
    }

    /** A digest of all headers that does not depend on their order. */
    long headerSet() {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            long z = ((long) names.hash(numbers[i]) << 32 | hashes[i] & 0xffff_ffffL) * 0x9E3779B97F4A7C15L;
            // SplitMix64's output function (Steele, Lea, Flood 2014).
            z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
            z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
            sum += z ^ z >>> 31;
        }
        return sum;
    }
}
