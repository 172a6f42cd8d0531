package dev.lockstep.cli.tune;

import dev.lockstep.analysis.Conditions;
import dev.lockstep.analysis.Direction;
import dev.lockstep.analysis.Metric;
import dev.lockstep.capture.Capture;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.replay.LoadOptions;
import dev.lockstep.cli.targets.Installation;
import dev.lockstep.cli.targets.TargetOptions;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.FlagCheck;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Output;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.WarmupPace;
import dev.lockstep.run.RunConfig;
import dev.lockstep.run.RunPlanner;
import dev.lockstep.search.FlagTemplate;
import dev.lockstep.search.Journal;
import dev.lockstep.search.SearchException;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SearchResult;
import dev.lockstep.tuner.Configuration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A search with real JVMs: which target is tuned, what an evaluation and a verification of it are, what they compare.
 * Immutable, but for the capture, which its caller keeps open.
 */
final class JvmSearch {
    /** The target without a change, or with the space's defaults. */
    static final String CONTROL = "control";

    static final String CANDIDATE = "candidate";
    static final String DEFAULT = "default";
    static final String TUNED = "tuned";
    /** Two evaluations of the default show how far equals differ. */
    private static final int DEFAULT_TRIALS = 2;

    private static final Pattern CHOOSES_JIT = Pattern.compile("-XX:TieredStopAtLevel=.*|-Xint");

    private final SearchPlan plan;
    private final OptionalLong memoryBytes;
    private final TargetSpec base;
    private final List<TargetSpec> baselines;
    private final int jdk;
    private final Capture capture;
    private final TargetOptions targets;
    private final LoadOptions load;
    private final JvmInventory inventory;
    private final UnaryOperator<RunConfig.Builder> adjust;
    private final Limits limits;
    private final Metric objective;
    private final Optional<Metric> second;

    /**
     * @param asked what the space says
     * @param named the metric that decides, or two with a comma between, or null for the space's or the usual one
     * @param specs the target that is tuned, and further baselines of the verification
     * @param verifies whether the best is to be verified
     * @param adjust changes the configuration of runs, in tests
     */
    JvmSearch(
            SearchPlan asked,
            String named,
            List<TargetSpec> specs,
            Capture capture,
            TargetOptions targets,
            LoadOptions load,
            JvmInventory inventory,
            boolean verifies,
            UnaryOperator<RunConfig.Builder> adjust) {
        this.capture = capture;
        this.targets = targets;
        this.load = load;
        this.inventory = inventory;
        this.adjust = adjust;
        memoryBytes = asked.memoryBytes();
        base = specs.get(0);
        baselines = List.copyOf(specs.subList(1, specs.size()));
        jdk = inventory
                .featureVersion(base)
                .orElseThrow(() -> new UsageException("target " + base.name()
                        + ": expected a JVM that Lockstep starts with options, found "
                        + (base.attachAddress().isPresent() ? "a server that runs already" : "another program")));
        for (TargetSpec one : baselines) {
            if (List.of(DEFAULT, TUNED, SearchResult.KNEE).contains(one.name())
                    || one.name().startsWith(SearchResult.BEST_BY)) {
                throw new UsageException("--targets: the names " + DEFAULT + ", " + TUNED + ", " + SearchResult.KNEE
                        + " and those that begin with " + SearchResult.BEST_BY
                        + " are those of the verification, found a target '" + one.name() + "'; name it otherwise");
            }
        }
        SearchPlan constrained =
                asked.withConstraints(Limits.withErrors(asked.space().constraints()));
        limits = Limits.of(constrained.space().constraints());
        List<String> names = named == null ? objectives(asked) : List.of(named.split(",", -1));
        if (names.size() > 2
                || names.stream().anyMatch(String::isBlank)
                || names.size() == 2 && names.get(0).equals(names.get(1))) {
            throw new UsageException("objective: expected one metric, or two with a comma between, found '"
                    + String.join(",", names) + "'");
        }
        objective = objective(names.isEmpty() ? null : names.get(0), constrained);
        second = names.size() < 2 ? Optional.empty() : Optional.of(objective(names.get(1), constrained));
        second.filter(Metric::isOnRequest).ifPresent(metric -> {
            throw new UsageException(
                    "objective " + metric + ": expected it to be the first of two, found it second, where"
                            + " no verdict is made of it; name it first");
        });
        SearchPlan directed = second.isPresent()
                ? constrained.withObjectives(
                        objective.key(), direction(objective), second.get().key(), direction(second.get()))
                : constrained.withOneObjective(direction(objective));
        plan = directed.withDefaultTrials(DEFAULT_TRIALS);
        if (plan.flags().values().stream().anyMatch(FlagTemplate::isOfGraal)
                && base.profile().filter(profile -> !profile.isGraal()).isPresent()) {
            throw new UsageException("--targets: expected Graal's JIT first, which these parameters are of, found '"
                    + base.name() + "'; the first target is tuned, as in --targets graal," + base.name());
        }
        // Refuses, before anything is measured, what these runs will not know.
        conditions(evaluation(pair(base, 1)));
        if (verifies) {
            List<TargetSpec> compared = new ArrayList<>(List.of(unchanged(plan, DEFAULT), unchanged(plan, TUNED)));
            compared.addAll(baselines);
            targets.split(compared);
        }
    }

