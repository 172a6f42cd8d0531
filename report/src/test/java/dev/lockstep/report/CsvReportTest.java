package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Warmup;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CsvReportTest {
    @Test
    void hasALinePerTargetAndNothingWhereNothingWasMeasured() {
        String csv = Report.of(TestingRuns.run(
                        TargetResult.builder("c2")
                                .jit("HotSpot C2")
                                .jvm("OpenJDK 17.0.15, \"quoted\"")
                                .load(TestingRuns.load(2, TestingRuns.evenly(100, 1_000_000)))
                                .cost(Cost.USER_CPU, 5_000_000)
                                .memoryLimitBytes(134_217_728)
                                .cpus("0,2-3")
                                .startupNs(900_000_000)
                                .startup(Startup.of(
                                        OptionalLong.of(50_000_000),
                                        OptionalLong.empty(),
                                        OptionalLong.of(900_000_000)))
                                .warmup(Warmup.builder(Warmup.State.STEADY)
                                        .durationNs(3_000_000_000L)
                                        .requests(1_500)
                                        .build())
                                .cost(Cost.ALLOCATED, 40_000)
                                .cost(Cost.GC_CYCLES, 7)
                                .cost(Cost.GC_PAUSE, 8_000_000)
                                .build(),
                        TargetResult.builder("dead").build()))
                .as(ReportFormat.CSV);

        List<String> lines = csv.lines().collect(Collectors.toList());
        assertEquals(
                "status,name,jit,jvm,sent,completed,errors,unanswered,unsent,deferred,connections,oneway,"
                        + "opaqueBytesSent,outages,throughputPerSec,"
                        + kinds()
                        + "statusClasses.1xx,statusClasses.2xx,statusClasses.3xx,statusClasses.4xx,statusClasses.5xx,"
                        + times("responseTimeNs") + times("serviceTimeNs") + times("generatorLagNs")
                        + times("ownLagNs")
                        + "cpuNsPerRequest,appCpuNsPerRequest,jitCpuNsPerRequest,gcCpuNsPerRequest,"
                        + "userCpuNsPerRequest,systemCpuNsPerRequest,rssBytes,memoryLimitBytes,memoryPeakBytes,cpus,"
                        + "startupNs,comparison.compared,comparison.different,allocatedBytesPerRequest,startup.jvmNs,"
                        + "startup.portNs,jitCpuNs,gcCpuNs,gcCycles,gcPauseNs,heapUsedBytes,oldGenUsedBytes,oomKills,"
                        + "applicationCpuNs,warmup.steady,warmup.durationNs,warmup.requests,verdict.metric,"
                        + "verdict.ratio,verdict.low,verdict.high,verdict.verdict,died,steadyCpuNsPerRequest,"
                        + "fullLoad.steadyCpuNsPerRequest",
                lines.get(0));
        assertTrue(
                lines.get(1)
                        .startsWith(
                                "VALID,c2,HotSpot C2,\"OpenJDK 17.0.15, \"\"quoted\"\"\",100,100,0,0,0,0,0,0,0,0,50.0,"
                                        + "0,".repeat(ErrorKind.values().length)
                                        + "0,100,0,0,0,"
                                        + "500735,900607,,,,,1000447,"),
                lines.get(1));
        assertTrue(
                lines.get(1)
                        .endsWith(
                                ",50000.0,,,134217728,,\"0,2-3\",900000000,,,400.0,50000000,,,,7,8000000,,,,,true,3000000000,"
                                        + "1500,,,,,,0,,"),
                lines.get(1));
        assertEquals("VALID,dead" + ",".repeat(lines.get(0).split(",").length - 4) + "0,,", lines.get(2));
        assertEquals(3, lines.size());
    }

    @Test
    void saysWhatThePrimaryMetricSaysOfEachTarget() {
        TargetResult[] targets = {
            TargetResult.builder("c2").build(),
            TargetResult.builder("graal")
                    .warmup(Warmup.builder(Warmup.State.NOT_STEADY).build())
                    .build(),
            TargetResult.builder("tiny").build()
        };
        String csv = Report.of(TestingRuns.run(targets)
                        .withVerdicts(List.of(
                                Verdict.builder("userCpuPerRequest", "graal", "c2")
                                        .primary(true)
                                        .ratio(0.9)
                                        .interval(Verdict.Interval.of(0.89, 0.91))
                                        .launches(6)
                                        .finding(Verdict.Finding.BETTER)
                                        .build(),
                                Verdict.builder("userCpuPerRequest", "tiny", "c2")
                                        .primary(true)
                                        .build(),
                                Verdict.builder("p99", "graal", "c2")
                                        .ratio(2)
                                        .launches(6)
                                        .finding(Verdict.Finding.WORSE)
                                        .build())))
                .as(ReportFormat.CSV);

        List<String> lines = csv.lines().collect(Collectors.toList());
        assertTrue(lines.get(1).endsWith(",,,,,,,,0,,"), lines.get(1));
        assertTrue(lines.get(2).endsWith(",false,,,userCpuPerRequest,0.9,0.89,0.91,better,0,,"), lines.get(2));
        assertTrue(lines.get(3).endsWith(",,,,userCpuPerRequest,,,,inconclusive,0,,"), lines.get(3));
    }

    @Test
    void hasTheCostWithoutTheJitAtBothLoads() {
        TargetResult c2 = TargetResult.builder("c2")
                .load(TestingRuns.load(1, TestingRuns.evenly(100, 1_000_000)))
                .cost(Cost.GROUP_CPU, 5_000_000)
                .cost(Cost.JIT_CPU, 1_000_000)
                .fullLoad(FullLoad.of(1, 2, OptionalDouble.of(20_000)))
                .build();

        String csv = Report.of(TestingRuns.run(c2)).as(ReportFormat.CSV);

        assertTrue(csv.strip().endsWith(",0,40000.0,20000.0"), csv);
    }

    @Test
    void countsLaunchesThatATargetDiedInAndHasNoMaximumOfRequestsWithoutAnAnswer() {
        TargetExit exit =
                TargetExit.builder().exitCode(137).phase("measurement").build();
        TargetResult dead = TargetResult.builder("c2")
                .exit(exit)
                .load(TestingRuns.load(
                        1,
                        counts -> {
                            counts.sent += 5;
                            counts.error(ErrorKind.TARGET_DIED, 5);
                        },
                        TestingRuns.evenly(100, 1_000_000)))
                .build();
        TargetResult twice = TargetResult.builder("graal")
                .exit(exit)
                .launch(LaunchResult.builder(1, 1).exit(exit).build())
                .launch(LaunchResult.builder(2, 1).build())
                .launch(LaunchResult.builder(3, 1).exit(exit).build())
                .build();

        List<String> lines = Report.of(TestingRuns.run(dead, twice))
                .as(ReportFormat.CSV)
                .lines()
                .collect(Collectors.toList());

        List<String> headings = List.of(lines.get(0).split(","));
        String[] cells = lines.get(1).split(",", -1);
        assertEquals("1", cells[headings.indexOf("died")]);
        assertEquals("", cells[headings.indexOf("responseTimeNs.max")]);
        assertEquals("2", lines.get(2).split(",", -1)[headings.indexOf("died")]);
    }

    /** Of one that only its launches together showed to be steady nobody knows since when. */
    @Test
    void hasNoTimeUntilSteadyWhereNobodyKnowsIt() {
        TargetResult c2 = TargetResult.builder("c2")
                .warmup(Warmup.builder(Warmup.State.STEADY)
                        .durationNs(3_000_000_000L)
                        .build())
                .launch(LaunchResult.builder(1, 1)
                        .warmup(Warmup.builder(Warmup.State.UNDECIDABLE).build())
                        .build())
                .build();

        List<String> lines =
                Report.of(TestingRuns.run(c2)).as(ReportFormat.CSV).lines().collect(Collectors.toList());

        List<String> headings = List.of(lines.get(0).split(",", -1));
        String[] cells = lines.get(1).split(",", -1);
        assertEquals("true", cells[headings.indexOf("warmup.steady")]);
        assertEquals("", cells[headings.indexOf("warmup.durationNs")]);
    }

    /** They were 0, as if none was. */
    @Test
    void hasNothingInPlaceOfWhatOnlyTheEndOfARunKnows() {
        TargetResult c2 = TargetResult.builder("c2")
                .load(LoadResult.builder()
                        .from(TestingRuns.load(1, TestingRuns.evenly(100, 1_000_000)))
                        .streamDigest(StreamDigest.absent(TargetResult.RECOVERED))
                        .build())
                .build();

        List<String> lines =
                Report.of(TestingRuns.run(c2)).as(ReportFormat.CSV).lines().collect(Collectors.toList());

        List<String> headings = List.of(lines.get(0).split(",", -1));
        String[] cells = lines.get(1).split(",", -1);
        assertEquals("", cells[headings.indexOf("unsent")]);
        assertEquals("", cells[headings.indexOf("outages")]);
        assertEquals("100", cells[headings.indexOf("sent")]);
    }

    private static String kinds() {
        return Arrays.stream(ErrorKind.values())
                .map(kind -> "errors." + kind.key() + ",")
                .collect(Collectors.joining());
    }

    private static String times(String name) {
        return List.of("p50", "p90", "p95", "p99", "p999", "p9999", "max", "mean").stream()
                .map(column -> name + "." + column + ",")
                .collect(Collectors.joining());
    }
}
