package dev.lockstep.recorder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ProxyWarmUpTest {
    @Test
    @Timeout(60)
    void leavesNothingBehind() throws Exception {
        Set<Path> before = left();

        RecordingProxy.warmUp(Duration.ofMillis(50), true, () -> false);
        RecordingProxy.warmUp(Duration.ofDays(1), false, () -> true);

        Set<Path> more = left();
        more.removeAll(before);
        while (more.stream().anyMatch(Files::exists)) {
            // Another process may be warming up just now.
            Thread.sleep(10);
        }
    }

    private static Set<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("lockstep-warm-up"))
                    .collect(Collectors.toSet());
        }
    }
}
