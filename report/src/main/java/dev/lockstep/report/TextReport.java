package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.CaptureReference;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Environment;
import dev.lockstep.measurement.IntervalFigures;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Outage;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.measurement.Skew;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.measurement.TargetExit;
import dev.lockstep.measurement.TargetResult;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The report for people: whether the run is valid, what was replayed, each target, all targets, and the fine print. */
final class TextReport {
    private static final int DIGEST_DIGITS_SHOWN = 12;
    /** Of each target; the rest is in run.json. */
    private static final int MOST_OUTAGES = 5;

    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SEC = 1e9;
    private static final double BYTES_PER_MIB = 1 << 20;
    /** The highest percentile that hey's summary prints. */
    private static final Level HEY_HIGHEST = Level.P99;

    /** The types of TApplicationException, by their numbers. */
    private static final List<String> THRIFT_EXCEPTIONS = List.of(
            "unknown",
            "unknown method",
            "invalid message type",
            "wrong method name",
            "bad sequence id",
            "missing result",
            "internal error",
            "protocol error",
            "invalid transform",
            "invalid protocol",
            "unsupported client type",
            "other");

    private final RunResult result;
    private final StringBuilder out = new StringBuilder();

    TextReport(RunResult result) {
        this.result = result;
    }

    @Override
    public String toString() {
        out.setLength(0);
        result.statusReasons().forEach(reason -> wrapped("INVALID: " + printable(reason)));
        AnswerLines answers = new AnswerLines(result);
        if (result.interrupted()) {
            interrupted();
        }
        FailureTable failures = new FailureTable(result);
        TrendLines trends = new TrendLines(result);
        answers.loud().forEach(this::wrapped);
        trends.loud().forEach(this::wrapped);
        failures.loud().forEach(this::wrapped);
        result.self().filter(SelfReport::bottleneck).ifPresent(this::bottleneck);
        if (!result.plan().rewrites().isEmpty()) {
            wrapped("REWRITTEN: the bytes sent were NOT those of the capture: "
                    + printable(String.join(" ", result.plan().rewrites())));
        }
        wrapped(heading());
        List<String> verdicts = new VerdictLines(result).all();
        if (!verdicts.isEmpty()) {
            line("");
            verdicts.forEach(this::line);
        }
        for (TargetResult target : result.targets()) {
            line("");
            target(target);
        }
        line("");
        ComparisonTable table = ComparisonTable.ofLoad(result);
        out.append(table);
        for (ComparisonTable more : ComparisonTable.ofCosts(result)) {
            String rows = more.toString();
            if (!rows.isEmpty()) {
                line("");
                out.append(rows);
            }
        }
        result.skew().ifPresent(this::skew);
        answers.all().forEach(this::wrapped);
        if (!trends.all().isEmpty()) {
            line("");
            trends.all().forEach(this::wrapped);
        }
        result.self().ifPresent(this::self);
        if (!failures.toString().isEmpty()) {
            line("");
            out.append(failures);
        }
        notes(table);
        result.hotMethods().ifPresent(hot -> {
            line("");
            out.append(new HotMethodTable(hot, result.plan().baseline()));
        });
        return out.toString();
    }

    private void line(String line) {
        out.append(line).append('\n');
    }

    private void wrapped(String text) {
        Lines.wrapped(text).forEach(this::line);
    }

    private void interrupted() {
        StringBuilder text = new StringBuilder("INTERRUPTED");
        result.launchesDone().ifPresent(done -> text.append(" in launch ")
                .append(done + 1)
                .append(" of ")
                .append(result.plan().launches())
                .append(" (")
                .append(done)
                .append(" done)"));
        wrapped(text + ": the figures are those of what was measured until then");
    }

    /** How far apart a request reached the targets, in microseconds. */
    private void skew(Skew skew) {
        Percentiles spread = skew.spread();
        StringBuilder text = new StringBuilder("Skew between targets: ");
        if (spread.count() > 0) {
            text.append("p50 ").append(Figures.threeDigits(spread.at(Level.P50) / 1e3));
            text.append(" us, p99 ").append(Figures.threeDigits(spread.at(Level.P99) / 1e3));
            text.append(" us, max ")
                    .append(Figures.threeDigits(spread.max() / 1e3))
                    .append(" us, of ");
        }
        text.append(counted(spread.count(), "request"));
        if (skew.unmeasured() > 0) {
            text.append(" (").append(skew.unmeasured()).append(" more not measured: not sent to all in time)");
        }
        line("");
        wrapped(text.toString());
    }

    private void bottleneck(SelfReport self) {
        wrapped(Figures.format(
                "BOTTLENECK: Lockstep was busy %.0f %% of the time and set the pace of this closed loop itself: rates and"
                        + " latencies below are not the targets'; give it more cores (--cores), or a rate (-q)",
                self.utilisation() * 100));
    }

