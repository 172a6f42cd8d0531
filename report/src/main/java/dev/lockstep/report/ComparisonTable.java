package dev.lockstep.report;

import dev.lockstep.analysis.LaunchRatios;
import dev.lockstep.analysis.Metric;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.PerRequest;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All targets of a run in one table, a line each, with the same units down each column; below it every other target's
 * ratio to the baseline, made of launches as that of a verdict, so that both are the same. There are several of them,
 * each with what belongs together and fits a terminal.
 */
public final class ComparisonTable {
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SEC = 1e9;
    private static final double BYTES_PER_KIB = 1 << 10;
    private static final double BYTES_PER_MIB = 1 << 20;

    private static final String TARGET = "target";
    /** Behind the name of a target that did, so that it stands in the table itself. */
    static final String DIED = " DIED";
    /** From this width on the first screen has more columns. */
    private static final int WIDE = 160;

    private static final List<Level> LEVELS = List.of(Level.P50, Level.P90, Level.P95, Level.P99, Level.P999);

    /** A column: its figure of a target, absent where it was not measured or is not supported. */
    private static final class Column {
        private final String heading;
        private final Function<TargetResult, OptionalDouble> figure;
        /** The same of a launch, for the ratio. */
        private final Function<LaunchResult, OptionalDouble> each;
        /** A plain count has no ratio, and no decimals but as a mean. */
        private final boolean count;
        /** What the target used, which is not known of every one. */
        private final boolean cost;
        /** Whether requests without an answer reach it. */
        private final Predicate<Percentiles> atLeast;
        /** Known before a target is measured, so that it stands though it died then. */
        private final boolean ofStart;

        private Column(
                String heading,
                boolean count,
                boolean cost,
                boolean ofStart,
                Function<TargetResult, OptionalDouble> figure,
                Function<LaunchResult, OptionalDouble> each,
                Predicate<Percentiles> atLeast) {
            this.heading = heading;
            this.atLeast = atLeast;
            this.cost = cost;
            this.ofStart = ofStart;
            this.figure = figure;
            this.each = each;
            this.count = count;
        }

        static Column ofLoad(
                String heading,
                Function<TargetResult, OptionalDouble> figure,
                Function<LaunchResult, OptionalDouble> each,
                Predicate<Percentiles> atLeast) {
            return new Column(heading, false, false, false, figure, each, atLeast);
        }

        static Column ofCost(
                String heading,
                Function<TargetResult, OptionalDouble> figure,
                Function<LaunchResult, OptionalDouble> each) {
            return new Column(heading, false, true, false, figure, each, times -> false);
        }

        static Column ofStart(
                String heading,
                Function<TargetResult, OptionalDouble> figure,
                Function<LaunchResult, OptionalDouble> each) {
            return new Column(heading, false, true, true, figure, each, times -> false);
        }

        static Column ofCount(String heading, boolean cost, Function<TargetResult, OptionalDouble> figure) {
            return new Column(heading, true, cost, false, figure, launch -> OptionalDouble.empty(), times -> false);
        }
    }

    /** What stands above the first screen's columns with CPU times. */
    static final String OVER_CPU = "CPU us/request";

    /** The headings of these columns; a target that is no JVM has the first alone. */
    private static final List<String> CPU = List.of("all", "app", "JIT", "GC");

    private static final List<Column> LOAD = load();
    private static final List<Column> REQUESTS_AND_MEMORY = requestsAndMemory();
    private static final List<Column> LAUNCHES = launches();
    private static final List<Column> STARTS = starts();
    private static final List<Column> SCREEN = screen();
    private static final List<Column> WIDE_SCREEN = wideScreen();

    private final RunResult result;
    private final String title;
    private final String heading;
    private final Distrust distrust;
    /** Whether there are rates and latencies in it. */
    private final boolean ofLoad;
    /** Without the costs that were measured of no target, as of servers that ran already. */
    private final List<Column> shown;

    private final int width;

