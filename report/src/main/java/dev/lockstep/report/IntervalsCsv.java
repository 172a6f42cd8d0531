package dev.lockstep.report;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * One line per interval and target with a heading line, as {@link CsvReport} has one per target. Columns are the fields
 * of {@code intervals.jsonl}, with a dot for one within another; their names have the units. What was not measured is
 * empty, what was counted and did not happen is 0. Of any length: nothing is kept in memory.
 */
public final class IntervalsCsv {
    private static final int LAST_STATUS_CLASS = 5;
    private static final String PHASE = "phase";
    private static final String ERRORS = "errors.";
    private static final String STATUS_CLASSES = "statusClasses.";
    /** Counts that a row has only where they are not 0, beside errors and classes of status. */
    private static final Set<String> RARE = Set.of("oneway", "strayAnswers", "opaqueBytesSent");

    /** Where the rows come from. */
    public interface Rows {
        /** Passes on all rows, each with its figures as texts by their names; can be asked again. */
        void each(Consumer<Map<String, String>> row);
    }

    private IntervalsCsv() {}

    /** Writes the lines; reads the rows twice. */
    public static void write(Rows rows, Appendable out) throws IOException {
        List<String> columns = columns();
        // Those of which nobody knows beforehand: collectors by their names, statuses beyond 5xx.
        Set<String> others = new TreeSet<>();
        rows.each(row -> others.addAll(row.keySet()));
        columns.forEach(others::remove);
        columns.addAll(others);
        out.append(Csv.line(columns));
        try {
            rows.each(row -> append(out, line(columns, row)));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void append(Appendable out, String line) {
        try {
            out.append(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the columns that there are in any run. */
    static List<String> columns() {
        List<String> columns = new ArrayList<>(List.of(
                "target",
                "launch",
                PHASE,
                "startMs",
                "endMs",
                "startNs",
                "endNs",
                "sent",
                "completed",
                "inFlight",
                "deferred",
                "connections",
                "oneway",
                "strayAnswers"));
        for (ErrorKind kind : ErrorKind.values()) {
            columns.add(ERRORS + kind.key());
        }
        for (int hundreds = 1; hundreds <= LAST_STATUS_CLASS; hundreds++) {
            columns.add(STATUS_CLASSES + hundreds + "xx");
        }
        columns.addAll(List.of(
                "bytesSent",
                "opaqueBytesSent",
                "bytesReceived",
                "bodyBytesReceived",
                "responseTimeNs.p50",
                "responseTimeNs.p99",
                "responseTimeNs.max",
                "responseTimeNs.count",
                "cpuNsPerRequest",
                "steadyCpuNsPerRequest",
                "appCpuNsPerRequest",
                "jitCpuNsPerRequest",
                "gcCpuNsPerRequest",
                "userCpuNsPerRequest",
                "systemCpuNsPerRequest",
                "allocatedBytesPerRequest"));
        for (Cost cost : Cost.values()) {
            columns.add(cost.key());
        }
        return columns;
    }

    private static String line(List<String> columns, Map<String, String> row) {
        return Csv.line(columns.stream()
                .map(column -> row.getOrDefault(column, missing(column)))
                .collect(Collectors.toList()));
    }

    private static String missing(String column) {
        if (column.equals(PHASE)) {
            return Interval.Phase.MEASURED.key();
        }
        return RARE.contains(column) || column.startsWith(ERRORS) || column.startsWith(STATUS_CLASSES) ? "0" : "";
    }
}
