package dev.lockstep.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.IntervalFigures;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * What one target did over time, in so few stretches that a page can hold them: each is one interval or as many as are
 * needed, of one launch and either of its warm-up or of its measured phase. Used by one thread.
 *
 * <p>Totals are summed, and figures per request and second made of the sums. Of latencies a stretch has the mean,
 * weighted by requests, and of those and of rates and levels the highest of its intervals too, so that no peak is lost.
 * A day of four targets comes to some megabytes.
 */
final class Stretches {
    /** A stretch is wider than a pixel only beyond this. */
    private static final int MOST = 3600;

    private static final int DIGITS = 4;
    private static final double NS_PER_SEC = 1e9;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_US = 1e3;

    /** Intervals of one launch and phase, together. */
    private static final class Stretch {
        final int launch;
        final boolean warmup;
        final long startMs;
        int intervals;
        long lengthNs;
        long completed;
        long errors;
        double highestRate;
        double highestErrors;
        double p50Sum;
        double p99Sum;
        long timed;
        long highestP50;
        long highestP99;
        final long[] totals = new long[Cost.values().length];
        final boolean[] known = new boolean[Cost.values().length];
        final long[] highest = new long[Cost.values().length];

        Stretch(IntervalFigures figures) {
            launch = figures.launch();
            warmup = figures.phase() == Interval.Phase.WARM_UP;
            startMs = figures.startMs();
            intervals = 1;
            lengthNs = figures.endNs() - figures.startNs();
            completed = figures.completed();
            errors = figures.errors();
            highestRate = rate(completed);
            highestErrors = rate(errors);
            OptionalLong p50 = figures.p50Ns();
            OptionalLong p99 = figures.p99Ns();
            if (p50.isPresent() && p99.isPresent()) {
                timed = Math.max(1, completed);
                p50Sum = (double) p50.getAsLong() * timed;
                p99Sum = (double) p99.getAsLong() * timed;
                highestP50 = p50.getAsLong();
                highestP99 = p99.getAsLong();
            }
            for (Cost cost : Cost.values()) {
                OptionalLong value = figures.costs().get(cost);
                known[cost.ordinal()] = value.isPresent();
                totals[cost.ordinal()] = value.orElse(0);
                highest[cost.ordinal()] = value.orElse(0);
            }
        }

        boolean isWith(Stretch later) {
            return launch == later.launch && warmup == later.warmup;
        }

        void add(Stretch later) {
            intervals += later.intervals;
            lengthNs += later.lengthNs;
            completed += later.completed;
            errors += later.errors;
            highestRate = Math.max(highestRate, later.highestRate);
            highestErrors = Math.max(highestErrors, later.highestErrors);
            p50Sum += later.p50Sum;
            p99Sum += later.p99Sum;
            timed += later.timed;
            highestP50 = Math.max(highestP50, later.highestP50);
            highestP99 = Math.max(highestP99, later.highestP99);
            for (Cost cost : Cost.values()) {
                int i = cost.ordinal();
                known[i] &= later.known[i];
                totals[i] = cost.kind() == Cost.Kind.TOTAL ? totals[i] + later.totals[i] : later.totals[i];
                highest[i] = Math.max(highest[i], later.highest[i]);
            }
        }

        private double rate(long count) {
            return lengthNs == 0 ? 0 : count * NS_PER_SEC / lengthNs;
        }

        Double of(Cost cost) {
            return known[cost.ordinal()] ? (double) totals[cost.ordinal()] : null;
        }

        Double perRequest(Cost cost, double unit) {
            Double total = of(cost);
            return total == null || completed == 0 ? null : Double.valueOf(total / completed / unit);
        }
    }

    private final List<Stretch> stretches = new ArrayList<>();
    /** How many intervals a stretch has, as long as its launch and phase have more. */
    private int width = 1;

    private long firstMs = Long.MAX_VALUE;
    private long lastMs = Long.MIN_VALUE;

    /** Takes the next interval; not of full load, beside which all else would lie flat. */
    void add(IntervalFigures figures) {
        if (figures.phase() == Interval.Phase.FULL_LOAD) {
            return;
        }
        Stretch next = new Stretch(figures);
        firstMs = Math.min(firstMs, next.startMs);
        lastMs = Math.max(lastMs, next.startMs + next.lengthNs / 1_000_000);
        append(stretches, next);
        if (stretches.size() > 2 * MOST) {
            width *= 2;
            List<Stretch> wider = new ArrayList<>();
            stretches.forEach(stretch -> append(wider, stretch));
            stretches.clear();
            stretches.addAll(wider);
        }
    }

    private void append(List<Stretch> to, Stretch next) {
        Stretch last = to.isEmpty() ? null : to.get(to.size() - 1);
        if (last != null && last.isWith(next) && last.intervals + next.intervals <= width) {
            last.add(next);
        } else {
            to.add(next);
        }
    }

    int width() {
        return width;
    }

    /** When the first began, in epoch milliseconds; the greatest number for none. */
    long firstMs() {
        return firstMs;
    }

    /** When the last ended, likewise; the least number for none. */
    long lastMs() {
        return lastMs;
    }

