package dev.lockstep.redaction;

import dev.lockstep.capture.CaptureException;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key by which secrets become tokens. With the same key the same secret becomes the same token, so recordings made
 * with one key can be told to hold the same sessions; who has the key can test guesses. Immutable; any thread.
 */
public final class RedactionKey {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int RANDOM_BYTES = 32;
    private static final int SHORTEST_BYTES = 16;
    private static final int LONGEST_BYTES = 4096;
    private static final int FINGERPRINT_BYTES = 4;

    private final SecretKeySpec key;
    private final String fingerprint;

    private RedactionKey(byte[] bytes) {
        key = new SecretKeySpec(bytes, ALGORITHM);
        byte[] digest = mac().doFinal("fingerprint".getBytes(StandardCharsets.US_ASCII));
        fingerprint = ByteBufUtil.hexDump(digest, 0, FINGERPRINT_BYTES);
    }

    /** A new key that nobody knows: tokens of different recordings cannot be compared. */
    public static RedactionKey random() {
        byte[] bytes = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(bytes);
        return new RedactionKey(bytes);
    }

    /**
     * Reads a key: all bytes of a file, without the line ends behind them.
     *
     * @throws RedactionException if the file cannot be read or holds fewer than 16 or more than 4096 bytes
     */
    public static RedactionKey ofFile(Path path) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(path)) {
            bytes = in.readNBytes(LONGEST_BYTES + 1);
            if (bytes.length > LONGEST_BYTES) {
                throw new RedactionException(
                        path + ": expected a key of at most " + LONGEST_BYTES + " bytes, found more");
            }
        } catch (NoSuchFileException e) {
            throw new RedactionException(path + ": no such key file", e);
        } catch (IOException e) {
            throw new RedactionException(path + ": the key cannot be read: " + CaptureException.reason(e), e);
        }
        return of(bytes, path.toString());
    }

    /**
     * Takes a key from the text of an environment variable.
     *
     * @throws RedactionException if there is no such variable or its text has fewer than 16 or more than 4096 bytes
     */
    public static RedactionKey ofEnvironment(String variable) {
        String text = System.getenv(variable);
        if (text == null) {
            throw new RedactionException(
                    "environment variable " + variable + ": expected a key, found no such variable");
        }
        return of(text.getBytes(StandardCharsets.UTF_8), "environment variable " + variable);
    }

    /** Eight hex digits that tell keys apart and do not tell the key. */
    public String fingerprint() {
        return fingerprint;
    }

    /** A new function of this key, for one thread. */
    Mac mac() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    static RedactionKey of(byte[] bytes, String where) {
        int length = bytes.length;
        while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) {
            length--;
        }
        if (length < SHORTEST_BYTES || length > LONGEST_BYTES) {
            throw new RedactionException(where + ": expected a key of " + SHORTEST_BYTES + " to " + LONGEST_BYTES
                    + " bytes, found " + length);
        }
        return new RedactionKey(Arrays.copyOf(bytes, length));
    }
}
