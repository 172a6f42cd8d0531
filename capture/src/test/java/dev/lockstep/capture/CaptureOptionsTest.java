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
    }

    private static void assertRefused(String message, CaptureOptions.Builder builder) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, builder::build).getMessage());
    }
}
