package dev.lockstep.results.comparison;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.results.RunStatus;
import java.time.OffsetDateTime;
import java.util.List;
import org.immutables.value.Value;

/** One of the runs that are compared. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableComparedRun.Builder.class)
public abstract class ComparedRun {
    public static Builder builder() {
        return new Builder();
    }

    /** The run directory, as the user named it. */
    public abstract String directory();

    /** When it began. */
    public abstract OffsetDateTime startedAt();

    /** Whether its figures are to be trusted. */
    public abstract RunStatus status();

    /** Why they are not. */
    public abstract List<String> statusReasons();

    /** Whether Lockstep was only late in it: then its CPU and memory are to be trusted, not its rates and latencies. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    @Value.Default
    public boolean onlyLate() {
        return false;
    }

    /** The targets that died in it; absent for none. */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    public abstract List<String> died();

    /** The capture, as its user gave it. */
    public abstract String capture();

    /** How many launches came to their end. */
    public abstract int launches();

    /** The processor, the kernel and Lockstep's version, for people. */
    public abstract String machine();

    public static final class Builder extends ImmutableComparedRun.Builder {
        Builder() {}
    }
}
