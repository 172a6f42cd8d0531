package dev.lockstep.cli;

import dev.lockstep.analysis.AnalysisException;
import dev.lockstep.analysis.Assertion;
import dev.lockstep.analysis.ConfidenceInterval;
import dev.lockstep.analysis.Figures;
import dev.lockstep.analysis.Metric;
import dev.lockstep.analysis.Money;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.AssertionResult;
import dev.lockstep.measurement.FleetCost;
import dev.lockstep.measurement.LaunchResult;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.TargetPlan;
import dev.lockstep.measurement.TargetResult;
import dev.lockstep.measurement.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/**
 * The options that say what the targets are compared by, and what is made of it: verdicts, conditions, money. Filled by
 * picocli, then only read.
 */
final class VerdictOptions {
    private static final String SAME = "-aa";
    private static final Pattern SHARE = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,6})?)(%?)");
    private static final Pattern AMOUNT = Pattern.compile("[0-9]{1,12}(?:\\.[0-9]{1,6})?");

    @Option(
            names = "--baseline",
            paramLabel = "TARGET",
            order = 31,
            description = "The target that the others are compared with. Default: the first.")
    private String baseline;

    @Option(
            names = "--primary",
            paramLabel = "METRIC",
            order = 31,
            description = "The metric that decides; name it before the run, not after. One of userCpuPerRequest, "
                    + "cpuPerRequest, systemCpuPerRequest, p50, p90, p99, p999, mean, throughput (closed loop only), errors, "
                    + "gcCycles and jitCpu (not in a closed loop with -z), gcPause, allocatedBytesPerRequest, oldGenUsed, "
                    + "rss, memoryPeak, startup. Default: userCpuPerRequest.")
    private String primary;

    @Option(
            names = "--margin",
            paramLabel = "SHARE",
            order = 31,
            description = "A difference below this is none: 1%% or 0.01. Default: 1%%.")
    private String margin;

    @Option(
            names = "--aa",
            order = 31,
            description = "Add a second instance of the baseline, started and measured like the others. What differs "
                    + "between the two is noise, and is printed beside the verdicts.")
    private boolean aa;

    @Option(
            names = "--assert",
            paramLabel = "CONDITION",
            order = 31,
            description =
                    "A condition on the figures of all launches, with the metrics of --primary: 'graal.userCpuPerRequest "
                            + "<= 0.95 * c2', 'graal.p99 <= 20ms'. One that does not hold, that names a target which died "
                            + "or lacks a launch, or whose run was interrupted, makes the exit code 1. May be repeated.")
    private List<String> assertions = new ArrayList<>();

    @Option(
            names = "--cost",
            paramLabel = "FLEET",
            order = 31,
            description =
                    "What the CPU of the baseline is worth, and the others save: core-year=127,cores=24,servers=10000 "
                            + "(US dollars for a core and year, cores of a server, servers).")
    private String cost;

    /** What --cost says. */
    private static final class Fleet {
        final double usdPerCoreYear;
        final double coresPerServer;
        final double servers;

        Fleet(double usdPerCoreYear, double coresPerServer, double servers) {
            this.usdPerCoreYear = usdPerCoreYear;
            this.coresPerServer = coresPerServer;
            this.servers = servers;
        }
    }

    /** Checks the options that need no target. */
    void check() {
        if (primary != null && Metric.of(primary).isEmpty()) {
            throw new UsageException("--primary: expected one of " + Metric.names() + ", found '" + primary + "'");
        }
        margin();
        fleet();
    }

    /**
     * Returns the targets with what these options add.
     *
     * @throws UsageException where they do not go together
     */
    List<TargetSpec> with(List<TargetSpec> specs) {
        List<TargetSpec> more = withSecondInstance(specs);
        parsed(more.stream().map(TargetSpec::name).collect(Collectors.toList()));
        return more;
    }

    private List<TargetSpec> withSecondInstance(List<TargetSpec> specs) {
        TargetSpec base = baseline(specs);
        if (!aa) {
            return specs;
        }
        String name = base.name() + SAME;
        if (base.attachAddress().isPresent() || base.port().isPresent()) {
            throw new UsageException(
                    "--aa: target " + base.name()
                            + (base.port().isPresent()
                                    ? " has a port of its own, which a second instance cannot have too; let Lockstep choose it"
                                    : " runs already, and Lockstep cannot start a second instance of it; have Lockstep start it"));
        }
        if (specs.stream().anyMatch(spec -> spec.name().equals(name))) {
            throw new UsageException("--aa: the second instance of " + base.name() + " is named " + name
                    + ", and so is a target; name that otherwise");
        }
        List<TargetSpec> more = new ArrayList<>(specs);
        more.add(base.withName(name));
        return more;
    }

    private TargetSpec baseline(List<TargetSpec> specs) {
        if (baseline == null) {
            return specs.get(0);
        }
        return specs.stream()
                .filter(spec -> spec.name().equals(baseline))
                .findFirst()
                .orElseThrow(() -> new UsageException("--baseline: expected one of the targets "
                        + specs.stream().map(TargetSpec::name).collect(Collectors.joining(", ")) + ", found '"
                        + baseline + "'"));
    }

    /** Puts these options, once they are checked, into a plan that has its targets and its pace. */
    void addTo(RunPlan.Builder plan, List<TargetSpec> specs) {
        String base = baseline(specs).name();
        plan.baseline(base);
        if (primary != null) {
            plan.primaryMetric(primary);
        }
        RunPlan paced = plan.build();
        if (primary != null) {
            Metric.of(primary).orElseThrow().whyNotIn(paced).ifPresent(why -> {
                throw new UsageException("--primary " + primary + ": " + why);
            });
        }
        checkConditions(paced);
        margin().ifPresent(plan::margin);
        if (aa) {
            plan.sameAsBaseline(base + SAME);
        }
    }

    /** Refuses conditions on what the plan sets itself, and those that compare targets by what it makes unequal. */
    private void checkConditions(RunPlan plan) {
        List<String> names = plan.targets().stream().map(TargetPlan::name).collect(Collectors.toList());
        for (Assertion assertion : parsed(names)) {
            for (String name : assertion.metrics()) {
                Metric metric = Metric.of(name).orElseThrow();
                if (metric == Metric.THROUGHPUT || assertion.targets().size() > 1) {
                    metric.whyNotIn(plan).ifPresent(why -> {
                        throw new UsageException("--assert '" + assertion + "': " + name + ": " + why);
                    });
                }
            }
        }
    }

    private List<Assertion> parsed(List<String> targets) {
        List<Assertion> parsed = new ArrayList<>();
        for (String assertion : assertions) {
            try {
                parsed.add(Assertion.parse(assertion, targets, Metric.quantities()));
            } catch (AnalysisException e) {
                throw new UsageException("--assert: " + e.getMessage());
            }
        }
        return parsed;
    }

    /** Returns the result with the outcomes of the conditions and with the worth of the CPU, where they were asked for. */
    RunResult conclude(RunResult result) {
        RunResult concluded = result;
        if (!assertions.isEmpty()) {
            concluded = concluded.withAssertions(outcomes(result));
        }
        Optional<Fleet> fleet = fleet();
        if (fleet.isPresent()) {
            concluded = concluded.withFleetCost(worth(fleet.get(), result));
        }
        return concluded;
    }

    private List<AssertionResult> outcomes(RunResult result) {
        List<AssertionResult> outcomes = new ArrayList<>();
        List<String> names = result.targets().stream().map(TargetResult::name).collect(Collectors.toList());
        for (Assertion assertion : parsed(names)) {
            Figures figures = (target, metric) -> value(result, target, metric);
            Assertion.Outcome outcome = whyNot(assertion, result)
                    .map(why -> assertion.failed(figures, why))
                    .orElseGet(() -> assertion.check(figures));
            outcomes.add(new AssertionResult(
                    assertion.text(), outcome.holds(), outcome.left(), outcome.right(), outcome.sentence()));
        }
        return outcomes;
    }

    /** Returns why the figures of the condition are not those of the whole run; absent where they are. */
    private static Optional<String> whyNot(Assertion assertion, RunResult result) {
        if (result.interrupted()) {
            return Optional.of("the run was interrupted, so its figures are not those of the whole");
        }
        return result.targets().stream()
                .filter(target -> assertion.targets().contains(target.name()))
                .map(target -> whyNot(target, result.plan().launches()))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> whyNot(TargetResult target, int launches) {
        if (target.launches().isEmpty()) {
            return target.exit().map(exit -> target.name() + " died, so its figures are not those of the whole run");
        }
        List<String> died = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (int number = 1; number <= launches; number++) {
            int launch = number;
            Optional<LaunchResult> result = target.launches().stream()
                    .filter(one -> one.launch() == launch)
                    .findFirst();
            if (result.flatMap(LaunchResult::exit).isPresent()) {
                died.add(String.valueOf(launch));
            } else if (result.filter(LaunchResult::isMeasured).isEmpty()) {
                missing.add(String.valueOf(launch));
            }
        }
        List<String> parts = new ArrayList<>();
        if (!died.isEmpty()) {
            parts.add("died in " + launches(died, launches));
        }
        if (!missing.isEmpty()) {
            parts.add("has no figures of " + launches(missing, launches));
        }
        return parts.isEmpty()
                ? Optional.empty()
                : Optional.of(target.name() + " " + String.join(" and ", parts)
                        + ", so its figures are not those of the whole run");
    }

    private static String launches(List<String> numbers, int all) {
        return (numbers.size() == 1 ? "launch " : "launches ") + String.join(", ", numbers) + " of " + all;
    }

    private static OptionalDouble value(RunResult result, String target, String metric) {
        return result.targets().stream()
                .filter(one -> one.name().equals(target))
                .findFirst()
                .map(one -> Metric.of(metric).orElseThrow().of(one))
                .orElseGet(OptionalDouble::empty);
    }

    private static FleetCost worth(Fleet fleet, RunResult result) {
        Money money = Money.of(fleet.usdPerCoreYear, fleet.coresPerServer, fleet.servers);
        List<FleetCost.Saving> savings = new ArrayList<>();
        for (Verdict verdict : result.verdicts()) {
            // What a second instance of the baseline seems to save is noise.
            if (verdict.metric().equals(Metric.USER_CPU_PER_REQUEST.key())
                    && result.plan()
                            .sameAsBaseline()
                            .filter(verdict.target()::equals)
                            .isEmpty()
                    && verdict.ratio().isPresent()) {
                // Not the one that is wider because other metrics stand beside it: money is one question alone.
                Optional<ConfidenceInterval> ratios = Optional.ofNullable(verdict.interval95())
                        .map(interval ->
                                ConfidenceInterval.of(interval.low(), interval.high(), ConfidenceInterval.USUAL_LEVEL));
                Money.Saving saving = money.saving(verdict.ratio().getAsDouble(), ratios);
                savings.add(new FleetCost.Saving(
                        verdict.target(),
                        saving.usdPerYear(),
                        saving.interval()
                                .map(interval -> new Verdict.Interval(interval.low(), interval.high()))
                                .orElse(null)));
            }
        }
        return new FleetCost(fleet.usdPerCoreYear, fleet.coresPerServer, fleet.servers, savings);
    }

    private OptionalDouble margin() {
        if (margin == null) {
            return OptionalDouble.empty();
        }
        Matcher share = SHARE.matcher(margin);
        double value = share.matches()
                ? Double.parseDouble(share.group(1)) / (share.group(2).isEmpty() ? 1 : 100)
                : 0;
        if (!(value > 0 && value < 1)) {
            throw new UsageException(
                    "--margin: expected a share above 0 and below 1 such as 1% or 0.01, found '" + margin + "'");
        }
        return OptionalDouble.of(value);
    }

    private Optional<Fleet> fleet() {
        if (cost == null) {
            return Optional.empty();
        }
        List<String> names = List.of("core-year", "cores", "servers");
        double[] amounts = new double[names.size()];
        String[] parts = cost.split(",", -1);
        boolean good = parts.length == amounts.length;
        for (String part : parts) {
            int equals = part.indexOf('=');
            int index = equals < 0 ? -1 : names.indexOf(part.substring(0, equals));
            good &= index >= 0
                    && amounts[index] == 0
                    && AMOUNT.matcher(part.substring(equals + 1)).matches();
            if (good) {
                amounts[index] = Double.parseDouble(part.substring(equals + 1));
                good = amounts[index] > 0;
            }
        }
        if (!good) {
            throw new UsageException(
                    "--cost: expected three amounts above 0 such as core-year=127,cores=24,servers=10000, " + "found '"
                            + cost + "'");
        }
        return Optional.of(new Fleet(amounts[0], amounts[1], amounts[2]));
    }
}
