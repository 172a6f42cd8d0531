package dev.lockstep.run;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/**
 * A process that answers every request, and may do otherwise in one of its launches. Arguments: port, its name, a file
 * to which it adds its name at each start, {@code die}, {@code mute} or {@code quit} (at its first request) or
 * {@code burn} (computes all the time by itself), and in which launch.
 */
public final class TestingLaunchedServer {
    private TestingLaunchedServer() {}

    public static void main(String[] args) throws Exception {
        Path starts = Path.of(args[2]);
        Files.writeString(starts, args[1] + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        List<String> names = Files.readAllLines(starts);
        long launch = names.stream().filter(args[1]::equals).count();
        boolean otherwise = launch == Long.parseLong(args[4]);
        if (otherwise && args[3].equals("die")) {
            Runtime.getRuntime().halt(9);
        }
        if (otherwise && args[3].equals("burn")) {
            Thread burning = new Thread(() -> {
                while (true) {
                    Thread.onSpinWait();
                }
            });
            burning.setDaemon(true);
            burning.start();
        }
        CountDownLatch never = new CountDownLatch(1);
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            if (otherwise
                    && !args[3].equals("burn")
                    && !exchange.getRequestURI().getPath().equals("/health")) {
                if (args[3].equals("quit")) {
                    Runtime.getRuntime().halt(9);
                }
                try {
                    never.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        never.await();
    }
}
