package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.immutables.value.Value;

/** How a target ended that was not stopped by Lockstep. */
@Value.Immutable
@JsonDeserialize(builder = TargetExit.Builder.class)
public abstract class TargetExit {
    private static final Map<Integer, String> SIGNALS = Map.ofEntries(
            Map.entry(1, "SIGHUP"),
            Map.entry(2, "SIGINT"),
            Map.entry(3, "SIGQUIT"),
            Map.entry(4, "SIGILL"),
            Map.entry(6, "SIGABRT"),
            Map.entry(7, "SIGBUS"),
            Map.entry(8, "SIGFPE"),
            Map.entry(9, "SIGKILL"),
            Map.entry(11, "SIGSEGV"),
            Map.entry(13, "SIGPIPE"),
            Map.entry(15, "SIGTERM"));

    private static final int SIGNAL_BASE = 128;
    private static final int HIGHEST_SIGNAL = 64;

    public static Builder builder() {
        return new Builder();
    }

    /** As a shell shows it, 128 + n after signal n; absent where it never came to one. */
    public abstract OptionalInt exitCode();

    /** The signal that the exit code stands for. */
    @Value.Derived
    public OptionalInt signal() {
        int signal = exitCode().orElse(0) - SIGNAL_BASE;
        return signal > 0 && signal <= HIGHEST_SIGNAL ? OptionalInt.of(signal) : OptionalInt.empty();
    }

    /** {@code SIGKILL}, or {@code signal 40} for one without a common name. */
    @Value.Derived
    public Optional<String> signalName() {
        return signal().isPresent()
                ? Optional.of(SIGNALS.getOrDefault(signal().getAsInt(), "signal " + signal().getAsInt()))
                : Optional.empty();
    }

    /**
     * In which phase it ended, for people: {@code start}, {@code warm-up}, {@code measurement}, {@code measurement of
     * launch 2}.
     */
    public abstract Optional<String> phase();

    /** When it ended, in epoch milliseconds; absent where it was never ready. */
    public abstract OptionalLong atMs();

    /** Whether the kernel killed it for lack of memory. */
    @Value.Default
    public boolean oomKilled() {
        return false;
    }

    /** The kernel's own line about the kill. */
    public abstract Optional<String> kernelMessage();

    /** The end of what it wrote to its standard output and error. */
    public abstract List<String> lastLogLines();

    /** Its last intervals, a minute of them at most; only where the kernel killed it for lack of memory. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<IntervalFigures> lastMinute();

    TargetExit withLastMinute(List<IntervalFigures> intervals) {
        return builder().from(this).lastMinute(intervals).build();
    }

    public static final class Builder extends ImmutableTargetExit.Builder {
        Builder() {}
    }
}
