package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.analysis.Metric;
import dev.lockstep.analysis.Starvation;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The lines that change what all others mean, unwrapped. */
final class Headlines {
    static final String LATE = "latencies and rates, not CPU and memory: ";
    /** Behind the name of a target that {@linkplain #isMute is mute}. */
    static final String MUTE = " answered no request well";
    /** What a target was whose processor others had. */
    static final String STARVED = "STARVED";

    private final RunResult result;

    Headlines(RunResult result) {
        this.result = result;
    }

    /**
     * Returns whether the measurement is to be trusted, and of whom it shows nothing good: "VALID", "VALID, c2 DIED",
     * "VALID, c2 STARVED" whose latencies are not its own, "VALID, but graal answered no request well".
     */
    String outcome() {
        StringBuilder text = new StringBuilder(result.status().name());
        result.targets().stream().filter(target -> target.exit().isPresent()).forEach(target -> text.append(", ")
                .append(printable(target.name()))
                .append(ComparisonTable.DIED));
        result.targets().stream()
                .filter(target -> Starvation.of(result, target).isPresent())
                .forEach(target -> text.append(", ")
                        .append(printable(target.name()))
                        .append(' ')
                        .append(STARVED));
        mute().ifPresent(mute -> text.append(result.status() == RunStatus.VALID ? ", but " : ", ")
                .append(mute));
        return text.toString();
    }

    /** Returns which targets answered no request well; absent where each did. */
    Optional<String> mute() {
        String mute = result.targets().stream()
                .filter(this::isMute)
                .map(target -> printable(target.name()))
                .collect(Collectors.joining(", "));
        return mute.isEmpty() ? Optional.empty() : Optional.of(mute + MUTE);
    }

    /** Whether a target lived, got load, and {@linkplain Refusals#answeredWell answered none of it well}. */
    boolean isMute(TargetResult target) {
        Refusals refusals = new Refusals(result);
        return target.exit().isEmpty()
                && target.counts()
                        .filter(counts -> counts.due() > 0 && refusals.answeredWell(counts) <= 0)
                        .isPresent();
    }

    /** Returns the outcome, to begin a line with, where something was sent and nothing spoils all figures. */
    String valid() {
        return result.status() == RunStatus.VALID && isSent() ? outcome() + ". " : "";
    }

    /** Whether any target got load. */
    boolean isSent() {
        return result.targets().stream()
                .flatMap(target -> target.counts().stream())
                .anyMatch(counts -> counts.sent > 0 || counts.opaqueBytesSent > 0);
    }

    /** Returns a line for each target that died: what comes first of all, for it may be the reason of the rest. */
    List<String> deaths() {
        return result.targets().stream()
                .flatMap(target -> target.exit().stream()
                        .map(exit -> "DIED: " + printable(target.name()) + TargetBlock.howItDied(exit)))
                .collect(Collectors.toList());
    }

    /** Returns a line for each reason why the run is invalid, and one where it was ended early. */
    List<String> status() {
        List<String> lines = new ArrayList<>();
        result.statusReasons()
                .forEach(reason -> lines.add(
                        "INVALID: " + (result.latenessReasons().contains(reason) ? LATE : "") + printable(reason)));
        if (result.interrupted()) {
            StringBuilder text = new StringBuilder("INTERRUPTED");
            result.launchesDone()
                    .ifPresent(done -> text.append(" in " + result.plan().unit() + " ")
                            .append(done + 1)
                            .append(" of ")
                            .append(result.plan().launchCount())
                            .append(" (")
                            .append(done)
                            .append(" done)"));
            lines.add(text + ": the figures are those of what was measured until then");
        }
        return lines;
    }

