package dev.lockstep.exporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The example dashboard against what the exporter publishes. That Grafana's schema takes it is checked by {@code
 * docs/grafana/check.py}, which needs the schema at hand.
 */
final class DashboardTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern METRIC = Pattern.compile("lockstep_[a-z0-9_]+");

    private final JsonNode dashboard;

    DashboardTest() throws IOException {
        dashboard = new ObjectMapper()
                .readTree(DOCS.resolve("grafana/lockstep.json").toFile());
    }

    @Test
    void showsEveryMetricAndNoOther() throws Exception {
        assertEquals(published(), named(queries()));
    }

    @Test
    void isExplainedMetricByMetric() throws Exception {
        Set<String> explained = named(Files.readString(DOCS.resolve("monitoring.md")));

        assertEquals(published(), explained);
    }

    @Test
    void hasPanelsThatDoNotOverlapWithUnitsAndTheDataSourceOfTheVariable() {
        Set<Integer> ids = new HashSet<>();
        Set<String> cells = new HashSet<>();
        for (JsonNode panel : dashboard.path("panels")) {
            String title = panel.path("title").asText();
            assertTrue(ids.add(panel.path("id").asInt()), title);
            JsonNode place = panel.path("gridPos");
            assertTrue(place.path("x").asInt() + place.path("w").asInt() <= 24, title);
            for (int x = place.path("x").asInt();
                    x < place.path("x").asInt() + place.path("w").asInt();
                    x++) {
                for (int y = place.path("y").asInt();
                        y < place.path("y").asInt() + place.path("h").asInt();
                        y++) {
                    assertTrue(cells.add(x + "," + y), title + " overlaps");
                }
            }
            if (!panel.path("type").asText().equals("row")) {
                assertFalse(panel.path("description").asText().isEmpty(), title);
                assertFalse(
                        panel.path("fieldConfig")
                                .path("defaults")
                                .path("unit")
                                .asText()
                                .isEmpty(),
                        title);
                assertFalse(panel.path("targets").isEmpty(), title);
                for (JsonNode query : panel.path("targets")) {
                    assertEquals(
                            "${datasource}",
                            query.path("datasource").path("uid").asText(),
                            title);
                }
            }
        }
    }

    @Test
    void letsTheViewerChooseDataSourceAndTargets() {
        JsonNode variables = dashboard.path("templating").path("list");

        assertEquals("datasource", variables.path(0).path("type").asText());
        assertEquals("prometheus", variables.path(0).path("query").asText());
        assertEquals("target", variables.path(1).path("name").asText());
        assertTrue(variables.path(1).path("multi").asBoolean());
    }

    /** Returns the names of all queries' text, one after the other. */
    private String queries() {
        StringBuilder text = new StringBuilder();
        for (JsonNode panel : dashboard.path("panels")) {
            panel.path("targets")
                    .forEach(query -> text.append(query.path("expr").asText()).append('\n'));
        }
        dashboard
                .path("templating")
                .path("list")
                .forEach(variable -> text.append(variable.path("query").asText()));
        return text.toString();
    }

    /** Returns the metrics that a text names; a histogram's samples count as the histogram. */
    private static Set<String> named(String text) {
        Set<String> names = new TreeSet<>();
        Matcher metric = METRIC.matcher(text);
        while (metric.find()) {
            names.add(metric.group().replaceFirst("_(bucket|sum|count)$", ""));
        }
        return names;
    }

    private static Set<String> published() throws Exception {
        try (MetricsExporter exporter = MetricsExporter.launch(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TestingIntervals.plan(), "0.1.0")) {
            exporter.interval("c2", TestingIntervals.full(0));
            exporter.trends(TestingIntervals.trends());
            URI uri = URI.create("http://127.0.0.1:" + exporter.address().getPort() + "/metrics");
            HttpResponse<String> page = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
            return new TreeSet<>(new Exposition(page.body()).families().keySet());
        }
    }
}
