package dev.lockstep.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.lockstep.analysis.Metric;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.search.SearchResult;
import dev.lockstep.search.Verification;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class VerifierTest {
    private static final String HASH = "ab".repeat(32);

    private static List<Verification> members(boolean... holds) {
        List<Verification> members = new ArrayList<>();
        for (boolean one : holds) {
            members.add(Verification.builder("x=1")
                    .holds(one)
                    .finding(one ? "better" : "inconclusive")
                    .sentence("m" + (members.size() + 1))
                    .directory("verification")
                    .build());
        }
        return members;
    }

    @Test
    void saysHowManyMembersOfAFrontHoldAndWhichAreTheDefault() {
        String of = " members of the front, compared afresh, are better than the default by an objective ";
        assertEquals("VERIFIED: 2 of 2" + of + "(m1; m2)", Verifier.sentence(members(true, true), List.of()));
        assertEquals(
                "PARTLY CONFIRMED: 2 of 3" + of + "(m1; m2; m3)",
                Verifier.sentence(members(true, false, true), List.of()));
        assertEquals("NOT CONFIRMED: 0 of 1" + of + "(m1)", Verifier.sentence(members(false), List.of()));
        assertEquals(
                "VERIFIED: 2 of 2" + of + "(m1; m2); best-rss is the default",
                Verifier.sentence(members(true, true), List.of("best-rss")));
    }

    private static RunResult.Builder run() {
        RunPlan plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(HASH)
                        .streamSha256(HASH)
                        .build())
                .target(TargetPlan.builder(JvmSearch.DEFAULT).profile("c2").build())
                .target(TargetPlan.builder(SearchResult.KNEE).profile("c2").build())
                .build();
        return RunResult.builder(plan)
                .startedAt(OffsetDateTime.now())
                .finishedAt(OffsetDateTime.now())
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .target(TargetResult.builder(JvmSearch.DEFAULT).build())
                .target(TargetResult.builder(SearchResult.KNEE).build());
    }

    @Test
    void tellsNothingByARunThatIsInvalidOrHasNoVerdict() {
        List<String> knee = List.of(SearchResult.KNEE);
        assertEquals(Optional.empty(), Verifier.whyNothing(run().build(), knee));
        assertEquals(
                Optional.of("the run is INVALID: the disk was full"),
                Verifier.whyNothing(run().invalid("the disk was full").build(), knee));

        RunResult late = run().late("late by 20 ms").build();
        assertEquals(Optional.empty(), Verifier.whyNothing(late, knee), "CPU is counted right");
        Verdict slower = Verdict.builder("p99", SearchResult.KNEE, JvmSearch.DEFAULT)
                .primary(true)
                .build();
        assertEquals(Optional.of("late by 20 ms"), Verifier.whyNothing(late.withVerdicts(List.of(slower)), knee));
        String why = "Lockstep was busy 98 % of the time that it sent to knee and set its pace";
        Verdict busy = Verdict.builder("fullLoadCpuPerRequest", SearchResult.KNEE, JvmSearch.DEFAULT)
                .primary(true)
                .ratio(0.8)
                .whyNot(why)
                .build();
        assertEquals(
                Optional.empty(),
                Verifier.whyNothing(run().build().withVerdicts(List.of(busy)), knee),
                "what is the target's own fault tells something");
        RunResult paced = run().self(SelfReport.of(20_000_000_000L, 1_000_000_000L, 0, 0, 0, List.of(), List.of())
                        .withFullLoadBottlenecks(List.of(SelfReport.Bottleneck.of(SearchResult.KNEE, 1, 0.98))))
                .build();
        assertEquals(
                Optional.of(why), Verifier.whyNothing(paced.withVerdicts(List.of(busy)), knee), "not late, either");
        Verdict other = Verdict.builder("fullLoadCpuPerRequest", "best-rss", JvmSearch.DEFAULT)
                .primary(true)
                .finding(Verdict.Finding.BETTER)
                .ratio(0.9)
                .build();
        RunResult two = paced.withVerdicts(List.of(busy, other));
        assertEquals(
                Optional.empty(),
                Verifier.whyNothing(two, List.of(SearchResult.KNEE, "best-rss")),
                "it tells something of the other member of the front");
        assertEquals(Optional.of(why), Verifier.whyNothing(two, knee), "the other one is a baseline");
        assertEquals(
                "CPU per request at full load 0.800 of the default's, inconclusive, because Lockstep was busy 98 % of"
                        + " the time that it sent to knee and set its pace",
                Verifier.compared(Metric.FULL_LOAD_CPU_PER_REQUEST, Optional.of(busy)));
    }

    /** Where a target never got its full load, the CPU at the measured pace decides. */
    @Test
    void judgesAFrontByTheMetricThatDecidedInPlaceOfItsObjective() {
        RunResult result = run().build()
                .withVerdicts(List.of(
                        Verdict.builder("rss", SearchResult.KNEE, JvmSearch.DEFAULT)
                                .ratio(1.5)
                                .build(),
                        Verdict.builder("steadyCpuPerRequest", SearchResult.KNEE, JvmSearch.DEFAULT)
                                .primary(true)
                                .finding(Verdict.Finding.BETTER)
                                .ratio(0.9)
                                .build()));

        assertEquals(
                "CPU per request without the JIT 0.900 of the default's, better",
                Verifier.compared(Metric.FULL_LOAD_CPU_PER_REQUEST, Verifier.primary(result, SearchResult.KNEE)));
        assertFalse(
                Verifier.isBetter(Verifier.primary(result, SearchResult.KNEE), Metric.FULL_LOAD_CPU_PER_REQUEST),
                "that is not what was sought");
    }
}