    /** What the replayer itself did. */
    private void self(SelfReport self) {
        StringBuilder text = new StringBuilder("Lockstep itself: ");
        text.append(Figures.format("busiest loop %.0f %% busy", self.utilisation() * 100));
        if (self.longestStallNs() > 0) {
            text.append(", longest stall ")
                    .append(Figures.threeDigits(self.longestStallNs() / 1e6))
                    .append(" ms");
        }
        text.append(", ").append(counted(self.gcCount(), "garbage collection"));
        if (self.gcCount() > 0) {
            text.append(" (longest ")
                    .append(Figures.threeDigits(self.longestGcNs() / 1e6))
                    .append(" ms)");
        }
        text.append(", CPU ").append(Figures.threeDigits(self.cpuNs() / 1e9)).append(" s");
        line("");
        wrapped(text.toString());
    }

    private String heading() {
        RunPlan plan = result.plan();
        CaptureReference capture = plan.capture();
        StringBuilder text = new StringBuilder("Replayed ")
                .append(printable(capture.path()))
                .append(" (")
                .append(counted(capture.requests(), "request"));
        capture.connections().ifPresent(count -> text.append(" on ").append(counted(count, "connection")));
        text.append(") ").append(pace(plan));
        plan.connections().ifPresent(count -> text.append(" over ").append(counted(count, "connection")));
        if (plan.launches() > 1) {
            int begun = result.targets().stream()
                    .mapToInt(target -> target.launches().size())
                    .max()
                    .orElse(0);
            text.append(", in ")
                    .append(begun > 0 && begun < plan.launches() ? begun + " of " : "")
                    .append(plan.launches())
                    .append(" launches of each target");
        }
        if (!plan.share().whole()) {
            text.append(", ").append(plan.share());
        }
        return text.toString();
    }

    private static String pace(RunPlan plan) {
        if (plan.pace().equals(Pace.MAX)) {
            return "as fast as each target answers";
        }
        if (plan.pace().equals(Pace.RECORDED)) {
            return plan.speed() == 1
                    ? "at its recorded pace"
                    : "at "
                            + BigDecimal.valueOf(plan.speed())
                                    .stripTrailingZeros()
                                    .toPlainString() + " times its recorded pace";
        }
        Pace pace = plan.pace();
        switch (pace.kind()) {
            case POISSON:
                return "at random, " + Pace.rate(pace.ratePerSec().getAsDouble()) + " in the mean (seed " + pace.seed()
                        + ")";
            case RAMP:
                return "at a rate that goes " + pace.toString().substring("ramp:".length());
            case STEPS:
                return "in steps of " + pace.toString().substring("steps:".length());
            case CLOSED:
                return "as fast as each target answers, with pauses of "
                        + pace.toString().substring("closed:".length());
            default:
                return "at " + pace;
        }
    }

    private void target(TargetResult target) {
        StringBuilder facts = new StringBuilder();
        for (Optional<String> fact : List.of(
                target.jit(), target.jvm(), target.jit().isPresent() ? Optional.<String>empty() : target.address())) {
            fact.ifPresent(text -> facts.append(facts.length() == 0 ? "" : ", ").append(printable(text)));
        }
        wrapped("Target " + target.name() + (facts.length() == 0 ? "" : " (" + facts + ")"));
        target.exit().ifPresent(this::exit);
        if (target.counts().isPresent()) {
            out.append(HeySummary.of(target));
        } else {
            line("  No load reached this target.");
        }
        out.append(CostSummary.of(target));
    }

    private void exit(TargetExit exit) {
        wrapped("  " + died(exit));
        exit.kernelMessage().ifPresent(message -> wrapped("  Kernel: " + printable(message)));
        if (!exit.lastLogLines().isEmpty()) {
            line("  Last log lines:");
            exit.lastLogLines().forEach(log -> line("    " + printable(log)));
        }
        if (!exit.lastMinute().isEmpty()) {
            lastMinute(exit.lastMinute());
        }
    }

    /** The last intervals before an OOM kill, a line each. */
    private void lastMinute(List<IntervalFigures> intervals) {
        long endNs = intervals.get(intervals.size() - 1).endNs();
        line("  Last " + counted(intervals.size(), "interval") + " before it, MiB:");
        Table table = new Table("    ");
        table.row(List.of("seconds", "req/s", "p99 ms", "in flight", "errors", "RSS", "heap", "old gen", "group"));
        for (IntervalFigures row : intervals) {
            double lengthSec = (row.endNs() - row.startNs()) / NS_PER_SEC;
            table.row(List.of(
                    Figures.format("%7.1f", (row.endNs() - endNs) / NS_PER_SEC),
                    Figures.format("%.0f", lengthSec == 0 ? 0 : row.completed() / lengthSec),
                    row.p99Ns().isPresent() ? Figures.format("%.2f", row.p99Ns().getAsLong() / 1e6) : Figures.ABSENT,
                    Long.toString(row.inFlight()),
                    Long.toString(row.errors()),
                    mebibytes(row, Cost.RSS),
                    mebibytes(row, Cost.HEAP_USED),
                    mebibytes(row, Cost.OLD_GEN_USED),
                    mebibytes(row, Cost.MEMORY)));
        }
        out.append(table);
    }

