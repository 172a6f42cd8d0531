package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.analysis.ConfidenceInterval;
import dev.lockstep.analysis.Decision;
import dev.lockstep.analysis.Direction;
import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.analysis.Metric;
import dev.lockstep.analysis.Starvation;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.FleetCost;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What the run says of the targets against the baseline: a sentence for the primary metric of each, the money it is
 * worth, the other metrics as a table, the conditions.
 */
final class VerdictLines {
    /** From here on a ratio is easier to read than a share. */
    private static final double MANY_TIMES = 3;

    private static final String USUAL_LEVEL = "95 %";
    private static final String OTHERS = "other metrics";
    private static final String FLOOR = "noise floor";
    private static final String NOT_STEADY = "not steady";
    /** Of servers that run already. */
    private static final String UNJUDGED = "; nobody judged whether each of them is steady";

    private static final String TOO_NOISY = "too noisy to tell whether steady";

    private final RunResult result;
    private final List<String> lines = new ArrayList<>();

    VerdictLines(RunResult result) {
        this.result = result;
    }

    /** Returns the lines, with an empty one between its parts; none where nothing was compared. */
    List<String> all() {
        lines.clear();
        List<Verdict> primary = primary();
        if (!primary.isEmpty()) {
            wrapped(heading(primary, exactness(primary.get(0))));
            sentences(primary).forEach(sentence -> wrapped(sentence.text()));
            floor(primary);
            money().forEach(this::wrapped);
            if (result.plan().launches() > 1) {
                table(result.verdicts().stream()
                        .filter(verdict -> !verdict.primary())
                        .collect(Collectors.toList()));
            }
        }
        if (!result.assertions().isEmpty()) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.add("CONDITIONS");
            for (AssertionResult assertion : result.assertions()) {
                wrapped(printable(assertion.sentence()));
            }
        }
        return lines;
    }

    /**
     * Returns a heading and a sentence for each target, unwrapped; none where nothing was compared.
     *
     * @param beside whether to answer the same question at the other load, too
     */
    List<Findings.Sentence> answers(boolean beside) {
        List<Findings.Sentence> answers = new ArrayList<>();
        List<Verdict> primary = primary();
        if (!primary.isEmpty()) {
            answers.add(new Findings.Sentence(Paint.Tone.HEADING, heading(primary, "")));
            answers.addAll(sentences(primary));
            // Full or measured.
            String other = Metric.of(primary.get(0).metric())
                    .filter(metric -> beside)
                    .map(LaunchVerdicts::beside)
                    .map(Metric::key)
                    .orElse("");
            result.verdicts().stream()
                    .filter(verdict -> !verdict.primary()
                            && verdict.launches() > 0
                            && verdict.metric().equals(other)
                            && !isSaid(verdict, primary))
                    .forEach(verdict -> answers.add(new Findings.Sentence(
                            tone(verdict),
                            sentence(
                                    verdict,
                                    isUnsteadinessSaid(verdict, primary)
                                            ? unsteady(verdict).startsWith(TOO_NOISY)
                                                    ? TOO_NOISY + ", as above"
                                                    : NOT_STEADY + ", as above"
                                            : unsteady(verdict)))));
        }
        return answers;
    }

    /** Whether it says nothing for a reason that stands with the primary metric already. */
    private boolean isSaid(Verdict verdict, List<Verdict> primary) {
        return verdict.whyNot().isPresent()
                ? primary.stream()
                        .anyMatch(one -> one.target().equals(verdict.target())
                                && one.whyNot().equals(verdict.whyNot()))
                : !isLook() && isUnsteadinessSaid(verdict, primary);
    }

    private boolean isUnsteadinessSaid(Verdict verdict, List<Verdict> primary) {
        return isUnsteady(verdict)
                && primary.stream()
                        .anyMatch(one -> one.target().equals(verdict.target())
                                && isUnsteady(one)
                                && unsteady(one).equals(unsteady(verdict)));
    }

    private static boolean isUnsteady(Verdict verdict) {
        return verdict.finding() == Finding.NOT_STEADY && verdict.whyNot().isEmpty();
    }

    private List<Findings.Sentence> sentences(List<Verdict> primary) {
        return primary.stream().map(this::answer).collect(Collectors.toList());
    }

    /** Returns what a verdict on the primary metric says. */
    Findings.Sentence answer(Verdict primary) {
        return new Findings.Sentence(tone(primary), sentence(primary, unsteady(primary)) + steady(primary));
    }

    private List<Verdict> primary() {
        return result.verdicts().stream().filter(Verdict::primary).collect(Collectors.toList());
    }

    private boolean isLook() {
        return result.plan().launches() == 1;
    }

    private static Paint.Tone tone(Verdict verdict) {
        switch (verdict.finding()) {
            case WORSE:
                return Paint.Tone.BAD;
            case BETTER:
            case EQUIVALENT:
                return Paint.Tone.GOOD;
            default:
                return Paint.Tone.DOUBT;
        }
    }

    /**
     * Says that both were steady where that matters, or that nobody knows; of one that was not, the sentence tells.
     * What a JIT still does is unknown of JVMs whose threads have no names.
     */
    private String steady(Verdict verdict) {
        if (verdict.question() != Verdict.Question.STEADY || verdict.whyNot().isPresent() || verdict.launches() == 0) {
            return "";
        }
        if (isOfBlocks()) {
            return isLook() ? "" : UNJUDGED;
        }
        List<TargetResult> both = both(verdict);
        boolean steady = both.stream().allMatch(target -> target.warmup()
                .filter(warmup -> isSteady(verdict, warmup) && !compiles(verdict, target))
                .isPresent());
        if (!steady) {
            return "";
        }
        boolean known = both.stream()
                .allMatch(target -> target.warmup().get().jitShare().isPresent());
        return "; both steady" + (known ? "" : ", as far as can be told without the JIT's CPU");
    }

    private List<TargetResult> both(Verdict verdict) {
        return result.targets().stream()
                .filter(target -> Set.of(verdict.target(), verdict.baseline()).contains(target.name()))
                .collect(Collectors.toList());
    }

    // ---- the primary metric -------------------------------------------------------------------------------------

    /** By what the targets are compared; a verdict on none of them is not promised. */
    private String heading(List<Verdict> primary, String how) {
        String whose = isOfBlocks() && !isLook() ? ", on these processes, not on their builds" : "";
        boolean isNone = primary.stream()
                .allMatch(verdict -> verdict.launches() == 0 || whyNot(verdict).isPresent());
        return (isLook() ? "LOOK" : isNone ? "NO VERDICT" : "VERDICT") + " by " + metric(primary.get(0)) + how + whose
                + (isLook() ? ": one " + unit() + " decides nothing, --verdict does" : "");
    }

    /** How exactly the primary metric is known. */
    private String exactness(Verdict verdict) {
        String how = Metric.of(verdict.metric())
                .flatMap(metric -> metric.exactness(result))
                .map(exact -> ", " + exact)
                .orElse("");
        if (verdict.metric().equals(result.plan().primaryMetric())) {
            return how;
        }
        return how
                + (verdict.metric().equals(Metric.CPU_PER_REQUEST.key())
                        ? ", the JIT's included: it is not known apart"
                        : ": not all targets have a figure of full load");
    }

    /** @param unsteady who was not steady */
    private String sentence(Verdict verdict, String unsteady) {
        StringBuilder text = new StringBuilder(verdict.target());
        if (isSame(verdict)) {
            text.append(" (the same as ").append(verdict.baseline()).append(", so this is noise)");
        }
        Optional<String> whyNot = whyNot(verdict);
        if (whyNot.isPresent()) {
            return text + ": no verdict on " + metric(verdict) + " against " + verdict.baseline()
                    + (verdict.inTurns() ? " in turns" : "")
                    + (verdict.launches() == 0 || isNone(verdict) ? "" : " (" + figures(verdict) + ")") + ": "
                    + whyNot.get();
        }
        if (verdict.launches() == 0) {
            return text + ": no " + unit() + " gave the " + metric(verdict) + " of both it and " + verdict.baseline()
                    + ", measured to the end" + deaths(verdict);
        }
        if (verdict.ratio().isEmpty() && isDecided(verdict)) {
            // The baseline had none: no number says how many times as much it is.
            text.append(" exceeds ").append(verdict.baseline()).append(" in ").append(metric(verdict));
        } else if (isDecided(verdict)
                || verdict.launches() == 1 && verdict.ratio().isPresent()
                || verdict.finding() == Finding.EQUIVALENT && leavesOutOne(verdict.interval())) {
            double ratio = verdict.ratio().orElse(1);
            Difference difference = new Difference(verdict.metric());
            text.append(difference.verb())
                    .append(
                            ratio < MANY_TIMES
                                    ? difference.than(ratio, verdict.baseline())
                                    : Figures.threeDigits(ratio) + " times the " + metric(verdict) + " of "
                                            + verdict.baseline());
        } else if (isWithinMeasuredFloor(verdict)) {
            text.append(" differs from ")
                    .append(verdict.baseline())
                    .append(" in ")
                    .append(metric(verdict))
                    .append(" by no more than ")
                    .append(result.plan().sameAsBaseline().orElseThrow())
                    .append(" does");
        } else if (leavesOutOne(verdict.interval())) {
            text.append(" differs from ")
                    .append(verdict.baseline())
                    .append(" in ")
                    .append(metric(verdict))
                    .append(
                            isBeyondMargin(verdict.interval())
                                    ? speaksForOneThatDied(verdict)
                                            ? ", but what died in a " + unit() + " is not called better"
                                            : ", but its " + unit() + (isOfBlocks() ? "s" : "es")
                                                    + " do not agree enough yet"
                                    : ", but not by more than can be told apart from the margin of " + margin()
                                            + " yet");
        } else if (verdict.finding() != Finding.EQUIVALENT) {
            text.append(": cannot tell").append(range(verdict));
        } else {
            text.append(": no difference in ")
                    .append(metric(verdict))
                    .append(" to ")
                    .append(verdict.baseline())
                    .append(" was found");
        }
        if (verdict.inTurns()) {
            text.append(" in turns");
        }
        text.append(" (").append(figures(verdict)).append(')');
        return isLook() ? look(verdict, text.toString(), unsteady) : text + ": " + found(verdict);
    }

    /** Returns what a look saw, and who was not steady or starved; that first where what it saw rests on nothing. */
    private String look(Verdict verdict, String seen, String unsteady) {
        List<TargetResult> both = both(verdict);
        String starved = both.stream()
                .filter(target -> verdict.question() == Verdict.Question.STEADY
                        && Starvation.of(result, target).isPresent())
                .map(TargetResult::name)
                .collect(Collectors.joining(", "));
        boolean isNotSteady = verdict.finding() == Finding.NOT_STEADY;
        boolean isNoneSteady = isNotSteady && both.stream().allMatch(target -> isUnsteady(verdict, target));
        if (isNoneSteady || !starved.isEmpty()) {
            return "No answer yet: "
                    + (isNotSteady ? unsteady + "; " : "")
                    + (starved.isEmpty() ? "" : starved + " " + Headlines.STARVED + "; ")
                    + seen;
        }
        return seen + (isNotSteady ? "; " + unsteady : "");
    }

    private static boolean isUnsteady(Verdict verdict, TargetResult target) {
        return compiles(verdict, target)
                || target.warmup().filter(warmup -> !isSteady(verdict, warmup)).isPresent();
    }

    /**
     * Returns why nothing is said, whatever the launches show; absent of what is a matter of their number. A look
     * claims nothing, so that it says who was not steady behind what it saw.
     */
    private Optional<String> whyNot(Verdict verdict) {
        if (verdict.whyNot().isPresent()) {
            return verdict.whyNot().map(Figures::printable);
        }
        if (isAtLeast(verdict)) {
            return Optional.of("requests without an answer reach it, so that it has no value");
        }
        if (isNone(verdict)) {
            return Optional.of("neither had any in " + launches(verdict.launches()));
        }
        return verdict.finding() == Finding.NOT_STEADY && !isLook() && verdict.launches() > 0
                ? Optional.of(unsteady(verdict))
                : Optional.empty();
    }

    private static boolean isNone(Verdict verdict) {
        return verdict.count().orElse(-1) == 0 && verdict.baselineCount().orElse(-1) == 0;
    }

    /** Returns who was not steady, of whom nobody can tell, and what their JITs did. */
    private String unsteady(Verdict verdict) {
        List<String> not = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (TargetResult target : both(verdict)) {
            target.warmup()
                    .filter(warmup -> !isSteady(verdict, warmup))
                    .ifPresent(warmup -> (warmup.state() == Warmup.State.UNDECIDABLE ? unknown : not)
                            .add(target.name() + unsteady(warmup)));
            if (compiles(verdict, target)) {
                not.add(String.format(
                        Locale.ROOT,
                        "%s (its JIT took up to %.0f %% of its CPU at full load)",
                        target.name(),
                        100 * target.fullLoad().orElseThrow().jitShare().orElse(0)));
            }
        }
        List<String> parts = new ArrayList<>();
        if (!not.isEmpty()) {
            parts.add(NOT_STEADY + ": " + String.join(", ", not));
        }
        if (!unknown.isEmpty()) {
            parts.add(TOO_NOISY + ": " + String.join(", ", unknown));
        }
        if (not.isEmpty() && isBeyondUnseen(verdict)) {
            parts.add("yet they differ by more than could have changed unseen");
        }
        return String.join("; ", parts);
    }

    /** Whether the difference is larger than all that both may have changed by without anybody seeing it. */
    private boolean isBeyondUnseen(Verdict verdict) {
        if (verdict.interval() == null
                || !Metric.of(verdict.metric()).filter(Metric::isWatched).isPresent()) {
            return false;
        }
        double unseen = 1 + result.plan().margin();
        for (TargetResult target : both(verdict)) {
            Optional<Warmup> warmup = target.warmup();
            if (warmup.filter(found -> found.jitShare().orElse(1) > FullLoad.LOW_JIT_SHARE)
                    .isPresent()) {
                return false;
            }
            unseen *= warmup.filter(found -> !isSteady(verdict, found))
                    .map(unsure -> 1 + unsure.visibleStep().orElse(Double.POSITIVE_INFINITY))
                    .orElse(1.0);
        }
        return verdict.interval().low() > unseen || verdict.interval().high() < 1 / unseen;
    }

    private static boolean compiles(Verdict verdict, TargetResult target) {
        return verdict.metric().equals(Metric.FULL_LOAD_CPU_PER_REQUEST.key()) && Metric.compilesAtFullLoad(target);
    }

    private static boolean isSteady(Verdict verdict, Warmup warmup) {
        return Metric.of(verdict.metric())
                .map(metric -> metric.isSteady(warmup))
                .orElseGet(warmup::isSteady);
    }

    private static String unsteady(Warmup warmup) {
        List<String> found = new ArrayList<>();
        if (warmup.state() == Warmup.State.UNDECIDABLE) {
            warmup.visibleStep()
                    .ifPresent(step -> found.add(Figures.format("a change of %.0f %% would show", 100 * step)));
        } else {
            boolean compiles = warmup.isSteady() || warmup.jitShare().orElse(0) > FullLoad.LOW_JIT_SHARE;
            found.add(compiles ? "still compiles" : "changed meanwhile");
        }
        warmup.jitShare().ifPresent(share -> found.add(Figures.format("JIT %.0f %% of its CPU", 100 * share)));
        return found.isEmpty() ? "" : " (" + String.join(", ", found) + ")";
    }

    /** Whether a launch that either target survived has the metric as "at least" only. */
    boolean isAtLeast(Verdict verdict) {
        return verdict.launches() == 0
                && result.targets().stream()
                        .filter(target -> target.name().equals(verdict.target())
                                || target.name().equals(verdict.baseline()))
                        .flatMap(target -> target.launches().stream())
                        .anyMatch(launch -> launch.exit().isEmpty()
                                && Metric.of(verdict.metric())
                                        .filter(metric -> metric.isAtLeast(launch))
                                        .isPresent());
    }

    private static boolean isDecided(Verdict verdict) {
        return verdict.finding() == Finding.BETTER || verdict.finding() == Finding.WORSE;
    }

    private static boolean leavesOutOne(Verdict.Interval interval) {
        return interval != null && (interval.low() > 1 || interval.high() < 1);
    }

    private boolean isBeyondMargin(Verdict.Interval interval) {
        double margin = 1 + result.plan().margin();
        return interval.low() > margin || interval.high() < 1 / margin;
    }

    /** Says whether the difference is one that the second instance of the baseline shows as well. */
    private boolean isWithinMeasuredFloor(Verdict verdict) {
        Verdict.Interval floor = verdict.noiseFloor();
        return result.plan().sameAsBaseline().isPresent()
                && !isSame(verdict)
                && verdict.finding() == Finding.INCONCLUSIVE
                && leavesOutOne(verdict.interval())
                && floor != null
                && verdict.ratio().isPresent()
                && floor.reaches(verdict.ratio().getAsDouble());
    }

    /** Says whether it would call better what died in a launch. */
    private static boolean speaksForOneThatDied(Verdict verdict) {
        boolean lessIsBetter = Metric.of(verdict.metric())
                .map(metric -> metric.direction() == Direction.LOWER_IS_BETTER)
                .orElse(true);
        boolean forTarget = verdict.ratio().orElse(Double.POSITIVE_INFINITY) < 1 == lessIsBetter;
        return forTarget ? verdict.died() > 0 : verdict.baselineDied() > 0;
    }

    /** Returns between which values an interval leaves everything open. */
    private static String range(Verdict verdict) {
        Verdict.Interval interval = verdict.interval();
        if (interval == null || Figures.isTooWide(interval)) {
            return " it from " + verdict.baseline() + " in " + metric(verdict);
        }
        return interval.high() < 2
                ? ", " + new Difference(verdict.metric()).between(interval.low(), interval.high(), verdict.baseline())
                : Figures.format(
                        ", between %s and %s times the %s of %s",
                        interval.low() > 0 ? Figures.threeDigits(interval.low()) : "none",
                        Figures.threeDigits(interval.high()),
                        metric(verdict),
                        verdict.baseline());
    }

    private String figures(Verdict verdict) {
        StringBuilder text = new StringBuilder(ratio(verdict));
        if (verdict.interval() != null) {
            text.append(", ")
                    .append(level(verdict.level(), USUAL_LEVEL))
                    .append(" interval ")
                    .append(interval(verdict.interval()));
        } else if (verdict.launches() > 1) {
            // One that goes to infinity is in no file.
            text.append(", interval too wide");
        }
        text.append(", ");
        return text.append(
                        isOfAll(verdict)
                                ? launches(verdict.launches())
                                : verdict.launches() + " of "
                                        + launches(verdict.ofLaunches().getAsInt()))
                .append(deaths(verdict))
                .toString();
    }

    private static boolean isOfAll(Verdict verdict) {
        return verdict.ofLaunches().orElse(0) <= verdict.launches();
    }

    /** Returns who died in how many launches: what they did there is in no pair. */
    private static String deaths(Verdict verdict) {
        return died(verdict.target(), verdict.died()) + died(verdict.baseline(), verdict.baselineDied());
    }

    private static String died(String name, int launches) {
        return launches == 0 ? "" : "; " + name + " died in " + launches;
    }

    /** Returns target over baseline, or how many events each had; where the baseline had nothing, that. */
    private static String ratio(Verdict verdict) {
        boolean counted = verdict.count().isPresent() && verdict.baselineCount().isPresent();
        return counted
                ? verdict.count().getAsLong() + " : " + verdict.baselineCount().getAsLong()
                : verdict.ratio().isPresent() ? Figures.ratio(verdict.ratio().getAsDouble()) : "from 0";
    }

    /** Returns the level of the interval, for example {@code 99.7 %}; empty in a file of a version that did not say. */
    private static String level(Verdict verdict) {
        return level(verdict.level(), "");
    }

    private static String level(OptionalDouble level, String unknown) {
        return level.isEmpty()
                ? unknown
                : Figures.format("%.1f", 100 * ConfidenceInterval.shown(level.getAsDouble()))
                                .replace(".0", "")
                        + " %";
    }

    private String found(Verdict verdict) {
        switch (verdict.finding()) {
            case EQUIVALENT:
                return "equivalent within " + margin() + hint(verdict);
            case INCONCLUSIVE:
                return "inconclusive" + more(verdict);
            default:
                return verdict.finding().key() + hint(verdict);
        }
    }

    private String hint(Verdict verdict) {
        return verdict.indicative() ? " (indicative: a verdict rests on " + launches(Decision.FULL_PAIRS) + ")" : "";
    }

    private String more(Verdict verdict) {
        if (isLook() || verdict.moreLaunches().isEmpty()) {
            return "";
        }
        int more = verdict.moreLaunches().getAsInt();
        return (more >= Decision.MOST_MORE_PAIRS ? ": more than " : ": about ")
                + launches(more).replaceFirst(" ", " more ") + " would tell";
    }

    private String margin() {
        return RunSentences.percent(result.plan().margin());
    }

    /** The primary metric's noise floor, which is the same for all targets but for the number of their pairs. */
    private void floor(List<Verdict> primary) {
        primary.stream()
                .filter(verdict -> verdict.noiseFloor() != null && !isSame(verdict))
                .findFirst()
                .ifPresent(verdict -> wrapped("Noise floor: " + interval(verdict.noiseFloor()) + ", "
                        + (result.plan().sameAsBaseline().isPresent()
                                ? "from " + result.plan().sameAsBaseline().get()
                                : isOfBlocks()
                                        ? "from the blocks of " + verdict.baseline()
                                                + ", at most"
                                                + (isOfLoad(verdict)
                                                        ? "; the same address under two names measures it"
                                                        : "")
                                        : "from the launches of " + verdict.baseline()
                                                + ", at most; --aa measures it")));
    }

    /** Metrics of a server that runs already are refused under a second name. */
    private static boolean isOfLoad(Verdict verdict) {
        return Metric.of(verdict.metric()).filter(Metric::isOfLoad).isPresent();
    }

    private boolean isSame(Verdict verdict) {
        return result.plan().isSameAsBaseline(verdict.target());
    }

    private static String metric(Verdict verdict) {
        return Metric.of(verdict.metric()).map(Metric::label).orElse(verdict.metric());
    }

    private static String question(Verdict verdict) {
        return verdict.question() == Verdict.Question.STEADY
                ? ""
                : " (" + verdict.question().key() + ")";
    }

    private static String interval(Verdict.Interval interval) {
        return Double.isInfinite(interval.high())
                ? Figures.ratio(interval.low()) + " or more"
                : Figures.interval(interval);
    }

    private String launches(int launches) {
        return result.plan().units(launches);
    }

    private String unit() {
        return result.plan().unit();
    }

    private boolean isOfBlocks() {
        return result.plan().runsInBlocks();
    }

    // ---- money --------------------------------------------------------------------------------------------------

    /** Returns what the fleet costs and each target saves, unwrapped; nothing without a fleet. */
    List<String> money() {
        return result.fleetCost().map(this::money).orElse(List.of());
    }

    private List<String> money(FleetCost cost) {
        List<String> sums = new ArrayList<>();
        sums.add(Figures.format("The fleet costs %,.0f USD a year.", cost.usdPerYear()));
        cost.savings().forEach(saving -> sums.add(money(saving, cost.metric(), cost.usdPerYear())));
        if (cost.savings().isEmpty()) {
            List<Verdict> verdicts = result.verdicts().stream()
                    .filter(one -> one.metric().equals(cost.metric()))
                    .collect(Collectors.toList());
            boolean steady = verdicts.stream().noneMatch(one -> one.finding() == Finding.NOT_STEADY);
            boolean spoiled = verdicts.stream().anyMatch(one -> one.whyNot().isPresent());
            if (!result.verdicts().isEmpty()) {
                sums.add("What a target saves is not known, because "
                        + (spoiled
                                ? "there is no verdict on its CPU"
                                : steady ? "its CPU is not" : "the targets were not steady"));
            }
        }
        return sums;
    }

    /**
     * A sum whose interval holds 0 may be a loss as well, and what no verdict bears out may be none: neither is a
     * saving.
     */
    private String money(FleetCost.Saving saving, String metric, double fleet) {
        double sum = saving.usdPerYear();
        Verdict.Interval interval = saving.interval().orElse(null);
        Verdict verdict = result.verdicts().stream()
                .filter(one -> one.metric().equals(metric) && one.target().equals(saving.target()))
                .findFirst()
                .orElse(null);
        String level = verdict == null ? USUAL_LEVEL : level(verdict.interval95Level(), USUAL_LEVEL);
        if (interval != null && interval.low() <= 0 && interval.high() >= 0) {
            return saving.target()
                    + Figures.format(
                            ": cannot tell what it saves, between %s more and %,.0f USD a year less (%s interval)",
                            -interval.low() > fleet
                                    ? Figures.format("%,.1f times what the fleet costs", -interval.low() / fleet)
                                    : Figures.format("%,.0f USD a year", -interval.low()),
                            interval.high(),
                            level);
        }
        String range = interval == null
                ? verdict != null && verdict.launches() > 1
                        ? " (interval too wide)"
                        : " (no interval: one " + unit() + ")"
                : Figures.format(
                        " (%s interval %,.0f to %,.0f)",
                        level,
                        sum < 0 ? -interval.high() : interval.low(),
                        sum < 0 ? -interval.low() : interval.high());
        boolean shown = verdict != null && isDecided(verdict);
        boolean within = verdict != null && verdict.finding() == Finding.EQUIVALENT;
        return saving.target()
                + (shown ? sum < 0 ? " costs " : " saves " : sum < 0 ? " would cost " : " would save ")
                + Figures.format("%,.0f USD a year", Math.abs(sum))
                + (sum < 0 ? " more" : "")
                + range
                + (shown
                        ? ""
                        : within
                                ? ", by a difference within the margin"
                                : " if the difference is real, which is not shown")
                + (isOfBlocks() && !isLook() ? UNJUDGED : "");
    }

    // ---- the other metrics --------------------------------------------------------------------------------------

    private void table(List<Verdict> others) {
        if (others.isEmpty()) {
            return;
        }
        boolean several = others.stream().map(Verdict::target).distinct().count() > 1;
        // An upper bound holds nothing back, and stands beside the primary metric.
        boolean floors = result.plan().sameAsBaseline().isPresent();
        // A row without an interval has no level.
        Set<String> levels = others.stream()
                .filter(verdict -> verdict.interval() != null)
                .map(VerdictLines::level)
                .collect(Collectors.toCollection(TreeSet::new));
        boolean oneLevel = levels.size() < 2;
        List<List<String>> rows = new ArrayList<>();
        rows.add(row(
                OTHERS,
                "ratio",
                levels.size() == 1 ? (levels.iterator().next() + " interval").strip() : "interval",
                floors ? FLOOR : null,
                "finding"));
        String target = null;
        for (Verdict verdict : others) {
            if (several && !verdict.target().equals(target)) {
                target = verdict.target();
                rows.add(List.of(target + (isSame(verdict) ? " (noise)" : "")));
            }
            rows.add(row(
                    (several ? " " : "")
                            + metric(verdict)
                            + question(verdict)
                            + (verdict.inTurns() ? " (in turns)" : ""),
                    ratio(verdict),
                    verdict.interval() == null ? Figures.ABSENT : interval(verdict.interval()),
                    floors ? verdict.noiseFloor() == null ? Figures.ABSENT : interval(verdict.noiseFloor()) : null,
                    (verdict.whyNot().isPresent()
                                    ? "no verdict"
                                    : verdict.finding().key())
                            + (isHint(verdict) ? " *" : "")
                            + (isOfAll(verdict)
                                    ? ""
                                    : " (" + verdict.launches() + " of "
                                            + verdict.ofLaunches().getAsInt() + ")")));
        }
        lines.add("");
        List<String> table = aligned(rows);
        if (floors && table.stream().anyMatch(line -> line.length() > Lines.WIDTH)) {
            // A column that does not fit goes on in a further part below, as in other tables.
            int floor = rows.get(0).indexOf(FLOOR);
            table = aligned(columns(rows, 0, 1, 2, floor + 1));
            table.add("");
            table.addAll(aligned(columns(rows, 0, floor)));
        }
        table.forEach(this::wrapped);
        wrapped("Margin: " + margin()
                + (others.stream().anyMatch(VerdictLines::isHint)
                        ? "; * indicative: a verdict rests on " + launches(Decision.FULL_PAIRS)
                        : "")
                + (oneLevel ? "" : "; intervals: " + levels(others)));
        others.stream()
                .map(Verdict::whyNot)
                .flatMap(Optional::stream)
                .distinct()
                .forEach(why -> wrapped("No verdict: " + printable(why)));
    }

    /** Returns these columns of rows; a row of one cell stays as it is. */
    private static List<List<String>> columns(List<List<String>> rows, int... columns) {
        List<List<String>> parts = new ArrayList<>();
        for (List<String> row : rows) {
            parts.add(
                    row.size() == 1
                            ? row
                            : Arrays.stream(columns).mapToObj(row::get).collect(Collectors.toList()));
        }
        return parts;
    }

    /** Returns rows as lines, each column to the left; a cell that stands alone goes over all columns. */
    private static List<String> aligned(List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length && row.size() > 1; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                line.append(row.get(i))
                        .append(" ".repeat(Math.max(0, widths[i] - row.get(i).length()) + 2));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    /** Returns the levels of intervals that differ, by question, and by target where they differ by that too. */
    private static String levels(List<Verdict> others) {
        Map<Verdict.Question, Map<String, List<String>>> byQuestion = new EnumMap<>(Verdict.Question.class);
        for (Verdict verdict : others) {
            if (verdict.level().isPresent()) {
                List<String> targets = byQuestion
                        .computeIfAbsent(verdict.question(), question -> new LinkedHashMap<>())
                        .computeIfAbsent(level(verdict), level -> new ArrayList<>());
                if (!targets.contains(verdict.target())) {
                    targets.add(verdict.target());
                }
            }
        }
        return byQuestion.entrySet().stream()
                .map(entry -> entry.getKey().key() + " "
                        + entry.getValue().entrySet().stream()
                                .map(level -> level.getKey()
                                        + (entry.getValue().size() == 1
                                                ? ""
                                                : " (" + String.join(", ", level.getValue()) + ")"))
                                .collect(Collectors.joining(", ")))
                .collect(Collectors.joining("; "));
    }

    private static boolean isHint(Verdict verdict) {
        return verdict.indicative()
                && verdict.finding() != Finding.INCONCLUSIVE
                && verdict.finding() != Finding.NOT_STEADY;
    }

    /** @param floor null where there is no such column */
    private static List<String> row(String metric, String ratio, String interval, String floor, String finding) {
        return floor == null
                ? List.of(metric, ratio, interval, finding)
                : List.of(metric, ratio, interval, floor, finding);
    }

    private void wrapped(String text) {
        lines.addAll(Lines.wrapped(text));
    }
}
