package dev.lockstep.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.AnswerPair;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.search.SearchResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page in Debian's Chromium: all of it is drawn, and nothing fails. */
@Tag("full")
@Timeout(180)
final class BrowserTest {
    private static final String DARK = "--blink-settings=preferredColorScheme=0";
    private static final String PHONE = "--window-size=390,844";

    @TempDir
    private Path folder;

    private TestingBrowser browser() {
        return new TestingBrowser(folder);
    }

    private static String page(RunResult run, ReportPage.Intervals intervals) {
        return ReportPage.of(run, intervals, List.of()).html();
    }

    /** Returns the document as it is after its scripts have run. */
    private String open(RunResult run, ReportPage.Intervals intervals) throws Exception {
        return browser().document(page(run, intervals));
    }

    private static long count(String document, String pattern) {
        return Pattern.compile(pattern).matcher(document).results().count();
    }

    private static void seconds(int count, BiConsumer<String, IntervalFigures> each) {
        for (int i = 0; i < count; i++) {
            for (String target : List.of("c2", "graal")) {
                Interval interval = new Interval();
                interval.phase = i < count / 4 ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
                interval.startMs = 1_700_000_000_000L + 1000L * i;
                interval.endMs = interval.startMs + 1000;
                interval.startNs = 1_000_000_000L * i;
                interval.endNs = interval.startNs + 1_000_000_000L;
                interval.counts().completed = 100 + i % 7;
                interval.responseTime().recordValueWithCount(1_000_000 + 1000 * (i % 11), 100 + i % 7);
                Costs.Builder costs = Costs.builder();
                for (Cost cost : Cost.values()) {
                    costs.set(cost, 1_000_000L + 1000 * (i % 13));
                }
                interval.costs = costs.build();
                each.accept(target, IntervalFigures.of(interval));
            }
        }
    }

    @Test
    void drawsAllPlotsOfARun() throws Exception {
        RunResult run = ReportPageTest.run(
                "users.bin",
                TargetResult.builder("c2").build(),
                TargetResult.builder("graal").build());

        String document = open(run, each -> seconds(60, each));

        assertTrue(count(document, "<canvas ") >= 10, "plots: " + count(document, "<canvas "));
        assertTrue(document.contains("Latency over time"));
        assertTrue(document.contains("CPU per request against c2"));
        assertEquals(count(document, "<canvas "), count(document, "<canvas [^>]*role=\"img\""));
    }

    @Test
    void drawsADay() throws Exception {
        RunResult run = ReportPageTest.run(
                "users.bin",
                TargetResult.builder("c2").build(),
                TargetResult.builder("graal").build());

        String document = open(run, each -> seconds(86_400, each));

        assertTrue(count(document, "<canvas ") >= 10, "plots: " + count(document, "<canvas "));
        long bytes = Files.size(folder.resolve("report.html"));
        assertTrue(bytes < 15_000_000, "bytes: " + bytes);
    }

    @Test
    void saysWhatIsMissingOfARunThatIsInvalidAndOfATargetThatDied() throws Exception {
        TargetResult dead = TargetResult.builder("graal")
                .exit(TargetExit.builder().exitCode(137).phase("start").build())
                .note("<img src=x onerror=alert(1)>")
                .jvm("turned \u202e\u0007")
                .build();
        RunResult run = ReportPageTest.run(
                        "users.bin", TargetResult.builder("c2").build(), dead)
                .withInvalid("Lockstep was late");

        String document = open(run, each -> {});

        assertTrue(document.contains("INVALID: Lockstep was late"), "the status");
        assertTrue(document.contains("Not measured in this run."), "missing data");
        assertEquals(0, count(document, "<img "), "no markup of others");
        String shown = document.substring(0, document.indexOf("<script"));
        assertTrue(shown.contains("turned \ufffd\ufffd"), "what turns text is seen");
    }

