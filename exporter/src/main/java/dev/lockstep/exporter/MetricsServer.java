package dev.lockstep.exporter;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Serves one page, {@code /metrics}, over HTTP with the JDK's server. Closed by its owner; its threads end no later
 * than the process.
 *
 * <p>Who asks by another name than {@link LoopbackHost} allows is refused.
 */
final class MetricsServer implements AutoCloseable {
    private static final String PAGE = "/metrics";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final int BACKLOG = 16;

    static {
        // A client that sends half a request, or does not read its answer, holds a thread: not for ever, and not too
        // many. The JDK's server reads these when it is first used; older ones do not know the last.
        setDefault("sun.net.httpserver.maxReqTime", "5");
        setDefault("sun.net.httpserver.maxRspTime", "10");
        setDefault("jdk.httpserver.maxConnections", "100");
    }

    private final HttpServer server;
    private final ExecutorService threads;
    private final Supplier<String> page;
    private final Supplier<String> openMetrics;

    private MetricsServer(
            HttpServer server, ExecutorService threads, Supplier<String> page, Supplier<String> openMetrics) {
        this.server = server;
        this.threads = threads;
        this.page = page;
        this.openMetrics = openMetrics;
    }

    /**
     * Starts to listen.
     *
     * @param page makes the page in Prometheus's text format; called on a thread of the server
     * @param openMetrics makes it in that of OpenMetrics, likewise
     */
    static MetricsServer launch(InetSocketAddress address, Supplier<String> page, Supplier<String> openMetrics)
            throws IOException {
        HttpServer server = HttpServer.create(address, BACKLOG);
        ExecutorService threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "lockstep-metrics");
            thread.setDaemon(true);
            return thread;
        });
        MetricsServer metrics = new MetricsServer(server, threads, page, openMetrics);
        server.createContext("/", metrics::answer);
        server.setExecutor(threads);
        server.start();
        return metrics;
    }

    private static void setDefault(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try {
            URI uri = exchange.getRequestURI();
            String method = exchange.getRequestMethod();
            String host = exchange.getRequestHeaders().getFirst("Host");
            if (host != null && !LoopbackHost.mayAsk(address(), host)) {
                send(exchange, 403, TEXT, LoopbackHost.EXPECTED + "\n");
            } else if (!PAGE.equals(uri.getPath())) {
                send(exchange, 404, TEXT, "metrics are at " + PAGE + "\n");
            } else if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, TEXT, "metrics can only be read\n");
            } else {
                boolean open = OpenMetrics.isWanted(exchange.getRequestHeaders().get("Accept"));
                exchange.getResponseHeaders().set("Vary", "Accept");
                send(exchange, 200, open ? OpenMetrics.TYPE : PROMETHEUS_TEXT, (open ? openMetrics : page).get());
            }
        } finally {
            exchange.close();
        }
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            // -1 stands for no body, and would take the length of a GET's with it.
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
