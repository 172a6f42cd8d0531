package dev.lockstep.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
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
 * Debian's Chromium with one page, over its debugging protocol: with {@code --dump-dom} it would wait for the end of
 * the page's events.
 */
final class TestingBrowser implements AutoCloseable {
    private static final String CHROMIUM = "chromium";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private WebSocket socket;

    private TestingBrowser(Process process) {
        this.process = process;
    }

    static boolean isInstalled() {
        return List.of(System.getenv("PATH").split(File.pathSeparator)).stream()
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, CHROMIUM)));
    }

    /** @param folder for its profile */
    static TestingBrowser launch(Path folder) throws Exception {
        Process process = new ProcessBuilder(
                        CHROMIUM,
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + folder,
                        "--remote-debugging-port=0",
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        TestingBrowser browser = new TestingBrowser(process);
        try {
            browser.connect();
            return browser;
        } catch (IOException | InterruptedException | RuntimeException e) {
            browser.close();
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
    List<String> said() {
        return said;
    }

    void open(String url) throws Exception {
        send("Page.navigate", JSON.createObjectNode().put("url", url));
    }

    /** Returns the value of a script. */
    JsonNode evaluate(String script) throws Exception {
        return send(
                        "Runtime.evaluate",
                        JSON.createObjectNode()
                                .put("expression", script)
                                .put("returnByValue", true)
                                .put("awaitPromise", true))
                .path("result")
                .path("value");
    }

    /** Waits until a script is true. */
    void await(String script) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!evaluate(script).asBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(script + " is not true; the page: "
                        + evaluate("document.body.innerText").asText() + said);
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Returns the rules of accessibility that the page breaks, as JSON; see the same of the module page. */
    String faults() throws Exception {
        try (InputStream axe = TestingBrowser.class.getResourceAsStream("/axe.min.js")) {
            evaluate(new String(axe.readAllBytes(), StandardCharsets.UTF_8) + "; 0");
        }
        return evaluate(
                        "axe.run(document, { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa',"
                                + " 'wcag22aa', 'best-practice'] } }).then(result => JSON.stringify(result.violations.map(rule =>"
                                + " [rule.id, rule.nodes.map(node => node.html.slice(0, 200))])))")
                .asText();
    }

    /** Says yes to whatever the page asks its reader to confirm. */
    void confirmAll() throws Exception {
        evaluate("window.confirm = () => true");
    }

    /** Writes a picture of the whole page. */
    void picture(Path file, int width, boolean dark) throws Exception {
        send(
                "Emulation.setDeviceMetricsOverride",
                JSON.createObjectNode()
                        .put("width", width)
                        .put("height", 900)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
        ObjectNode media = JSON.createObjectNode();
        media.putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", dark ? "dark" : "light");
        send("Emulation.setEmulatedMedia", media);
        TimeUnit.MILLISECONDS.sleep(500);
        JsonNode shot = send(
                "Page.captureScreenshot",
                JSON.createObjectNode().put("format", "png").put("captureBeyondViewport", true));
        Files.write(file, Base64.getDecoder().decode(shot.get("data").asText()));
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
