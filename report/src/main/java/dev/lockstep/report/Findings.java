package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.Quantities;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.Environment;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a run comes to, in the sentences and cells of the text report, for whoever lays them out otherwise, such as a
 * page. Nothing is wrapped; foreign text is made printable, and not escaped for any markup. Immutable.
 */
public final class Findings {
    /** A sentence, and what it comes to. */
    public static final class Sentence {
        private final Paint.Tone tone;
        private final String text;

        Sentence(Paint.Tone tone, String text) {
            this.tone = tone;
            this.text = text;
        }

        /** Returns what it comes to, or {@link Paint.Tone#HEADING} for nothing in itself. */
        public Paint.Tone tone() {
            return tone;
        }

        public String text() {
            return text;
        }
    }

    private final RunResult result;

    private Findings(RunResult result) {
        this.result = result;
    }

    public static Findings of(RunResult result) {
        return new Findings(result);
    }

    /** Returns whether the run is valid, who died or was starved, and who answered no request well, in one line. */
    public Sentence outcome() {
        String outcome = new Headlines(result).outcome();
        return new Sentence(outcome.equals(RunStatus.VALID.name()) ? Paint.Tone.GOOD : Paint.Tone.BAD, outcome);
    }

    /**
     * Returns who died, why the run is invalid, and where it was ended early, a line each; none for a whole and valid
     * one that all targets survived.
     */
    public List<String> status() {
        Headlines headlines = new Headlines(result);
        List<String> lines = new ArrayList<>(headlines.deaths());
        lines.addAll(headlines.status());
        return lines;
    }

    /**
     * Returns the answer: by which metric, a sentence for each target against the baseline, what its CPU is worth, and
     * the conditions.
     */
    public List<Sentence> answers() {
        VerdictLines verdicts = new VerdictLines(result);
        List<Sentence> answers = verdicts.answers(true);
        FirstScreen screen = new FirstScreen(result, Paint.NONE);
        if (answers.isEmpty()) {
            answers.add(new Sentence(Paint.Tone.HEADING, screen.withoutVerdict()));
        }
        screen.warmUp().ifPresent(text -> answers.add(new Sentence(Paint.Tone.HEADING, text)));
        verdicts.money().forEach(text -> answers.add(new Sentence(Paint.Tone.HEADING, text)));
        for (AssertionResult one : result.assertions()) {
            answers.add(new Sentence(one.holds() ? Paint.Tone.GOOD : Paint.Tone.BAD, printable(one.sentence())));
        }
        return answers;
    }

    /** Returns what was odd, what matters most first. */
    public List<String> odd() {
        List<String> odd = new ArrayList<>(new Headlines(result).loud());
        odd.addAll(new RunNotes(result).odd());
        return odd.stream().distinct().collect(Collectors.toList());
    }

    /**
     * Returns what a soak run says of leaks and drifts, a line for each quantity after one of their unit; may be empty.
     */
    public List<String> trends() {
        return new TrendLines(result).all().stream().map(String::strip).collect(Collectors.toList());
    }

    /** Returns everything that qualifies the figures. */
    public List<String> notes() {
        return new RunNotes(result).all(ComparisonTable.ofLoad(result));
    }

    /** Returns the tables of all targets: load, cost of a request, cost of a launch, start and warm-up. */
    public List<ComparisonTable> tables() {
        List<ComparisonTable> tables = new ArrayList<>(List.of(ComparisonTable.ofLoad(result)));
        tables.addAll(ComparisonTable.ofCosts(result));
        return tables.stream().filter(table -> !table.headings().isEmpty()).collect(Collectors.toList());
    }

    /** Returns when the run began. */
    public String began() {
        return Quantities.moment(result.startedAt());
    }

    /** Returns the machine, in a line. */
    public String machine() {
        Environment environment = result.environment();
        List<String> parts = new ArrayList<>();
        environment.cpuModel().ifPresent(parts::add);
        environment.cores().ifPresent(cores -> parts.add(Quantities.count(cores, "processor")));
        environment.memoryBytes().ifPresent(bytes -> parts.add(Quantities.gibibytes(bytes)));
        environment.kernel().ifPresent(parts::add);
        return printable(String.join(", ", parts));
    }

    /** Returns what a target was, in a line. */
    public String target(String name) {
        TargetResult target = result.target(name).orElseThrow();
        List<String> parts = new ArrayList<>();
        target.jvm().ifPresent(parts::add);
        target.jit().ifPresent(parts::add);
        target.collector().ifPresent(collector -> parts.add(collector + " collector"));
        target.maxHeapBytes().ifPresent(bytes -> parts.add("heap up to " + Quantities.mebibytes(bytes)));
        target.cpus().ifPresent(cpus -> parts.add("processors " + cpus));
        target.memoryLimitBytes().ifPresent(bytes -> parts.add("memory cap " + Quantities.mebibytes(bytes)));
        target.isolation().ifPresent(parts::add);
        target.address().ifPresent(parts::add);
        return printable(String.join(", ", parts));
    }

    /** Returns in which methods the targets spend their CPU time; absent without a profile. */
    public Optional<HotMethodRows> hotMethods() {
        return result.hotMethods()
                .map(hot -> HotMethodRows.of(hot, result.plan().baseline()));
    }
}
