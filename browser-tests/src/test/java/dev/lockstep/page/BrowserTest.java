package dev.lockstep.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.lockstep.browsertests.BrowserTab;
import dev.lockstep.browsertests.BrowserTab.View;
import dev.lockstep.browsertests.TestingBrowser;
import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.AnswerPair;
import dev.lockstep.results.Drift;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Warmup;
import dev.lockstep.results.comparison.RunComparison;
import dev.lockstep.search.SearchResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page in Debian's Chromium: all of it is drawn, and nothing fails. */
@Tag("full")
@Timeout(180)
final class BrowserTest {
    /** Counts the pixels of a colour: axes are grey, only lines and dots have one. */
    private static final String COLOURED = "const coloured = canvas => {"
            + " const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
            + " let found = 0;"
            + " for (let i = 0; i < data.length; i += 4) {"
            + "   const of = [data[i], data[i + 1], data[i + 2]];"
            + "   found += data[i + 3] > 100 && Math.max(...of) - Math.min(...of) > 60; }"
            + " return found; };";

    /** Lets the page draw what was asked for. */
    private static final String PAUSE = " await new Promise(done =>"
            + " setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 300)); ";

    /** Draws all again, and notes what is written at the plots. */
    private static final String WRITTEN = "const written = [];"
            + " const write = CanvasRenderingContext2D.prototype.fillText;"
            + " CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {"
            + "   written.push(text); write.call(this, text, ...place); };"
            + " dispatchEvent(new Event('afterprint'));"
            + PAUSE;

    @TempDir
    private static Path profile;

    private static BrowserTab tab;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() throws Exception {
        tab = TestingBrowser.openTab(profile);
    }

    @AfterAll
    static void end() {
        if (tab != null) {
            tab.close();
        }
    }

    private static String page(RunResult run, ReportPage.Intervals intervals) {
        return ReportPage.of(run, intervals, List.of()).html();
    }

    private String open(String page) throws Exception {
        return openAnd(page, "");
    }

    private String open(RunResult run, ReportPage.Intervals intervals) throws Exception {
        return open(page(run, intervals));
    }

    private String openAnd(String page, String script) throws Exception {
        return openAnd(page, script, View.WINDOW);
    }

    /** Returns the document as it is after its own scripts have run, and then this one. */
    private String openAnd(String page, String script, View view) throws Exception {
        show(page, view);
        tab.run(script);
        return tab.document();
    }

    private void show(String page, View view) throws Exception {
        tab.show(Files.writeString(folder.resolve("report.html"), page), view);
    }

    /** Asserts that in none of these views axe-core finds fault with the page. */
    private void assertFaultless(String page, View... views) throws Exception {
        for (View view : views) {
            show(page, view);
            assertEquals("[]", tab.faults(), view.toString());
            assertEquals(List.of(), tab.said(), "the console is silent");
        }
    }

    /** Returns what a script said in an attribute of the document's body. */
    private static String said(String document, String attribute) {
        Matcher said = Pattern.compile("<body[^>]* data-" + attribute + "=\"([^\"]*)\"")
                .matcher(document);
        return said.find() ? said.group(1) : "";
    }

    private static long count(String document, String pattern) {
        return Pattern.compile(pattern).matcher(document).results().count();
    }

    private static void seconds(int count, BiConsumer<String, IntervalFigures> each) {
        seconds(count, List.of("c2", "graal"), each);
    }

    private static void seconds(int count, List<String> targets, BiConsumer<String, IntervalFigures> each) {
        seconds(count, targets, costs -> costs, each);
    }

