package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./replay} in a tree that looks built and whose command line only greets. */
@Timeout(120)
final class ReplayScriptTest {
    private static final Instant BUILT = Instant.parse("2026-11-22T12:00:00Z");

    @TempDir
    private Path folder;

    private Path root;

    /** The command line of the tree. */
    static final class Greeting {
        private Greeting() {}

        public static void main(String[] args) throws IOException {
            System.out.println("hello " + String.join(" ", args));
            if (Arrays.asList(args).contains("memory")) {
                // A survivor space, of less than a MiB, does not count.
                System.out.println(1 + (Runtime.getRuntime().maxMemory() >> 20) + " MiB");
            }
            if (Arrays.asList(args).contains("locale")) {
                for (String name : List.of("LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LOCKSTEP_LC_ALL")) {
                    System.out.println(name + "=" + System.getenv(name));
                }
            }
            if (Arrays.asList(args).contains("home")) {
                System.out.println(Paths.get(System.getProperty("java.home")).toRealPath());
            }
            if (Arrays.asList(args).contains("signals")) {
                long ignored = Files.readAllLines(Paths.get("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .mapToLong(line -> Long.parseLong(line.substring(7).trim(), 16))
                        .sum();
                // A signal's bit is its number less one.
                System.out.println("ignores " + ((ignored & 1) != 0 ? "HUP " : "") + ((ignored & 2) != 0 ? "INT" : ""));
            }
        }
    }

    @BeforeEach
    void makeTree() throws IOException {
        root = Files.createDirectory(folder.resolve("a tree"));
        Path script = root.resolve("replay");
        Files.copy(TestingDocumentation.root().resolve("replay"), script);
        script.toFile().setExecutable(true);
        Path lib = Files.createDirectories(root.resolve("cli/target/lockstep/lib"));
        jar(lib.resolve("lockstep-cli.jar"));
        Files.createFile(lib.resolve("lockstep-target-monitor-0.1.0.jar"));
        Path appLib = Files.createDirectories(root.resolve("target-app/target/lockstep/lib"));
        Files.createFile(appLib.resolve("lockstep-target-app-0.1.0.jar"));
        Files.createDirectories(root.resolve("target-launcher/target/graal/17"));
    }

    @Test
    void saysNothingOfABuildThatIsNewerThanItsSources() throws Exception {
        source("pom.xml", -1);
        source("cli/src/main/java/Main.java", -1);
        source("benchmarks/src/main/java/NoPartOfTheTool.java", 1);
        source("cli/src/test/java/MainTest.java", 1);
        source("cli/src/main/java/.Main.java.swp", 1);

        assertEquals("hello a b\n", script("a", "b"));
    }

    @Test
    void namesASourceThatIsNewerThanTheBuildAndRunsTheBuild() throws Exception {
        source("pom.xml", -1);
        source("cli/pom.xml", -1);
        source("cli/src/main/java/Main.java", -1);
        source("target-monitor/src/main/java/Cpu.java", 1);

        assertEquals(
                "replay: target-monitor/src/main/java/Cpu.java is newer than this build; to build it: (cd '" + root
                        + "' && mvn -DskipTests package)\nhello \n",
                script());
    }

    @Test
    void looksAtTheSourcesOfTheSampleServiceAndAtPoms() throws Exception {
        source("target-app/src/main/java/App.java", 1);
        assertEquals("replay: target-app/src/main/java/App.java is newer than this build;", told(script()));

        source("target-app/src/main/java/App.java", -1);
        source("target-app/pom.xml", 1);
        assertEquals("replay: target-app/pom.xml is newer than this build;", told(script()));
    }

    @Test
    void saysNothingInABuiltTreeWithoutSources() throws Exception {
        assertEquals("hello \n", script());
    }

    @Test
    void runsInstalledThroughALinkAndWritesOnlyToTheCache() throws Exception {
        Path lib = install(folder.resolve("opt/replay 1"));
        Path link = Files.createSymbolicLink(folder.resolve("replay"), lib.resolveSibling("bin/replay"));

        assertEquals("hello a\n", run(link.toString(), "a"));

        try (Stream<Path> files = Files.list(lib)) {
            assertEquals(2, files.count());
        }
        // The greeting has no class to train with, so that there is the key of an archive, and no archive.
        try (Stream<Path> files = Files.list(folder.resolve("cache/lockstep"))) {
            Path key = files.collect(Collectors.toList()).get(0);
            assertEquals(lib + " 0123\n", Files.readString(key));
        }
    }

    @Test
    void refusesACopyOfItselfAloneInOneLine() throws Exception {
        Path copy = Files.createDirectory(folder.resolve("my bin")).resolve("replay");
        Files.copy(root.resolve("replay"), copy, StandardCopyOption.COPY_ATTRIBUTES);

        assertEquals(
                "replay: expected Lockstep's source tree or installation around " + copy.toRealPath()
                        + ", found neither; put a link to its replay there, not a copy: ln -s\n",
                run(copy.toString(), "a"));
    }

    @Test
    void startsWithoutAnArchiveWhileAnotherUseMakesIt() throws Exception {
        Path place = Files.createDirectories(root.resolve("cli/target/lockstep/cds"));
        String program = root.resolve("replay").toString();

        assertEquals("hello a\n", run("flock", place.toString(), program, "a"));

        assertEquals(0, place.toFile().list().length, "it made its own");
        assertEquals("hello a\n", run(program, "a"));
        assertTrue(place.toFile().list().length > 0, "no key of an archive");
    }

    @Test
    void preparesAgainWhereThePreparationWasKilled() throws Exception {
        String program = root.resolve("replay").toString();
        Path place = root.resolve("cli/target/lockstep/cds");

        // Bash tells of what was killed.
        String printed = run("env", "JAVA_HOME=" + home("echo >\"${option#*=}\"; kill -9 $$"), program, "a");
        assertTrue(printed.endsWith("hello a\n"), printed);
        assertEquals(List.of(), List.of(place.toFile().list()));

        assertEquals("hello a\n", run("env", "JAVA_HOME=" + home("exit 1"), program, "a"));
        assertEquals(1, place.toFile().list().length, "it prepared, and there is the key");
    }

    @Test
    void leavesNoArchiveWhereItIsEndedWhileItPrepares() throws Exception {
        String program = root.resolve("replay").toString();
        Path home = home("echo >\"${option#*=}\"; kill $PPID; exit 0");

        assertEquals("", run("env", "JAVA_HOME=" + home, program, "a"));

        assertEquals(
                List.of(),
                List.of(root.resolve("cli/target/lockstep/cds").toFile().list()));
    }

    @Test
    void leavesNoFileWhereItIsEndedWhileItBuilds() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        Path pid = folder.resolve("pid");

        // The shell becomes the script, and so has its process id.
        String printed = run(
                "env",
                "TMPDIR=" + temporary,
                pathWithMaven("kill $(cat '" + pid + "')"),
                "sh",
                "-c",
                "echo $$ >\"$0\"; exec \"$1\"",
                pid.toString(),
                root.resolve("replay").toString());

        assertEquals("replay: first use, building with Maven (a minute or two, once)...\n", printed);
        assertEquals(List.of(), List.of(temporary.toFile().list()));
    }