    private ComparisonTable(RunResult result, String title, String heading, List<Column> columns, boolean ofLoad) {
        this(result, title, heading, columns, ofLoad, Lines.WIDTH);
    }

    private ComparisonTable(
            RunResult result, String title, String heading, List<Column> columns, boolean ofLoad, int width) {
        this.result = result;
        this.title = title;
        this.width = width;
        this.ofLoad = ofLoad;
        distrust = new Distrust(result);
        this.heading = distrust.spoils(ofLoad) ? Distrust.SIGN : heading;
        shown = columns.stream()
                .filter(column -> !column.cost
                        || result.targets().stream()
                                .anyMatch(target -> column.figure.apply(target).isPresent()))
                .collect(Collectors.toList());
    }

    /** Returns the table of what the targets did. */
    static ComparisonTable ofLoad(RunResult result) {
        return new ComparisonTable(result, "Load: rates, response times and errors", TARGET, LOAD, true);
    }

    /**
     * Returns the tables of what they cost for each request, of memory, of what a launch cost, and of how they started
     * and warmed up; one is empty where nothing is known of that.
     */
    static List<ComparisonTable> ofCosts(RunResult result) {
        return List.of(
                new ComparisonTable(result, "Cost of a request, and memory", TARGET, REQUESTS_AND_MEMORY, false),
                new ComparisonTable(
                        result,
                        "Cost of a " + result.plan().unit(),
                        result.plan().launches() > 1 ? "per " + result.plan().unit() : TARGET,
                        LAUNCHES,
                        false),
                new ComparisonTable(result, "Start and warm-up", TARGET, STARTS, false));
    }

    /** Returns the one table of the first screen, for a terminal of so many columns. */
    static ComparisonTable ofScreen(RunResult result, int width) {
        return new ComparisonTable(result, "", TARGET, width >= WIDE ? WIDE_SCREEN : SCREEN, true, width);
    }

    /** Returns where, in the line of its headings, the last column with CPU times ends; 0 without one. */
    int endOfCpu(String line) {
        int end = 0;
        for (Column column : shown) {
            if (CPU.contains(column.heading)) {
                Matcher at = Pattern.compile("  " + column.heading + "(?=  |$)").matcher(line);
                end = at.find() ? at.end() : end;
            }
        }
        return end;
    }

    private static List<Column> wideScreen() {
        List<Column> columns = new ArrayList<>(named(LOAD, "req/s", "p50 ms", "p90 ms", "p95 ms", "p99 ms", "max ms"));
        columns.addAll(SCREEN.subList(3, SCREEN.size() - 2));
        columns.addAll(named(REQUESTS_AND_MEMORY, "KiB/req", "old MiB", "RSS MiB"));
        columns.addAll(named(LAUNCHES, "GC cycles", "pause ms"));
        columns.addAll(named(STARTS, "first answer s"));
        columns.addAll(named(LOAD, "errors"));
        return columns;
    }

    private static List<Column> screen() {
        List<Column> columns = new ArrayList<>();
        columns.addAll(named(LOAD, "req/s", "p50 ms", "p99 ms"));
        columns.add(perRequest(CPU.get(0), PerRequest::cpuNsPerRequest, NS_PER_US));
        columns.add(perRequest(CPU.get(1), PerRequest::appCpuNsPerRequest, NS_PER_US));
        columns.add(perRequest(CPU.get(2), PerRequest::jitCpuNsPerRequest, NS_PER_US));
        columns.add(perRequest(CPU.get(3), PerRequest::gcCpuNsPerRequest, NS_PER_US));
        columns.addAll(named(REQUESTS_AND_MEMORY, "RSS MiB"));
        columns.addAll(named(LOAD, "errors"));
        return columns;
    }

    private static List<Column> named(List<Column> columns, String... headings) {
        return columns.stream()
                .filter(column -> List.of(headings).contains(column.heading))
                .collect(Collectors.toList());
    }

