package dev.lockstep.launcher;

import dev.lockstep.monitor.PerfData;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which JIT a running JVM has, proven by what it shows: the names of its threads, what Graal prints at its start, and
 * the VM's name in its published counters. Immutable.
 *
 * <p>HotSpot makes one thread of each compiler at its start, so with C2 there is a C2 thread and with Graal a JVMCI
 * thread from the beginning ("JVMCI-native" where Graal is a shared library). JDK 8 does not pass thread names to the
 * kernel; there the VM's name is the proof.
 */
final class JitProof {
    /** Of a server that was attached to: nothing is known. */
    static final JitProof NONE = new JitProof("unknown", List.of(), "");

    /** What is found while Graal has not said its name yet. */
    static final String UNNAMED_JVMCI = "an unnamed JVMCI compiler";

    /** Wordings of Graal's line from JDK 11's version to 25. */
    private static final Pattern GRAAL_LINE =
            Pattern.compile("^Using (Graal compiler configuration|compiler configuration|\"[^\"]*Graal).*");

    /** As a JVM prints its own flags. */
    private static final Pattern ONLY_C1 = Pattern.compile("-XX:TieredStopAtLevel=[0-3]\\b");

    private static final Pattern COMPILER_THREAD = Pattern.compile("(C1|C2) Compiler.*|JVMCI.*|JIT Compilation.*");

    /** The JIT found, in the words of {@link Profile#jit()} where it is one of them. */
    final String jit;

    final List<String> evidence;
    /** What was asked and what was found, in one line. */
    final String contradiction;

    private JitProof(String jit, List<String> evidence, String contradiction) {
        this.jit = jit;
        this.evidence = List.copyOf(evidence);
        this.contradiction = contradiction;
    }

    /**
     * Looks at a JVM that is ready.
     *
     * @param asked the profile it was started with, or null: any JIT is right then
     * @param jvm what was started, or null when the command names no JVM
     * @param logHead the beginning of what it printed
     */
    static JitProof examine(long pid, Profile asked, Jvm jvm, String logHead) {
        Optional<String> vmName = vmName(pid);
        if (vmName.isEmpty() && jvm != null && runs(pid, jvm)) {
            vmName = Optional.of(jvm.vmName());
        }
        JitProof proof = judge(threads(pid), vmName.orElse(""), asked, jvm == null ? 0 : jvm.featureVersion(), logHead);
        Optional<Path> other = jvm == null || !proof.isAsAsked() ? Optional.empty() : otherJvm(pid, jvm);
        return other.isEmpty()
                ? proof
                : new JitProof(
                        proof.jit,
                        proof.evidence,
                        "asked for the JDK " + jvm.version() + " in " + jvm.home() + ", found that the process runs "
                                + other.get() + ": have the command name {java}, or the script use JAVA_HOME");
    }

