package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.terminal.Terminal;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The option of a soak run. Filled by picocli, then only read. */
@Heading("How long")
final class SoakOptions {
    /** On a terminal the status is rewritten all the time, elsewhere it is a line a minute. */
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private static final Duration TERMINAL_WINDOW = Duration.ofSeconds(5);

    @Option(
            names = "--soak",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Sends for this long, for example 24h, and watches for leaks; replay recover makes a "
                    + "result of a killed run (docs/soak.md).")
    private Duration duration;

    /**
     * Sets the duration of the load, where this option is given.
     *
     * @throws UsageException naming the options that do not go together
     */
    void addTo(LoadOptions load) {
        if (duration == null) {
            return;
        }
        if (duration.isZero()) {
            throw new UsageException("--soak: expected a duration above 0, found 0");
        }
        load.soak(duration);
    }

    boolean isOn() {
        return duration != null;
    }

    /** Returns over which time the rates and percentiles of the status are taken. */
    Duration statusWindow() {
        return Terminal.isWatched() ? TERMINAL_WINDOW : WINDOW;
    }
}
