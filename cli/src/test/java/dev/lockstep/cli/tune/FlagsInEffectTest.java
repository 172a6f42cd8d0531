package dev.lockstep.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.lockstep.launcher.FlagCheck;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SpaceFile;
import dev.lockstep.tuner.Configuration;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a real JVM makes of flags. */
final class FlagsInEffectTest {
    private static final int JDK = 17;

    private static final SearchPlan PLAN = SpaceFile.read(
            "s.yaml",
            "parameters:\n  - {name: ObjectAlignmentInBytes, type: int, values: [8, 16]}\n"
                    + "  - {name: MaxTenuringThreshold, type: int, min: 0, max: 15}\n"
                    + "  - {name: UseStringDeduplication, type: boolean}\n"
                    + "  - {name: heap, type: int, min: 63, max: 64, flag: '-Xmx{}m'}\n");

    private final JvmInventory inventory = JvmInventory.discover(Path.of("no Graal"));

    private FlagsInEffect inEffect(Map<String, ?> values) {
        Configuration asked = PLAN.space().configuration(values);
        List<String> options = PLAN.options(asked, JDK);
        TargetSpec target = TargetSpec.parse("c2", Map.of())
                .withJvmOptions(List.of("-XX:+UseSerialGC"))
                .withJvmOptions(options);
        FlagCheck check = inventory.checkFlags(target).orElseThrow();
        return FlagsInEffect.of(PLAN, asked, JDK, target.jvmOptions(), check);
    }

    @Test
    void readsBackWhatTheJvmChanged() {
        FlagsInEffect changed = inEffect(Map.of(
                "ObjectAlignmentInBytes", 8, "MaxTenuringThreshold", 3, "UseStringDeduplication", true, "heap", 64));
        FlagsInEffect same = inEffect(Map.of(
                "ObjectAlignmentInBytes", 8, "MaxTenuringThreshold", 3, "UseStringDeduplication", false, "heap", 64));

        // The serial collector deduplicates no strings in JDK 17, and does from JDK 18 on.
        if (!changed.notes().isEmpty()) {
            assertEquals(List.of("-XX:+UseStringDeduplication is false in effect"), changed.notes());
            assertEquals(same.configuration(), changed.configuration());
            assertEquals(same.fingerprint(), changed.fingerprint());
        }
        assertEquals(List.of(), same.notes());
    }

    @Test
    void tellsFlagsApartAndTheSameOnesAlike() {
        Map<String, Object> values = Map.of(
                "ObjectAlignmentInBytes", 8, "MaxTenuringThreshold", 3, "UseStringDeduplication", false, "heap", 64);
        Map<String, Object> others = Map.of(
                "ObjectAlignmentInBytes", 8, "MaxTenuringThreshold", 4, "UseStringDeduplication", false, "heap", 64);

        assertEquals(inEffect(values).fingerprint(), inEffect(values).fingerprint());
        assertNotEquals(inEffect(values).fingerprint(), inEffect(others).fingerprint());
    }
}