    private static List<Column> requestsAndMemory() {
        return List.of(
                perRequest("CPU us/req", PerRequest::cpuNsPerRequest, NS_PER_US),
                perRequest("app us/req", PerRequest::appCpuNsPerRequest, NS_PER_US),
                perRequest("JIT us/req", PerRequest::jitCpuNsPerRequest, NS_PER_US),
                perRequest("GC us/req", PerRequest::gcCpuNsPerRequest, NS_PER_US),
                perRequest("KiB/req", PerRequest::allocatedBytesPerRequest, BYTES_PER_KIB),
                Column.ofCost(
                        "old MiB",
                        target -> scaled(target.costs().get(Cost.OLD_GEN_USED), BYTES_PER_MIB),
                        launch -> of(launch, Cost.OLD_GEN_USED)),
                Column.ofCost(
                        "RSS MiB", target -> scaled(target.rssBytes(), BYTES_PER_MIB), launch -> of(launch, Cost.RSS)));
    }

    private static Column perRequest(String heading, Function<PerRequest, OptionalDouble> figure, double unit) {
        return Column.ofCost(
                heading,
                target -> scaled(figure.apply(target.perRequest()), unit),
                launch -> figure.apply(launch.perRequest()));
    }

    private static List<Column> launches() {
        return List.of(
                perLaunch("JIT CPU s", Cost.JIT_CPU, NS_PER_SEC),
                Column.ofCount("GC cycles", true, target -> target.perLaunch(Cost.GC_CYCLES)),
                perLaunch("pause ms", Cost.GC_PAUSE, NS_PER_MS));
    }

    private static List<Column> starts() {
        return List.of(
                started("JVM ready s", Startup::jvmNs),
                started("port open s", Startup::portNs),
                started("first answer s", Startup::firstAnswerNs),
                Column.ofStart(
                        "steady after s",
                        target -> scaled(steadyNs(target.warmupToSteady()), NS_PER_SEC),
                        launch -> scaled(steadyNs(launch.warmup()), 1)),
                before("CPU until steady s", Metric.WARMUP_CPU),
                before("first minute CPU s", Metric.FIRST_MINUTE_CPU),
                Column.ofCost(
                        "full load us/req",
                        target -> scaled(Metric.FULL_LOAD_CPU_PER_REQUEST.of(target), NS_PER_US),
                        Metric.FULL_LOAD_CPU_PER_REQUEST::of));
    }

    private static Column before(String heading, Metric metric) {
        return Column.ofStart(heading, target -> scaled(metric.of(target), NS_PER_SEC), launch -> metric.of(launch));
    }

    private static Column started(String heading, Function<Startup, OptionalLong> time) {
        return Column.ofStart(
                heading,
                target -> scaled(target.startup().map(time).orElse(OptionalLong.empty()), NS_PER_SEC),
                launch -> scaled(launch.startup().map(time).orElse(OptionalLong.empty()), 1));
    }

    private static OptionalLong steadyNs(Optional<Warmup> warmup) {
        return warmup.filter(Warmup::isSteady).map(Warmup::durationNs).orElse(OptionalLong.empty());
    }

    private static Column perLaunch(String heading, Cost cost, double unit) {
        return Column.ofCost(heading, target -> scaled(target.perLaunch(cost), unit), launch -> of(launch, cost));
    }

    private static OptionalDouble of(LaunchResult launch, Cost cost) {
        return launch.isMeasured() ? scaled(launch.costs().get(cost), 1) : OptionalDouble.empty();
    }

