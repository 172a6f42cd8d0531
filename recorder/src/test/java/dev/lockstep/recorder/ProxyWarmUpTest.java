package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProxyWarmUpTest {
    @Test
    void leavesNothingBehind() throws IOException {
        long before = left();

        RecordingProxy.warmUp(Duration.ofMillis(50), true, () -> false);
        RecordingProxy.warmUp(Duration.ofDays(1), false, () -> true);

        assertEquals(before, left());
    }

    private static long left() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("lockstep-warm-up"))
                    .count();
        }
    }
}
