package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.GcCosts;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.IntervalRow;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class IntervalsCsvTest {
    private static final String HOSTILE = "=cmd|' /C calc'!A0,\u202e\u001b[31m\"\n";

    /** Returns an interval in which everything that is counted happened once. */
    private static Interval full(String collector) {
        Interval interval = new Interval();
        interval.phase = Interval.Phase.WARM_UP;
        interval.startMs = 1_700_000_000_000L;
        interval.endMs = interval.startMs + 1000;
        interval.endNs = 1_000_000_000L;
        interval.counts().completed = 3;
        interval.counts().oneway = 1;
        interval.counts().strayAnswers = 1;
        interval.counts().opaqueBytesSent = 1;
        for (ErrorKind kind : ErrorKind.values()) {
            interval.counts().error(kind);
        }
        for (int hundreds = 1; hundreds <= 5; hundreds++) {
            interval.counts().status(100 * hundreds);
        }
        interval.responseTime().recordValue(1_000_000);
        Costs.Builder costs = Costs.builder();
        for (Cost cost : Cost.values()) {
            costs.set(cost, 1_000_000);
        }
        interval.costs = costs.collector(collector, GcCosts.of(1, 2)).build();
        return interval;
    }

    private static List<String> lines(List<Map<String, String>> rows) throws IOException {
        StringBuilder csv = new StringBuilder();
        IntervalsCsv.write(rows::forEach, csv);
        return csv.toString().lines().collect(Collectors.toList());
    }

    @Test
    void hasAColumnForEachFieldOfAnInterval() {
        TreeSet<String> fields =
                new TreeSet<>(IntervalRow.of("c2", full("G1 Young")).cells().keySet());
        fields.removeIf(field -> field.startsWith("collectors."));

        assertEquals(fields, new TreeSet<>(IntervalsCsv.columns()));
    }

    @Test
    void keepsApartWhatDidNotHappenAndWhatIsNotKnown() throws IOException {
        Interval quiet = new Interval();
        quiet.phase = Interval.Phase.MEASURED;

        List<String> lines = lines(List.of(
                IntervalRow.of("c2", full("G1 Young")).cells(),
                IntervalRow.of("graal", quiet).cells()));

        String[] headings = lines.get(0).split(",");
        String[] cells = lines.get(2).split(",", -1);
        assertEquals(headings.length, cells.length);
        for (int i = 0; i < headings.length; i++) {
            String heading = headings[i];
            boolean known = i < List.of(headings).indexOf("responseTimeNs.p50") && i > 2;
            String expected = heading.equals("target")
                    ? "graal"
                    : heading.equals("phase") ? "measured" : heading.equals("launch") ? "1" : known ? "0" : "";
            assertEquals(expected, cells[i], heading);
        }
        assertEquals("collectors.G1 Young.cycles", headings[headings.length - 2]);
    }

    @Test
    void namesThatAreFormulasToASpreadsheetAreText() throws IOException {
        List<String> lines =
                lines(List.of(IntervalRow.of(HOSTILE, full(HOSTILE)).cells()));

        assertEquals(2, lines.size());
        String safe = "\"'=cmd|' /C calc'!A0,?\"\"?\"";
        assertEquals(safe, lines.get(1).substring(0, safe.length()));
    }

    @Test
    void passesOnThatADiskIsFull() {
        Writer full = new Writer() {
            @Override
            public void write(char[] text, int from, int length) throws IOException {
                if (new String(text, from, length).startsWith("c2,")) {
                    throw new IOException("No space left on device");
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        List<Map<String, String>> rows = new ArrayList<>();
        rows.add(IntervalRow.of("c2", full("G1 Young")).cells());

        IOException failure = assertThrows(IOException.class, () -> IntervalsCsv.write(rows::forEach, full));

        assertEquals("No space left on device", failure.getMessage());
    }
}
