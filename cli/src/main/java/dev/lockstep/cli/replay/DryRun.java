package dev.lockstep.cli.replay;

import dev.lockstep.capture.Capture;
import dev.lockstep.cli.options.BytesConverter;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.report.Lines;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.WarmupPace;
import dev.lockstep.run.Addresses;
import dev.lockstep.run.RequestCensus;
import dev.lockstep.run.RunPlanner;
import dev.lockstep.run.SoakFindings;
import dev.lockstep.run.WriteGuard;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Says what a run would send where and when. */
final class DryRun {
    private static final int NAMES_SHOWN = 10;
    /** JVM options that are longer together are counted. */
    private static final int OPTIONS_SHOWN = 100;

    private DryRun() {}

    static void print(
            RunPlan plan,
            Capture capture,
            List<TargetSpec> targets,
            RequestCensus census,
            WriteGuard guard,
            PrintWriter out) {
        print(out, "Dry run: nothing is sent.");
        print(
                out,
                "Capture: " + Terminal.printable(plan.capture().path()) + ", "
                        + Quantities.count(capture.requestCount(), "request") + " on "
                        + Quantities.count(capture.connectionCount(), "connection") + " in "
                        + Quantities.duration(capture.durationNs()));
        row(out, "Protocols", RequestCensus.top(census.protocols(), NAMES_SHOWN));
        row(out, "Methods", RequestCensus.top(census.methods(), NAMES_SHOWN));
        row(out, "Hosts", RequestCensus.top(census.hosts(), NAMES_SHOWN));
        if (census.opaqueBytes() > 0) {
            row(out, "Other bytes", Quantities.bytes(census.opaqueBytes()) + " that are no known requests");
        }
        row(out, "May change something", census.mayChange() ? census.describeChanging() : "nothing");
        plan.rewrites().forEach(rewrite -> row(out, "Rewritten", rewrite));
        if (plan.keepDeadlines()) {
            row(out, "Deadlines", "as recorded");
        }
        print(out, "Each target: " + schedule(plan, capture));
        profile(plan, out);
        RunPlanner.runNs(plan)
                .ifPresent(ns -> print(
                        out,
                        "The whole run: about " + Quantities.duration(ns)
                                + (plan.maxLaunches().isPresent()
                                        ? ", up to "
                                                + Quantities.duration(RunPlanner.longestRunNs(plan)
                                                        .getAsLong())
                                                + " as long as it is inconclusive"
                                        : "")));
        SoakFindings.tooShort(plan).ifPresent(line -> print(out, "Note: " + line));
        for (int i = 0; i < targets.size(); i++) {
            TargetPlan planned = plan.targets().get(i);
            print(out, "Target " + planned.name() + ": " + where(targets.get(i)) + jvm(planned));
        }
        guard.refusal(census)
                .ifPresent(line -> print(
                        out, plan.allowWrites() ? "Allowed (--allow-writes): " + line : "Would be refused: " + line));
        out.flush();
    }

    private static void print(PrintWriter out, String line) {
        Lines.wrapped(line).forEach(out::println);
    }

    private static void row(PrintWriter out, String what, String found) {
        if (!found.isEmpty()) {
            print(out, "  " + what + ": " + found);
        }
    }

    private static void profile(RunPlan plan, PrintWriter out) {
        plan.profileDuration()
                .ifPresent(duration -> print(
                        out,
                        "After the run, each started once more and profiled for "
                                + Quantities.duration(duration.toNanos())
                                + (plan.warmsUp() ? ", after a warm-up " + warmUp(plan) : "")
                                + ": " + String.join(", ", RunPlanner.profiled(plan))));
    }

    private static String schedule(RunPlan plan, Capture capture) {
        StringBuilder text = new StringBuilder();
        if (plan.duration().isPresent()) {
            text.append("requests for ")
                    .append(Quantities.duration(plan.duration().get().toNanos()));
        } else {
            text.append(Quantities.count(plan.maxRequests().orElse(capture.requestCount()), "request"));
        }
        text.append(" at pace ").append(plan.pace());
        if (plan.pace().equals(Pace.RECORDED) && plan.speed() != 1) {
            text.append(", ").append(plan.speed()).append(" times as fast");
        }
        text.append(
                plan.connections().isPresent()
                        ? " over " + Quantities.count(plan.connections().getAsInt(), "connection")
                        : " over the recorded connections");
        OptionalLong lengthNs = RunPlanner.lengthNs(plan);
        if (lengthNs.isPresent()) {
            text.append(", ").append(Quantities.duration(lengthNs.getAsLong())).append(" long");
        }
        if (plan.warmsUp()) {
            text.append(", after a warm-up ")
                    .append(warmUp(plan))
                    .append(plan.warmupLimit().isPresent() ? "," : "")
                    .append(" with the same requests");
        }
        plan.rounds().ifPresent(rounds -> text.append(", in turns of ").append(Quantities.count(rounds, "round")));
        plan.fullLoad().ifPresent(length -> text.append(", then ")
                .append(Quantities.duration(length.toNanos()))
                .append(" as fast as it answers"));
        if (plan.launches() > 1) {
            text.append(", in each of ")
                    .append(plan.launchCount())
                    .append(plan.runsInBlocks() ? " blocks" : " launches");
        }
        return text.toString();
    }

    private static String warmUp(RunPlan plan) {
        return plan.warmupLimit()
                .map(limit -> "until it is steady, for " + Quantities.duration(limit.toNanos()) + " at most"
                        + (plan.warmupPace().equals(Optional.of(WarmupPace.MAX))
                                ? ", first as fast as it answers"
                                : ""))
                .orElse("of " + Quantities.duration(plan.warmup().toNanos()));
    }

    private static String where(TargetSpec target) {
        String tls = target.tls() ? " with TLS" : "";
        if (target.attachAddress().isPresent()) {
            return "the server at " + Addresses.print(target.attachAddress().get()) + tls
                    + (WriteGuard.isElsewhere(target) ? "" : ", on loopback")
                    + target.metrics()
                            .map(source -> ", its metrics at " + source)
                            .orElse("");
        }
        return "started by this run" + tls
                + target.profile().map(profile -> ", profile " + profile.id()).orElse("");
    }

    /** Returns what else the user chose of a target that is started. */
    private static String jvm(TargetPlan target) {
        StringBuilder text = new StringBuilder();
        target.jdk().ifPresent(version -> text.append(", JDK ").append(version));
        String options = Terminal.printable(String.join(" ", target.jvmOptions()));
        if (options.length() > OPTIONS_SHOWN) {
            text.append(", ").append(Quantities.count(target.jvmOptions().size(), "JVM option"));
        } else if (!options.isEmpty()) {
            text.append(", JVM options ").append(options);
        }
        target.memoryLimitBytes()
                .ifPresent(bytes -> text.append(", memory cap ").append(BytesConverter.print(bytes)));
        return text.toString();
    }
}
