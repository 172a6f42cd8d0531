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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Posts metrics to a collector, once more where that may help, and warns of the first failure alone. Follows no
 * redirection, which would hand the headers to somebody else. Used by one thread at a time.
 */
final class OtlpSender implements OtlpMetricsSender {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
    /** Of the second try: the end of a run must not wait for long. */
    private static final Duration SECOND_ANSWER_TIMEOUT = Duration.ofSeconds(2);

    private static final int SUCCESSES = 2;
    /** Behind which OpenTelemetry has clients try again. */
    private static final Set<Integer> RETRYABLE = Set.of(429, 502, 503, 504);

    private static final int BACKOFF_SECONDS = 1;
    private static final int LONGEST_BACKOFF_SECONDS = 2;
    private static final int NO_RETRY = -1;

    /** What was found in place of a collector that takes metrics. */
    private static final class Problem {
        final String found;
        /** In how many seconds it may be tried again, or {@link #NO_RETRY}. */
        final int retryInSeconds;

        Problem(String found, int retryInSeconds) {
            this.found = found;
            this.retryInSeconds = retryInSeconds;
        }
    }

    private final URI address;
    private final HttpRequest.Builder request;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
    private final Consumer<String> warning;
    private boolean warned;

    /** Whether what is sent is in no later figures, as the last one and all deltas: only then it is tried again. */
    private boolean alone;

    private volatile Runnable afterwards = () -> {};

    /**
     * @param deltas whether figures are only of the time since those before them
     * @throws ExporterException where a header cannot be set
     */
    OtlpSender(URI address, Map<String, String> headers, boolean deltas, Consumer<String> warning) {
        this.address = address;
        this.alone = deltas;
        this.warning = warning;
        request = HttpRequest.newBuilder(address).header("Content-Type", "application/x-protobuf");
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

    /** Says that no metrics come behind those that are sent from now on; waits for what is being sent. */
    synchronized void ends() {
        alone = true;
    }

    @Override
    public void send(Request metrics) {
        post(metrics);
        afterwards.run();
    }

    private synchronized void post(Request metrics) {
        try {
            Optional<Problem> problem = post(metrics.getMetricsData(), ANSWER_TIMEOUT);
            if (alone && problem.isPresent() && problem.get().retryInSeconds != NO_RETRY) {
                TimeUnit.SECONDS.sleep(problem.get().retryInSeconds);
                problem = post(metrics.getMetricsData(), SECOND_ANSWER_TIMEOUT);
            }
            problem.ifPresent(found -> warn(found.found));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<Problem> post(byte[] metrics, Duration timeout) throws InterruptedException {
        HttpRequest post = request.copy()
                .timeout(timeout)
                .POST(HttpRequest.BodyPublishers.ofByteArray(metrics))
                .build();
        try {
            HttpResponse<InputStream> answer = client.send(post, HttpResponse.BodyHandlers.ofInputStream());
            // The time-out ends with the answer's head: a body that never comes would be waited for for ever.
            answer.body().close();
            if (answer.statusCode() / 100 == SUCCESSES) {
                return Optional.empty();
            }
            return Optional.of(new Problem(
                    "the status " + answer.statusCode(),
                    RETRYABLE.contains(answer.statusCode())
                            ? backoff(answer.headers().firstValue("Retry-After"))
                            : NO_RETRY));
        } catch (IOException e) {
            return Optional.of(new Problem(reason(e), e instanceof HttpTimeoutException ? NO_RETRY : BACKOFF_SECONDS));
        }
    }

    /** Where a collector wants more time than there is, it gets newer metrics at the next time. */
    private static int backoff(Optional<String> retryAfter) {
        try {
            int seconds = retryAfter.map(Integer::parseInt).orElse(BACKOFF_SECONDS);
            return seconds >= 0 && seconds <= LONGEST_BACKOFF_SECONDS ? seconds : NO_RETRY;
        } catch (NumberFormatException e) {
            return NO_RETRY;
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
