package dev.lockstep.redaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RespellingTest {
    private final Tokens tokens = new Tokens(RedactionKey.random());

    /** Returns the bytes of a number with some around them, of which the first so many are replaced. */
    private byte[] replaced(Spelling spelling, ByteOrder order, int there) {
        byte[] raw =
                ByteBuffer.allocate(24).order(order).putDouble(8, 1234.5678).array();
        new Respelling().replace(tokens, spelling, raw, 8, 8 + there);
        return raw;
    }

    @Test
    void replacesTheMantissaOfADoubleInBothOrders() {
        double big = ByteBuffer.wrap(replaced(Spelling.DOUBLE, ByteOrder.BIG_ENDIAN, 8))
                .getDouble(8);
        double little = ByteBuffer.wrap(replaced(Spelling.DOUBLE_LITTLE_ENDIAN, ByteOrder.LITTLE_ENDIAN, 8))
                .order(ByteOrder.LITTLE_ENDIAN)
                .getDouble(8);

        for (double one : new double[] {big, little}) {
            assertEquals(Math.getExponent(1234.5678), Math.getExponent(one));
            assertEquals(true, one != 1234.5678);
        }
    }

    @Test
    void leavesAloneWhatIsNotOfADoubleThatIsCutOff() {
        for (int there = 1; there < 8; there++) {
            for (Spelling spelling : new Spelling[] {Spelling.DOUBLE, Spelling.DOUBLE_LITTLE_ENDIAN}) {
                ByteOrder order = spelling == Spelling.DOUBLE ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
                byte[] before = ByteBuffer.allocate(24)
                        .order(order)
                        .putDouble(8, 1234.5678)
                        .array();
                byte[] after = replaced(spelling, order, there);

                assertArrayEquals(Arrays.copyOf(before, 8), Arrays.copyOf(after, 8), spelling + " " + there);
                assertArrayEquals(
                        Arrays.copyOfRange(before, 8 + there, 24),
                        Arrays.copyOfRange(after, 8 + there, 24),
                        spelling + " " + there);
            }
        }
    }
}