    private static List<String> objectives(SearchPlan asked) {
        List<String> names = new ArrayList<>();
        asked.objective().ifPresent(names::add);
        asked.secondObjective().ifPresent(names::add);
        return names;
    }

    private static dev.lockstep.tuner.Direction direction(Metric metric) {
        return metric.direction() == Direction.HIGHER_IS_BETTER
                ? dev.lockstep.tuner.Direction.MAXIMIZE
                : dev.lockstep.tuner.Direction.MINIMIZE;
    }

    /** Returns the metric that decides: the one named, else the CPU at full load, else the CPU without the JIT's. */
    private Metric objective(String named, SearchPlan space) {
        RunPlan evaluation = run(pair(space, base, 1), CONTROL, builder -> {});
        if (named == null) {
            return evaluation.fullLoad().isPresent() ? Metric.FULL_LOAD_CPU_PER_REQUEST : Metric.STEADY_CPU_PER_REQUEST;
        }
        Metric metric = Metric.of(named)
                .orElseThrow(() ->
                        new UsageException("objective: expected one of " + Metric.names() + ", found '" + named + "'"));
        metric.whyNotIn(evaluation).ifPresent(why -> {
            throw new UsageException("objective " + named + ": " + why);
        });
        return metric;
    }

    SearchPlan plan() {
        return plan;
    }

    Metric objective() {
        return objective;
    }

    /** The metric that decides beside the first; absent where there is one. */
    Optional<Metric> second() {
        return second;
    }

    Limits limits() {
        return limits;
    }

    /** Returns what is tuned and how it is loaded, for people: without options, which can hold secrets. */
    String describe() {
        RunPlan evaluation = evaluation(pair(base, 1));
        int own = base.jvmOptions().size();
        return "target " + base.name() + " on JDK " + jvmVersion()
                + (own == 0 ? "" : " with " + Quantities.count(own, "JVM option") + " of its own")
                + ", capture " + capture.sha256() + ", pace " + evaluation.pace()
                + (evaluation.connections().isPresent()
                        ? " over " + Quantities.count(evaluation.connections().getAsInt(), "connection")
                        : "")
                + evaluation
                        .duration()
                        .map(time -> " for " + Quantities.duration(time.toNanos()))
                        .orElse("")
                + (evaluation.maxRequests().isPresent()
                        ? ", " + Quantities.count(evaluation.maxRequests().getAsLong(), "request")
                        : "")
                + evaluation
                        .fullLoad()
                        .map(time -> ", full load for " + Quantities.duration(time.toNanos()))
                        .orElse("")
                + ", objective " + objective
                + second.map(metric -> " and " + metric).orElse("");
    }

