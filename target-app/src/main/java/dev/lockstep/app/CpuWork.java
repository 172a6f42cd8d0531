package dev.lockstep.app;

import java.util.Map;

/**
 * A request kind that does nothing but compute, for comparing what JIT compilers make of the same code. Its answer
 * depends on the parameters alone. An instance belongs to one event loop and runs on it.
 *
 * <p>Design note: these run on the event loop instead of workers. A request then costs what its computation costs, on
 * one thread and in the order of arrival; a hand-over to a pool would add its own cost and a random order. The price: a
 * long request delays the other connections of its loop, on all targets alike. The parameters' bounds keep the longest
 * request below a second of compiled code, and the largest small enough for a process of 128 MB.
 */
interface CpuWork {
    /**
     * Computes the answer, a JSON object.
     *
     * @param query the parameters as in the URI, or null
     * @throws RefusedRequestException if a parameter is out of its bounds
     */
    byte[] answer(String query);

    /** New instances, by the name that follows {@code /cpu/}. */
    static Map<String, CpuWork> kinds() {
        return Map.of(
                "signverify", new SignVerifyWork(),
                "aesgcm", new AesGcmWork(),
                "lu", new LuWork(),
                "xml", new XmlWork(),
                "streams", new StreamsWork());
    }

    /** The same bytes for the same length and seed, without a pattern that a cipher or parser could exploit. */
    static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i += Long.BYTES) {
            long random = PreloadedUsers.mix(seed + i);
            for (int j = i; j < Math.min(length, i + Long.BYTES); j++) {
                bytes[j] = (byte) random;
                random >>>= Byte.SIZE;
            }
        }
        return bytes;
    }

    static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder(2 * bytes.length);
        for (byte b : bytes) {
            text.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        return text.toString();
    }
}
