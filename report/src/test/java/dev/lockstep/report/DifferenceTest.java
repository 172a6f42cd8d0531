package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.analysis.Metric;
import org.junit.jupiter.api.Test;

class DifferenceTest {
    private static Difference of(Metric metric) {
        return new Difference(metric.key());
    }

    @Test
    void hasTheWordsOfEachKindOfMetric() {
        assertEquals(
                "5.0 % more CPU per request than c2", of(Metric.CPU_PER_REQUEST).than(1.05, "c2"));
        assertEquals("2.0 % fewer requests/s than a", of(Metric.THROUGHPUT).than(0.98, "a"));
        assertEquals("12.3 % higher p50 than a", of(Metric.P50).than(1.123, "a"));
        assertEquals("3.0 % lower share of errors than a", of(Metric.ERRORS).than(0.97, "a"));
        assertEquals(
                "20.0 % longer time to first answer than c2", of(Metric.STARTUP).than(1.2, "c2"));
        assertEquals("1.0 % less new than c2", new Difference("new").than(0.99, "c2"));
    }

    @Test
    void callsNothingNeitherMoreNorLess() {
        assertEquals("as much CPU per request as c2", of(Metric.CPU_PER_REQUEST).than(1.0004, "c2"));
        assertEquals("as many requests/s as a", of(Metric.THROUGHPUT).than(1, "a"));
        assertEquals("the same p50 as a", of(Metric.P50).than(0.9997, "a"));
        assertEquals("between 0 % and 4.2 % higher p50 than a", of(Metric.P50).between(0.9999, 1.042, "a"));
        assertEquals(
                "between 3.0 % and 0 % less resident memory than a",
                of(Metric.RSS).between(0.97, 1, "a"));
        assertEquals(
                "between 1.0 % less and 5.0 % more CPU per request than c2",
                of(Metric.CPU_PER_REQUEST).between(0.99, 1.05, "c2"));
    }
}
