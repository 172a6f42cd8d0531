package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.TargetResult;
import org.junit.jupiter.api.Test;

class ReportFormatTest {
    @Test
    void isFoundByItsKey() {
        for (ReportFormat format : ReportFormat.values()) {
            assertEquals(format, ReportFormat.parse(format.key()));
        }
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> ReportFormat.parse("html"));
        assertEquals("format must be text, json or csv, is \"html\"", e.getMessage());
    }

    @Test
    void jsonIsTheDocumentOfTheRunDirectory() {
        RunResult result = TestingRuns.run(TargetResult.builder("c2").build());
        assertEquals(result.toJson(), Report.of(result).as(ReportFormat.JSON));
    }
}