    /** The build runs in the folder of the tree. */
    @Test
    void buildsWithAJavaHomeThatIsRelativeToTheWorkingDirectory() throws Exception {
        Path jdk =
                Files.createSymbolicLink(folder.toRealPath().resolve("jdk"), Path.of(System.getProperty("java.home")));

        String printed = run(
                "env",
                "-C",
                folder.toString(),
                "JAVA_HOME=jdk",
                pathWithMaven("echo \"with $JAVA_HOME\"; exit 1"),
                root.resolve("replay").toString());

        assertTrue(printed.contains("\nwith " + jdk + "\nreplay: the build failed"), printed);
    }

    /** Has the tree be one that is not built, and returns a PATH with a Maven that does this, of the shell. */
    private String pathWithMaven(String action) throws IOException {
        Files.delete(root.resolve("cli/target/lockstep/lib/lockstep-cli.jar"));
        Files.createFile(root.resolve("pom.xml"));
        Path fake = Files.createDirectory(folder.resolve("maven"));
        Path mvn = Files.writeString(fake.resolve("mvn"), "#!/bin/sh\n" + action + "\n");
        assertTrue(mvn.toFile().setExecutable(true));
        return "PATH=" + fake + File.pathSeparator + System.getenv("PATH");
    }

    /** @param preparation what its JVM does in place of a preparation, of the shell */
    private Path home(String preparation) throws IOException {
        Path home = folder.resolve("home");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.9\"\n");
        Files.writeString(
                java,
                "#!/bin/sh\nfor option; do case $option in -XX:ArchiveClassesAtExit=*) " + preparation
                        + " ;; esac; done\nexec '" + javaProgram() + "' \"$@\"\n");
        assertTrue(java.toFile().setExecutable(true));
        return home;
    }

