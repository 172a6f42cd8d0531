package dev.lockstep.capture;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key of 256 bits under which captures are encrypted. Immutable; nothing of the key shows in messages.
 *
 * <p>Each file has a key of its own, derived from this one and the file's random mark by HMAC-SHA256, so the nonces of
 * different files and segments cannot meet.
 */
public final class EncryptionKey {
    private static final int KEY_BYTES = 32;
    private static final int ID_BYTES = 8;
    private static final int MAX_TEXT_BYTES = 256;

    private static final String EXPECTED = "expected 32 bytes, or their 64 hexadecimal digits or base64, found ";

    private final byte[] key;
    private final String id;

    private EncryptionKey(byte[] key) {
        this.key = key;
        this.id = Sha256.hex(Arrays.copyOf(mac("lockstep capture key id", new byte[0]), ID_BYTES));
    }

    /** Returns a key of 32 bytes; {@code EncryptionKey} keeps a copy. */
    public static EncryptionKey of(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("key must be " + KEY_BYTES + " bytes, found " + key.length);
        }
        return new EncryptionKey(key.clone());
    }

    /**
     * Reads a key from a file that only its owner may read: 32 bytes, or their 64 hexadecimal digits or base64.
     *
     * @throws CaptureException when the file cannot be read, others may read it, or it holds no key
     */
    public static EncryptionKey fromFile(Path path) {
        byte[] contents;
        try {
            Set<PosixFilePermission> others = Files.getPosixFilePermissions(path);
            others.remove(PosixFilePermission.OWNER_READ);
            others.remove(PosixFilePermission.OWNER_WRITE);
            others.remove(PosixFilePermission.OWNER_EXECUTE);
            if (!others.isEmpty()) {
                throw new CaptureException(
                        path,
                        "a key must be private to its owner: expected mode 0600, found access for group or others;"
                                + " run chmod 600 on it");
            }
            if (!Files.isRegularFile(path) || Files.size(path) > MAX_TEXT_BYTES) {
                throw new CaptureException(path, "holds no key: " + EXPECTED + "something else");
            }
            contents = Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            throw new CaptureException(path, "no such file; expected a key of 32 bytes", e);
        } catch (IOException e) {
            throw new CaptureException(path, "the key cannot be read: " + CaptureException.reason(e), e);
        }
        byte[] key = contents.length == KEY_BYTES ? contents : parse(new String(contents, StandardCharsets.ISO_8859_1));
        if (key == null) {
            throw new CaptureException(
                    path, "holds no key: " + EXPECTED + contents.length + " bytes of something else");
        }
        return new EncryptionKey(key);
    }

    /**
     * Reads a key from an environment variable: 64 hexadecimal digits or base64 of 32 bytes.
     *
     * @throws IllegalArgumentException when there is no such variable, or it holds no key
     */
    public static EncryptionKey fromEnvironment(String name) {
        return fromText(name, System.getenv(name));
    }

    static EncryptionKey fromText(String name, String text) {
        if (text == null) {
            throw new IllegalArgumentException(
                    "environment variable " + name + " is not set; expected a key as 64 hexadecimal digits or base64");
        }
        byte[] key = parse(text);
        if (key == null) {
            throw new IllegalArgumentException("environment variable "
                    + name + " holds no key: expected 64 hexadecimal digits, or base64 of 32 bytes, found "
                    + text.length() + " characters of something else");
        }
        return new EncryptionKey(key);
    }

    /** Returns the key that a text stands for, or null. */
    private static byte[] parse(String text) {
        String digits = text.trim();
        if (digits.length() == 2 * KEY_BYTES) {
            byte[] key = new byte[KEY_BYTES];
            for (int i = 0; i < key.length; i++) {
                int high = Character.digit(digits.charAt(2 * i), 16);
                int low = Character.digit(digits.charAt(2 * i + 1), 16);
                if (high < 0 || low < 0) {
                    return null;
                }
                key[i] = (byte) (high << 4 | low);
            }
            return key;
        }
        try {
            byte[] key = Base64.getDecoder().decode(digits);
            return key.length == KEY_BYTES ? key : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * Returns a public name of the key, 16 hexadecimal digits from which the key cannot be found; it stands in files.
     */
    public String id() {
        return id;
    }

    /** Returns the key of the file with a mark. */
    public SecretKey fileKey(byte[] mark) {
        return new SecretKeySpec(mac("lockstep capture file key", mark), "AES");
    }

    private byte[] mac(String purpose, byte[] data) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update(purpose.getBytes(StandardCharsets.US_ASCII));
            return mac.doFinal(data);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    /** Names the key by its id only. */
    @Override
    public String toString() {
        return "key " + id;
    }
}
