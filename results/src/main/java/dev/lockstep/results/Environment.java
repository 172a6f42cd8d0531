package dev.lockstep.results;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.immutables.value.Value;

/** On what a replayer ran: its own version and JVM, the machine, the kernel. What is unknown is absent. */
@Value.Immutable
@JsonDeserialize(builder = Environment.Builder.class)
public abstract class Environment {
    public static Builder builder() {
        return new Builder();
    }

    /** Starts with what the machine and the running JVM say of themselves; version and transport are for the caller. */
    public static Builder ofThisMachine() {
        return ofMachine(Path.of("/"));
    }

    /** The root is a parameter so that a test can show files of another machine. */
    static Builder ofMachine(Path root) {
        String release = firstLine(root.resolve("proc/sys/kernel/osrelease"));
        String online = firstLine(root.resolve("sys/devices/system/cpu/online"));
        String memory = valueAfterColon(root.resolve("proc/meminfo"), "MemTotal");
        return builder()
                .kernel(System.getProperty("os.name") + " "
                        + (release != null ? release : System.getProperty("os.version")) + " "
                        + System.getProperty("os.arch"))
                .cpuModel(valueAfterColon(root.resolve("proc/cpuinfo"), "model name"))
                .cores(
                        online != null
                                ? processors(online).size()
                                : Runtime.getRuntime().availableProcessors())
                .memoryBytes(
                        memory != null && memory.matches("[0-9]{1,15} kB")
                                ? OptionalLong.of(Long.parseLong(memory.substring(0, memory.length() - 3)) * 1024)
                                : OptionalLong.empty())
                .clock(firstLine(root.resolve("sys/devices/system/clocksource/clocksource0/current_clocksource")))
                .cgroup(
                        Files.exists(root.resolve("sys/fs/cgroup/cgroup.controllers"))
                                ? "v2"
                                : Files.exists(root.resolve("sys/fs/cgroup/memory")) ? "v1" : null)
                .jvm(
                        System.getProperty("java.vm.name"),
                        System.getProperty("java.vm.version"),
                        ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    /** The version of Lockstep. */
    public abstract String lockstepVersion();

    /** The operating system's name, release and architecture. */
    public abstract Optional<String> kernel();

    /** As the kernel names it. */
    public abstract Optional<String> cpuModel();

    /** How many processors of the machine are online. */
    public abstract OptionalInt cores();

    /** Of the machine. */
    public abstract OptionalLong memoryBytes();

    /** The kernel's clock source, for example {@code tsc}. */
    public abstract Optional<String> clock();

    /** The JVM of the replayer. */
    public abstract Optional<String> jvmName();

    /** Its version. */
    public abstract Optional<String> jvmVersion();

    /** Of the replayer's own JVM. */
    public abstract List<String> jvmOptions();

    /** What moves the bytes, for example {@code epoll}. */
    public abstract Optional<String> transport();

    /** The version of the machine's control groups, {@code v1} or {@code v2}. */
    public abstract Optional<String> cgroup();

    /** What about the machine may spoil figures, a line for people each. */
    public abstract List<String> warnings();

    private static String firstLine(Path path) {
        try {
            String line = Files.readString(path, StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("")
                    .strip();
            return line.isEmpty() ? null : line;
        } catch (IOException e) {
            // Another system, or a container that hides the file: the fact is absent.
            return null;
        }
    }

    private static String valueAfterColon(Path path, String key) {
        try {
            return Files.readString(path, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(key) && line.indexOf(':') > 0)
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(null);
        } catch (IOException e) {
            // As in firstLine.
            return null;
        }
    }

    /** Returns the numbers of a kernel list such as {@code 0-3,8}. */
    public static List<Integer> processors(String list) {
        List<Integer> numbers = new ArrayList<>();
        for (String range : list.strip().split(",")) {
            String[] ends = range.split("-");
            for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
                numbers.add(cpu);
            }
        }
        return numbers;
    }

    public static final class Builder extends ImmutableEnvironment.Builder {
        Builder() {}

        /** The replayer's own JVM. */
        public Builder jvm(String name, String version, List<String> options) {
            return jvmName(name).jvmVersion(version).jvmOptions(options);
        }
    }
}
