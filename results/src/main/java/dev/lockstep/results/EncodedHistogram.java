package dev.lockstep.results;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** A histogram as a text, as the last column of a line of HdrHistogram's log format has it. */
public final class EncodedHistogram {
    private EncodedHistogram() {}

    static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /** Throws IllegalArgumentException where the text is no histogram. */
    public static Histogram decode(String column) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(column)), 0);
        } catch (DataFormatException | RuntimeException e) {
            throw new IllegalArgumentException("expected a compressed histogram, found other bytes", e);
        }
    }
}
