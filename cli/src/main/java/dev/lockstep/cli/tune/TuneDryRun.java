package dev.lockstep.cli.tune;

import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.launcher.FlagCheck;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.report.Lines;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.run.RunPlanner;
import dev.lockstep.search.Engine;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Parameter;
import dev.lockstep.tuner.Trial;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Says what a search with JVMs would try, against what, and for how long; the JVM is asked about the flags. */
final class TuneDryRun {
    private static final int CANDIDATES_SHOWN = 5;

    private final JvmSearch search;
    private final Verifier verifier;
    private final boolean verifies;
    private final PrintWriter out;

    TuneDryRun(JvmSearch search, Verifier verifier, boolean verifies, PrintWriter out) {
        this.search = search;
        this.verifier = verifier;
        this.verifies = verifies;
        this.out = out;
    }

    /**
     * @param engine to ask for the first candidates; it is of no use to a search after that
     * @param evaluations how many there are to be in all
     */
    void print(Engine engine, int evaluations) {
        SearchPlan plan = search.plan();
        print("Dry run: nothing is started but the JVM, to ask it about flags.");
        for (Parameter one : plan.space().parameters()) {
            print("  " + describe(one));
        }
        Configuration any = null;
        List<String> candidates = new ArrayList<>();
        for (int i = 0; i < Math.min(CANDIDATES_SHOWN, evaluations); i++) {
            Optional<Trial> trial = engine.ask();
            if (trial.isEmpty()) {
                break;
            }
            any = trial.get().configuration();
            candidates.add(candidate(trial.get()));
            engine.tell(trial.get(), Observation.skipped("a dry run"));
        }
        if (any == null) {
            return;
        }
        times(any, evaluations);
        print("The first candidates:");
        candidates.forEach(this::print);
        out.flush();
    }

    private void times(Configuration any, int evaluations) {
        RunPlan evaluation = search.evaluation(search.pair(search.candidate(any), 1));
        print("Each evaluation: control and candidate "
                + (evaluation.schedule() == TargetSchedule.ALTERNATE ? "in turns" : "together")
                + ", compared by " + search.objective().label() + " (" + search.objective() + ")"
                + search.second()
                        .map(metric -> " and by " + metric.label() + " (" + metric + ")")
                        .orElse("")
                + "; constraints: "
                + String.join(", ", search.plan().space().constraints()));
        OptionalLong eachNs = RunPlanner.runNs(evaluation);
        eachNs.ifPresent(ns -> print("Duration: about " + Quantities.duration(ns) + " an evaluation, "
                + Quantities.duration(ns * evaluations) + " for all " + evaluations
                + RunPlanner.assumedWarmUp(evaluation)
                + search.plan()
                        .timeBudget()
                        .map(budget -> ", none begun after " + SearchPlan.print(budget))
                        .orElse("")));
        if (verifies) {
            RunPlan verification = verifier.plan(any);
            RunPlanner.runNs(verification)
                    .ifPresent(ns -> print("Verification: "
                            + (search.second().isPresent() ? "both ends and the knee of the front" : "tuned")
                            + " against default"
                            + search.baselines().map(names -> " and " + names).orElse("")
                            + (verification.warmupLimit().isPresent() ? ", warmed up until steady" : "") + ", about "
                            + Quantities.duration(ns) + ", up to "
                            + Quantities.duration(
                                    RunPlanner.longestRunNs(verification).orElse(ns))
                            + " as long as it is inconclusive"));
        }
    }

    private String describe(Parameter one) {
        StringBuilder text =
                new StringBuilder(one.name()).append(": ").append(one.type().label());
        if (one.min().isPresent()) {
            text.append(" from ")
                    .append(SearchPlan.print(one.min().getAsDouble()))
                    .append(" to ")
                    .append(SearchPlan.print(one.max().getAsDouble()));
        }
        List<Object> listed = new ArrayList<>(one.values());
        listed.addAll(one.special());
        if (!listed.isEmpty()) {
            text.append(one.min().isPresent() ? ", or " : " ")
                    .append(listed.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
        one.when().ifPresent(when -> text.append(", when ")
                .append(when.parameter())
                .append(" is ")
                .append(when.values().stream().map(String::valueOf).collect(Collectors.joining(" or "))));
        one.defaultValue().ifPresent(usual -> text.append(", default ").append(SearchPlan.print(usual)));
        return text.toString();
    }

    private String candidate(Trial trial) {
        TargetSpec candidate = search.candidate(trial.configuration());
        FlagCheck check = search.check(candidate);
        StringBuilder text = new StringBuilder("  ")
                .append(trial.number())
                .append(" (")
                .append(trial.origin().label())
                .append("): ")
                .append(String.join(" ", search.options(trial.configuration())));
        check.failure()
                .ifPresent(why -> text.append("; the JVM does not start: ").append(why));
        if (check.failure().isEmpty()) {
            FlagsInEffect flags = search.inEffect(trial.configuration(), check);
            flags.notes().forEach(note -> text.append("; ").append(note));
        }
        check.warnings().forEach(warning -> text.append("; the JVM says: ").append(warning));
        return text.toString();
    }

    private void print(String line) {
        Lines.wrapped(line).stream().map(Terminal::printable).forEach(out::println);
    }
}
