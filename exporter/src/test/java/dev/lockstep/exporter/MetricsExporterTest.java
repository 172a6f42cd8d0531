package dev.lockstep.exporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The metrics as a scraper gets them. */
final class MetricsExporterTest {
    private static final long MINUTE_NS = 60_000_000_000L;

    private final AtomicLong nowNs = new AtomicLong();
    private final MetricsExporter exporter = MetricsExporter.launch(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TestingIntervals.plan(), "0.1.0", nowNs::get);

    @AfterEach
    void close() {
        exporter.close();
    }

    private Exposition scraped() {
        return new Exposition(body(request("GET", "/metrics", "localhost")));
    }

    @Test
    void addsUpWhatIntervalsCount() {
        exporter.interval("c2", TestingIntervals.load(0));
        exporter.interval("c2", TestingIntervals.load(1));

        Exposition page = scraped();

        assertEquals(8, page.value("lockstep_target_requests_total{target=\"c2\"}"));
        assertEquals(6, page.value("lockstep_target_completed_requests_total{target=\"c2\"}"));
        assertEquals(4, page.value("lockstep_target_responses_total{status=\"2xx\",target=\"c2\"}"));
        assertEquals(2, page.value("lockstep_target_responses_total{status=\"5xx\",target=\"c2\"}"));
        assertEquals(2, page.value("lockstep_target_errors_total{kind=\"read-timeout\",target=\"c2\"}"));
        assertEquals(960, page.value("lockstep_target_sent_bytes_total{target=\"c2\"}"));
        assertEquals(3, page.value("lockstep_target_in_flight_requests{target=\"c2\"}"));
        assertEquals(0.04, page.value("lockstep_target_slowest_response_seconds{target=\"c2\"}"), 0.001);
        assertEquals(6, page.value("lockstep_target_response_time_seconds_count{target=\"c2\"}"));
        assertEquals(0.086, page.value("lockstep_target_response_time_seconds_sum{target=\"c2\"}"), 0.0001);
        assertEquals(0, page.value("lockstep_target_response_time_seconds_bucket{target=\"c2\",le=\"8.0E-4\"}"));
        assertEquals(2, page.value("lockstep_target_response_time_seconds_bucket{target=\"c2\",le=\"0.00125\"}"));
        assertEquals(4, page.value("lockstep_target_response_time_seconds_bucket{target=\"c2\",le=\"0.0315\"}"));
        assertEquals(6, page.value("lockstep_target_response_time_seconds_bucket{target=\"c2\",le=\"0.05\"}"));
        assertEquals(6, page.value("lockstep_target_response_time_seconds_bucket{target=\"c2\",le=\"+Inf\"}"));
    }

    @Test
    void publishesEveryCostInItsBaseUnit() {
        exporter.interval("c2", TestingIntervals.full(0));
        exporter.interval("c2", TestingIntervals.full(1));

        Exposition page = scraped();

        assertEquals(2, page.value("lockstep_target_cpu_seconds_total{mode=\"user\",target=\"c2\"}"));
        assertEquals(4, page.value("lockstep_target_cpu_seconds_total{mode=\"system\",target=\"c2\"}"));
        assertEquals(8, page.value("lockstep_target_thread_cpu_seconds_total{kind=\"jit\",target=\"c2\"}"));
        assertEquals(4, page.value("lockstep_target_gc_cycles_total{collector=\"G1 Young\",target=\"c2\"}"));
        assertEquals(1, page.value("lockstep_target_gc_pause_seconds_total{collector=\"G1 Old\",target=\"c2\"}"));
        assertNull(page.value("lockstep_target_gc_cycles_total{collector=\"all\",target=\"c2\"}"));
        assertEquals(
                2 * (Cost.ALLOCATED.ordinal() + 1), page.value("lockstep_target_allocated_bytes_total{target=\"c2\"}"));
        assertEquals(Cost.RSS.ordinal() + 1, page.value("lockstep_target_memory_bytes{kind=\"rss\",target=\"c2\"}"));
        assertEquals(
                Cost.OLD_GEN_USED.ordinal() + 1,
                page.value("lockstep_target_memory_bytes{kind=\"old_gen\",target=\"c2\"}"));
        for (Cost cost : Cost.values()) {
            TargetMetric.Place place = TargetMetric.Place.of(cost);
            if (place.value == null || !place.value.equals(TargetMetric.ALL_COLLECTORS)) {
                String name = place.metric.meterName.replace('.', '_')
                        + (place.metric.unit == null ? "" : "_" + place.metric.unit)
                        + (place.metric.counter ? "_total" : "");
                String labels = (place.label == null ? "" : place.label + "=\"" + place.value + "\",");
                assertNotNull(page.value(name + "{" + labels + "target=\"c2\"}"), cost.toString());
                assertEquals(
                        cost.kind() == Cost.Kind.TOTAL,
                        place.metric.counter,
                        cost + " is a total and " + name + " is not, or not");
            }
        }
    }

