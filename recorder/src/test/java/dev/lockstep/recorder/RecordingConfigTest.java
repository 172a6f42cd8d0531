package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RecordingConfigTest {
    private static final Path FILE = Paths.get("capture.bin");

    @Test
    void keepsWhatItIsTold() {
        RecordingConfig config = valid().overwrite(true)
                .eventLoops(2)
                .connectTimeout(Duration.ofMillis(5))
                .toolVersion("1")
                .build();

        assertEquals(address("127.0.0.1", 1), config.listen());
        assertEquals(address("127.0.0.1", 2), config.upstream());
        assertEquals(FILE, config.capture());
        assertTrue(config.overwrite());
        assertEquals(2, config.eventLoops());
        assertEquals(Duration.ofMillis(5), config.connectTimeout());
        assertEquals("1", config.toolVersion());
    }

    @Test
    void hasSafeDefaults() {
        RecordingConfig config = valid().build();

        assertFalse(config.overwrite());
        assertEquals(1, config.eventLoops());
        assertEquals(Duration.ofSeconds(10), config.connectTimeout());
        assertNull(config.toolVersion());
    }

    @Test
    void namesAMissingField() {
        assertMissing(
                "listen",
                RecordingConfig.builder().upstream(address("127.0.0.1", 2)).capture(FILE));
        assertMissing(
                "upstream",
                RecordingConfig.builder().listen(address("127.0.0.1", 1)).capture(FILE));
        assertMissing(
                "capture",
                RecordingConfig.builder().listen(address("127.0.0.1", 1)).upstream(address("127.0.0.1", 2)));
        assertThrows(NullPointerException.class, () -> valid().connectTimeout(null));
    }

    @Test
    void namesALimitThatIsOutOfRange() {
        assertRefused("maxConnections must be 0 or more, got -1", valid().maxConnections(-1));
        assertRefused(
                "idleTimeout must be zero or 10 ms to 30 days, got PT0.009S",
                valid().idleTimeout(Duration.ofMillis(9)));
        assertRefused(
                "append must not be set together with overwrite, got both",
                valid().append(true).overwrite(true));
    }

    private static void assertRefused(String message, RecordingConfig.Builder builder) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, builder::build).getMessage());
    }

    @Test
    void refusesAnUpstreamThatIsTheProxyItself() {
        assertInvalid("upstream", valid().upstream(address("127.0.0.1", 1)));
        assertInvalid("upstream", valid().listen(address("0.0.0.0", 2)));
        valid().listen(address("0.0.0.0", 2)).upstream(address("192.0.2.1", 2)).build();
    }

    @Test
    void refusesValuesOutOfRange() {
        assertInvalid("upstream", valid().upstream(address("127.0.0.1", 0)));
        assertInvalid("eventLoops", valid().eventLoops(0));
        assertInvalid("eventLoops", valid().eventLoops(1_025));
        assertInvalid("connectTimeout", valid().connectTimeout(Duration.ZERO));
        assertInvalid("connectTimeout", valid().connectTimeout(Duration.ofDays(30)));
        assertInvalid("connectTimeout", valid().connectTimeout(Duration.ofSeconds(Long.MAX_VALUE)));
        assertInvalid("toolVersion", valid().toolVersion("x".repeat(256)));
    }

    private static RecordingConfig.Builder valid() {
        return RecordingConfig.builder()
                .listen(address("127.0.0.1", 1))
                .upstream(address("127.0.0.1", 2))
                .capture(FILE);
    }

    private static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(host, port);
    }

    private static void assertMissing(String field, RecordingConfig.Builder builder) {
        NullPointerException e = assertThrows(NullPointerException.class, builder::build);
        assertTrue(e.getMessage().endsWith("[" + field + "]"), e.getMessage());
    }

    private static void assertInvalid(String field, RecordingConfig.Builder builder) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, builder::build);
        assertTrue(e.getMessage().startsWith(field + " must "), e.getMessage());
    }
}
