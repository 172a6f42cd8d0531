package dev.lockstep.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.browsertests.BrowserTab;
import dev.lockstep.browsertests.TestingBrowser;
import dev.lockstep.page.ReportPage;
import dev.lockstep.results.RunPlan;
import dev.lockstep.run.Cancellation;
import dev.lockstep.run.RunListener;
import dev.lockstep.run.TestingPhases;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page in Debian's Chromium, with a run that is made up. */
@Tag("full")
@Timeout(180)
final class BrowserTest {
    private static final String HOSTILE = "<img src=x onerror=alert(1)>";
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final String POINTS = "document.querySelectorAll('#latency canvas').length";

    @TempDir
    private Path folder;

    private final Cancellation cancellation = new Cancellation();

    private static void seconds(RunListener run, int from, int to) {
        for (int i = from; i < to; i++) {
            run.interval("c2", TestingRun.second(1 + i / 60, i, 1));
            run.interval("graal", TestingRun.second(1 + i / 60, i, 0.9));
        }
    }

    @Test
    void growsWithTheRunComesBackAndEndsInItsReport() throws Exception {
        RunPlan plan = TestingRun.plan(HOSTILE, 3, "c2", "graal");
        Path report = Files.writeString(
                folder.resolve("report.html"),
                ReportPage.of(TestingRun.result(plan), each -> {}, List.of()).html());
        try (LiveView view = LiveView.launch(FREE, plan, cancellation);
                BrowserTab tab = TestingBrowser.openTab(folder.resolve("profile"))) {
            RunListener run = view.listener(folder);
            run.note(HOSTILE);
            run.phase(TestingPhases.start("c2"));
            tab.open(view.url());
            tab.await("document.documentElement.dataset.ready === 'true'");
            assertEquals(
                    "/", tab.evaluate("location.pathname + location.search").asText(), "no token");
            assertEquals(0, tab.evaluate(POINTS).asInt(), "nothing is drawn of nothing");

            seconds(run, 0, 55);
            run.targetReady(TestingPhases.ready("c2", 1));
            run.phase(TestingPhases.warmUp());
            run.status(HOSTILE);
            tab.await("document.body.innerText.includes('<img src=x')");
            run.phase(TestingPhases.round("c2", 0, 2, 3, 8));
            tab.await(POINTS + " > 0 && document.body.innerText.includes('measured, round 4 of 8')");
            tab.await("document.querySelectorAll('#cpu canvas').length === 3");
            run.launchDone(1, TestingRun.result(plan));
            tab.await("document.body.innerText.includes('So far, after 1 launch')");
            assertEquals(
                    0, tab.evaluate("document.querySelectorAll('img').length").asInt(), "no markup of others");
            pictures(tab);
            assertEquals("[]", tab.faults());

            // A page that is loaded anew has all of it at once.
            tab.open("http://127.0.0.1:" + view.address().getPort() + "/");
            tab.await("document.documentElement.dataset.ready === 'true' && " + POINTS + " > 0");
            seconds(run, 60, 130);
            tab.await("document.querySelectorAll('#controls .launches button').length === 3");

            tab.confirmAll();
            tab.evaluate(
                    "[...document.querySelectorAll('button')].find(b => b.textContent.startsWith('Enough')).click()");
            tab.await("document.body.innerText.includes('Ends after this launch')");
            assertTrue(cancellation.isConcluded());
            tab.evaluate("[...document.querySelectorAll('button')].find(b => b.textContent === 'Stop').click()");
            tab.await("document.body.innerText.includes('Stopping')");
            assertTrue(cancellation.isCancelled());

            CompletableFuture<Void> ends =
                    CompletableFuture.runAsync(() -> view.showReport(TestingRun.result(plan), report));
            tab.await("location.pathname === '/report' && document.documentElement.dataset.ready === 'true'");
            ends.get();
            assertEquals(List.of(), tab.said(), "the console is silent");
        }
    }

    /** For whoever wants to look at the page: {@code -Dlive.pictures=FOLDER}. */
    private static void pictures(BrowserTab tab) throws Exception {
        String pictures = System.getProperty("live.pictures");
        if (pictures != null) {
            for (int width : new int[] {1280, 390}) {
                tab.picture(Path.of(pictures, "live-" + width + ".png"), width, false);
                tab.picture(Path.of(pictures, "live-" + width + "-dark.png"), width, true);
            }
        }
    }
}
