package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.analysis.Starvation;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Outage;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.measurement.RewriteCount;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Everything that qualifies the figures of a run, each thing once. */
final class RunNotes {
    private static final int DIGEST_DIGITS_SHOWN = 12;
    /** Of each target; the rest is in run.json. */
    private static final int MOST_OUTAGES = 5;

    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SEC = 1e9;
    /** Of all that were sent. */
    private static final double MUCH_DEFERRED = 0.1;

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

    RunNotes(RunResult result) {
        this.result = result;
    }

    /** @param table whose missing percentiles are explained */
    List<String> all(ComparisonTable table) {
        Set<String> notes = new LinkedHashSet<>();
        result.notes().forEach(note -> notes.add(printable(note)));
        result.environment().warnings().forEach(warning -> notes.add(printable(warning)));
        streams(notes);
        ownLag(notes);
        result.targets().forEach(target -> {
            trouble(notes, target);
            particulars(notes, target);
        });
        result.targets().forEach(target -> kindOfGraal(notes, target));
        withoutAnswer(notes);
        refused(notes, table);
        return new ArrayList<>(notes);
    }

    /**
     * Returns those that tell of something odd, what changes the figures most first, without those of every run: who
     * was out of reach, what the targets and the run showed, the machine, and what was done as asked.
     */
    List<String> odd() {
        Set<String> notes = new LinkedHashSet<>();
        result.targets().forEach(target -> trouble(notes, target));
        withoutAnswer(notes);
        // What the measurement showed is noted last and matters most.
        List<String> ofRun = new ArrayList<>(result.notes());
        Collections.reverse(ofRun);
        ofRun.forEach(note -> notes.add(printable(note)));
        result.environment().warnings().forEach(warning -> notes.add(printable(warning)));
        result.targets().forEach(target -> particulars(notes, target));
        return new ArrayList<>(notes);
    }

    /** Who was out of reach, or said what makes its figures doubtful. */
    private void trouble(Set<String> notes, TargetResult target) {
        String name = target.name() + ": ";
        outages(notes, target);
        if (isMuchDeferred(target)) {
            notes.add(name + deferred(target) + ", not in the service time"
                    + target.serviceTime().map(times -> ": " + median(times)).orElse(""));
        }
        Starvation.byAccident(result, target)
                .ifPresent(starved -> notes.add(name + starved + ", which makes intervals wider"));
        target.notes().forEach(note -> notes.add(name + printable(note)));
    }

    private static void particulars(Set<String> notes, TargetResult target) {
        String name = target.name() + ": ";
        target.counts().ifPresent(counts -> {
            leftOver(notes, name, counts);
            if (counts.deferred > 0 && !isMuchDeferred(target)) {
                notes.add(name + deferred(target));
            }
        });
        unusual(notes, name, target);
        target.responseTime().ifPresent(times -> thinTail(notes, name, times));
        target.rewrites().forEach(rewrite -> notes.add(name + changed(rewrite)));
    }

    /** By the names of the compiler's threads, which the kernel cuts; a native Graal's begin with JVMCI-native. */
    private static void kindOfGraal(Set<String> notes, TargetResult target) {
        if (target.jitProof()
                .filter(proof -> proof.contains("'JVMCI CompilerT"))
                .isPresent()) {
            notes.add(target.name() + ": this Graal is Java code on the target's own heap (jargraal): its start-up,"
                    + " warm-up and memory are not those of a GraalVM, whose Graal is native (libgraal)");
        }
    }

    private static String changed(RewriteCount rewrite) {
        StringBuilder text = new StringBuilder(printable(rewrite.rule()))
                .append(" changed ")
                .append(Quantities.count(rewrite.requests(), "request"));
        if (rewrite.answers() > 0) {
            text.append(", by values of ").append(Quantities.count(rewrite.answers(), "answer"));
        }
        if (rewrite.asRecorded() > 0) {
            text.append("; ")
                    .append(Quantities.count(rewrite.asRecorded(), "request"))
                    .append(" sent with the recorded value, since no answer had brought another yet");
        }
        return text.toString();
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
                    "%s was unreachable from %.1f s %s: %,d request%s failed",
                    target.name(),
                    outage.fromNs() / NS_PER_SEC,
                    outage.toNs().isPresent()
                            ? Figures.format(
                                    "to %.1f s of the measured phase",
                                    outage.toNs().getAsLong() / NS_PER_SEC)
                            : "of the measured phase to its end",
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
            notes.add(name + Quantities.count(counts.semanticRequests, "request")
                    + " of ThriftMux replayed by their meaning, with a live handshake, not byte for byte"
                    + (counts.tagsChanged > 0 ? "; " + counts.tagsChanged + " with another tag than recorded" : ""));
        }
        if (counts.deadlinesMoved > 0) {
            notes.add(name + Quantities.count(counts.deadlinesMoved, "request")
                    + " carried a deadline: moved to the replay's clock (--deadlines)");
        }
        if (counts.opaqueBursts > 0) {
            StringBuilder text = new StringBuilder(name)
                    .append(Quantities.count(counts.opaqueBursts, "burst"))
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
                ? Figures.ABSENT
                : "p50 " + milliseconds(times, Level.P50) + ", p99 " + milliseconds(times, Level.P99);
    }

