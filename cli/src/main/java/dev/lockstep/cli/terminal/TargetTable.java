package dev.lockstep.cli.terminal;

import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.run.RunPhase;
import dev.lockstep.run.TargetState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/**
 * What targets did in the last second and the minute before, a row each, as wide as there is room. Used by one thread.
 */
final class TargetTable {
    private static final String MISSING = "-";
    private static final int REMEMBERED = 60;
    private static final double MIB = 1 << 20;
    private static final double NS_PER_MS = 1e6;
    /** From this share of its cap on, a target's memory is worth a look. */
    private static final double NEARLY_FULL = 0.9;

    private static final String GAP = "  ";
    private static final int MOST_OF_A_NAME = 20;
    private static final int MOST_OF_A_BAR = 12;

    /** A column; in the order in which they stand. */
    private enum Column {
        TARGET("target", 6),
        STATE("state", 24),
        RATE("req/s", 6),
        P50("p50 ms", 6),
        P99("p99 ms", 6),
        ERRORS("errors", 6),
        APPLICATION("app %", 5),
        JIT("JIT %", 5),
        MEMORY("MiB", 6),
        BAR("of cap", 6),
        RATES("req/s", 8),
        P99S("p99", 8),
        CPUS("app+JIT CPU", 11);

        /** Which of them there must be room for first. */
        static final List<Column> BY_WEIGHT =
                List.of(TARGET, RATE, P99, ERRORS, P50, APPLICATION, MEMORY, JIT, BAR, P99S, STATE, RATES, CPUS);
        /** Those that grow with the room that is left. */
        static final List<Column> GROWING = List.of(RATES, P99S, CPUS);

        private final String heading;
        private final int width;

        Column(String heading, int width) {
            this.heading = heading;
            this.width = width;
        }

        boolean isText() {
            return this == TARGET || this == STATE || this == BAR || GROWING.contains(this);
        }
    }

    /** A target, and what is remembered of it. */
    private static final class Row {
        final TargetState state;
        final OptionalLong capBytes;
        final Map<Column, Deque<OptionalDouble>> past = new EnumMap<>(Column.class);
        long failed;

        Row(TargetPlan plan) {
            state = new TargetState(plan.name());
            capBytes = plan.memoryLimitBytes();
            Column.GROWING.forEach(column -> past.put(column, new ArrayDeque<>()));
        }

        void remember(Column column, OptionalDouble value) {
            Deque<OptionalDouble> values = past.get(column);
            values.addLast(value);
            if (values.size() > REMEMBERED) {
                values.removeFirst();
            }
        }
    }

    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final String baseline;
    private final Symbols symbols;
    private final boolean colours;

    TargetTable(RunPlan plan, Symbols symbols, boolean colours) {
        plan.targets().forEach(target -> rows.put(target.name(), new Row(target)));
        baseline = plan.baseline();
        this.symbols = symbols;
        this.colours = colours;
    }

    /** Takes the phase that the run begins. */
    void phase(RunPhase phase) {
        for (Row row : rows.values()) {
            int before = row.state.launch();
            row.state.phase(phase);
            if (row.state.launch() > before) {
                // What failed before is not of this launch.
                row.failed = 0;
            }
        }
    }

    /** No target gets load. */
    void rest() {
        rows.values().forEach(row -> row.state.rests());
    }

    void ready(String target, int launch) {
        rows.get(target).state.ready(launch);
    }

    void failed(String target) {
        rows.get(target).state.failed();
    }

    /** Takes what a target did in a second. */
    void interval(String target, IntervalFigures figures) {
        Row row = rows.get(target);
        TargetState state = row.state;
        boolean shown = state.interval(figures);
        row.failed += figures.failed();
        if (!shown) {
            return;
        }
        row.remember(Column.RATES, state.rate());
        row.remember(Column.P99S, milliseconds(figures.p99Ns()));
        OptionalDouble application = state.applicationCpu();
        row.remember(
                Column.CPUS,
                application.isPresent()
                        ? OptionalDouble.of(
                                application.getAsDouble() + state.jitCpu().orElse(0))
                        : application);
    }

    private static OptionalDouble milliseconds(OptionalLong ns) {
        return ns.isPresent() ? OptionalDouble.of(ns.getAsLong() / NS_PER_MS) : OptionalDouble.empty();
    }

    /** Returns the heading and a line for each target, of so many columns at most. */
    List<AttributedString> lines(int columns) {
        Map<Column, Integer> widths = widths(columns);
        List<AttributedString> lines = new ArrayList<>();
        AttributedStringBuilder heading = new AttributedStringBuilder();
        widths.forEach((column, width) -> cell(heading, column, width, column.heading, style(AttributedStyle::bold)));
        lines.add(heading.columnSubSequence(0, columns).toAttributedString());
        for (Row row : rows.values()) {
            AttributedStringBuilder line = new AttributedStringBuilder();
            widths.forEach((column, width) -> cell(line, column, width, text(row, column, width), style(row, column)));
            lines.add(line.columnSubSequence(0, columns).toAttributedString());
        }
        return lines;
    }