    @Test
    void dividesTheCpuOfAPhaseByItsRequests() {
        String metric = "lockstep_target_cpu_per_request_seconds{kind=\"%s\",target=\"c2\"}";
        Interval warm = TestingIntervals.full(0);
        warm.phase = Interval.Phase.WARM_UP;
        exporter.interval("c2", warm);
        exporter.interval("c2", TestingIntervals.load(1));
        exporter.interval("c2", TestingIntervals.full(2));
        exporter.interval("c2", TestingIntervals.full(3));

        Exposition page = scraped();

        assertEquals(8, page.value("lockstep_target_successful_requests_total{target=\"c2\"}"));
        assertNull(page.value(String.format(metric, "all")), "the costs of one second are not known");

        Interval second = TestingIntervals.full(4);
        second.launch = 2;
        exporter.interval("c2", second);
        exporter.interval("c2", second);
        page = scraped();
        for (Map.Entry<String, Cost> kind : Map.of(
                        "all",
                        Cost.GROUP_CPU,
                        "application",
                        Cost.APPLICATION_CPU,
                        "jit",
                        Cost.JIT_CPU,
                        "gc",
                        Cost.GC_CPU,
                        "user",
                        Cost.USER_CPU,
                        "system",
                        Cost.SYSTEM_CPU)
                .entrySet()) {
            assertEquals(
                    (kind.getValue().ordinal() + 1) / 2.0,
                    page.value(String.format(metric, kind.getKey())),
                    kind.getKey());
        }
    }

    @Test
    void derivesTheMetricOfACostWithoutAPlaceFromItsKeyAndKind() {
        assertEquals("lockstep.target.cost.peak.threads null gauge", other("peakThreads", Cost.Kind.PEAK, 1));
        assertEquals("lockstep.target.cost.threads null gauge", other("threads", Cost.Kind.LEVEL, 1));
        assertEquals("lockstep.target.cost.started.threads null counter", other("startedThreads", Cost.Kind.TOTAL, 1));
        assertEquals("lockstep.target.cost.io.wait seconds counter", other("ioWaitNs", Cost.Kind.TOTAL, 1e9));
        assertEquals("lockstep.target.cost.code.cache bytes gauge", other("codeCacheBytes", Cost.Kind.LEVEL, 1));
    }

    private static String other(String key, Cost.Kind kind, double divisor) {
        TargetMetric.Place place = TargetMetric.Place.other(key, kind);
        assertNull(place.label);
        assertEquals(divisor, place.divisor, key);
        return place.metric.meterName + " " + place.metric.unit + " " + (place.metric.counter ? "counter" : "gauge");
    }

    @Test
    void publishesNothingThatIsNotKnown() {
        exporter.interval("c2", TestingIntervals.load(0));
        Interval one = TestingIntervals.load(0);
        one.costs = Costs.builder().set(Cost.GC_CYCLES, 5).build();
        exporter.interval("other", one);

        Exposition page = scraped();

        assertNull(page.families().get("lockstep_target_cpu_seconds_total"));
        assertNull(page.families().get("lockstep_target_memory_bytes"));
        assertEquals(5, page.value("lockstep_target_gc_cycles_total{collector=\"all\",target=\"other\"}"));
        assertNull(page.value("lockstep_target_gc_cycles_total{collector=\"all\",target=\"c2\"}"));
    }

