package dev.lockstep.live;

import dev.lockstep.exporter.LoopbackHost;
import dev.lockstep.run.Addresses;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Serves a run's or a search's page, its events and, once it is over, its report, to whom {@link Admission} lets in.
 * All requests are answered by one thread, which waits for nothing. Closed by its owner, with all its threads.
 */
final class LiveServer implements AutoCloseable {
    /** How often pages are told what they lack. */
    private static final long TELL_EVERY_MS = 500;
    /** How long a connection may rest; a page is told at least that there is nothing to tell. */
    private static final int IDLE_SECONDS = 60;

    private static final long SIGN_OF_LIFE_EVERY_MS = 10_000;
    /** How long a page that let go of the events may take to ask for the report that they told of. */
    private static final long FOLLOWS_WITHIN_MS = 5_000;

    private static final int MOST_STREAMS = 16;
    private static final int MOST_WAITING_BYTES = 64 << 10;
    /** Among them the cookies of all servers of this machine and of earlier runs, which browsers tell each port. */
    private static final int MOST_HEADER_BYTES = 64 << 10;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final String HTML = "text/html; charset=utf-8";
    private static final String TEXT = "text/plain; charset=utf-8";

    /** Netty's, which prints a trace for a connection that comes while the server ends; kept, as loggers must be. */
    private static final Logger ACCEPTOR = Logger.getLogger("io.netty.bootstrap.ServerBootstrap");

    static {
        ACCEPTOR.setLevel(Level.OFF);
    }

    /** A page that hears the events. Used on the server's thread. */
    private final class Stream {
        final HttpServerResponse response;
        final LiveSource.Page page = shown.open();
        private long restedMs;

        Stream(HttpServerResponse response) {
            this.response = response;
        }

        /** Tells the page what it lacks; later, if it has not taken yet what it was told before. */
        void tell(long sinceMs) {
            if (response.writeQueueFull()) {
                return;
            }
            String lacks = page.lacks().orElse(null);
            restedMs = lacks == null ? restedMs + sinceMs : 0;
            if (lacks != null) {
                response.write("data: " + lacks + "\n\n");
            } else if (restedMs >= SIGN_OF_LIFE_EVERY_MS) {
                restedMs = 0;
                response.write(":\n\n");
            }
        }
    }

    private final Vertx vertx;
    private final String page;
    private final LiveSource shown;
    private final Map<String, Runnable> actions;
    private final Admission admission = new Admission();
    private final Set<Stream> streams = new LinkedHashSet<>();
    private final CompletableFuture<Void> allLeft = new CompletableFuture<>();
    private volatile InetSocketAddress address;
    /** Null until there is one. */
    private Path report;

    private int downloads;
    /** How many pages were told of the report and have not asked for it yet. */
    private int following;

    private boolean ending;

    private LiveServer(Vertx vertx, String page, LiveSource shown, Map<String, Runnable> actions) {
        this.vertx = vertx;
        this.page = page;
        this.shown = shown;
        this.actions = actions;
    }

