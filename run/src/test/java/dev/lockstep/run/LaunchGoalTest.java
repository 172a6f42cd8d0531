package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Warmup;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs without targets: what each launch gives is made up. */
final class LaunchGoalTest {
    private static final String HASH = "ab".repeat(32);
    private static final int REQUESTS = 1000;

    private static RunPlan.Builder plan(int launches) {
        return RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(HASH)
                        .streamSha256(HASH)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .target(TargetPlan.builder("graal").profile("graal").build())
                .launches(launches);
    }

    private static Verdict verdict(String target, Finding finding) {
        Verdict.Builder verdict = Verdict.builder("cpuPerRequest", target, "c2")
                .primary(true)
                .finding(finding)
                .launches(6);
        return finding == Finding.INCONCLUSIVE ? verdict.moreLaunches(3).build() : verdict.build();
    }

    /** Returns how many launches there are, and after how many the verdicts were asked for. */
    private static String course(RunPlan plan, int decidedAfter) {
        LaunchGoal goal = new LaunchGoal(plan);
        List<Integer> looks = new ArrayList<>();
        int[] done = {0};
        while (goal.goesOn(
                done[0],
                Optional::empty,
                () -> {
                    looks.add(done[0]);
                    return List.of(verdict("graal", done[0] < decidedAfter ? Finding.INCONCLUSIVE : Finding.WORSE));
                },
                () -> 0)) {
            done[0]++;
        }
        return done[0] + " " + looks;
    }

    @Test
    void goesOnTwoByTwoUntilItIsDecided() {
        RunPlan plan = plan(6).maxLaunches(12).build();
        assertEquals("6 [6]", course(plan, 6));
        assertEquals("8 [6, 8]", course(plan, 7));
        assertEquals("12 [6, 8, 10]", course(plan, 100));
        assertEquals(List.of(6, 8, 10, 12), plan.looks());
    }

    @Test
    void endsWhenNothingCanComeOfMore() {
        LaunchGoal goal = new LaunchGoal(plan(6).maxLaunches(12).build());
        assertTrue(goal.goesOn(0, () -> Optional.of("asked too early"), List::of, () -> 0));
        assertTrue(goal.goesOn(1, Optional::empty, List::of, () -> 0));
        assertFalse(goal.goesOn(2, () -> Optional.of("c2 is never steady"), List::of, () -> 0));
        assertEquals("c2 is never steady", goal.hopeless().orElseThrow());
        assertEquals(2, goal.launches());
    }

    /** For one that was left out there was another one, of a run without a verdict. */
    @Test
    void makesNoLaunchAgainWhereNothingCanComeOfIt() {
        LaunchGoal goal = new LaunchGoal(plan(6).maxLaunches(12).build());

        assertFalse(goal.goesOn(6, () -> Optional.of("the run is INVALID"), List::of, () -> 7));

        assertEquals(Optional.empty(), goal.hopeless(), "it made all that it was to make");
        assertEquals(6, goal.launches());
    }

    @Test
    void endsAfterALaunchWhereThatWasAskedFor() {
        LaunchGoal goal = new LaunchGoal(plan(6).build());
        assertTrue(goal.goesOn(2, Optional::empty, List::of, () -> 0));
        assertFalse(goal.isConcluded());

        goal.conclude();

        assertFalse(goal.goesOn(3, Optional::empty, List::of, () -> 0));
        assertTrue(goal.isConcluded());
        assertEquals(3, goal.launches());
        LaunchGoal whole = new LaunchGoal(plan(6).maxLaunches(12).build());
        whole.conclude();
        assertFalse(whole.goesOn(6, Optional::empty, List::of, () -> 0));
        assertFalse(whole.isConcluded(), "nothing was inconclusive, so that no more would have come");
    }