    private static String mebibytes(IntervalFigures row, Cost cost) {
        return row.costs().get(cost).isPresent()
                ? Figures.format("%.1f", row.costs().get(cost).getAsLong() / BYTES_PER_MIB)
                : Figures.ABSENT;
    }

    private static String died(TargetExit exit) {
        StringBuilder text = new StringBuilder("Died");
        exit.phase().ifPresent(phase -> text.append(" during ").append(printable(phase)));
        if (exit.exitCode().isPresent()) {
            text.append(": exit code ").append(exit.exitCode().getAsInt());
            exit.signalName()
                    .ifPresent(signal -> text.append(" (").append(signal).append(')'));
        }
        if (exit.oomKilled()) {
            text.append(", killed by the kernel for lack of memory (OOM)");
        }
        return text.toString();
    }

    /** Everything that qualifies the figures above, each thing once. */
    private void notes(ComparisonTable table) {
        Set<String> notes = new LinkedHashSet<>();
        result.notes().forEach(note -> notes.add(printable(note)));
        result.environments().stream()
                .map(Environment::warnings)
                .flatMap(List::stream)
                .forEach(warning -> notes.add(printable(warning)));
        streams(notes);
        ownLag(notes);
        for (TargetResult target : result.targets()) {
            String name = target.name() + ": ";
            target.exit().ifPresent(exit -> notes.add(name + died(exit)));
            outages(notes, target);
            target.counts().ifPresent(counts -> leftOver(notes, name, counts));
            unusual(notes, name, target);
            target.responseTime().ifPresent(times -> thinTail(notes, name, times));
            target.rewrites()
                    .forEach(
                            rewrite -> notes.add(
                                    name + printable(rewrite.rule()) + " changed "
                                            + counted(rewrite.requests(), "request")
                                            + (rewrite.answers() == 0
                                                    ? ""
                                                    : ", by values of " + counted(rewrite.answers(), "answer"))
                                            + (rewrite.asRecorded() == 0
                                                    ? ""
                                                    : "; " + counted(rewrite.asRecorded(), "request")
                                                            + " sent with the recorded value, since no answer had brought another yet")));
            target.notes().forEach(note -> notes.add(name + printable(note)));
        }
        refused(notes, table);
        if (!notes.isEmpty()) {
            line("");
            line("Notes:");
            notes.forEach(note -> wrapped("  " + note));
        }
    }

    /** Says whether every target was given the bytes of the capture. */
    private void streams(Set<String> notes) {
        if (result.plan().capture().requests() == 0) {
            // The digest is that of no bytes, and says nothing of the streams that were sent.
            return;
        }
        String expected = result.plan().capture().streamSha256();
        List<String> same = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (TargetResult target : result.targets()) {
            Optional<StreamDigest> digest = target.streamDigest();
            if (digest.isEmpty()) {
                continue;
            }
            String sha256 = digest.get().sha256();
            if (sha256 == null) {
                others.add(target.name() + ": request bytes not compared with the capture's, "
                        + printable(digest.get().absentReason()));
            } else if (sha256.equals(expected)) {
                same.add(target.name());
            } else {
                others.add(target.name() + ": request bytes DIFFER from the capture's, SHA-256 " + sha256
                        + " instead of " + expected);
            }
        }
        if (!same.isEmpty()) {
            notes.add(String.join(", ", same) + ": request bytes as in the capture, SHA-256 "
                    + expected.substring(0, DIGEST_DIGITS_SHOWN) + "...");
        }
        notes.addAll(others);
    }

    /** Says how late Lockstep itself was: the figure that decides whether the run is valid. */
    private void ownLag(Set<String> notes) {
        List<String> lags = new ArrayList<>();
        for (TargetResult target : result.targets()) {
            target.ownLag()
                    .filter(lag -> lag.count() > 0)
                    .ifPresent(
                            lag -> lags.add(target.name() + " " + Figures.threeDigits(lag.at(Level.P99) / NS_PER_US)));
        }
        if (!lags.isEmpty()) {
            notes.add("Own lag (what Lockstep itself sent late), p99 in us: " + String.join(", ", lags));
        }
    }

