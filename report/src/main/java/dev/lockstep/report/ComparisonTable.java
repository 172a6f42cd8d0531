package dev.lockstep.report;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.Startup;
import dev.lockstep.measurement.TargetResult;
import dev.lockstep.measurement.Warmup;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All targets of a run in one table, a line each, with the same units down each column; below it every other target's
 * figures divided by those of the baseline. There are several of them, each with what belongs together and fits a terminal.
 */
final class ComparisonTable {
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SEC = 1e9;
    private static final double BYTES_PER_KIB = 1 << 10;
    private static final double BYTES_PER_MIB = 1 << 20;

    private static final String TARGET = "target";
    private static final List<Level> LEVELS = List.of(Level.P50, Level.P90, Level.P99, Level.P999);

    /** A column: its figure of a target, absent where it was not measured or is not supported. */
    private static final class Column {
        private final String heading;
        private final Function<TargetResult, OptionalDouble> figure;
        /** A plain count has no ratio, and no decimals but as a mean. */
        private final boolean count;
        /** What the target used, which is not known of every one. */
        private final boolean cost;

        Column(String heading, boolean count, boolean cost, Function<TargetResult, OptionalDouble> figure) {
            this.heading = heading;
            this.cost = cost;
            this.figure = figure;
            this.count = count;
        }
    }

    private static final List<Column> LOAD = load();
    private static final List<Column> REQUESTS_AND_MEMORY = requestsAndMemory();
    private static final List<Column> LAUNCHES = launches();
    private static final List<Column> STARTS = starts();

    private final RunResult result;
    private final String heading;
    /** Without the costs that were measured of no target, as of servers that ran already. */
    private final List<Column> shown;

    private final boolean emptyRatiosToo;

    private ComparisonTable(RunResult result, String heading, List<Column> columns, boolean emptyRatiosToo) {
        this.result = result;
        this.heading = heading;
        this.emptyRatiosToo = emptyRatiosToo;
        shown = columns.stream()
                .filter(column -> !column.cost
                        || result.targets().stream()
                                .anyMatch(target -> column.figure.apply(target).isPresent()))
                .collect(Collectors.toList());
    }

    /** Returns the table of what the targets did. */
    static ComparisonTable ofLoad(RunResult result) {
        return new ComparisonTable(result, TARGET, LOAD, true);
    }

    /**
     * Returns the tables of what they cost for each request, of memory, of what a launch cost, and of how they started and
     * warmed up; one is empty where nothing is known of that.
     */
    static List<ComparisonTable> ofCosts(RunResult result) {
        return List.of(
                new ComparisonTable(result, TARGET, REQUESTS_AND_MEMORY, false),
                new ComparisonTable(result, result.plan().launches() > 1 ? "per launch" : TARGET, LAUNCHES, false),
                new ComparisonTable(result, TARGET, STARTS, false));
    }

    private static List<Column> requestsAndMemory() {
        return List.of(
                new Column("user CPU us/req", false, true, target -> scaled(target.userCpuNsPerRequest(), NS_PER_US)),
                new Column(
                        "alloc KiB/req",
                        false,
                        true,
                        target -> scaled(target.perRequest(Cost.ALLOCATED), BYTES_PER_KIB)),
                new Column(
                        "old MiB", false, true, target -> scaled(target.costs().get(Cost.OLD_GEN_USED), BYTES_PER_MIB)),
                new Column("RSS MiB", false, true, target -> scaled(target.rssBytes(), BYTES_PER_MIB)));
    }

    private static List<Column> launches() {
        return List.of(
                perLaunch("app CPU s", Cost.APPLICATION_CPU, NS_PER_SEC),
                perLaunch("JIT CPU s", Cost.JIT_CPU, NS_PER_SEC),
                perLaunch("GC CPU s", Cost.GC_CPU, NS_PER_SEC),
                new Column("GC cycles", true, true, target -> target.perLaunch(Cost.GC_CYCLES)),
                perLaunch("pause ms", Cost.GC_PAUSE, NS_PER_MS));
    }

    private static List<Column> starts() {
        return List.of(
                new Column("JVM ready s", false, true, target -> started(target, Startup::jvmNs)),
                new Column("port open s", false, true, target -> started(target, Startup::portNs)),
                new Column("first answer s", false, true, target -> started(target, Startup::firstAnswerNs)),
                new Column(
                        "steady after s",
                        false,
                        true,
                        target -> scaled(
                                target.warmup().map(Warmup::durationNs).orElse(OptionalLong.empty()), NS_PER_SEC)));
    }

