package dev.lockstep.monitor.metrics;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPInputStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/** Asks over HTTP. It follows no redirect and uses no proxy, since headers may be secret. */
final class HttpEndpoint extends MetricsEndpoint {
    private static final int LARGEST_BYTES = 16 << 20;
    private static final String TOO_LARGE = "expected at most " + (LARGEST_BYTES >> 20) + " MiB of metrics, found more";
    /** Whoever stands between may have forgotten a connection after that time, and told nobody. */
    private static final long FORGOTTEN_NS = 30_000_000_000L;

    private final MetricsSource source;
    private final Duration patience;
    private final SSLContext tls;
    private HttpClient client;
    private long answeredNs = System.nanoTime();

    /** @param tls whom to trust where the URL says https; null for those that the Java runtime trusts */
    HttpEndpoint(MetricsSource source, Duration patience, SSLContext tls) {
        super(source);
        this.source = source;
        this.patience = patience;
        this.tls = tls;
        client = client();
    }

    private HttpClient client() {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY);
        return (tls == null ? builder : builder.sslContext(tls)).build();
    }

    @Override
    MetricsReading ask() throws MetricsException, InterruptedException {
        boolean mayBeForgotten = System.nanoTime() - answeredNs > FORGOTTEN_NS;
        String answer;
        try {
            answer = answer(client);
        } catch (MetricsException e) {
            if (!mayBeForgotten) {
                throw e;
            }
            client = client();
            answer = answer(client);
        }
        answeredNs = System.nanoTime();
        return MetricsReading.parse(source.format(), answer);
    }

    @Override
    Optional<MetricsReading> askAnew() throws MetricsException, InterruptedException {
        return Optional.of(MetricsReading.parse(source.format(), answer(client())));
    }

    private String answer(HttpClient client) throws MetricsException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(source.url());
        try {
            source.headers().forEach(request::setHeader);
        } catch (IllegalArgumentException e) {
            // The message of the JDK has the value.
            throw new MetricsException("expected headers that HTTP allows, found another name or value among "
                    + source.headers().keySet());
        }
        if (source.format() == MetricsSource.Format.JOLOKIA) {
            request.header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(JolokiaCosts.request()));
        } else {
            request.header("Accept", "text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0;q=0.5");
        }
        CompletableFuture<HttpResponse<byte[]>> asked = client.sendAsync(request.build(), response -> new Limited());
        try {
            HttpResponse<byte[]> answer = asked.get(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (answer.statusCode() != 200) {
                throw new MetricsException("expected status 200, found " + answer.statusCode() + hint(answer));
            }
            return new String(isGzip(answer) ? unzipped(answer.body()) : answer.body(), StandardCharsets.UTF_8);
        } catch (TimeoutException e) {
            throw late(patience);
        } catch (ExecutionException e) {
            throw new MetricsException(reason(e.getCause()));
        } finally {
            // Late, or nobody waits for it any more.
            asked.cancel(true);
        }
    }

    /** Whether it is compressed, as some servers and proxies do though nobody asked for it. */
    private static boolean isGzip(HttpResponse<byte[]> answer) {
        String encoding = answer.headers().firstValue("Content-Encoding").orElse("");
        return encoding.equalsIgnoreCase("gzip") || encoding.equalsIgnoreCase("x-gzip");
    }

    private static byte[] unzipped(byte[] body) throws MetricsException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            byte[] metrics = in.readNBytes(LARGEST_BYTES + 1);
            if (metrics.length > LARGEST_BYTES) {
                throw new MetricsException(TOO_LARGE);
            }
            return metrics;
        } catch (IOException e) {
            throw new MetricsException("expected gzip, which its Content-Encoding says, found other bytes");
        }
    }

    private static String hint(HttpResponse<byte[]> answer) {
        int status = answer.statusCode();
        return status == 401 || status == 403
                ? ", which asks for a header such as Authorization"
                : status / 100 == 3 ? ", a redirect, which is not followed" : "";
    }

    private static String reason(Throwable cause) {
        if (cause instanceof ConnectException) {
            return NOTHING_THERE;
        }
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return (cause instanceof SSLException ? "TLS: " : "") + PrometheusText.shown(message);
    }

    /** Takes an answer, but no endless one. */
    private static final class Limited implements BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> body = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private Flow.Subscription subscription;

        @Override
        public CompletionStage<byte[]> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription from) {
            subscription = from;
            from.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                if (bytes.size() + buffer.remaining() > LARGEST_BYTES) {
                    subscription.cancel();
                    body.completeExceptionally(new IOException(TOO_LARGE));
                    return;
                }
                byte[] part = new byte[buffer.remaining()];
                buffer.get(part);
                bytes.write(part, 0, part.length);
            }
        }

        @Override
        public void onError(Throwable failure) {
            body.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            body.complete(bytes.toByteArray());
        }
    }
}
