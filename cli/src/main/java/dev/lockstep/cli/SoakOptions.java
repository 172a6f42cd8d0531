package dev.lockstep.cli;

import dev.lockstep.measurement.Drift;
import dev.lockstep.measurement.RunDirectoryWriter;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.TargetSchedule;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** The option of a soak run. Filled by picocli, then only read. */
final class SoakOptions {
    /** Over which time the figures of the status are taken: those of a line for each minute, and those on a terminal. */
    private static final long WINDOW_NS = 60_000_000_000L;

    private static final long TERMINAL_WINDOW_NS = 5_000_000_000L;

    @Option(
            names = "--soak",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            order = 13,
            description =
                    "Send for so long, for example 24h, as -z does, and watch for leaks: a status line, trends of memory "
                            + "and p99, and everything on the disk each second, so that replay recover makes a result of a run that was "
                            + "killed.")
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

    /**
     * Has a soak run watched: its status shown, its intervals safe from a power cut.
     *
     * @param trends gets what is known of leaks and drifts, again and again
     */
    void watch(RunPlan plan, RunDirectoryWriter directory, Progress progress, Consumer<List<Drift>> trends) {
        if (!isOn()) {
            return;
        }
        long turns =
                plan.schedule() == TargetSchedule.ALTERNATE ? plan.targets().size() : 1;
        SoakWatch watch = new SoakWatch(
                turns * duration.toNanos(), Terminal.isWatched() ? TERMINAL_WINDOW_NS : WINDOW_NS, trends);
        directory.durable();
        directory.alsoTo(watch);
        progress.watch(watch::line);
    }
}
