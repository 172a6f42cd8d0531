package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ThriftStructReaderTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void findsTheEndOfAnyStructHoweverItIsCut(boolean compact) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        ThriftStructReader reader = new ThriftStructReader();
        for (int i = 0; i < 5_000; i++) {
            byte[] struct = compact ? TestingThrift.compactStruct(random) : TestingThrift.struct(random);
            ByteBuf bytes = Unpooled.wrappedBuffer(struct, new byte[] {1, 2, 3});
            int step = random.nextBoolean() ? bytes.writerIndex() : 1 + random.nextInt(7);

            reader.begin(compact, null);
            int index = 0;
            while (!reader.isDone()) {
                assertFalse(reader.hasFailed(), "seed " + seed);
                assertTrue(index < struct.length, "seed " + seed);
                index = reader.read(bytes, index, Math.min(bytes.writerIndex(), index + step));
            }
            assertEquals(struct.length, index, "seed " + seed);
        }
    }
}
