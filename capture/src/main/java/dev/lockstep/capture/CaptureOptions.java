package dev.lockstep.capture;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** How a {@link CaptureWriter} writes, and what it notes about the recording. Immutable. */
public final class CaptureOptions {
    /** The longest text that the header takes, in bytes of UTF-8. */
    private static final int MAX_TEXT_BYTES = 255;

    private final boolean overwrite;
    private final long memoryBytes;
    private final int blockBytes;
    private final long flushIntervalNs;
    private final String toolVersion;
    private final String host;
    private final String listen;
    private final String upstream;

    private CaptureOptions(Builder builder) {
        this.overwrite = builder.overwrite;
        this.memoryBytes = builder.memoryBytes;
        this.blockBytes = builder.blockBytes;
        this.flushIntervalNs = builder.flushInterval.toNanos();
        this.toolVersion = builder.toolVersion;
        this.host = builder.host;
        this.listen = builder.listen;
        this.upstream = builder.upstream;
    }

    /** Returns the defaults: an existing file is refused, 64 MiB of buffers, blocks of 256 KiB, flushed after 100 ms. */
    public static CaptureOptions defaults() {
        return builder().build();
    }

    /** Returns a builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Tells whether an existing file is replaced. */
    public boolean overwrite() {
        return overwrite;
    }

    /** Returns the most memory that blocks may take which are not yet written, in bytes. */
    public long memoryBytes() {
        return memoryBytes;
    }

    /** Returns the size at which a block is full, in bytes with its header. */
    public int blockBytes() {
        return blockBytes;
    }

    /** Returns after how many nanoseconds a block is written although it is not full. */
    public long flushIntervalNs() {
        return flushIntervalNs;
    }

    /** Returns the version of the tool that records, or null. */
    public String toolVersion() {
        return toolVersion;
    }

    /** Returns the name of the recording machine, or null for what the kernel says. */
    public String host() {
        return host;
    }

    /** Returns the address at which clients are accepted, or null. */
    public String listen() {
        return listen;
    }

    /** Returns the address of the recorded service, or null. */
    public String upstream() {
        return upstream;
    }

    /** Builds {@link CaptureOptions}. For one thread. */
    public static final class Builder {
        private boolean overwrite;
        private long memoryBytes = 64L << 20;
        private int blockBytes = 256 << 10;
        private Duration flushInterval = Duration.ofMillis(100);
        private String toolVersion;
        private String host;
        private String listen;
        private String upstream;

        private Builder() {}

        /** Replaces an existing file; the default is to refuse it. */
        public Builder overwrite(boolean overwrite) {
            this.overwrite = overwrite;
            return this;
        }

        /** Bounds the memory of blocks that wait for the disk; what finds no room is dropped and counted. */
        public Builder memoryBytes(long memoryBytes) {
            this.memoryBytes = memoryBytes;
            return this;
        }

        /** Sets the size at which a block is full, with its header: 4 KiB to 16 MiB. */
        public Builder blockBytes(int blockBytes) {
            this.blockBytes = blockBytes;
            return this;
        }

        /** Sets how long data may wait in a block that is not full, 1 ms to 1 s: what a killed recorder loses at most. */
        public Builder flushInterval(Duration flushInterval) {
            this.flushInterval = flushInterval;
            return this;
        }

        /** Notes the version of the tool that records. */
        public Builder toolVersion(String toolVersion) {
            this.toolVersion = toolVersion;
            return this;
        }

        /** Notes the name of the recording machine instead of the one the kernel gives. */
        public Builder host(String host) {
            this.host = host;
            return this;
        }

        /** Notes the address at which clients are accepted. */
        public Builder listen(String listen) {
            this.listen = listen;
            return this;
        }

        /** Notes the address of the recorded service. */
        public Builder upstream(String upstream) {
            this.upstream = upstream;
            return this;
        }

        /**
         * Returns the options.
         *
         * @throws IllegalArgumentException naming the field, the rule and the value
         */
        public CaptureOptions build() {
            if (blockBytes < 4 << 10 || blockBytes > 16 << 20) {
                throw new IllegalArgumentException(
                        "blockBytes must be from 4096 (4 KiB) to 16777216 (16 MiB), found " + blockBytes);
            }
            if (memoryBytes < 2L * blockBytes) {
                throw new IllegalArgumentException("memoryBytes must hold at least two blocks, "
                        + 2L * blockBytes
                        + " bytes, found "
                        + memoryBytes);
            }
            if (flushInterval.compareTo(Duration.ofMillis(1)) < 0
                    || flushInterval.compareTo(Duration.ofSeconds(1)) > 0) {
                throw new IllegalArgumentException(
                        "flushInterval must be from 1 ms to 1 s, found " + flushInterval.toMillis() + " ms");
            }
            checkText("toolVersion", toolVersion);
            checkText("host", host);
            checkText("listen", listen);
            checkText("upstream", upstream);
            return new CaptureOptions(this);
        }

        private static void checkText(String field, String text) {
            int length = text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
            if (length > MAX_TEXT_BYTES) {
                throw new IllegalArgumentException(
                        field + " must be at most " + MAX_TEXT_BYTES + " bytes of UTF-8, found " + length);
            }
        }
    }
}
