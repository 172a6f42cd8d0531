package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProcessStarterTest {
    /** Also a name that shells do not keep, one that our script could use itself, and a PATH without our tools. */
    @Test
    void givesATargetWhateverEnvironmentItAsksFor(@TempDir Path folder) throws Exception {
        Map<String, String> environment =
                Map.of("spring.profiles.active", "a b", "n", "7", "PATH", "/nowhere", "EMPTY", "");
        List<Path> groups = List.of(folder.resolve("one"), folder.resolve("the other"));
        Path output = folder.resolve("output");
        try (ProcessStarter starter = new ProcessStarter()) {
            Process process = starter.start(List.of("env"), environment, groups, Cores.allowed(), output).process;

            int exitCode = process.waitFor();
            List<String> found = Files.readAllLines(output);
            assertEquals(0, exitCode, found::toString);
            environment.forEach((name, value) -> assertTrue(found.contains(name + "=" + value), found::toString));
            for (Path group : groups) {
                assertEquals(process.pid() + "\n", Files.readString(group));
            }
        }
    }

    @Test
    void givesTargetsTheLocaleThatTheUserHad() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "LANG",
                "de_DE.UTF-8",
                "LC_MESSAGES",
                "C",
                "LOCKSTEP_LANG",
                "fr_FR.UTF-8",
                "LOCKSTEP_LC_ALL",
                "de_DE.UTF-8",
                "LOCKSTEP_LC_CTYPE",
                "",
                "LOCKSTEP_LC_MESSAGES",
                ""));

        ProcessStarter.restoreLocale(environment);

        assertEquals(Map.of("LC_ALL", "de_DE.UTF-8", "LANG", "fr_FR.UTF-8"), environment);
    }

    /** Where no script started Lockstep. */
    @Test
    void leavesALocaleThatNobodyChanged() {
        Map<String, String> environment = new HashMap<>(Map.of("LC_ALL", "C"));

        ProcessStarter.restoreLocale(environment);

        assertEquals(Map.of("LC_ALL", "C"), environment);
    }
}
