package dev.lockstep.exporter;

import io.micrometer.registry.otlp.OtlpMetricsSender;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Posts metrics to a collector, and warns of the first failure alone. Follows no redirection, which would hand the
 * headers to somebody else. Used by one thread at a time.
 */
final class OtlpSender implements OtlpMetricsSender {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
    private static final int SUCCESSES = 2;

    private final URI address;
    private final HttpRequest.Builder request;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
    private final Consumer<String> warning;
    private boolean warned;
    private volatile Runnable afterwards = () -> {};

    /** @throws ExporterException where a header cannot be set */
    OtlpSender(URI address, Map<String, String> headers, Consumer<String> warning) {
        this.address = address;
        this.warning = warning;
        request = HttpRequest.newBuilder(address)
                .timeout(ANSWER_TIMEOUT)
                .header("Content-Type", "application/x-protobuf");
        headers.forEach((name, value) -> {
            try {
                request.header(name, value);
            } catch (IllegalArgumentException e) {
                // Its message may hold the value.
                throw new ExporterException(
                        "OTEL_EXPORTER_OTLP_HEADERS: expected headers that a client may set, found " + name);
            }
        });
    }

    /** Has something run after each time that metrics were sent, on the thread that sent them. */
    void afterwards(Runnable task) {
        afterwards = task;
    }

    @Override
    public void send(Request metrics) {
        post(metrics);
        afterwards.run();
    }

    private synchronized void post(Request metrics) {
        try {
            HttpRequest post = request.copy()
                    .POST(HttpRequest.BodyPublishers.ofByteArray(metrics.getMetricsData()))
                    .build();
            HttpResponse<InputStream> answer = client.send(post, HttpResponse.BodyHandlers.ofInputStream());
            // The time-out ends with the answer's head: a body that never comes would be waited for for ever.
            answer.body().close();
            if (answer.statusCode() / 100 != SUCCESSES) {
                warn("the status " + answer.statusCode());
            }
        } catch (IOException e) {
            warn(reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String reason(IOException e) {
        return e instanceof ConnectException
                ? "nobody who listens there"
                : e instanceof HttpTimeoutException
                        ? "no answer in time"
                        : "a connection that broke (" + e.getClass().getSimpleName() + ")";
    }

    private void warn(String found) {
        if (!warned) {
            warned = true;
            warning.accept("--otlp: " + shown(address) + ": expected a collector that takes metrics, found " + found
                    + "; the run goes on, and tries again without saying so");
        }
    }

    /** Returns an address without what may be secret in it. */
    private static String shown(URI address) {
        return address.getScheme() + "://" + address.getRawAuthority() + address.getRawPath();
    }
}
