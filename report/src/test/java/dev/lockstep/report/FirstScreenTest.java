package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Outage;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.FleetCost;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.Output;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Verdict.Interval;
import dev.lockstep.results.Warmup;
import dev.lockstep.results.WarmupPace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FirstScreenTest {
    private static final List<String> COMMAND = List.of("./replay", "--targets", "c2,graal", "samples/users.bin");
    private static final TargetExit KILLED = TargetExit.builder()
            .exitCode(137)
            .phase("measurement of a launch in which much else happened too")
            .oomKilled(true)
            .build();

    private static TargetResult.Builder target(String name, int launches, int us) {
        TargetResult.Builder target = TargetResult.builder(name)
                .jit(name.equals("c2") ? "HotSpot C2" : "Graal")
                .jvm("OpenJDK 17.0.15")
                .load(TestingRuns.load(10, TestingRuns.evenly(3000, us * 10_000L)))
                .costs(costs(us, 1))
                .warmup(steadyAfter(52));
        for (int launch = 1; launch <= launches; launch++) {
            target.launch(LaunchResult.builder(launch, 1)
                    .load(TestingRuns.load(10 / launches, TestingRuns.evenly(3000 / launches, us * 10_000L)))
                    .costs(costs(us, launches))
                    .build());
        }
        return target;
    }

    private static Costs costs(int us, int parts) {
        return Costs.NONE
                .with(Cost.APPLICATION_CPU, us * 3_000_000L / parts)
                .with(Cost.JIT_CPU, us * 300_000L / parts)
                .with(Cost.GC_CPU, us * 30_000L / parts)
                .with(Cost.USER_CPU, us * 2_330_000L / parts)
                .with(Cost.SYSTEM_CPU, us * 1_000_000L / parts)
                .with(Cost.RSS, 200L << 20);
    }

    private static Warmup steadyAfter(int seconds) {
        return Warmup.builder(Warmup.State.STEADY)
                .durationNs(seconds * 1_000_000_000L)
                .jitShare(0.02)
                .build();
    }

    private static RunPlan.Builder plan(int launches, TargetResult... targets) {
        return TestingRuns.plan(targets)
                .warmupUntilSteady(Duration.ofMinutes(5), WarmupPace.MAX)
                .launches(launches)
                .output(Output.BOTH)
                .command(COMMAND);
    }

    private static Verdict.Builder verdict(int launches, Finding finding, double ratio) {
        return Verdict.builder("cpuPerRequest", "graal", "c2")
                .primary(true)
                .launches(launches)
                .ofLaunches(launches)
                .finding(finding)
                .ratio(ratio);
    }

    private static RunResult.Builder run(RunPlan.Builder plan, long seconds, TargetResult... targets) {
        RunResult.Builder run = TestingRuns.run(plan.build(), targets);
        RunResult begun = run.build();
        return RunResult.builder(plan.build())
                .startedAt(begun.startedAt())
                .finishedAt(begun.startedAt().plusSeconds(seconds))
                .environment(begun.environment())
                .directory("lockstep-runs/20261122-090000-c2-graal")
                .targets(begun.targets());
    }

    private static RunResult look() {
        TargetResult[] targets = {
            target("c2", 1, 300).build(), target("graal", 1, 330).build()
        };
        return run(plan(1, targets), 150, targets)
                .verdict(verdict(1, Finding.INCONCLUSIVE, 1.1).build())
                .note("targets took turns in 6 rounds, the others frozen (replayer on 0, targets on 1, not all at once:"
                        + " 1 core for 2 targets)")
                .build();
    }

    private static RunResult decided() {
        TargetResult[] targets = {
            target("c2", 6, 300).build(), target("graal", 6, 330).build()
        };
        return run(plan(6, targets), 900, targets)
                .verdict(verdict(6, Finding.WORSE, 1.1)
                        .interval(Interval.of(1.08, 1.12))
                        .level(0.95)
                        .build())
                .build();
    }

    /** All that a screen can have at once. */
    private static RunResult crowded() {
        RunResult.Builder run = crowded(false);
        for (int i = 0; i < 5; i++) {
            run.invalid("the replayer was late by " + (12 + i) + " ms at p99, more than 1 ms, in launch " + i);
        }
        return run.build();
    }

    /** As much, of two targets that died in a run with two long reasons not to trust it. */
    private static RunResult crowdedWithTheDead() {
        RunResult.Builder run = crowded(true).interrupted(false);
        for (int i = 0; i < 2; i++) {
            run.invalid(
                    "the generator " + i + " sent requests later than they were due, " + "by 12 ms at p99 ".repeat(9));
        }
        return run.build();
    }

    private static RunResult.Builder crowded(boolean allDead) {
        TargetResult c2 = target("c2", 6, 300)
                .exit(allDead ? Optional.of(KILLED) : Optional.empty())
                .build();
        TargetResult graal = TargetResult.builder("graal")
                .exit(KILLED)
                .load(TestingRuns.load(
                        10,
                        counts -> {
                            counts.error(ErrorKind.TARGET_DIED);
                            for (int i = 0; i < 100; i++) {
                                counts.error(ErrorKind.CONNECTION_RESET);
                            }
                            counts.unanswered = 7;
                            counts.deferred = 25;
                        },
                        TestingRuns.evenly(3000, 3_300_000)))
                .warmup(Warmup.builder(Warmup.State.NOT_STEADY).jitShare(0.34).build())
                .note("shares core 1 with the replayer")
                .build();
        RunPlan.Builder plan = plan(6, c2, graal);
        RunResult.Builder run = run(plan, 900, c2, graal)
                .verdict(verdict(6, Finding.INCONCLUSIVE, 1.1)
                        .interval(Interval.of(0.98, 1.22))
                        .level(0.95)
                        .moreLaunches(4)
                        .died(2)
                        .build())
                .interrupted(true)
                .launchesDone(6)
                .fleetCost(FleetCost.of(
                        "cpuPerRequest",
                        127,
                        24,
                        10_000,
                        List.of(FleetCost.Saving.of("graal", -3_048_000, Interval.of(-6_000_000, 600_000)))));
        for (int i = 0; i < 5; i++) {
            run.assertion(AssertionResult.of(
                    "graal.p99 <= " + i + "ms",
                    false,
                    OptionalDouble.empty(),
                    OptionalDouble.empty(),
                    "3.3 ms, not <= " + i + " ms"));
            run.note("note number " + i + ", which is so long that it takes more than one line of a terminal to say");
        }
        return run;
    }

    private static String shortText(RunResult result) {
        return Report.of(result).with(Output.SHORT).as(ReportFormat.TEXT);
    }

    @Test
    void looksLikeTheGoldenFiles() throws IOException {
        assertEquals(TestingRuns.resource("screen-look.txt"), shortText(look()));
        assertEquals(TestingRuns.resource("screen-verdict.txt"), shortText(decided()));
        assertEquals(TestingRuns.resource("screen-crowded.txt"), shortText(crowded()));
    }

    @Test
    void showsTheThirdConditionInPlaceOfALineThatCountsIt() {
        List<AssertionResult> three = crowded().assertions().subList(0, 3);

        String screen = shortText(look().withAssertions(three));

        three.forEach(one -> assertTrue(screen.contains("\n" + one.sentence() + "\n"), screen));
    }

    @Test
    void fitsAnOldTerminal() {
        for (RunResult result : List.of(look(), decided(), crowded(), crowdedWithTheDead())) {
            List<String> lines = shortText(result).lines().collect(Collectors.toList());
            assertTrue(lines.size() <= FirstScreen.MOST_LINES, lines.size() + " lines:\n" + String.join("\n", lines));
            assertTrue(lines.stream().allMatch(line -> line.length() <= Lines.WIDTH), String.join("\n", lines));
        }
    }

    @Test
    void keepsEachReasonAndDeathWhereThereIsLittleRoom() {
        List<String> lines = shortText(crowdedWithTheDead()).lines().collect(Collectors.toList());

        assertEquals(
                2,
                lines.stream()
                        .filter(line -> line.startsWith("INVALID: the generator "))
                        .count(),
                lines + "");
        assertTrue(lines.get(0).startsWith("DIED: c2 ") && lines.get(1).startsWith("DIED: graal "), lines + "");
        assertTrue(lines.get(2).endsWith(" ...") && lines.get(3).endsWith(" ..."), lines + "");
        assertTrue(lines.stream().anyMatch(line -> line.startsWith("graal DIED ")), lines + "");
    }

    @Test
    void callsAnswersEqualOnlyWhereThoseOfAllTargetsWereCompared() {
        AnswerComparison equal = AnswerComparison.builder("c2")
                .requests(100)
                .compared(100)
                .withoutContents(0)
                .different(0)
                .build();
        TargetResult.Builder graal = target("graal", 1, 330);

        assertFalse(compared(graal.build()).contains("The answers are equal"));
        assertTrue(compared(graal.comparison(equal).build()).contains("The answers are equal"));
    }

    private static String compared(TargetResult graal) {
        TargetResult[] targets = {target("c2", 1, 300).build(), graal};
        return shortText(run(plan(1, targets).compare(true), 150, targets).build());
    }

    @Test
    void beginsWithADeathAndSaysBelowTheTableWhatTheRateIsOf() {
        TargetResult[] targets = {
            target("c2", 1, 300)
                    .exit(TargetExit.builder().exitCode(137).build())
                    .build(),
            target("graal", 1, 330).build()
        };

        String screen = shortText(run(plan(1, targets), 150, targets).build());

        assertTrue(
                screen.startsWith("DIED: c2: exit code 137 (SIGKILL)\n")
                        && screen.contains("\n\nc2 died: its rate is that of the 10.0 s of its own load\n")
                        && screen.indexOf("DIED: ") == screen.lastIndexOf("DIED: "),
                screen);
    }

    @Test
    void standsBelowWhatHeyPrintsUnlessOneIsAskedFor() {
        RunResult result = look();
        String hey = Report.of(result).with(Output.HEY).as(ReportFormat.TEXT);
        assertTrue(hey.startsWith("Target c2 (HotSpot C2, OpenJDK 17.0.15)\n\nSummary:\n  Total:\t"), hey);
        assertTrue(hey.contains("\n\nTarget graal (Graal, OpenJDK 17.0.15)\n\nSummary:\n"), hey);
        assertFalse(hey.contains("CPU"), hey);
        assertEquals(hey + "\n" + shortText(result), TestingRuns.text(result));
        assertTrue(
                Report.of(result).with(Output.FULL).as(ReportFormat.TEXT).contains("\nNotes:\n"),
                "everything has the notes");
    }

    @Test
    void paintsLinesWithoutChangingThem() {
        String painted = Report.of(decided())
                .with(Output.SHORT)
                .painted((tone, line) -> "<" + tone + ">" + line + "</>")
                .as(ReportFormat.TEXT);
        assertEquals(shortText(decided()), painted.replaceAll("<[A-Z/]*>", ""));
        assertTrue(painted.startsWith("<HEADING>VERDICT"), painted);
        assertTrue(painted.contains("\n<BAD>graal uses 10.0 % more"), painted);
        assertTrue(painted.contains("\n<COMMAND>  ./replay "), painted);
    }

    @Test
    void saysWhatARequestCostsAtFullLoadBesideThePrimaryMetric() {
        Verdict fullLoad = Verdict.builder("fullLoadCpuPerRequest", "graal", "c2")
                .launches(6)
                .ofLaunches(6)
                .finding(Finding.WORSE)
                .ratio(1.05)
                .interval(Interval.of(1.03, 1.07))
                .level(0.975)
                .build();
        List<Verdict> verdicts = new ArrayList<>(decided().verdicts());
        verdicts.add(fullLoad);
        String screen = new FirstScreen(decided().withVerdicts(verdicts), Paint.NONE).toString();
        assertTrue(
                screen.contains("6 launches): worse; both steady\n"
                        + "graal uses 5.0 % more CPU per request at full load than c2 (1.050, 97.5 %\n"
                        + "  interval 1.030 to 1.070, 6 launches): worse\n"),
                screen);
    }

    @Test
    void hasMoreColumnsInAWideTerminal() {
        List<String> usual =
                new FirstScreen(decided(), Paint.NONE, 159).toString().lines().collect(Collectors.toList());
        List<String> wide =
                new FirstScreen(decided(), Paint.NONE, 160).toString().lines().collect(Collectors.toList());

        assertEquals(usual.size(), wide.size(), "as many lines");
        String heading = wide.stream()
                .filter(line -> line.startsWith("target"))
                .findFirst()
                .orElseThrow();
        for (String column : List.of("p90 ms", "p95 ms", "max ms", "errors")) {
            assertTrue(heading.contains(column), heading);
        }
        assertTrue(wide.stream().allMatch(line -> line.length() <= 160), wide.toString());
    }

    @Test
    void saysWhyThereIsNoVerdict() {
        TargetResult c2 = target("c2", 1, 300).build();
        RunPlan.Builder alone = plan(1, c2);
        assertTrue(shortText(run(alone, 70, c2).build()).startsWith("One target, so nothing is compared\n"));
        TargetResult[] both = {
            TargetResult.builder("old").build(), TargetResult.builder("new").build()
        };
        String text = shortText(run(plan(1, both), 70, both).build());
        assertTrue(text.startsWith("No verdict: nothing was compared; the table is a look\n"), text);
    }

    @Test
    void hidesNothingThatNobodyMayOverlook() {
        Costs starving = costs(300, 1)
                .with(Cost.RUN_DELAY, 5_800_000_000L)
                .with(Cost.PROCESSORS_BUSY, 64_500_000_000L)
                .with(Cost.PROCESSORS_STOLEN, 1_000_000L);
        TargetResult[] targets = {
            target("c2", 1, 300).costs(starving).cpus("1").build(),
            target("graal", 1, 330).costs(starving).cpus("1").build()
        };
        RunResult.Builder run = run(plan(1, targets), 150, targets)
                .verdict(verdict(1, Finding.INCONCLUSIVE, 1.1).build());
        for (int i = 0; i < 7; i++) {
            run.note("note number " + i + ", which is so long that it takes more than one line of a terminal to say");
        }
        String screen = shortText(run.build());
        assertTrue(
                screen.startsWith("STARVED: c2: latencies and rates are not its own: its threads waited 5.8 s ...\n"
                                + "STARVED: graal: latencies and rates are not its own: its threads waited 5.8 ...\n"
                                + "LOOK by ")
                        && screen.contains("\nNo answer yet: c2, graal STARVED; graal uses 10.0 % more ")
                        && screen.contains("\n\nnote number 6, ")
                        && screen.contains(" ...\nand 6 more: --output full\n"),
                screen);
        String full = Report.of(run.build()).with(Output.FULL).as(ReportFormat.TEXT);
        assertFalse(full.contains("other machines for 0.0 s"), full);
    }

    /** The answer of a server that was killed half way would be read as that of one that served all. */
    @Test
    void beginsWithWhatFailed() {
        TargetResult half = TargetResult.builder("d")
                .load(TestingRuns.load(
                        10,
                        counts -> {
                            counts.sent += 398;
                            counts.error(ErrorKind.CONNECT_REFUSED, 398);
                        },
                        i -> 200,
                        TestingRuns.evenly(202, 1_000_000)))
                .build();
        RunPlan.Builder alone = TestingRuns.plan(half).output(Output.SHORT).command(COMMAND);

        String screen = shortText(run(alone, 70, half).build());

        assertTrue(
                screen.startsWith("FAILING: d: 398 of 600 requests failed, mostly connect-refused\n"
                        + "One target, so nothing is compared\n"),
                screen);
        assertEquals(screen.indexOf("FAILING: "), screen.lastIndexOf("FAILING: "), screen);

        TargetResult[] targets = {target("c2", 1, 300).build(), failing(7)};
        String mute = shortText(run(plan(1, targets), 150, targets).build());
        assertTrue(mute.startsWith("graal answered no request well\nCLIENT ERRORS: graal: "), mute);
        assertTrue(mute.contains("\nFAILING: graal: 3 of 10 requests failed, mostly status 5xx"), mute);
    }

    @Test
    void saysThatARunIsValid() {
        assertTrue(shortText(decided()).contains("\nVALID. Run directory: lockstep-runs/"), shortText(decided()));
        assertTrue(Report.of(decided()).with(Output.FULL).as(ReportFormat.TEXT).startsWith("VALID. Replayed "));
        RunResult invalid = decided().withInvalid("late");
        assertTrue(shortText(invalid).contains("\nRun directory: lockstep-runs/"), shortText(invalid));
        String full = Report.of(invalid).with(Output.FULL).as(ReportFormat.TEXT);
        assertTrue(full.startsWith("INVALID: late\nReplayed "), full);
    }

    @Test
    void saysBehindValidWhoDied() {
        TargetResult[] targets = {
            target("c2", 1, 300)
                    .exit(TargetExit.builder().exitCode(137).build())
                    .build(),
            target("graal", 1, 330).build()
        };
        RunResult run = run(plan(1, targets), 150, targets).build();

        assertTrue(shortText(run).contains("\nVALID, c2 DIED. Run directory: "), shortText(run));
        String full = Report.of(run).with(Output.FULL).as(ReportFormat.TEXT);
        assertTrue(full.contains("\nVALID, c2 DIED. Replayed "), full);
    }

    /** Whoever sees this line alone would take it for success. */
    @Test
    void saysBehindValidWhoAnsweredNoRequestWell() {
        TargetResult[] targets = {target("c2", 1, 300).build(), failing(7)};
        RunResult run = run(plan(1, targets), 150, targets).build();

        String valid = "\nVALID, but graal answered no request well. ";
        assertTrue(shortText(run).contains(valid + "Run directory: "), shortText(run));
        String full = Report.of(run).with(Output.FULL).as(ReportFormat.TEXT);
        assertTrue(full.contains(valid + "Replayed "), full);
        String markdown = Report.of(run).as(ReportFormat.MARKDOWN);
        assertTrue(markdown.contains("\n**VALID, but graal answered no request well**, "), markdown);
        assertEquals(Paint.Tone.BAD, Findings.of(run).outcome().tone());
        assertEquals(
                "INVALID, graal answered no request well",
                Findings.of(run.withInvalid("late")).outcome().text());
        assertEquals(Paint.Tone.GOOD, Findings.of(decided()).outcome().tone());
    }

    /** Returns a target that answered so many of ten requests with 404, and the others with 500. */
    private static TargetResult failing(int refused) {
        return TargetResult.builder("graal")
                .load(TestingRuns.load(
                        10, counts -> {}, i -> i < refused ? 404 : 500, TestingRuns.evenly(10, 1_000_000)))
                .build();
    }

    @Test
    void saysWhatTheCpuOfATargetIsThatIsNoJvm() {
        Costs plain = Costs.NONE.with(Cost.GROUP_CPU, 900_000_000L).with(Cost.RSS, 200L << 20);
        TargetResult go = TargetResult.builder("go")
                .load(TestingRuns.load(10, TestingRuns.evenly(3000, 3_000_000)))
                .costs(plain)
                .build();
        List<String> lines = shortText(run(plan(1, go), 70, go).build()).lines().collect(Collectors.toList());
        int heading = lines.indexOf(lines.stream()
                .filter(line -> line.startsWith("target "))
                .findFirst()
                .orElseThrow());
        assertEquals(
                "                    CPU us/request\n" + "target  req/s  p50 ms  p99 ms  all  RSS MiB  errors",
                lines.get(heading - 1) + "\n" + lines.get(heading));
    }

    @Test
    void cutsNoWordWhereItLeavesTheRestOut() {
        List<String> folders = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            folders.add("/" + "long-folder/".repeat(10) + i);
        }
        List<String> shown = shortText(look().withNote(String.join(" ", folders)))
                .lines()
                .filter(line -> line.contains("long-folder"))
                .collect(Collectors.toList());
        assertEquals("  " + folders.get(shown.size() - 1) + " ...", shown.get(shown.size() - 1));
    }

    // ---- the next command ---------------------------------------------------------------------------------------

    private static List<String> next(RunResult result) {
        List<String> lines = new ArrayList<>();
        NextCommand.after(result).ifPresent(next -> {
            lines.add(next.why());
            lines.addAll(next.lines());
        });
        return lines;
    }

    @Test
    void advisesAVerdictAfterALook() {
        assertEquals(
                List.of(
                        "Next, a verdict (about 15 min, up to 30 min):",
                        "  ./replay --targets c2,graal --verdict samples/users.bin"),
                next(look()));
        TargetResult[] targets = {
            target("c2", 3, 300).build(), target("graal", 3, 330).build()
        };
        List<String> words = List.of(
                "replay",
                "--targets",
                "c2,graal",
                "--warmup",
                "10s",
                "--quick",
                "--profile",
                "--profile-duration",
                "5s",
                "my capture.bin");
        RunPlan.Builder quick = TestingRuns.plan(targets)
                .warmup(Duration.ofSeconds(10))
                .alternate(2)
                .launches(3)
                .command(words);
        assertEquals(
                List.of(
                        "Next, a verdict (about 11 min, up to 22 min):",
                        "  replay --targets c2,graal --verdict 'my capture.bin'"),
                next(run(quick, 90, targets).build()));
    }

    /** Returns a target whose launches were so, and took so long until they were found to be. */
    private static TargetResult warmed(Warmup.State state, int seconds) {
        return warmed(6, state, seconds);
    }

    private static TargetResult warmed(int launches, Warmup.State state, int seconds) {
        TargetResult plain = target("graal", launches, 300).build();
        Warmup warmup = Warmup.builder(state)
                .durationNs(seconds * 1_000_000_000L)
                .cpuNs(seconds * 900_000_000L)
                .build();
        return TargetResult.builder("graal")
                .from(plain)
                .launches(plain.launches().stream()
                        .map(launch -> LaunchResult.builder(launch.launch(), 1)
                                .from(launch)
                                .warmup(warmup)
                                .build())
                        .collect(Collectors.toList()))
                .warmup(Warmup.builder(state).build())
                .build();
    }

    private static List<String> afterNotSteady(RunPlan.Builder plan, TargetResult... targets) {
        return next(run(plan, 900, targets)
                .verdict(verdict(6, Finding.NOT_STEADY, 1.1).build())
                .build());
    }

    /** It was the profile of what nobody knows to be steady, and after two launches the same verdict again. */
    @Test
    void advisesWhatMakesOrShowsTargetsSteady() {
        FullLoad full = FullLoad.of(1, 1, OptionalDouble.of(9));
        TargetResult c2 = target("c2", 6, 300).fullLoad(full).build();
        TargetResult late = warmed(Warmup.State.NOT_STEADY, 296);
        TargetResult early = warmed(Warmup.State.NOT_STEADY, 50);
        TargetResult noisy = warmed(Warmup.State.UNDECIDABLE, 50);
        // A second of this was measured.
        TargetResult almost = warmed(Warmup.State.NOT_STEADY, 295);
        TargetResult loaded =
                TargetResult.builder("graal").from(noisy).fullLoad(full).build();

        assertEquals(
                List.of(
                        "Next, a longer warm-up, for this one ended at its limit (about 45 min):",
                        "  ./replay --targets c2,graal --warmup-limit 600s samples/users.bin"),
                afterNotSteady(plan(6, c2, late), c2, late));
        // Twice a limit below half a second was none, which is refused.
        assertEquals(
                "  ./replay --targets c2,graal --warmup-limit 1s samples/users.bin",
                afterNotSteady(plan(6, c2, late).warmupUntilSteady(Duration.ofMillis(400), WarmupPace.MAX), c2, late)
                        .get(1));
        List<String> longer = List.of(
                "Next, longer launches, which show more of a change (about 15 min):",
                "  ./replay --targets c2,graal -z 6s samples/users.bin");
        assertEquals(longer, afterNotSteady(plan(6, c2, early), c2, early));
        assertEquals(longer, afterNotSteady(plan(6, c2, almost), c2, almost));
        assertEquals(
                List.of(
                        "Next, a longer full load, which shows smaller changes (about 21 min):",
                        "  ./replay --targets c2,graal --full-load 80s samples/users.bin"),
                afterNotSteady(plan(6, c2, loaded).fullLoad(Duration.ofSeconds(20)), c2, loaded));
        assertEquals(
                longer,
                afterNotSteady(plan(6, c2, noisy).fullLoad(Duration.ofSeconds(20)), c2, noisy),
                "it never got the full load that was planned");
        RunPlan.Builder fixed = TestingRuns.plan(c2, early)
                .warmup(Duration.ofSeconds(10))
                .launches(6)
                .command(List.of("replay", "--targets", "c2,graal", "--warmup", "10s", "a.bin"));
        assertEquals(
                List.of(
                        "Next, the same, warmed up until it is steady (about 19 min):",
                        "  replay --targets c2,graal a.bin"),
                afterNotSteady(fixed, c2, early));
        // Whatever else was wrong, too little warm-up would be so again.
        assertEquals(
                List.of(
                        "Next, the same warmed up until it is steady, with nothing else on this machine (about 19"
                                + " min):",
                        "  replay --targets c2,graal a.bin"),
                next(run(fixed, 900, c2, early)
                        .verdict(verdict(6, Finding.NOT_STEADY, 1.1).build())
                        .invalid("the replayer was late")
                        .build()));
    }

    /** The same look again would end its warm-up at the same limit. */
    @Test
    void advisesALongerWarmUpAfterALookThatHadTooLittle() {
        TargetResult c2 = target("c2", 1, 300).build();
        // Ten seconds of this were measured.
        TargetResult late = warmed(1, Warmup.State.NOT_STEADY, 48);
        TargetResult early = warmed(1, Warmup.State.NOT_STEADY, 30);

        assertEquals(
                List.of(
                        "Next, a verdict with a longer warm-up, for this one ended at its limit (about 19 min, up to 38"
                                + " min):",
                        "  ./replay --targets c2,graal --verdict samples/users.bin"),
                next(unsteadyLook(c2, late)));
        assertEquals(
                List.of(
                        "Next, the same with a longer warm-up, for this one ended at its limit, with nothing else on this"
                                + " machine (about 3 min):",
                        "  ./replay --targets c2,graal --warmup-limit 76s samples/users.bin"),
                next(unsteadyLook(c2, late).withInvalid("the replayer was late")));
        assertEquals(
                "Next, a verdict (about 15 min, up to 30 min):",
                next(unsteadyLook(c2, early)).get(0));
    }

    private static RunResult unsteadyLook(TargetResult... targets) {
        return run(plan(1, targets).warmupUntilSteady(Duration.ofSeconds(38), WarmupPace.MAX), 150, targets)
                .verdict(verdict(1, Finding.NOT_STEADY, 1.1).build())
                .build();
    }

    /** Nobody knows when the server is steady, so that it was the same command again. */
    @Test
    void advisesALongerWarmUpBesideAServerThatRunsAlready() {
        TargetResult c2 = target("c2", 6, 300).build();
        TargetResult graal = warmed(Warmup.State.NOT_STEADY, 11);
        RunPlan.Builder mixed = TestingRuns.plan(c2, graal)
                .targets(List.of(
                        TargetPlan.builder("c2").address("h:1").build(),
                        TargetPlan.builder("graal").profile("graal").build()))
                .warmup(Duration.ofSeconds(10))
                .launches(6)
                .command(List.of("replay", "--targets", "c2=h:1,graal", "--warmup", "10s", "a.bin"));

        assertEquals(
                List.of(
                        "Next, the same with a longer warm-up (about 18 min):",
                        "  replay --targets c2=h:1,graal --warmup 40s a.bin"),
                afterNotSteady(mixed, c2, graal));
    }

    /** Of servers that still change from block to block all figures say no more. */
    @Test
    void advisesALongerWarmUpWhereTheRatioOfServersStillChanges() {
        TargetResult[] targets = {
            target("c2", 6, 300).build(), target("graal", 6, 330).build()
        };
        RunPlan.Builder running = TestingRuns.plan(targets)
                .targets(List.of(
                        TargetPlan.builder("c2").address("h:1").build(),
                        TargetPlan.builder("graal").address("h:2").build()))
                .warmup(Duration.ofSeconds(10))
                .launches(6)
                .command(List.of("replay", "--targets", "c2=h:1,graal=h:2", "--launches", "6", "a.bin"));

        assertEquals(
                List.of(
                        "Next, the same with a longer warm-up (about 18 min):",
                        "  replay --targets c2=h:1,graal=h:2 --launches 6 --warmup 40s a.bin"),
                next(run(running, 900, targets)
                        .verdict(verdict(6, Finding.NOT_STEADY, 1.1)
                                .whyNot("graal / c2 in p50 still changes from block to block")
                                .build())
                        .build()));
    }

    /** What the second instance of the baseline shows is noise. */
    @Test
    void asksNothingMoreOfTheSecondInstanceOfTheBaseline() {
        TargetResult[] targets = {
            target("c2", 6, 300).build(),
            target("graal", 6, 330).build(),
            target("c2-aa", 6, 301).build()
        };
        RunResult result = run(plan(6, targets).sameAsBaseline("c2-aa"), 900, targets)
                .verdicts(decided().verdicts())
                .verdict(Verdict.builder("cpuPerRequest", "c2-aa", "c2")
                        .primary(true)
                        .launches(6)
                        .finding(Finding.INCONCLUSIVE)
                        .moreLaunches(100)
                        .ratio(1)
                        .build())
                .build();

        assertTrue(next(result).get(0).startsWith("Next, in which methods the CPU time goes"), next(result)::toString);
    }

    /** The command could not be typed: an option twice. */
    @Test
    void asksForAVerdictOnceAfterOneThatEndedEarly() {
        TargetResult[] targets = {
            target("c2", 3, 300).build(), target("graal", 3, 330).build()
        };
        RunPlan.Builder plan = plan(6, targets)
                .maxLaunches(12)
                .command(List.of("./replay", "--targets", "c2,graal", "--verdict", "samples/users.bin"));
        RunResult.Builder ended = run(plan, 450, targets).launchesDone(3);

        assertEquals(
                List.of(
                        "Next, a verdict (about 15 min, up to 30 min):",
                        "  ./replay --targets c2,graal --verdict samples/users.bin"),
                next(ended.verdict(verdict(3, Finding.INCONCLUSIVE, 1.1)
                                .moreLaunches(3)
                                .build())
                        .build()));
    }

    /** A percentile of too few requests has no value after more launches either. */
    @Test
    void asksForLongerLaunchesWhereNoneHadTheFigure() {
        TargetResult[] targets = {
            target("c2", 2, 300).build(), target("graal", 2, 330).build()
        };
        RunResult ended = run(plan(6, targets).maxLaunches(12).primaryMetric("p999"), 300, targets)
                .launchesDone(2)
                .verdict(Verdict.builder("p999", "graal", "c2")
                        .primary(true)
                        .launches(0)
                        .finding(Finding.INCONCLUSIVE)
                        .build())
                .build();

        assertTrue(
                next(ended).get(0).startsWith("Next, longer launches, for none had figures of both"),
                next(ended)::toString);
    }

    /** A launch that was heated is judged by its heating and by full load, however long it is measured. */
    @Test
    void advisesFullLoadWhereThereWasNoneAndNoiseHidesWhetherTargetsWereSteady() {
        TargetResult c2 = target("c2", 6, 300).build();
        TargetResult noisy = warmed(Warmup.State.UNDECIDABLE, 50);
        RunPlan.Builder plan = plan(6, c2, noisy)
                .command(List.of("./replay", "--targets", "c2,graal", "--full-load", "0", "samples/users.bin"));

        assertEquals(
                List.of(
                        "Next, the same with full load, which shows smaller changes (about 17 min):",
                        "  ./replay --targets c2,graal samples/users.bin"),
                afterNotSteady(plan, c2, noisy));
    }

    @Test
    void countsWhatMayHaveBeenMeasuredBeforeTheSteadyState() {
        TargetResult c2 = target("c2", 1, 300).build();
        RunPlan.Builder plan = TestingRuns.plan(c2).output(Output.BOTH).command(COMMAND);

        String text = shortText(run(plan, 60, c2).build());

        assertTrue(text.contains("\nUntil steady: c2 52.0 s\n"), text);
    }

    @Test
    void advisesNoProfileOfWhatHasNoVerdict() {
        RunResult spoiled = decided()
                .withVerdicts(List.of(decided()
                        .verdicts()
                        .get(0)
                        .without("Lockstep was busy 99 % of the time that it sent to c2 and set its pace")));

        assertEquals("Next, all figures:", next(spoiled).get(0));
    }

    @Test
    void saysHowLongWasWarmedUpWhatOnlyAllLaunchesTogetherShowedToBeSteady() {
        TargetResult c2 = target("c2", 6, 300).build();
        TargetResult graal = TargetResult.builder("graal")
                .from(warmed(Warmup.State.UNDECIDABLE, 30))
                .warmup(Warmup.builder(Warmup.State.STEADY)
                        .durationNs(30_000_000_000L)
                        .cpuNs(27_000_000_000L)
                        .visibleStep(0.04)
                        .build())
                .build();
        RunResult run = run(plan(6, c2, graal), 900, c2, graal)
                .verdict(verdict(6, Finding.WORSE, 1.1).build())
                .build();

        assertTrue(
                shortText(run)
                        .contains("\nUntil steady, not counted: c2 52.0 s; warmed up: graal 30.0 s (27.0 s of CPU)\n"),
                shortText(run));
    }

    @Test
    void advisesAVerdictOnServersThatRunAlready() {
        TargetResult[] targets = {
            target("c2", 1, 300).build(), target("graal", 1, 330).build()
        };
        RunPlan plan = TestingRuns.plan(targets)
                .warmup(Duration.ofSeconds(1))
                .command(List.of("replay", "--targets", "c2=h:1,graal=h:2", "--warmup", "1s", "a.bin"))
                .build();
        List<TargetPlan> running = List.of(
                TargetPlan.builder("c2").address("h:1").build(),
                TargetPlan.builder("graal").address("h:2").build());
        RunPlan look = plan.toBuilder().targets(running).build();
        // The ten seconds that both were measured together become 20 of each, in turns.
        assertEquals(
                List.of(
                        "Next, a verdict (about 6 min, up to 12 min):",
                        "  replay --targets c2=h:1,graal=h:2 --warmup 1s --verdict a.bin"),
                next(run(look.toBuilder(), 30, targets).build()));
        assertEquals(
                "Next, a verdict (about 5 min, up to 10 min):",
                next(run(look.toBuilder().alternate(2), 30, targets).build()).get(0));
        RunPlan.Builder timed = look.toBuilder().alternate(2).duration(Duration.ofSeconds(10));
        assertEquals(
                "Next, a verdict (about 3 min, up to 6 min):",
                next(run(timed, 30, targets).build()).get(0));
    }

    @Test
    void advisesWhatDecidesOrExplains() {
        assertEquals(
                "Next, in which methods the CPU time goes (about 4 min):",
                next(decided()).get(0));
        TargetResult[] targets = {
            target("c2", 6, 300).build(), target("graal", 6, 330).build()
        };
        List<String> words = List.of("./replay", "--targets", "c2,graal", "--launches", "6", "-z", "10s", "users.bin");
        RunPlan.Builder plan = plan(6, targets).command(words);
        assertEquals(
                List.of(
                        "Next, as many launches as would probably decide (about 25 min):",
                        "  ./replay --targets c2,graal -z 10s --verdict --max-launches 10 users.bin"),
                next(run(plan, 900, targets)
                        .verdict(verdict(6, Finding.INCONCLUSIVE, 1.02)
                                .moreLaunches(4)
                                .build())
                        .build()));
        assertEquals(
                List.of(
                        "Next, longer launches, for these differ too much (about 15 min):",
                        "  ./replay --targets c2,graal --launches 6 -z 6s users.bin"),
                next(run(plan, 900, targets)
                        .verdict(verdict(6, Finding.INCONCLUSIVE, 1.02)
                                .moreLaunches(100)
                                .build())
                        .build()));
    }

    /** A closed loop for a time gives a faster target more requests, by which some metrics say nothing. */
    @Test
    void advisesMoreRequestsWhereTheyWereCounted() {
        TargetResult[] targets = {
            target("c2", 6, 300).build(), target("graal", 6, 330).build()
        };
        List<String> words = List.of("./replay", "--targets", "c2,graal", "-c", "50", "-n", "2000", "users.bin");
        assertEquals(
                List.of(
                        "Next, longer launches, for these differ too much (about 15 min):",
                        "  ./replay --targets c2,graal -c 50 -n 8000 users.bin"),
                next(run(plan(6, targets).maxRequests(2_000).command(words), 900, targets)
                        .verdict(verdict(6, Finding.INCONCLUSIVE, 1.02)
                                .moreLaunches(100)
                                .build())
                        .build()));
    }

    @Test
    void advisesTheSameAgainWhereARunProvesNothing() {
        RunResult invalid = look().withInvalid("the replayer was late");
        assertEquals(
                "Next, the same once more, with nothing else on this machine (about 3 min):",
                next(invalid).get(0));
        assertEquals("  " + String.join(" ", COMMAND), next(invalid).get(1));
        RunPlan.Builder fromALibrary = plan(1, target("c2", 1, 300).build()).command(List.of());
        assertEquals(
                List.of(),
                next(run(fromALibrary, 70, target("c2", 1, 300).build()).build()));
    }

    /** Whatever else there is to do would want room too. */
    @Test
    void asksForRoomWhereTheDiskDidNotTakeAllOfTheRun() {
        TargetResult c2 = target("c2", 1, 300).intervalsLost(3).build();

        assertEquals(
                List.of(
                        "Next, room on the disk, which did not take all of this run:",
                        "  df -h lockstep-runs/20261122-090000-c2-graal"),
                next(run(plan(1, c2), 70, c2).build()));
    }

    @Test
    void pointsToTheLogOfATargetThatDied() {
        TargetExit exit =
                TargetExit.builder().exitCode(137).phase("measurement").build();
        TargetResult c2 = target("c2", 1, 300)
                .exit(exit)
                .launch(LaunchResult.builder(2, 1).exit(exit).build())
                .build();
        TargetResult[] targets = {c2, target("graal", 2, 330).build()};

        assertEquals(
                List.of(
                        "Next, the log of c2, which died with exit code 137 (SIGKILL):",
                        "  tail -n 50 lockstep-runs/20261122-090000-c2-graal/c2.2.log"),
                next(run(plan(2, targets), 150, targets)
                        .invalid("the replayer was late")
                        .build()));
    }

    /** A program of its own has no profile, and a log all the same. */
    @Test
    void pointsToTheLogOfAProgramThatDiedToo() {
        TargetResult go = target("c2", 1, 300)
                .exit(TargetExit.builder().exitCode(2).build())
                .build();
        RunPlan.Builder plan = plan(1, go)
                .targets(List.of(
                        TargetPlan.builder("c2").command(List.of("./server")).build()));

        assertEquals(
                List.of(
                        "Next, the log of c2, which died with exit code 2:",
                        "  tail -n 50 lockstep-runs/20261122-090000-c2-graal/c2.log"),
                next(run(plan, 150, go).build()));
    }

    /** Its log ends where the kernel killed it, and says nothing of that. */
    @Test
    void advisesMoreMemoryWhereTheKernelKilledForLackOfIt() {
        TargetResult c2 = target("c2", 1, 300).exit(KILLED).build();
        RunPlan.Builder plan = plan(1, c2)
                .targets(List.of(TargetPlan.builder("c2")
                        .profile("c2")
                        .memoryLimitBytes(64L << 20)
                        .build()))
                .command(List.of("replay", "--targets", "c2", "--memory", "64m", "-z", "10s", "a.bin"));

        assertEquals(
                List.of(
                        "Next, twice the memory, for want of which c2 was killed (about 70 s):",
                        "  replay --targets c2 -z 10s --memory 128m a.bin"),
                next(run(plan, 70, c2).build()));
        assertTrue(
                next(run(plan.soak(true), 70, c2).build()).get(0).startsWith("Next, the log of c2, "),
                "what leaks fills any memory");
    }

    /** A verdict would wait for a server that is no more, and would say the same of one that fails. */
    @Test
    void advisesNoMoreOfWhatFailedToTheEnd() {
        TargetResult c2 = target("c2", 1, 300).build();
        TargetResult mute = failing(0);
        assertEquals(
                List.of(
                        "Next, the log of graal, which answered no request well:",
                        "  tail -n 50 lockstep-runs/20261122-090000-c2-graal/graal.log"),
                next(run(plan(1, c2, mute), 70, c2, mute).build()));

        TargetResult gone = TargetResult.builder("graal")
                .load(TestingRuns.load(
                        10,
                        counts -> counts.error(ErrorKind.CONNECT_REFUSED, 3),
                        i -> 200,
                        List.of(Outage.of(5_000_000_000L, OptionalLong.empty(), 3)),
                        TestingRuns.evenly(10, 1_000_000)))
                .build();
        RunPlan.Builder running = TestingRuns.plan(c2, gone)
                .targets(List.of(
                        TargetPlan.builder("c2").address("h:1").build(),
                        TargetPlan.builder("graal").address("h:2").build()))
                .command(List.of("replay", "--targets", "c2=h:1,graal=h:2", "a.bin"));
        List<String> report = List.of(
                "Next, what failed of graal, which could not be reached in the end:",
                "  replay report --output full lockstep-runs/20261122-090000-c2-graal");
        assertEquals(report, next(run(running, 70, c2, gone).build()));

        TargetResult left = TargetResult.builder("graal")
                .from(target("graal", 1, 300).build())
                .launch(LaunchResult.builder(2, 1).build())
                .build();
        TargetResult twice = target("c2", 2, 300).build();
        assertEquals(
                report, next(run(running.launches(2), 70, twice, left).build()), "it was not there in the last block");

        TargetResult back = TargetResult.builder("graal")
                .from(target("graal", 2, 300).build())
                .load(gone.load().orElseThrow())
                .build();
        List<String> next = next(run(running, 70, twice, back).build());
        assertTrue(next.get(0).startsWith("Next, a verdict"), next + ": it answered in the last block");
    }

    /** Whatever kept it from that: its log tells. */
    @Test
    void pointsToTheLogOfTheLastLaunchWhereATargetWasNotReadyInIt() {
        TargetResult c2 = target("c2", 3, 300).build();
        TargetResult left = target("graal", 1, 300)
                .launch(LaunchResult.builder(2, 1).build())
                .launch(LaunchResult.builder(3, 1).build())
                .build();

        assertEquals(
                List.of(
                        "Next, the log of graal, which was not ready in the last launch:",
                        "  tail -n 50 lockstep-runs/20261122-090000-c2-graal/graal.3.log"),
                next(run(plan(3, c2, left), 70, c2, left).build()));
    }

    @Test
    void leavesOutALimitThatNoMachineKeepsAndSaysSo() {
        TargetResult c2 = target("c2", 1, 300).build();
        List<String> words = List.of("replay", "--max-lag", "1us", "-z", "10s", "a.bin");

        assertEquals(
                List.of(
                        "Next, the same once more, with the usual --max-lag and nothing else on this machine (about 70"
                                + " s):",
                        "  replay -z 10s a.bin"),
                next(run(plan(1, c2).maxLag(Duration.ofNanos(1000)).command(words), 70, c2)
                        .late("Lockstep was late")
                        .build()));
        assertEquals(
                "  " + String.join(" ", words),
                next(run(plan(1, c2).maxLag(Duration.ofMillis(1)).command(words), 70, c2)
                                .late("Lockstep was late")
                                .build())
                        .get(1));
    }

    /** As it stands, it would be refused by each target. */
    @Test
    void saysWhereACommandLacksWhatIsSecret() {
        TargetResult c2 = target("c2", 1, 300).build();
        List<String> words = List.of("replay", "-H", "Authorization: ***", "-z", "10s", "http://h:1/");

        assertEquals(
                List.of(
                        "Next, the same to its end, with your own in place of ***:",
                        "  replay -H 'Authorization: ***' -z 10s http://h:1/"),
                next(run(plan(1, c2).command(words), 70, c2).interrupted(true).build()));
    }

    @Test
    void breaksALongCommandAsAShellReadsIt() {
        String options = "-Dgraal.TrivialInliningSize=21 -Dgraal.MaximumInliningSize=300 -XX:+UseParallelGC it's";
        TargetResult c2 = target("c2", 1, 300).build();
        RunPlan.Builder plan = plan(1, c2).command(List.of("replay", "--jvm-options", options, "-z", "10s", "a.bin"));
        List<String> lines = next(run(plan, 70, c2).invalid("late").build());
        assertEquals(
                Arrays.asList(
                        "  replay --jvm-options \\",
                        "    '" + options.replace("'", "'\\''") + "' \\",
                        "    -z 10s a.bin"),
                lines.subList(1, lines.size()));
    }

    @Test
    void marksItsTableAsNotToBeTrusted() {
        RunResult invalid = look().withInvalid("Lockstep's own JVM paused for 80 ms, which is more than it may, and"
                + " so it cannot be known when requests would have been sent");

        List<String> lines =
                new FirstScreen(invalid, Paint.NONE).toString().lines().collect(Collectors.toList());

        int heading = lines.indexOf(lines.stream()
                .filter(line -> line.startsWith("INVALID  req/s "))
                .findFirst()
                .orElseThrow());
        assertTrue(
                lines.get(heading - 2).startsWith("INVALID: do not trust these figures: Lockstep's own JVM paused")
                        && lines.get(heading - 2).endsWith(" ..."),
                String.join("\n", lines));
        assertTrue(lines.size() <= FirstScreen.MOST_LINES, String.join("\n", lines));
        assertTrue(lines.stream().allMatch(line -> line.length() <= 80), String.join("\n", lines));
    }
}