    /**
     * Returns what evaluates, for the journal: searches that differ in it are not the same. All that changes values is
     * in it, what can be secret as a digest.
     */
    Map<String, String> identity() {
        List<TargetSpec> specs = pair(base, 1);
        RunPlan evaluation = evaluation(specs);
        // Wherever the capture lies, its digest is there too.
        RunPlan anywhere = evaluation.toBuilder()
                .capture(CaptureReference.builder()
                        .from(evaluation.capture())
                        .path(capture.sha256())
                        .build())
                .build();
        Map<String, String> identity = new LinkedHashMap<>();
        identity.put("evaluate", describe());
        identity.put(
                "program",
                inventory.programDigest(
                        base, base.command().isEmpty() ? Installation.locate().targetAppCommand() : List.of()));
        identity.put(
                "plan",
                Journal.digest(anywhere.toJson()
                        + new TreeMap<>(base.environment())
                        + cores(specs).describe()));
        return identity;
    }

    private String jvmVersion() {
        return inventory.version(base).orElse(String.valueOf(jdk));
    }

    // ---- targets ------------------------------------------------------------------------------------------------

    /** Returns the options of a configuration. */
    List<String> options(Configuration configuration) {
        return plan.options(configuration, jdk);
    }

    TargetSpec candidate(Configuration configuration) {
        return with(CANDIDATE, options(configuration));
    }

    /** Returns that the capture was written over, for people; absent where its requests are what they were. */
    Optional<String> whyNoCapture() {
        return capture.isUnchanged()
                ? Optional.empty()
                : Optional.of(capture.path() + " was written over since the search began: begin anew");
    }

    /** Returns what every candidate is compared with. */
    TargetSpec control() {
        return unchanged(plan, CONTROL);
    }

    private TargetSpec with(String name, List<String> options) {
        TargetSpec spec = base.withName(name).withJvmOptions(options);
        // Its proof would refuse C1 alone or the interpreter, which somebody wants tried.
        return options.stream().anyMatch(option -> CHOOSES_JIT.matcher(option).matches()) ? spec.withAnyJit() : spec;
    }

    /** Returns what the JVM says to a target's options. */
    FlagCheck check(TargetSpec target) {
        return inventory.checkFlags(target).orElseThrow();
    }

    /**
     * Returns why the JVM does not start with a candidate's flags; absent where it does.
     *
     * @param check what it said to them
     * @param when the flags are needed, which begins a failure
     * @throws SearchException where it does not start without them either, as for want of memory
     */
    Optional<String> whyRefused(FlagCheck check, String when) {
        if (check.failure().isPresent()) {
            check(control()).failure().ifPresent(why -> {
                throw new SearchException(when + ": the JVM does not start with the control's flags either: " + why
                        + "; the same command goes on");
            });
        }
        return check.failure();
    }

    /**
     * Returns what a JVM made of a configuration.
     *
     * @param check what it said to its candidate
     */
    FlagsInEffect inEffect(Configuration configuration, FlagCheck check) {
        return FlagsInEffect.of(plan, configuration, jdk, check, this::candidate, this::check);
    }

    /**
     * Returns why nothing is to be gained by verifying a configuration, as a headline: a model recommends also what was
     * never tried, which the JVM may refuse, or which may come to the flags of the default.
     */
    Optional<String> whyNoVerification(Configuration best) {
        FlagCheck check = check(candidate(best));
        Optional<String> refused = whyRefused(check, "the verification");
        if (refused.isPresent()) {
            return Optional.of("NOT VERIFIED: the JVM does not start with the best's flags: " + refused.get()
                    + "; --add-evaluations goes on with the search");
        }
        String flags = inEffect(best, check).fingerprint();
        boolean isDefault = plan.space()
                .defaults()
                .filter(usual -> inEffect(usual, check(control())).fingerprint().equals(flags))
                .isPresent();
        return isDefault ? Optional.of(SearchSession.NOTHING_BETTER) : Optional.empty();
    }

    /** Returns the names of what the best is compared with beside the default. */
    List<String> baselineNames() {
        return baselines.stream().map(TargetSpec::name).collect(Collectors.toList());
    }

    private TargetSpec unchanged(SearchPlan space, String name) {
        return with(
                name,
                space.space().defaults().map(usual -> space.options(usual, jdk)).orElse(List.of()));
    }