    /** Returns a run of two targets with verdicts, launches and notes, as people print it. */
    private static RunResult usual() {
        TargetResult.Builder c2 =
                TargetResult.builder("c2").jvm("OpenJDK 17.0.15").jit("HotSpot C2");
        TargetResult.Builder graal =
                TargetResult.builder("graal").jvm("OpenJDK 17.0.15").jit("Graal");
        Startup startup =
                Startup.of(OptionalLong.of(50_000_000), OptionalLong.of(700_000_000), OptionalLong.of(900_000_000));
        for (TargetResult.Builder target : List.of(c2, graal)) {
            target.startup(startup).cost(Cost.GROUP_CPU, 5_000_000_000L).note("shares a core with others");
            for (int launch = 1; launch <= 6; launch++) {
                target.launch(LaunchResult.builder(launch, 1)
                        .costs(Costs.builder()
                                .set(Cost.GROUP_CPU, 1_000_000_000L + launch)
                                .build())
                        .build());
            }
        }
        return ReportPageTest.run("samples/users.bin", c2.build(), graal.build())
                .withVerdicts(List.of(
                        Verdict.builder("cpuPerRequest", "graal", "c2")
                                .primary(true)
                                .ratio(0.888)
                                .interval(Verdict.Interval.of(0.879, 0.896))
                                .level(0.95)
                                .launches(6)
                                .finding(Verdict.Finding.BETTER)
                                .build(),
                        Verdict.builder("p99", "graal", "c2")
                                .ratio(1.2)
                                .interval(Verdict.Interval.of(0.9, 1.5))
                                .level(0.99)
                                .launches(6)
                                .finding(Verdict.Finding.INCONCLUSIVE)
                                .build()));
    }

    @Test
    void keepsTheRulesOfAccessibility() throws Exception {
        String page = page(usual(), each -> seconds(60, each));

        assertEquals("[]", browser().faults(page));
        assertEquals("[]", browser().faults(page, DARK));
        assertEquals("[]", browser().faults(page, PHONE));
        String empty = page(
                ReportPageTest.run("users.bin", TargetResult.builder("c2").build())
                        .withInvalid("late"),
                each -> {});
        assertEquals("[]", browser().faults(empty));
        assertTrue(
                browser()
                        .faults(page.replace("<title>", "<title hidden>").replace("<html lang=\"en\">", "<html>"))
                        .contains("html-has-lang"),
                "what is wrong is found");
    }

    @Test
    void keepsThemWhereRunsAreCompared() throws Exception {
        for (String page : List.of(
                ComparisonPage.of(ComparisonPageTest.comparison("graal")).html(),
                ComparisonPage.of(ComparisonPageTest.history("c2", 30)).html())) {
            assertEquals("[]", browser().faults(page));
            assertEquals("[]", browser().faults(page, DARK));
            assertEquals("[]", browser().faults(page, PHONE));
        }
    }