    private static Column perLaunch(String heading, Cost cost, double unit) {
        return new Column(heading, false, true, target -> scaled(target.perLaunch(cost), unit));
    }

    private static OptionalDouble started(TargetResult target, Function<Startup, OptionalLong> time) {
        return scaled(target.startup().map(time).orElse(OptionalLong.empty()), NS_PER_SEC);
    }

    private static List<Column> load() {
        List<Column> columns = new ArrayList<>();
        columns.add(new Column(
                "req/s",
                false,
                false,
                target -> answered(target) ? target.throughputPerSec() : OptionalDouble.empty()));
        for (Level level : LEVELS) {
            columns.add(new Column(level.label() + " ms", false, false, target -> percentile(target, level)));
        }
        columns.add(new Column(
                "max ms",
                false,
                false,
                target -> answered(target)
                        ? OptionalDouble.of(target.responseTime().orElseThrow().max() / NS_PER_MS)
                        : OptionalDouble.empty()));
        columns.add(new Column("errors", true, false, target -> target.counts()
                .map(LoadCounts::errors)
                .map(OptionalDouble::of)
                .orElseGet(OptionalDouble::empty)));
        return columns;
    }

    private static boolean answered(TargetResult target) {
        return target.responseTime().map(Percentiles::count).orElse(0L) > 0;
    }

    private static OptionalDouble percentile(TargetResult target, Level level) {
        return answered(target) && target.responseTime().orElseThrow().supports(level)
                ? OptionalDouble.of(target.responseTime().orElseThrow().at(level) / NS_PER_MS)
                : OptionalDouble.empty();
    }

    private static OptionalDouble scaled(OptionalDouble value, double unit) {
        return value.isPresent() ? OptionalDouble.of(value.getAsDouble() / unit) : value;
    }

    private static OptionalDouble scaled(OptionalLong value, double unit) {
        return value.isPresent() ? OptionalDouble.of(value.getAsLong() / unit) : OptionalDouble.empty();
    }

    @Override
    public String toString() {
        if (shown.isEmpty()) {
            return "";
        }
        Table table = new Table("");
        List<String> headings = new ArrayList<>(List.of(heading));
        shown.forEach(column -> headings.add(column.heading));
        table.row(headings);
        result.targets().forEach(target -> table.row(figures(target)));
        TargetResult baseline = result.baseline();
        boolean any = false;
        for (TargetResult target : result.targets()) {
            List<String> ratios = target == baseline ? List.of() : ratios(target, baseline);
            if (ratios.stream()
                    .skip(1)
                    .anyMatch(cell -> emptyRatiosToo || !cell.isEmpty() && !cell.equals(Figures.ABSENT))) {
                if (!any) {
                    table.row(List.of("Ratio to " + baseline.name() + ":"));
                    any = true;
                }
                table.row(ratios);
            }
        }
        return table.toString();
    }

    private List<String> figures(TargetResult target) {
        List<String> cells = new ArrayList<>(List.of(target.name()));
        for (Column column : shown) {
            OptionalDouble figure = column.figure.apply(target);
            cells.add(
                    figure.isEmpty()
                            ? Figures.ABSENT
                            : column.count && figure.getAsDouble() == Math.rint(figure.getAsDouble())
                                    ? Figures.format("%.0f", figure.getAsDouble())
                                    : Figures.threeDigits(figure.getAsDouble()));
        }
        return cells;
    }

    private List<String> ratios(TargetResult target, TargetResult baseline) {
        List<String> cells = new ArrayList<>(List.of(target.name()));
        for (Column column : shown) {
            OptionalDouble mine = column.figure.apply(target);
            OptionalDouble base = column.figure.apply(baseline);
            boolean exists = mine.isPresent() && base.isPresent() && base.getAsDouble() > 0;
            cells.add(
                    column.count
                            ? ""
                            : exists ? Figures.ratio(mine.getAsDouble() / base.getAsDouble()) : Figures.ABSENT);
        }
        return cells;
    }

    /** Returns the percentiles that are left out of the table because a target has too few answers for them. */
    List<Level> refused() {
        TreeSet<Level> refused = new TreeSet<>();
        for (TargetResult target : result.targets()) {
            for (Level level : LEVELS) {
                if (answered(target) && !target.responseTime().orElseThrow().supports(level)) {
                    refused.add(level);
                }
            }
        }
        return new ArrayList<>(refused);
    }
}
