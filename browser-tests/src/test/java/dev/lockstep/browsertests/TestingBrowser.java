package dev.lockstep.browsertests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Debian's Chromium without a window, with a profile in a folder. */
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
    private static final String START = "<script id=\"axe-result\" type=\"application/json\">";

    private final Path folder;

    public TestingBrowser(Path folder) {
        this.folder = folder;
    }

    private static boolean isInstalled() {
        return List.of(System.getenv("PATH").split(File.pathSeparator)).stream()
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, CHROMIUM)));
    }

    /** Skips the test where there is no Chromium. */
    private ProcessBuilder command(List<String> options) {
        assumeTrue(isInstalled(), "chromium is not installed");
        List<String> command = new ArrayList<>(List.of(
                CHROMIUM,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + folder.resolve("profile")));
        command.addAll(options);
        ProcessBuilder builder = new ProcessBuilder(command);
        // Far from UTC: no page depends on where it is read.
        builder.environment().put("TZ", "Asia/Tokyo");
        return builder;
    }

    /** Opens a page and returns what the browser wrote to standard output; fails if its console is not silent. */
    private String run(String html, String... options) throws Exception {
        Path page = Files.writeString(folder.resolve("report.html"), html);
        Path log = folder.resolve("chromium.log");
        List<String> all = new ArrayList<>(List.of("--enable-logging=stderr", "--virtual-time-budget=20000"));
        all.addAll(List.of(options));
        all.add(page.toUri().toString());
        Process browser = command(all).redirectError(log.toFile()).start();
        String printed = new String(browser.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(browser.waitFor(120, TimeUnit.SECONDS));
        List<String> said = Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
                .filter(line -> line.contains(":CONSOLE"))
                .collect(Collectors.toList());
        assertEquals(List.of(), said, "the console is silent");
        return printed;
    }

    /**
     * Returns the document as it is after its scripts have run.
     *
     * @param options of the browser, such as the size of its window
     */
    public String document(String html, String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("--dump-dom");
        String document = run(html, all.toArray(new String[0]));
        assertTrue(document.contains("data-ready=\"true\""), "all is drawn: " + document.length() + " characters");
        return document;
    }

    /**
     * Returns what axe-core finds fault with, as JSON: a list of rules with the elements that break them.
     *
     * @param options of the browser, such as the size of its window
     */
    public String faults(String html, String... options) throws Exception {
        // In this copy the page's policy lets run the checker, too.
        String open = html.replaceFirst("<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "");
        String checker = "<script>" + axe().replace("</script", "<\\/script") + "</script><script>(function check() {"
                + " if (document.documentElement.dataset.ready !== 'true') { setTimeout(check, 50); return; } "
                + FAULTS + ".then(found => {"
                + " const made = document.createElement('script'); made.id = 'axe-result'; made.type = 'application/json';"
                + " made.textContent = found.replace(/</g, '\\\\u003c'); document.body.append(made); }); })();"
                + "</script></body>";
        List<String> all = new ArrayList<>(List.of(options));
        all.add("--dump-dom");
        String document = run(open.replace("</body>", checker), all.toArray(new String[0]));
        int from = document.indexOf(START) + START.length();
        assertTrue(from >= START.length(), "axe-core has run");
        return document.substring(from, document.indexOf("</script>", from));
    }

    static String axe() throws IOException {
        try (InputStream in = TestingBrowser.class.getResourceAsStream(AXE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Returns on how many pages of paper a page is printed. */
    public long printedPages(String html) throws Exception {
        Path pdf = folder.resolve("report.pdf");
        run(html, "--no-pdf-header-footer", "--print-to-pdf=" + pdf);
        // Chromium does not compress the part of the file that says so.
        return new String(Files.readAllBytes(pdf), StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> line.contains("/Type /Page") && !line.contains("/Type /Pages"))
                .count();
    }

    /** Opens a tab that stays until it is closed; there is one at a time. */
    public BrowserTab openTab() throws Exception {
        return BrowserTab.of(command(List.of("--remote-debugging-port=0", "about:blank"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start());
    }
}