    @Test
    void goesFromPointToPointByKeys() throws Exception {
        // In this copy the page's policy lets run what presses the key.
        String page = page(usual(), each -> seconds(60, each))
                .replaceFirst("<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "")
                .replace(
                        "</body>",
                        "<script>addEventListener('load', () => setTimeout(() => {"
                                + " const box = [...document.querySelectorAll('#latency [role=group]')]"
                                + "   .find(each => each.querySelector('.u-value'));"
                                + " box.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));"
                                + " document.body.dataset.said = box.querySelector('.u-value').textContent; }, 500));</script></body>");

        assertTrue(Pattern.compile("<body[^>]* data-said=\"[^\"]*[0-9]")
                .matcher(browser().document(page))
                .find());
    }

    @Test
    void showsBothBodiesOfAnswersThatDiffer() throws Exception {
        TargetResult graal = TargetResult.builder("graal")
                .comparison(AnswerComparison.builder("c2")
                        .requests(10)
                        .compared(10)
                        .withoutContents(0)
                        .different(1)
                        .build())
                .build();
        AnswerPair pair = AnswerPair.builder(7, "GET /users/N")
                .baselineOutcome("200")
                .outcome("500")
                .baseline(AnswerPair.Body.builder().bytes(2).text("{}").build())
                .answer(AnswerPair.Body.builder()
                        .bytes(28)
                        .text("<img src=x onerror=alert(1)>")
                        .build())
                .build();
        String page = ReportPage.of(
                        ReportPageTest.run(
                                "users.bin", TargetResult.builder("c2").build(), graal),
                        each -> {},
                        List.of())
                .withAnswers(Map.of("graal", List.of(pair)))
                .html();

        String document = browser().document(page);

        assertTrue(document.contains("Request 7, GET /users/N: both bodies"));
        assertTrue(document.contains("&lt;img src=x onerror=alert(1)&gt;</pre>"));
        assertEquals(0, count(document, "<img "), "no markup of others");
        assertEquals("[]", browser().faults(page.replace("<details", "<details open")));
    }

    @Test
    void isPrintedOnTwoPages() throws Exception {
        assertEquals(2, browser().printedPages(page(usual(), each -> seconds(60, each))));
    }

    @Test
    void drawsWhatIsInACapture() throws Exception {
        String page = CapturePageTest.page(Path.of("..", "samples", "users.bin"));

        String document = browser().document(page);

        assertTrue(count(document, "<canvas ") >= 5, "plots: " + count(document, "<canvas "));
        assertTrue(document.contains("/user/ID"), "paths");
        assertEquals("[]", browser().faults(page));
        assertEquals("[]", browser().faults(page, DARK));
        assertEquals("[]", browser().faults(page, PHONE));
    }

    @Test
    void showsNoMarkupOfACapture() throws Exception {
        String document = browser().document(CapturePageTest.page(CapturePageTest.hostile(folder)));

        assertEquals(0, count(document, "<img "), "no markup of others");
        assertTrue(document.contains("/&lt;img\\xc2\\xa0src=x&gt;\\xe2\\x80\\xae"), document);
        assertFalse(
                Pattern.compile("[\\u202e\\u001b]").matcher(document).find(), "nothing turns the text or is invisible");
    }

    @Test
    void drawsRunsBesideEachOther() throws Exception {
        String document = browser()
                .document(ComparisonPage.of(ComparisonPageTest.comparison("graal"))
                        .html());

        assertEquals(1, count(document, "<canvas "), "a plot for each target of each run");
        assertTrue(document.contains("graal, run 2 over run 1"));
        assertTrue(document.contains("REGRESSION"));
    }

    @Test
    void drawsManyRunsOverTime() throws Exception {
        String document = browser()
                .document(
                        ComparisonPage.of(ComparisonPageTest.history("c2", 300)).html());

        assertEquals(1, count(document, "<canvas "));
        assertTrue(document.contains("c2: p50"));
        assertTrue(document.contains("+10.0 % p50"), "the change");
    }

    @Test
    void showsNoMarkupOfRunsThatAreCompared() throws Exception {
        for (String html : List.of(
                ComparisonPage.of(ComparisonPageTest.comparison(ComparisonPageTest.HOSTILE))
                        .html(),
                ComparisonPage.of(ComparisonPageTest.history(ComparisonPageTest.HOSTILE, 10))
                        .html())) {
            String document = browser().document(html);

            assertEquals(0, count(document, "<img "), "no markup of others");
            assertEquals(1, count(document, "<canvas "));
        }
    }

    @Test
    void drawsASearchAndSaysFirstThatItDidNotHold() throws Exception {
        List<SearchResult> all = SearchPageTest.search(folder.resolve("search"), "G1");
        SearchResult end = SearchPageTest.verified(SearchPageTest.last(all), false, "the best is as the default");
        String page = SearchPageTest.page(end, "graal").html();

        String document = browser().document(page);

        assertEquals(5, count(document, "<canvas "), "all values, and a plot for each parameter");
        String answer = document.substring(document.indexOf("<section id=\"answer\""));
        assertTrue(answer.indexOf("NOT CONFIRMED: the best is as the default") < answer.indexOf("Held for the best"));
        assertTrue(document.contains("violates p99"), "which constraint");
        assertEquals("[]", browser().faults(page));
        assertEquals("[]", browser().faults(page, DARK));
        assertEquals("[]", browser().faults(page, PHONE));
        String early = SearchPageTest.page(all.get(0), "graal").html();
        assertTrue(browser().document(early).contains("in progress"));
        assertEquals("[]", browser().faults(early));
    }

    @Test
    void showsNoMarkupOfASearch() throws Exception {
        String word = SearchPageTest.HOSTILE;
        SearchResult end = SearchPageTest.last(SearchPageTest.search(folder.resolve("search"), word));

        String document = browser().document(SearchPageTest.page(end, word).html());

        assertEquals(0, count(document, "<img "), "no markup of others");
        String shown = document.substring(0, document.indexOf("<script type=\"application/json\""));
        assertFalse(shown.contains("\u202e"), "nothing turns the text");
    }
}
