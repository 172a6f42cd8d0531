package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.results.RunPlan;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say how often the targets are launched and measured. Filled by picocli, then only read. */
@Heading("Comparing")
final class LaunchOptions {
    private static final int QUICK = 3;
    /** Fewer cannot decide by the rules of docs/statistics.md. */
    private static final int FULL = 6;

    private static final int USUAL_MOST = 12;
    private static final int MOST = 1000;

    @Option(
            names = "--verdict",
            description = "Decides: six launches of each target, and more as long as they are inconclusive. It says "
                    + "beforehand how long that takes (docs/comparing.md).")
    private boolean verdict;

    @Option(
            names = "--max-launches",
            paramLabel = "N",
            description =
                    "Up to how many launches --verdict makes, 6 or more; with 6 as --launches 6, whatever comes of "
                            + "it. Default: 12.")
    private Integer maxLaunches;

    @Option(
            names = "--launches",
            paramLabel = "N",
            description = "How often every target is started afresh, or a running server measured in a block; whatever "
                    + "comes of it. Default: 1.")
    private Integer launches;

    @Option(names = "--quick", description = "Three launches: the verdict is a hint, in half the time.")
    private boolean quick;

    /**
     * Checks the options against the targets.
     *
     * @param soak whether it is a soak run
     * @throws UsageException naming what does not go together
     */
    void check(List<TargetSpec> specs, boolean soak) {
        List<String> given = given();
        if (given.size() > 1) {
            throw new UsageException(String.join(" and ", given) + " all say how many launches there are; leave "
                    + (given.size() > 2 ? "all but one" : "one") + " out");
        }
        if (launches != null && (launches < 1 || launches > MOST)) {
            throw new UsageException("--launches: expected 1 to " + MOST + ", found " + launches);
        }
        if (maxLaunches != null && !verdict) {
            throw new UsageException("--max-launches: expected --verdict beside it, found none");
        }
        if (maxLaunches != null && (maxLaunches < FULL || maxLaunches > MOST)) {
            throw new UsageException("--max-launches: expected " + FULL + " to " + MOST + ", found " + maxLaunches);
        }
        if (verdict && specs.size() < 2) {
            throw new UsageException("--verdict: expected at least two targets, which are compared, found one");
        }
        if (count() > 1 && soak) {
            throw new UsageException(given.get(0)
                    + ": a soak run launches each target once, found --soak beside it; leave one of them out");
        }
    }

    private List<String> given() {
        List<String> given = new ArrayList<>();
        if (verdict) {
            given.add("--verdict");
        }
        if (quick) {
            given.add("--quick");
        }
        if (launches != null) {
            given.add("--launches " + launches);
        }
        return given;
    }

    /** Puts these options, once they are checked, into a plan. */
    void addTo(RunPlan.Builder plan) {
        plan.launches(count());
        int most = maxLaunches == null ? USUAL_MOST : maxLaunches;
        if (verdict && most > FULL) {
            plan.maxLaunches(most);
        }
    }

    /** Returns how many launches there are at least. */
    int count() {
        return launches != null ? launches : verdict ? FULL : quick ? QUICK : 1;
    }
}
