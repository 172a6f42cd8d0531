package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same stream of requests gets the same bytes from every instance, whatever its threads and transport. */
class DeterminismTest {
    private static final int CONNECTIONS = 8;
    private static final int REQUESTS_PER_CONNECTION = 150;

    @Test
    @Tag("full")
    void instancesAnswerTheSameStreamWithTheSameBytes() throws Exception {
        long seed = System.nanoTime();
        List<String> first = answers(seed, "--instances=1");
        List<String> second = answers(seed, "--instances=3", "--no-metrics");
        List<String> third = answers(seed, "--instances=2", "--no-native-transport", "--no-tcp-nodelay");
        for (int i = 0; i < CONNECTIONS; i++) {
            assertEquals(first.get(i), second.get(i), "seed " + seed + ", connection " + i);
            assertEquals(first.get(i), third.get(i), "seed " + seed + ", connection " + i);
        }
        assertNotEquals(first.get(0), first.get(1));
    }

    /** Returns what came back on each connection, byte for byte; all connections are busy at the same time. */
    private static List<String> answers(long seed, String... options) throws Exception {
        String[] all = new String[options.length + 2];
        all[0] = "--port=0";
        all[1] = "--users=1000";
        System.arraycopy(options, 0, all, 2, options.length);
        ExecutorService clients = Executors.newFixedThreadPool(CONNECTIONS);
        try (TargetApp app = TargetApp.launch(AppOptions.parse(all))) {
            List<Future<String>> running = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                Callable<String> client = client(app.httpPort(), i, new Random(seed + i));
                running.add(clients.submit(client));
            }
            List<String> answers = new ArrayList<>();
            for (Future<String> client : running) {
                answers.add(client.get());
            }
            return answers;
        } finally {
            clients.shutdownNow();
        }
    }

    /**
     * Sends requests of every kind. The connection writes only users of its own (of the rest division of their index),
     * as every answer about a user depends on what was written to it before; but all create the same new users.
     */
    private static Callable<String> client(int port, int connection, Random random) {
        return () -> {
            StringBuilder answers = new StringBuilder();
            try (TestingConnection http = TestingConnection.to(port)) {
                for (int i = 0; i < REQUESTS_PER_CONNECTION; i++) {
                    answers.append(ask(http, connection, random)).append('\n');
                }
            }
            return answers.toString();
        };
    }

    private static String ask(TestingConnection http, int connection, Random random) throws IOException {
        int index = random.nextInt(120) * CONNECTIONS + connection;
        String user = "/user/" + PreloadedUsers.id(index);
        switch (random.nextInt(12)) {
            case 0:
                return http.ask("PUT", user, "{\"name\":\"N" + random.nextInt(10) + "\"}")
                        .text();
            case 1:
                return http.send("DELETE " + user + " HTTP/1.1\n\n").answer().text();
            case 2:
                return http.ask("POST", "/user", "{\"name\":\"New " + random.nextInt(20) + "\"}")
                        .text();
            case 3:
                return http.get("/timeline/" + PreloadedUsers.id(index) + "?n=" + (1 + random.nextInt(30)))
                        .text();
            case 4:
                return http.get("/cpu/lu?n=" + (2 + random.nextInt(30))).text();
            case 5:
                return http.get("/cpu/xml?n=" + (1 + random.nextInt(10))).text();
            case 6:
                return http.get("/cpu/streams?n=" + (1 + random.nextInt(500))).text();
            case 7:
                return http.get("/cpu/aesgcm?bytes=" + (1 + random.nextInt(2_000)))
                        .text();
            case 8:
                return random.nextInt(10) == 0
                        ? http.get("/cpu/signverify").text()
                        : http.get("/none").text();
            case 9:
                return http.send("HEAD " + user + " HTTP/1.1\n\n")
                        .answerToHead()
                        .text();
            default:
                return http.get(user).text();
        }
    }
}
