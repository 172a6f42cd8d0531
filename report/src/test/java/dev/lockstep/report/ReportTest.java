package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import org.junit.jupiter.api.Test;

class ReportTest {
    @Test
    void jsonIsTheDocumentOfTheRunDirectory() {
        RunResult result = TestingRuns.run(TargetResult.builder("c2").build());
        assertEquals(result.toJson(), Report.of(result).as(ReportFormat.JSON));
    }
}