    /**
     * Returns control and candidate, which change places from evaluation to evaluation.
     *
     * @param number of the evaluation
     */
    List<TargetSpec> pair(TargetSpec candidate, int number) {
        return pair(plan, candidate, number);
    }

    private List<TargetSpec> pair(SearchPlan space, TargetSpec candidate, int number) {
        TargetSpec control = unchanged(space, CONTROL);
        TargetSpec named = candidate.withName(CANDIDATE);
        return number % 2 == 1 ? List.of(control, named) : List.of(named, control);
    }

    /**
     * Returns the default, what is verified, and further baselines.
     *
     * @param tuned configurations by the names of their targets
     */
    List<TargetSpec> verified(Map<String, Configuration> tuned) {
        List<TargetSpec> specs = new ArrayList<>();
        specs.add(unchanged(plan, DEFAULT));
        tuned.forEach((name, one) -> specs.add(with(name, options(one))));
        specs.addAll(baselines);
        return specs;
    }

    // ---- runs ---------------------------------------------------------------------------------------------------

    /** Returns the plan of an evaluation. */
    RunPlan evaluation(List<TargetSpec> specs) {
        return run(specs, CONTROL, builder -> builder.primaryMetric(objective.key())
                .compare(limits.compareAnswers()));
    }

    /** Returns the conditions that an evaluation checks. */
    Conditions conditions(RunPlan evaluation) {
        return limits.conditions(evaluation, List.of(CANDIDATE), CONTROL);
    }

    /**
     * Returns the plan of a verification of so many launches. It warms its targets up until they are steady, since
     * without that no verdict finds anything better, however short the evaluations' own warm-up was; but not those of
     * which none is asked for.
     */
    RunPlan verification(List<TargetSpec> specs, int launches, int most) {
        return run(specs, DEFAULT, builder -> {
            builder.primaryMetric(objective.key())
                    .compare(limits.compareAnswers())
                    .launches(launches)
                    .output(Output.SHORT);
            boolean decides = most > launches;
            if (decides) {
                builder.maxLaunches(most);
            }
            // What makes evaluations short would leave the verification without a steady state, and so without a
            // result.
            RunPlan evaluated = builder.build();
            if (!evaluated.warmup().isZero()) {
                builder.warmupUntilSteady(LoadOptions.LIMIT, WarmupPace.MAX);
            } else if (decides && evaluated.warmupLimit().isPresent()) {
                Duration limit = evaluated.warmupLimit().get();
                builder.warmupLimit(limit.compareTo(LoadOptions.LIMIT) < 0 ? LoadOptions.LIMIT : limit);
            }
        });
    }

    private RunPlan run(List<TargetSpec> specs, String baseline, Consumer<RunPlan.Builder> more) {
        try {
            RunPlan.Builder asked = RunPlan.builder();
            load.addTo(asked, true, false);
            RunPlanner planner = targets.planner(capture, specs, cores(specs));
            if (!targets.capMemory()) {
                memoryBytes.ifPresent(planner::memoryLimitBytes);
            }
            RunPlan.Builder builder = planner.plan(asked).toBuilder().baseline(baseline);
            more.accept(builder);
            RunPlan built = builder.build();
            RunPlanner.check(built, capture, null);
            return built;
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private Cores cores(List<TargetSpec> specs) {
        return targets.split(specs);
    }

    /** Returns how long each target is measured for the objective; absent where nobody knows before. */
    OptionalLong objectiveNs(RunPlan evaluation) {
        return objective == Metric.FULL_LOAD_CPU_PER_REQUEST
                ? OptionalLong.of(evaluation.fullLoad().orElseThrow().toNanos())
                : RunPlanner.lengthNs(evaluation);
    }

    RunConfig.Builder config(RunPlan run, List<TargetSpec> specs) {
        return adjust.apply(targets.config(run, capture, specs, cores(specs), inventory));
    }

    /** Returns which further baselines the verification has, for people; absent for none. */
    Optional<String> baselines() {
        return baselines.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", baselineNames()));
    }
}
