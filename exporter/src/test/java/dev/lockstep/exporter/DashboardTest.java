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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The example dashboard, and the page of metrics, against what the exporter publishes. That Grafana's schema takes it
 * is checked by {@code docs/grafana/check.py}, which needs the schema at hand.
 */
final class DashboardTest {
    private static final Path DOCS = Path.of("..", "docs");
    /** A name that goes on in capitals stands for several metrics. */
    private static final Pattern METRIC = Pattern.compile("lockstep_[a-z0-9_]++(?![A-Z])");

    /** Begins the metrics of costs without a place of their own. */
    private static final String OTHER_COSTS = "lockstep_target_cost_";

    private static final String ERRORS = "lockstep_target_errors_total";
    /** Labels whose values are words of the exporter. */
    private static final Set<String> WORDS = Set.of("mode", "kind", "bound", "quantity");

    private final JsonNode dashboard;

    DashboardTest() throws IOException {
        dashboard = new ObjectMapper()
                .readTree(DOCS.resolve("grafana/lockstep.json").toFile());
    }

    @Test
    void showsEveryMetricAndNoOther() throws Exception {
        Set<String> shown = named(queries());
        Set<String> published = new TreeSet<>(published().keySet());
        published.removeIf(metric -> metric.startsWith(OTHER_COSTS) && !shown.contains(metric));

        assertEquals(published, shown);
    }

    /** docs/metrics.md is made from a page of the exporter. {@code -Ddocs.write} writes it anew. */
    @Test
    void metricsAreDescribedAsTheExporterPublishesThem() throws Exception {
        StringBuilder page =
                new StringBuilder("# Metrics\n\nMade by `DashboardTest` from what the exporter publishes. How"
                        + " to use them: [monitoring.md](monitoring.md).\n\n| Metric | Type | Labels beside `target` | What it"
                        + " says |\n|---|---|---|---|\n");
        for (Exposition.Family metric : published().values()) {
            page.append("| `")
                    .append(metric.name)
                    .append("` | ")
                    .append(metric.type)
                    .append(" | ");
            page.append(labels(metric)).append(" | ").append(metric.help).append(" |\n");
        }
        Path file = DOCS.resolve("metrics.md");
        if (System.getProperty("docs.write") != null) {
            Files.writeString(file, page);
        }

        assertEquals(
                page.toString(),
                Files.readString(file),
                file + " is old; write it anew: mvn -o -q -pl exporter -am -Dtest=DashboardTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write test");
    }

    /** Names the labels of a metric, with their values where these are words of the exporter. */
    private static String labels(Exposition.Family metric) {
        Map<String, Set<String>> values = new TreeMap<>();
        for (Map<String, String> labels : metric.labels) {
            labels.forEach((label, value) ->
                    values.computeIfAbsent(label, name -> new TreeSet<>()).add(value));
        }
        values.remove("target");
        return values.entrySet().stream()
                .map(label -> "`" + label.getKey() + "`"
                        + (WORDS.contains(label.getKey()) && !metric.name.equals(ERRORS)
                                ? " (`" + String.join("`, `", label.getValue()) + "`)"
                                : ""))
                .collect(Collectors.joining(", "));
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

    /** Returns the metrics of a run that has everything, by their names. */
    private static Map<String, Exposition.Family> published() throws Exception {
        try (MetricsExporter exporter = MetricsExporter.launch(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TestingIntervals.plan(), "0.1.0")) {
            exporter.interval("c2", TestingIntervals.full(0));
            exporter.trends(TestingIntervals.trends());
            URI uri = URI.create("http://127.0.0.1:" + exporter.address().getPort() + "/metrics");
            HttpResponse<String> page = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
            return new TreeMap<>(new Exposition(page.body()).families());
        }
    }
}
