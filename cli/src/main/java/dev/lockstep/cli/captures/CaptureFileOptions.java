package dev.lockstep.cli.captures;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.Compression;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.command.Version;
import dev.lockstep.cli.options.BytesConverter;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options that say how a capture is written. */
@Heading("The file")
final class CaptureFileOptions {
    private static final int MAX_COMMENT_BYTES = 255;

    @Option(
            names = "--compress",
            paramLabel = "CODEC",
            description = "none (default) or zstd: 4 to 10 times smaller, unpacked into memory for a replay.")
    private Compression compression;

    @Option(
            names = "--rotate-size",
            paramLabel = "BYTES",
            converter = BytesConverter.class,
            description = "Begins another file when one has this size, 1m or more, for example 512m.")
    private Long rotateBytes;

    @Option(
            names = "--rotate-time",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Begins another file after this time, 1s or more, for example 1h.")
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
            description = "Memory for recorded bytes while the disk is slow; beyond it whole connections are left "
                    + "out and counted. At least 512k. Default: 64m.")
    private Long memoryBytes;

    @Option(names = "--comment", paramLabel = "TEXT", description = "Your own words, kept in the file's header.")
    private String comment;

    /** Returns a builder that holds what the options say, and a key unless it is null. */
    CaptureOptions.Builder builder(EncryptionKey key) {
        check();
        CaptureOptions.Builder options = CaptureOptions.builder().toolVersion(Version.number());
        if (compression != null) {
            options.compression(compression);
        }
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

    /** Says in the options' words what the file's own check would say in those of its fields. */
    private void check() {
        long block = CaptureOptions.defaults().blockBytes();
        checkAtLeast("--rotate-size", rotateBytes, 4 * block);
        checkAtLeast("--buffer", memoryBytes, 2 * block);
        if (rotateAfter != null && rotateAfter.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new UsageException(
                    "--rotate-time: expected at least 1s, found " + DurationConverter.print(rotateAfter));
        }
        if (flushInterval != null
                && (flushInterval.compareTo(Duration.ofMillis(1)) < 0
                        || flushInterval.compareTo(Duration.ofSeconds(1)) > 0)) {
            throw new UsageException(
                    "--flush-interval: expected 1ms to 1s, found " + DurationConverter.print(flushInterval));
        }
        int commentBytes = comment == null ? 0 : comment.getBytes(StandardCharsets.UTF_8).length;
        if (commentBytes > MAX_COMMENT_BYTES) {
            throw new UsageException(
                    "--comment: expected at most " + MAX_COMMENT_BYTES + " bytes of UTF-8, found " + commentBytes);
        }
    }

    private static void checkAtLeast(String option, Long bytes, long least) {
        if (bytes != null && bytes < least) {
            throw new UsageException(option + ": expected at least " + BytesConverter.print(least) + ", found "
                    + BytesConverter.print(bytes));
        }
    }
}