    /**
     * Starts to listen.
     *
     * @param actions what the buttons of the page do, by the paths that they post to; called on the server's thread,
     *     they return soon
     */
    static LiveServer launch(InetSocketAddress address, String page, LiveSource shown, Map<String, Runnable> actions)
            throws IOException {
        Vertx vertx = Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setUseDaemonThread(true)
                // Else a thread would wake up each second to look after the one that serves.
                .setBlockedThreadCheckInterval(1)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.HOURS)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
        LiveServer live = new LiveServer(vertx, page, shown, Map.copyOf(actions));
        try {
            live.listen(address);
            return live;
        } catch (IOException e) {
            live.close();
            throw e;
        }
    }

    private void listen(InetSocketAddress at) throws IOException {
        HttpServer server = vertx.createHttpServer(new HttpServerOptions()
                .setHttp2ClearTextEnabled(false)
                .setMaxHeaderSize(MOST_HEADER_BYTES)
                .setIdleTimeout(IDLE_SECONDS));
        server.requestHandler(this::answer);
        // What a client sends that is no HTTP, or stops reading, is its own affair.
        server.exceptionHandler(e -> {});
        await(server.listen(SocketAddress.inetSocketAddress(at)).onSuccess(listening -> {
            address = new InetSocketAddress(at.getAddress(), listening.actualPort());
            admission.listensOn(address);
        }));
        vertx.setPeriodic(TELL_EVERY_MS, timer -> tellAll());
    }

    private static void await(Future<?> future) throws IOException {
        try {
            future.toCompletionStage().toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("no answer from its own thread within " + PATIENCE.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Returns where it listens, with the port that was found for port 0. */
    InetSocketAddress address() {
        return address;
    }

    /** Returns what to open in a browser; good for one. */
    String url() {
        return "http://" + Addresses.print(address) + "/?token=" + admission.token();
    }

    // ---- requests -----------------------------------------------------------------------------------------------

    private void answer(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        response.exceptionHandler(e -> {});
        response.putHeader("Cache-Control", "no-store")
                .putHeader("Content-Security-Policy", "frame-ancestors 'none'")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("X-Content-Type-Options", "nosniff");
        String host = request.getHeader("Host");
        if (!admission.isForUs(host)) {
            refuse(response, LoopbackHost.EXPECTED);
        } else if (!admission.isOwn(host, request.getHeader("Origin"))) {
            refuse(response, "asked for by a page of another server");
        } else if (enters(request)) {
            response.putHeader(
                    "Set-Cookie",
                    admission.cookie() + "=" + admission.session() + "; Path=/; HttpOnly; SameSite=Strict");
            page(response);
        } else if (!isKnown(request)) {
            refuse(
                    response,
                    "expected the address that Lockstep printed, with its token, which is good for one browser, once");
        } else {
            admitted(request, response);
        }
    }

    /** Says whether this is the first visit by the printed address; a look ahead of a browser's is none. */
    private boolean enters(HttpServerRequest request) {
        return request.method() == HttpMethod.GET
                && request.path().equals("/")
                && request.getHeader("Sec-Purpose") == null
                && admission.enters(token(request));
    }

    private static String token(HttpServerRequest request) {
        try {
            return request.getParam("token");
        } catch (IllegalArgumentException e) {
            // A query that cannot be read has none.
            return null;
        }
    }

    private boolean isKnown(HttpServerRequest request) {
        Cookie cookie = request.getCookie(admission.cookie());
        return admission.isKnown(cookie == null ? null : cookie.getValue());
    }

    private void admitted(HttpServerRequest request, HttpServerResponse response) {
        String path = request.path();
        boolean acts = actions.containsKey(path);
        if (acts && request.method() != HttpMethod.POST || !acts && request.method() != HttpMethod.GET) {
            response.setStatusCode(405).putHeader("Allow", acts ? "POST" : "GET");
            text(response, "expected " + (acts ? "POST" : "GET"));
        } else if (acts && request.getHeader("Origin") == null) {
            refuse(response, "asked for by no page of this server");
        } else if (acts) {
            act(path);
            response.setStatusCode(204).end();
        } else if (path.equals("/")) {
            page(response);
        } else if (path.equals("/events")) {
            events(response);
        } else if (path.equals("/report") && report != null) {
            report(response);
        } else {
            response.setStatusCode(404);
            text(response, "expected /, /events, or /report once the run is over");
        }
    }

    private static void refuse(HttpServerResponse response, String why) {
        response.setStatusCode(403);
        text(response, why);
    }

    private static void text(HttpServerResponse response, String line) {
        response.putHeader("Content-Type", TEXT).end(line + "\n");
    }

    private void page(HttpServerResponse response) {
        response.putHeader("Content-Type", HTML).end(page);
    }

    private void act(String path) {
        actions.get(path).run();
        tellAll();
    }

    private void events(HttpServerResponse response) {
        if (streams.size() >= MOST_STREAMS) {
            response.setStatusCode(503);
            text(response, "expected at most " + MOST_STREAMS + " pages at a time; close one");
            return;
        }
        response.putHeader("Content-Type", "text/event-stream")
                .setChunked(true)
                .setWriteQueueMaxSize(MOST_WAITING_BYTES);
        Stream stream = new Stream(response);
        streams.add(stream);
        response.closeHandler(closed -> {
            streams.remove(stream);
            settle();
        });
        response.write("retry: 1000\n\n");
        stream.tell(0);
    }

    private void report(HttpServerResponse response) {
        following--;
        downloads++;
        response.putHeader("Content-Type", HTML)
                .sendFile(report.toAbsolutePath().toString())
                .onComplete(sent -> {
                    downloads--;
                    settle();
                });
    }

    private void tellAll() {
        // A copy: a write may find a connection closed.
        Set.copyOf(streams).forEach(stream -> stream.tell(TELL_EVERY_MS));
    }

    // ---- the end ------------------------------------------------------------------------------------------------

    /**
     * Tells all pages that the run is over, and waits until they have left, for the report or for good.
     *
     * @param page the report, which is served from now on; null for none
     */
    void end(Path page, Duration grace) {
        vertx.runOnContext(start -> {
            report = page;
            following = page == null ? 0 : streams.size();
            ending = true;
            tellAll();
            settle();
        });
        try {
            allLeft.get(grace.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // A browser that sleeps: the report is in the run directory.
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing fails it", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void settle() {
        if (!ending || !streams.isEmpty() || downloads > 0) {
            return;
        }
        if (following <= 0) {
            allLeft.complete(null);
        } else {
            // Browsers let go of the events as they leave, and ask for the report only then.
            vertx.setTimer(FOLLOWS_WITHIN_MS, late -> {
                following = 0;
                settle();
            });
        }
    }

    @Override
    public void close() {
        try {
            await(vertx.close());
        } catch (IOException e) {
            throw new IllegalStateException("the server of the live view does not end: " + e.getMessage(), e);
        }
    }
}
