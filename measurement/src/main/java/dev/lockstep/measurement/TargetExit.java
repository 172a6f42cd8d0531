package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** How a target ended that was not stopped by Lockstep. Immutable. */
public final class TargetExit {
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

    private final OptionalInt exitCode;
    private final String phase;
    private final boolean oomKilled;
    private final String kernelMessage;
    private final List<String> lastLogLines;
    private final List<IntervalFigures> lastMinute;

    private TargetExit(Builder builder) {
        this.exitCode = builder.exitCode;
        this.phase = builder.phase;
        this.oomKilled = builder.oomKilled;
        this.kernelMessage = builder.kernelMessage;
        this.lastLogLines = List.copyOf(builder.lastLogLines);
        this.lastMinute = List.copyOf(builder.lastMinute);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns the exit code as a shell shows it, 128 + n after signal n; absent where it never came to one. */
    public OptionalInt exitCode() {
        return exitCode;
    }

    /** Returns the signal that the exit code stands for. */
    public OptionalInt signal() {
        return exitCode.isPresent()
                        && exitCode.getAsInt() > SIGNAL_BASE
                        && exitCode.getAsInt() <= SIGNAL_BASE + HIGHEST_SIGNAL
                ? OptionalInt.of(exitCode.getAsInt() - SIGNAL_BASE)
                : OptionalInt.empty();
    }

    /** Returns the signal's name, {@code SIGKILL}, or {@code signal 40} for one without a common name. */
    public Optional<String> signalName() {
        return signal().isPresent()
                ? Optional.of(SIGNALS.getOrDefault(signal().getAsInt(), "signal " + signal().getAsInt()))
                : Optional.empty();
    }

    /** Returns in which phase it ended, for people: {@code start}, {@code warm-up}, {@code measurement}. */
    public Optional<String> phase() {
        return Optional.ofNullable(phase);
    }

    /** Says whether the kernel killed it for lack of memory. */
    public boolean oomKilled() {
        return oomKilled;
    }

    /** Returns the kernel's own line about the kill. */
    public Optional<String> kernelMessage() {
        return Optional.ofNullable(kernelMessage);
    }

    /** Returns the end of what it wrote to its standard output and error. */
    public List<String> lastLogLines() {
        return lastLogLines;
    }

    /** Returns its last intervals, a minute of them at most; only where the kernel killed it for lack of memory. */
    public List<IntervalFigures> lastMinute() {
        return lastMinute;
    }

    /** Returns this with its last intervals. */
    TargetExit withLastMinute(List<IntervalFigures> intervals) {
        Builder builder = builder()
                .phase(phase)
                .oomKilled(oomKilled)
                .kernelMessage(kernelMessage)
                .lastLogLines(lastLogLines);
        builder.exitCode = exitCode;
        builder.lastMinute = intervals;
        return builder.build();
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        JsonFields.put(json, "exitCode", exitCode);
        JsonFields.put(json, "signal", signal());
        JsonFields.put(json, "signalName", signalName().orElse(null));
        JsonFields.put(json, "phase", phase);
        json.put("oomKilled", oomKilled);
        JsonFields.put(json, "kernelMessage", kernelMessage);
        JsonFields.put(json, "lastLogLines", lastLogLines);
        if (!lastMinute.isEmpty()) {
            ArrayNode rows = json.putArray("lastMinute");
            lastMinute.forEach(row -> rows.add(row.toJson()));
        }
        return json;
    }

    static TargetExit fromJson(JsonFields json) {
        Builder builder = builder()
                .phase(json.textOrNull("phase"))
                .oomKilled(json.flag("oomKilled"))
                .kernelMessage(json.textOrNull("kernelMessage"))
                .lastLogLines(json.texts("lastLogLines"));
        builder.exitCode = json.smallNumberOrAbsent("exitCode");
        builder.lastMinute =
                json.objects("lastMinute").stream().map(IntervalFigures::new).collect(Collectors.toList());
        return builder.build();
    }

    /** Collects the fields, all of which may be left out. */
    public static final class Builder {
        private OptionalInt exitCode = OptionalInt.empty();
        private String phase;
        private boolean oomKilled;
        private String kernelMessage;
        private List<String> lastLogLines = List.of();
        private List<IntervalFigures> lastMinute = List.of();

        private Builder() {}

        public Builder exitCode(int exitCode) {
            this.exitCode = OptionalInt.of(exitCode);
            return this;
        }

        public Builder phase(String phase) {
            this.phase = phase;
            return this;
        }

        public Builder oomKilled(boolean oomKilled) {
            this.oomKilled = oomKilled;
            return this;
        }

        public Builder kernelMessage(String kernelMessage) {
            this.kernelMessage = kernelMessage;
            return this;
        }

        public Builder lastLogLines(List<String> lines) {
            this.lastLogLines = List.copyOf(lines);
            return this;
        }

        public TargetExit build() {
            return new TargetExit(this);
        }
    }
}
