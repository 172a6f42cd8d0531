package dev.lockstep.redaction;

import java.nio.charset.StandardCharsets;

/**
 * What HPACK's tables hold, as far as rules need it: of each entry what its name says of its value, its size, and the
 * value of a header that says how to read a body. Used by the thread of its connection.
 */
final class HeaderTable {
    /** The largest table that is followed. */
    static final int LARGEST_BYTES = 1 << 20;

    /** What an entry takes beside its name and value (RFC 7541, section 4.1). */
    static final int ENTRY_BYTES = 32;

    private static final int FIRST_BYTES = 4096;

    // RFC 7541, appendix A. None of its values says how to read a body.
    private static final String[] STATIC_NAMES = (":authority :method :method :path :path :scheme :scheme :status "
                    + ":status :status :status :status :status :status accept-charset accept-encoding accept-language "
                    + "accept-ranges accept access-control-allow-origin age allow authorization cache-control "
                    + "content-disposition content-encoding content-language content-length content-location "
                    + "content-range content-type cookie date etag expect expires from host if-match if-modified-since "
                    + "if-none-match if-range if-unmodified-since last-modified link location max-forwards "
                    + "proxy-authenticate proxy-authorization range referer refresh retry-after server set-cookie "
                    + "strict-transport-security transfer-encoding user-agent vary via www-authenticate")
            .split(" ");

    private final NameSet names;
    private long[] bits = new long[16];
    private int[] sizes = new int[16];
    private int[] nameLengths = new int[16];
    private byte[][] notes = new byte[16][];
    /** Where the oldest entry is, and how many there are. */
    private int oldest;

    private int count;
    private int bytes;
    private int limit = FIRST_BYTES;

    HeaderTable(NameSet names) {
        this.names = names;
    }

    /** Whether there is an entry of a number as HPACK counts them, from 1. */
    boolean has(int index) {
        return index > 0 && index <= STATIC_NAMES.length + count;
    }

    long bits(int index) {
        if (index <= STATIC_NAMES.length) {
            byte[] name = STATIC_NAMES[index - 1].getBytes(StandardCharsets.US_ASCII);
            return names.bitsOf(name, 0, name.length);
        }
        return bits[slot(index)];
    }

    int nameLength(int index) {
        return index <= STATIC_NAMES.length ? STATIC_NAMES[index - 1].length() : nameLengths[slot(index)];
    }

    /** Returns the value where it was noted, else null. */
    byte[] note(int index) {
        return index <= STATIC_NAMES.length ? null : notes[slot(index)];
    }

    /** Changes how many bytes may be in the table; false where that is too much to follow. */
    boolean limit(int largest) {
        if (largest < 0 || largest > LARGEST_BYTES) {
            return false;
        }
        limit = largest;
        evict(0);
        return true;
    }

    void add(long entryBits, int nameLength, long valueLength, byte[] note) {
        long size = ENTRY_BYTES + nameLength + valueLength;
        if (size > limit) {
            evict(limit);
            return;
        }
        evict((int) size);
        if (count == bits.length) {
            grow();
        }
        int slot = (oldest + count) % bits.length;
        bits[slot] = entryBits;
        sizes[slot] = (int) size;
        nameLengths[slot] = nameLength;
        notes[slot] = note;
        count++;
        bytes += (int) size;
    }

    private void evict(int room) {
        while (count > 0 && bytes > limit - room) {
            bytes -= sizes[oldest];
            notes[oldest] = null;
            oldest = (oldest + 1) % bits.length;
            count--;
        }
    }

    private int slot(int index) {
        return (oldest + count - (index - STATIC_NAMES.length)) % bits.length;
    }

    private void grow() {
        int length = bits.length;
        long[] newBits = new long[length * 2];
        int[] newSizes = new int[length * 2];
        int[] newNameLengths = new int[length * 2];
        byte[][] newNotes = new byte[length * 2][];
        for (int i = 0; i < count; i++) {
            int slot = (oldest + i) % length;
            newBits[i] = bits[slot];
            newSizes[i] = sizes[slot];
            newNameLengths[i] = nameLengths[slot];
            newNotes[i] = notes[slot];
        }
        bits = newBits;
        sizes = newSizes;
        nameLengths = newNameLengths;
        notes = newNotes;
        oldest = 0;
    }
}
