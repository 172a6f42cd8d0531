package dev.lockstep.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page in Debian's Chromium: all of it is drawn, and nothing fails. */
@Tag("full")
@Timeout(180)
final class BrowserTest {
    private static final String CHROMIUM = "chromium";

    @TempDir
    private Path folder;

    private static boolean isInstalled() {
        return List.of(System.getenv("PATH").split(File.pathSeparator)).stream()
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, CHROMIUM)));
    }

    /** Returns the document as it is after its scripts have run. */
    private String open(RunResult run, ReportPage.Intervals intervals) throws Exception {
        return open(ReportPage.of(run, intervals, List.of()).html());
    }

    private String open(String html) throws Exception {
        assumeTrue(isInstalled(), "chromium is not installed");
        Path page = Files.writeString(folder.resolve("report.html"), html);
        Path log = folder.resolve("chromium.log");
        Process browser = new ProcessBuilder(
                        CHROMIUM,
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + folder.resolve("profile"),
                        "--enable-logging=stderr",
                        "--virtual-time-budget=20000",
                        "--dump-dom",
                        page.toUri().toString())
                .redirectError(log.toFile())
                .start();
        String document = new String(browser.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(browser.waitFor(60, TimeUnit.SECONDS));
        List<String> said = Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
                .filter(line -> line.contains(":CONSOLE"))
                .collect(Collectors.toList());
        assertEquals(List.of(), said, "the console is silent");
        assertTrue(document.contains("data-ready=\"true\""), "all is drawn: " + document.length() + " characters");
        return document;
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
                .build();
        RunResult run = ReportPageTest.run(
                        "users.bin", TargetResult.builder("c2").build(), dead)
                .withInvalid("Lockstep was late");

        String document = open(run, each -> {});

        assertTrue(document.contains("INVALID: Lockstep was late"), "the status");
        assertTrue(document.contains("Not measured in this run."), "missing data");
        assertEquals(0, count(document, "<img "), "no markup of others");
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
    void drawsManyRunsOverTime() throws Exception {
        String document =
                open(ComparisonPage.of(ComparisonPageTest.history("c2", 300)).html());

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
            String document = open(html);

            assertEquals(0, count(document, "<img "), "no markup of others");
            assertEquals(1, count(document, "<canvas "));
        }
    }
}
