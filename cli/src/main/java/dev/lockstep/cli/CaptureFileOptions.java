package dev.lockstep.cli;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.Compression;
import dev.lockstep.capture.EncryptionKey;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say how a capture is written. */
final class CaptureFileOptions {
    @Option(
            names = "--compress",
            paramLabel = "CODEC",
            converter = CompressionConverter.class,
            description = "none (default) or zstd: 4 to 10 times smaller, and unpacked into memory for a replay.")
    private Compression compression = Compression.NONE;

    @Option(
            names = "--rotate-size",
            paramLabel = "BYTES",
            converter = BytesConverter.class,
            description = "Begin another file when one has this size, for example 512m.")
    private Long rotateBytes;

    @Option(
            names = "--rotate-time",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Begin another file after this time, for example 1h.")
    private Duration rotateAfter;

    @Option(
            names = "--flush-interval",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "What a killed recorder loses at most, 1ms to 1s. Default: 100ms.")
    private Duration flushInterval;

    @Option(
            names = "--buffer",
            paramLabel = "BYTES",
            converter = BytesConverter.class,
            description =
                    "The memory that recorded bytes may take while the disk cannot follow; then whole connections "
                            + "are left out, and counted. Default: 64m.")
    private Long memoryBytes;

    @Option(names = "--comment", paramLabel = "TEXT", description = "Words of yours, kept in the file's header.")
    private String comment;

    /** Returns a builder that holds what the options say, and a key unless it is null. */
    CaptureOptions.Builder builder(EncryptionKey key) {
        CaptureOptions.Builder options =
                CaptureOptions.builder().compression(compression).toolVersion(Main.version());
        if (key != null) {
            options.encryption(key);
        }
        if (rotateBytes != null) {
            options.rotateBytes(rotateBytes);
        }
        if (rotateAfter != null) {
            options.rotateAfter(rotateAfter);
        }
        if (flushInterval != null) {
            options.flushInterval(flushInterval);
        }
        if (memoryBytes != null) {
            options.memoryBytes(memoryBytes);
        }
        if (comment != null) {
            options.comment(comment);
        }
        try {
            options.build();
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
        return options;
    }

    /** Reads the name of a codec. */
    static final class CompressionConverter implements ITypeConverter<Compression> {
        @Override
        public Compression convert(String value) {
            for (Compression compression : Compression.values()) {
                if (compression.name().equalsIgnoreCase(value)) {
                    return compression;
                }
            }
            throw new TypeConversionException("expected none or zstd, found '" + value + "'");
        }
    }
}
