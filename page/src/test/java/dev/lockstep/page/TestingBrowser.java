package dev.lockstep.page;

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
final class TestingBrowser {
    private static final String CHROMIUM = "chromium";
    private static final String AXE = "/axe.min.js";
    /** The rules of WCAG 2.2, levels A and AA, and what the makers of axe-core find good beyond them. */
    private static final String RULES =
            "[\"wcag2a\",\"wcag2aa\",\"wcag21a\",\"wcag21aa\",\"wcag22aa\",\"best-practice\"]";

    private static final String START = "<script id=\"axe-result\" type=\"application/json\">";

    private final Path folder;

    TestingBrowser(Path folder) {
        this.folder = folder;
    }

    private static boolean isInstalled() {
        return List.of(System.getenv("PATH").split(File.pathSeparator)).stream()
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, CHROMIUM)));
    }

    /** Opens a page and returns what the browser wrote to standard output; fails if its console is not silent. */
    private String run(String html, String... options) throws Exception {
        assumeTrue(isInstalled(), "chromium is not installed");
        Path page = Files.writeString(folder.resolve("report.html"), html);
        Path log = folder.resolve("chromium.log");
        List<String> command = new ArrayList<>(List.of(
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
                "--virtual-time-budget=20000"));
        command.addAll(List.of(options));
        command.add(page.toUri().toString());
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        // Far from UTC: no page depends on where it is read.
        builder.environment().put("TZ", "Asia/Tokyo");
        Process browser = builder.start();
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
    String document(String html, String... options) throws Exception {
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
    String faults(String html, String... options) throws Exception {
        // In this copy the page's policy lets run the checker, too.
        String open = html.replaceFirst("<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "");
        String checker = "<script>" + axe().replace("</script", "<\\/script") + "</script><script>(function check() {"
                + " if (document.documentElement.dataset.ready !== 'true') { setTimeout(check, 50); return; }"
                + " axe.run(document, { runOnly: { type: 'tag', values: " + RULES + " } }).then(result => {"
                + " const made = document.createElement('script'); made.id = 'axe-result'; made.type = 'application/json';"
                + " made.textContent = JSON.stringify(result.violations.map(rule => ({ rule: rule.id,"
                + " elements: rule.nodes.map(node => node.html.slice(0, 200) + ': ' + node.failureSummary) })))"
                + ".replace(/</g, '\\\\u003c'); document.body.append(made); }); })();</script></body>";
        List<String> all = new ArrayList<>(List.of(options));
        all.add("--dump-dom");
        String document = run(open.replace("</body>", checker), all.toArray(new String[0]));
        int from = document.indexOf(START) + START.length();
        assertTrue(from >= START.length(), "axe-core has run");
        return document.substring(from, document.indexOf("</script>", from));
    }

    private static String axe() throws IOException {
        try (InputStream in = TestingBrowser.class.getResourceAsStream(AXE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Returns on how many pages of paper a page is printed. */
    long printedPages(String html) throws Exception {
        Path pdf = folder.resolve("report.pdf");
        run(html, "--no-pdf-header-footer", "--print-to-pdf=" + pdf);
        // Chromium does not compress the part of the file that says so.
        return new String(Files.readAllBytes(pdf), StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> line.contains("/Type /Page") && !line.contains("/Type /Pages"))
                .count();
    }
}
