package dev.lockstep.capture;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** A SHA-256 over pieces of mapped memory. For one thread at a time. */
public final class Sha256 {
    private final MessageDigest digest = begin();
    private final byte[] batch = new byte[64 << 10];
    private int batched;

    Sha256() {}

    /** Returns the platform's own, which has taken nothing yet. */
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Adds what remains in a view; small pieces are gathered first, because each update of a digest costs. */
    void add(ByteBuffer view) {
        while (view.hasRemaining()) {
            int length = Math.min(view.remaining(), batch.length - batched);
            view.get(batch, batched, length);
            batched += length;
            if (batched == batch.length) {
                digest.update(batch);
                batched = 0;
            }
        }
    }

    /** Returns the digest in lower-case hexadecimal. */
    String hex() {
        digest.update(batch, 0, batched);
        return hex(digest.digest());
    }

    static String hex(byte[] bytes) {
        StringBuilder hex = new StringBuilder();
        for (byte b : bytes) {
            hex.append(Character.forDigit(b >> 4 & 0xF, 16)).append(Character.forDigit(b & 0xF, 16));
        }
        return hex.toString();
    }
}
