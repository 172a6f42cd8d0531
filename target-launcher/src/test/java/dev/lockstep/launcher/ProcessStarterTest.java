package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ProcessStarterTest {
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
