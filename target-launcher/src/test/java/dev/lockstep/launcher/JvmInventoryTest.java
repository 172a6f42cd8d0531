package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders that look like JDKs, with shell scripts as their java. */
class JvmInventoryTest {
    private static final String NEVER_ASKED = "#!/bin/sh\necho was asked; exit 9\n";

    @TempDir
    Path root;

    private Path graalJars;

    @BeforeEach
    void makeGraalJars() throws IOException {
        graalJars = root.toRealPath().resolve("graal");
        for (String version : List.of("17", "25")) {
            Path folder = Files.createDirectories(graalJars.resolve(version));
            Files.writeString(folder.resolve("compiler-" + version + ".9.jar"), "");
        }
    }

    private JvmInventory discover(Map<String, String> environment) throws IOException {
        Path real = root.toRealPath();
        return JvmInventory.discover(environment, real.resolve("home"), real, graalJars);
    }

    private Path jdk(String folder, String release, String java) throws IOException {
        Path home = Files.createDirectories(root.toRealPath().resolve(folder));
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("bin/java"), java);
        assertTrue(home.resolve("bin/java").toFile().setExecutable(true));
        if (release != null) {
            Files.writeString(home.resolve("release"), release);
        }
        return home;
    }

    private Path hotspot(String folder, String version) throws IOException {
        return jdk(
                folder,
                "IMPLEMENTOR=\"Test\"\nJAVA_VERSION=\"" + version + "\"\nJAVA_RUNTIME_VERSION=\"" + version
                        + "+1\"\nJVM_VARIANT=\"Hotspot\"\n"
                        + "MODULES=\"java.base jdk.internal.vm.ci jdk.internal.vm.compiler\"\n",
                NEVER_ASKED);
    }

    /** A java that says this of itself. */
    private static String saying(String vmName, String version) {
        return "#!/bin/sh\ncat >&2 <<'END'\nProperty settings:\n    java.vm.name = " + vmName + "\n    java.version = "
                + version + "\n    java.runtime.version = " + version + "+7\n    java.vendor = Somebody\nEND\n";
    }

    private static String name(Path path) {
        return path.getFileName().toString();
    }

    @Test
    void saysThatTargetsRunOnDifferentJdksThoughNobodyAskedForThat() throws Exception {
        // Graal is known for 17, and only C2 for this 21.
        Path old = hotspot("usr/lib/jvm/jdk-17", "17.0.1");
        Path modern = hotspot("usr/lib/jvm/jdk-21", "21.0.1");
        JvmInventory both = discover(Map.of());

        assertEquals(
                Optional.of(
                        "the targets run on different JDKs, so that they differ in more than the JIT: c2@21 on 21.0.1+1"
                                + " in " + modern + ", graal on 17.0.1+1 in " + old
                                + "; name a version that all have, as in c2@25 (replay doctor lists them)"),
                both.differentJdks(TargetSpec.parseAll("c2@21,graal,run=127.0.0.1:1", Map.of())));
        assertEquals(Optional.empty(), both.differentJdks(TargetSpec.parseAll("c2,graal", Map.of())));
        assertEquals(Optional.empty(), both.differentJdks(TargetSpec.parseAll("c2@21,graal@17", Map.of())));
        assertEquals(Optional.empty(), both.differentJdks(TargetSpec.parseAll("c2@21,b=c2@17", Map.of())));
    }

    /** It is not started to be asked. */
    @Test
    void takesTheJvmThatRunsThisProgramForWhatItTellsOfItself() throws IOException {
        Map<String, String> told = JvmProbe.askJava(Path.of(System.getProperty("java.home"), "bin/java"));

        Map<String, String> own = JvmProbe.own();

        for (String name : List.of(
                "java.version",
                "java.runtime.version",
                "java.vendor",
                "java.vendor.version",
                "java.vm.name",
                "java.vm.version")) {
            assertEquals(told.get(name), own.get(name), name);
        }
    }

    /** A package is updated, or a JDK built anew, while a search or a run of hours goes on. */
    @Test
    void startsNothingOnAJvmThatWasReplacedMeanwhile() throws Exception {
        Path home = hotspot("usr/lib/jvm/jdk-17", "17.0.15");
        Path vm = Files.createDirectories(home.resolve("lib/server")).resolve("libjvm.so");
        Files.writeString(vm, "one");
        JvmInventory inventory = discover(Map.of());
        TargetSpec c2 = TargetSpec.parse("c2", Map.of());
        inventory.checkFlags(c2);
        inventory.checkFlags(c2);

        Files.writeString(vm, "another");

        assertEquals(
                "target c2: " + vm + " was replaced since it was first used here, so that figures would be of two"
                        + " programs; begin anew",
                assertThrows(ProgramReplacedException.class, () -> inventory.checkFlags(c2))
                        .getMessage());
        Files.delete(vm);
        assertTrue(assertThrows(ProgramReplacedException.class, () -> inventory.checkFlags(c2))
                .getMessage()
                .contains(" is gone since it was first used here"));
    }

    @Test
    void looksInAllPlacesAndListsEveryJvmOnce() throws Exception {
        Path first = hotspot("usr/lib/jvm/jdk-17", "17.0.1");
        Files.createSymbolicLink(first.resolveSibling("default"), first);
        hotspot("opt/java/openjdk", "21.0.1");
        hotspot("home/.sdkman/candidates/java/22-tem", "22");
        hotspot("home/.jdks/x", "23");
        Path several = hotspot("several/a", "24").getParent();
        hotspot("several/b", "25");
        Path eight = hotspot("jdk8", "1.8.0_392");
        Path jre = Files.createDirectories(eight.resolve("jre/bin"));
        Files.copy(eight.resolve("bin/java"), jre.resolve("java"));
        Path bin = Files.createDirectories(root.toRealPath().resolve("bin"));
        Files.createSymbolicLink(bin.resolve("java"), jre.resolve("java"));

        JvmInventory inventory = discover(
                Map.of("JAVA_HOME", first.toString(), "LOCKSTEP_JDKS", several + ":/not/there", "PATH", "/x:" + bin));
        assertEquals(
                List.of(8, 17, 21, 22, 23, 24, 25),
                inventory.jvms().stream().map(Jvm::featureVersion).collect(Collectors.toList()));
        assertEquals(eight, inventory.jvms().get(0).home());
    }

    /** As those of asdf, jenv and mise, which alone know which Java they start. */
    @Test
    void asksAJavaOfThePathThatIsInNoJavaHome() throws Exception {
        Path home = hotspot("elsewhere/jdk", "21.0.1");
        Path shims = Files.createDirectories(root.toRealPath().resolve("shims"));
        Path shim = Files.writeString(shims.resolve("java"), "#!/bin/sh\necho '    java.home = " + home + "' >&2\n");
        assertTrue(shim.toFile().setExecutable(true));

        List<Jvm> jvms = discover(Map.of("PATH", shims.toString())).jvms();

        assertEquals(List.of(home), jvms.stream().map(Jvm::home).collect(Collectors.toList()));
    }

    /** Such as one that sets a library path: its folder is no Java home. */
    @Test
    void asksAScriptThatStandsForAJava() throws Exception {
        Path home = hotspot("elsewhere/jdk", "21.0.1");
        Path local = jdk("usr/local", null, "#!/bin/sh\necho '    java.home = " + home + "' >&2\n");

        List<Jvm> jvms =
                discover(Map.of("PATH", local.resolve("bin").toString())).jvms();

        assertEquals(List.of(home), jvms.stream().map(Jvm::home).collect(Collectors.toList()));
    }

    @Test
    void readsTheReleaseFileWithoutAskingJava() throws Exception {
        hotspot("usr/lib/jvm/a", "17.0.1");
        jdk("usr/lib/jvm/b", "JAVA_VERSION=\"21.0.2\"\nGRAALVM_VERSION=\"23.1.2\"\n", NEVER_ASKED);
        jdk("usr/lib/jvm/c", "JAVA_VERSION=\"21\"\nJVM_VARIANT=\"Zero\"\n", NEVER_ASKED);
        List<Jvm> jvms = discover(Map.of()).jvms();
        assertEquals(Jvm.Kind.HOTSPOT, jvms.get(0).kind());
        assertEquals("17.0.1+1", jvms.get(0).version());
        assertEquals("Test", jvms.get(0).vendor());
        assertTrue(jvms.get(0).isUsable(), jvms.get(0).problem());
        assertEquals(Jvm.Kind.GRAALVM, jvms.get(1).kind());
        assertEquals(Jvm.Kind.ZERO, jvms.get(2).kind());
    }

    @Test
    void asksJavaWhereTheReleaseFileDoesNotTell() throws Exception {
        jdk("usr/lib/jvm/a", null, saying("OpenJDK 64-Bit Server VM", "1.8.0_392"));
        jdk("usr/lib/jvm/b", "JAVA_VERSION=\"11.0.2\"\n", saying("Eclipse OpenJ9 VM", "11.0.2"));
        jdk("usr/lib/jvm/c", null, saying("Zing 64-Bit Tiered VM", "17.0.2"));
        jdk("usr/lib/jvm/d", null, saying("OpenJDK 64-Bit Zero VM", "21"));
        jdk("usr/lib/jvm/e", null, saying("CACAO", "22"));
        List<Jvm> jvms = discover(Map.of()).jvms();
        assertEquals(
                List.of(Jvm.Kind.HOTSPOT, Jvm.Kind.OPENJ9, Jvm.Kind.ZING, Jvm.Kind.ZERO, Jvm.Kind.OTHER),
                jvms.stream().map(Jvm::kind).collect(Collectors.toList()));
        assertEquals(8, jvms.get(0).featureVersion());
        assertEquals("1.8.0_392+7", jvms.get(0).version());
        assertEquals("Somebody", jvms.get(0).vendor());
        assertEquals("Eclipse OpenJ9 VM", jvms.get(1).vmName());
    }

    @Test
    void listsABrokenJvmWithTheReason() throws Exception {
        jdk("usr/lib/jvm/a", null, "#!/bin/sh\necho no such library >&2; exit 127\n");
        Path noProgram = jdk("usr/lib/jvm/b", null, "");
        assertTrue(noProgram.resolve("bin/java").toFile().setExecutable(false));
        jdk("usr/lib/jvm/c", "JAVA_VERSION=\"17\"\nJVM_VARIANT=\"Hotspot\"\nOS_ARCH=\"s390x\"\n", NEVER_ASKED);
        List<Jvm> jvms = discover(Map.of()).jvms();
        assertEquals(3, jvms.size());
        assertFalse(jvms.stream().anyMatch(Jvm::isUsable));
        String problems = jvms.stream().map(Jvm::problem).collect(Collectors.joining("\n"));
        assertTrue(problems.contains("'java -version' ended with exit code 127: no such library"), problems);
        assertTrue(problems.contains("bin/java is not executable"), problems);
        assertTrue(problems.contains("it is made for s390x"), problems);
    }

    @Test
    void findsTheZeroVmBesideTheServerVm() throws Exception {
        Path home = hotspot("usr/lib/jvm/a", "17");
        Files.createDirectories(home.resolve("lib/zero"));
        Files.writeString(home.resolve("lib/zero/libjvm.so"), "");
        Files.writeString(home.resolve("lib/jvm.cfg"), "-server KNOWN\n-zero KNOWN\n");
        JvmInventory inventory = discover(Map.of());
        assertEquals(2, inventory.jvms().size());
        assertEquals(
                List.of("-zero", "-XX:+PrintCommandLineFlags"),
                inventory.choose(Profile.ZERO, OptionalInt.empty()).options);
    }

    @Test
    void givesC2AndGraalTheLowestJdkThatHasBoth() throws Exception {
        hotspot("usr/lib/jvm/a", "11.0.1");
        hotspot("usr/lib/jvm/b", "21.0.1");
        hotspot("usr/lib/jvm/c", "25.0.1");
        JvmInventory inventory = discover(Map.of());
        assertEquals(
                "c", name(inventory.choose(Profile.C2, OptionalInt.empty()).jvm.home()));
        JvmChoice graal = inventory.choose(Profile.GRAAL, OptionalInt.empty());
        assertEquals("c", name(graal.jvm.home()));
        // In one word, as JAVA_TOOL_OPTIONS takes it too.
        assertEquals("--upgrade-module-path=" + graalJars.resolve("25"), graal.options.get(0));
        assertTrue(graal.options.contains("-Djdk.graal.ShowConfiguration=info"), graal.options::toString);
        assertEquals("Graal 25.9 from " + graalJars.resolve("25"), graal.jit);
        assertEquals(
                "b", name(inventory.choose(Profile.C2, OptionalInt.of(21)).jvm.home()));

        hotspot("usr/lib/jvm/d", "17.0.1");
        inventory = discover(Map.of());
        assertEquals(
                "d", name(inventory.choose(Profile.C2, OptionalInt.empty()).jvm.home()));
        graal = inventory.choose(Profile.GRAAL, OptionalInt.empty());
        assertEquals("d", name(graal.jvm.home()));
        assertTrue(graal.options.contains("-Dgraal.ShowConfiguration=info"), graal.options::toString);
    }

    @Test
    void takesTheFirstPlaceWhenSeveralServeEquallyWell() throws Exception {
        hotspot("usr/lib/jvm/a", "17.0.1");
        Path preferred = hotspot("elsewhere", "17.0.0");
        JvmInventory inventory = discover(Map.of("LOCKSTEP_JDKS", preferred.toString()));
        assertEquals(
                preferred, inventory.choose(Profile.C2, OptionalInt.empty()).jvm.home());
    }

    @Test
    void usesGraalWhereTheJdkCarriesIt() throws Exception {
        hotspot("usr/lib/jvm/a", "11.0.1");
        jdk("usr/lib/jvm/b", "JAVA_VERSION=\"21.0.2\"\nGRAALVM_VERSION=\"23.1.2\"\n", NEVER_ASKED);
        JvmInventory inventory = discover(Map.of());
        JvmChoice bundled = inventory.choose(Profile.GRAAL, OptionalInt.of(11));
        assertTrue(
                bundled.options.stream().noneMatch(option -> option.startsWith("--upgrade-module-path")),
                bundled.options::toString);
        assertEquals("Graal of the JDK", bundled.jit);
        // GraalVM 21 has both and is from 17 on.
        JvmChoice c2 = inventory.choose(Profile.C2, OptionalInt.empty());
        assertEquals("b", name(c2.jvm.home()));
        assertTrue(c2.options.contains("-XX:-UseJVMCICompiler"));
        assertEquals(
                "b",
                name(inventory.choose(Profile.GRAAL, OptionalInt.empty()).jvm.home()));
    }

    @Test
    void saysWhatIsMissingAndWhatToDo() throws Exception {
        hotspot("usr/lib/jvm/b", "21.0.1");
        JvmInventory inventory = discover(Map.of());
        missing(inventory, Profile.GRAAL, OptionalInt.of(21), "no Graal is known for the stock JDK 21 in");
        missing(inventory, Profile.GRAAL, OptionalInt.of(25), "no JVM of version 25 found that can run Graal");
        missing(inventory, Profile.C2, OptionalInt.of(17), "no HotSpot JVM of version 17 found in JAVA_HOME");
        missing(inventory, Profile.OPENJ9, OptionalInt.empty(), "no OpenJ9 JVM found (for example IBM Semeru)");
        missing(
                inventory,
                Profile.ZING,
                OptionalInt.empty(),
                "name its folder in the environment variable LOCKSTEP_JDKS");
        missing(inventory, Profile.ZERO, OptionalInt.empty(), "(found: HotSpot 21)");

        hotspot("usr/lib/jvm/c", "17.0.1");
        Files.delete(graalJars.resolve("17/compiler-17.9.jar"));
        missing(
                discover(Map.of()),
                Profile.GRAAL,
                OptionalInt.empty(),
                "the Graal compiler for JDK 17 is not in " + graalJars.resolve("17") + "; build Lockstep again");
    }

    private static void missing(JvmInventory inventory, Profile profile, OptionalInt version, String expected) {
        TargetFailedException e = assertThrows(TargetFailedException.class, () -> inventory.choose(profile, version));
        assertTrue(e.getMessage().contains(expected), e.getMessage());
        assertFalse(e.getMessage().contains("\n"));
    }

    @Test
    void takesAnInstalledGraalVmOnlyWhereItIsAskedFor() throws Exception {
        hotspot("usr/lib/jvm/a", "17.0.1");
        missing(discover(Map.of()), Profile.GRAALVM, OptionalInt.empty(), "no GraalVM found in");
        jdk("usr/lib/jvm/b", "JAVA_VERSION=\"21.0.2\"\nGRAALVM_VERSION=\"23.1.2\"\n", NEVER_ASKED);

        JvmInventory inventory = discover(Map.of());

        JvmChoice graalVm = inventory.choose(Profile.GRAALVM, OptionalInt.empty());
        assertEquals("b", name(graalVm.jvm.home()));
        assertEquals("Graal of GraalVM", graalVm.jit);
        assertTrue(graalVm.options.contains("-XX:+UseJVMCICompiler"), graalVm.options::toString);
        assertTrue(
                graalVm.options.stream().noneMatch(option -> option.startsWith("--upgrade-module-path")),
                graalVm.options::toString);
        assertEquals(
                "a",
                name(inventory.choose(Profile.GRAAL, OptionalInt.empty()).jvm.home()));
    }

    @Test
    void tellsTheDoctorEverythingThatCanBeStarted() throws Exception {
        hotspot("usr/lib/jvm/a", "17.0.1");
        hotspot("usr/lib/jvm/b", "21.0.1");
        hotspot("usr/lib/jvm/c", "25.0.1");
        List<ProfileStatus> rows = discover(Map.of()).doctor();
        Map<Profile, List<String>> further =
                Map.of(Profile.C2, List.of("c2@21", "c2@25"), Profile.GRAAL, List.of("graal@25"));
        List<String> expected = Stream.of(Profile.values())
                .flatMap(profile ->
                        Stream.concat(Stream.of(profile.id()), further.getOrDefault(profile, List.of()).stream()))
                .collect(Collectors.toList());
        assertEquals(expected, rows.stream().map(ProfileStatus::target).collect(Collectors.toList()));
        ProfileStatus graal = rows.get(3);
        assertTrue(graal.isAvailable());
        assertEquals("JDK 17.0.1+1 (Test), Graal 17.9 from " + graalJars.resolve("17"), graal.found());
        assertTrue(graal.where().endsWith("usr/lib/jvm/a"));
        assertEquals("", graal.missing());
        assertFalse(rows.get(5).isAvailable());
    }
}