    private static void seconds(
            int count, List<String> targets, UnaryOperator<Costs> changed, BiConsumer<String, IntervalFigures> each) {
        Interval interval = new Interval();
        for (int i = 0; i < count; i++) {
            interval.phase = i < count / 4 ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
            interval.startMs = 1_700_000_000_000L + 1000L * i;
            interval.endMs = interval.startMs + 1000;
            interval.startNs = 1_000_000_000L * i;
            interval.endNs = interval.startNs + 1_000_000_000L;
            interval.counts().completed = 100 + i % 7;
            interval.responseTime().reset();
            interval.responseTime().recordValueWithCount(1_000_000 + 1000 * (i % 11), 100 + i % 7);
            Costs.Builder costs = Costs.builder();
            for (Cost cost : Cost.values()) {
                costs.set(cost, 1_000_000L + 1000 * (i % 13));
            }
            interval.costs = changed.apply(costs.build());
            IntervalFigures figures = IntervalFigures.of(interval);
            targets.forEach(target -> each.accept(target, figures));
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
    void drawsMoreSecondsOfFourTargetsThanItHasRoomFor() throws Exception {
        List<String> targets = List.of("c2", "graal", "c1", "openj9");
        RunResult run = ReportPageTest.run(
                "users.bin",
                targets.stream().map(name -> TargetResult.builder(name).build()).toArray(TargetResult[]::new));

        String document = open(run, each -> seconds(9_000, targets, each));

        assertTrue(count(document, "<canvas ") >= 10, "plots: " + count(document, "<canvas "));
        assertTrue(document.contains("c1 highest p99"), "peaks of single seconds");
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
        assertTrue(shown.contains("turned ??"), "what turns text is seen");
    }

    @Test
    void saysOfWhichTargetAPlotShowsNothing() throws Exception {
        RunResult run = ReportPageTest.run(
                "users.bin",
                TargetResult.builder("c2").build(),
                TargetResult.builder("graal").build());

        String document = open(run, each -> seconds(60, List.of("c2"), each));

        assertTrue(document.contains("<p class=\"soft\">Not measured: graal.</p>"));
    }

    @Test
    void drawsNothingOfCostsThatServersDoNotTell() throws Exception {
        RunResult run = ReportPageTest.ofRunning("old", "newer");
        List<String> names = List.of("old", "newer");

        String document = open(run, each -> seconds(60, names, costs -> Costs.NONE, each));

        assertTrue(document.contains("Not known of servers that run already, unless they tell it"));
        assertEquals(0, count(document, "<h3>(CPU|Resident|Collections|From the start)"), "plots that would be empty");
    }

    /** Returns a run of two targets with verdicts, launches and notes, as people print it. */
    private static RunResult usual() {
        return targets(6, Warmup.State.STEADY)
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

    /** Returns a run of c2 and graal without verdicts. */
    private static RunResult targets(int launches, Warmup.State state) {
        TargetResult.Builder c2 =
                TargetResult.builder("c2").jvm("OpenJDK 17.0.15").jit("HotSpot C2");
        TargetResult.Builder graal =
                TargetResult.builder("graal").jvm("OpenJDK 17.0.15").jit("Graal");
        Startup startup =
                Startup.of(OptionalLong.of(50_000_000), OptionalLong.of(700_000_000), OptionalLong.of(900_000_000));
        for (TargetResult.Builder target : List.of(c2, graal)) {
            target.startup(startup).cost(Cost.GROUP_CPU, 5_000_000_000L).note("shares a core with others");
            Warmup warmup = Warmup.builder(state)
                    .durationNs(12_000_000_000L)
                    .cpuNs(9_000_000_000L)
                    .build();
            target.warmup(warmup);
            for (int launch = 1; launch <= launches; launch++) {
                Interval load = new Interval();
                load.counts().completed = 1000;
                load.counts().status(200);
                load.responseTime().recordValueWithCount(1_000_000, 1000);
                target.launch(LaunchResult.builder(launch, 1)
                        .warmup(warmup)
                        .load(LoadResult.builder()
                                .counts(load.counts())
                                .measuredNs(10_000_000_000L)
                                .responseTime(load.responseTime())
                                .serviceTime(load.responseTime())
                                .generatorLag(load.generatorLag())
                                .ownLag(load.generatorLag())
                                .build())
                        .costs(Costs.builder()
                                .set(Cost.GROUP_CPU, 1_000_000_000L + launch)
                                .build())
                        .build());
            }
        }
        return ReportPageTest.run("samples/users.bin", c2.build(), graal.build());
    }

    /** A run of one launch, which cannot decide. */
    private static RunResult look() {
        return targets(1, Warmup.State.STEADY)
                .withVerdicts(List.of(Verdict.builder("cpuPerRequest", "graal", "c2")
                        .primary(true)
                        .ratio(0.888)
                        .launches(1)
                        .finding(Verdict.Finding.INCONCLUSIVE)
                        .build()));
    }

    @Test
    void saysOfOneLaunchThatItDecidesNothing() throws Exception {
        RunResult run = look();

        String document = open(run, each -> seconds(60, each));

        assertTrue(document.contains("LOOK by CPU per request: one launch decides nothing, --verdict does"));
        assertTrue(document.contains("graal uses 11.2 % less CPU per request than c2 (0.888, 1 launch); both steady"));
        assertTrue(document.contains("graal against c2: CPU per request"), "the launch as a dot");
        String shown = document.substring(0, document.indexOf("<script"));
        assertFalse(shown.contains("interval that decides"), "there is none");
        assertTrue(shown.contains("c2 steady"), "where the ring stands");
    }

    @Test
    void saysWhoWasNotSteady() throws Exception {
        RunResult run = targets(6, Warmup.State.NOT_STEADY)
                .withVerdicts(List.of(Verdict.builder("cpuPerRequest", "graal", "c2")
                        .primary(true)
                        .ratio(0.888)
                        .launches(6)
                        .finding(Verdict.Finding.NOT_STEADY)
                        .build()));

        String document = open(run, each -> seconds(60, each));

        assertTrue(document.contains(
                "No answer yet: not steady: c2 (changed meanwhile), graal (changed meanwhile); graal"));
        assertFalse(document.substring(0, document.indexOf("<script")).contains("c2 steady"), "no ring");
    }

    @Test
    void saysFirstWhatLeaks() throws Exception {
        RunResult run = ReportPageTest.run(
                        "users.bin", TargetResult.builder("c2").build())
                .withTrends(List.of(
                        Drift.of("c2", Drift.Metric.RSS, 60 << 20, 50 << 20, 70 << 20, 1e-9, true),
                        Drift.of("c2", Drift.Metric.OLD_GEN_USED, 0, -1, 1, 0.9, false)));

        String document = open(run, each -> seconds(60, List.of("c2"), each));

        assertTrue(document.contains("LEAK: c2: resident memory rises by +60.00 MiB an hour"));
        assertTrue(document.contains("<li>c2: resident memory +60.00 MiB (+50.00 to +70.00, p 1.0e-09): RISES</li>"));
        assertTrue(document.contains("Resident memory"));
    }

    @Test
    void keepsTheRulesOfAccessibility() throws Exception {
        String page = page(usual(), each -> seconds(60, each));

        assertFaultless(page, View.values());
        String empty = page(
                ReportPageTest.run("users.bin", TargetResult.builder("c2").build())
                        .withInvalid("late"),
                each -> {});
        assertFaultless(empty, View.WINDOW);
        show(page.replace("<title>", "<title hidden>").replace("<html lang=\"en\">", "<html>"), View.WINDOW);
        assertTrue(tab.faults().contains("html-has-lang"), "what is wrong is found");
    }

    @Test
    void keepsThemWhereRunsAreCompared() throws Exception {
        for (String page : List.of(
                ComparisonPage.of(ComparisonPageTest.comparison("graal")).html(),
                ComparisonPage.of(ComparisonPageTest.history("c2", 30)).html())) {
            assertFaultless(page, View.values());
        }
    }

    /** On a phone few tables fit: each that does not shows that it scrolls, and a keyboard reaches it. */
    @Test
    void saysWhichTablesScroll() throws Exception {
        String script = "document.querySelectorAll('details').forEach(each => { each.open = true; });"
                + PAUSE
                + "   const tables = [...document.querySelectorAll('table:not(.u-legend)')];"
                + "   const wrong = tables.filter(table => {"
                + "     const box = table.closest('.scroll');"
                + "     const more = box && box.querySelector('.more');"
                + "     const cut = box && box.scrollWidth > box.clientWidth + 1;"
                + "     const caption = table.caption.querySelector('span').getBoundingClientRect();"
                + "     return !box || box.tabIndex !== 0 || !box.getAttribute('aria-label')"
                + "       || cut !== (more.offsetParent !== null) || caption.right > innerWidth; });"
                + "   document.body.dataset.wrong = wrong.map(table => table.caption.textContent).join(', ');"
                + "   document.body.dataset.cut = String(document.querySelectorAll('.scroll.cut').length);"
                + "   document.body.dataset.wider = String(document.documentElement.scrollWidth > innerWidth);";
        SearchResult search = SearchPageTest.last(SearchPageTest.search(folder.resolve("search"), "G1"));
        for (String page : List.of(
                withStacks(usual(), List.of("a.Main.main_[j]")),
                ComparisonPage.of(ComparisonPageTest.comparison("graal")).html(),
                ComparisonPage.of(ComparisonPageTest.history("c2", 30)).html(),
                SearchPageTest.page(search, "graal").html(),
                CapturePageTest.page(Path.of("..", "samples", "users.bin")))) {
            String document = openAnd(page, script, View.PHONE);
            String title = page.substring(page.indexOf("<title>"), page.indexOf("</title>"));
            assertEquals("", said(document, "wrong"), title);
            assertTrue(Integer.parseInt(said(document, "cut")) > 0, title + ": some table is cut");
            assertEquals("false", said(document, "wider"), title + ": the page itself does not scroll sideways");
        }
        assertEquals(
                "0",
                said(
                        openAnd(
                                ComparisonPage.of(ComparisonPageTest.comparison("graal"))
                                        .html(),
                                script),
                        "cut"),
                "in a wide window all is in sight");
    }

    /** Of one launch, too, where a line from point to point would have no length. */
    @Test
    void drawsTheLineThatTheLegendNames() throws Exception {
        RunResult run = look();
        String document = openAnd(
                page(run, each -> seconds(60, each)),
                "const canvas = document.querySelector('#launches canvas');"
                        + " const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);"
                        // The grid is lighter, and no letters are so long.
                        + " let most = 0;"
                        + " for (let y = 0; y < height; y++) {"
                        + "   let dark = 0;"
                        + "   for (let x = 0; x < width; x++) {"
                        + "     const i = 4 * (y * width + x);"
                        + "     dark += data[i + 3] > 100 && data[i] < 140 && data[i + 2] < 150; }"
                        + "   most = Math.max(most, dark); }"
                        + " document.body.dataset.share = String(most / width);");

        assertTrue(Double.parseDouble(said(document, "share")) > 0.1, "dotted: " + said(document, "share"));
    }

    @Test
    void drawsRatiosOfWhichNothingBoundsTheInterval() throws Exception {
        RunResult run = usual().withVerdicts(List.of(Verdict.builder("cpuPerRequest", "graal", "c2")
                .primary(true)
                .ratio(1.2)
                .interval(Verdict.Interval.of(1.02, Double.POSITIVE_INFINITY))
                .level(0.95)
                .launches(6)
                .finding(Verdict.Finding.WORSE)
                .build()));

        String document = openAnd(
                page(run, each -> seconds(60, each)),
                COLOURED
                        + " document.body.dataset.coloured ="
                        + "   String(coloured(document.querySelector('#launches canvas')));");

        assertTrue(Integer.parseInt(said(document, "coloured")) > 100, "six dots: " + said(document, "coloured"));
        assertTrue(document.contains("the 95 % interval that decides goes from the line at 1.020 on and has no upper"));
    }

    @Test
    void drawsAValueThatStandsAlone() throws Exception {
        AtomicInteger second = new AtomicInteger();
        String document = openAnd(
                page(
                        usual(),
                        each -> seconds(
                                60,
                                List.of("c2", "graal"),
                                // Among them what was allocated.
                                costs -> second.getAndIncrement() % 5 == 0 ? costs : costs.withoutCollections(),
                                each)),
                COLOURED
                        + " const figure = [...document.querySelectorAll('figure')]"
                        + "   .find(each => each.querySelector('h3').textContent === 'Allocation per request');"
                        + " document.body.dataset.coloured = String(coloured(figure.querySelector('canvas')));");

        assertTrue(Integer.parseInt(said(document, "coloured")) > 50, "dots: " + said(document, "coloured"));
    }

    @Test
    void drawsTheLinesOfManyTargetsInDifferentWays() throws Exception {
        List<String> targets =
                IntStream.range(0, 12).mapToObj(i -> "target" + i).collect(Collectors.toList());
        RunResult run = ReportPageTest.run(
                "users.bin",
                targets.stream().map(name -> TargetResult.builder(name).build()).toArray(TargetResult[]::new));

        String document = openAnd(
                page(run, each -> seconds(10, targets, each)),
                "document.body.dataset.ways = String(new Set([...document.querySelectorAll('#controls .swatch')]"
                        + ".map(swatch => swatch.style.background)).size);");

        assertEquals("12", said(document, "ways"));
    }

    @Test
    void namesTheBaselineLastInItsTitleAndHowFarTheRunCame() throws Exception {
        RunResult whole = ReportPageTest.run(
                RunPlan.builder().baseline("graal").launches(6),
                "users.bin",
                TargetResult.builder("c2").build(),
                TargetResult.builder("graal").build());
        RunResult killed = RunResult.builder(whole.plan())
                .from(whole)
                .interrupted(true)
                .launchesDone(0)
                .build();

        String document = open(killed, each -> seconds(10, each));

        assertTrue(document.contains("<h1 id=\"title\">c2 against graal</h1>"), "the title");
        assertTrue(document.contains(" · 0 of 6 launches · "), "what came to its end");
        assertTrue(open(whole, each -> seconds(10, each)).contains(" · 6 launches · "));
    }

    @Test
    void goesFromPointToPointByKeys() throws Exception {
        String document = openAnd(
                page(usual(), each -> seconds(60, each)),
                "const box = [...document.querySelectorAll('#latency [role=group]')]"
                        + "   .find(each => each.querySelector('.u-value'));"
                        + " box.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));"
                        + " document.body.dataset.said = box.querySelector('.u-value').textContent;");

        assertTrue(said(document, "said").matches(".*[0-9].*"), said(document, "said"));
    }

    @Test
    void drawsTheRatioOfUserCpuWhereThatIsChosen() throws Exception {
        String document = openAnd(
                page(usual(), each -> {
                    seconds(60, List.of("c2"), each);
                    seconds(
                            60,
                            List.of("graal"),
                            costs -> costs.with(
                                    Cost.USER_CPU, costs.get(Cost.USER_CPU).orElseThrow() / 2),
                            each);
                }),
                "const figure = [...document.querySelectorAll('figure')]"
                        + "   .find(each => each.querySelector('h3').textContent === 'CPU per request against c2');"
                        + " const last = () => {"
                        + "   figure.querySelector('[role=group]').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));"
                        + "   return [...figure.querySelectorAll('.u-value')].map(value => value.textContent).join(' '); };"
                        + " const before = last();"
                        + " const choice = figure.querySelector('[aria-label=CPU]');"
                        + " choice.value = 'userCpuTotal'; choice.dispatchEvent(new Event('change'));"
                        + " document.body.dataset.values = before + '; ' + last();");

        assertTrue(said(document, "values").matches("[^;]* 1(\\.0*)? [^;]*; .* 0\\.50* .*"), said(document, "values"));
    }

    @Test
    void zoomsAllPlotsOverTimeTogetherAndShowsValuesUnderThePointer() throws Exception {
        String document = openAnd(
                page(usual(), each -> seconds(60, each)),
                "const canvases = [...document.querySelectorAll('canvas')].filter(canvas => canvas.offsetParent);"
                        + " const pixels = canvas => canvas.toDataURL();"
                        + " const before = canvases.map(pixels);"
                        + " const over = document.querySelector('#load .u-over');"
                        + " const box = over.getBoundingClientRect();"
                        + " const mouse = (type, share) => over.dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0,"
                        + "   movementX: 5, clientX: box.left + share * box.width, clientY: box.top + 20 }));"
                        + " mouse('mouseenter', 0.5); mouse('mousemove', 0.5);"
                        + " mouse('mousedown', 0.5); mouse('mousemove', 0.8); mouse('mouseup', 0.8);"
                        + PAUSE
                        + "   document.body.dataset.same = canvases.filter((canvas, i) => pixels(canvas) === before[i])"
                        + "     .map(canvas => canvas.closest('figure').querySelector('h3').textContent).join(', ');"
                        + "   mouse('mousemove', 0.3);"
                        + "   document.body.dataset.values = [...over.closest('figure').querySelectorAll('.u-value')]"
                        + "     .map(value => value.textContent).join(' ');");

        // The first have no time.
        assertEquals("graal against c2: CPU per request, From the start to the first answer", said(document, "same"));
        assertTrue(said(document, "values").matches("0:[0-9]+ 10[0-9] /s 10[0-9] /s"), said(document, "values"));
    }

    /** Paints over the ground, saves all plots, and says of which canvas and which file there is nothing. */
    @Test
    void showsInTheDarkWhichPartIsChosenToo() throws Exception {
        String document = openAnd(
                page(usual(), each -> seconds(60, each)),
                "document.body.dataset.chosen = getComputedStyle(document.querySelector('.u-select')).backgroundColor;",
                View.DARK);

        assertEquals("rgba(160, 170, 185, 0.16)", said(document, "chosen"));
    }

    @Test
    void paintsEachPlotAndSavesItAsPictureAndTable() throws Exception {
        String document = openAnd(
                withStacks(usual(), List.of("a.Main.main_[j]", "a.Work.run_[i]")),
                "const saved = [];"
                        + " HTMLAnchorElement.prototype.click = function () {"
                        + "   saved.push(this.download + (this.href.length > 100 ? '' : ': nothing'));"
                        + "   document.body.dataset.saved = saved.sort().join(' '); };"
                        + COLOURED
                        + " document.body.dataset.empty = [...document.querySelectorAll('figure')]"
                        + "   .filter(figure => figure.querySelector('canvas') && coloured(figure.querySelector('canvas')) < 20)"
                        + "   .map(figure => figure.querySelector('h3').textContent).join(', ');"
                        + " document.querySelectorAll('[aria-label^=\"Save as\"]')"
                        + "   .forEach(button => button.offsetParent && button.click());");

        assertEquals("", said(document, "empty"), "plots without a line");
        String saved = said(document, "saved");
        assertFalse(saved.contains("nothing"), saved);
        for (String plot : List.of("latency-over-time", "cpu-per-request-against-c2", "flame-graph-graal")) {
            assertTrue(saved.contains(plot + ".csv") && saved.contains(plot + ".png"), saved);
        }
    }

    /** As the report's own CSV: with blanks before it, and in the wide forms of East Asian text. */
    @Test
    void savesNoCellThatASpreadsheetTakesForAFormula() throws Exception {
        String document = openAnd(
                page(usual(), each -> seconds(60, each)),
                "HTMLAnchorElement.prototype.click = function () {"
                        + "   document.body.dataset.saved = decodeURIComponent(this.href.split(',')[1]).replace(/\"/g, ''); };"
                        + " plots.csv('x', [["
                        + "   '=1', ' +1', '\\u3000-1', '@1', '\\uff1d1', '\\uff0b1', '\\uff0d1', ' \\uff201', 'a=1', -1]]);");

        assertEquals(
                "'=1,' +1,'\u3000-1,'@1,'\uff1d1,'\uff0b1,'\uff0d1,' \uff201,a=1,-1",
                said(document, "saved").strip());
    }

    /** Returns the page of a run whose c2 and graal were profiled and met this stack, and others below it. */
    private static String withStacks(RunResult run, List<String> stack) {
        return ReportPage.of(
                        run.withHotMethods(ReportPageTest.profile(110, "c2", "graal")),
                        each -> seconds(60, each),
                        List.of("c2.flame.html"))
                .withStacks((target, each) -> {
                    each.accept(stack, 10);
                    for (String suffix : List.of("_[0]", "_[1]", "_[j]", "_[i]", "_[s]", "_[k]", "")) {
                        List<String> below = new ArrayList<>(stack);
                        below.add("b.Callee.of" + suffix);
                        each.accept(below, 10);
                    }
                    each.accept(List.of("[GC threads]", "G1ParTask::work (libjvm.so)"), 30);
                })
                .html();
    }

    @Test
    void drawsFlameGraphs() throws Exception {
        String page = withStacks(usual(), List.of("a.Main.main_[j]", "<img src=x onerror=alert(1)>\u202e_[j]"));

        String document = openAnd(
                page,
                "const box = document.querySelector('.flame');"
                        + " const press = key => box.dispatchEvent(new KeyboardEvent('keydown', { key }));"
                        + " const width = () => Math.round(box.querySelectorAll('rect')[2].getBoundingClientRect().width);"
                        + " const said = () => box.parentElement.querySelector('[aria-live]').textContent;"
                        + " const before = width();"
                        + " ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter'].forEach(press);"
                        + " document.body.dataset.said = said();"
                        + " document.body.dataset.wider = width() > before;"
                        + " press('Escape'); document.body.dataset.back = width() === before;");

        assertEquals(2, count(document, "aria-label=\"Flame graph: [^\"]*profiler 4.5"));
        assertEquals(
                "a.Main.main (compiled): 72.7 %, 80 samples; not in the callees shown: 0 %", said(document, "said"));
        assertEquals("true true", said(document, "wider") + " " + said(document, "back"));
        assertEquals(0, count(document, "<img "), "no markup of others");
        assertTrue(document.contains(">&lt;img src=x onerror=alert(1)&gt;\ufffd</text>"));
        assertTrue(document.contains("prod: not profiled: it runs already"));
        assertFaultless(page, View.WINDOW, View.DARK);
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

        String document = open(page);

        assertTrue(document.contains("Request 7, GET /users/N: both bodies"));
        assertTrue(document.contains("&lt;img src=x onerror=alert(1)&gt;</pre>"));
        assertEquals(0, count(document, "<img "), "no markup of others");
        assertFaultless(page.replace("<details", "<details open"), View.WINDOW);
    }

    @Test
    void isPrintedOnTwoPages() throws Exception {
        show(page(usual(), each -> seconds(60, each)), View.WINDOW);

        assertEquals(2, tab.printedPages());
    }

    @Test
    void drawsWhatIsInACapture() throws Exception {
        String page = CapturePageTest.page(Path.of("..", "samples", "users.bin"));

        String document = open(page);

        assertTrue(count(document, "<canvas ") >= 5, "plots: " + count(document, "<canvas "));
        assertTrue(document.contains("/user/ID"), "paths");
        assertFaultless(page, View.values());
        String many = open(CapturePageTest.page(CapturePageTest.connections(folder, 300)));
        assertTrue(many.contains("One connection of 2, from its first to its last byte"));
    }

    @Test
    void namesPartsOfSecondsOfAShortCapture() throws Exception {
        String document = openAnd(
                CapturePageTest.page(CapturePageTest.hostile(folder)),
                WRITTEN + "document.body.dataset.times = written.filter(text => / s$|^[0-9]+:/.test(text)).join();");

        List<String> times = List.of(said(document, "times").split(","));
        assertTrue(times.stream().anyMatch(time -> time.matches("0[.][0-9]+ s")), times.toString());
        assertFalse(times.contains("0:00"), times.toString());
    }

    @Test
    void showsNoMarkupOfACapture() throws Exception {
        String document = open(CapturePageTest.page(CapturePageTest.hostile(folder)));

        assertEquals(0, count(document, "<img "), "no markup of others");
        assertTrue(document.contains("/&lt;img\\xc2\\xa0src=x&gt;\\xe2\\x80\\xae"), document);
        assertFalse(
                Pattern.compile("[\\u202e\\u001b]").matcher(document).find(), "nothing turns the text or is invisible");
    }

    @Test
    void drawsRunsBesideEachOther() throws Exception {
        String document =
                open(ComparisonPage.of(ComparisonPageTest.comparison("graal")).html());

        assertEquals(1, count(document, "<canvas "), "a plot for each target of each run");
        assertTrue(document.contains("graal, run 2 over run 1"));
        assertTrue(document.contains("REGRESSION"));
    }

    @Test
    void marksRatiosThatDoNotFit() throws Exception {
        String document = withColoured(ComparisonPageTest.comparison(7.261, 0.1));

        assertTrue(Integer.parseInt(said(document, "above")) > 30, "an arrow: " + said(document, "above"));
        assertTrue(Integer.parseInt(said(document, "below")) > 30, "an arrow: " + said(document, "below"));
        assertTrue(document.contains("An arrow with a figure: a ratio beyond the plot."));
    }

    @Test
    void marksTheOnlyRatioThatDoesNotFit() throws Exception {
        String document = withColoured(ComparisonPageTest.withoutErrors());

        assertTrue(Integer.parseInt(said(document, "below")) > 30, "an arrow: " + said(document, "below"));
    }

    /** Opens the page, which says how many pixels of the first plot have a colour in its upper and its lower half. */
    private String withColoured(RunComparison comparison) throws Exception {
        return openAnd(
                ComparisonPage.of(comparison).html(),
                "const canvas = document.querySelector('#ratios canvas');"
                        + " const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);"
                        + " const coloured = (from, to) => {"
                        + "   let found = 0;"
                        + "   for (let i = 4 * width * from; i < 4 * width * to; i += 4) {"
                        + "     const of = [data[i], data[i + 1], data[i + 2]];"
                        + "     found += data[i + 3] > 100 && Math.max(...of) - Math.min(...of) > 60; }"
                        + "   return found; };"
                        + " const half = Math.floor(height / 2);"
                        + " document.body.dataset.above = String(coloured(0, half));"
                        + " document.body.dataset.below = String(coloured(half, height));");
    }

    @Test
    void strikesThroughOnlyTheRatiosThatALateRunSpoils() throws Exception {
        String document = openAnd(
                ComparisonPage.of(ComparisonPageTest.late()).html(),
                "document.body.dataset.struck = [...document.querySelectorAll('#verdicts td:nth-child(4)')]"
                        + ".map(cell => getComputedStyle(cell).textDecorationLine).join();");

        assertEquals("line-through,none", said(document, "struck"));
        assertTrue(
                document.contains("INVALID: rates and latencies of run 2, and ratios to them, are not to be trusted"));
    }

    @Test
    void saysBesideTheTitleWhatWasDecidedAndWhichRunIsInvalid() throws Exception {
        String undecided =
                open(ComparisonPage.of(ComparisonPageTest.undecided()).html());

        assertTrue(undecided.contains("<span class=\"badge doubt\">NOT DECIDED</span>"));
        assertTrue(undecided.contains("<span class=\"badge bad\">RUN 2: INVALID</span>"));
    }

    @Test
    void saysBesideTheTitleWhichTargetDiedAndWhereAPlotIsLeftOutForIt() throws Exception {
        String died = open(ComparisonPage.of(ComparisonPageTest.died()).html());

        assertTrue(died.contains("<span class=\"badge bad\">RUN 2: graal DIED</span>"), died);
        assertTrue(died.contains("No plot of graal, run 2 over run 1: graal died in run 2."), died);
        assertTrue(died.contains("graal died in tuesday"), died);
    }

    @Test
    void drawsManyRunsOverTime() throws Exception {
        String document =
                open(ComparisonPage.of(ComparisonPageTest.history("c2", 300)).html());

        assertEquals(1, count(document, "<canvas "));
        assertTrue(document.contains("c2: p50"));
        assertTrue(document.contains("+10.0 % p50"), "the change");
        assertTrue(document.contains("ringed: the newest run"));
    }

    /** In Tokyo, where a day begins at 15:00 of UTC. */
    @Test
    void namesTheTimesOfRunsByTheClockThatTheyStandAt() throws Exception {
        String document = openAnd(
                ComparisonPage.of(ComparisonPageTest.hourly("c2", 24)).html(),
                WRITTEN
                        + "document.body.dataset.times ="
                        + "   written.filter(text => /^[0-9]{2}-[0-9]{2}/.test(text)).join();");

        List<String> times = List.of(said(document, "times").split(","));
        assertTrue(times.size() > 2, times.toString());
        for (String time : times) {
            assertTrue(time.matches("11-0[2-5] [0-9]{2}:00"), times.toString());
        }
        assertTrue(times.stream().anyMatch(time -> time.endsWith(" 00:00")), times.toString());
    }

    @Test
    void showsNoMarkupOfRunsThatAreCompared() throws Exception {
        for (String html : List.of(
                ComparisonPage.of(ComparisonPageTest.comparison(ComparisonPageTest.HOSTILE))
                        .html(),
                ComparisonPage.of(ComparisonPageTest.history(ComparisonPageTest.HOSTILE, 10))
                        .html())) {
            String document = open(html);

            assertEquals(0, count(document, "<img "), "no markup of others");
            assertEquals(1, count(document, "<canvas "));
        }
    }

    @Test
    void drawsASearchAndSaysFirstThatItDidNotHold() throws Exception {
        List<SearchResult> all = SearchPageTest.search(folder.resolve("search"), "G1");
        SearchResult end = SearchPageTest.verified(SearchPageTest.last(all), false, "the best is as the default");
        String page = SearchPageTest.page(end, "graal").html();

        String document = open(page);

        assertEquals(5, count(document, "<canvas "), "all values, and a plot for each parameter");
        String answer = document.substring(document.indexOf("<section id=\"answer\""));
        assertTrue(answer.indexOf("NOT CONFIRMED: the best is as the default") < answer.indexOf("Held for the best"));
        assertTrue(document.contains("violates p99"), "which constraint");
        assertFaultless(page, View.values());
        String early = SearchPageTest.page(all.get(0), "graal").html();
        assertTrue(open(early).contains("in progress"));
        assertFaultless(early, View.WINDOW);
        String large = open(page.replace("\"default\":80", "\"default\":16777216"));
        assertTrue(large.contains(">16777216<"), "with all its digits");
    }

    /** As where too many pages are open: it said that it tries again, and did not. */
    @Test
    void asksAgainForTheEventsOfASearchThatWereRefused() throws Exception {
        SearchResult early =
                SearchPageTest.search(folder.resolve("search"), "G1").get(0);
        AtomicInteger asked = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            boolean events = exchange.getRequestURI().getPath().equals("/events");
            byte[] body = (events
                            ? "data: " + SearchPageTest.page(early, "again").data() + "\n\n"
                            : SearchPageTest.page(early, "G1").liveHtml())
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", events ? "text/event-stream" : "text/html");
            exchange.sendResponseHeaders(events && asked.incrementAndGet() == 1 ? 503 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            tab.open("http://127.0.0.1:" + server.getAddress().getPort() + "/");

            tab.await("document.title.endsWith('Tuning: again')");
        } finally {
            server.stop(0);
        }
    }

    /** Each event draws all anew: a button lost its focus to the page, whose reader was thrown to its beginning. */
    @Test
    void leavesTheReaderOfASearchWhereItChanges() throws Exception {
        SearchResult early =
                SearchPageTest.search(folder.resolve("search"), "G1").get(6);
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch scrolled = new CountDownLatch(1);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            boolean events = exchange.getRequestURI().getPath().equals("/events");
            if (events && asked.incrementAndGet() == 2) {
                try {
                    scrolled.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            String word = asked.get() > 1 ? "second" : "before";
            byte[] body = (events
                            ? "retry: 100\ndata: "
                                    + SearchPageTest.page(early, word).data() + "\n\n"
                            : SearchPageTest.page(early, word).liveHtml())
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", events ? "text/event-stream" : "text/html");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            tab.open("http://127.0.0.1:" + server.getAddress().getPort() + "/");
            tab.await("document.documentElement.dataset.ready === 'true'"
                    + " && document.querySelector('#ask-skip') !== null");
            tab.run("document.getElementById('ask-skip').focus(); scrollTo(0, 1e6); window.wasAt = scrollY;");
            assertTrue(tab.evaluate("window.wasAt").asInt() > 0, "it is longer than the window");
            scrolled.countDown();
            tab.await("document.title.endsWith('Tuning: second')");

            assertEquals("ask-skip", tab.evaluate("document.activeElement.id").asText());
            assertTrue(tab.evaluate("scrollY > window.wasAt / 2").asBoolean(), "it is shown where it was");
        } finally {
            scrolled.countDown();
            server.stop(0);
        }
    }

    @Test
    void drawsTheFrontOfASearchByTwoObjectives() throws Exception {
        String page = SearchPageTest.frontPage(SearchPageTest.front(folder.resolve("search")))
                .html();

        String document = open(page);

        assertEquals(
                7, count(document, "<canvas "), "both against each other, and both over evaluations and parameters");
        assertTrue(document.contains("knee"));
        assertTrue(document.contains("stopped early"));
        String shown = document.substring(0, document.indexOf("<script type=\"application/json\""));
        assertTrue(
                shown.contains("<span class=\"badge good\">FRONT</span>"), "without noise nothing is to be verified");
        assertFalse(shown.contains("noisy values"), "nor has any value been lucky");
        assertFaultless(page, View.values());
    }

    /** Returns the page of an experiment with a chart of the change that two targets make. */
    private static String experiment() {
        return ExperimentPage.html(
                "Mine",
                ("{'experiment': 'mine', 'size': 'quick', 'directory': 'd', 'interrupted': false, 'asks': 'a',"
                                + " 'source': 's', 'rig': 'r', 'expected': 'e', 'traps': [], 'figures': [], 'parts': [], 'charts': [{"
                                + " 'title': 'Change', 'caption': 'Less is better.', 'xLabel': 'MiB', 'log': false,"
                                + " 'unit': '%', 'lines': {'graal': [[128, -10.5], [256, -20.5], [512, -15.5]]}}]}")
                        .replace('\'', '"'),
                "text");
    }

    /** As of an experiment of one's own, whose figure is a change or a difference: below 0 was out of sight. */
    @Test
    void drawsWhatAnExperimentFindsLess() throws Exception {
        String document = openAnd(
                experiment(),
                COLOURED
                        + " document.body.dataset.coloured ="
                        + "   String(coloured(document.querySelector('#charts canvas')));");

        assertTrue(Integer.parseInt(said(document, "coloured")) > 100, "a line: " + said(document, "coloured"));
    }

    /** As the plots of all other pages. */
    @Test
    void namesTheChartsOfAnExperimentAndGoesThroughThemByKeys() throws Exception {
        String document = openAnd(
                experiment(),
                "const box = document.querySelector('#charts [role=group]');"
                        + " box.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));"
                        + " document.body.dataset.said = [...box.querySelectorAll('.u-value')]"
                        + "   .map(value => value.textContent).join(' ');");

        assertEquals("128 -10.5", said(document, "said"));
        assertEquals(1, count(document, "<canvas [^>]*aria-label=\"Change. Less is better.\""));
    }

    @Test
    void showsNoMarkupOfASearch() throws Exception {
        String word = SearchPageTest.HOSTILE;
        SearchResult end = SearchPageTest.last(SearchPageTest.search(folder.resolve("search"), word));

        String document = open(SearchPageTest.page(end, word).html());

        assertEquals(0, count(document, "<img "), "no markup of others");
        String shown = document.substring(0, document.indexOf("<script type=\"application/json\""));
        assertFalse(shown.contains("\u202e"), "nothing turns the text");
    }

    @Test
    void showsThatATargetDiedAsLoudlyAsTheStatus() throws Exception {
        RunResult run = ReportPageTest.run(
                "users.bin",
                ReportPageTest.killed("c2", 1_700_000_041_000L),
                TargetResult.builder("graal").build());

        String document = open(run, each -> seconds(60, each));

        assertTrue(document.contains(" · 1 launch · "), "one launch");
        assertTrue(document.contains("class=\"badge bad\">VALID, c2 DIED<"), "the status");
        assertTrue(
                count(document, "<figcaption>[^<]* c2 died at 0:41 of the run's load\\.<") >= 8,
                "in each plot over time");
        assertTrue(document.contains("Dotted, from a ring on: requests without an answer"), "the percentiles");
        assertTrue(document.contains("c2 died: its rate is that of the 3.0 s"), "the table");
    }

    @Test
    void marksTheTablesOfAnInvalidRun() throws Exception {
        RunResult run = ReportPageTest.run("users.bin", ReportPageTest.killed("c2", 1_700_000_041_000L))
                .withInvalid("Lockstep was late");
        String page = page(run, each -> seconds(60, List.of("c2"), each));

        String document = open(page);

        assertTrue(count(document, "class=\"scroll[^\"]* spoilt[ \"]") > 0, "figures are struck through");
        assertTrue(document.contains("<td class=\"true\"><span>500<"), "but not its errors");
        assertTrue(
                document.contains("class=\"remark bad\">INVALID: do not trust these figures: Lockstep was late<"),
                "the caption");
        assertTrue(document.contains("<th scope=\"col\" class=\"text\">INVALID</th>"), "the heading");
        assertFaultless(page, View.values());
    }
}
