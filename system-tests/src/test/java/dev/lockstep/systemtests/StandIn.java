package dev.lockstep.systemtests;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/**
 * A program in the place of an application that takes seconds to start: on the port that {@code QUERY_PORT} says it
 * answers every request with an empty 200.
 */
public final class StandIn {
    private StandIn() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv("QUERY_PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }
}
