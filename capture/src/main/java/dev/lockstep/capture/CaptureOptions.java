package dev.lockstep.capture;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** How a {@link CaptureWriter} writes, and what it notes about the recording. Immutable. */
public final class CaptureOptions {
    /** The longest text that the header takes, in bytes of UTF-8. */
    private static final int MAX_TEXT_BYTES = 255;

    /** The longest texts together; the rest of the header's notes are the writer's own. */
    private static final int MAX_TEXTS_BYTES = 1800;

    private static final int DEFAULT_LEVEL = 1;

    private final boolean overwrite;
    private final long memoryBytes;
    private final int blockBytes;
    private final long flushIntervalNs;
    private final String toolVersion;
    private final String host;
    private final String listen;
    private final String upstream;
    private final String filters;
    private final String sampling;
    private final String redaction;
    private final String comment;
    private final boolean startsAtGivenTime;
    private final long startEpochNs;
    private final long startMonotonicNs;
    private final boolean waitForDisk;
    private final Compression compression;
    private final int compressionLevel;
    private final EncryptionKey encryption;
    private final long rotateBytes;
    private final long rotateAfterNs;

    private CaptureOptions(Builder builder) {
        this.overwrite = builder.overwrite;
        this.memoryBytes = builder.memoryBytes;
        this.blockBytes = builder.blockBytes;
        this.flushIntervalNs = builder.flushInterval.toNanos();
        this.toolVersion = builder.toolVersion;
        this.host = builder.host;
        this.listen = builder.listen;
        this.upstream = builder.upstream;
        this.filters = builder.filters;
        this.sampling = builder.sampling;
        this.redaction = builder.redaction;
        this.comment = builder.comment;
        this.startsAtGivenTime = builder.startsAtGivenTime;
        this.startEpochNs = builder.startEpochNs;
        this.startMonotonicNs = builder.startMonotonicNs;
        this.waitForDisk = builder.waitForDisk;
        this.compression = builder.compression;
        this.compressionLevel = builder.compressionLevel;
        this.encryption = builder.encryption;
        this.rotateBytes = builder.rotateBytes;
        this.rotateAfterNs = builder.rotateAfter == null ? 0 : builder.rotateAfter.toNanos();
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

    /** Returns by which filters traffic was chosen, in words for people, or null for all of it. */
    public String filters() {
        return filters;
    }

    /** Returns how connections were sampled, in words for people, or null for all of them. */
    public String sampling() {
        return sampling;
    }

    /** Returns under which policy values are replaced, in words for people, or null when the bytes are exact. */
    public String redaction() {
        return redaction;
    }

    /** Returns words of the user, or null. */
    public String comment() {
        return comment;
    }

    /** Tells whether {@link #startEpochNs()} and {@link #startMonotonicNs()} were given; else it starts when created. */
    public boolean startsAtGivenTime() {
        return startsAtGivenTime;
    }

    /** Returns the wall clock time of the start, in ns since 1970, if it was given. */
    public long startEpochNs() {
        return startEpochNs;
    }

    /** Returns the time of the start on the axis of the times that are appended, if it was given. */
    public long startMonotonicNs() {
        return startMonotonicNs;
    }

    /** Tells whether an append waits for the disk instead of dropping. */
    public boolean waitForDisk() {
        return waitForDisk;
    }

    /** Returns how blocks are compressed. */
    public Compression compression() {
        return compression;
    }

    /** Returns the level of compression. */
    public int compressionLevel() {
        return compressionLevel;
    }

    /** Returns the key under which blocks are encrypted, or null. */
    public EncryptionKey encryption() {
        return encryption;
    }

    /** Returns the length in bytes at which another segment begins, 0 for never. */
    public long rotateBytes() {
        return rotateBytes;
    }

    /** Returns the time in ns after which another segment begins, 0 for never. */
    public long rotateAfterNs() {
        return rotateAfterNs;
    }

    /** Tells whether the recording may consist of several segments. */
    boolean rotates() {
        return rotateBytes != 0 || rotateAfterNs != 0;
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
        private String filters;
        private String sampling;
        private String redaction;
        private String comment;
        private boolean startsAtGivenTime;
        private long startEpochNs;
        private long startMonotonicNs;
        private boolean waitForDisk;
        private Compression compression = Compression.NONE;
        private int compressionLevel = DEFAULT_LEVEL;
        private EncryptionKey encryption;
        private long rotateBytes;
        private Duration rotateAfter;

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

        /** Notes by which filters traffic is chosen. */
        public Builder filters(String filters) {
            this.filters = filters;
            return this;
        }

        /** Notes how connections are sampled. */
        public Builder sampling(String sampling) {
            this.sampling = sampling;
            return this;
        }

        /** Notes under which policy values are replaced before they come to the writer; null for exact bytes. */
        public Builder redaction(String redaction) {
            this.redaction = redaction;
            return this;
        }

        /** Notes words of the user. */
        public Builder comment(String comment) {
            this.comment = comment;
            return this;
        }

        /**
         * Sets the start of the capture, for traffic of another time; the default is the instant of creation.
         *
         * @param epochNs the wall clock time of the start, in ns since 1970
         * @param monotonicNs the same instant on the axis of the times that will be appended
         */
        public Builder startedAt(long epochNs, long monotonicNs) {
            this.startsAtGivenTime = true;
            this.startEpochNs = epochNs;
            this.startMonotonicNs = monotonicNs;
            return this;
        }

        /** Lets an append wait for the disk instead of dropping: for imports and filters, never for live traffic. */
        public Builder waitForDisk(boolean waitForDisk) {
            this.waitForDisk = waitForDisk;
            return this;
        }

        /** Compresses each block, on the writer's thread; the default is not to. */
        public Builder compression(Compression compression) {
            this.compression = compression;
            return this;
        }

        /** Sets the level of compression, 1 (fast) to 19 (small); the default is 1. */
        public Builder compressionLevel(int level) {
            this.compressionLevel = level;
            return this;
        }

        /** Encrypts each block under a key, on the writer's thread; null for not at all, which is the default. */
        public Builder encryption(EncryptionKey encryption) {
            this.encryption = encryption;
            return this;
        }

        /** Begins another segment before the file would grow beyond some bytes; 0, the default, for never. */
        public Builder rotateBytes(long rotateBytes) {
            this.rotateBytes = rotateBytes;
            return this;
        }

        /** Begins another segment after some time; null, the default, for never. */
        public Builder rotateAfter(Duration rotateAfter) {
            this.rotateAfter = rotateAfter;
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
            checkText("filters", filters);
            checkText("sampling", sampling);
            checkText("redaction", redaction);
            checkText("comment", comment);
            checkTogether(toolVersion, host, listen, upstream, filters, sampling, redaction, comment);
            if (compression == null || compressionLevel < 1 || compressionLevel > 19) {
                throw new IllegalArgumentException("compression must be NONE or ZSTD with a level from 1 to 19, found "
                        + compression
                        + " with level "
                        + compressionLevel);
            }
            if (rotateBytes != 0 && rotateBytes < 4L * blockBytes) {
                throw new IllegalArgumentException("rotateBytes must hold at least four blocks, "
                        + 4L * blockBytes
                        + " bytes, found "
                        + rotateBytes);
            }
            if (rotateAfter != null && rotateAfter.compareTo(Duration.ofSeconds(1)) < 0) {
                throw new IllegalArgumentException(
                        "rotateAfter must be at least 1 s, found " + rotateAfter.toMillis() + " ms");
            }
            return new CaptureOptions(this);
        }

        private static void checkTogether(String... texts) {
            int length = 0;
            for (String text : texts) {
                length += text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
            }
            if (length > MAX_TEXTS_BYTES) {
                throw new IllegalArgumentException("the notes in the header must be at most "
                        + MAX_TEXTS_BYTES
                        + " bytes of UTF-8 together, found "
                        + length);
            }
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
