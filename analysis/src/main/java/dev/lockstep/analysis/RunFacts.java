package dev.lockstep.analysis;

import dev.lockstep.measurement.Quantities;
import dev.lockstep.results.Environment;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.results.WarmupPace;
import dev.lockstep.results.comparison.Fact;
import dev.lockstep.results.comparison.TargetFacts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the figures of runs depend on, side by side: the machines, the plans, the targets. What a run does not say is
 * unknown and differs from nothing.
 */
final class RunFacts {
    /** Follow from the machine's memory, which has its own line, or say nothing. */
    private static final Pattern OF_THE_MACHINE =
            Pattern.compile("-XX:(Initial|Max|Min)HeapSize=.*|-XX:[+]PrintCommandLineFlags");

    /** Behind what a warning is about. */
    private static final Pattern END_OF_CLAUSE = Pattern.compile("[:;] ");

    private static final String NONE = "none";
    private static final String LAUNCHES = "launches";
    private static final String PRIMARY = "primary metric";

    private final List<NamedRun> runs;

    private RunFacts(List<NamedRun> runs) {
        this.runs = runs;
    }

    static RunFacts of(List<NamedRun> runs) {
        return new RunFacts(runs);
    }

    private Fact fact(String name, Function<RunResult, Optional<String>> value) {
        return Fact.of(
                name,
                runs.stream()
                        .map(run -> value.apply(run.result()).orElse(Fact.UNKNOWN))
                        .collect(Collectors.toList()));
    }

    /** Returns what tells the captures apart; nothing where all runs had the same requests. */
    List<Fact> captures() {
        Fact requests = fact(
                "requests, SHA-256",
                result -> Optional.of(result.plan().capture().streamSha256()));
        return requests.differs()
                ? List.of(
                        fact(
                                "capture",
                                result -> Optional.of(result.plan().capture().path())),
                        fact(
                                "requests",
                                result -> Optional.of(
                                        Long.toString(result.plan().capture().requests()))),
                        requests)
                : List.of();
    }

    // ---- plans and machines -------------------------------------------------------------------------------------

    /** Returns what of the plans differs and changes figures. */
    List<Fact> plans() {
        List<Fact> facts = new ArrayList<>();
        plan(facts, "pace", RunFacts::pace);
        plan(facts, "connections", plan -> text(plan.connections()).orElse("as recorded"));
        plan(facts, "duration", plan -> time(plan.duration(), "one pass"));
        plan(
                facts,
                "requests per target",
                plan -> plan.maxRequests().isPresent()
                        ? Long.toString(plan.maxRequests().getAsLong())
                        : "no limit");
        facts.add(fact(LAUNCHES, result -> Optional.of(Integer.toString(result.launchesThatCount()))));
        plan(facts, "warm-up", RunFacts::warmUp);
        plan(facts, "full load", plan -> time(plan.fullLoad(), NONE));
        plan(
                facts,
                "targets' load",
                plan -> plan.schedule().key() + (plan.rounds().isPresent() ? ", rounds" : ""));
        plan(facts, "targets", plan -> plan.targets().stream()
                .map(TargetPlan::name)
                .collect(Collectors.joining(", ")));
        plan(facts, "time allowed", plan -> time(plan.timeout(), "no limit"));
        plan(facts, "rewrites", plan -> plan.rewrites().isEmpty() ? NONE : String.join(" ", plan.rewrites()));
        plan(facts, "answers compared", plan -> plan.compare() ? "yes" : "no");
        plan(
                facts,
                "Lockstep's processors",
                plan -> plan.replayerCores().isEmpty()
                        ? "any"
                        : plan.replayerCores().stream().map(String::valueOf).collect(Collectors.joining(",")));
        plan(facts, PRIMARY, RunPlan::primaryMetric);
        return facts.stream().filter(Fact::differs).collect(Collectors.toList());
    }

    private void plan(List<Fact> facts, String name, Function<RunPlan, String> value) {
        facts.add(fact(name, result -> Optional.of(value.apply(result.plan()))));
    }

