package dev.lockstep.launcher;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** How targets are launched: what all of them, or one launch of one of them, have in common. Immutable. */
public final class LaunchSettings {
    private LaunchSettings() {}

    public static Builder builder() {
        throw new UnsupportedOperationException();
    }

    /** Collects settings; {@link #build()} checks them. */
    public static final class Builder {
        private Builder() {}

        /** Sets the command template of targets that bring none; placeholders as in {@link TargetSpec.Builder#command}. */
        public Builder command(List<String> template) {
            throw new UnsupportedOperationException();
        }

        /** Caps the memory of the whole process; 0, the default, is no cap. */
        public Builder memoryLimitBytes(long bytes) {
            throw new UnsupportedOperationException();
        }

        /** Pins the target; by default it runs wherever this process may. */
        public Builder cpus(CpuList cpus) {
            throw new UnsupportedOperationException();
        }

        /** Sets the folder for the targets' output, {@code NAME.out} and {@code NAME.err}; it is made when missing. */
        public Builder logDirectory(Path directory) {
            throw new UnsupportedOperationException();
        }

        /** Sets the path asked for readiness, "/" by default; empty: an open port is enough. */
        public Builder readinessPath(String path) {
            throw new UnsupportedOperationException();
        }

        /** Sets how long a target may take until it is ready, 60 s by default. */
        public Builder readyTimeout(Duration timeout) {
            throw new UnsupportedOperationException();
        }

        /** Sets how long a target may take to end after SIGTERM before it is killed, 5 s by default. */
        public Builder stopGrace(Duration grace) {
            throw new UnsupportedOperationException();
        }

        /** Sets the folder the targets start in; by default that of this process. */
        public Builder workingDirectory(Path directory) {
            throw new UnsupportedOperationException();
        }

        /** Adds JVM options for all targets; those of a target come after them. */
        public Builder jvmOptions(List<String> options) {
            throw new UnsupportedOperationException();
        }

        public LaunchSettings build() {
            throw new UnsupportedOperationException();
        }
    }

    public Builder toBuilder() {
        throw new UnsupportedOperationException();
    }
}