    private static void outages(Set<String> notes, TargetResult target) {
        List<Outage> outages = target.outages();
        int shown = outages.size() > MOST_OUTAGES ? MOST_OUTAGES - 1 : outages.size();
        for (Outage outage : outages.subList(0, shown)) {
            notes.add(Figures.format(
                    "%s was unreachable from %.1f s to %s: %,d request%s failed",
                    target.name(),
                    outage.fromNs() / NS_PER_SEC,
                    outage.toNs().isPresent()
                            ? Figures.format("%.1f s", outage.toNs().getAsLong() / NS_PER_SEC)
                            : "the end",
                    outage.failedRequests(),
                    outage.failedRequests() == 1 ? "" : "s"));
        }
        long more = outages.size() - shown + target.outagesLeftOut();
        if (more > 0) {
            notes.add(Figures.format(
                    "%s was unreachable %,d more times; run.json lists %s",
                    target.name(), more, target.outagesLeftOut() == 0 ? "all" : "the first " + outages.size()));
        }
    }

    /** What was sent in another way than request by request and byte for byte. */
    private static void unusual(Set<String> notes, String name, TargetResult target) {
        LoadCounts counts = target.counts().orElse(null);
        if (counts == null) {
            return;
        }
        if (target.isSemanticReplay()) {
            notes.add(name + counted(counts.semanticRequests, "request")
                    + " of ThriftMux replayed by their meaning, with a live handshake, not byte for byte"
                    + (counts.tagsChanged > 0 ? "; " + counts.tagsChanged + " with another tag than recorded" : ""));
        }
        if (counts.opaqueBursts > 0) {
            StringBuilder text = new StringBuilder(name)
                    .append(counted(counts.opaqueBursts, "burst"))
                    .append(" of bytes that belong to no request");
            target.opaqueFirstByte()
                    .ifPresent(times -> text.append(", first byte back ").append(median(times)));
            target.opaqueLastByte()
                    .ifPresent(times -> text.append(", last byte ").append(median(times)));
            if (counts.opaqueBurstsUnanswered > 0) {
                text.append(", ").append(counts.opaqueBurstsUnanswered).append(" without a byte back");
            }
            notes.add(text.toString());
        }
    }

    private static String median(Percentiles times) {
        return times.count() == 0
                ? "-"
                : "p50 " + Figures.threeDigits(times.at(Level.P50) / 1e6) + " ms, p99 "
                        + Figures.threeDigits(times.at(Level.P99) / 1e6) + " ms";
    }

    private static void leftOver(Set<String> notes, String name, LoadCounts counts) {
        if (counts.unanswered > 0) {
            notes.add(name + counted(counts.unanswered, "request") + " still unanswered at the end");
        }
        if (counts.unsent > 0) {
            notes.add(name + counted(counts.unsent, "request") + " due but not sent by the end");
        }
        if (counts.strayAnswers > 0) {
            notes.add(name + "bytes came " + (counts.strayAnswers == 1 ? "once" : counts.strayAnswers + " times")
                    + " on connections that awaited no answer; these were closed");
        }
        if (counts.oneway > 0) {
            notes.add(name + counted(counts.oneway, "request")
                    + " get no answer (oneway): complete when written, without times");
        }
        if (!counts.thriftExceptions().isEmpty()) {
            notes.add(name + "TApplicationExceptions by type: "
                    + counts.thriftExceptions().entrySet().stream()
                            .map(type -> THRIFT_EXCEPTIONS.get(type.getKey()) + " " + type.getValue())
                            .collect(Collectors.joining(", ")));
        }
        if (counts.opaqueBytesSent > 0) {
            notes.add(name + Figures.format("%,d bytes", counts.opaqueBytesSent)
                    + " sent outside of the capture's requests (HTTP/2, WebSockets, unknown protocols)");
        }
        if (counts.opaqueBytesUnsent > 0) {
            notes.add(name + Figures.format("%,d bytes", counts.opaqueBytesUnsent)
                    + " outside of the capture's requests could not be sent, mostly because their connections broke");
        }
        if (counts.deferred > 0) {
            notes.add(name + counted(counts.deferred, "request")
                    + " sent late because their connections were busy or not open yet; the wait is in the response"
                    + " time");
        }
    }

    private static void thinTail(Set<String> notes, String name, Percentiles times) {
        if (times.count() > 0 && !times.supports(HEY_HIGHEST)) {
            notes.add(name + counted(times.count(), "answer") + ", too few for a dependable 99% line (needs "
                    + HEY_HIGHEST.neededValues() + ")");
        }
    }

    private static void refused(Set<String> notes, ComparisonTable table) {
        List<Level> refused = table.refused();
        if (!refused.isEmpty()) {
            notes.add("A percentile stands as \"-\" where fewer than ten answers lie above it: "
                    + refused.stream()
                            .map(level -> level.label() + " needs " + level.neededValues() + " answers")
                            .collect(Collectors.joining(", ")));
        }
    }

    private static String counted(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }
}