    /** Returns the machines, whether or not they differ. */
    List<Fact> machines() {
        return List.of(
                environment("CPU", Environment::cpuModel),
                environment("processors", environment -> text(environment.cores())),
                environment(
                        "memory",
                        environment -> environment.memoryBytes().isPresent()
                                ? Optional.of(Quantities.gibibytes(
                                        environment.memoryBytes().getAsLong()))
                                : Optional.empty()),
                environment("kernel", Environment::kernel),
                environment("control groups", Environment::cgroup),
                environment("clock", Environment::clock),
                warnings(),
                fact("a target waited for others", RunFacts::others),
                environment("Lockstep", environment -> Optional.of(environment.lockstepVersion())));
    }

    /** Compares what runs were warned of without figures, names and advice, which differ each time. */
    private Fact warnings() {
        Fact about = warnings(warning -> END_OF_CLAUSE.split(warning, 2)[0]);
        Fact whole = warnings(UnaryOperator.identity());
        return whole.values().equals(about.values()) ? about : Fact.of(about.name(), about.values(), whole.values());
    }

    private Fact warnings(UnaryOperator<String> part) {
        return environment(
                "warnings",
                environment -> Optional.of(
                        environment.warnings().isEmpty()
                                ? NONE
                                : environment.warnings().stream()
                                        .map(part)
                                        .distinct()
                                        .collect(Collectors.joining("; "))));
    }

