package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ShortCommandTest {
    /** As a script that stands for a java and starts a daemon. */
    @Test
    void waitsForNoProcessThatAProgramLeaves() throws Exception {
        ShortCommand.Result result =
                ShortCommand.run(List.of("sh", "-c", "sleep 600 & echo $!; echo said; exit 3"), Duration.ofSeconds(3));

        List<String> lines = result.output.lines().collect(Collectors.toList());
        ProcessHandle.of(Long.parseLong(lines.get(0))).ifPresent(ProcessHandle::destroyForcibly);
        assertEquals(List.of("said"), lines.subList(1, lines.size()));
        assertEquals(3, result.exitCode);
    }
}
