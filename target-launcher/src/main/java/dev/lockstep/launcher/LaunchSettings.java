package dev.lockstep.launcher;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** How targets are launched: what all of them, or one launch of one of them, have in common. Immutable. */
public final class LaunchSettings {
    private final List<String> command;
    private final long memoryLimitBytes;
    private final CpuList cpus;
    private final Path logDirectory;
    private final String readinessPath;
    private final Duration readyTimeout;
    private final Duration stopGrace;
    private final Path workingDirectory;
    private final List<String> jvmOptions;
    private final SSLContext tls;
    private final boolean tlsNames;
    private final int launch;

    private LaunchSettings(Builder builder) {
        command = builder.command;
        memoryLimitBytes = builder.memoryLimitBytes;
        cpus = builder.cpus;
        logDirectory = builder.logDirectory;
        readinessPath = builder.readinessPath;
        readyTimeout = builder.readyTimeout;
        stopGrace = builder.stopGrace;
        workingDirectory = builder.workingDirectory;
        jvmOptions = builder.jvmOptions;
        tls = builder.tls;
        tlsNames = builder.tlsNames;
        launch = builder.launch;
    }

    public static Builder builder() {
        return new Builder();
    }

    List<String> command() {
        return command;
    }

    long memoryLimitBytes() {
        return memoryLimitBytes;
    }

    Optional<CpuList> cpus() {
        return Optional.ofNullable(cpus);
    }

    Path logDirectory() {
        return logDirectory;
    }

    String readinessPath() {
        return readinessPath;
    }

    Duration readyTimeout() {
        return readyTimeout;
    }

    Duration stopGrace() {
        return stopGrace;
    }

    Path workingDirectory() {
        return workingDirectory;
    }

    List<String> jvmOptions() {
        return jvmOptions;
    }

    /** Returns the keys and the trust for targets that speak TLS, or null. */
    SSLContext tls() {
        return tls;
    }

    /** Tells whether a target's certificate must be for its host name. */
    boolean tlsNames() {
        return tlsNames;
    }

    /** Returns the file for what a target logs in this launch. */
    Path logFile(String target, String ending) {
        return logDirectory.resolve((launch == 1 ? target : target + "." + launch) + ending);
    }

    static void checkPath(String field, String path) {
        if (!path.startsWith("/") || path.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new IllegalArgumentException(
                    field + " must begin with '/' and be printable ASCII without blanks: '" + path + "'");
        }
    }

    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.command = command;
        builder.memoryLimitBytes = memoryLimitBytes;
        builder.cpus = cpus;
        builder.logDirectory = logDirectory;
        builder.readinessPath = readinessPath;
        builder.readyTimeout = readyTimeout;
        builder.stopGrace = stopGrace;
        builder.workingDirectory = workingDirectory;
        builder.jvmOptions = jvmOptions;
        builder.tls = tls;
        builder.tlsNames = tlsNames;
        builder.launch = launch;
        return builder;
    }

    /** Collects settings; {@link #build()} checks them. */
    public static final class Builder {
        private List<String> command = List.of();
        private long memoryLimitBytes;
        private CpuList cpus;
        private Path logDirectory;
        private String readinessPath = "/";
        private Duration readyTimeout = Duration.ofSeconds(60);
        private Duration stopGrace = Duration.ofSeconds(5);
        private Path workingDirectory = Path.of("").toAbsolutePath();
        private List<String> jvmOptions = List.of();
        private SSLContext tls;
        private boolean tlsNames;
        private int launch = 1;

        private Builder() {}

        /** Sets the command template of targets that bring none; placeholders as in {@link TargetSpec.Builder#command}. */
        public Builder command(List<String> template) {
            this.command = List.copyOf(template);
            return this;
        }

        /**
         * Caps the memory of the whole process; 0, the default, is no cap. The JVM's heap is left to its own container
         * ergonomics, a fraction of the cap, unless the user's options set it.
         */
        public Builder memoryLimitBytes(long bytes) {
            this.memoryLimitBytes = bytes;
            return this;
        }

        /** Pins the target; by default it runs wherever this process may. */
        public Builder cpus(CpuList cpus) {
            this.cpus = cpus;
            return this;
        }

        /**
         * Sets the folder for the targets' output, {@code NAME.log}, from the second launch on {@code NAME.2.log} and so on;
         * it is made when missing. Has no default.
         */
        public Builder logDirectory(Path directory) {
            this.logDirectory = directory.toAbsolutePath();
            return this;
        }

        /** Sets the path asked for readiness, "/" by default; empty: an open port is enough. */
        public Builder readinessPath(String path) {
            this.readinessPath = path;
            return this;
        }

        /** Sets how long a target may take until it is ready, 60 s by default. */
        public Builder readyTimeout(Duration timeout) {
            this.readyTimeout = timeout;
            return this;
        }

        /** Sets how long a target may take to end after SIGTERM before it is killed, 5 s by default. */
        public Builder stopGrace(Duration grace) {
            this.stopGrace = grace;
            return this;
        }

        /** Sets the folder the targets start in; by default that of this process. */
        public Builder workingDirectory(Path directory) {
            this.workingDirectory = directory.toAbsolutePath();
            return this;
        }

        /** Sets JVM options for all targets; those of a target come after them. */
        public Builder jvmOptions(List<String> options) {
            this.jvmOptions = List.copyOf(options);
            return this;
        }

        /**
         * Sets how the targets that speak TLS are asked whether they are ready; required where there are any.
         *
         * @param checkNames whether a target's certificate must be for its host name
         */
        public Builder tls(SSLContext context, boolean checkNames) {
            this.tls = context;
            this.tlsNames = checkNames;
            return this;
        }

        /** Sets which launch of the targets it is, counted from 1, which is the default. */
        public Builder launch(int launch) {
            this.launch = launch;
            return this;
        }

        /** Returns the settings; throws IllegalArgumentException naming the field, the rule and the value. */
        public LaunchSettings build() {
            if (memoryLimitBytes < 0) {
                throw new IllegalArgumentException("memory limit must not be negative: " + memoryLimitBytes);
            }
            if (cpus != null && cpus.isEmpty()) {
                throw new IllegalArgumentException("processors of a target must not be empty");
            }
            if (logDirectory == null) {
                throw new IllegalArgumentException("log directory must be set");
            }
            if (launch < 1) {
                throw new IllegalArgumentException("launch must be at least 1: " + launch);
            }
            if (readyTimeout.isNegative() || readyTimeout.isZero()) {
                throw new IllegalArgumentException("ready time-out must be positive: " + readyTimeout);
            }
            if (stopGrace.isNegative()) {
                throw new IllegalArgumentException("stop grace must not be negative: " + stopGrace);
            }
            if (!readinessPath.isEmpty()) {
                checkPath("readiness path", readinessPath);
            }
            return new LaunchSettings(this);
        }
    }
}