    private Map<Column, Integer> widths(int columns) {
        Map<Column, Integer> widths = new EnumMap<>(Column.class);
        int left = columns + GAP.length();
        for (Column column : Column.BY_WEIGHT) {
            int width = width(column);
            boolean known = column != Column.BAR || rows.values().stream().anyMatch(row -> row.capBytes.isPresent());
            if (known) {
                left -= width + GAP.length();
                if (left < 0) {
                    left += width + GAP.length();
                    break;
                }
                widths.put(column, width);
            }
        }
        if (widths.containsKey(Column.BAR)) {
            int more = Math.min(left, MOST_OF_A_BAR - Column.BAR.width);
            widths.merge(Column.BAR, more, Integer::sum);
            left -= more;
        }
        List<Column> growing =
                Column.GROWING.stream().filter(widths::containsKey).collect(Collectors.toList());
        for (int i = 0; i < growing.size(); i++) {
            int share = left / (growing.size() - i);
            int before = widths.get(growing.get(i));
            widths.put(growing.get(i), Math.min(REMEMBERED, before + share));
            left -= widths.get(growing.get(i)) - before;
        }
        return widths;
    }

    private int width(Column column) {
        if (column == Column.TARGET) {
            int widest = rows.keySet().stream().mapToInt(String::length).max().orElse(0);
            return Math.max(column.width, Math.min(MOST_OF_A_NAME, widest));
        }
        if (column == Column.MEMORY) {
            return rows.values().stream()
                    .filter(row -> row.capBytes.isPresent())
                    .mapToInt(row -> 2 * mib(row.capBytes.getAsLong()).length() + 1)
                    .reduce(column.width, Math::max);
        }
        return column.width;
    }

    private static void cell(
            AttributedStringBuilder line, Column column, int width, String text, AttributedStyle style) {
        if (line.length() > 0) {
            line.append(GAP);
        }
        String cut = text.length() > width ? text.substring(0, width) : text;
        String pad = " ".repeat(width - cut.length());
        line.append(column.isText() ? "" : pad).append(cut, style).append(column.isText() ? pad : "");
    }

    private String text(Row row, Column column, int width) {
        TargetState state = row.state;
        switch (column) {
            case TARGET:
                return Terminal.printable(state.name());
            case STATE:
                return Terminal.printable(state.text());
            case RATE:
                return digits(state.rate());
            case P50:
                return digits(last(state, IntervalFigures::p50Ns));
            case P99:
                return digits(last(state, IntervalFigures::p99Ns));
            case ERRORS:
                return state.launch() == 0 ? MISSING : String.valueOf(row.failed);
            case APPLICATION:
                return digits(state.applicationCpu());
            case JIT:
                return digits(state.jitCpu());
            case MEMORY:
                return state.memory().isPresent()
                        ? mib(state.memory().getAsLong())
                                + (row.capBytes.isPresent() ? "/" + mib(row.capBytes.getAsLong()) : "")
                        : MISSING;
            case BAR:
                return full(row).isPresent() ? symbols.bar(full(row).getAsDouble(), width) : "";
            default:
                return symbols.spark(row.past.get(column), highest(column, width), width);
        }
    }

    private static OptionalDouble last(TargetState state, Function<IntervalFigures, OptionalLong> time) {
        return milliseconds(state.last().map(time).orElse(OptionalLong.empty()));
    }

    /** Returns how much of its cap a target uses. */
    private static OptionalDouble full(Row row) {
        OptionalLong used = row.state.memory();
        return used.isPresent() && row.capBytes.isPresent()
                ? OptionalDouble.of((double) used.getAsLong() / row.capBytes.getAsLong())
                : OptionalDouble.empty();
    }

    /** Returns the highest value that is shown of any target, so that all have one scale. */
    private double highest(Column column, int width) {
        return rows.values().stream()
                .flatMap(row -> row.past.get(column).stream()
                        .skip(Math.max(0, row.past.get(column).size() - width)))
                .flatMapToDouble(OptionalDouble::stream)
                .max()
                .orElse(0);
    }

    private AttributedStyle style(UnaryOperator<AttributedStyle> change) {
        return colours ? change.apply(AttributedStyle.DEFAULT) : AttributedStyle.DEFAULT;
    }

    private AttributedStyle style(Row row, Column column) {
        boolean bad = column == Column.ERRORS && row.failed > 0
                || column == Column.BAR && full(row).orElse(0) >= NEARLY_FULL;
        if (bad) {
            return style(plain -> plain.bold().foreground(AttributedStyle.RED));
        }
        boolean isBaseline = column == Column.TARGET && row.state.name().equals(baseline);
        if (isBaseline) {
            return style(AttributedStyle::bold);
        }
        boolean drawn = column == Column.BAR || Column.GROWING.contains(column);
        return drawn ? style(plain -> plain.foreground(AttributedStyle.CYAN)) : AttributedStyle.DEFAULT;
    }

    private static String mib(long bytes) {
        return String.format(Locale.ROOT, "%.0f", bytes / MIB);
    }

    private static String digits(OptionalDouble found) {
        if (found.isEmpty()) {
            return MISSING;
        }
        double value = found.getAsDouble();
        return value == 0
                ? "0"
                : String.format(Locale.ROOT, value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f", value);
    }
}
