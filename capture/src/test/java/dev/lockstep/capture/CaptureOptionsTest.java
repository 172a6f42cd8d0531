package dev.lockstep.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class CaptureOptionsTest {
    @Test
    void hasTheStatedDefaults() {
        CaptureOptions options = CaptureOptions.defaults();

        assertFalse(options.overwrite());
        assertEquals(64 << 20, options.memoryBytes());
        assertEquals(256 << 10, options.blockBytes());
        assertEquals(100_000_000, options.flushIntervalNs());
    }

    @Test
    void namesFieldRuleAndValue() {
        assertRefused(
                "blockBytes must be from 4096 (4 KiB) to 16777216 (16 MiB), found 4095",
                CaptureOptions.builder().blockBytes(4095));
        assertRefused(
                "blockBytes must be from 4096 (4 KiB) to 16777216 (16 MiB), found 16777217",
                CaptureOptions.builder().blockBytes((16 << 20) + 1));
        assertRefused(
                "memoryBytes must hold at least two blocks, 524288 bytes, found 524287",
                CaptureOptions.builder().memoryBytes(524_287));
        assertRefused(
                "flushInterval must be from 1 ms to 1 s, found 0 ms",
                CaptureOptions.builder().flushInterval(Duration.ZERO));
        assertRefused(
                "flushInterval must be from 1 ms to 1 s, found 1001 ms",
                CaptureOptions.builder().flushInterval(Duration.ofMillis(1001)));
        assertRefused(
                "upstream must be at most 255 bytes of UTF-8, found 256",
                CaptureOptions.builder().upstream("\u00e9".repeat(128)));
        assertRefused(
                "the notes in the header must be at most 1800 bytes of UTF-8 together, found 2040",
                CaptureOptions.builder()
                        .toolVersion("x".repeat(255))
                        .host("x".repeat(255))
                        .listen("x".repeat(255))
                        .upstream("x".repeat(255))
                        .filters("x".repeat(255))
                        .sampling("x".repeat(255))
                        .redaction("x".repeat(255))
                        .comment("x".repeat(255)));
        assertRefused(
                "compression must be NONE or ZSTD with a level from 1 to 19, found ZSTD with level 20",
                CaptureOptions.builder().compression(Compression.ZSTD).compressionLevel(20));
        assertRefused(
                "rotateBytes must hold at least four blocks, 1048576 bytes, found 1000000",
                CaptureOptions.builder().rotateBytes(1_000_000));
        assertRefused(
                "rotateAfter must be at least 1 s, found 999 ms",
                CaptureOptions.builder().rotateAfter(Duration.ofMillis(999)));
    }

    private static void assertRefused(String message, CaptureOptions.Builder builder) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, builder::build).getMessage());
    }
}