    /**
     * Returns for each launch, or for the warm-up of each, when it began and ended, in seconds.
     *
     * @param fromMs what 0 s are
     */
    List<double[]> ranges(long fromMs, boolean warmUps) {
        List<double[]> ranges = new ArrayList<>();
        int launch = 0;
        for (Stretch stretch : stretches) {
            if (warmUps && !stretch.warmup) {
                continue;
            }
            double from = (stretch.startMs - fromMs) / 1e3;
            double to = from + stretch.lengthNs / NS_PER_SEC;
            if (stretch.launch != launch) {
                launch = stretch.launch;
                ranges.add(new double[] {from, to});
            } else {
                ranges.get(ranges.size() - 1)[1] = to;
            }
        }
        return ranges;
    }

    /**
     * Returns the columns, all of one length; null where there is no value, and between launches and phases.
     *
     * @param fromMs what 0 s are
     */
    ObjectNode columns(long fromMs) {
        ObjectNode columns = JsonNodeFactory.instance.objectNode();
        columns.set(
                "t",
                column(
                        stretch -> (stretch.startMs - fromMs) / 1e3 + stretch.lengthNs / NS_PER_SEC / 2,
                        stretch -> (stretch.startMs - fromMs) / 1e3));
        columns.set("d", column(stretch -> stretch.lengthNs / NS_PER_SEC));
        columns.set("launch", column(Stretches::launch, Stretches::launch));
        columns.set("warm", column(Stretches::warm, Stretches::warm));
        columns.set("completed", column(stretch -> (double) stretch.completed));
        put(columns, "rate", stretch -> stretch.rate(stretch.completed), stretch -> stretch.highestRate);
        put(columns, "errors", stretch -> stretch.rate(stretch.errors), stretch -> stretch.highestErrors);
        put(columns, "p50", stretch -> ms(stretch, stretch.p50Sum), stretch -> stretch.highestP50 / NS_PER_MS);
        put(columns, "p99", stretch -> ms(stretch, stretch.p99Sum), stretch -> stretch.highestP99 / NS_PER_MS);
        columns.set("pause", column(stretch -> {
            Double pause = stretch.of(Cost.GC_PAUSE);
            return pause == null || pause == 0 ? null : pause / NS_PER_MS;
        }));
        columns.set("appCpu", column(stretch -> stretch.perRequest(Cost.APPLICATION_CPU, NS_PER_US)));
        columns.set("jitCpu", column(stretch -> stretch.perRequest(Cost.JIT_CPU, NS_PER_US)));
        columns.set("gcCpu", column(stretch -> stretch.perRequest(Cost.GC_CPU, NS_PER_US)));
        columns.set("steadyCpuTotal", column(Stretches::steadyCpu));
        columns.set("cycles", column(stretch -> stretch.of(Cost.GC_CYCLES)));
        columns.set("allocated", column(stretch -> stretch.perRequest(Cost.ALLOCATED, 1)));
        level(columns, "oldGen", Cost.OLD_GEN_USED);
        level(columns, "rss", Cost.RSS);
        level(columns, "memory", Cost.MEMORY);
        return columns;
    }

    private static Double launch(Stretch stretch) {
        return (double) stretch.launch;
    }

    private static Double warm(Stretch stretch) {
        return stretch.warmup ? 1.0 : 0.0;
    }

    private static Double ms(Stretch stretch, double sum) {
        return stretch.timed == 0 ? null : Double.valueOf(sum / stretch.timed / NS_PER_MS);
    }

    /** All CPU but the JIT's, in ns; of the application's threads and the collector's where no group counts it. */
    private static Double steadyCpu(Stretch stretch) {
        Double group = stretch.of(Cost.GROUP_CPU);
        Double jit = stretch.of(Cost.JIT_CPU);
        Double application = stretch.of(Cost.APPLICATION_CPU);
        Double collector = stretch.of(Cost.GC_CPU);
        if (group != null && jit != null) {
            return group - jit;
        }
        return application == null || collector == null ? null : Double.valueOf(application + collector);
    }

    private void level(ObjectNode columns, String name, Cost cost) {
        put(columns, name, stretch -> stretch.of(cost), stretch -> (double) stretch.highest[cost.ordinal()]);
    }

    private void put(
            ObjectNode columns, String name, Function<Stretch, Double> value, Function<Stretch, Double> highest) {
        columns.set(name, column(value));
        if (width > 1) {
            columns.set(name + "Max", column(stretch -> value.apply(stretch) == null ? null : highest.apply(stretch)));
        }
    }

    private ArrayNode column(Function<Stretch, Double> value) {
        return column(value, stretch -> null);
    }

    /** @param between what stands where a launch or a phase begins, so that no line leads there */
    private ArrayNode column(Function<Stretch, Double> value, Function<Stretch, Double> between) {
        ArrayNode column = JsonNodeFactory.instance.arrayNode(stretches.size());
        Stretch before = null;
        for (Stretch stretch : stretches) {
            if (before != null && !before.isWith(stretch)) {
                add(column, between.apply(stretch));
            }
            before = stretch;
            add(column, value.apply(stretch));
        }
        return column;
    }

    private static void add(ArrayNode column, Double found) {
        if (found == null || !Double.isFinite(found)) {
            column.addNull();
        } else if (found == Math.rint(found) && Math.abs(found) < 1e15) {
            column.add(found.longValue());
        } else {
            column.add(new BigDecimal(found).round(digits(found)));
        }
    }

    /** Four digits and never fewer than thousandths of a second, so that times of a long run stay apart. */
    private static MathContext digits(double value) {
        int before = (int) Math.max(0, Math.ceil(Math.log10(Math.abs(value))));
        return new MathContext(Math.max(DIGITS, before + 2));
    }
}
