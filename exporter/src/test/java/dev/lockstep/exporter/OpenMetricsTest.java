package dev.lockstep.exporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OpenMetricsTest {
    /** As Prometheus 3 asks. */
    private static final String PROMETHEUS = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
            + "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
            + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2";

    @Test
    void isForThoseWhoWantIt() {
        assertTrue(OpenMetrics.isWanted(List.of(PROMETHEUS)));
        assertTrue(OpenMetrics.isWanted(List.of("text/plain;q=0.5", "Application/OpenMetrics-Text; q = 0.5")));
        assertFalse(OpenMetrics.isWanted(null));
        assertFalse(OpenMetrics.isWanted(List.of("text/html,application/xhtml+xml,*/*;q=0.8")));
        assertFalse(OpenMetrics.isWanted(List.of("application/openmetrics-text;q=0")));
        assertFalse(OpenMetrics.isWanted(List.of("text/plain, application/openmetrics-text;q=0.9")));
    }

    @Test
    void saysTheSameAsPrometheussFormatWithUnitsAndAnEnd() throws Exception {
        try (MetricsExporter exporter = MetricsExporter.launch(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TestingIntervals.plan(), "0.1.0")) {
            exporter.interval("c2", TestingIntervals.full(0));
            exporter.trends(TestingIntervals.trends());

            HttpResponse<String> plain = page(exporter, "text/plain");
            HttpResponse<String> open = page(exporter, PROMETHEUS);

            assertTrue(plain.headers().firstValue("Content-Type").get().startsWith("text/plain; version=0.0.4"));
            assertEquals(
                    OpenMetrics.TYPE, open.headers().firstValue("Content-Type").get());
            assertEquals("Accept", open.headers().firstValue("Vary").get());
            String text = open.body();
            assertTrue(text.endsWith("\n# EOF\n"), text);
            assertEquals(text.indexOf("# EOF"), text.lastIndexOf("# EOF"));
            assertTrue(
                    text.contains("# TYPE lockstep_target_cpu_seconds counter\n"
                            + "# UNIT lockstep_target_cpu_seconds seconds\n"),
                    text);
            assertTrue(text.contains("# UNIT lockstep_target_memory_bytes bytes\n"), text);
            assertFalse(text.contains("# UNIT lockstep_target_requests"), text);
            assertEquals(
                    samples(plain.body()), samples(text), "every sample, whatever the types of its metric are called");
        }
    }

    private static HttpResponse<String> page(MetricsExporter exporter, String accept) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(
                                        "http://127.0.0.1:" + exporter.address().getPort() + "/metrics"))
                                .header("Accept", accept)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static long samples(String page) {
        return page.lines().filter(line -> !line.startsWith("#")).count();
    }
}
