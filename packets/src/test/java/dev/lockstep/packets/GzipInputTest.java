package dev.lockstep.packets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class GzipInputTest {
    /**
     * Bytes that deflate can only store or code letter by letter, so that damage in their middle is near their middle.
     */
    private static byte[] plain(int length) {
        byte[] plain = new byte[length];
        Random random = new Random(1);
        for (int i = 0; i < length; i++) {
            plain[i] = (byte) ('a' + random.nextInt(26));
        }
        return plain;
    }

    private static byte[] packed(byte[] plain) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(plain);
        }
        return packed.toByteArray();
    }

    /** Reads on to the damage; returns what came before. */
    private static byte[] readToDamage(InputStream in, String problem) {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        DamagedGzipException damage = assertThrows(DamagedGzipException.class, () -> {
            byte[] buffer = new byte[300_000];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                read.write(buffer, 0, count);
            }
        });
        assertTrue(damage.getMessage().startsWith(problem), damage.getMessage());
        return read.toByteArray();
    }

    @Test
    void handsOutWhatComesBeforeACut() throws IOException {
        byte[] plain = plain(20_000);
        byte[] packed = packed(plain);
        for (int length : new int[] {packed.length / 3, packed.length - 9, packed.length - 1}) {
            byte[] read = readToDamage(
                    GzipInput.unpacked(new ByteArrayInputStream(packed, 0, length)),
                    "the gzip data ends early, at byte " + length + " of the file");

            assertTrue(read.length >= plain.length / 4, read.length + " bytes");
            assertArrayEquals(Arrays.copyOf(plain, read.length), read);
        }
    }

    @Test
    void handsOutWhatComesBeforeDamage() throws IOException {
        byte[] plain = plain(400_000);
        // Two members, so that the damage can be one that is noticed where it is: the head of the second's first block.
        byte[] first = packed(plain);
        byte[] second = packed(plain(1000));
        second[10] |= 7;
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);

        byte[] read =
                readToDamage(GzipInput.unpacked(new ByteArrayInputStream(both)), "the gzip data is damaged near byte ");

        assertArrayEquals(plain, read);
    }

    @Test
    void tellsAWrongChecksum() throws IOException {
        byte[] plain = plain(5000);
        byte[] packed = packed(plain);
        packed[packed.length - 5] ^= 1;

        assertArrayEquals(
                plain,
                readToDamage(
                        GzipInput.unpacked(new ByteArrayInputStream(packed)),
                        "the gzip data is damaged near byte " + (packed.length - 8)));
        assertThrows(DamagedGzipException.class, () -> GzipInput.unpacked(new ByteArrayInputStream(packed, 0, 5)));
    }

    @Test
    void readsAllMembersFromAPipeWhoseWriterIsSlow() throws IOException {
        byte[] plain = plain(3000);
        byte[] packed = packed(plain);
        byte[] both = Arrays.copyOf(packed, 2 * packed.length);
        System.arraycopy(packed, 0, both, packed.length, packed.length);
        InputStream slow = new FilterInputStream(new ByteArrayInputStream(both)) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return super.read(bytes, offset, Math.min(length, 7));
            }

            @Override
            public int available() {
                return 0;
            }
        };

        byte[] read = GzipInput.unpacked(slow).readAllBytes();

        assertEquals(2 * plain.length, read.length);
    }

    @Test
    void leavesOtherBytesAsTheyAre() throws IOException {
        for (byte[] plain : new byte[][] {{}, {0x1f}, {0x1f, 0x20, 3}}) {
            assertArrayEquals(
                    plain, GzipInput.unpacked(new ByteArrayInputStream(plain)).readAllBytes());
        }
    }
}
