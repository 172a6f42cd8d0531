package dev.lockstep.monitor.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Endpoints that answer, and those that do not as they should. */
class MetricsEndpointTest {
    private static final String SECRET = "abc-secret";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final CountDownLatch done = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.start();
    }

    @AfterEach
    void stop() {
        done.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private interface Answer {
        void to(HttpExchange exchange) throws IOException, InterruptedException;
    }

    private void at(String path, Answer answer) {
        server.createContext(path, exchange -> {
            try {
                answer.to(exchange);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private MetricsSource source(String path) {
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + path + "?token=" + SECRET;
        return MetricsSource.of(url, null, Map.of("Authorization", "Bearer " + SECRET));
    }

    private String refusal(String path, Duration patience) {
        String message = assertThrows(MetricsException.class, () -> MetricsEndpoint.of(source(path), patience, null)
                        .read())
                .getMessage();
        assertTrue(message.startsWith("its metrics at http://127.0.0.1:"), message);
        assertFalse(message.contains(SECRET) || message.contains("\n"), message);
        return message;
    }

    @Test
    void asksWithTheHeadersAndOfJolokiaInOneRequest() throws Exception {
        AtomicReference<String> asked = new AtomicReference<>();
        at("/metrics", exchange -> {
            asked.set(exchange.getRequestHeaders().getFirst("Authorization"));
            send(exchange, 200, "process_cpu_seconds_total 2\n");
        });
        assertEquals(
                2_000_000_000,
                MetricsEndpoint.of(source("/metrics"), PATIENCE, null).read().cpuNs());
        assertEquals("Bearer " + SECRET, asked.get());
        at("/jolokia", exchange -> {
            asked.set(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            send(exchange, 200, "[{\"status\":200,\"value\":70}]");
        });
        assertEquals(
                70,
                MetricsEndpoint.of(source("/jolokia"), PATIENCE, null).read().cpuNs());
        assertTrue(asked.get().contains("\"java.lang:type=GarbageCollector,name=*\""), asked.get());
    }

    @Test
    void readsWhatIsGzippedThoughNobodyAskedForIt() throws Exception {
        at("/metrics", exchange -> sendGzip(exchange, gzip("process_cpu_seconds_total 2\n", 1)));
        at("/huge", exchange -> sendGzip(exchange, gzip("# a comment\n", 2_000_000)));
        at("/plain", exchange -> sendGzip(exchange, new byte[20]));

        assertEquals(
                2_000_000_000,
                MetricsEndpoint.of(source("/metrics"), PATIENCE, null).read().cpuNs());
        assertTrue(refusal("/huge", PATIENCE).contains("at most 16 MiB"));
        assertTrue(refusal("/plain", PATIENCE).contains("expected gzip, which its Content-Encoding says, found other"));
    }

    private static void sendGzip(HttpExchange exchange, byte[] body) throws IOException {
        exchange.getResponseHeaders().add("Content-Encoding", "gzip");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    }

    private static byte[] gzip(String line, int times) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(line.repeat(times).getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    @Test
    void saysWhatIsWrongWithoutSecrets() throws Exception {
        at("/401", exchange -> send(exchange, 401, SECRET));
        at("/302", exchange -> {
            exchange.getResponseHeaders().add("Location", "/metrics");
            exchange.sendResponseHeaders(302, -1);
        });
        at("/never", exchange -> done.await());
        at("/drip", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            OutputStream body = exchange.getResponseBody();
            body.write("process_cpu_seconds_total ".getBytes(StandardCharsets.UTF_8));
            body.flush();
            done.await();
        });
        at("/huge", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] comment = "# a comment\n".repeat(10_000).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 200; i++) {
                exchange.getResponseBody().write(comment);
            }
        });
        assertTrue(refusal("/401", PATIENCE).contains("found 401, which asks for a header"));
        assertTrue(refusal("/302", PATIENCE).contains("found 302, a redirect, which is not followed"));
        assertTrue(refusal("/never", Duration.ofMillis(50)).contains("no whole answer within 0.05 s"));
        assertTrue(refusal("/drip", Duration.ofMillis(50)).contains("no whole answer within 0.05 s"));
        assertTrue(refusal("/huge", PATIENCE).contains("at most 16 MiB"));
        int closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = socket.getLocalPort();
        }
        MetricsSource dead = MetricsSource.of("http://127.0.0.1:" + closed + "/metrics", null, Map.of());
        String message = assertThrows(MetricsException.class, () -> MetricsEndpoint.of(dead, PATIENCE, null)
                        .read())
                .getMessage();
        assertTrue(message.contains("nothing answers there"), message);
    }

    @Test
    void refusesUrlsThatWouldGiveSecretsAway() {
        Map<String, String> headers = Map.of("Authorization", SECRET);
        for (String url : new String[] {
            "http://192.0.2.1/metrics",
            "https://me:" + SECRET + "@192.0.2.1/",
            "https://me:a/" + SECRET + "@192.0.2.1/",
            "https://me:" + SECRET + "?@192.0.2.1/",
            "me:" + SECRET + "@192.0.2.1/metrics",
            "ftp://192.0.2.1/?user=me@home&token=" + SECRET,
            "ftp://192.0.2.1/",
            "/metrics",
            "http:// /"
        }) {
            String message = assertThrows(
                            IllegalArgumentException.class, () -> MetricsSource.of(url, null, headers), url)
                    .getMessage();
            assertTrue(message.startsWith("expected ") && !message.contains(SECRET), message);
        }
        assertEquals(
                "https://192.0.2.1/metrics?...",
                MetricsSource.of("https://192.0.2.1/metrics?token=" + SECRET, null, headers)
                        .toString());
        MetricsSource plain = MetricsSource.of("http://192.0.2.1/jolokia", null, Map.of());
        assertEquals(MetricsSource.Format.JOLOKIA, plain.format());
    }

    @Test
    void readsAnewOverAConnectionOfItsOwnAndGoesOnOverTheFirst() throws Exception {
        List<Integer> ports = new CopyOnWriteArrayList<>();
        at("/metrics", exchange -> {
            ports.add(exchange.getRemoteAddress().getPort());
            send(exchange, 200, "process_cpu_seconds_total 3\n");
        });
        MetricsEndpoint endpoint = MetricsEndpoint.of(source("/metrics"), PATIENCE, null);

        endpoint.read();
        endpoint.readAnew();
        endpoint.read();

        assertNotEquals(ports.get(0), ports.get(1));
        assertEquals(ports.get(0), ports.get(2));
    }
}