    private static String milliseconds(Percentiles times, Level level) {
        return (times.stands(level) ? "" : Figures.AT_LEAST) + Figures.threeDigits(times.at(level) / 1e6) + " ms";
    }

    private static void leftOver(Set<String> notes, String name, LoadCounts counts) {
        if (counts.strayAnswers > 0) {
            notes.add(name + "bytes came " + (counts.strayAnswers == 1 ? "once" : counts.strayAnswers + " times")
                    + " on connections that awaited no answer; these were closed");
        }
        if (counts.oneway > 0) {
            notes.add(name + Quantities.count(counts.oneway, "request")
                    + " get no answer (oneway): complete when written, without times");
        }
        if (!counts.thriftExceptions().isEmpty()) {
            notes.add(name + "TApplicationExceptions by type: "
                    + counts.thriftExceptions().entrySet().stream()
                            .map(type -> THRIFT_EXCEPTIONS.get(type.getKey()) + " " + type.getValue())
                            .collect(Collectors.joining(", ")));
        }
        if (counts.exceptionsAsRecorded > 0) {
            notes.add(name + Quantities.count(counts.exceptionsAsRecorded, "call")
                    + " answered with an exception as recorded: completed, not failed");
        }
        if (counts.opaqueBytesSent > 0) {
            notes.add(name + Figures.format("%,d bytes", counts.opaqueBytesSent)
                    + " sent outside of the capture's requests (HTTP/2, WebSockets, unknown protocols)");
        }
        if (counts.opaqueBytesUnsent > 0) {
            notes.add(name + Figures.format("%,d bytes", counts.opaqueBytesUnsent)
                    + " outside of the capture's requests could not be sent, mostly because their connections broke");
        }
    }

    /** Whether more than a tenth waited for the answers to others, so that response times say much of that wait. */
    private static boolean isMuchDeferred(TargetResult target) {
        return target.counts()
                .filter(counts -> counts.deferred > MUCH_DEFERRED * counts.sent)
                .isPresent();
    }

    private static String deferred(TargetResult target) {
        return Quantities.count(target.counts().orElseThrow().deferred, "request")
                + " sent late because their connections were busy or not open yet; the wait is in the response time";
    }

    private static void thinTail(Set<String> notes, String name, Percentiles times) {
        if (times.count() > 0 && !times.supports(HEY_HIGHEST)) {
            notes.add(name + Quantities.count(times.count() + times.withoutAnswer(), "request")
                    + ", too few for a dependable "
                    + (times.supports(Level.P50) ? "" : "p50 (needs " + Level.P50.neededValues() + ") or ")
                    + "99% line (needs " + HEY_HIGHEST.neededValues() + ")");
        }
    }

    /** Says what percentiles are where requests got no answer. */
    private void withoutAnswer(Set<String> notes) {
        List<String> targets = result.targets().stream()
                .filter(target -> target.responseTime()
                        .filter(times -> times.withoutAnswer() > 0)
                        .isPresent())
                .map(target -> target.name() + " "
                        + target.responseTime().orElseThrow().withoutAnswer() + " of "
                        + target.counts().orElseThrow().due())
                .collect(Collectors.toList());
        if (!targets.isEmpty()) {
            notes.add("Requests without an answer count as slower than all others, so that a percentile among them is "
                    + "\"at least\": " + String.join(", ", targets));
        }
    }

    private static void refused(Set<String> notes, ComparisonTable table) {
        List<Level> refused = table.refused();
        if (!refused.isEmpty()) {
            notes.add("A percentile stands as \"-\" where fewer than ten requests lie above it: "
                    + refused.stream()
                            .map(level -> level.label() + " needs " + level.neededValues() + " requests")
                            .collect(Collectors.joining(", ")));
        }
    }
}