    /** Returns for which part of the time a target waited while others ran; small parts come and go. */
    private static Optional<String> others(RunResult result) {
        OptionalDouble most = result.targets().stream()
                .flatMap(target -> Starvation.measured(target).stream())
                .mapToDouble(Starvation::share)
                .max();
        return most.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        most.getAsDouble() <= Starvation.MOST_SHARE
                                ? String.format(Locale.ROOT, "below %.0f %%", 100 * Starvation.MOST_SHARE)
                                : String.format(Locale.ROOT, "%.0f %% of the time", 100 * most.getAsDouble()));
    }

    private Fact environment(String name, Function<Environment, Optional<String>> value) {
        return fact(name, result -> value.apply(result.environment()));
    }

    /** Returns a machine for people, in a line. */
    static String machine(RunResult result) {
        Environment environment = result.environment();
        List<String> parts = new ArrayList<>();
        environment.cpuModel().ifPresent(parts::add);
        environment.cores().ifPresent(cores -> parts.add(Quantities.count(cores, "processor")));
        environment.kernel().ifPresent(parts::add);
        parts.add("Lockstep " + environment.lockstepVersion());
        return String.join(", ", parts);
    }

    /** Returns how the requests were sent: runs at different loads measure different things. */
    static String load(RunPlan plan) {
        return "pace " + pace(plan) + ", "
                + (plan.connections().isPresent()
                        ? Quantities.count(plan.connections().getAsInt(), "connection")
                        : "connections as recorded")
                + ", " + (plan.schedule() == TargetSchedule.ALTERNATE ? "targets in turns" : "targets together")
                + plan.fullLoad()
                        .map(length -> ", full load " + Quantities.duration(length.toNanos()))
                        .orElse("");
    }

    private static String pace(RunPlan plan) {
        return plan.pace()
                + (plan.speed() == 1 ? "" : " at " + String.format(Locale.ROOT, "%.6g", plan.speed()) + " times");
    }

    private static String warmUp(RunPlan plan) {
        return plan.warmupLimit()
                .map(limit -> "until steady, " + Quantities.duration(limit.toNanos()) + " at most, pace "
                        + plan.warmupPace().map(WarmupPace::key).orElse(Fact.UNKNOWN))
                .orElseGet(() -> time(Optional.of(plan.warmup()).filter(time -> !time.isZero()), NONE));
    }

    private static String time(Optional<Duration> time, String absent) {
        return time.map(length -> Quantities.duration(length.toNanos())).orElse(absent);
    }

    private static Optional<String> text(OptionalInt number) {
        return number.isPresent() ? Optional.of(Integer.toString(number.getAsInt())) : Optional.empty();
    }

    // ---- targets ------------------------------------------------------------------------------------------------

    /** Returns what a target was in each run. */
    TargetFacts target(String name) {
        List<Fact> facts = new ArrayList<>();
        facts.add(target(name, "JVM", TargetResult::jvm));
        facts.add(target(name, "JIT", TargetResult::jit));
        facts.add(target(name, "collector", TargetResult::collector));
        facts.add(target(name, "heap at most", target -> mebibytes(target.maxHeapBytes())));
        facts.add(options(name));
        facts.add(target(name, "memory limit", target -> mebibytes(target.memoryLimitBytes())
                .or(() -> target.jvm().isPresent() ? Optional.of(NONE) : Optional.empty())));
        facts.add(target(name, "processors", target -> text(target.processors())));
        facts.add(target(name, "kept apart by", TargetResult::isolation));
        facts.add(target(name, "address", target -> target.jvm().isPresent() ? Optional.empty() : target.address()));
        facts.add(fact("application", result -> result.plan().targets().stream()
                .filter(plan -> plan.name().equals(name) && plan.address().isEmpty())
                .map(plan -> plan.command().isEmpty() ? "Lockstep's own" : String.join(" ", plan.command()))
                .findFirst()));
        return TargetFacts.of(
                name,
                facts.stream()
                        .filter(fact -> fact.values().stream().anyMatch(value -> !value.equals(Fact.UNKNOWN)))
                        .collect(Collectors.toList()));
    }

    private Fact target(String target, String name, Function<TargetResult, Optional<String>> value) {
        return Fact.of(
                name,
                runs.stream()
                        .map(run -> run.target(target).flatMap(value).orElse(Fact.UNKNOWN))
                        .collect(Collectors.toList()));
    }

    /** Returns the options in effect; where they differ, those that not all runs have. */
    private Fact options(String name) {
        List<Optional<Set<String>>> all = runs.stream()
                .map(run -> run.target(name).flatMap(RunFacts::options))
                .collect(Collectors.toList());
        Set<String> common = all.stream()
                .flatMap(Optional::stream)
                .reduce((one, other) -> {
                    Set<String> both = new TreeSet<>(one);
                    both.retainAll(other);
                    return both;
                })
                .orElse(Set.of());
        boolean same = all.stream().flatMap(Optional::stream).allMatch(common::equals);
        return Fact.of(
                same ? "JVM options" : "JVM options that differ",
                all.stream()
                        .map(one -> one.map(options -> {
                                    Set<String> shown = new TreeSet<>(options);
                                    if (!same) {
                                        shown.removeAll(common);
                                    }
                                    return shown.isEmpty() ? NONE : String.join(" ", shown);
                                })
                                .orElse(Fact.UNKNOWN))
                        .collect(Collectors.toList()));
    }

    private static Optional<Set<String>> options(TargetResult target) {
        return target.jvm().map(jvm -> target.jvmOptions().stream()
                .filter(option -> !OF_THE_MACHINE.matcher(option).matches())
                .collect(Collectors.toCollection(TreeSet::new)));
    }

    private static Optional<String> mebibytes(OptionalLong bytes) {
        return bytes.isPresent() ? Optional.of(Quantities.mebibytes(bytes.getAsLong())) : Optional.empty();
    }

    /** Returns what a target was, for people, in a line. */
    static String fingerprint(TargetResult target) {
        List<String> parts = new ArrayList<>();
        target.jvm().ifPresent(parts::add);
        target.jit().ifPresent(jit -> parts.add("JIT " + jit));
        target.collector().ifPresent(collector -> parts.add(collector + " collector"));
        mebibytes(target.maxHeapBytes()).ifPresent(size -> parts.add("heap up to " + size));
        mebibytes(target.memoryLimitBytes()).ifPresent(size -> parts.add("memory cap " + size));
        target.processors().ifPresent(count -> parts.add(Quantities.count(count, "processor")));
        if (parts.isEmpty()) {
            target.address().ifPresent(parts::add);
        }
        return parts.isEmpty() ? Fact.UNKNOWN : String.join(", ", parts);
    }

    /** Returns all that is known of what a target was, which tells it from others. */
    static String identity(NamedRun run, String target) {
        return of(List.of(run)).target(target).facts().stream()
                .map(fact -> fact.name() + fact.values())
                .collect(Collectors.joining("\n"));
    }

    /** Returns the facts by which two runs differ, of a target and of the machine. */
    static List<String> differences(NamedRun before, NamedRun after, String target) {
        RunFacts facts = of(List.of(before, after));
        List<Fact> all = new ArrayList<>(facts.target(target).facts());
        all.addAll(facts.machines());
        all.addAll(facts.plans());
        return all.stream()
                // How often it was measured changes no figure.
                .filter(fact -> fact.differs()
                        && !fact.name().equals(LAUNCHES)
                        && !fact.name().equals(PRIMARY))
                .map(fact -> fact.name() + " " + String.join(" -> ", fact.values()))
                .collect(Collectors.toList());
    }
}
