package dev.lockstep.packets;

import io.netty.buffer.ByteBuf;

/** What the bytes at the beginning of a packet look like: who would send them? */
enum FirstBytes {
    /** A client's: an HTTP request, a TLS ClientHello, a Thrift call. */
    REQUEST,
    /** A server's: an HTTP status line, a TLS ServerHello, a Thrift reply. */
    ANSWER,
    /** Either's. */
    UNKNOWN;

    private static final int HTTP_SLASH = 0x48545450;

    static FirstBytes of(ByteBuf bytes, int from, int to) {
        if (to - from < 6) {
            return UNKNOWN;
        }
        int first = bytes.getInt(from);
        if (first == HTTP_SLASH && bytes.getByte(from + 4) == '/') {
            return ANSWER;
        }
        if (first >>> 16 == 0x1603) { // a TLS handshake
            int kind = bytes.getByte(from + 5);
            return kind == 1 ? REQUEST : kind == 2 ? ANSWER : UNKNOWN;
        }
        FirstBytes thrift = thrift(first, bytes.getByte(from + 1));
        if (thrift == UNKNOWN && to - from >= 8 && first > 0) { // behind a length
            int second = bytes.getInt(from + 4);
            thrift = thrift(second, second >> 16);
        }
        if (thrift != UNKNOWN) {
            return thrift;
        }
        int index = from;
        while (index < to && index - from < 24 && isMethod(bytes.getByte(index))) {
            index++;
        }
        return index - from >= 3 && index < to && bytes.getByte(index) == ' ' ? REQUEST : UNKNOWN;
    }

    private static FirstBytes thrift(int word, int secondByte) {
        int type = 0;
        if ((word & 0xffffff00) == 0x80010000) { // binary
            type = word & 0xff;
        } else if (word >>> 24 == 0x82 && (secondByte & 0x1f) == 1) { // compact
            type = secondByte >> 5 & 7;
        }
        return type == 1 || type == 4 ? REQUEST : type == 2 || type == 3 ? ANSWER : UNKNOWN;
    }

    private static boolean isMethod(byte letter) {
        return letter >= 'A' && letter <= 'Z' || letter == '-';
    }
}
