package dev.lockstep.run;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.monitor.MachineLoad;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.TargetSchedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The notes that a reader of a run's figures needs: about the capture, how the targets were kept apart, and their
 * launches.
 */
final class RunNotes {
    private final RunConfig config;
    private final RunPlan plan;
    private final Capture capture;
    private final CaptureContent content;
    private final List<TargetSpec> specs;
    private final Cores cores;

    RunNotes(RunConfig config) {
        this.config = config;
        plan = config.plan();
        capture = config.capture();
        content = new CaptureContent(capture);
        specs = config.specs();
        cores = config.cores();
    }

    /** Returns what is about to be run. */
    String heading() {
        StringBuilder line = new StringBuilder(plan.capture().path()).append(": ");
        line.append(content.heading(plan.connections().isPresent()));
        line.append("; pace ").append(plan.pace());
        plan.connections().ifPresent(count -> line.append(" over ").append(Quantities.count(count, "connection")));
        plan.rounds().ifPresent(rounds -> line.append("; targets in turns, ")
                .append(Quantities.count(rounds, "round"))
                .append(" each"));
        if (plan.launches() > 1) {
            line.append("; ")
                    .append(plan.launchCount())
                    .append(plan.runsInBlocks() ? " blocks of load for each target" : " launches of each target");
        }
        RunPlanner.runNs(plan).ifPresent(ns -> line.append("; about ")
                .append(Quantities.duration(ns))
                .append(plan.maxLaunches().isPresent() ? " for " + plan.launches() + " of them" : " in all")
                .append(RunPlanner.assumedWarmUp(plan))
                .append(longest()));
        return line.toString();
    }

    private String longest() {
        return plan.mostLaunches() > plan.launches()
                ? "; as long as those are inconclusive up to "
                        + Quantities.duration(RunPlanner.longestRunNs(plan).getAsLong())
                : "";
    }

    /** Returns why targets were not heated though that was asked for. */
    Optional<String> ofWarmUp() {
        return config.whyNotHeated().map(why -> "warmed up at the measured pace: " + why);
    }

    /** Returns why targets got no full load though that was planned. */
    Optional<String> ofFullLoad() {
        return config.whyNotLoadedFully().map(why -> "no full load: " + why);
    }

    /** Returns why a target's resident memory is more than its limit, though it kept within that. */
    static Optional<String> ofMemory(TargetResult target) {
        long rssBytes = target.rssBytes().orElse(0);
        long limitBytes = target.memoryLimitBytes().orElse(Long.MAX_VALUE);
        return rssBytes <= limitBytes || target.memoryPeakBytes().isEmpty()
                ? Optional.empty()
                : Optional.of(target.name() + ": resident memory of " + Quantities.mebibytes(rssBytes)
                        + " is more than the limit of " + Quantities.mebibytes(limitBytes)
                        + ", since pages of files, such as the JVM's own, count for whoever read them first; what the"
                        + " limit counts was "
                        + Quantities.mebibytes(target.memoryPeakBytes().getAsLong()) + " at most");
    }

    /** Returns what the capture lacks or had changed. */
    List<String> ofCapture() {
        List<String> notes = new ArrayList<>();
        if (capture.info().redactedValues() > 0) {
            notes.add(Quantities.count(capture.info().redactedValues(), "value")
                    + " of the capture redacted: a target that checks them refuses such requests");
        }
        if (capture.info().missing() != null) {
            notes.add("the capture is incomplete: " + capture.info().missing());
        } else if (!capture.info().closedProperly()) {
            notes.add("the capture was cut short: "
                    + (capture.info().cutBytes() > 0
                            ? Quantities.bytes(capture.info().cutBytes()) + " at its end could not be used"
                            : "what wrote it did not finish it"));
        }
        if (capture.info().endedEarly() != null) {
            notes.add("the capture ends early: "
                    + CaptureInfo.reason(capture.info().endedEarly()));
        }
        if (capture.info().lostRequests() > 0 || capture.info().lostBytes() > 0) {
            notes.add("the capture lacks " + Quantities.count(capture.info().lostRequests(), "request") + " ("
                    + Quantities.bytes(capture.info().lostBytes()) + ") of "
                    + Quantities.count(capture.info().lostConnections(), "connection")
                    + ": the disk could not follow, or failed");
        }
        notes.addAll(content.notes(plan.connections().isPresent()));
        return notes;
    }

