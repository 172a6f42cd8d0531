package dev.lockstep.replayer.comparison;

import dev.lockstep.protocol.HttpBytes;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Numbers the names of response headers as they come, and knows which are not compared. Used by one event loop, then
 * read; allocates only for a name that was never seen.
 */
final class HeaderNames {
    /** The number of every name beyond those that are told apart. */
    static final int OTHER = 255;

    private static final int SLOTS = 1024;
    private static final int LONGEST = 256;

    /**
     * Headers that belong to a connection or a moment and not to an answer: hop-by-hop ones (RFC 9110, 7.6.1), the
     * length, which is compared as the body's, and what names this very exchange.
     */
    private static final Set<String> IGNORED =
            Set.of(("age alt-svc b3 cf-ray connection content-length date keep-alive proxy-connection request-id "
                            + "server-timing traceparent tracestate trailer transfer-encoding via x-amz-cf-id "
                            + "x-cloud-trace-context x-correlation-id x-envoy-upstream-service-time x-request-id "
                            + "x-response-time x-runtime x-trace-id")
                    .split(" "));
    /** How the names of such headers begin that come in many. */
    private static final List<String> IGNORED_BEGINNINGS = List.of("x-amzn-", "x-b3-");

    private final Set<String> alsoIgnored;
    private final byte[][] names = new byte[OTHER][];
    private final String[] texts = new String[OTHER];
    private final boolean[] ignored = new boolean[OTHER];
    private final boolean[] cookies = new boolean[OTHER];
    private final int[] hashes = new int[OTHER];
    private int contentType = OTHER;
    private int contentEncoding = OTHER;
    /** Numbers plus 1 by hash, 0 for none. */
    private final short[] slots = new short[SLOTS];

    private int count;

    /** @param alsoIgnored names in lower case */
    HeaderNames(Collection<String> alsoIgnored) {
        this.alsoIgnored = Set.copyOf(alsoIgnored);
    }

    /** The number of the name in this range of a header line. */
    int number(ByteBuf bytes, int from, int to) {
        int length = to - from;
        if (length > LONGEST) {
            return OTHER;
        }
        int hash = 0;
        for (int at = from; at < to; at++) {
            hash = hash * 31 + lower(bytes.getByte(at));
        }
        int slot = (hash ^ hash >>> 15) & SLOTS - 1;
        while (slots[slot] != 0) {
            int number = slots[slot] - 1;
            if (hashes[number] == hash && HttpBytes.equalsIgnoringCase(bytes, from, to, names[number])) {
                return number;
            }
            slot = slot + 1 & SLOTS - 1;
        }
        return count == OTHER ? OTHER : add(slot, hash, bytes, from, length);
    }

    private int add(int slot, int hash, ByteBuf bytes, int from, int length) {
        byte[] name = new byte[length];
        for (int i = 0; i < length; i++) {
            name[i] = lower(bytes.getByte(from + i));
        }
        String text = new String(name, StandardCharsets.ISO_8859_1);
        names[count] = name;
        texts[count] = text.replaceAll("[^!-~]", "?");
        hashes[count] = hash;
        ignored[count] = IGNORED.contains(text)
                || alsoIgnored.contains(text)
                || IGNORED_BEGINNINGS.stream().anyMatch(text::startsWith);
        cookies[count] = text.equals("set-cookie");
        if (text.equals("content-type")) {
            contentType = count;
        } else if (text.equals("content-encoding")) {
            contentEncoding = count;
        }
        slots[slot] = (short) (count + 1);
        return count++;
    }

    private static byte lower(byte b) {
        return b >= 'A' && b <= 'Z' ? (byte) (b | 0x20) : b;
    }

    boolean ignored(int number) {
        return number != OTHER && ignored[number];
    }

    /** Tells whether this is Set-Cookie, of which only the cookie's name is compared. */
    boolean isCookie(int number) {
        return number != OTHER && cookies[number];
    }

    boolean isContentType(int number) {
        return number != OTHER && number == contentType;
    }

    boolean isContentEncoding(int number) {
        return number != OTHER && number == contentEncoding;
    }

    /** A hash of the name that is the same in every table. */
    int hash(int number) {
        return number == OTHER ? OTHER : hashes[number];
    }

    /** The name in lower case, with ? for what is not printable ASCII, since the target chose it. */
    String name(int number) {
        return number == OTHER ? "(others)" : texts[number];
    }
}
