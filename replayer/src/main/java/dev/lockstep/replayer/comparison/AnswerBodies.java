package dev.lockstep.replayer.comparison;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The beginnings of what one target answered first, outside the heap, one behind the other until there is no more room.
 * Which of them differ is known only when all targets have answered. Written by one event loop, read by another thread
 * after the phase; never grows.
 *
 * <pre>
 * request (int) | coding (byte) | length of the type (byte) | length (short) | bytes in all (long) | type | beginning
 * </pre>
 */
final class AnswerBodies {
    /** How much of a body is kept. */
    static final int MOST_OF_A_BODY = 4096;

    static final int MOST_OF_A_TYPE = 100;
    private static final int HEAD = Integer.BYTES + 1 + 1 + Short.BYTES + Long.BYTES;

    private final ByteBuffer kept;

    /** @param bytes how much room there is */
    AnswerBodies(int bytes) {
        kept = ByteBuffer.allocateDirect(bytes);
    }

    /** Says whether there is room for any further one. */
    boolean hasRoom() {
        return kept.remaining() >= HEAD + MOST_OF_A_TYPE + MOST_OF_A_BODY;
    }

    /** Adds one; only while there is room. */
    void add(int request, AnswerBody.Coding coding, byte[] type, int typeLength, byte[] body, int length, long bytes) {
        kept.putInt(request)
                .put((byte) coding.ordinal())
                .put((byte) typeLength)
                .putShort((short) length)
                .putLong(bytes)
                .put(type, 0, typeLength)
                .put(body, 0, length);
    }

    /** Returns those of some requests, as far as they were kept and the log has answers to them. */
    Map<Integer, AnswerBody> of(Set<Integer> requests, AnswerLog log) {
        Map<Integer, AnswerBody> found = new HashMap<>();
        ByteBuffer all = kept.duplicate();
        all.flip();
        while (all.hasRemaining()) {
            int request = all.getInt();
            AnswerBody.Coding coding = AnswerBody.Coding.values()[all.get()];
            byte[] type = new byte[all.get()];
            byte[] body = new byte[all.getShort()];
            long bytes = all.getLong();
            all.get(type).get(body);
            // An answer that was cut off after all is none.
            if (requests.contains(request) && log.outcome(request) < AnswerLog.FAILED) {
                found.put(request, new AnswerBody(new String(type, StandardCharsets.ISO_8859_1), coding, body, bytes));
            }
        }
        return found;
    }
}
