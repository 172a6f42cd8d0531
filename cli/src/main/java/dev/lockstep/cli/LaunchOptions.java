package dev.lockstep.cli;

import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.RunPlan;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say how often the targets are launched afresh. Filled by picocli, then only read. */
final class LaunchOptions {
    private static final int QUICK = 3;
    private static final int MOST = 1000;

    @Option(
            names = "--launches",
            paramLabel = "N",
            order = 24,
            description = "How often every target is started afresh, warmed up, measured and stopped; from launch to "
                    + "launch order and processors change places. Two launches of one JVM differ, so a verdict should "
                    + "rest on 6. Default: 1.")
    private Integer launches;

    @Option(
            names = "--quick",
            order = 24,
            description = "Three launches: enough for a verdict that is a hint, and half the time of one to rely on.")
    private boolean quick;

    /**
     * Checks the options against the targets.
     *
     * @param soak whether it is a soak run
     * @throws UsageException naming what does not go together
     */
    void check(List<TargetSpec> specs, boolean soak) {
        if (launches != null && quick) {
            throw new UsageException("--quick means --launches " + QUICK + ", found --launches " + launches
                    + " beside it; leave one out");
        }
        if (launches != null && (launches < 1 || launches > MOST)) {
            throw new UsageException("--launches: expected 1 to " + MOST + ", found " + launches);
        }
        if (count() > 1 && soak) {
            throw new UsageException((quick ? "--quick" : "--launches " + launches)
                    + ": a soak run launches each target once, found --soak beside it; leave one of them out");
        }
        if (count() > 1) {
            for (TargetSpec spec : specs) {
                if (spec.attachAddress().isPresent()) {
                    throw new UsageException((quick ? "--quick" : "--launches " + launches) + ": target " + spec.name()
                            + " runs already and cannot be launched afresh; have Lockstep start it (--targets-file),"
                            + " or leave the option out");
                }
            }
        }
    }

    /** Puts these options, once they are checked, into a plan. */
    void addTo(RunPlan.Builder plan) {
        plan.launches(count());
    }

    private int count() {
        return launches != null ? launches : quick ? QUICK : 1;
    }
}