    /** As in a service of the system's. */
    @Test
    void makesNoFolderForACacheWhereThereIsNoHome() throws Exception {
        Path program = install(folder.resolve("opt/replay 2")).resolveSibling("bin/replay");
        Path fake = Files.createDirectory(folder.resolve("fake"));
        Path mkdir = Files.writeString(fake.resolve("mkdir"), "#!/bin/sh\necho mkdir \"$@\" >>'" + fake + "/made'\n");
        assertTrue(mkdir.toFile().setExecutable(true));
        String path = "PATH=" + fake + File.pathSeparator + System.getenv("PATH");

        assertEquals("hello a\n", run("env", "-u", "HOME", "-u", "XDG_CACHE_HOME", path, program.toString(), "a"));

        assertFalse(Files.exists(fake.resolve("made")), "it made a folder");
    }

    /** Its model needs it, and tune may be left out. */
    @Test
    void givesASearchAGibibyteOfHeap() throws Exception {
        assertEquals("hello memory\n256 MiB\n", script("memory"));
        assertEquals("hello tune memory\n1024 MiB\n", script("tune", "memory"));
        for (String evaluate : List.of("--evaluate", "--evaluate=exec:x")) {
            assertEquals("hello s.yaml " + evaluate + " memory\n1024 MiB\n", script("s.yaml", evaluate, "memory"));
        }
    }

    /** As in a background job of a script, and behind nohup. */
    @Test
    void isEndedByAnInterruptThatItsShellHadItIgnoreAndIgnoresHangUps() throws Exception {
        String script = root.resolve("replay").toString();

        assertEquals(
                "hello signals\nignores HUP \n", run("bash", "-c", "trap '' INT HUP; exec \"$0\" signals", script));
        assertEquals("hello signals\nignores \n", run("env", "--default-signal=INT,HUP", script, "signals"));
    }

    /** By whose words Lockstep knows some errors of the system. */
    @Test
    void asksForEnglishMessagesInTheUsersCharacters() throws Exception {
        String script = root.resolve("replay").toString();

        assertEquals(
                "hello locale\nLANG=C.utf8\nLC_ALL=null\nLC_CTYPE=null\nLC_MESSAGES=C\nLOCKSTEP_LC_ALL=C.utf8\n",
                run("env", "LC_ALL=C.utf8", script, "locale"));
        assertEquals(
                "hello locale\nLANG=C.UTF-8\nLC_ALL=null\nLC_CTYPE=null\nLC_MESSAGES=C\nLOCKSTEP_LC_ALL=POSIX\n",
                run("env", "LC_ALL=POSIX", script, "locale"));
    }

    /** In UTF-8, by its bytes: the JVM of this test may have other characters. */
    @Test
    void takesAnyNameWhereTheLocaleIsPlainC() throws Exception {
        String named = "exec \"$0\" $'Gr\\xc3\\xb6\\xc3\\x9fe.bin'";

        for (String locale : List.of("LC_ALL=C", "LC_ALL=C.UTF-8")) {
            assertEquals(
                    "hello Gr\u00f6\u00dfe.bin\n",
                    run(
                            "env",
                            locale,
                            // Not installed, as where ssh forwards it.
                            "LANG=xx_XX.UTF-8",
                            "LC_PAPER=xx_XX.UTF-8",
                            "bash",
                            "-c",
                            named,
                            root.resolve("replay").toString()));
        }
    }

    /** As where ssh brings one along: to the system it is plain C. */
    @Test
    void takesAnyNameWhereTheLocaleIsNotInstalled() throws Exception {
        String named = "exec \"$0\" $'Gr\\xc3\\xb6\\xc3\\x9fe.bin'";

        for (String locale : List.of("LANG=xx_XX.UTF-8", "LC_CTYPE=UTF-8")) {
            assertEquals(
                    "hello Gr\u00f6\u00dfe.bin\n",
                    run(
                            "env",
                            "-u",
                            "LC_ALL",
                            "-u",
                            "LC_CTYPE",
                            "-u",
                            "LANG",
                            locale,
                            "bash",
                            "-c",
                            named,
                            root.resolve("replay").toString()));
        }
    }