    /** It was not marked as interrupted, as if six launches had been all that it was to make. */
    @Test
    void knowsWhatARunLacksThatIsCancelledBetweenTwoLaunches() {
        LaunchGoal goal = new LaunchGoal(plan(6).maxLaunches(12).build());
        List<Verdict> open = List.of(verdict("graal", Finding.INCONCLUSIVE));

        assertTrue(goal.lacks(5, List::of));
        assertTrue(goal.lacks(6, () -> open));
        assertFalse(goal.lacks(6, () -> List.of(verdict("graal", Finding.WORSE))));
        assertFalse(goal.lacks(12, () -> open));

        assertFalse(goal.goesOn(2, () -> Optional.of("c2 is never steady"), List::of, () -> 0));
        assertFalse(goal.lacks(2, () -> open), "no more could decide");
    }

    /**
     * Returns how many launches a run makes of a clear difference in which graal was not steady in some, and died in
     * those that are negative.
     */
    private static String unsteady(RunPlan plan, Integer... launches) {
        LaunchGoal goal = new LaunchGoal(plan);
        List<LaunchResult> c2 = new ArrayList<>();
        List<LaunchResult> graal = new ArrayList<>();
        while (goal.goesOn(
                c2.size(),
                () -> LaunchVerdicts.whyHopeless(result(plan, c2, graal), c2.size()),
                () -> verdicts(plan, c2, graal),
                () -> LaunchVerdicts.needed(result(plan, c2, graal), c2.size()))) {
            int number = c2.size() + 1;
            boolean steady = !List.of(launches).contains(number);
            boolean dies = List.of(launches).contains(-number);
            c2.add(warmed(launch(number, 100e6 + number), true));
            graal.add(dies ? dead(number) : warmed(launch(number, 110e6 + number), steady));
        }
        return c2.size() + " " + verdicts(plan, c2, graal).get(0).finding().key();
    }

    /** It died before it was steady. */
    private static LaunchResult dead(int number) {
        return LaunchResult.builder(number, 1)
                .exit(TargetExit.builder().exitCode(137).phase("warm-up").build())
                .build();
    }

    private static LaunchResult warmed(LaunchResult launch, boolean steady) {
        return LaunchResult.builder(launch.launch(), 1)
                .from(launch)
                .warmup(Warmup.builder(steady ? Warmup.State.STEADY : Warmup.State.NOT_STEADY)
                        .build())
                .build();
    }

    @Test
    void makesALaunchAgainThatWasLeftOut() {
        RunPlan plan = plan(6).maxLaunches(12).build();
        assertEquals("6 worse", unsteady(plan));
        assertEquals("7 worse", unsteady(plan, 2));
        assertEquals("6 not-steady", unsteady(plan(6).build(), 2, 6), "so many were asked for");
    }

    /** The second one ended the run, though an eighth launch makes it two of eight. */
    @Test
    void goesOnAfterASecondAccidentUntilThatIsAllowed() {
        RunPlan plan = plan(6).maxLaunches(12).build();
        assertEquals("8 worse", unsteady(plan, 2, 7));
        assertEquals("8 worse", unsteady(plan, 2, 6), "the sixth is none of the first ones any more");
        assertEquals("9 worse", unsteady(plan, -1, 2, 7), "of a quarter a death is no part");
        assertEquals("12 worse", unsteady(plan, 2, 7, 8));
        assertEquals("9 not-steady", unsteady(plan, 2, 7, 8, 9), "four are more than a quarter of twelve");
        assertEquals("3 not-steady", unsteady(plan, 1, 3), "two of the first ones tell");
        assertEquals("5 not-steady", unsteady(plan, 2, 5));
        assertEquals("7 not-steady", unsteady(plan(6).maxLaunches(7).build(), 2, 7), "there is no eighth");
    }

    @Test
    void neverExceedsTheMost() {
        assertEquals("9 [6, 8]", course(plan(6).maxLaunches(9).build(), 100));
        assertEquals("6 []", course(plan(6).maxLaunches(6).build(), 100));
        assertEquals("3 []", course(plan(3).build(), 100));
    }