    @Test
    void keepsTheSlowestResponseThroughASecondWithoutAnswers() {
        exporter.interval("c2", TestingIntervals.load(0));
        Interval stalled = new Interval();
        stalled.startMs = TestingIntervals.START_MS + 1000;
        stalled.endMs = stalled.startMs + 1000;
        stalled.counts().sent = 4;
        exporter.interval("c2", stalled);

        String slowest = "lockstep_target_slowest_response_seconds{target=\"c2\"}";
        assertEquals(0.04, scraped().value(slowest), 0.001);

        nowNs.addAndGet(MINUTE_NS + 1);
        assertNull(scraped().value(slowest), "the target is not measured any more");
    }

    @Test
    void takesBackTheLevelsOfATargetThatIsMeasuredNoMore() {
        exporter.interval("c2", TestingIntervals.full(0));
        String rss = "lockstep_target_memory_bytes{kind=\"rss\",target=\"c2\"}";
        nowNs.addAndGet(MINUTE_NS);
        exporter.interval("other", TestingIntervals.full(60));
        assertNotNull(scraped().value(rss));

        nowNs.addAndGet(1);

        Exposition page = scraped();
        assertNull(page.value(rss));
        assertNotNull(page.value(rss.replace("c2", "other")));
        assertEquals(1, page.value("lockstep_target_cpu_seconds_total{mode=\"user\",target=\"c2\"}"));
        exporter.interval("c2", TestingIntervals.full(61));
        assertNotNull(scraped().value(rss));
    }

    /** As of the only target, which died, or of all while those of the next launch are started. */
    @Test
    void takesBackTheLevelsOfAllWhereNobodyIsMeasured() {
        exporter.interval("c2", TestingIntervals.full(0));
        exporter.interval("other", TestingIntervals.full(0));

        nowNs.addAndGet(MINUTE_NS + 1);

        Exposition page = scraped();
        for (String target : List.of("c2", "other")) {
            assertNull(page.value("lockstep_target_memory_bytes{kind=\"rss\",target=\"" + target + "\"}"));
            assertNull(page.value("lockstep_target_in_flight_requests{target=\"" + target + "\"}"));
        }
        assertNotNull(page.value("lockstep_target_memory_limit_bytes{target=\"c2\"}"), "it is of the plan");
    }

    @Test
    void saysWhatIsRunWithEveryCharacterOfIt() {
        Exposition page = scraped();

        Exposition.Family info = page.families().get("lockstep_run_info");
        assertEquals("gauge", info.type);
        assertEquals(List.of(1.0), new ArrayList<>(info.samples.values()));
        assertEquals("samples/a \\\"b\\\"\\\\c.bin", info.labels.get(0).get("capture"));
        assertEquals("recorded", info.labels.get(0).get("pace"));
        assertEquals(86_400, page.value("lockstep_run_planned_measurement_seconds"));
        assertEquals(128 << 20, page.value("lockstep_target_memory_limit_bytes{target=\"c2\"}"));
        assertTrue(page.value("lockstep_run_start_time_seconds") > 1e9);
    }

    @Test
    void describesAStartedTargetOnceItsAddressIsKnownAndAnewInEachLaunch() {
        String attached = "lockstep_target_info{address=\"127.0.0.1:8080\",profile=\"\",target=\"other\"}";
        assertEquals(Set.of(attached), infos());

        exporter.ready("c2", "127.0.0.1:4711");
        exporter.ready("other", "127.0.0.1:8080");
        String first = "lockstep_target_info{address=\"127.0.0.1:4711\",profile=\"c2\",target=\"c2\"}";
        assertEquals(Set.of(attached, first), infos());

        exporter.ready("c2", "127.0.0.1:4712");
        assertEquals(Set.of(attached, first.replace("4711", "4712")), infos());
    }

    private Set<String> infos() {
        return scraped().families().get("lockstep_target_info").samples.keySet();
    }

