package dev.lockstep.launcher;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.immutables.value.Value;

/** How targets are launched: settings for all of them or for one launch of one of them. Immutable. */
@Value.Immutable
public abstract class LaunchSettings {
    public static Builder builder() {
        return new Builder();
    }

    public Builder toBuilder() {
        return new Builder().from(this);
    }

    /** The command template of targets that bring none; placeholders as in {@link TargetSpec#command}. */
    abstract List<String> command();

    /**
     * The cap on the memory of the whole process; 0, the default, is no cap. The JVM's heap is left to its own
     * container ergonomics, a fraction of the cap, unless the user's options set it.
     */
    @Value.Default
    long memoryLimitBytes() {
        return 0;
    }

    /** Where the target is pinned; by default it runs wherever this process may. */
    abstract Optional<CpuList> cpus();

    /**
     * The folder for the targets' output, {@code NAME.log}, from the second launch on {@code NAME.2.log} and so on; it
     * is made when missing.
     */
    abstract Path logDirectory();

    /** The path asked for readiness; empty: an open port is enough. */
    @Value.Default
    String readinessPath() {
        return "/";
    }

    /** How long a target may take until it is ready. */
    @Value.Default
    Duration readyTimeout() {
        return Duration.ofSeconds(60);
    }

    /** Hears, once, what came of the first question to a server that runs already and does not answer yet. */
    abstract Optional<Consumer<String>> onWaiting();

    /** How long a target may take to end after SIGTERM before it is killed. */
    @Value.Default
    Duration stopGrace() {
        return Duration.ofSeconds(5);
    }

    /** JVM options for all targets; those of a target come after them. */
    abstract List<String> jvmOptions();

    /** How the targets that speak TLS are asked whether they are ready; required where there are any. */
    abstract Optional<SSLContext> tls();

    /** Whether a target's certificate must be for its host name. */
    @Value.Default
    boolean tlsNames() {
        return false;
    }

    /** The number of this launch of the targets, counted from 1. */
    @Value.Default
    int launch() {
        return 1;
    }

    /** Returns the file for what a target logs in this launch. */
    Path logFile(String target, String ending) {
        String name = launch() == 1 ? target : target + "." + launch();
        return logDirectory().toAbsolutePath().resolve(name + ending);
    }

    static void checkPath(String field, String path) {
        if (!path.startsWith("/") || path.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new IllegalArgumentException(
                    field + " must begin with '/' and be printable ASCII without blanks: '" + path + "'");
        }
    }

    @Value.Check
    void check() {
        if (memoryLimitBytes() < 0) {
            throw new IllegalArgumentException("memory limit must not be negative: " + memoryLimitBytes());
        }
        if (cpus().isPresent() && cpus().get().isEmpty()) {
            throw new IllegalArgumentException("processors of a target must not be empty");
        }
        if (launch() < 1) {
            throw new IllegalArgumentException("launch must be at least 1: " + launch());
        }
        if (readyTimeout().isNegative() || readyTimeout().isZero()) {
            throw new IllegalArgumentException("ready time-out must be positive: " + readyTimeout());
        }
        if (stopGrace().isNegative()) {
            throw new IllegalArgumentException("stop grace must not be negative: " + stopGrace());
        }
        if (!readinessPath().isEmpty()) {
            checkPath("readiness path", readinessPath());
        }
    }

    /** {@link #build} throws IllegalArgumentException naming the field, the rule and the value. */
    public static final class Builder extends ImmutableLaunchSettings.Builder {
        Builder() {}
    }
}