    private static List<Column> load() {
        List<Column> columns = new ArrayList<>();
        columns.add(Column.ofLoad(
                "req/s",
                target -> completed(target) ? Metric.THROUGHPUT.of(target) : OptionalDouble.empty(),
                Metric.THROUGHPUT::of,
                times -> false));
        for (Level level : LEVELS) {
            columns.add(Column.ofLoad(
                    level.label() + " ms",
                    target -> percentile(target.responseTime(), level, NS_PER_MS),
                    launch -> percentile(launch.responseTime(), level, 1),
                    times -> !times.stands(level)));
        }
        columns.add(Column.ofLoad(
                "max ms",
                target -> answered(target)
                        ? OptionalDouble.of(target.responseTime().orElseThrow().max() / NS_PER_MS)
                        : OptionalDouble.empty(),
                launch -> launch.responseTime()
                        .filter(times -> times.count() > 0)
                        .map(times -> OptionalDouble.of(times.max()))
                        .orElseGet(OptionalDouble::empty),
                times -> times.withoutAnswer() > 0));
        columns.add(Column.ofCount("errors", false, target -> target.counts()
                .map(LoadCounts::failed)
                .map(OptionalDouble::of)
                .orElseGet(OptionalDouble::empty)));
        return columns;
    }

    /** Whether any request was, with an answer or by design without one. */
    private static boolean completed(TargetResult target) {
        return target.counts().filter(counts -> counts.completed > 0).isPresent();
    }

    private static boolean answered(TargetResult target) {
        return target.responseTime().map(Percentiles::count).orElse(0L) > 0;
    }

    private static OptionalDouble percentile(Optional<Percentiles> times, Level level, double unit) {
        return times.filter(all -> all.count() > 0 && all.supports(level))
                .map(all -> OptionalDouble.of(all.at(level) / unit))
                .orElseGet(OptionalDouble::empty);
    }

    private static OptionalDouble scaled(OptionalDouble value, double unit) {
        return value.isPresent() ? OptionalDouble.of(value.getAsDouble() / unit) : value;
    }

    private static OptionalDouble scaled(OptionalLong value, double unit) {
        return value.isPresent() ? OptionalDouble.of(value.getAsLong() / unit) : OptionalDouble.empty();
    }

