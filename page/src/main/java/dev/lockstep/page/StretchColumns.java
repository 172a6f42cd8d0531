package dev.lockstep.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.Cost;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.function.Function;

/** Stretches that follow each other as the columns that a page draws, all of one length. Used by one thread. */
final class StretchColumns {
    private static final int DIGITS = 4;
    private static final double NS_PER_SEC = 1e9;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_US = 1e3;

    private final long fromMs;
    private final Stretch before;
    private final List<Stretch> stretches;
    private final boolean extremes;

    /**
     * @param fromMs what 0 s are
     * @param before the stretch before the first one, from which no line leads into another launch; null for none
     * @param extremes whether there are columns of the lowest and highest of each stretch too
     */
    StretchColumns(long fromMs, Stretch before, List<Stretch> stretches, boolean extremes) {
        this.fromMs = fromMs;
        this.before = before;
        this.stretches = stretches;
        this.extremes = extremes;
    }

    /** Returns all of them. */
    ObjectNode all() {
        ObjectNode columns = JsonNodeFactory.instance.objectNode();
        columns.set(
                "t",
                column(
                        stretch -> (stretch.startMs - fromMs) / 1e3 + stretch.lengthNs / NS_PER_SEC / 2,
                        stretch -> (stretch.startMs - fromMs) / 1e3));
        columns.set("d", column(stretch -> stretch.lengthNs / NS_PER_SEC));
        columns.set("launch", column(StretchColumns::launch, StretchColumns::launch));
        columns.set("warm", column(StretchColumns::warm, StretchColumns::warm));
        columns.set("successful", column(stretch -> (double) stretch.successful));
        put(
                columns,
                "rate",
                stretch -> stretch.rate(stretch.successful),
                stretch -> stretch.lowestRate,
                stretch -> stretch.highestRate);
        put(columns, "errors", Stretch::errorRate, stretch -> stretch.lowestErrors, stretch -> stretch.highestErrors);
        put(
                columns,
                "p50",
                stretch -> ms(stretch, stretch.p50Sum),
                stretch -> stretch.lowestP50 / NS_PER_MS,
                stretch -> stretch.highestP50 / NS_PER_MS);
        put(
                columns,
                "p99",
                stretch -> ms(stretch, stretch.p99Sum),
                stretch -> stretch.lowestP99 / NS_PER_MS,
                stretch -> stretch.highestP99 / NS_PER_MS);
        columns.set("pause", column(stretch -> {
            Double pause = stretch.of(Cost.GC_PAUSE);
            return pause == null || pause == 0 ? null : pause / NS_PER_MS;
        }));
        columns.set("appCpu", column(stretch -> stretch.perRequest(Cost.APPLICATION_CPU, NS_PER_US)));
        columns.set("jitCpu", column(stretch -> stretch.perRequest(Cost.JIT_CPU, NS_PER_US)));
        columns.set("gcCpu", column(stretch -> stretch.perRequest(Cost.GC_CPU, NS_PER_US)));
        columns.set("steadyCpuTotal", column(StretchColumns::steadyCpu));
        columns.set("userCpuTotal", column(stretch -> stretch.of(Cost.USER_CPU)));
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
        put(columns, name, stretch -> stretch.of(cost), stretch -> (double) stretch.lowest[cost.ordinal()], stretch ->
                (double) stretch.highest[cost.ordinal()]);
    }

    private void put(
            ObjectNode columns,
            String name,
            Function<Stretch, Double> value,
            Function<Stretch, Double> lowest,
            Function<Stretch, Double> highest) {
        columns.set(name, column(value));
        if (extremes) {
            columns.set(name + "Min", column(stretch -> value.apply(stretch) == null ? null : lowest.apply(stretch)));
            columns.set(name + "Max", column(stretch -> value.apply(stretch) == null ? null : highest.apply(stretch)));
        }
    }

    private ArrayNode column(Function<Stretch, Double> value) {
        return column(value, stretch -> null);
    }

    /** @param between what stands where a launch or a phase begins, so that no line leads there */
    private ArrayNode column(Function<Stretch, Double> value, Function<Stretch, Double> between) {
        ArrayNode column = JsonNodeFactory.instance.arrayNode(stretches.size());
        Stretch last = before;
        for (Stretch stretch : stretches) {
            if (last != null && !last.isWith(stretch)) {
                add(column, between.apply(stretch));
            }
            last = stretch;
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
