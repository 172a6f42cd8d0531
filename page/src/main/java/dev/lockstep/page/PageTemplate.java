package dev.lockstep.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;

/**
 * What all pages have in common: one document with its styles, the library that draws plots, a script of its own and
 * the data that it draws. The page's policy (CSP) lets run only these scripts, by their digests, and load nothing.
 */
final class PageTemplate {
    private static final String LIBRARY = "/META-INF/resources/webjars/uplot/1.6.30/dist/";

    private PageTemplate() {}

    /**
     * Returns a page, to be written as UTF-8.
     *
     * @param title of the document and its first heading, until the script has drawn
     * @param script the name of the script that draws
     * @param data JSON, of which any text may be hostile
     * @param text what the page says without its script
     */
    static String html(String title, String script, String data, String text) {
        String library = resource(LIBRARY + "uPlot.iife.min.js");
        String own = resource(script);
        Map<String, String> parts = Map.of(
                "scriptHashes", "'sha256-" + digest(library) + "' 'sha256-" + digest(own) + "'",
                "title", escaped(title),
                "libraryStyle", resource(LIBRARY + "uPlot.min.css"),
                "style", resource("report.css"),
                "text", escaped(text),
                // Within a script element, nothing but this ends it or hides its end.
                "data", data.replace("<", "\\u003c").replace(">", "\\u003e"),
                "library", library,
                "script", own);
        StringBuilder page = new StringBuilder();
        String template = resource("report.html");
        int at = 0;
        for (int open = template.indexOf("{{"); open >= 0; open = template.indexOf("{{", at)) {
            int close = template.indexOf("}}", open);
            page.append(template, at, open).append(parts.get(template.substring(open + 2, close)));
            at = close + 2;
        }
        return page.append(template.substring(at)).toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private static String resource(String name) {
        try (InputStream in = PageTemplate.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not in the build: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String digest(String script) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