    /** Returns how the targets were kept apart, where that matters. */
    List<String> schedule(List<TargetLaunches> targets) {
        List<String> notes = new ArrayList<>();
        for (TargetLaunches target : targets) {
            if (target.process() != null
                    && target.process().pid().isPresent()
                    && !target.process().isolation().startsWith("cgroup")) {
                notes.add(target.name() + ": not in control groups, kept apart by "
                        + target.process().isolation());
            }
        }
        for (TargetSpec spec : specs) {
            if (isCapped() && spec.attachAddress().isPresent()) {
                notes.add(spec.name() + ": runs already, and so without the memory cap of the others");
            }
        }
        boolean launched = targets.stream()
                .anyMatch(target -> target.process() != null && target.process().canFreeze());
        if (plan.schedule() == TargetSchedule.ALTERNATE) {
            notes.add("targets took turns in " + Quantities.count(plan.rounds().getAsInt(), "round")
                    + (launched ? ", the others frozen" : "")
                    + (specs.stream().allMatch(spec -> spec.attachAddress().isPresent())
                            ? " (they run already, on the processors that they have)"
                            : " (" + cores.describe() + ")"));
        } else if (targets.size() > 1 && launched && !cores.canRunTogether()) {
            notes.add("targets ran at the same time on the same processors " + cores.targets()
                    + " and slowed each other down (" + cores.describe() + "); use --schedule alternate");
        }
        return notes;
    }

    /** Returns what a launch is of servers that run already; absent where there are none or there is one launch. */
    Optional<String> ofBlocks() {
        List<String> running = specs.stream()
                .filter(spec -> spec.attachAddress().isPresent())
                .map(TargetSpec::name)
                .collect(Collectors.toList());
        return running.isEmpty() || plan.mostLaunches() == 1
                ? Optional.empty()
                : Optional.of(String.join(", ", running)
                        + (running.size() == 1 ? " runs" : " run")
                        + " already: what is repeated is a block of load over new connections"
                        + (plan.orderSeed().isPresent()
                                ? ", in random order (seed " + plan.orderSeed().getAsLong() + ")"
                                : "")
                        + "; verdicts are on these processes as they are, not on their builds, of which another start"
                        + " may give other figures");
    }

    private boolean isCapped() {
        return plan.targets().stream()
                .anyMatch(target -> target.memoryLimitBytes().isPresent());
    }

    /** Returns what other programs take of the machine before a target is started, where that is much. */
    static Optional<String> ofOthers(MachineLoad load) {
        return load.isBusy()
                ? Optional.of("busy machine: " + load + "; sends can be late and requests dearer: stop them, or wait")
                : Optional.empty();
    }

    /** Returns that a run ended before its time, since nothing could come of it. */
    String ofHopelessness(String why, int launches) {
        return "ended after " + plan.units(launches) + ", for no more could decide: " + why;
    }

    /** Returns that a run ended before its time, since somebody had seen enough. */
    String ofConclusion(int launches) {
        return "ended as asked after " + launches + " of " + plan.launchCount()
                + (plan.runsInBlocks() ? " blocks" : " launches")
                + ": who ends a run because of"
                + " what it shows finds differences that are not there more often than the intervals say";
    }

    /** Returns that the targets' logs take of their memory, where they do. */
    Optional<String> ofDirectory(Path directory) {
        try {
            return isCapped() && Files.getFileStore(directory).type().equals("tmpfs")
                    ? Optional.of(
                            "the run directory is in memory (tmpfs): what a target logs into it, its GC log included,"
                                    + " counts towards its memory limit; give one on a disk with -o")
                    : Optional.empty();
        } catch (IOException e) {
            // Writing into it fails with a message of its own.
            return Optional.empty();
        }
    }

    /**
     * Returns what is missing of a launch that was not interrupted, so that fewer pairs than planned can be compared.
     */
    Optional<String> ofLaunch(LaunchRound round) {
        List<String> without = new ArrayList<>();
        List<String> died = new ArrayList<>();
        for (TargetRun target : round.targets()) {
            if (!target.isMeasured()) {
                without.add(target.name());
            } else if (target.exit().isPresent()) {
                died.add(target.name());
            }
        }
        if (without.isEmpty() && died.isEmpty() || plan.launches() == 1) {
            return Optional.empty();
        }
        List<String> missing = new ArrayList<>();
        if (!without.isEmpty()) {
            missing.add("gave no figures of " + String.join(", ", without));
        }
        if (!died.isEmpty()) {
            missing.add("was not survived by " + String.join(", ", died));
        }
        boolean noPair = without.contains(plan.baseline()) || died.contains(plan.baseline());
        return Optional.of(
                plan.unit() + " " + round.launch() + " of " + plan.launchCount() + " " + String.join(" and ", missing)
                        + (noPair
                                ? ", with which the others are compared: no pair of this " + plan.unit() + " counts"
                                : ": a pair less to compare"));
    }

    /**
     * Returns how much of a run of several launches there is that was interrupted.
     *
     * @param whole how many launches came to their end
     * @param measured how many were measured, if only in part
     */
    String ofInterruption(int whole, int measured) {
        return "ended early with " + whole + " of " + plan.launchCount()
                + (plan.runsInBlocks() ? " blocks done" : " launches done")
                + (measured > whole
                        ? "; what was measured of " + plan.unit() + " " + measured
                                + " is in the figures and counts in no verdict"
                        : "");
    }
}