    /** A shim, as of asdf, jenv and mise, which alone knows which Java it starts. */
    @Test
    void asksAJavaOfThePathThatIsInNoJavaHome() throws Exception {
        Path shims = Files.createDirectory(folder.resolve("shims"));
        Path shim = Files.writeString(shims.resolve("java"), "#!/bin/sh\nexec '" + javaProgram() + "' \"$@\"\n");
        assertTrue(shim.toFile().setExecutable(true));
        String path = shims + File.pathSeparator + System.getenv("PATH");

        assertEquals(
                "hello home\n" + Paths.get(System.getProperty("java.home")).toRealPath() + "\n",
                run(
                        "env",
                        "-u",
                        "JAVA_HOME",
                        "PATH=" + path,
                        root.resolve("replay").toString(),
                        "home"));
    }

    @Test
    void givesOpenJ9NoOptionsThatItWarnsOf() throws Exception {
        Path home = folder.resolve("semeru");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.9\"\nOPENJ9_TAG=\"openj9-0.41.0\"\n");
        Files.writeString(
                java,
                "#!/bin/sh\nfor option; do case $option in -Xlog*) echo \"unrecognised: $option\" ;; esac; done\nexec '"
                        + javaProgram() + "' \"$@\"\n");
        assertTrue(java.toFile().setExecutable(true));

        assertEquals(
                "hello a\n",
                run("env", "JAVA_HOME=" + home, root.resolve("replay").toString(), "a"));
    }

    @Test
    void tellsOfAMissingJarInOneLine() throws Exception {
        Path classes = Paths.get(
                Start.class.getProtectionDomain().getCodeSource().getLocation().toURI());

        String printed = run(javaProgram(), "-cp", classes.toString(), Start.class.getName(), "--help");

        assertEquals(
                "replay: the installation is not whole, class picocli.CommandLine is in none of its jars; install it"
                        + " again, or build it again with: mvn -DskipTests package\n",
                printed.replaceAll("class picocli[^ ]*", "class picocli.CommandLine"));
    }

    /** Installs the command line of the tree, and returns the folder of its jars. */
    private Path install(Path installed) throws IOException {
        Path bin = Files.createDirectories(installed.resolve("bin"));
        Files.copy(root.resolve("replay"), bin.resolve("replay"), StandardCopyOption.COPY_ATTRIBUTES);
        Path lib = Files.createDirectory(installed.resolve("lib"));
        jar(lib.resolve("lockstep-cli.jar"));
        Files.writeString(lib.resolve("build-id"), "0123\n");
        return lib;
    }

    private static String told(String printed) {
        return printed.substring(0, printed.indexOf(';') + 1);
    }

    /** @param minutes after the build, or before it where negative */
    private void source(String name, int minutes) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[0]);
        Files.setLastModifiedTime(file, FileTime.from(BUILT.plusSeconds(60L * minutes)));
    }

    private static void jar(Path file) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Greeting.class.getName());
        String entry = Greeting.class.getName().replace('.', '/') + ".class";
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            jar.putNextEntry(new JarEntry(entry));
            jar.write(ReplayScriptTest.class
                    .getClassLoader()
                    .getResourceAsStream(entry)
                    .readAllBytes());
            jar.closeEntry();
        }
        Files.setLastModifiedTime(file, FileTime.from(BUILT));
    }

    private String script(String... args) throws IOException, InterruptedException, URISyntaxException {
        List<String> command = new ArrayList<>(List.of(root.resolve("replay").toString()));
        command.addAll(Arrays.asList(args));
        return run(command.toArray(new String[0]));
    }

    private static String javaProgram() {
        return System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
    }

    /** Returns what a program prints, on both streams. */
    private String run(String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        builder.environment().remove("LOCKSTEP_JAVA_OPTS");
        builder.start().waitFor();
        String printed = Files.readString(output, StandardCharsets.UTF_8);
        assertFalse(printed.contains("Exception"), printed);
        return printed;
    }
}
