package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Outputs are those of OpenJDK 17.0.21, Temurin 25.0.3, and Graal 22.3.5 and 25.0.2. */
final class FlagProbeTest {
    @Test
    void readsTheValuesInEffect() {
        FlagCheck check = FlagProbe.read(
                0,
                "[Global flags]\n"
                        + "     intx MaxInlineSize                            = 50                                     {C2 product} {command line}\n"
                        + "   size_t G1HeapRegionSize                         = 4194304                                   {product} {ergonomic}\n"
                        + "ccstrlist CompileCommand                           =                                           {product} {default}\n"
                        + "     intx InlineSmallCode                          := 2500            {product}           \n"
                        + "graal.TrivialInliningSize := 15                                         [Integer]\n"
                        + "graal.LimitInlinedInvokes = 5.0                                           [Double]\n"
                        + "jdk.graal.MaximumInliningSize = 300 [community edition]                  [Integer]\n"
                        + "openjdk version \"17.0.21.1\" 2026-11-17\n");

        assertEquals(Optional.empty(), check.failure());
        assertEquals(
                Map.of(
                        "MaxInlineSize", "50",
                        "G1HeapRegionSize", "4194304",
                        "CompileCommand", "",
                        "InlineSmallCode", "2500",
                        "graal.TrivialInliningSize", "15",
                        "graal.LimitInlinedInvokes", "5.0",
                        "jdk.graal.MaximumInliningSize", "300"),
                check.values());
        assertEquals(Optional.of("50"), check.valueOf("-XX:MaxInlineSize=50"));
        assertEquals(Optional.of("15"), check.valueOf("-Dgraal.TrivialInliningSize=15"));
        assertEquals(Optional.empty(), check.valueOf("-Da=b"));
    }

    @Test
    void saysWhyTheJvmDoesNotStart() {
        assertEquals(
                Optional.of("Unrecognized VM option 'MaxInlineSizeX=50'"),
                FlagProbe.read(
                                1,
                                "Unrecognized VM option 'MaxInlineSizeX=50'\n"
                                        + "Did you mean 'MaxInlineSize=<value>'? Error: Could not create the Java Virtual"
                                        + " Machine.\nError: A fatal exception has occurred. Program will exit.\n")
                        .failure());
        assertEquals(
                Optional.of("Initial heap size set to a larger value than the maximum heap size"),
                FlagProbe.read(
                                1,
                                "-XX:+PrintCommandLineFlags -XX:+UseG1GC\nError occurred during initialization of VM\n"
                                        + "Initial heap size set to a larger value than the maximum heap size\n")
                        .failure());
        assertEquals(
                Optional.of("Could not find option TrivialInlinigSize"),
                FlagProbe.read(
                                0,
                                "[Graal properties]\nError parsing Graal options: Could not find option TrivialInlinigSize\n"
                                        + "Did you mean one of the following?\n    TrivialInliningSize=<value>\n")
                        .failure());
        assertEquals(
                Optional.of("it ended with exit code 134"),
                FlagProbe.read(134, "").failure());
    }

    @Test
    void keepsWhatTheJvmWarnsOf() {
        FlagCheck check = FlagProbe.read(
                0,
                "OpenJDK 64-Bit Server VM warning: Option UseBiasedLocking was deprecated in version 15.0 and will likely"
                        + " be removed in a future release.\n"
                        + "OpenJDK 64-Bit Server VM warning: Ignoring option ZGenerational; support was removed in 24.0\n"
                        + "[0.001s][warning][stringdedup] String Deduplication disabled: not supported by selected GC\n");

        assertEquals(Optional.empty(), check.failure());
        assertEquals(
                List.of(
                        "Option UseBiasedLocking was deprecated in version 15.0 and will likely be removed in a future"
                                + " release.",
                        "Ignoring option ZGenerational; support was removed in 24.0",
                        "String Deduplication disabled: not supported by selected GC"),
                check.warnings());
    }

    @Test
    void knowsTheFlagThatAnOptionSets() {
        assertEquals(Optional.of("UseG1GC"), FlagCheck.name("-XX:+UseG1GC"));
        assertEquals(Optional.of("UseG1GC"), FlagCheck.name("-XX:-UseG1GC"));
        assertEquals(Optional.of("MaxHeapSize"), FlagCheck.name("-Xmx64m"));
        assertEquals(Optional.of("ThreadStackSize"), FlagCheck.name("-Xss512k"));
        assertEquals(Optional.of("jdk.graal.A"), FlagCheck.name("-Djdk.graal.A=1"));
        assertEquals(Optional.empty(), FlagCheck.name("-Xgcpolicy:gencon"));
    }

    @Test
    void hasOpenJ9RefuseWhatItDoesNotKnow() {
        Jvm jvm = ImmutableJvm.builder()
                .home(Path.of("/opt/semeru"))
                .featureVersion(17)
                .version("17.0.15+6")
                .vendor("IBM Corporation")
                .kind(Jvm.Kind.OPENJ9)
                .vmName("Eclipse OpenJ9 VM")
                .problem("")
                .build();

        assertEquals(
                List.of(
                        "/opt/semeru/bin/java",
                        "-XX:MaxInlineSize=44",
                        "-XX:-IgnoreUnrecognizedXXColonOptions",
                        "-version"),
                FlagProbe.command(new JvmChoice(jvm, List.of(), ""), List.of("-XX:MaxInlineSize=44"), false));
    }

    @Test
    void asksARealJvm() {
        JvmInventory inventory = JvmInventory.discover(Path.of("no Graal"));
        TargetSpec good = TargetSpec.parse("c2", Map.of()).withJvmOptions(List.of("-XX:MaxInlineSize=44"));
        TargetSpec bad = good.withJvmOptions(List.of("-XX:MaxInlineSize=-1"));

        assertEquals(Optional.of("44"), inventory.checkFlags(good).orElseThrow().valueOf("-XX:MaxInlineSize=44"));
        String why = inventory.checkFlags(bad).orElseThrow().failure().orElseThrow();
        assertTrue(why.contains("MaxInlineSize=-1 is outside the allowed range"), why);
        assertTrue(inventory.featureVersion(good).orElseThrow() >= 8);
    }

    @Test
    void asksNoServerThatRuns() {
        JvmInventory inventory = JvmInventory.discover(Path.of("no Graal"));

        assertEquals(Optional.empty(), inventory.checkFlags(TargetSpec.parse("127.0.0.1:1", Map.of())));
    }
}
