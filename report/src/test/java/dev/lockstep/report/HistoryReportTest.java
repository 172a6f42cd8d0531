package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class HistoryReportTest {
    private final HistoryReport report = HistoryReport.of(TestingComparisons.history());

    @Test
    void looksLikeTheGoldenFiles() throws IOException {
        assertEquals(TestingRuns.resource("history.txt"), report.text());
        assertEquals(TestingRuns.resource("history.md"), report.markdown());
    }

    @Test
    void isAsWideAsATerminal() {
        List<String> lines = report.text().lines().collect(Collectors.toList());

        assertTrue(lines.stream().allMatch(line -> line.length() <= Lines.WIDTH), String.join("\n", lines));
    }

    @Test
    void namesWhatWasPassedOver() {
        assertTrue(report.text().contains("\nskipped lockstep-runs/killed: its run was killed\n"), report.text());
        assertTrue(report.text().contains("\nskipped 1 more: --json names them\n"), report.text());
        assertFalse(report.markdown().contains("<img"), report.markdown());
    }
}