    /**
     * Returns the java or the Java home that runs in place of a JVM; absent where it is that one, or nobody can tell.
     */
    private static Optional<Path> otherJvm(long pid, Jvm jvm) {
        try {
            Path home = jvm.home().toRealPath();
            // Its bin may be links into another folder.
            Path java = jvm.javaBinary().toRealPath();
            Path program = Files.readSymbolicLink(Path.of("/proc/" + pid + "/exe"));
            Optional<Path> found = program.endsWith("java")
                    ? Optional.of(program)
                    // Another program may hold a JVM.
                    : PerfData.of(pid)
                            .flatMap(data -> data.text("java.property.java.home"))
                            .map(Path::of);
            return found.filter(place -> !place.startsWith(home) && !java.startsWith(place));
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** OpenJ9 and Zing publish no such counters; for them the proof is that the process runs that JVM's java. */
    private static boolean runs(long pid, Jvm jvm) {
        try {
            return (jvm.kind() == Jvm.Kind.OPENJ9 || jvm.kind() == Jvm.Kind.ZING)
                    && Files.readSymbolicLink(Path.of("/proc/" + pid + "/exe")).startsWith(jvm.home());
        } catch (IOException e) {
            return false;
        }
    }

    static JitProof judge(
            Map<String, Integer> threads, String vmName, Profile asked, int featureVersion, String logHead) {
        Map<String, Integer> compilers = threads.entrySet().stream()
                .filter(thread -> COMPILER_THREAD.matcher(thread.getKey()).matches())
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Integer::sum, TreeMap::new));
        boolean c2 = has(compilers, "C2 Compiler");
        boolean jvmci = has(compilers, "JVMCI");
        boolean openJ9 = has(compilers, "JIT Compilation");
        Optional<String> graalLine = logHead.lines()
                .filter(line -> GRAAL_LINE.matcher(line).matches())
                .findFirst();
        String found;
        if (vmName.contains("Zing")) {
            // Whatever its threads are called.
            found = "falcon";
        } else if (jvmci) {
            found = c2 ? "both C2 and JVMCI threads" : graalLine.isPresent() ? "graal" : UNNAMED_JVMCI;
        } else if (c2) {
            found = "c2";
        } else if (openJ9 && vmName.contains("J9")) {
            found = "openj9";
        } else if (vmName.contains("Zero VM")) {
            found = "none";
        } else if (featureVersion == 8 && vmName.contains("Server VM")) {
            found = vmName.contains("interpreted mode")
                    ? "none"
                    : ONLY_C1.matcher(logHead).find() ? "c1 only" : "c2";
        } else {
            found = has(compilers, "C1 Compiler") ? "c1 only" : "unknown";
        }
        List<String> evidence = new ArrayList<>();
        graalLine.ifPresent(line -> evidence.add("it printed: " + line));
        evidence.add("compiler threads: " + (compilers.isEmpty() ? "none" : describe(compilers)));
        if (!vmName.isEmpty()) {
            evidence.add("VM: " + vmName);
        }
        if (asked == null || found.equals(asked.jit())) {
            return new JitProof(found, evidence, "");
        }
        boolean noJvm = compilers.isEmpty() && vmName.isEmpty() && !threads.containsKey("VM Thread");
        String contradiction = "asked for " + asked.id() + ", found " + found + " (" + String.join("; ", evidence)
                + (asked.isGraal() && graalLine.isEmpty() ? "; the line that Graal prints is missing" : "")
                + (found.equals(UNNAMED_JVMCI) && logHead.isBlank()
                        ? "; it printed nothing here: a start script must not send its output elsewhere"
                        : "")
                + (noJvm ? "; the process is no JVM: a start script must exec its JVM" : "") + ")";
        return new JitProof(found, evidence, contradiction);
    }

    private static boolean has(Map<String, Integer> threads, String prefix) {
        return threads.keySet().stream().anyMatch(name -> name.startsWith(prefix));
    }

    private static String describe(Map<String, Integer> threads) {
        return threads.entrySet().stream()
                .map(thread -> thread.getValue() + " x '" + thread.getKey() + "'")
                .collect(Collectors.joining(", "));
    }

    /** Returns how many threads of each name there are; the kernel cuts names to 15 characters. */
    static Map<String, Integer> threads(long pid) {
        Map<String, Integer> names = new TreeMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
            for (Path task : tasks) {
                try {
                    names.merge(KernelFile.read(task.resolve("comm")).trim(), 1, Integer::sum);
                } catch (IOException e) {
                    // The thread has ended.
                }
            }
        } catch (IOException e) {
            // The process has ended.
        }
        return names;
    }

    /** Returns name, version and mode as the running VM publishes them. */
    private static Optional<String> vmName(long pid) {
        return PerfData.of(pid).flatMap(data -> data.text("java.property.java.vm.name")
                .map(name -> name
                        + data.text("java.property.java.vm.version")
                                .map(version -> " " + version)
                                .orElse("")
                        + data.text("java.property.java.vm.info")
                                .filter(info -> !info.isBlank())
                                .map(info -> ", " + info)
                                .orElse("")));
    }

    /** Whether it is what was asked for. */
    boolean isAsAsked() {
        return contradiction.isEmpty();
    }
}