    /** Returns a line for everything else that nobody may overlook. */
    List<String> loud() {
        List<String> lines = new ArrayList<>();
        lines.addAll(new Refusals(result).loud());
        lines.addAll(new AnswerLines(result).loud());
        lines.addAll(new TrendLines(result).loud());
        lines.addAll(new FailureTable(result).loud());
        result.self().filter(SelfReport::bottleneck).ifPresent(self -> bottleneck(self, lines));
        result.self()
                .map(SelfReport::fullLoadBottlenecks)
                .ifPresent(launches -> lines.addAll(bottlenecks(
                        launches,
                        " at full load",
                        " itself: what a request costs this target there is not its own",
                        Metric.FULL_LOAD_CPU_PER_REQUEST
                                        .key()
                                        .equals(result.plan().primaryMetric())
                                ? ", and there is no verdict on it; give Lockstep more cores (--cores), or decide by"
                                        + " --primary steadyCpuPerRequest"
                                : "")));
        result.targets().forEach(target -> Starvation.of(result, target)
                .ifPresent(starved -> lines.add(STARVED + ": " + target.name() + ": " + starved)));
        if (!result.plan().rewrites().isEmpty()) {
            lines.add("REWRITTEN: the bytes sent were NOT those of the capture: "
                    + printable(String.join(" ", result.plan().rewrites())));
        }
        return lines;
    }

    private void bottleneck(SelfReport self, List<String> lines) {
        lines.addAll(bottlenecks(
                self.bottlenecks(),
                "",
                " of this closed loop itself: rates, latencies and what a request costs are not this target's own",
                ", and there is no verdict on them; give Lockstep more cores (--cores), or a rate (-q)"));
        if (self.bottlenecks().isEmpty()) {
            lines.add(bottleneckOfAll(self));
        }
    }

    /**
     * Returns a line for each target, and one for those of its launches that an interruption cut.
     *
     * @param when at which load, behind "of the time"
     * @param what it means, behind "set the pace"
     * @param verdict what it means for the verdict, in which a launch that was cut has no part; empty where that is of
     *     other figures
     */
    private List<String> bottlenecks(List<SelfReport.Bottleneck> all, String when, String what, String verdict) {
        if (verdict.isEmpty()) {
            return bottlenecks(all.stream(), when, what);
        }
        List<String> lines = new ArrayList<>();
        int whole = result.launchesThatCount();
        lines.addAll(bottlenecks(all.stream().filter(one -> one.launch() <= whole), when, what + verdict));
        lines.addAll(bottlenecks(
                all.stream().filter(one -> one.launch() > whole),
                when,
                what + "; the " + result.plan().unit() + " was cut, so that no verdict is of it"));
        return lines;
    }

    private List<String> bottlenecks(Stream<SelfReport.Bottleneck> all, String when, String what) {
        Map<String, List<SelfReport.Bottleneck>> byTarget = new LinkedHashMap<>();
        all.forEach(one -> byTarget.computeIfAbsent(one.target(), name -> new ArrayList<>())
                .add(one));
        List<String> lines = new ArrayList<>();
        byTarget.forEach((target, launches) -> lines.add(Figures.format(
                "BOTTLENECK: %s: Lockstep was busy %.0f %% of the time that it sent%s%s and set the pace%s",
                target,
                100
                        * launches.stream()
                                .mapToDouble(SelfReport.Bottleneck::utilisation)
                                .max()
                                .getAsDouble(),
                when,
                result.plan().launches() == 1
                        ? ""
                        : " in "
                                + result.plan()
                                        .numbered(launches.stream()
                                                .map(SelfReport.Bottleneck::launch)
                                                .collect(Collectors.toList())),
                what)));
        return lines;
    }

    /** A result of version 0.1.0, which did not tell targets apart. */
    private static String bottleneckOfAll(SelfReport self) {
        return Figures.format(
                "BOTTLENECK: Lockstep was busy %.0f %% of the time and set the pace of this closed loop itself: rates and"
                        + " latencies are not the targets'; give it more cores (--cores), or a rate (-q)",
                self.utilisation() * 100);
    }
}
