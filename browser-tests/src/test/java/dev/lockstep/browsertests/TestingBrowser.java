package dev.lockstep.browsertests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Debian's Chromium without a window. */
public final class TestingBrowser {
    /**
     * A script, to run after {@link #axe}: promises what axe-core finds fault with, as JSON, a list of rules with the
     * elements that break them. The rules are those of WCAG 2.2, levels A and AA, and what the makers of axe-core find
     * good beyond them.
     */
    static final String FAULTS = "axe.run(document, { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a',"
            + " 'wcag21aa', 'wcag22aa', 'best-practice'] } })"
            + ".then(result => JSON.stringify(result.violations.map(rule => ({ rule: rule.id,"
            + " elements: rule.nodes.map(node => node.html.slice(0, 200) + ': ' + node.failureSummary) }))))";

    private static final String CHROMIUM = "chromium";
    private static final String AXE = "/axe.min.js";

    private TestingBrowser() {}

    private static boolean isInstalled() {
        return List.of(System.getenv("PATH").split(File.pathSeparator)).stream()
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, CHROMIUM)));
    }

    static String axe() throws IOException {
        try (InputStream in = TestingBrowser.class.getResourceAsStream(AXE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Starts the browser with one tab, or skips the test where there is no Chromium. Closing the tab ends it.
     *
     * @param profile a folder for the browser alone
     */
    public static BrowserTab openTab(Path profile) throws Exception {
        assumeTrue(isInstalled(), "chromium is not installed");
        ProcessBuilder builder = new ProcessBuilder(
                        CHROMIUM,
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + profile,
                        "--remote-debugging-port=0",
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        // Far from UTC: no page depends on where it is read.
        builder.environment().put("TZ", "Asia/Tokyo");
        return BrowserTab.of(builder.start());
    }
}
