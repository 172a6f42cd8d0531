package dev.lockstep.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.CodeKind;
import dev.lockstep.results.Drift;
import dev.lockstep.results.Environment;
import dev.lockstep.results.HotMethods;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class ReportPageTest {
    private static final String HASH = "ab".repeat(32);
    private static final String HOSTILE = "</script><script>alert(1)</script><!-- \"'& \u202e{{data}}";
    private static final ReportPage.Intervals NONE = figures -> {};

    static RunResult run(String path, TargetResult... targets) {
        return run(RunPlan.builder(), path, targets);
    }

    /** @param plan that lacks the capture and the targets */
    static RunResult run(RunPlan.Builder plan, String path, TargetResult... targets) {
        return run(plan, path, name -> TargetPlan.builder(name).profile("c2"), targets);
    }

    private static RunResult run(
            RunPlan.Builder plan, String path, Function<String, TargetPlan.Builder> how, TargetResult... targets) {
        plan.capture(CaptureReference.builder()
                .path(path)
                .sha256(HASH)
                .streamSha256(HASH)
                .requests(10)
                .build());
        for (TargetResult target : targets) {
            plan.target(how.apply(target.name()).build());
        }
        RunResult.Builder run = RunResult.builder(plan.build())
                .startedAt(OffsetDateTime.parse("2026-11-21T07:42:00+01:00"))
                .finishedAt(OffsetDateTime.parse("2026-11-21T07:42:05+01:00"))
                .environment(Environment.builder().lockstepVersion("0.1.0").build());
        for (TargetResult target : targets) {
            run.target(target);
        }
        return run.build();
    }

    /** Returns a run of servers that run already. */
    static RunResult ofRunning(String... names) {
        return run(
                RunPlan.builder(),
                "users.bin",
                name -> TargetPlan.builder(name).address("127.0.0.1:" + name.length()),
                Stream.of(names).map(name -> TargetResult.builder(name).build()).toArray(TargetResult[]::new));
    }

    static JsonNode data(String page) throws Exception {
        String start = "<script type=\"application/json\" id=\"data\">";
        int from = page.indexOf(start) + start.length();
        return new ObjectMapper().readTree(page.substring(from, page.indexOf("</script>", from)));
    }

    private static List<String> scripts(String page) {
        List<String> scripts = new ArrayList<>();
        Matcher script =
                Pattern.compile("<script>(.*?)</script>", Pattern.DOTALL).matcher(page);
        while (script.find()) {
            scripts.add(script.group(1));
        }
        return scripts;
    }

    @Test
    void holdsTheRunAndNeedsNothingElse() throws Exception {
        RunResult run = run(
                "users.bin",
                TargetResult.builder("c2").build(),
                TargetResult.builder("graal").build());

        String page = ReportPage.of(run, NONE, List.of("c2.flame.html")).html();

        assertEquals(new ObjectMapper().readTree(run.toJson()), data(page).get("run"));
        assertFalse(
                Pattern.compile("<[^>]* (src|href)=\"(?!data:|#)").matcher(page).find(), "loads nothing");
        assertTrue(page.length() < 400_000, "size almost without data: " + page.length());
    }

    @Test
    void letsRunOnlyItsOwnScripts() throws Exception {
        String page = ReportPage.of(run("users.bin", TargetResult.builder("c2").build()), NONE, List.of())
                .html();

        List<String> scripts = scripts(page);
        assertEquals(5, scripts.size());
        for (String script : scripts) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            assertTrue(page.contains("'sha256-" + Base64.getEncoder().encodeToString(digest) + "'"));
        }
    }

    @Test
    void takesNoTextForMarkup() throws Exception {
        TargetResult target = TargetResult.builder("c2")
                .jvm(HOSTILE)
                .note(HOSTILE)
                .exit(TargetExit.builder().exitCode(1).phase(HOSTILE).build())
                .build();

        String page =
                ReportPage.of(run(HOSTILE, target), NONE, List.of(HOSTILE)).html();

        assertEquals(HOSTILE, data(page).at("/run/targets/0/jvm").asText());
        assertEquals(HOSTILE, data(page).at("/flameGraphs/0").asText());
        assertEquals(5, scripts(page).size());
        assertFalse(page.contains("<script>alert"));
        assertFalse(page.contains("<!--"));
    }

    /** Returns a profile of targets, with these samples and one method. */
    static HotMethods profile(long samples, String... targets) {
        HotMethods.Samples profile = HotMethods.collect();
        for (String target : targets) {
            profile.target(HotMethods.Target.profiled(
                            target,
                            "async-profiler 4.5",
                            "ctimer",
                            samples,
                            10_000_000_000L,
                            OptionalDouble.of(120_000),
                            null))
                    .samples("a.Work.run", CodeKind.COMPILED, target, samples);
        }
        return profile.target(HotMethods.Target.absent("prod", "it runs already"))
                .build(10);
    }

    @Test
    void holdsTheStacksOfTheTargetsThatWereProfiled() throws Exception {
        RunResult run = run(
                        "users.bin",
                        TargetResult.builder("c2").build(),
                        TargetResult.builder("graal").build(),
                        TargetResult.builder("prod").build())
                .withHotMethods(profile(12, "c2", "graal"));

        JsonNode data = data(ReportPage.of(run, NONE, List.of())
                .withStacks((target, stack) -> {
                    if (!target.equals("graal")) {
                        stack.accept(List.of("a.Main.main_[j]", HOSTILE), 12);
                    }
                })
                .html());

        assertEquals(1, data.get("flames").size(), "graal's are lost, and prod was not profiled");
        assertEquals(12, data.at("/flames/c2/samples").asInt());
        assertEquals(HOSTILE, data.at("/flames/c2/names/1").asText());
    }

    @Test
    void holdsTheTrendsOfASoak() throws Exception {
        RunResult run = run("users.bin", TargetResult.builder("c2").build())
                .withTrends(List.of(
                        Drift.of("c2", Drift.Metric.RSS, 60 << 20, 50 << 20, 70 << 20, 1e-9, true),
                        Drift.of("c2", Drift.Metric.OLD_GEN_USED, 0, -1, 1, 0.9, false)));

        JsonNode text = data(ReportPage.of(run, NONE, List.of()).html()).get("text");

        assertEquals(3, text.get("trends").size());
        assertTrue(text.at("/trends/1").asText().endsWith(": RISES"));
        assertTrue(text.at("/odd/0").asText().startsWith("LEAK: c2: resident memory rises by +60.00 MiB an hour"));
    }

    @Test
    void drawsWhatAnIntervalHolds() throws Exception {
        Interval interval = new Interval();
        interval.startMs = 1_700_000_000_000L;
        interval.endMs = interval.startMs + 1000;
        interval.endNs = 1_000_000_000L;
        interval.counts().completed = 7;
        RunResult run = run("users.bin", TargetResult.builder("c2").build());

        JsonNode data =
                data(ReportPage.of(run, figures -> figures.accept("c2", IntervalFigures.of(interval)), List.of())
                        .html());

        assertEquals("[7]", data.at("/series/0/rate").toString());
        assertEquals(1, data.at("/range/1").asDouble());
        assertEquals(0, data.at("/percentiles/0/x").size(), "without answers there is no curve");
    }

    /** Returns a target that answered half of its requests, each in 2 ms, until it was killed after 3 s. */
    static TargetResult killed(String name, long atMs) {
        Histogram times = new Histogram(3);
        times.recordValueWithCount(2_000_000, 500);
        LoadCounts counts = new LoadCounts();
        counts.sent = 1000;
        counts.completed = 500;
        counts.error(ErrorKind.TARGET_DIED, 500);
        TargetExit exit = TargetExit.builder()
                .exitCode(137)
                .phase("measurement")
                .atMs(atMs)
                .build();
        LoadResult load = LoadResult.builder()
                .counts(counts)
                .measuredNs(3_000_000_000L)
                .responseTime(times)
                .build();
        return TargetResult.builder(name)
                .exit(exit)
                .load(load)
                .launch(LaunchResult.builder(1, 1).exit(exit).load(load).build())
                .build();
    }

    @Test
    void endsTheCurveWithTheLastAnswerAndMarksTheEndOfALife() throws Exception {
        Interval interval = new Interval();
        interval.startMs = 1_700_000_000_000L;
        interval.endMs = interval.startMs + 5000;
        interval.endNs = 5_000_000_000L;

        JsonNode data = data(ReportPage.of(
                        run("users.bin", killed("c2", 1_700_000_003_000L)),
                        figures -> figures.accept("c2", IntervalFigures.of(interval)),
                        List.of())
                .html());

        assertEquals("[{\"target\":\"c2\",\"at\":3.0}]", data.get("deaths").toString());
        JsonNode x = data.at("/percentiles/0/x");
        assertEquals(2, x.get(x.size() - 1).asDouble(), 1e-9, "half of the requests have an answer");
        assertEquals(2, data.at("/percentiles/0/atLeast/x/0").asDouble(), 1e-9);
        assertEquals(1000, data.at("/percentiles/0/atLeast/x/1").asDouble());
        assertEquals(
                data.at("/percentiles/0/atLeast/y/0").asDouble(),
                data.at("/percentiles/0/atLeast/y/1").asDouble());
        assertEquals("c2 DIED", data.at("/text/tables/0/rows/0/target").asText());
    }

    /** The status beside a target that died was green. */
    @Test
    void hasTheStatusInTheWordsOfTheReport() throws Exception {
        RunResult died = run("users.bin", killed("c2", 1_700_000_003_000L));
        RunResult well = run("users.bin", TargetResult.builder("c2").build());

        assertEquals(
                "{\"tone\":\"BAD\",\"text\":\"VALID, c2 DIED\"}",
                data(ReportPage.of(died, NONE, List.of()).html())
                        .at("/text/outcome")
                        .toString());
        assertEquals(
                "{\"tone\":\"GOOD\",\"text\":\"VALID\"}",
                data(ReportPage.of(well, NONE, List.of()).html())
                        .at("/text/outcome")
                        .toString());
    }

    @Test
    void hasNoRatioOfALaunchInWhichATargetDied() throws Exception {
        LaunchResult dead = killed("c2", 1_700_000_003_000L).launches().get(0);
        LaunchResult alive = LaunchResult.builder(2, 1)
                .load(LoadResult.builder().measuredNs(3_000_000_000L).build())
                .costs(Costs.NONE.with(Cost.RSS, 100))
                .build();
        TargetResult c2 = TargetResult.builder("c2")
                .launch(LaunchResult.builder(1, 1)
                        .exit(dead.exit())
                        .costs(Costs.NONE.with(Cost.RSS, 7))
                        .build())
                .launch(alive)
                .build();
        TargetResult graal = TargetResult.builder("graal")
                .launch(LaunchResult.builder(1, 1)
                        .costs(Costs.NONE.with(Cost.RSS, 100))
                        .build())
                .launch(alive)
                .build();
        RunResult run = run("users.bin", c2, graal)
                .withVerdicts(List.of(
                        Verdict.builder("rss", "graal", "c2").primary(true).build()));

        JsonNode launches = data(ReportPage.of(run, NONE, List.of()).html()).at("/launches/0");

        assertEquals("[\"c2 died in launch 1\"]", launches.get("died").toString());
        assertEquals(1, launches.get("ratios").size());
        assertEquals(2, launches.at("/ratios/0/launch").asInt());
    }

    /** Its dot was empty as one that was not steady, and of errors a full one. */
    @Test
    void leavesOutALaunchThatAnInterruptionCut() throws Exception {
        TargetResult.Builder c2 = TargetResult.builder("c2");
        TargetResult.Builder graal = TargetResult.builder("graal");
        for (int launch = 1; launch <= 2; launch++) {
            LoadCounts counts = new LoadCounts();
            counts.sent = 10;
            counts.completed = 9;
            counts.error(ErrorKind.READ_TIMEOUT);
            LaunchResult failing = LaunchResult.builder(launch, 1)
                    .load(LoadResult.builder()
                            .counts(counts)
                            .measuredNs(3_000_000_000L)
                            .build())
                    .costs(Costs.NONE.with(Cost.RSS, 100))
                    .build();
            c2.launch(failing);
            graal.launch(failing);
        }
        RunResult whole = run(RunPlan.builder().launches(3), "users.bin", c2.build(), graal.build());
        for (String metric : List.of("rss", "errors")) {
            RunResult cut = RunResult.builder(whole.plan())
                    .from(whole)
                    .interrupted(true)
                    .launchesDone(1)
                    .verdict(
                            Verdict.builder(metric, "graal", "c2").primary(true).build())
                    .build();

            JsonNode ratios = data(ReportPage.of(cut, NONE, List.of()).html()).at("/launches/0/ratios");

            assertEquals(2, ratios.size(), metric);
            assertFalse(ratios.at("/0/leftOut").asBoolean(), metric);
            assertTrue(
                    ratios.at("/1/leftOut").asBoolean() && ratios.at("/1/cut").asBoolean(), metric);
        }
    }

    /** Returns what the page has of a launch of two targets with this interval of their ratio. */
    private static JsonNode launches(Verdict.Builder verdict) throws Exception {
        LaunchResult launch = LaunchResult.builder(1, 1)
                .load(LoadResult.builder().measuredNs(3_000_000_000L).build())
                .costs(Costs.NONE.with(Cost.RSS, 100))
                .build();
        RunResult run = run(
                        "users.bin",
                        TargetResult.builder("c2").launch(launch).build(),
                        TargetResult.builder("graal").launch(launch).build())
                .withVerdicts(List.of(verdict.primary(true).ratio(1).launches(1).build()));
        return data(ReportPage.of(run, NONE, List.of()).html()).at("/launches/0");
    }

    @Test
    void hasNoEndOfAnIntervalThatNothingBounds() throws Exception {
        JsonNode launches = launches(Verdict.builder("rss", "graal", "c2")
                .interval(Verdict.Interval.of(0.9, Double.POSITIVE_INFINITY))
                .level(0.95));

        assertEquals(0.9, launches.get("low").asDouble());
        assertTrue(launches.get("high").isNull(), launches.toString());
    }

    /** The caption spoke of a 0 % interval. */
    @Test
    void hasTheUsualLevelWhereAnOldFileDoesNotSayIt() throws Exception {
        JsonNode launches = launches(Verdict.builder("rss", "graal", "c2").interval(Verdict.Interval.of(0.9, 1.1)));

        assertEquals(0.95, launches.get("level").asDouble());
    }

    /** As at the first look of a run that may make a hundred launches: the caption spoke of a 100 % interval. */
    @Test
    void callsNoIntervalCertain() throws Exception {
        JsonNode launches = launches(Verdict.builder("rss", "graal", "c2")
                .interval(Verdict.Interval.of(0.9, 1.1))
                .level(0.99971));

        assertEquals(0.999, launches.get("level").asDouble());
    }

    @Test
    void drawsThoseWithoutAnswerAtTheTimeThatTheyWereAllowed() throws Exception {
        Histogram times = new Histogram(3);
        times.recordValueWithCount(2_000_000, 90);
        LoadCounts counts = new LoadCounts();
        counts.sent = 100;
        counts.completed = 90;
        counts.error(ErrorKind.CONNECTION_RESET, 6);
        counts.error(ErrorKind.READ_TIMEOUT, 4);
        TargetResult target = TargetResult.builder("c2")
                .load(LoadResult.builder()
                        .counts(counts)
                        .measuredNs(1_000_000_000L)
                        .timeoutNs(20_000_000_000L)
                        .responseTime(times)
                        .build())
                .build();

        JsonNode atLeast = data(ReportPage.of(run("users.bin", target), NONE, List.of())
                        .html())
                .at("/percentiles/0/atLeast");

        assertEquals(10, atLeast.at("/x/0").asDouble(), 1e-9, "the last tenth has no answer");
        assertEquals(25, atLeast.at("/x/1").asDouble(), 1e-9, "the last 4 % were given up");
        assertEquals(20_000, atLeast.at("/y/2").asDouble());
        assertEquals(20_000, atLeast.at("/y/3").asDouble());
    }
}
