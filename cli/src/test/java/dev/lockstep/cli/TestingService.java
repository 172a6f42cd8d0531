package dev.lockstep.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server that answers every request with its path, and remembers it. */
public final class TestingService implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<String> paths = new ConcurrentLinkedQueue<>();
    private final HttpServer server;

    public TestingService() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        paths.add(path);
        byte[] body = path.getBytes(StandardCharsets.US_ASCII);
        exchange.getResponseBody();
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** Returns {@code HOST:PORT}. */
    public String address() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns how often a path was asked for. */
    public long requests(String path) {
        return paths.stream().filter(path::equals).count();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
