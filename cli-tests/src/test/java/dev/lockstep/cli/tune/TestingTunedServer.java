package dev.lockstep.cli.tune;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that takes as many milliseconds for a request as its property {@code test.ms} says, answers 503 from the
 * second request on with 3, and does not start with 13; nor for the fifth time where {@code test.starts} names a file
 * to count in. Argument: port.
 */
public final class TestingTunedServer {
    private static final int UNLUCKY = 13;
    private static final int REFUSING = 3;
    private static final int MOST_STARTS = 4;

    private TestingTunedServer() {}

    public static void main(String[] args) throws Exception {
        int ms = Integer.getInteger("test.ms", 1);
        if (ms == UNLUCKY) {
            Runtime.getRuntime().halt(9);
        }
        // As one whose database is down from some start on.
        String starts = System.getProperty("test.starts");
        if (starts != null) {
            Path file = Path.of(starts);
            Files.writeString(file, "x", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            if (Files.size(file) > MOST_STARTS) {
                Runtime.getRuntime().halt(1);
            }
        }
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        AtomicInteger requests = new AtomicInteger();
        server.createContext("/", exchange -> {
            long endNs = System.nanoTime() + ms * 1_000_000L;
            while (System.nanoTime() < endNs) {
                Thread.onSpinWait();
            }
            // The first one asks whether it is ready.
            boolean refuses = ms == REFUSING && requests.incrementAndGet() > 1;
            exchange.sendResponseHeaders(refuses ? 503 : 200, -1);
            exchange.close();
        });
        server.start();
    }
}
