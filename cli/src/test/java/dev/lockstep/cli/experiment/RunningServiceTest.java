package dev.lockstep.cli.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.experiment.PartRunner;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunningServiceTest {
    @TempDir
    private Path folder;

    @Test
    void saysTheLastLineOfAProgramsErrorsThatSaysAnything() {
        PartRunner.Outcome outcome = RunningService.execute(
                List.of("sh", "-c", "printf 'first\\nno space left\\n \\n\\n' >&2; exit 3"),
                folder.resolve("part"),
                () -> false);

        assertEquals(3, outcome.exitCode());
        assertEquals("no space left", outcome.message());
    }

    @Test
    void givesProgramsTheUsersEnvironmentWithoutHiddenOptionsOfJvms() {
        Map<String, String> environment =
                new HashMap<>(Map.of("JAVA_TOOL_OPTIONS", "-Xint", "LANG", "C.UTF-8", "LOCKSTEP_LANG", "C", "A", "b"));

        RunningService.restore(environment);

        assertEquals(Map.of("LANG", "C", "A", "b"), environment);
    }
}
