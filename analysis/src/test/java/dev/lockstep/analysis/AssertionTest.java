package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.AssertionResult;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class AssertionTest {
    private static final List<String> TARGETS =
            List.of("c2", "graal", "c2@25", "my.app-1", "my.app-1.p99", "20ms", "25");
    private final Map<String, Double> values = new HashMap<>();

    @Test
    void comparesATargetWithAShareOfAnother() {
        values.put("graal.userCpuPerRequest", 380e3);
        values.put("c2.userCpuPerRequest", 420e3);

        AssertionResult outcome = check("graal.userCpuPerRequest <= 0.95 * c2");

        assertTrue(outcome.holds());
        assertEquals(OptionalDouble.of(380e3), outcome.left());
        assertEquals(399e3, outcome.right().orElseThrow(), 1e-6);
        assertEquals("holds: graal.userCpuPerRequest <= 0.95 * c2 (380 us <= 399 us)", outcome.sentence());
        assertTrue(check("graal.userCpuPerRequest<=95%*c2.userCpuPerRequest").holds());
        assertFalse(check("  graal.userCpuPerRequest  <  .9*c2 ").holds());
    }

    @Test
    void comparesWithANumberAndItsUnit() {
        values.put("graal.p99", 23.1e6);

        assertEquals(
                "fails: graal.p99 <= 20ms (23.1 ms, not <= 20 ms)",
                check("graal.p99 <= 20ms").sentence());
        assertTrue(check("graal.p99 <= 0.0231 s").holds());
        assertTrue(check("graal.p99 > 23099us").holds());
        assertTrue(check("graal.p99 != 1e3 ns").holds());
        assertTrue(check("graal.p99 >= 0").holds());
    }

    @Test
    void knowsSizesSharesAndPlainNumbers() {
        values.put("c2.rss", 128 * 1048576.0);
        values.put("c2.errors", 0.05);
        values.put("c2.gcCycles", 0.0);

        assertTrue(check("c2.rss == 128MiB").holds());
        assertEquals(
                "fails: c2.rss <= 134MB (134.218 MB, not <= 134 MB)",
                check("c2.rss <= 134MB").sentence());
        assertEquals(
                "holds: c2.errors <= 5% (5 % <= 5 %)", check("c2.errors <= 5%").sentence());
        assertTrue(check("c2.errors <= 0.05").holds());
        assertEquals(
                "holds: c2.gcCycles == 0 (0 == 0)", check("c2.gcCycles == 0").sentence());
    }

    @Test
    void comparesTwoFiguresOfOneKind() {
        values.put("graal.throughput", 2001.0);
        values.put("c2.throughput", 2001.5);
        values.put("c2.p50", 3e6);
        values.put("c2.p99", 9e6);

        assertFalse(check("graal.throughput >= c2.throughput").holds());
        assertFalse(check("graal.throughput >= c2").holds());
        assertTrue(check("c2.p99 <= 3 * c2.p50").holds());
    }

    @Test
    void takesTheLongestTargetNameThatLeavesAMetric() {
        values.put("my.app-1.p99.p50", 1.0);
        values.put("my.app-1.p99", 2.0);
        values.put("c2@25.p99", 3.0);
        values.put("25.p99", 4.0);
        values.put("20ms.p99", 5.0);

        assertEquals(OptionalDouble.of(1), check("my.app-1.p99.p50 < 2ms").left());
        assertEquals(OptionalDouble.of(2), check("my.app-1.p99 < 2ms").left());
        assertEquals(OptionalDouble.of(3), check("c2@25.p99 < 2ms").left());
        assertEquals(OptionalDouble.of(4), check("c2@25.p99 < 25.p99").right());
        assertEquals(OptionalDouble.of(20e6), check("c2@25.p99 < 20ms").right());
        assertEquals(OptionalDouble.of(5), check("c2@25.p99 < 20ms.p99").right());
        assertEquals(OptionalDouble.of(10), check("c2@25.p99 < 2 * 20ms").right());
    }

    @Test
    void failsWhateverItsValuesAreWhereTheyCannotBeTrusted() {
        values.put("graal.p99", 1e6);
        Assertion assertion = Assertion.parse("graal.p99 <= 2 * c2.p50", TARGETS);

        AssertionResult outcome = assertion.failed(this::value, "graal died");

        assertFalse(outcome.holds());
        assertEquals(OptionalDouble.of(1e6), outcome.left());
        assertEquals("fails: graal.p99 <= 2 * c2.p50 (graal died)", outcome.sentence());
        assertEquals(List.of("graal", "c2"), List.copyOf(assertion.targets()));
        assertEquals(List.of(Metric.P99, Metric.P50), List.copyOf(assertion.metrics()));
        Assertion alone = Assertion.parse("graal.p99 <= 2ms", TARGETS);
        assertEquals(List.of("graal"), List.copyOf(alone.targets()));
    }

    @Test
    void failsWhereAValueIsMissing() {
        values.put("c2.p99", 1.0);
        values.put("c2.p50", Double.NaN);

        AssertionResult outcome = check("graal.p99 <= c2");
        assertFalse(outcome.holds());
        assertEquals(OptionalDouble.empty(), outcome.left());
        assertEquals("fails: graal.p99 <= c2 (graal.p99 has no value)", outcome.sentence());
        assertEquals(
                "fails: graal.p99 != graal.p50 (graal.p99 and graal.p50 have no value)",
                check("graal.p99 != graal.p50").sentence());
        assertFalse(check("c2.p50 != 1ns").holds());
    }

    @Test
    void doesNotMakeDifferentValuesLookEqual() {
        values.put("c2.p99", 20_000_000.5);

        assertEquals(
                "fails: c2.p99 <= 20ms (2.00000005E7, not <= 2.0E7)",
                check("c2.p99 <= 20ms").sentence());
    }

    /** They were 12345 and 1. */
    @Test
    void leavesOutNoZerosOfLargeNumbers() {
        values.put("graal.throughput", 123_450.4);
        values.put("c2.throughput", 100_000.4);

        assertEquals(
                "holds: graal.throughput >= 99999 (123450 >= 99999)",
                check("graal.throughput >= 99999").sentence());
        assertEquals(
                "holds: graal.throughput >= c2 (123450 >= 100000)",
                check("graal.throughput >= c2").sentence());
    }

    @Test
    void saysWhereATextIsWrongAndWhatWasExpected() {
        assertWrong(
                "grall.p99 <= 20ms",
                1,
                "expected a target, found \"grall.p99\"; targets are: 20ms, 25, c2, c2@25, graal, my.app-1, my.app-1.p99");
        String metrics = "; metrics are: "
                + Arrays.stream(Metric.values()).map(Metric::key).sorted().collect(Collectors.joining(", "));
        assertWrong("graal.p98 <= 20ms", 7, "unknown metric \"p98\"" + metrics);
        assertWrong("graal <= 20ms", 6, "expected . and a metric of graal" + metrics);
        assertWrong("c2.errors <= 5", 14, "errors is a share of all, at most 1 or 100%");
        assertWrong("c2.errors <= 101%", 14, "errors is a share of all, at most 1 or 100%");
        assertWrong("graal.p99 = 20ms", 11, "expected one of <= < >= > == !=; equal is ==");
        assertWrong("graal.p99", 10, "expected one of <= < >= > == !=");
        assertWrong("graal.p99 <=", 13, "expected TARGET, TARGET.METRIC or a number");
        assertWrong("", 1, "expected TARGET.METRIC");
        assertWrong("graal.p99 <= 20", 16, "p99 is a time and needs a unit: ns us ms s");
        assertWrong("graal.p99 <= 20MB", 16, "p99 is a time and has the units ns us ms s");
        assertWrong("graal.gcCycles <= 20 ms", 22, "gcCycles is a number and has no unit");
        assertWrong(
                "graal.gcCycles <= 20 c2",
                22,
                "the assertion should end here; the right side is FACTOR * TARGET, TARGET.METRIC or a number with its unit");
        assertWrong("graal.p99 <= c2.rss", 14, "rss is no time and cannot be compared with p99");
        assertWrong(
                "graal.p99 <= c2 * 0.95",
                17,
                "the assertion should end here; the right side is FACTOR * TARGET, TARGET.METRIC or a number with its unit");
        assertWrong("graal.p99 <= 0.95 *", 20, "expected TARGET or TARGET.METRIC");
        assertWrong("graal.gcCycles <= 1e999", 19, "this number is too large");
        assertWrong(
                "graal.errors <= none",
                17,
                "expected a target, found \"none\"; targets are: 20ms, 25, c2, c2@25, graal, my.app-1, my.app-1.p99");
    }

    @Test
    void speaksInOneLine() {
        values.put("c2.gcCycles", 1.0);

        assertEquals(
                "fails: c2.gcCycles == 0 (1, not == 0)",
                check("\n c2.gcCycles\t== 0\n").sentence());
        AnalysisException wrong =
                assertThrows(AnalysisException.class, () -> Assertion.parse(" \nc2.errors\n0", TARGETS));
        assertEquals("assertion \"c2.errors 0\", column 11: expected one of <= < >= > == !=", wrong.getMessage());
    }

    private void assertWrong(String text, int column, String message) {
        AnalysisException wrong = assertThrows(AnalysisException.class, () -> Assertion.parse(text, TARGETS), text);
        assertEquals("assertion \"" + text + "\", column " + column + ": " + message, wrong.getMessage());
    }

    /** A condition must not say another thing than the verdict beside it. */
    @Test
    void comparesTwoTargetsByTheRatioOfTheirVerdict() {
        values.put("graal.userCpuPerRequest", 380e3);
        values.put("c2.userCpuPerRequest", 420e3);
        values.put("c2.p50", 1e6);
        values.put("c2.p99", 2e6);
        Assertion.Values launches = new Assertion.Values() {
            @Override
            public OptionalDouble of(String target, Metric metric) {
                return value(target, metric);
            }

            @Override
            public OptionalDouble ratio(String target, String other, Metric metric) {
                return OptionalDouble.of(0.962);
            }
        };
        AssertionResult outcome =
                Assertion.parse("graal.userCpuPerRequest <= 0.95 * c2", TARGETS).check(launches, "");

        assertFalse(outcome.holds(), "the totals say 0.905");
        assertEquals("fails: graal.userCpuPerRequest <= 0.95 * c2 (ratio 0.962, not <= 0.95)", outcome.sentence());
        assertEquals(OptionalDouble.of(0.962), outcome.left());
        assertEquals(OptionalDouble.of(0.95), outcome.right());
        AssertionResult within =
                Assertion.parse("c2.p99 <= 3 * c2.p50", TARGETS).check(launches, "");
        assertEquals(check("c2.p99 <= 3 * c2.p50"), within, "of one target there is none");
    }

    private AssertionResult check(String text) {
        return Assertion.parse(text, TARGETS).check(this::value, "");
    }

    private OptionalDouble value(String target, Metric metric) {
        Double value = values.get(target + "." + metric);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
