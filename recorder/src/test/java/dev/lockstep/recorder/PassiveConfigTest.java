package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.capture.Protocol;
import java.nio.file.Paths;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PassiveConfigTest {
    @Test
    void keepsWhatItWasGiven() {
        PassiveConfig config = complete()
                .ports(8080, 9090)
                .overwrite(true)
                .snapBytes(2048)
                .answerBytes(128)
                .ringBytes(8 << 20)
                .blockTimeout(Duration.ofMillis(7))
                .protocol(Protocol.HTTP1)
                .toolVersion("1")
                .build();

        assertEquals("lo", config.interfaceName());
        assertArrayEquals(new int[] {8080, 9090}, config.ports());
        assertEquals(Paths.get("c.bin"), config.capture());
        assertEquals(true, config.overwrite());
        assertEquals(2048, config.snapBytes());
        assertEquals(128, config.answerBytes());
        assertEquals(8 << 20, config.ringBytes());
        assertEquals(Duration.ofMillis(7), config.blockTimeout());
        assertEquals(Protocol.HTTP1, config.protocol());
        assertEquals("1", config.toolVersion());
    }

    @Test
    void looksAtWholePacketsOfClientsUnlessToldOtherwise() {
        PassiveConfig config = complete().build();

        assertEquals(1 << 20, config.snapBytes());
        assertEquals(2048, config.answerBytes());
        assertEquals(64 << 20, config.ringBytes());
        assertEquals(Duration.ofMillis(50), config.blockTimeout());
    }

    @Test
    void looksAtWholeAnswersOfThriftServicesUnlessToldOtherwise() {
        assertEquals(
                1 << 20,
                complete().protocol(Protocol.THRIFT_FRAMED_BINARY).build().answerBytes());
        assertEquals(2048, complete().protocol(Protocol.HTTP1).build().answerBytes());
        assertEquals(
                512,
                complete()
                        .protocol(Protocol.THRIFT_MUX)
                        .answerBytes(512)
                        .build()
                        .answerBytes());
    }

    @Test
    void namesTheFieldTheRuleAndTheValue() {
        assertRefused(
                "interfaceName must have 1 to 15 bytes, got ''", complete().interfaceName(""));
        assertRefused(
                "interfaceName must have 1 to 15 bytes, got 'sixteen-letters-'",
                complete().interfaceName("sixteen-letters-"));
        assertRefused("ports must be 1 to 32, got 0", complete().ports());
        assertRefused("ports must be 1 to 32, got 33", complete().ports(new int[33]));
        assertRefused("ports must each be 1 to 65535, got [80, 0]", complete().ports(80, 0));
        assertRefused("ports must each be 1 to 65535, got [65536]", complete().ports(65536));
        assertRefused("snapBytes must be 128 to 1048576, got 127", complete().snapBytes(127));
        assertRefused(
                "answerBytes must be 128 to 1048576, got 1048577", complete().answerBytes(1048577));
        assertRefused(
                "ringBytes must be 1 MiB to 16 GiB, got 1048575 bytes",
                complete().ringBytes(1048575));
        assertRefused("blockTimeout must be 1 ms to 1 s, got PT0S", complete().blockTimeout(Duration.ZERO));
        assertRefused("blockTimeout must be 1 ms to 1 s, got PT2S", complete().blockTimeout(Duration.ofSeconds(2)));
        assertRefused(
                "toolVersion must have at most 60 characters, got 61",
                complete().toolVersion("v".repeat(61)));
    }

    @Test
    void requiresInterfaceAndCapture() {
        assertThrows(NullPointerException.class, () -> PassiveConfig.builder()
                .ports(80)
                .capture(Paths.get("c.bin"))
                .build());
        assertThrows(
                NullPointerException.class,
                () -> PassiveConfig.builder().interfaceName("lo").ports(80).build());
    }

    private static PassiveConfig.Builder complete() {
        return PassiveConfig.builder().interfaceName("lo").ports(8080).capture(Paths.get("c.bin"));
    }

    private static void assertRefused(String message, PassiveConfig.Builder builder) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, builder::build).getMessage());
    }
}
