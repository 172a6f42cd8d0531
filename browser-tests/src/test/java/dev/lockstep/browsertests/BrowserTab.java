package dev.lockstep.browsertests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The only tab of a Chromium, over its debugging protocol: it shows one page after the other, since to start a browser
 * takes longer than to draw a page. Closing it ends the browser. For one thread.
 */
public final class BrowserTab implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PATIENCE_SECONDS = 60;
    private static final String ALL_IS_DRAWN =
            "!window.isPageBefore && document.documentElement.dataset.ready === 'true'";

    /** What a page is looked at in. */
    public enum View {
        WINDOW(1400, 900, false),
        DARK(1400, 900, true),
        PHONE(390, 844, false);

        private final int width;
        private final int height;
        private final boolean dark;

        View(int width, int height, boolean dark) {
            this.width = width;
            this.height = height;
            this.dark = dark;
        }
    }

    private final Process process;
    private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private WebSocket socket;

    private BrowserTab(Process process) {
        this.process = process;
    }

    /** @param process a browser that was started with a port for its debugging protocol, of which nothing was read */
    static BrowserTab of(Process process) throws Exception {
        BrowserTab tab = new BrowserTab(process);
        try {
            tab.connect();
            return tab;
        } catch (IOException | InterruptedException | RuntimeException e) {
            tab.close();
            throw e;
        }
    }

    private void connect() throws Exception {
        BufferedReader err =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.ISO_8859_1));
        String where = err.readLine();
        while (!where.startsWith("DevTools listening on ")) {
            where = err.readLine();
        }
        Thread drain = new Thread(() -> err.lines().forEach(line -> {}), "chromium-log");
        drain.setDaemon(true);
        drain.start();
        URI port = URI.create(where.substring("DevTools listening on ".length()));
        URI list = URI.create("http://127.0.0.1:" + port.getPort() + "/json/list");
        HttpClient client = HttpClient.newHttpClient();
        JsonNode pages =
                JSON.readTree(client.send(HttpRequest.newBuilder(list).build(), HttpResponse.BodyHandlers.ofString())
                        .body());
        String page = "";
        for (JsonNode one : pages) {
            page = one.get("type").asText().equals("page")
                    ? one.get("webSocketDebuggerUrl").asText()
                    : page;
        }
        socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(page), new Listener())
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        send("Runtime.enable", JSON.createObjectNode());
        send("Log.enable", JSON.createObjectNode());
        send("Page.enable", JSON.createObjectNode());
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                take(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private void take(String message) {
        try {
            JsonNode node = JSON.readTree(message);
            if (node.has("id")) {
                asked.remove(node.get("id").asInt()).complete(node);
                return;
            }
            String method = node.path("method").asText();
            boolean error = method.equals("Runtime.exceptionThrown")
                    || method.equals("Runtime.consoleAPICalled")
                    || method.equals("Log.entryAdded");
            if (error) {
                said.add(node.get("params").toString());
            }
        } catch (IOException e) {
            throw new AssertionError(message, e);
        }
    }

    private JsonNode send(String method, ObjectNode parameters) throws Exception {
        int number = numbers.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        asked.put(number, answer);
        ObjectNode message = JSON.createObjectNode().put("id", number).put("method", method);
        message.set("params", parameters);
        socket.sendText(message.toString(), true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS).path("result");
    }

    /** Returns what the page wrote to its console, and what failed in it. */
    public List<String> said() {
        return said;
    }

    /** Shows a page that is a file, once all of it is drawn. */
    public void show(Path page, View view) throws Exception {
        evaluate("window.isPageBefore = true");
        look(view.width, view.height, view.dark);
        open(page.toUri().toString());
        await(ALL_IS_DRAWN);
    }

    /** Runs statements in the page, which may await. */
    public void run(String statements) throws Exception {
        JsonNode failure = evaluated("(async () => { " + statements + " })()").path("exceptionDetails");
        assertTrue(failure.isMissingNode(), failure.toString());
    }

    /** Returns the page's document as it is now; fails if its console was not silent. */
    public String document() throws Exception {
        String document = evaluate("document.documentElement.outerHTML").asText();
        assertEquals(List.of(), said, "the console is silent");
        return document;
    }

    /** Returns on how many pages of paper the page is printed. */
    public long printedPages() throws Exception {
        JsonNode printed = send("Page.printToPDF", JSON.createObjectNode());
        // Chromium does not compress the part of the file that says so.
        return new String(Base64.getDecoder().decode(printed.get("data").asText()), StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> line.contains("/Type /Page") && !line.contains("/Type /Pages"))
                .count();
    }

    public void open(String url) throws Exception {
        said.clear();
        send("Page.navigate", JSON.createObjectNode().put("url", url));
    }

    /** Returns the value of a script. */
    public JsonNode evaluate(String script) throws Exception {
        return evaluated(script).path("result").path("value");
    }

    private JsonNode evaluated(String script) throws Exception {
        return send(
                "Runtime.evaluate",
                JSON.createObjectNode()
                        .put("expression", script)
                        .put("returnByValue", true)
                        .put("awaitPromise", true));
    }

    /** Waits until a script is true. */
    public void await(String script) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!evaluate(script).asBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(script + " is not true; the page: "
                        + evaluate("document.body.innerText").asText() + said);
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Returns what axe-core finds fault with, as JSON: a list of rules with the elements that break them. */
    public String faults() throws Exception {
        evaluate(TestingBrowser.axe() + "; 0");
        return evaluate(TestingBrowser.FAULTS).asText();
    }

    /** Says yes to whatever the page asks its reader to confirm. */
    public void confirmAll() throws Exception {
        evaluate("window.confirm = () => true");
    }

    /** Writes a picture of the whole page. */
    public void picture(Path file, int width, boolean dark) throws Exception {
        look(width, 900, dark);
        TimeUnit.MILLISECONDS.sleep(500);
        JsonNode shot = send(
                "Page.captureScreenshot",
                JSON.createObjectNode().put("format", "png").put("captureBeyondViewport", true));
        Files.write(file, Base64.getDecoder().decode(shot.get("data").asText()));
    }

    private void look(int width, int height, boolean dark) throws Exception {
        send(
                "Emulation.setDeviceMetricsOverride",
                JSON.createObjectNode()
                        .put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
        ObjectNode media = JSON.createObjectNode();
        media.putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", dark ? "dark" : "light");
        send("Emulation.setEmulatedMedia", media);
    }

    @Override
    public void close() {
        if (socket != null) {
            socket.abort();
        }
        process.destroy();
        // Its profile is removed next.
        process.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }
}
