package dev.lockstep.exporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.registry.otlp.AggregationTemporality;
import io.micrometer.registry.otlp.OtlpMetricsSender;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a collector gets that takes OTLP over HTTP. */
final class OtlpExporterTest {
    private static final String SECRET = "s3cret";

    private final Queue<ExportMetricsServiceRequest> taken = new ConcurrentLinkedQueue<>();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final List<String> warnings = new ArrayList<>();
    private HttpServer collector;
    private int status = 200;
    /** Of the first answers. */
    private final Queue<Integer> firstStatuses = new ConcurrentLinkedQueue<>();

    private String retryAfter = "0";

    @BeforeEach
    void startCollector() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/", this::take);
        collector.start();
    }

    @AfterEach
    void stopCollector() {
        collector.stop(0);
    }

    private void take(HttpExchange exchange) throws IOException {
        asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                + exchange.getRequestHeaders().getFirst("Api-Key"));
        taken.add(
                ExportMetricsServiceRequest.parseFrom(exchange.getRequestBody().readAllBytes()));
        exchange.getResponseHeaders().set("Location", "http://127.0.0.1:1/");
        exchange.getResponseHeaders().set("Retry-After", retryAfter);
        Integer first = firstStatuses.poll();
        exchange.sendResponseHeaders(first == null ? status : first, -1);
        exchange.close();
    }

    private URI address() {
        return URI.create("http://127.0.0.1:" + collector.getAddress().getPort());
    }

    private OtlpExporter launch(URI address, String headers) {
        return OtlpExporter.launch(address, headers, TestingIntervals.plan(), "0.1.0", warnings::add);
    }

    /**
     * Returns the last value of each metric that was taken, by its name and the attributes that tell it from others.
     */
    private Map<String, Double> values() {
        Map<String, Double> values = new TreeMap<>();
        taken.stream()
                .flatMap(request -> request.getResourceMetricsList().stream())
                .flatMap(resource -> resource.getScopeMetricsList().stream())
                .flatMap(scope -> scope.getMetricsList().stream())
                .forEach(metric -> points(metric)
                        .forEach(point -> values.put(
                                metric.getName()
                                        + point.getAttributesList().stream()
                                                .map(OtlpExporterTest::text)
                                                .sorted()
                                                .collect(Collectors.joining(",", "{", "}")),
                                point.getAsDouble())));
        return values;
    }

    private static List<NumberDataPoint> points(Metric metric) {
        return metric.hasSum()
                ? metric.getSum().getDataPointsList()
                : metric.getGauge().getDataPointsList();
    }

    private static String text(KeyValue attribute) {
        return attribute.getKey() + "=" + attribute.getValue().getStringValue();
    }

    @Test
    void sendsWhatWasMeasuredWhenTheRunEnds() {
        try (OtlpExporter exporter = launch(address(), "api-key=" + SECRET + "%3D")) {
            exporter.interval("c2", TestingIntervals.full(0));
            exporter.interval("c2", TestingIntervals.full(1));
            exporter.ready("c2", "127.0.0.1:4711");
            exporter.trends(TestingIntervals.trends());
        }

        Map<String, Double> values = values();
        assertEquals(8, values.get("lockstep.target.requests{target=c2}"), values.toString());
        assertEquals(2, values.get("lockstep.target.cpu{mode=user,target=c2}"), values.toString());
        assertEquals(
                0.002,
                values.get("lockstep.target.response.time.quantile{quantile=0.5,target=c2}"),
                1e-5,
                values.toString());
        assertEquals(0.04, values.get("lockstep.target.response.time.quantile{quantile=0.99,target=c2}"), 1e-3);
        assertEquals(1, values.get("lockstep.target.info{address=127.0.0.1:4711,profile=c2,target=c2}"));
        assertEquals(1000, values.get("lockstep.target.memory.trend{bound=estimate,kind=rss,target=c2}"));
        assertEquals("POST /v1/metrics " + SECRET + "=", asked.peek());
        List<String> resource = taken.element().getResourceMetrics(0).getResource().getAttributesList().stream()
                .map(OtlpExporterTest::text)
                .collect(Collectors.toList());
        assertTrue(resource.contains("service.name=lockstep"), resource.toString());
        assertEquals(List.of(), warnings);
    }

    @Test
    void sendsNoLevelOfATargetThatIsMeasuredNoMore() {
        AtomicLong nowNs = new AtomicLong();
        try (OtlpExporter exporter =
                OtlpExporter.launch(address(), null, TestingIntervals.plan(), "0.1.0", warnings::add, nowNs::get)) {
            exporter.interval("c2", TestingIntervals.full(0));
            nowNs.addAndGet(60_000_000_001L);
        }

        Map<String, Double> values = values();
        assertEquals(4, values.get("lockstep.target.requests{target=c2}"), values.toString());
        assertFalse(values.containsKey("lockstep.target.memory{kind=rss,target=c2}"), values.toString());
    }

    @Test
    void looksWhoIsMeasuredNoMoreEachTimeThatItSent() {
        List<String> looks = new ArrayList<>();
        OtlpSender sender = new OtlpSender(address().resolve("/v1/metrics"), Map.of(), false, warnings::add);
        sender.afterwards(() -> looks.add("after " + taken.size()));

        sender.send(OtlpMetricsSender.Request.builder(new byte[0]).build());
        sender.send(OtlpMetricsSender.Request.builder(new byte[0]).build());

        assertEquals(List.of("after 1", "after 2"), looks);
    }

    @Test
    void keepsThePathOfAnAddress() {
        launch(address().resolve("/otlp/metrics"), null).close();

        assertEquals("POST /otlp/metrics null", asked.peek());
    }

    @Test
    void warnsOnceWhereACollectorRefusesAndShowsNoSecret() {
        status = 401;
        try (OtlpExporter exporter = launch(address(), "api-key=" + SECRET)) {
            exporter.interval("c2", TestingIntervals.full(0));
        }

        assertEquals(
                List.of("--otlp: " + address()
                        + "/v1/metrics: expected a collector that takes metrics, found the status"
                        + " 401; the run goes on, and tries again without saying so"),
                warnings);
    }

    @Test
    void triesOnceMoreWhereOpenTelemetryWantsIt() {
        OtlpSender sender = new OtlpSender(address(), Map.of(), false, warnings::add);
        OtlpMetricsSender.Request metrics =
                OtlpMetricsSender.Request.builder(new byte[0]).build();
        List<Integer> retryable = List.of(429, 502, 503, 504);
        firstStatuses.add(503);
        sender.send(metrics);
        assertEquals(1, taken.size(), "the next figures hold what these did");
        taken.clear();
        warnings.clear();

        sender.ends();
        for (int refused : retryable) {
            firstStatuses.add(refused);
            sender.send(metrics);
        }
        assertEquals(2 * retryable.size(), taken.size());
        assertEquals(List.of(), warnings);

        for (int refused : List.of(400, 401, 500)) {
            taken.clear();
            firstStatuses.add(refused);
            sender.send(metrics);
            assertEquals(1, taken.size(), "at " + refused);
        }
        for (String later : List.of("3600", "Fri, 27 Nov 2026 10:00:00 GMT")) {
            taken.clear();
            retryAfter = later;
            firstStatuses.add(503);
            sender.send(metrics);
            assertEquals(1, taken.size(), later);
        }
    }

    /** What was counted in ten seconds was lost for good. */
    @Test
    void triesEachOnceMoreWhereNoLaterFiguresHoldIt() {
        OtlpSender sender = new OtlpSender(address(), Map.of(), true, warnings::add);
        firstStatuses.add(503);

        sender.send(OtlpMetricsSender.Request.builder(new byte[0]).build());

        assertEquals(2, taken.size());
        assertEquals(List.of(), warnings);
    }

    @Test
    void warnsWhereTheSecondTryFailsToo() {
        status = 503;
        launch(address(), null).close();

        assertEquals(2, taken.size());
        assertEquals(1, warnings.size(), warnings.toString());
        assertTrue(warnings.get(0).contains("found the status 503"), warnings.get(0));
    }

    @Test
    void takesItsHeadersNowhereElse() {
        status = 307;
        launch(address(), "api-key=" + SECRET).close();

        assertEquals(1, warnings.size(), warnings.toString());
        assertTrue(warnings.get(0).contains("found the status 307"), warnings.get(0));
    }

    @Test
    void warnsWhereNobodyListens() {
        collector.stop(0);

        launch(address(), null).close();

        assertTrue(warnings.get(0).contains("found nobody who listens there"), warnings.toString());
    }

    @Test
    void waitsForNoBodyOfAnAnswerAndClosesItsConnection() throws Exception {
        try (ServerSocket stalled = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Integer> next = CompletableFuture.supplyAsync(() -> answerWithoutItsBody(stalled));
            OtlpSender sender = new OtlpSender(
                    URI.create("http://127.0.0.1:" + stalled.getLocalPort() + "/"), Map.of(), false, warnings::add);

            assertTimeoutPreemptively(
                    Duration.ofSeconds(30),
                    () -> sender.send(
                            OtlpMetricsSender.Request.builder(new byte[0]).build()));

            assertEquals(-1, next.get(60, TimeUnit.SECONDS));
            assertEquals(List.of(), warnings);
        }
    }

    /** Answers a request with the head of an answer; returns what comes next, -1 where the connection is closed. */
    private static int answerWithoutItsBody(ServerSocket server) {
        try (Socket socket = server.accept()) {
            socket.setSoTimeout(40_000);
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            String line = in.readLine();
            while (line != null && !line.isEmpty()) {
                line = in.readLine();
            }
            socket.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return in.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void takesEachPreferenceThatOpenTelemetryKnows() {
        assertEquals(AggregationTemporality.DELTA, OtlpExporter.temporality("Delta"));
        for (String preference : Arrays.asList("cumulative", "lowmemory", "", "none of these", null)) {
            assertEquals(AggregationTemporality.CUMULATIVE, OtlpExporter.temporality(preference), preference);
        }
    }

    @Test
    void refusesHeadersThatAreNoneWithoutShowingThem() {
        for (String headers :
                List.of(SECRET, "api-key:" + SECRET, "k=%zz" + SECRET, "k=a%0d%0aX: " + SECRET, "k\ne=1")) {
            ExporterException refused = assertThrows(ExporterException.class, () -> launch(address(), headers));
            assertEquals(
                    "OTEL_EXPORTER_OTLP_HEADERS: expected name=value,name=value with values percent-encoded, found"
                            + " something else as entry 1",
                    refused.getMessage());
        }
        ExporterException restricted = assertThrows(ExporterException.class, () -> launch(address(), "Host=" + SECRET));
        assertFalse(restricted.getMessage().contains(SECRET), restricted.getMessage());
        assertEquals(Map.of("a", "b=c", "d", "e+f g"), OtlpHeaders.parse(" a = b=c , d=e+f%20g"));
        assertEquals(Map.of(), OtlpHeaders.parse(" "));
    }

    @Test
    void decodesTheResourceAttributesOfTheEnvironment() {
        Map<String, String> found = Map.of("team", "a%20b+c", "odd", "50%", "service.name", "shop%20ci");

        assertEquals(
                Map.of("team", "a b+c", "odd", "50%", "service.name", "shop ci", "service.version", "0.1.0"),
                OtlpExporter.resource(found, null, "0.1.0"));
        assertEquals(
                "shop%20ci",
                OtlpExporter.resource(found, "shop%20ci", "0.1.0").get("service.name"),
                "a variable of its own, as it stands");
        assertEquals("lockstep", OtlpExporter.resource(Map.of(), null, "0.1.0").get("service.name"));
    }
}
