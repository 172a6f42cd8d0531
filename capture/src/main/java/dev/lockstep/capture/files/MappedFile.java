package dev.lockstep.capture.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/**
 * A file in overlapping mappings of one size. What begins in a mapping and is no longer than the overlap lies in it as
 * a whole. Immutable; any thread may read with absolute positions.
 */
public final class MappedFile {
    private final ByteBuffer[] mappings;
    /** How many bits of an offset are the position in a mapping. */
    final int shift;

    /** The mapped bytes. */
    public final long length;

    private MappedFile(ByteBuffer[] mappings, int shift, long length) {
        this.mappings = mappings;
        this.shift = shift;
        this.length = length;
    }

    /**
     * Maps the first {@code length} bytes of a file.
     *
     * @param shift mappings begin every 2<sup>shift</sup> bytes
     */
    public static MappedFile map(FileChannel channel, long length, int shift, int overlap) throws IOException {
        long step = 1L << shift;
        ByteBuffer[] mappings = new ByteBuffer[Math.toIntExact((length + step - 1) >>> shift)];
        for (int i = 0; i < mappings.length; i++) {
            long from = (long) i << shift;
            mappings[i] = channel.map(FileChannel.MapMode.READ_ONLY, from, Math.min(step + overlap, length - from))
                    .order(ByteOrder.LITTLE_ENDIAN);
        }
        return new MappedFile(mappings, shift, length);
    }

    /** Returns how many mappings there are. */
    public int count() {
        return mappings.length;
    }

    /** Returns a mapping, to be read with absolute positions only. */
    public ByteBuffer mapping(int index) {
        return mappings[index];
    }

    /** Returns the number of the mapping in which the byte at an offset begins. */
    int index(long offset) {
        return (int) (offset >>> shift);
    }

    /** Returns where that byte is in its mapping. */
    int position(long offset) {
        return (int) (offset & (1L << shift) - 1);
    }

    /** Returns the offset in the file of a mapping's first byte. */
    public long start(int index) {
        return (long) index << shift;
    }
}