    /** Returns the table with what stands above and below it, each line with its end. */
    @Override
    public String toString() {
        if (shown.isEmpty()) {
            return "";
        }
        List<String> lines = new ArrayList<>(warning().isEmpty() ? List.of() : Lines.wrapped(warning()));
        rows().lines().forEach(lines::add);
        remarks().forEach(remark -> lines.addAll(Lines.wrapped(remark)));
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    /** Returns what is in it; empty for the table of the first screen. */
    public String title() {
        return title;
    }

    /** Returns why its figures are not to be trusted, or which of the run's are not; empty for a valid run. */
    public String warning() {
        return distrust.caption(ofLoad);
    }

    /** Says whether its own figures are not to be trusted. */
    public boolean isSpoilt() {
        return distrust.spoils(ofLoad);
    }

    /** Returns what the rates of targets that died are of, a line for each. */
    public List<String> remarks() {
        return !ofLoad
                ? List.of()
                : result.targets().stream()
                        .filter(target ->
                                target.exit().isPresent() && target.measuredNs().isPresent())
                        .map(target -> target.name() + " died: its rate is that of the "
                                + Quantities.duration(target.measuredNs().getAsLong())
                                + " of its own load"
                                + (owed(target) ? ", and all that it still owed are errors" : ""))
                        .collect(Collectors.toList());
    }

    private static boolean owed(TargetResult target) {
        return target.counts()
                .filter(counts -> counts.errors(ErrorKind.TARGET_DIED) > 0)
                .isPresent();
    }

    /** Returns the headings and the rows of the targets and their ratios alone. */
    String rows() {
        Table table = new Table("", width);
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
                    .anyMatch(cell -> ofLoad && !isOfTheDead(target, baseline)
                            || !cell.isEmpty() && !cell.equals(Figures.ABSENT))) {
                if (!any) {
                    // The figures above are of all launches together, which another ratio may divide.
                    table.row(List.of("Ratio to " + baseline.name()
                            + (result.targets().stream().anyMatch(ComparisonTable::hasSeveral)
                                    ? ", mean of the " + (result.plan().runsInBlocks() ? "blocks:" : "launches:")
                                    : ":")));
                    any = true;
                }
                table.row(ratios);
            }
        }
        return table.toString();
    }

    /** Returns what stands above the names. */
    public String heading() {
        return heading;
    }

    /** Returns the name of a target as it stands in the table. */
    public String label(String target) {
        return target + (found(target).exit().isPresent() ? DIED : "");
    }

    /** Returns what stands above its columns, but that of the names. */
    public List<String> headings() {
        return shown.stream().map(column -> column.heading).collect(Collectors.toList());
    }

    /** Returns the cells of a target, but its name; {@code -} for what does not exist. */
    public List<String> cells(String target) {
        return figures(found(target)).subList(1, shown.size() + 1);
    }

    /** Returns the ratios of a target, as verdicts have them; none of the baseline. */
    public List<String> ratios(String target) {
        TargetResult baseline = result.baseline();
        return found(target) == baseline
                ? List.of()
                : ratios(found(target), baseline).subList(1, shown.size() + 1);
    }

    private TargetResult found(String target) {
        return result.target(target).orElseThrow();
    }

    private List<String> figures(TargetResult target) {
        List<String> cells = new ArrayList<>(List.of(label(target.name())));
        for (Column column : shown) {
            OptionalDouble figure = column.figure.apply(target);
            cells.add(
                    figure.isEmpty()
                            ? Figures.ABSENT
                            : column.count && figure.getAsDouble() == Math.rint(figure.getAsDouble())
                                    ? Figures.format("%.0f", figure.getAsDouble())
                                    : (target.responseTime()
                                                            .filter(column.atLeast)
                                                            .isPresent()
                                                    ? Figures.AT_LEAST
                                                    : "")
                                            + Figures.threeDigits(figure.getAsDouble()));
        }
        return cells;
    }

    private List<String> ratios(TargetResult target, TargetResult baseline) {
        List<String> cells = new ArrayList<>(List.of(target.name()));
        for (Column column : shown) {
            OptionalDouble ratio = column.count ? OptionalDouble.empty() : ratio(column, target, baseline);
            cells.add(column.count ? "" : ratio.isPresent() ? Figures.ratio(ratio.getAsDouble()) : Figures.ABSENT);
        }
        return cells;
    }

    /** Returns the ratio as a verdict has it; that of the figures where one launch or none made them. */
    private OptionalDouble ratio(Column column, TargetResult target, TargetResult baseline) {
        OptionalDouble mine = column.figure.apply(target);
        OptionalDouble base = column.figure.apply(baseline);
        if (mine.isEmpty()
                || base.isEmpty()
                || !column.ofStart && isOfTheDead(target, baseline)
                || isAtLeast(column, target)
                || isAtLeast(column, baseline)) {
            return OptionalDouble.empty();
        }
        OptionalDouble ratio = LaunchRatios.of(result).of(target, baseline, column.each);
        boolean several = hasSeveral(target) || hasSeveral(baseline);
        double figures = several ? Double.NaN : mine.getAsDouble() / base.getAsDouble();
        double found = ratio.orElse(figures);
        return Double.isFinite(found) ? OptionalDouble.of(found) : OptionalDouble.empty();
    }

    /** A run of several that was interrupted in the first one has figures of that. */
    private static boolean hasSeveral(TargetResult target) {
        return target.launches().size() > 1;
    }

    /** Whether one of the two died, and they have no launch that both survived: they did not do the same work. */
    private static boolean isOfTheDead(TargetResult target, TargetResult baseline) {
        return (target.exit().isPresent() || baseline.exit().isPresent())
                && target.launches().stream()
                        .filter(launch -> launch.exit().isEmpty())
                        .noneMatch(launch -> baseline.launches().stream()
                                .anyMatch(other -> other.launch() == launch.launch()
                                        && other.exit().isEmpty()));
    }

    private static boolean isAtLeast(Column column, TargetResult target) {
        return Stream.concat(
                        Stream.of(target.responseTime()),
                        target.launches().stream().map(LaunchResult::responseTime))
                .flatMap(Optional::stream)
                .anyMatch(column.atLeast);
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
