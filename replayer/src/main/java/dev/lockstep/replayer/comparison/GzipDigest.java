package dev.lockstep.replayer.comparison;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Digests what a body in gzip holds (RFC 1952) while it comes: two JDKs, or two servers, pack the same bytes
 * differently. Nothing of it is kept. Runs per answer on the event loop; of one body at a time.
 */
final class GzipDigest {
    /** The event loop has no time for a body that holds more; a megabyte of gzip may hold a gigabyte. */
    static final long MOST_BYTES = 16 << 20;

    private static final int[] MAGIC = {0x1f, 0x8b, 8};
    private static final int FLAGS_AT = 3;
    private static final int HEAD_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int HAS_HEAD_CRC = 2;
    private static final int HAS_EXTRA = 4;
    private static final int HAS_NAME = 8;
    private static final int HAS_COMMENT = 16;

    /** What a member consists of, in this order. */
    private enum Part {
        HEAD,
        EXTRA_LENGTH,
        EXTRA,
        NAME,
        COMMENT,
        HEAD_CRC,
        DATA,
        TRAILER,
        /** No gzip, or too much: the rest is passed over. */
        BROKEN
    }

    private final Inflater inflater = new Inflater(true);
    private final CRC32C content = new CRC32C();
    /** Of the member, as its trailer has them. */
    private final CRC32 memberCrc = new CRC32();

    private long memberBytes;
    private long trailer;
    private final byte[] out = new byte[4096];

    private Part part = Part.HEAD;
    /** How many bytes of the part there were. */
    private int count;

    private int flags;
    private int extraBytes;
    private int members;
    private long bytes;

    /** Begins a body. */
    void begin() {
        content.reset();
        members = 0;
        bytes = 0;
        enter(Part.HEAD);
    }

    /** Takes a piece of the body, all that remains in this buffer. */
    void add(ByteBuffer packed) {
        while (packed.hasRemaining() && part != Part.BROKEN) {
            if (part == Part.DATA) {
                inflate(packed);
            } else {
                take(packed.get() & 0xff);
            }
        }
    }

    private void inflate(ByteBuffer packed) {
        inflater.setInput(packed);
        try {
            int length;
            while (part == Part.DATA && (length = inflater.inflate(out)) > 0) {
                content.update(out, 0, length);
                bytes += length;
                memberCrc.update(out, 0, length);
                memberBytes += length;
                if (bytes > MOST_BYTES) {
                    part = Part.BROKEN;
                }
            }
        } catch (DataFormatException e) {
            part = Part.BROKEN;
        }
        if (part == Part.DATA && inflater.finished()) {
            enter(Part.TRAILER);
        } else if (packed.hasRemaining()) {
            // It asks for a dictionary, which gzip has not.
            part = Part.BROKEN;
        }
    }

    /** Takes a byte of the head or the trailer. */
    private void take(int next) {
        count++;
        switch (part) {
            case HEAD:
                if (count <= MAGIC.length && next != MAGIC[count - 1]) {
                    part = Part.BROKEN;
                } else if (count == FLAGS_AT + 1) {
                    flags = next;
                } else if (count == HEAD_BYTES) {
                    behind(Part.HEAD);
                }
                break;
            case EXTRA_LENGTH:
                extraBytes = count == 1 ? next : extraBytes | next << 8;
                if (count == 2) {
                    if (extraBytes == 0) {
                        behind(Part.EXTRA);
                    } else {
                        enter(Part.EXTRA);
                    }
                }
                break;
            case EXTRA:
                if (count == extraBytes) {
                    behind(Part.EXTRA);
                }
                break;
            case HEAD_CRC:
                if (count == 2) {
                    behind(Part.HEAD_CRC);
                }
                break;
            case TRAILER:
                trailer |= (long) next << Byte.SIZE * (count - 1);
                if (count == TRAILER_BYTES) {
                    // A client refuses a body of which this is wrong.
                    if (trailer == (memberBytes << Integer.SIZE | memberCrc.getValue())) {
                        members++;
                        enter(Part.HEAD);
                    } else {
                        part = Part.BROKEN;
                    }
                }
                break;
            default:
                // The name and the comment end with a 0.
                if (next == 0) {
                    behind(part);
                }
        }
    }

    /** Goes on behind this part of the head with the next one that it has. */
    private void behind(Part done) {
        if (done == Part.HEAD && (flags & HAS_EXTRA) != 0) {
            enter(Part.EXTRA_LENGTH);
        } else if (done.compareTo(Part.NAME) < 0 && (flags & HAS_NAME) != 0) {
            enter(Part.NAME);
        } else if (done.compareTo(Part.COMMENT) < 0 && (flags & HAS_COMMENT) != 0) {
            enter(Part.COMMENT);
        } else if (done.compareTo(Part.HEAD_CRC) < 0 && (flags & HAS_HEAD_CRC) != 0) {
            enter(Part.HEAD_CRC);
        } else {
            inflater.reset();
            memberCrc.reset();
            memberBytes = 0;
            trailer = 0;
            enter(Part.DATA);
        }
    }

    private void enter(Part next) {
        part = next;
        count = 0;
    }

    /** Tells whether the body came whole and could be unpacked; else the next two say nothing. */
    boolean isWhole() {
        return part == Part.HEAD && count == 0 && members > 0;
    }

    /** Returns the CRC-32C of what it held. */
    int content() {
        return (int) content.getValue();
    }

    /** Returns how much that was. */
    long bytes() {
        return bytes;
    }

    /** Lets the last piece go. */
    void rest() {
        inflater.reset();
    }

    /** Lets go of memory outside the heap, before a collection finds that nobody uses it. */
    void end() {
        inflater.end();
    }
}
