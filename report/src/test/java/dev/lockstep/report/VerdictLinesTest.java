package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.AssertionResult;
import dev.lockstep.measurement.FleetCost;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.TargetResult;
import dev.lockstep.measurement.Verdict;
import dev.lockstep.measurement.Verdict.Finding;
import dev.lockstep.measurement.Verdict.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class VerdictLinesTest {
    private static final TargetResult[] TARGETS = {
        TargetResult.builder("c2").build(), TargetResult.builder("graal").build()
    };

    @Test
    void saysNothingWhereNothingWasCompared() {
        assertEquals(List.of(), new VerdictLines(TestingRuns.run(TARGETS)).all());
    }

    @Test
    void saysWhoIsBetterAndHowSureThatIs() {
        List<String> lines = lines(
                6,
                verdict()
                        .ratio(0.917)
                        .interval(new Interval(0.902, 0.931))
                        .noiseFloor(new Interval(0.987, 1.013))
                        .launches(6)
                        .finding(Finding.BETTER)
                        .build(),
                Verdict.builder("p99", "graal", "c2")
                        .ratio(1.02)
                        .interval(new Interval(0.96, 1.09))
                        .noiseFloor(new Interval(1e-9, 1e9))
                        .launches(6)
                        .finding(Finding.INCONCLUSIVE)
                        .build());

        assertEquals(
                List.of(
                        "VERDICT",
                        "graal uses 8.3 % less user CPU per request than c2 (0.917, 95 % interval 0.902",
                        "  to 0.931, 6 launches): better",
                        "Noise floor: 0.987 to 1.013, from the launches of c2, at most; --aa measures it",
                        "",
                        "other metrics  ratio  interval        noise floor  finding",
                        "p99            1.020  0.960 to 1.090  too wide     inconclusive"),
                lines);
    }

    @Test
    void keepsItsColumnsUnderLongNames() {
        TargetResult[] targets = {
            TargetResult.builder("c2").build(),
            TargetResult.builder("g".repeat(64)).build(),
            TargetResult.builder("zero").build()
        };
        List<Verdict> verdicts = new ArrayList<>();
        for (String name : List.of("g".repeat(64), "zero")) {
            verdicts.add(Verdict.builder("userCpuPerRequest", name, "c2")
                    .primary(true)
                    .ratio(0.9)
                    .launches(6)
                    .build());
            verdicts.add(Verdict.builder("systemCpuPerRequest", name, "c2")
                    .ratio(0.9)
                    .interval(new Interval(0.8, 0.99))
                    .launches(6)
                    .finding(Finding.BETTER)
                    .build());
        }
        List<String> lines = new VerdictLines(
                        TestingRuns.run(TestingRuns.plan(targets).launches(6).build(), targets)
                                .build()
                                .withVerdicts(verdicts))
                .all();
        assertEquals(
                List.of(
                        "other metrics            ratio  interval        noise floor  finding",
                        "g".repeat(64),
                        " system CPU per request  0.900  0.800 to 0.990  -            better",
                        "zero",
                        " system CPU per request  0.900  0.800 to 0.990  -            better"),
                lines.subList(lines.size() - 5, lines.size()));
    }

    @Test
    void saysWhatWasNotFound() {
        assertEquals(
                List.of(
                        "VERDICT",
                        "graal: no difference in user CPU per request to c2 was found (1.002, 95 %",
                        "  interval 0.994 to 1.009, 6 launches): equivalent within 1 %"),
                lines(
                        6,
                        verdict()
                                .ratio(1.002)
                                .interval(new Interval(0.994, 1.009))
                                .launches(6)
                                .finding(Finding.EQUIVALENT)
                                .build()));
        String inconclusive = String.join(
                        " ",
                        lines(
                                3,
                                verdict()
                                        .ratio(1.02)
                                        .interval(new Interval(0.95, 1.09))
                                        .launches(3)
                                        .indicative(true)
                                        .moreLaunches(9)
                                        .build()))
                .replaceAll(" +", " ");
        assertTrue(inconclusive.endsWith("3 launches): inconclusive: about 9 more launches would tell"), inconclusive);
    }

    @Test
    void saysOfADifferenceThatIsNotDecidedWhatIsMissing() {
        assertEquals(
                List.of(
                        "VERDICT",
                        "graal differs from c2 in user CPU per request, but not by more than can be told",
                        "  apart from the margin of 1 % yet (0.980, 95 % interval 0.965 to 0.995, 3",
                        "  launches): inconclusive: about 3 more launches would tell"),
                lines(
                        3,
                        verdict()
                                .ratio(0.98)
                                .interval(new Interval(0.965, 0.995))
                                .launches(3)
                                .indicative(true)
                                .moreLaunches(3)
                                .build()));
        assertTrue(text(verdict().ratio(0.96).interval(new Interval(0.94, 0.98)).launches(6))
                .startsWith(
                        "graal differs from c2 in user CPU per request, but its launches do not agree enough yet ("));
        assertEquals(
                "graal uses 0.5 % less user CPU per request than c2 (0.995, 95 % interval 0.993 to 0.997, 6 launches):"
                        + " equivalent within 1 %",
                text(verdict()
                        .ratio(0.995)
                        .interval(new Interval(0.993, 0.997))
                        .launches(6)
                        .finding(Finding.EQUIVALENT)));
        assertEquals(
                "graal: no difference in user CPU per request to c2 was found (0.500, 95 % interval too wide,"
                        + " 2 launches): inconclusive",
                text(verdict().ratio(0.5).launches(2).indicative(true)));
    }

    /** Returns the sentence of a verdict of several launches, as one line. */
    private static String text(Verdict.Builder verdict) {
        List<String> lines = lines(6, verdict.build());
        return String.join(" ", lines.subList(1, lines.size())).replaceAll(" +", " ");
    }

    @Test
    void saysThatOneLaunchTellsNothing() {
        assertEquals(
                List.of(
                        "VERDICT (one launch tells nothing about the next: --launches 6)",
                        "graal uses 10.0 % less user CPU per request than c2 (0.900, 1 launch):",
                        "  inconclusive"),
                lines(
                        1,
                        verdict()
                                .ratio(0.9)
                                .launches(1)
                                .indicative(true)
                                .moreLaunches(5)
                                .build()));
    }

    @Test
    void callsNothingASavingThatNoVerdictBearsOut() {
        FleetCost.Saving saving = new FleetCost.Saving("graal", 609_600, new Interval(152_400, 1_066_800));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal would save 609,600 USD a year (95 % interval 152,400 to 1,066,800) if the",
                        "  difference is real, which is not shown"),
                money(saving, Finding.INCONCLUSIVE, 3));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal would save 609,600 USD a year (95 % interval 152,400 to 1,066,800), by a",
                        "  difference within the margin"),
                money(saving, Finding.EQUIVALENT, 6));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal would save 200 USD a year (no interval: one launch) if the difference is",
                        "  real, which is not shown"),
                money(new FleetCost.Saving("graal", 200, null), Finding.INCONCLUSIVE, 1));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal would cost 200 USD a year more (95 % interval too wide) if the difference",
                        "  is real, which is not shown"),
                money(new FleetCost.Saving("graal", -200, null), Finding.INCONCLUSIVE, 2));
    }

    @Test
    void callsNothingASavingThatMayBeALoss() {
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal: no saving was found (1,248,352 USD a year, 95 % interval -11,471,411 to",
                        "  10,111,454)"),
                money(
                        new FleetCost.Saving("graal", 1_248_352, new Interval(-11_471_411, 10_111_454)),
                        Finding.INCONCLUSIVE,
                        6));
        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal costs 200 USD a year more (95 % interval 100 to 300)"),
                money(new FleetCost.Saving("graal", -200, new Interval(-300, -100)), Finding.WORSE, 6));
    }

    /** The lines about money of a run of which nothing is known but a verdict. */
    private static List<String> money(FleetCost.Saving saving, Finding finding, int launches) {
        RunResult result = run(
                        6,
                        verdict().ratio(0.9).launches(launches).finding(finding).build())
                .withFleetCost(new FleetCost(127, 24, 10_000, List.of(saving)));
        List<String> lines = new VerdictLines(result).all();
        return lines.stream()
                .dropWhile(line -> !line.startsWith("The fleet"))
                .takeWhile(line -> !line.isEmpty())
                .collect(Collectors.toList());
    }

    @Test
    void saysWhatItIsWorthAndWhichConditionsHold() {
        RunResult result = run(
                        6,
                        verdict()
                                .ratio(0.9)
                                .interval(new Interval(0.89, 0.91))
                                .launches(6)
                                .finding(Finding.BETTER)
                                .build())
                .withFleetCost(new FleetCost(
                        127,
                        24,
                        10_000,
                        List.of(new FleetCost.Saving("graal", 3_048_000, new Interval(2_743_200, 3_352_800)))))
                .withAssertions(List.of(new AssertionResult(
                        "graal.p99 <= 20ms",
                        false,
                        OptionalDouble.of(2.1e7),
                        OptionalDouble.of(2e7),
                        "fails: graal.p99 <= 20ms (21 ms, not <= 20 ms)")));

        List<String> lines = new VerdictLines(result).all();

        assertEquals(
                List.of(
                        "The fleet costs 30,480,000 USD a year.",
                        "graal saves 3,048,000 USD a year (95 % interval 2,743,200 to 3,352,800)",
                        "",
                        "CONDITIONS",
                        "fails: graal.p99 <= 20ms (21 ms, not <= 20 ms)"),
                lines.subList(3, lines.size()));
        assertEquals(
                lines, new VerdictLines(RunResult.fromJson(result.toJson())).all(), "of the result as it was read");
    }

    private static Verdict.Builder verdict() {
        return Verdict.builder("userCpuPerRequest", "graal", "c2").primary(true);
    }

    private static List<String> lines(int launches, Verdict... verdicts) {
        List<String> lines = new VerdictLines(run(launches, verdicts)).all();
        assertTrue(lines.stream().allMatch(line -> line.length() <= 80), lines.toString());
        return new ArrayList<>(lines);
    }

    private static RunResult run(int launches, Verdict... verdicts) {
        RunPlan plan = TestingRuns.plan(TARGETS).launches(launches).build();
        return TestingRuns.run(plan, TARGETS).build().withVerdicts(List.of(verdicts));
    }
}