    @Test
    void stopsWhereMoreLaunchesWouldNotDecide() {
        RunPlan plan = plan(6).maxLaunches(12)
                .target(TargetPlan.builder("c2-aa").profile("c2").build())
                .sameAsBaseline("c2-aa")
                .build();
        assertFalse(LaunchVerdicts.isOpen(plan, List.of(verdict("c2-aa", Finding.INCONCLUSIVE))), "that is noise");
        assertFalse(
                LaunchVerdicts.isOpen(plan, List.of(verdict("graal", Finding.NOT_STEADY))),
                "nor is this a matter of launches");
        Verdict heldBack =
                Verdict.builder("cpuPerRequest", "graal", "c2").primary(true).build();
        assertFalse(LaunchVerdicts.isOpen(plan, List.of(heldBack)), "as a death holds back");
        assertTrue(LaunchVerdicts.isOpen(
                plan, List.of(verdict("graal", Finding.WORSE), verdict("other", Finding.INCONCLUSIVE))));
    }

    @Test
    @Tag("full")
    void decidesSimulatedRunsByAsManyLaunchesAsTheyNeed() {
        List<String> clear = new ArrayList<>();
        List<String> close = new ArrayList<>();
        for (int seed = 0; seed < 10; seed++) {
            clear.add(simulated(seed, 1.1, 0.01));
            close.add(simulated(seed, 1.0, 0.03));
        }
        assertTrue(clear.stream().allMatch("6 worse"::equals), clear.toString());
        assertTrue(close.stream().filter("12 inconclusive"::equals).count() >= 9, close.toString());
    }

    /** Returns how many launches a run takes whose launches vary by this much, and what comes of it. */
    private static String simulated(long seed, double ratio, double noise) {
        Random random = new Random(seed);
        RunPlan plan = plan(6).maxLaunches(12).build();
        LaunchGoal goal = new LaunchGoal(plan);
        List<LaunchResult> c2 = new ArrayList<>();
        List<LaunchResult> graal = new ArrayList<>();
        while (goal.goesOn(c2.size(), Optional::empty, () -> verdicts(plan, c2, graal), () -> 0)) {
            c2.add(launch(c2.size() + 1, 100e6 * Math.exp(noise * random.nextGaussian())));
            graal.add(launch(graal.size() + 1, 100e6 * ratio * Math.exp(noise * random.nextGaussian())));
        }
        return c2.size() + " " + verdicts(plan, c2, graal).get(0).finding().key();
    }

    private static List<Verdict> verdicts(RunPlan plan, List<LaunchResult> c2, List<LaunchResult> graal) {
        return LaunchVerdicts.of(result(plan, c2, graal), c2.size(), LaunchVerdicts.Blocks.NONE);
    }

    private static RunResult result(RunPlan plan, List<LaunchResult> c2, List<LaunchResult> graal) {
        return RunResult.builder(plan)
                .startedAt(OffsetDateTime.now())
                .finishedAt(OffsetDateTime.now())
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .target(target("c2", c2))
                .target(target("graal", graal))
                .build();
    }

    private static TargetResult target(String name, List<LaunchResult> launches) {
        List<Warmup> warmups =
                launches.stream().flatMap(launch -> launch.warmup().stream()).collect(Collectors.toList());
        return TargetResult.builder(name)
                .launches(launches)
                .warmup(TargetLaunches.together(warmups))
                .build();
    }

    private static LaunchResult launch(int number, double cpuNs) {
        Interval interval = new Interval();
        interval.counts().sent = REQUESTS;
        interval.counts().completed = REQUESTS;
        interval.responseTime().recordValueWithCount(1_000_000, REQUESTS);
        return LaunchResult.builder(number, 1)
                .load(LoadResult.builder()
                        .counts(interval.counts())
                        .measuredNs(10_000_000_000L)
                        .responseTime(interval.responseTime())
                        .serviceTime(interval.serviceTime())
                        .generatorLag(interval.generatorLag())
                        .ownLag(interval.generatorLag())
                        .streamDigest(StreamDigest.of(HASH))
                        .build())
                .costs(Costs.NONE.with(Cost.GROUP_CPU, (long) cpuNs))
                .build();
    }
}
