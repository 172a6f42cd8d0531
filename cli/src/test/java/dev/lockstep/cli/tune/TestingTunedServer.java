package dev.lockstep.cli.tune;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/**
 * A process that takes as many milliseconds for a request as its property {@code test.ms} says, and does not start with
 * 13. Argument: port.
 */
public final class TestingTunedServer {
    private static final int UNLUCKY = 13;

    private TestingTunedServer() {}

    public static void main(String[] args) throws Exception {
        int ms = Integer.getInteger("test.ms", 1);
        if (ms == UNLUCKY) {
            Runtime.getRuntime().halt(9);
        }
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            long endNs = System.nanoTime() + ms * 1_000_000L;
            while (System.nanoTime() < endNs) {
                Thread.onSpinWait();
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }
}
