package dev.lockstep.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A page of these resources: {@code NAME.html}, in which {@code {{part}}} stands for each part, with the script
 * {@code NAME.js}, the data for it, and what all pages share: {@code head.html}, the style and {@code plots.js}. Used
 * by one thread.
 *
 * <p>The page's policy (CSP) lets run only the scripts that are in it, by their digests.
 */
final class Template {
    /** Lays out trees. */
    static final String HIERARCHY = "/META-INF/resources/webjars/d3-hierarchy/3.1.2/dist/d3-hierarchy.min.js";

    private static final String LIBRARY = "/META-INF/resources/webjars/uplot/1.6.30/dist/";

    private final String page;
    private final Map<String, String> parts = new HashMap<>();

    private Template(String page) {
        this.page = page;
    }

    /**
     * @param data JSON, from whomever
     * @param more scripts that this page's own needs beside those of all pages
     */
    static Template of(String name, String data, String... more) {
        List<String> scripts = new ArrayList<>();
        scripts.add(resource(LIBRARY + "uPlot.iife.min.js"));
        scripts.add(resource("plots.js"));
        List.of(more).forEach(script -> scripts.add(resource(script)));
        scripts.add(resource(name + ".js"));
        // Resources are the build's own: what is in them is put together before anything of others.
        return new Template(resource(name + ".html").replace("{{head}}\n", resource("head.html")))
                .with("connections", "")
                .with("scriptHashes", scripts.stream().map(Template::digest).collect(Collectors.joining(" ")))
                .with("libraryStyle", resource(LIBRARY + "uPlot.min.css"))
                .with("style", resource("report.css"))
                // Within a script element, nothing but this ends it or hides its end.
                .with("data", data.replace("<", "\\u003c").replace(">", "\\u003e"))
                .with(
                        "scripts",
                        scripts.stream()
                                .map(script -> "<script>" + script + "</script>")
                                .collect(Collectors.joining("\n")));
    }

    /** Lets the page connect to the server that it came from. */
    Template live() {
        return with("connections", " connect-src 'self';");
    }

    /** @param markup what stands for the part, as it is */
    Template with(String part, String markup) {
        parts.put(part, markup);
        return this;
    }

    /** Returns the page, to be written as UTF-8. */
    String html() {
        StringBuilder html = new StringBuilder();
        int at = 0;
        for (int open = page.indexOf("{{"); open >= 0; open = page.indexOf("{{", at)) {
            int close = page.indexOf("}}", open);
            html.append(page, at, open).append(parts.get(page.substring(open + 2, close)));
            at = close + 2;
        }
        return html.append(page.substring(at)).toString();
    }

    /** Returns a text as markup shows it. */
    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private static String resource(String name) {
        try (InputStream in = Template.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not in the build: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns how the policy names a script. */
    private static String digest(String script) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
