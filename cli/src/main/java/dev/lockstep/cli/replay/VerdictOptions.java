package dev.lockstep.cli.replay;

import dev.lockstep.analysis.AnalysisException;
import dev.lockstep.analysis.Conditions;
import dev.lockstep.analysis.Fleet;
import dev.lockstep.analysis.Metric;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
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
@Heading("Comparing")
final class VerdictOptions {
    private static final String SAME = "-aa";
    private static final Pattern SHARE = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,6})?)(%?)");
    private static final Pattern AMOUNT = Pattern.compile("[0-9]{1,12}(?:\\.[0-9]{1,6})?");

    @Option(
            names = "--baseline",
            paramLabel = "TARGET",
            description = "The target that the others are compared with. Default: the first.")
    private String baseline;

    @Option(
            names = "--primary",
            paramLabel = "METRIC",
            description = "The metric that decides, named before the run, for example p99; "
                    + "docs/comparing.md lists all. Default: fullLoadCpuPerRequest, else "
                    + "steadyCpuPerRequest, cpuPerRequest, p50 or throughput.")
    private String primary;

    @Option(
            names = "--margin",
            paramLabel = "SHARE",
            description = "Differences below this count as none: 1%% or 0.01. Default: 1%%.")
    private String margin;

    @Option(
            names = "--aa",
            description = "Adds a second instance of the baseline. How the two differ is noise, and is printed "
                    + "beside the verdicts.")
    private boolean aa;

    @Option(
            names = "--assert",
            paramLabel = "CONDITION",
            description = "Makes the exit code 1 unless this holds: 'graal.p99 <= 20ms', 'graal.appCpuPerRequest "
                    + "<= 0.95 * c2' (docs/comparing.md). May be repeated.")
    private List<String> assertions = new ArrayList<>();

    @Option(
            names = "--cost",
            paramLabel = "FLEET",
            description = "Prices the CPU that targets save: core-year=127,cores=24,servers=10000 (US dollars for "
                    + "a core and year, cores of a server, servers).")
    private String cost;

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
        conditions(more.stream().map(TargetSpec::name).collect(Collectors.toList()));
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
                                    : " runs already, and Lockstep cannot start a second instance of it; name its address twice, as a=HOST:PORT,b=HOST:PORT"));
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
        RunPlan paced = plan.build();
        if (primary != null) {
            Metric metric = Metric.of(primary).orElseThrow();
            paced.targets().stream()
                    .map(metric::whyNotOf)
                    .flatMap(Optional::stream)
                    .findFirst()
                    .or(() -> metric.whyNotIn(paced))
                    .ifPresent(why -> {
                        throw new UsageException("--primary " + primary + ": " + why);
                    });
            plan.primaryMetric(primary);
        } else if (paced.runsInBlocks()
                && specs.stream().allMatch(spec -> spec.metrics().isPresent())) {
            plan.primaryMetric(Metric.CPU_PER_REQUEST.key());
        } else if (specs.stream().anyMatch(spec -> spec.attachAddress().isPresent())) {
            plan.primaryMetric((paced.pace().closedLoop() ? Metric.THROUGHPUT : Metric.P50).key());
        } else if (paced.fullLoad().isPresent()) {
            plan.primaryMetric(Metric.FULL_LOAD_CPU_PER_REQUEST.key());
        }
        try {
            conditions(paced).check(paced);
        } catch (AnalysisException e) {
            throw new UsageException("--assert " + e.getMessage());
        }
        margin().ifPresent(plan::margin);
        if (aa) {
            plan.sameAsBaseline(base + SAME);
        }
    }

    /** Returns the conditions on a plan that {@link #addTo} made. */
    Conditions conditions(RunPlan plan) {
        return conditions(plan.targets().stream().map(TargetPlan::name).collect(Collectors.toList()));
    }

    private Conditions conditions(List<String> targets) {
        try {
            return Conditions.parse(assertions, targets);
        } catch (AnalysisException e) {
            throw new UsageException("--assert: " + e.getMessage());
        }
    }

    private OptionalDouble margin() {
        return margin == null ? OptionalDouble.empty() : OptionalDouble.of(share(margin));
    }

    /** Returns the share that {@code --margin} was given. */
    static double share(String text) {
        Matcher share = SHARE.matcher(text);
        double value = share.matches()
                ? Double.parseDouble(share.group(1)) / (share.group(2).isEmpty() ? 1 : 100)
                : 0;
        if (!(value > 0 && value < 1)) {
            throw new UsageException(
                    "--margin: expected a share above 0 and below 1 such as 1% or 0.01, found '" + text + "'");
        }
        return value;
    }

    /** Returns the fleet that the CPU is worth something in, where there is one. */
    Optional<Fleet> fleet() {
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
        return Optional.of(Fleet.of(amounts[0], amounts[1], amounts[2]));
    }
}
