package dev.lockstep.run;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A process that answers requests, and ends with exit code 9 once it has answered one and a file is there. */
final class TestingMortalServer {
    private TestingMortalServer() {}

    public static void main(String[] args) throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
            answered.countDown();
        });
        server.start();
        answered.await();
        while (!Files.exists(Path.of(args[1]))) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        Runtime.getRuntime().halt(9);
    }
}
