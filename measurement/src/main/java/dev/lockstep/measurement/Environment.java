package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
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

/** On what a replayer ran: its own version and JVM, the machine, the kernel. Immutable; what is unknown is absent. */
public final class Environment {
    private final String lockstepVersion;
    private final String kernel;
    private final String cpuModel;
    private final OptionalInt cores;
    private final OptionalLong memoryBytes;
    private final String clock;
    private final String jvmName;
    private final String jvmVersion;
    private final List<String> jvmOptions;
    private final String transport;
    private final String cgroup;
    private final List<String> warnings;

    private Environment(Builder builder) {
        this.lockstepVersion = builder.lockstepVersion;
        this.kernel = builder.kernel;
        this.cpuModel = builder.cpuModel;
        this.cores = builder.cores;
        this.memoryBytes = builder.memoryBytes;
        this.clock = builder.clock;
        this.jvmName = builder.jvmName;
        this.jvmVersion = builder.jvmVersion;
        this.jvmOptions = List.copyOf(builder.jvmOptions);
        this.transport = builder.transport;
        this.cgroup = builder.cgroup;
        this.warnings = List.copyOf(builder.warnings);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Starts with what the machine and the running JVM say of themselves; version and transport are for the caller. */
    public static Builder ofThisMachine() {
        return ofMachine(Path.of("/"));
    }

    /** The root is a parameter so that a test can show files of another machine. */
    static Builder ofMachine(Path root) {
        Builder builder = builder();
        String release = firstLine(root.resolve("proc/sys/kernel/osrelease"));
        builder.kernel = System.getProperty("os.name") + " "
                + (release != null ? release : System.getProperty("os.version")) + " " + System.getProperty("os.arch");
        builder.cpuModel = valueAfterColon(root.resolve("proc/cpuinfo"), "model name");
        String online = firstLine(root.resolve("sys/devices/system/cpu/online"));
        builder.cores = OptionalInt.of(
                online != null ? countOfList(online) : Runtime.getRuntime().availableProcessors());
        String memory = valueAfterColon(root.resolve("proc/meminfo"), "MemTotal");
        if (memory != null && memory.matches("[0-9]{1,15} kB")) {
            builder.memoryBytes = OptionalLong.of(Long.parseLong(memory.substring(0, memory.length() - 3)) * 1024);
        }
        builder.clock = firstLine(root.resolve("sys/devices/system/clocksource/clocksource0/current_clocksource"));
        builder.cgroup = Files.exists(root.resolve("sys/fs/cgroup/cgroup.controllers"))
                ? "v2"
                : Files.exists(root.resolve("sys/fs/cgroup/memory")) ? "v1" : null;
        builder.jvmName = System.getProperty("java.vm.name");
        builder.jvmVersion = System.getProperty("java.vm.version");
        builder.jvmOptions = ManagementFactory.getRuntimeMXBean().getInputArguments();
        return builder;
    }

    public String lockstepVersion() {
        return lockstepVersion;
    }

    /** Returns the operating system's name, release and architecture. */
    public Optional<String> kernel() {
        return Optional.ofNullable(kernel);
    }

    public Optional<String> cpuModel() {
        return Optional.ofNullable(cpuModel);
    }

    /** Returns how many processors of the machine are online. */
    public OptionalInt cores() {
        return cores;
    }

    public OptionalLong memoryBytes() {
        return memoryBytes;
    }

    /** Returns the kernel's clock source, for example {@code tsc}. */
    public Optional<String> clock() {
        return Optional.ofNullable(clock);
    }

    public Optional<String> jvmName() {
        return Optional.ofNullable(jvmName);
    }

    public Optional<String> jvmVersion() {
        return Optional.ofNullable(jvmVersion);
    }

    /** Returns the options of the replayer's own JVM. */
    public List<String> jvmOptions() {
        return jvmOptions;
    }

    /** Returns what moves the bytes, for example {@code epoll}. */
    public Optional<String> transport() {
        return Optional.ofNullable(transport);
    }

    /** Returns the version of the machine's control groups, {@code v1} or {@code v2}. */
    public Optional<String> cgroup() {
        return Optional.ofNullable(cgroup);
    }

    /** Returns what about the machine may spoil figures, a line for people each. */
    public List<String> warnings() {
        return warnings;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        JsonFields.put(json, "lockstepVersion", lockstepVersion);
        JsonFields.put(json, "kernel", kernel);
        JsonFields.put(json, "cpuModel", cpuModel);
        JsonFields.put(json, "cores", cores);
        JsonFields.put(json, "memoryBytes", memoryBytes);
        JsonFields.put(json, "clock", clock);
        JsonFields.put(json, "jvmName", jvmName);
        JsonFields.put(json, "jvmVersion", jvmVersion);
        JsonFields.put(json, "jvmOptions", jvmOptions);
        JsonFields.put(json, "transport", transport);
        JsonFields.put(json, "cgroup", cgroup);
        JsonFields.put(json, "warnings", warnings);
        return json;
    }

    static Environment fromJson(JsonFields json) {
        Builder builder = builder();
        builder.lockstepVersion = json.text("lockstepVersion");
        builder.kernel = json.textOrNull("kernel");
        builder.cpuModel = json.textOrNull("cpuModel");
        builder.cores = json.smallNumberOrAbsent("cores");
        builder.memoryBytes = json.numberOrAbsent("memoryBytes");
        builder.clock = json.textOrNull("clock");
        builder.jvmName = json.textOrNull("jvmName");
        builder.jvmVersion = json.textOrNull("jvmVersion");
        builder.jvmOptions = json.texts("jvmOptions");
        builder.transport = json.textOrNull("transport");
        builder.cgroup = json.textOrNull("cgroup");
        builder.warnings = json.texts("warnings");
        return json.check(builder::build);
    }

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

    /** Counts the members of a kernel list such as {@code 0-3,8}. */
    private static int countOfList(String list) {
        int count = 0;
        for (String range : list.split(",")) {
            int dash = range.indexOf('-');
            count += dash < 0
                    ? 1
                    : Integer.parseInt(range.substring(dash + 1)) - Integer.parseInt(range.substring(0, dash)) + 1;
        }
        return count;
    }

    /** Collects the fields; only Lockstep's version is required. */
    public static final class Builder {
        private String lockstepVersion;
        private String kernel;
        private String cpuModel;
        private OptionalInt cores = OptionalInt.empty();
        private OptionalLong memoryBytes = OptionalLong.empty();
        private String clock;
        private String jvmName;
        private String jvmVersion;
        private List<String> jvmOptions = List.of();
        private String transport;
        private String cgroup;
        private List<String> warnings = new ArrayList<>();

        private Builder() {}

        public Builder lockstepVersion(String version) {
            this.lockstepVersion = version;
            return this;
        }

        public Builder kernel(String kernel) {
            this.kernel = kernel;
            return this;
        }

        public Builder cpuModel(String model) {
            this.cpuModel = model;
            return this;
        }

        public Builder cores(int cores) {
            this.cores = OptionalInt.of(cores);
            return this;
        }

        public Builder memoryBytes(long bytes) {
            this.memoryBytes = OptionalLong.of(bytes);
            return this;
        }

        public Builder clock(String clockSource) {
            this.clock = clockSource;
            return this;
        }

        public Builder jvm(String name, String version, List<String> options) {
            this.jvmName = name;
            this.jvmVersion = version;
            this.jvmOptions = List.copyOf(options);
            return this;
        }

        public Builder transport(String transport) {
            this.transport = transport;
            return this;
        }

        public Builder cgroup(String version) {
            this.cgroup = version;
            return this;
        }

        public Builder warning(String line) {
            this.warnings.add(line);
            return this;
        }

        public Environment build() {
            if (lockstepVersion == null) {
                throw new IllegalArgumentException("lockstepVersion must be given");
            }
            return new Environment(this);
        }
    }
}