    @Test
    void publishesTheTrendsOfASoakRunASecond() {
        assertNull(scraped().families().get("lockstep_target_trend_found"));

        exporter.trends(TestingIntervals.trends());

        Exposition page = scraped();
        String memory = "lockstep_target_memory_trend_bytes_per_second";
        assertEquals(1000, page.value(memory + "{bound=\"estimate\",kind=\"rss\",target=\"c2\"}"));
        assertEquals(-500, page.value(memory + "{bound=\"low\",kind=\"rss\",target=\"c2\"}"));
        assertEquals(2000, page.value(memory + "{bound=\"high\",kind=\"rss\",target=\"c2\"}"));
        assertEquals(10_000, page.value(memory + "{bound=\"estimate\",kind=\"old_gen\",target=\"c2\"}"));
        assertEquals(
                0.002,
                page.value("lockstep_target_response_time_p99_trend_seconds_per_second"
                        + "{bound=\"estimate\",target=\"c2\"}"),
                1e-9);
        assertEquals(0, page.value("lockstep_target_trend_found{quantity=\"rss\",target=\"c2\"}"));
        assertEquals(1, page.value("lockstep_target_trend_found{quantity=\"old_gen\",target=\"c2\"}"));

        exporter.interval("c2", TestingIntervals.load(0));
        exporter.trends(TestingIntervals.trends().subList(1, 2));

        page = scraped();
        assertNull(page.value("lockstep_target_trend_found{quantity=\"rss\",target=\"c2\"}"));
        assertEquals(1, page.value("lockstep_target_trend_found{quantity=\"old_gen\",target=\"c2\"}"));
    }

    @Test
    void namesAndExplainsMetricsAsPromtoolDemands() {
        exporter.interval("c2", TestingIntervals.full(0));
        exporter.trends(TestingIntervals.trends());

        for (Exposition.Family family : scraped().families().values()) {
            assertEquals(List.of(), MetricRules.problems(family), family.name);
        }
    }

    @Test
    void answersNothingButReadingTheMetrics() {
        assertTrue(request("GET", "/metrics", "127.0.0.1:9464").startsWith("HTTP/1.1 200 "));
        assertTrue(request("GET", "/metrics?name=x", "[::1]:9464").startsWith("HTTP/1.1 200 "));
        assertTrue(request("GET", "/", "localhost").startsWith("HTTP/1.1 404 "));
        assertTrue(request("GET", "/metrics/x", "localhost").startsWith("HTTP/1.1 404 "));
        String refused = request("POST", "/metrics", "localhost");
        assertTrue(refused.startsWith("HTTP/1.1 405 ") && refused.contains("Allow: GET, HEAD"), refused);
        assertTrue(request("GET", "/metrics", "attacker.example").startsWith("HTTP/1.1 403 "));
        String head = request("HEAD", "/metrics", "localhost");
        assertTrue(head.startsWith("HTTP/1.1 200 ") && head.endsWith("\n\n"), head);
    }

    @Test
    void saysWhichAddressIsTaken() {
        ExporterException refused = assertThrows(
                ExporterException.class,
                () -> MetricsExporter.launch(exporter.address(), TestingIntervals.plan(), "0.1.0"));

        assertEquals(
                "--metrics: cannot listen on " + exporter.address().getHostString() + ":"
                        + exporter.address().getPort() + ": Address already in use; choose another port",
                refused.getMessage());
    }

    @Test
    void answersBesideClientsThatSendHalfARequest() throws IOException {
        List<Socket> halfOpen = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Socket socket = new Socket(
                        exporter.address().getAddress(), exporter.address().getPort());
                halfOpen.add(socket);
                socket.getOutputStream().write("GET /met".getBytes(StandardCharsets.US_ASCII));
            }

            assertTrue(request("GET", "/metrics", "localhost").startsWith("HTTP/1.1 200 "));
        } finally {
            for (Socket socket : halfOpen) {
                socket.close();
            }
        }
    }

    @Test
    @Tag("full")
    void closesTheConnectionOfAClientThatSendsHalfARequest() throws IOException {
        try (Socket socket =
                new Socket(exporter.address().getAddress(), exporter.address().getPort())) {
            socket.getOutputStream().write("GET /met".getBytes(StandardCharsets.US_ASCII));
            socket.setSoTimeout(60_000);

            assertEquals(-1, socket.getInputStream().read());
        }
    }

    private String request(String method, String path, String host) {
        try (Socket socket =
                new Socket(exporter.address().getAddress(), exporter.address().getPort())) {
            socket.getOutputStream()
                    .write((method + " " + path + " HTTP/1.1\r\nHost: " + host
                                    + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            BufferedReader reader =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            return reader.lines().collect(Collectors.joining("\n", "", "\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String body(String response) {
        assertTrue(response.startsWith("HTTP/1.1 200 "), response);
        assertTrue(response.toLowerCase(java.util.Locale.ROOT).contains("content-type: text/plain; version=0.0.4"));
        return response.substring(response.indexOf("\n\n") + 2);
    }
}
