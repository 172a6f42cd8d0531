package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ComparisonTableTest {
    @Test
    void putsTheRatiosBelowTheFigures() {
        String table = table(
                target("c2", 100_000_000)
                        .cost(Cost.GROUP_CPU, 40_000_000_000L)
                        .cost(Cost.APPLICATION_CPU, 30_000_000_000L)
                        .cost(Cost.JIT_CPU, 9_000_000_000L)
                        .cost(Cost.GC_CPU, 1_000_000_000L)
                        .cost(Cost.RSS, 100L << 20)
                        .build(),
                target("graal", 50_000_000)
                        .cost(Cost.GROUP_CPU, 36_000_000_000L)
                        .cost(Cost.APPLICATION_CPU, 29_000_000_000L)
                        .cost(Cost.JIT_CPU, 5_000_000_000L)
                        .cost(Cost.GC_CPU, 2_000_000_000L)
                        .cost(Cost.RSS, 150L << 20)
                        .build());
        assertEquals(
                "target  req/s  p50 ms  p90 ms  p95 ms  p99 ms  p99.9 ms  max ms  errors\n"
                        + "c2       4000    50.0    90.0    95.0    99.0      99.9     100       0\n"
                        + "graal    4000    25.0    45.0    47.5    49.5      49.9    50.0       0\n"
                        + "Ratio to c2:\n"
                        + "graal   1.000   0.500   0.500   0.500   0.500     0.500   0.500\n"
                        + "target  CPU us/req  app us/req  JIT us/req  GC us/req  RSS MiB\n"
                        + "c2            2000        1500         450       50.0      100\n"
                        + "graal         1800        1450         250        100      150\n"
                        + "Ratio to c2:\n"
                        + "graal        0.900       0.967       0.556      2.000    1.500\n"
                        + "target  JIT CPU s\n"
                        + "c2           9.00\n"
                        + "graal        5.00\n"
                        + "Ratio to c2:\n"
                        + "graal       0.556\n",
                table);
    }

    @Test
    void comparesWithTheBaselineOfThePlan() {
        TargetResult[] targets = {
            target("a", 100_000_000).build(),
            target("b", 50_000_000).build(),
            target("c", 200_000_000).build()
        };
        RunResult result = TestingRuns.run(
                        TestingRuns.plan(targets).baseline("b").build(), targets)
                .build();
        String table = ComparisonTable.ofLoad(result).toString();
        String ratios = table.substring(table.indexOf("Ratio to b:\n"));
        assertTrue(ratios.matches("(?s)Ratio to b:\na +1\\.000 +2\\.00\\d .*\nc +1\\.000 +4\\.00\\d .*"), ratios);
    }

    @Test
    void hasNoRatiosForOneTarget() {
        assertEquals(2, table(target("c2", 1_000_000).build()).lines().count());
    }

    @Test
    void showsNothingWhereNothingWasMeasured() {
        String table = table(
                target("c2", 1_000_000).build(),
                TargetResult.builder("dead").build(),
                TargetResult.builder("mute")
                        .load(TestingRuns.load(1, counts -> counts.error(ErrorKind.READ_TIMEOUT)))
                        .cost(Cost.GROUP_CPU, 1000)
                        .build());
        List<String> lines = new ArrayList<>();
        table.lines().map(line -> line.replaceAll(" +", " ")).forEach(lines::add);
        assertEquals(
                List.of(
                        "dead - - - - - - - -",
                        "mute - - - - - - - 1",
                        "Ratio to c2:",
                        "dead - - - - - - -",
                        "mute - - - - - - -"),
                lines.subList(2, lines.size()));
    }

    @Test
    void refusesPercentilesWithFewerThanTenAnswersAbove() {
        TargetResult few = TargetResult.builder("few")
                .load(TestingRuns.load(1, TestingRuns.evenly(150, 15_000_000)))
                .build();
        ComparisonTable table = ComparisonTable.ofLoad(TestingRuns.run(few));
        String row = table.toString().lines().skip(1).findFirst().orElseThrow().replaceAll(" +", " ");
        assertEquals("few 150 7.50 13.5 - - - 15.0 0", row);
        assertEquals("[P95, P99, P999]", table.refused().toString());
    }

    @Test
    void givesTheLeastThatAPercentileCanBeWhereRequestsWithoutAnAnswerReachIt() {
        TargetResult slow = TargetResult.builder("slow")
                .load(TestingRuns.load(5, counts -> counts.unsent = 10_000, TestingRuns.evenly(20_000, 100_000_000)))
                .build();
        String table = table(target("c2", 100_000_000).build(), slow);

        assertTrue(
                table.replaceAll(" +", " ")
                        .contains(
                                "\nslow 4000 75.0 >=100 >=100 >=100 >=100 >=100 10000\nRatio to c2:\nslow 1.000 1.501 - - - - -"),
                table);
    }

    @Test
    void fitsATerminalWithSixteenTargetsOfWhichSomeHaveLongNames() {
        TargetResult[] targets = new TargetResult[16];
        for (int i = 0; i < targets.length; i++) {
            String name =
                    i % 2 == 0 ? "graal-" + i : "a-very-long-name-of-a-target-that-somebody-has-thought-of-no-" + i;
            targets[i] = target(name, 3_600_000_000_000L)
                    .cost(Cost.GROUP_CPU, 3_600_000_000_000_000L)
                    .cost(Cost.RSS, 512L << 30)
                    .build();
        }
        String table = table(targets);
        assertTrue(table.lines().allMatch(line -> line.length() <= 80), table);
        assertEquals(2 * (1 + 16 + 8 + 1 + 15 + 8), table.lines().count());
        assertTrue(table.contains("\na-very-long-name-of-a-target-that-somebody-has-thought-of-no-1\n  "), table);
    }

    @Test
    void fitsATerminalWhateverIsKnownOfTheTargets() {
        TargetResult.Builder target = target("a-name-of-twenty-four-ch", 3_600_000_000_000L);
        for (Cost cost : Cost.values()) {
            target.cost(cost, 1L << 53);
        }
        OptionalLong hourNs = OptionalLong.of(3_600_000_000_000L);
        target.startup(Startup.of(hourNs, hourNs, hourNs))
                .warmup(Warmup.builder(Warmup.State.STEADY)
                        .durationNs(hourNs)
                        .requests(1)
                        .build());
        String table = table(target.build(), target("b", 1_000_000).build());
        assertTrue(table.lines().allMatch(line -> line.length() <= 80), table);
    }

    @Test
    void givesTheMeanOfALaunchWhereThereWereSeveral() {
        TargetResult whole = target("c2", 1_000_000)
                .cost(Cost.GC_CYCLES, 30)
                .cost(Cost.JIT_CPU, 3_000_000_000L)
                .launch(launch(1, 14).build())
                .launch(launch(2, 15).build())
                .build();
        TargetResult died = target("graal", 1_000_000)
                .cost(Cost.GC_CYCLES, 20)
                .cost(Cost.JIT_CPU, 2_000_000_000L)
                .launch(launch(1, 20).build())
                .launch(LaunchResult.builder(2, 1)
                        .exit(TargetExit.builder().exitCode(137).phase("start").build())
                        .build())
                .build();
        RunResult result = TestingRuns.run(
                        TestingRuns.plan(whole, died).launches(2).build(), whole, died)
                .build();

        assertEquals(
                "target  JIT us/req\n"
                        + "c2             150\n"
                        + "graal          100\n"
                        + "Ratio to c2, mean of the launches:\n"
                        + "graal        1.000\n"
                        + "per launch  JIT CPU s  GC cycles\n"
                        + "c2               1.00       14.5\n"
                        + "graal            1.00         20\n"
                        + "Ratio to c2, mean of the launches:\n"
                        + "graal           1.000\n",
                costs(result));
    }

    /** Their totals are 1.5 apart, their launches 1 and 2, which is 1.414 as a verdict has it. */
    @Test
    void givesTheRatioThatAVerdictHas() {
        TargetResult c2 = target("c2", 1_000_000)
                .cost(Cost.JIT_CPU, 2_000_000_000L)
                .launch(launch(1, 1, 1_000_000_000L).build())
                .launch(launch(2, 1, 1_000_000_000L).build())
                .build();
        TargetResult graal = target("graal", 1_000_000)
                .cost(Cost.JIT_CPU, 3_000_000_000L)
                .launch(launch(1, 1, 1_000_000_000L).build())
                .launch(launch(2, 1, 2_000_000_000L).build())
                .build();
        RunResult result = TestingRuns.run(
                        TestingRuns.plan(c2, graal).launches(2).build(), c2, graal)
                .build();

        assertTrue(costs(result).contains("\ngraal           1.414\n"), costs(result));
    }

    /** It was that of all launches together, under a heading that says "mean of the launches". */
    @Test
    void hasNoRatioOfFiguresThatNoLaunchHas() {
        TargetResult c2 = target("c2", 1_000_000)
                .launch(launch(1, 1).build())
                .launch(launch(2, 1).build())
                .build();
        TargetResult graal = target("graal", 2_000_000)
                .launch(launch(1, 1).build())
                .launch(launch(2, 1).build())
                .build();
        RunResult result = TestingRuns.run(
                        TestingRuns.plan(c2, graal).launches(2).build(), c2, graal)
                .build();

        String table = ComparisonTable.ofLoad(result).toString();

        assertTrue(table.replaceAll(" +", " ").contains("of the launches:\ngraal 1.000 - - - - - 1.000\n"), table);
    }

    /** All ratios were gone. */
    @Test
    void hasTheRatioOfTheFiguresWhereTheFirstOfSeveralLaunchesWasCut() {
        TargetResult c2 = target("c2", 1_000_000).launch(launch(1, 1).build()).build();
        TargetResult graal =
                target("graal", 2_000_000).launch(launch(1, 1).build()).build();
        RunResult result = TestingRuns.run(
                        TestingRuns.plan(c2, graal).launches(6).build(), c2, graal)
                .interrupted(true)
                .launchesDone(0)
                .build();

        String table = ComparisonTable.ofLoad(result).toString();

        assertTrue(table.replaceAll(" +", " ").contains("\nRatio to c2:\ngraal 1.000 2."), table);
    }

    private static LaunchResult.Builder launch(int number, long cycles) {
        return launch(number, cycles, 1_000_000_000L);
    }

    private static LaunchResult.Builder launch(int number, long cycles, long jitCpuNs) {
        return LaunchResult.builder(number, 1)
                .load(TestingRuns.load(1, 1_000_000))
                .costs(Costs.builder()
                        .set(Cost.GC_CYCLES, cycles)
                        .set(Cost.JIT_CPU, jitCpuNs)
                        .build());
    }

    private static TargetResult.Builder target(String name, long maxNs) {
        return TargetResult.builder(name).load(TestingRuns.load(5, TestingRuns.evenly(20_000, maxNs)));
    }

    private static String table(TargetResult... targets) {
        RunResult result = TestingRuns.run(targets);
        return ComparisonTable.ofLoad(result) + costs(result);
    }

    private static String costs(RunResult result) {
        return ComparisonTable.ofCosts(result).stream()
                .map(ComparisonTable::toString)
                .collect(Collectors.joining());
    }

    /** A target that answered 1000 of the 2500 requests that it was due, until it was killed after 5 s. */
    private static TargetResult killed() {
        return TargetResult.builder("c2")
                .exit(TargetExit.builder().exitCode(137).phase("measurement").build())
                .load(TestingRuns.load(
                        5,
                        counts -> {
                            counts.sent += 1500;
                            counts.error(ErrorKind.TARGET_DIED, 1500);
                        },
                        TestingRuns.evenly(1000, 2_000_000)))
                .build();
    }

    @Test
    void saysInTheTableThatATargetDiedAndWhatItsRateIsOf() {
        RunResult run = TestingRuns.run(killed(), target("graal", 2_000_000).build());

        List<String> lines = ComparisonTable.ofLoad(run).toString().lines().collect(Collectors.toList());

        assertTrue(lines.get(1).matches("c2 DIED +200 .*>=.* 1500"), lines.get(1));
        assertTrue(lines.get(2).startsWith("graal  "), lines.get(2));
        assertEquals(
                List.of(
                        "c2 died: its rate is that of the 5.0 s of its own load, and all that it still",
                        "  owed are errors"),
                lines.subList(lines.size() - 2, lines.size()));
        assertTrue(ComparisonTable.ofScreen(run, 80).toString().contains("c2 DIED "));
    }

    @Test
    void hasNoRatioOfATargetThatDiedInItsOnlyLaunchButOfItsStart() {
        Startup startup =
                Startup.of(OptionalLong.of(50_000_000), OptionalLong.of(400_000_000), OptionalLong.of(900_000_000));
        TargetExit exit =
                TargetExit.builder().exitCode(137).phase("measurement").build();
        TargetResult c2 = target("c2", 1_000_000)
                .cost(Cost.JIT_CPU, 1_000_000)
                .cost(Cost.RSS, 100L << 20)
                .startup(startup)
                .exit(exit)
                .launch(launch(1, 1).startup(startup).exit(exit).build())
                .build();
        TargetResult graal = target("graal", 1_000_000)
                .cost(Cost.JIT_CPU, 3_145_000_000L)
                .cost(Cost.RSS, 187L << 20)
                .startup(startup)
                .launch(launch(1, 1).startup(startup).build())
                .build();
        RunResult result = TestingRuns.run(c2, graal);

        String costs = costs(result);

        assertEquals(1, costs.split("Ratio to c2", -1).length - 1, costs);
        assertTrue(
                costs.matches("(?s).*first answer s\\n.*\\nRatio to c2:\\ngraal +1\\.000 +1\\.000 +1\\.000\\n"), costs);
        String load = ComparisonTable.ofLoad(result).toString();
        assertFalse(load.contains("Ratio to"), load);
        String wide = ComparisonTable.ofScreen(result, 200).rows();
        assertTrue(wide.matches("(?s).*\nRatio to c2:\ngraal( +-)+ +1\\.000 *\n"), wide);
    }

    @Test
    void namesNoErrorsWhereNothingWasOwed() {
        TargetResult dead = target("c2", 1_000_000)
                .exit(TargetExit.builder().exitCode(137).build())
                .build();

        List<String> remarks = ComparisonTable.ofLoad(TestingRuns.run(dead)).remarks();

        assertEquals(1, remarks.size());
        assertTrue(remarks.get(0).endsWith(" s of its own load"), remarks.get(0));
    }

    @Test
    void countsAsErrorsWhatTheLoudLineCounts() {
        TargetResult slow = TargetResult.builder("c2")
                .load(TestingRuns.load(
                        1,
                        counts -> {
                            counts.sent += 3;
                            counts.unanswered = 2;
                            counts.unsent = 94;
                            counts.error(ErrorKind.CONNECTION_RESET);
                        },
                        TestingRuns.evenly(56, 2_000_000)))
                .build();
        RunResult run = TestingRuns.run(slow);

        assertTrue(ComparisonTable.ofLoad(run)
                .toString()
                .lines()
                .skip(1)
                .findFirst()
                .orElseThrow()
                .endsWith(" 97"));
        assertTrue(new FailureTable(run).loud().get(0).startsWith("FAILING: c2: 97 of 153 requests failed"));
    }

    @Test
    void saysAtTheTableWhyItIsNotToBeTrusted() {
        RunResult run =
                TestingRuns.run(target("c2", 2_000_000).cost(Cost.RSS, 1 << 20).build());

        RunResult paused = run.withInvalid("Lockstep's JVM paused for 80 ms");
        String load = ComparisonTable.ofLoad(paused).toString();
        assertTrue(
                load.startsWith(
                        "INVALID: do not trust these figures: Lockstep's JVM paused for 80 ms\n" + "INVALID  req/s "),
                load);
        String screen = ComparisonTable.ofScreen(paused, 80).toString();
        assertTrue(screen.contains("\nINVALID  req/s "), screen);
        String costs = ComparisonTable.ofCosts(paused).get(0).toString();
        assertTrue(costs.contains("80 ms\nINVALID  RSS MiB\n"), costs);
    }

    @Test
    void saysWhichFiguresALateRunSpoils() {
        TargetResult c2 = target("c2", 2_000_000).cost(Cost.RSS, 1 << 20).build();
        RunResult late = TestingRuns.run(TestingRuns.plan(c2).build(), c2)
                .latenessReason("it was late by 12 ms")
                .statusReason("it was late by 12 ms")
                .build();

        String load = ComparisonTable.ofLoad(late).toString();
        assertTrue(
                load.startsWith(
                        "INVALID: do not trust these rates and latencies: it was late by 12 ms\n" + "INVALID  req/s "),
                load);
        String costs = ComparisonTable.ofCosts(late).get(0).toString();
        assertTrue(
                costs.startsWith("Of an INVALID run: Lockstep was late, so rates and latencies are not to be")
                        && costs.contains("\ntarget  RSS MiB\n"),
                costs);
    }
}
