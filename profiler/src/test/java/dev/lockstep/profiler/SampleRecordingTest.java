package dev.lockstep.profiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.CodeKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records a JVM of its own with each of the ways there are. */
final class SampleRecordingTest {
    private static final String SPIN = TestingBusyLoop.class.getName() + ".spin";
    private static final int CPU_MS = 600;
    /** Where a recording says at which byte its names begin. */
    private static final int CONSTANTS_OFFSET = 16;

    @TempDir
    private Path directory;

    private static void run(SampleRecording recording, Path folder) throws IOException, InterruptedException {
        assertEquals(0, exitCode(recording, folder), Files.readString(folder.resolve("output.txt")));
    }

    private static int exitCode(SampleRecording recording, Path folder) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx64m", "-cp", "target/test-classes"));
        command.addAll(recording.jvmOptions());
        command.addAll(List.of(TestingBusyLoop.class.getName(), Integer.toString(CPU_MS)));
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "still running");
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static long samples(StackProfile profile, String method) {
        return profile.self().entrySet().stream()
                .filter(entry -> entry.getKey().name.equals(method))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Returns where the stacks begin at whose end a method is. */
    private static Set<String> roots(StackProfile profile, String method) {
        Set<String> roots = new HashSet<>();
        profile.forEach((stack, count) -> {
            if (stack.get(stack.size() - 1).name.equals(method)) {
                roots.add(stack.get(0).name);
            }
        });
        return roots;
    }

    @Test
    void byAsyncProfilerFindsTheHotMethodAndItsKind() throws Exception {
        try (Profiler profiler = Profiler.open(directory.resolve("profile.tmp"))) {
            List<SampleRecording> ways = profiler.recordings();
            assertEquals(
                    List.of("async-profiler", "JFR"),
                    ways.stream().map(SampleRecording::profiler).collect(Collectors.toList()));
            SampleRecording recording = ways.get(0);
            run(recording, profiler.folder());

            StackProfile profile = recording.read(Instant.EPOCH, Instant.MAX, false);

            assertTrue(
                    samples(profile, SPIN) > profile.samples() / 4,
                    profile.self().toString());
            assertTrue(
                    profile.self().containsKey(new StackFrame(SPIN, CodeKind.COMPILED))
                            || profile.self().containsKey(new StackFrame(SPIN, CodeKind.INLINED)),
                    profile.self().toString());
            assertEquals(
                    Set.of(CodeKind.INTERPRETED),
                    recording.read(Instant.EPOCH, Instant.MAX, true).self().keySet().stream()
                            .filter(frame -> frame.name.equals(SPIN))
                            .map(stackFrame -> stackFrame.kind)
                            .filter(kind -> kind != CodeKind.INLINED && kind != CodeKind.C1)
                            .collect(Collectors.toSet()));
            assertTrue(List.of("perf_events", "ctimer").contains(profile.event()), profile.event());
            assertTrue(profile.version().matches("[0-9.]+"), profile.version());
            assertTrue(recording.blindness().isEmpty());
            ProfilerException e = assertThrows(
                    ProfilerException.class, () -> recording.read(Instant.EPOCH, Instant.ofEpochSecond(1), false));
            assertTrue(e.getMessage().startsWith("async-profiler took no sample under load"), e.getMessage());

            saysWhatIsWrongWithOneThatIsCutShort(recording, profiler.folder().resolve("1.async.jfr"));
        }
    }

    private static void saysWhatIsWrongWithOneThatIsCutShort(SampleRecording recording, Path file) throws IOException {
        byte[] whole = Files.readAllBytes(file);
        long constants = ByteBuffer.wrap(whole).getLong(CONSTANTS_OFFSET);
        int cut = (int) ((constants + whole.length) / 2);
        Files.write(file, Arrays.copyOf(whole, cut));

        ProfilerException e =
                assertThrows(ProfilerException.class, () -> recording.read(Instant.EPOCH, Instant.MAX, false));

        String start =
                "the recording of async-profiler, " + cut + " bytes, cannot be read: Error parsing constant pool";
        assertTrue(e.getMessage().startsWith(start), e.getMessage());
        assertTrue(e.getMessage().substring(start.length()).matches(".*]: .+"), e.getMessage());
    }

    @Test
    void byTheJvmsOwnRecorderFindsTheHotMethod() throws Exception {
        try (Profiler profiler = Profiler.open(directory.resolve("profile.tmp"), "Linux", "riscv64")) {
            SampleRecording recording = profiler.recordings().get(0);
            assertEquals("JFR", recording.profiler());
            run(recording, profiler.folder());

            StackProfile profile = recording.read(Instant.EPOCH, Instant.MAX, false);

            assertTrue(samples(profile, SPIN) > 0, profile.self().toString());
            assertEquals(Set.of(TestingBusyLoop.class.getName() + ".main"), roots(profile, SPIN));
            assertEquals("jdk.ExecutionSample", profile.event());
            assertTrue(Files.exists(profiler.folder().resolve("1.jvm.jfr.parts")), "it keeps its parts elsewhere");
            assertTrue(recording.blindness().orElseThrow().contains("Java code only"));
        }
    }

    @Test
    void saysWhyThereIsNone() throws IOException {
        try (Profiler profiler = Profiler.open(directory.resolve("profile.tmp"))) {
            SampleRecording recording = profiler.recordings().get(0);
            ProfilerException missing =
                    assertThrows(ProfilerException.class, () -> recording.read(Instant.EPOCH, Instant.MAX, false));
            assertEquals("async-profiler left no recording", missing.getMessage());

            Files.writeString(profiler.folder().resolve("1.async.jfr"), "no recording");
            Files.writeString(profiler.folder().resolve("1.async.jfr.log"), "[ERROR] No access to timers\n");
            ProfilerException broken =
                    assertThrows(ProfilerException.class, () -> recording.read(Instant.EPOCH, Instant.MAX, false));
            assertTrue(
                    broken.getMessage().startsWith("the recording of async-profiler, 12 bytes, cannot be read: "),
                    broken.getMessage());
            assertTrue(broken.getMessage().endsWith(" ([ERROR] No access to timers)"), broken.getMessage());
        }
    }

    @Test
    void liesInAFolderThatOnlyItsOwnerEntersAndThatGoes() throws IOException {
        Path folder;
        try (Profiler profiler = Profiler.open(directory.resolve("profile.tmp"))) {
            folder = profiler.folder();
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
            Files.createDirectories(folder.resolve("a/b"));
            Files.createSymbolicLink(folder.resolve("a/link"), Path.of("target"));
        }
        assertFalse(Files.exists(folder));
        assertTrue(Files.exists(Path.of("target")));
    }

    @Test
    void saysWhatToDoWhereTheJvmCannotLoadTheLibrary() throws Exception {
        try (Profiler profiler = Profiler.open(directory.resolve("profile.tmp"))) {
            SampleRecording recording = profiler.recordings().get(0);
            Path library = profiler.folder().resolve("libasyncProfiler.so");
            assertEquals(
                    "the JVM cannot load " + library + " (failed to map segment from shared object: Operation not"
                            + " permitted); where the run directory is mounted noexec, choose another with -o",
                    recording
                            .whyNotLoaded(List.of(
                                    "Error occurred during initialization of VM",
                                    "Could not find agent library " + library + " in absolute path, with error: "
                                            + library
                                            + ": failed to map segment from shared object: Operation not permitted"))
                            .orElseThrow());
            assertTrue(recording.whyNotLoaded(List.of("Address already in use")).isEmpty());

            Files.writeString(library, "not a library");
            assertNotEquals(0, exitCode(recording, profiler.folder()));

            List<String> output = Files.readAllLines(profiler.folder().resolve("output.txt"));
            assertTrue(
                    recording.whyNotLoaded(output).orElseThrow().startsWith("the JVM cannot load " + library),
                    output.toString());
            assertTrue(profiler.recordings().get(1).whyNotLoaded(output).isEmpty());
        }
    }

    @Test
    void refusesAPathThatOptionsCannotName() {
        Profiler.check(directory.resolve("c2-graal@25+a"));
        for (String name : List.of("a b", "a,b", "a%p", "a=b", "a'b", "a\\b")) {
            ProfilerException refused =
                    assertThrows(ProfilerException.class, () -> Profiler.check(directory.resolve(name)));
            assertEquals(
                    directory.resolve(name)
                            + ": expected a path without blanks, quotes, backslashes and , % =, which the JVM options of"
                            + " profilers cannot name; choose another run directory with -o",
                    refused.getMessage());
        }
    }

    @Test
    void takesNoFolderThatIsThereAlready() throws IOException {
        Path there = Files.createDirectory(directory.resolve("profile.tmp"));
        Files.writeString(there.resolve("file"), "of somebody");

        ProfilerException refused = assertThrows(ProfilerException.class, () -> Profiler.open(there));

        assertTrue(
                refused.getMessage().startsWith(there + ": cannot make the folder for profiles: "),
                refused.getMessage());
        assertTrue(Files.exists(there.resolve("file")));
    }

    @Test
    void usesTheLibraryOfThePlatform() {
        assertEquals("linux-x64", Profiler.platform("Linux", "amd64").orElseThrow());
        assertEquals("linux-arm64", Profiler.platform("Linux", "aarch64").orElseThrow());
        assertTrue(Profiler.platform("Linux", "riscv64").isEmpty());
        assertTrue(Profiler.platform("Mac OS X", "aarch64").isEmpty());
    }
}
