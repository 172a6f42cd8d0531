package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.Rules;
import dev.lockstep.results.json.Json;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.immutables.value.Value;

/**
 * One target of a {@link RunPlan}: a JVM profile to start, a command to start, with or without a profile that must
 * serve it, or the address of a server that already runs.
 */
@Value.Immutable
@JsonDeserialize(builder = TargetPlan.Builder.class)
public abstract class TargetPlan {
    /** The smallest memory cap there is. */
    public static final long LEAST_MEMORY_BYTES = 1 << 20;

    private static final int HIGHEST_PORT = 65535;
    private static final int OLDEST_JDK = 8;

    /** @param name unique in the run */
    public static Builder builder(String name) {
        return new Builder().name(name);
    }

    @Nullable
    @JsonProperty(required = true)
    public abstract String name();

    /** The JVM profile that is started, for example {@code c2} or {@code graal}. */
    public abstract Optional<String> profile();

    /** The JDK's feature version where the user chose one, 25 for {@code c2@25}. */
    public abstract OptionalInt jdk();

    /** The {@code HOST:PORT} of a server that already runs. */
    public abstract Optional<String> address();

    /** Where that server tells what it costs, without what may be secret of the URL. */
    public abstract Optional<String> metrics();

    /** Whether TLS is spoken to the target. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    public boolean tls() {
        return false;
    }

    /** The user's own application, program first; empty for the built-in one or an address. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<String> command();

    /** The names of the environment variables set for the target. Values can be secrets and are not kept. */
    @JsonProperty("environment")
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<String> environmentNames();

    /** Those that the user added. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<String> jvmOptions();

    /** The port that the user chose for a target that is started. */
    public abstract OptionalInt port();

    /** The path that answers once the target is ready, where it differs from the built-in one. */
    public abstract Optional<String> readinessPath();

    /** The memory cap that was asked for. */
    public abstract OptionalLong memoryLimitBytes();

    /** The cores that were asked for; empty where the tool chooses. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<Integer> cores();

    @Value.Check
    void check() {
        PlanRules.targetName(name());
        boolean started = profile().isPresent() || !command().isEmpty();
        if (started == address().isPresent()) {
            throw new IllegalArgumentException("target " + name() + " must have either an address, or a profile or a"
                    + " command or both, has " + (started ? "an address and one of the others" : "none of them"));
        }
        try {
            checkFields();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("target " + name() + ": " + e.getMessage(), e);
        }
    }

    private void checkFields() {
        if (profile().filter(String::isEmpty).isPresent()) {
            throw new IllegalArgumentException("profile must not be empty");
        }
        jdk().ifPresent(version -> Rules.atLeast("jdk", OLDEST_JDK, version));
        if (address().isPresent()) {
            PlanRules.address(address().get());
            if (!jvmOptions().isEmpty() || memoryLimitBytes().isPresent() || !cores().isEmpty()) {
                throw new IllegalArgumentException("JVM options, a memory limit and cores can only be given to a"
                        + " target that is started, not to the running server "
                        + address().get());
            }
        }
        if (metrics().isPresent() && address().isEmpty()) {
            throw new IllegalArgumentException("metrics can only be read of a running server, and this one is started");
        }
        PlanRules.environmentNames(environmentNames());
        port().ifPresent(number -> {
            if (number < 1 || number > HIGHEST_PORT) {
                throw new IllegalArgumentException("port must be 1 to " + HIGHEST_PORT + ", is " + number);
            }
        });
        readinessPath().filter(path -> !path.startsWith("/")).ifPresent(path -> {
            throw new IllegalArgumentException("readinessPath must start with /, is " + Rules.quote(path));
        });
        memoryLimitBytes().ifPresent(bytes -> Rules.atLeast("memoryLimitBytes", LEAST_MEMORY_BYTES, bytes));
        PlanRules.cores("cores", cores());
    }

    @Override
    public String toString() {
        return name();
    }

    /** {@link #build} throws IllegalArgumentException with the field, the rule and the value. */
    public static final class Builder extends ImmutableTargetPlan.Builder implements Json.Strict {
        Builder() {}
    }
}
