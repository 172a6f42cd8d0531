package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.profiler.Profiler;
import dev.lockstep.profiler.ProfilerException;
import dev.lockstep.results.RunPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/**
 * The options that say whether and how long the targets are profiled after the run. Filled by picocli, then only read.
 */
@Heading("Comparing")
final class ProfileOptions {
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(10);

    @Option(
            names = "--profile",
            description = "After the run, starts each target once more and shows in which methods its CPU time "
                    + "goes, with flame graphs (docs/profiling.md).")
    private boolean profile;

    @Option(
            names = "--profile-duration",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "How long each target is profiled, after a warm-up like the run's. Default: 10s.")
    private Duration duration;

    /**
     * Checks what the options say together.
     *
     * @param directory the run directory, or the one that it will be made in
     * @throws UsageException naming the options that do not go together
     */
    void check(List<TargetSpec> targets, Path directory) {
        if (!profile && duration != null) {
            throw new UsageException("--profile-duration: expected --profile beside it, found none");
        }
        if (duration != null && duration.isZero()) {
            throw new UsageException("--profile-duration: expected a duration above 0, found 0");
        }
        if (profile && targets.stream().allMatch(spec -> spec.attachAddress().isPresent())) {
            throw new UsageException("--profile: all targets run already, and only a JVM that Lockstep starts can be"
                    + " profiled; name a profile or a command, or leave it out");
        }
        if (profile) {
            try {
                Profiler.check(directory);
            } catch (ProfilerException e) {
                throw new UsageException("--profile: " + e.getMessage());
            }
        }
    }

    /** Puts these options, once they are checked, into a plan. */
    void addTo(RunPlan.Builder plan) {
        if (profile) {
            plan.profileDuration(duration == null ? DEFAULT_DURATION : duration);
        }
    }
}
