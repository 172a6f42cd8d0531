package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.Pace;
import dev.lockstep.replayer.rewriting.Rewrites;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReplayConfigTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    private Capture capture() throws Exception {
        return TestingCapture.gets(Files.createTempDirectory(directory, "c"), 5, MS);
    }

    private ReplayConfig config(UnaryOperator<ReplayConfig.Builder> settings) throws Exception {
        return settings.apply(ReplayConfig.builder(capture())).build();
    }

    private void assertRefused(String message, UnaryOperator<ReplayConfig.Builder> settings) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> config(settings))
                        .getMessage());
    }

    @Test
    void replaysOnePassUnlessToldOtherwise() throws Exception {
        assertEquals(5, config(config -> config).requestLimit());
        assertEquals(Long.MAX_VALUE, config(config -> config).durationNs());
        assertEquals(7, config(config -> config.requestLimit(7)).requestLimit());
        ReplayConfig timed = config(config -> config.durationNs(MS));
        assertEquals(MS, timed.durationNs());
        assertEquals(Long.MAX_VALUE, timed.requestLimit());
    }

    @Test
    void endsWithARamp() throws Exception {
        ReplayConfig ramp = config(config -> config.connections(1).pace(Pace.ramp(10, 20, Duration.ofSeconds(3))));

        assertEquals(3_000 * MS, ramp.durationNs());
        assertEquals(Long.MAX_VALUE, ramp.requestLimit());
    }

    @Test
    void waitsForEverWithATimeoutOf0AndRewritesNothingByNull() throws Exception {
        assertEquals(Long.MAX_VALUE, config(config -> config.timeoutNs(0)).timeoutNs());
        assertEquals(20_000 * MS, config(config -> config).timeoutNs());
        assertEquals(
                Optional.empty(),
                config(config -> config.rewrites((Rewrites) null)).rewrites());
    }

    @Test
    void refusesWhatCannotBeReplayed() {
        assertRefused("connections: must be 0 or more, is -1", config -> config.connections(-1));
        assertRefused("speed: must be a number above 0, is NaN", config -> config.speed(Double.NaN));
        assertRefused("requests: must be 1 or more, is 0", config -> config.requestLimit(0));
        assertRefused("duration: must be more than 0, is 0 ns", config -> config.durationNs(0));
        assertRefused("timeout: must be 0 or more, is -1 ns", config -> config.timeoutNs(-1));
        assertRefused("spin: must be 0 or more, is -1 ns", config -> config.spinNs(-1));
        assertRefused("self-warm-up: must be 0 or more, is -1 ns", config -> config.selfWarmUpNs(-1));
        assertRefused("loops: must be 1 or more, is 0", config -> config.loops(0));
        assertRefused(
                "connections: must be 1 or more at pace " + Pace.rate(10)
                        + "; only the recorded pace keeps recorded ones",
                config -> config.pace(Pace.rate(10)));
    }
}
