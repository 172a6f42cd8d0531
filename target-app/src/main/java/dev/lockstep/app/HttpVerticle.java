package dev.lockstep.app;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.function.Supplier;

/** One HTTP server on one event loop. Vert.x gives each of several on the same port its share of the connections. */
final class HttpVerticle extends AbstractVerticle {
    private static final int DRAIN_POLL_MS = 5;
    private static final int DRAIN_LIMIT_MS = 500;

    private final HttpServerOptions options;
    private final RequestRouter router;
    private final PipelineGate.OpenRequests openRequests = new PipelineGate.OpenRequests();
    private HttpServer server;

    HttpVerticle(HttpServerOptions options, RequestRouter router) {
        this.options = options;
        this.router = router;
    }

    @Override
    public void start(Promise<Void> started) {
        server =
                vertx.createHttpServer(options).connectionHandler(this::addGate).requestHandler(router);
        server.listen().<Void>mapEmpty().onComplete(started);
    }

    private void addGate(HttpConnection connection) {
        var pipeline = ((ConnectionBase) connection).channelHandlerContext().pipeline();
        pipeline.addBefore(
                ((ConnectionBase) connection).channelHandlerContext().name(), "gate", new PipelineGate(openRequests));
    }

    /** Valid once the verticle is deployed. */
    int port() {
        return server.actualPort();
    }

    /** Starts to answer from the store that the supplier makes on this verticle's event loop. */
    Future<Void> serve(Supplier<UserStore> store) {
        Promise<Void> serving = Promise.promise();
        context.runOnContext(onLoop -> {
            router.serve(store.get());
            serving.complete();
        });
        return serving.future();
    }

    /** Waits up to 500 ms for open requests to be answered. */
    @Override
    public void stop(Promise<Void> stopped) {
        drain(System.nanoTime() + DRAIN_LIMIT_MS * 1_000_000L, stopped);
    }

    private void drain(long deadlineNs, Promise<Void> stopped) {
        if (openRequests.count() == 0 || System.nanoTime() - deadlineNs > 0) {
            stopped.complete();
        } else {
            vertx.setTimer(DRAIN_POLL_MS, timer -> drain(deadlineNs, stopped));
        }
    }
}
