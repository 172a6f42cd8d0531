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
        return inEffect(PLAN, values);
    }

    private FlagsInEffect inEffect(SearchPlan plan, Map<String, ?> values) {
        Configuration asked = plan.space().configuration(values);
        return FlagsInEffect.of(plan, asked, JDK, check(target(plan, asked)), one -> target(plan, one), this::check);
    }

    private static TargetSpec target(SearchPlan plan, Configuration configuration) {
        return TargetSpec.parse("c2", Map.of())
                .withJvmOptions(List.of("-XX:+UseSerialGC"))
                .withJvmOptions(plan.options(configuration, JDK));
    }

    private FlagCheck check(TargetSpec target) {
        return inventory.checkFlags(target).orElseThrow();
    }

    /** HotSpot scales the threshold by the other flag, though it is given: what it came to would be scaled again. */
    @Test
    void takesForInEffectOnlyWhatComesToTheSameWhenItIsGiven() {
        SearchPlan plan = SpaceFile.read(
                "s.yaml",
                "parameters:\n  - {name: Tier4InvocationThreshold, type: log-int, min: 1000, max: 20000}\n"
                        + "  - {name: CompileThresholdScaling, type: log-float, min: 0.1, max: 10}\n");
        FlagsInEffect found = inEffect(plan, Map.of("Tier4InvocationThreshold", 5000, "CompileThresholdScaling", 0.5));

        assertEquals(
                "-XX:Tier4InvocationThreshold=5000 is 2500 in effect",
                found.notes().get(0));
        assertEquals(2, found.notes().size(), found.notes() + "");
        assertEquals("Tier4InvocationThreshold=5000 CompileThresholdScaling=0.5", found.configuration() + "");
    }

    @Test
    void comparesNumbersToTheDecimalsThatHotSpotPrints() {
        SearchPlan plan = SpaceFile.read(
                "s.yaml", "parameters: [{name: CompileThresholdScaling, type: log-float, min: 0.1, max: 10}]");

        assertEquals(
                List.of(),
                inEffect(plan, Map.of("CompileThresholdScaling", 1.23456789)).notes());
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
