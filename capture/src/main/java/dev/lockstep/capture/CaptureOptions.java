package dev.lockstep.capture;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.immutables.value.Value;

/** How a {@link CaptureWriter} writes, and what it notes about the recording. A note that was not given is null. */
@Value.Immutable
public abstract class CaptureOptions {
    /** The longest text that the header takes, in bytes of UTF-8. */
    private static final int MAX_TEXT_BYTES = 255;

    /** The longest texts together; the rest of the header's notes are the writer's own. */
    private static final int MAX_TEXTS_BYTES = 1800;

    /** An existing file is refused; 64 MiB of buffers, blocks of 256 KiB, flushed after 100 ms. */
    public static CaptureOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Whether an existing file is replaced. */
    @Value.Default
    public boolean overwrite() {
        return false;
    }

    /** How much memory blocks may take that wait for the disk; what finds no room is dropped and counted. */
    @Value.Default
    public long memoryBytes() {
        return 64L << 20;
    }

    /** The size at which a block is full, with its header: 4 KiB to 16 MiB. */
    @Value.Default
    public int blockBytes() {
        return 256 << 10;
    }

    /** How long data may wait in a block that is not full, 1 ms to 1 s: what a killed recorder loses at most. */
    @Value.Default
    Duration flushInterval() {
        return Duration.ofMillis(100);
    }

    @Value.Derived
    public long flushIntervalNs() {
        return flushInterval().toNanos();
    }

    /** The version of the tool that records. */
    @Nullable
    public abstract String toolVersion();

    /** The name of the recording machine, in place of the one that the kernel gives. */
    @Nullable
    public abstract String host();

    /** The address at which clients are accepted. */
    @Nullable
    public abstract String listen();

    /** The address of the recorded service. */
    @Nullable
    public abstract String upstream();

    /** The filters by which traffic is chosen. */
    @Nullable
    public abstract String filters();

    /** How connections are sampled. */
    @Nullable
    public abstract String sampling();

    /** The policy under which values are replaced before they come to the writer; null for exact bytes. */
    @Nullable
    public abstract String redaction();

    /** Words of the user. */
    @Nullable
    public abstract String comment();

    /** The start of the capture, or null for the instant of creation. */
    @Nullable
    public abstract ClockReading start();

    /** Whether an append waits for the disk instead of dropping: for imports and filters, never for live traffic. */
    @Value.Default
    public boolean waitForDisk() {
        return false;
    }

    /** How each block is compressed, on the writer's thread; null for not at all, or as the file is that goes on. */
    @Nullable
    public abstract Compression compression();

    /** 1 (fast) to 19 (small). */
    @Value.Default
    public int compressionLevel() {
        return 1;
    }

    /** The key under which each block is encrypted, on the writer's thread; null for not at all. */
    @Nullable
    public abstract EncryptionKey encryption();

    /** Before the file would grow beyond so many bytes another segment begins; 0 for never. */
    @Value.Default
    public long rotateBytes() {
        return 0;
    }

    /** After this time another segment begins; null for never. */
    @Nullable
    abstract Duration rotateAfter();

    @Value.Derived
    public long rotateAfterNs() {
        return rotateAfter() == null ? 0 : rotateAfter().toNanos();
    }

    /** Returns the start of the capture as it was given, or this instant. */
    public ClockReading startOrNow() {
        return start() != null ? start() : ClockReading.now();
    }

    /** Whether further segments may begin. */
    public boolean rotates() {
        return rotateBytes() != 0 || rotateAfterNs() != 0;
    }

    @Value.Check
    void check() {
        refuseUnless(
                blockBytes() >= 4 << 10 && blockBytes() <= 16 << 20,
                "blockBytes must be from 4096 (4 KiB) to 16777216 (16 MiB), found " + blockBytes());
        long twoBlocks = 2L * blockBytes();
        refuseUnless(
                memoryBytes() >= twoBlocks,
                "memoryBytes must hold at least two blocks, " + twoBlocks + " bytes, found " + memoryBytes());
        refuseUnless(
                flushInterval().compareTo(Duration.ofMillis(1)) >= 0
                        && flushInterval().compareTo(Duration.ofSeconds(1)) <= 0,
                "flushInterval must be from 1 ms to 1 s, found "
                        + flushInterval().toMillis() + " ms");
        int textsBytes = textBytes("toolVersion", toolVersion())
                + textBytes("host", host())
                + textBytes("listen", listen())
                + textBytes("upstream", upstream())
                + textBytes("filters", filters())
                + textBytes("sampling", sampling())
                + textBytes("redaction", redaction())
                + textBytes("comment", comment());
        refuseUnless(
                textsBytes <= MAX_TEXTS_BYTES,
                "the notes in the header must be at most 1800 bytes of UTF-8 together, found " + textsBytes);
        refuseUnless(
                compressionLevel() >= 1 && compressionLevel() <= 19,
                "compression must be NONE or ZSTD with a level from 1 to 19, found " + compression() + " with level "
                        + compressionLevel());
        refuseUnless(
                rotateBytes() == 0 || rotateBytes() >= 2 * twoBlocks,
                "rotateBytes must hold at least four blocks, " + 2 * twoBlocks + " bytes, found " + rotateBytes());
        refuseUnless(
                rotateAfter() == null || rotateAfter().compareTo(Duration.ofSeconds(1)) >= 0,
                "rotateAfter must be at least 1 s, found "
                        + Duration.ofNanos(rotateAfterNs()).toMillis() + " ms");
    }

    private static int textBytes(String field, String text) {
        int length = text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
        refuseUnless(length <= MAX_TEXT_BYTES, field + " must be at most 255 bytes of UTF-8, found " + length);
        return length;
    }

    private static void refuseUnless(boolean rule, String message) {
        if (!rule) {
            throw new IllegalArgumentException(message);
        }
    }

    /** For one thread. {@link #build} throws IllegalArgumentException with the field, the rule and the value. */
    public static final class Builder extends ImmutableCaptureOptions.Builder {
        Builder() {}

        /**
         * Sets the start of the capture, for traffic of another time.
         *
         * @param epochNs the wall clock time of the start, in ns since 1970
         * @param monotonicNs the same instant on the axis of the times that will be appended
         */
        public Builder startedAt(long epochNs, long monotonicNs) {
            return start(new ClockReading(epochNs, monotonicNs));
        }
    }
}
