package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One target of a {@link RunPlan}: a JVM profile to start, a command to start, with or without a profile that must serve
 * it, or the address of a server that already runs. Immutable.
 */
public final class TargetPlan {
    /** The smallest memory cap there is. */
    public static final long LEAST_MEMORY_BYTES = 1 << 20;

    private final String name;
    private final String profile;
    private final OptionalInt jdk;
    private final String address;
    private final boolean tls;
    private final List<String> command;
    private final List<String> environmentNames;
    private final List<String> jvmOptions;
    private final OptionalInt port;
    private final String readinessPath;
    private final OptionalLong memoryLimitBytes;
    private final List<Integer> cores;

    private TargetPlan(Builder builder) {
        this.name = builder.name;
        this.profile = builder.profile;
        this.jdk = builder.jdk;
        this.address = builder.address;
        this.tls = builder.tls;
        this.command = List.copyOf(builder.command);
        this.environmentNames = List.copyOf(builder.environmentNames);
        this.jvmOptions = List.copyOf(builder.jvmOptions);
        this.port = builder.port;
        this.readinessPath = builder.readinessPath;
        this.memoryLimitBytes = builder.memoryLimitBytes;
        this.cores = List.copyOf(builder.cores);
    }

    /** Starts a target with a name that is unique in the run. */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    public String name() {
        return name;
    }

    /** Returns the JVM profile that is started, for example {@code c2} or {@code graal}. */
    public Optional<String> profile() {
        return Optional.ofNullable(profile);
    }

    /** Returns the JDK's feature version where the user chose one, 25 for {@code c2@25}. */
    public OptionalInt jdk() {
        return jdk;
    }

    /** Returns the {@code HOST:PORT} of a server that already runs. */
    public Optional<String> address() {
        return Optional.ofNullable(address);
    }

    /** Says whether TLS is spoken to the target. */
    public boolean tls() {
        return tls;
    }

    /** Returns the command of an application of the user's, program first; empty for the built-in one or an address. */
    public List<String> command() {
        return command;
    }

    /** Returns the names of the environment variables set for the target. Values can be secrets and are not kept. */
    public List<String> environmentNames() {
        return environmentNames;
    }

    /** Returns the JVM options that the user added. */
    public List<String> jvmOptions() {
        return jvmOptions;
    }

    /** Returns the port that the user chose for a target that is started. */
    public OptionalInt port() {
        return port;
    }

    /** Returns the path that answers once the target is ready, where it differs from the built-in one. */
    public Optional<String> readinessPath() {
        return Optional.ofNullable(readinessPath);
    }

    /** Returns the memory cap that was asked for. */
    public OptionalLong memoryLimitBytes() {
        return memoryLimitBytes;
    }

    /** Returns the cores that were asked for; empty where the tool chooses. */
    public List<Integer> cores() {
        return cores;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("name", name);
        JsonFields.put(json, "profile", profile);
        JsonFields.put(json, "jdk", jdk);
        JsonFields.put(json, "address", address);
        if (tls) {
            json.put("tls", true);
        }
        putUnlessEmpty(json, "command", command);
        putUnlessEmpty(json, "environment", environmentNames);
        putUnlessEmpty(json, "jvmOptions", jvmOptions);
        JsonFields.put(json, "port", port);
        JsonFields.put(json, "readinessPath", readinessPath);
        JsonFields.put(json, "memoryLimitBytes", memoryLimitBytes);
        if (!cores.isEmpty()) {
            JsonFields.putNumbers(json, "cores", cores);
        }
        return json;
    }

    private static void putUnlessEmpty(ObjectNode json, String field, List<String> values) {
        if (!values.isEmpty()) {
            JsonFields.put(json, field, values);
        }
    }

