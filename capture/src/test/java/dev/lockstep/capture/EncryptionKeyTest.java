package dev.lockstep.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EncryptionKeyTest {
    private static final byte[] RAW = "0123456789abcdef0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
    private static final String HEX = "3031323334353637383961626364656630313233343536373839414243444546";
    private static final String ID = EncryptionKey.of(RAW).id();

    @TempDir
    Path folder;

    private Path file(byte[] contents, String mode) throws Exception {
        Path path = Files.write(folder.resolve("key"), contents);
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    @Test
    void readsRawHexadecimalAndBase64() throws Exception {
        assertEquals(ID, EncryptionKey.fromFile(file(RAW, "rw-------")).id());
        assertEquals(
                ID,
                EncryptionKey.fromFile(file((HEX + "\n").getBytes(StandardCharsets.US_ASCII), "r--------"))
                        .id());
        String base64 = Base64.getEncoder().encodeToString(RAW);
        assertEquals(
                ID,
                EncryptionKey.fromFile(file(base64.getBytes(StandardCharsets.US_ASCII), "rw-------"))
                        .id());
        assertEquals(
                ID,
                EncryptionKey.fromText("KEY", HEX.toUpperCase(java.util.Locale.ROOT))
                        .id());
        assertEquals(ID, EncryptionKey.fromText("KEY", base64).id());
        assertNotEquals(ID, EncryptionKey.of(new byte[32]).id());
    }

    @Test
    void refusesAFileThatOthersMayRead() throws Exception {
        for (String mode : new String[] {"rw-r-----", "rw----r--", "rw--w----"}) {
            Path path = file(RAW, mode);
            CaptureException refused = assertThrows(CaptureException.class, () -> EncryptionKey.fromFile(path));
            assertEquals(
                    path + ": a key must be private to its owner: expected mode 0600,"
                            + " found access for group or others; run chmod 600 on it",
                    refused.getMessage());
        }
    }

    @Test
    void saysWhatIsNoKeyWithoutShowingIt() throws Exception {
        Path path = file("secret-but-too-short".getBytes(StandardCharsets.US_ASCII), "rw-------");
        CaptureException refused = assertThrows(CaptureException.class, () -> EncryptionKey.fromFile(path));
        assertEquals(
                path + ": holds no key: expected 32 bytes, or their 64 hexadecimal digits or base64,"
                        + " found 20 bytes of something else",
                refused.getMessage());
        assertThrows(CaptureException.class, () -> EncryptionKey.fromFile(folder.resolve("missing")));
        assertThrows(CaptureException.class, () -> EncryptionKey.fromFile(folder));
        IllegalArgumentException text =
                assertThrows(IllegalArgumentException.class, () -> EncryptionKey.fromText("KEY", HEX.substring(1)));
        assertFalse(text.getMessage().contains("3132"), text.getMessage());
        assertTrue(assertThrows(IllegalArgumentException.class, () -> EncryptionKey.fromEnvironment("NO_SUCH_KEY"))
                .getMessage()
                .startsWith("environment variable NO_SUCH_KEY is not set"));
        assertEquals("key " + ID, EncryptionKey.of(RAW).toString());
    }

    @Test
    void givesEachFileAKeyOfItsOwn() {
        EncryptionKey key = EncryptionKey.of(RAW);
        assertNotEquals(key.fileKey(new byte[16]), key.fileKey(new byte[] {1}));
        assertEquals(key.fileKey(new byte[16]), key.fileKey(new byte[16]));
    }
}