    static TargetPlan fromJson(JsonFields json) {
        Builder builder = builder(json.text("name"));
        builder.profile = json.textOrNull("profile");
        builder.jdk = json.smallNumberOrAbsent("jdk");
        builder.address = json.textOrNull("address");
        builder.tls = json.has("tls") && json.flag("tls");
        builder.command = json.texts("command");
        builder.environmentNames = json.texts("environment");
        builder.jvmOptions = json.texts("jvmOptions");
        builder.port = json.smallNumberOrAbsent("port");
        builder.readinessPath = json.textOrNull("readinessPath");
        builder.memoryLimitBytes = json.numberOrAbsent("memoryLimitBytes");
        builder.cores = json.numbers("cores");
        json.refuseUnknown();
        return json.check(builder::build);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TargetPlan && toJson().equals(((TargetPlan) other).toJson());
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }

    /** Collects the fields; {@link #build} checks them. */
    public static final class Builder {
        private final String name;
        private String profile;
        private OptionalInt jdk = OptionalInt.empty();
        private String address;
        private boolean tls;
        private List<String> command = List.of();
        private List<String> environmentNames = List.of();
        private List<String> jvmOptions = List.of();
        private OptionalInt port = OptionalInt.empty();
        private String readinessPath;
        private OptionalLong memoryLimitBytes = OptionalLong.empty();
        private List<Integer> cores = List.of();

        private Builder(String name) {
            this.name = name;
        }

        public Builder profile(String profile) {
            this.profile = profile;
            return this;
        }

        public Builder jdk(int featureVersion) {
            this.jdk = OptionalInt.of(featureVersion);
            return this;
        }

        public Builder address(String hostAndPort) {
            this.address = hostAndPort;
            return this;
        }

        /** Speaks TLS to the target; not done unless this is called. */
        public Builder tls(boolean tls) {
            this.tls = tls;
            return this;
        }

        public Builder command(List<String> command) {
            this.command = new ArrayList<>(command);
            return this;
        }

        /** Names only: values can be secrets. */
        public Builder environmentNames(List<String> names) {
            this.environmentNames = new ArrayList<>(names);
            return this;
        }

        public Builder jvmOptions(List<String> jvmOptions) {
            this.jvmOptions = new ArrayList<>(jvmOptions);
            return this;
        }

        public Builder port(int port) {
            this.port = OptionalInt.of(port);
            return this;
        }

        public Builder readinessPath(String path) {
            this.readinessPath = path;
            return this;
        }

        public Builder memoryLimitBytes(long bytes) {
            this.memoryLimitBytes = OptionalLong.of(bytes);
            return this;
        }

        public Builder cores(List<Integer> cores) {
            this.cores = new ArrayList<>(cores);
            return this;
        }

        /** Throws IllegalArgumentException with the field, the rule and the value. */
        public TargetPlan build() {
            Rules.targetName(name);
            boolean started = profile != null || !command.isEmpty();
            if (started == (address != null)) {
                throw new IllegalArgumentException("target " + name + " must have either an address, or a profile or a"
                        + " command or both, has " + (started ? "an address and one of the others" : "none of them"));
            }
            try {
                checkFields();
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("target " + name + ": " + e.getMessage(), e);
            }
            return new TargetPlan(this);
        }

        private void checkFields() {
            if (profile != null && profile.isEmpty()) {
                throw new IllegalArgumentException("profile must not be empty");
            }
            jdk.ifPresent(version -> Rules.atLeast("jdk", 8, version));
            if (address != null) {
                Rules.address(address);
                if (!jvmOptions.isEmpty() || memoryLimitBytes.isPresent() || !cores.isEmpty()) {
                    throw new IllegalArgumentException("JVM options, a memory limit and cores can only be given to a"
                            + " target that is started, not to the running server " + address);
                }
            }
            Rules.environmentNames(environmentNames);
            port.ifPresent(number -> {
                if (number < 1 || number > 65535) {
                    throw new IllegalArgumentException("port must be 1 to 65535, is " + number);
                }
            });
            if (readinessPath != null && !readinessPath.startsWith("/")) {
                throw new IllegalArgumentException("readinessPath must start with /, is " + Rules.quote(readinessPath));
            }
            memoryLimitBytes.ifPresent(bytes -> Rules.atLeast("memoryLimitBytes", LEAST_MEMORY_BYTES, bytes));
            Rules.cores("cores", cores);
        }
    }
}
