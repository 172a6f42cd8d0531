package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class RedisUserStoreTest extends UserStoreContract {
    private static TestingRedis redis;

    private Vertx vertx;

    @BeforeAll
    static void startRedis() throws Exception {
        redis = TestingRedis.start();
    }

    @AfterAll
    static void stopRedis() throws Exception {
        if (redis != null) {
            redis.close();
        }
    }

    @BeforeEach
    void startVertx() {
        vertx = Vertx.vertx();
    }

    @AfterEach
    void stopVertx() throws Exception {
        result(vertx.close());
    }

    @Override
    UserStore store(int preloaded, int maxUsers) throws Exception {
        return new OnItsLoop(preloaded, maxUsers);
    }

    /** Calls a store on an event loop, as its owner does. */
    private final class OnItsLoop implements UserStore {
        private final Context context = vertx.getOrCreateContext();
        private RedisUserStore store;

        OnItsLoop(int preloaded, int maxUsers) throws Exception {
            result(call(none -> {
                store = new RedisUserStore(vertx, redis.address(), "test", maxUsers);
                return store.load(preloaded);
            }));
        }

        private <T> Future<T> call(Function<RedisUserStore, Future<T>> action) {
            Promise<T> done = Promise.promise();
            context.runOnContext(onLoop -> action.apply(store).onComplete(done));
            return done.future();
        }

        @Override
        public Future<User> find(UUID id) {
            return call(s -> s.find(id));
        }

        @Override
        public Future<Stored> put(User user) {
            return call(s -> s.put(user));
        }

        @Override
        public Future<Boolean> delete(UUID id) {
            return call(s -> s.delete(id));
        }
    }

    @Test
    void startsFromTheSameUsersWhateverAnEarlierProcessLeft() throws Exception {
        UserStore earlier = store(10, 100);
        result(earlier.put(PreloadedUsers.user(50)));
        result(earlier.delete(PreloadedUsers.id(3)));
        UserStore later = store(10, 100);
        assertEquals(PreloadedUsers.id(3), result(later.find(PreloadedUsers.id(3))).id);
        assertEquals(":10", redis.command("HLEN test"));
    }

    @Test
    void reportsUsersThatItCannotRead() throws Exception {
        UserStore store = store(1, 10);
        redis.command("HSET test " + PreloadedUsers.id(0) + " rubbish");
        Exception failure = assertThrows(Exception.class, () -> result(store.find(PreloadedUsers.id(0))));
        assertTrue(failure.getMessage().contains("is not readable: the body"), failure.getMessage());
    }

    @Test
    void applicationAnswersAsItDoesFromMemory() throws Exception {
        List<String> answers = new ArrayList<>();
        for (String store : List.of("memory", redis.address())) {
            StringBuilder all = new StringBuilder();
            try (TargetApp app = TargetApp.launch(
                            AppOptions.parse("--port=0", "--store", store, "--users=600", "--max-users=601"));
                    TestingConnection http = TestingConnection.to(app.httpPort())) {
                assertFalse(app.describe().contains(TestingRedis.PASSWORD), app.describe());
                String id = "/user/" + PreloadedUsers.id(599);
                all.append(http.get("/health").text());
                all.append(http.get(id).text());
                all.append(http.ask("PUT", id, "{\"name\":\"Zoë\",\"age\":1}").text());
                all.append(http.get(id).text());
                all.append(http.ask("POST", "/user", "{\"name\":\"A\"}").text());
                all.append(http.ask("POST", "/user", "{\"name\":\"A\"}").text());
                all.append(http.ask("POST", "/user", "{\"name\":\"B\"}").text());
                all.append(http.send("DELETE " + id + " HTTP/1.1\n\n").answer().text());
                all.append(http.send("DELETE " + id + " HTTP/1.1\n\n").answer().text());
                all.append(http.get("/users/599").text());
                all.append(
                        http.get("/timeline/" + PreloadedUsers.id(7) + "?n=3").text());
                StringBuilder pipelined = new StringBuilder();
                for (int i = 0; i < 300; i++) {
                    pipelined.append("GET /users/").append(i).append(" HTTP/1.1\n\nGET /none HTTP/1.1\n\n");
                }
                http.send(pipelined.toString());
                for (int i = 0; i < 600; i++) {
                    all.append(http.answer().text());
                }
            }
            answers.add(all.toString());
        }
        assertEquals(answers.get(0), answers.get(1));
    }

    @Test
    void applicationRemovesItsUsersWhenItStops() throws Exception {
        try (TargetApp app = TargetApp.launch(AppOptions.parse("--port=0", "--store", redis.address(), "--users=5"))) {
            assertEquals(":5", redis.command("HLEN lockstep:users:" + app.httpPort()));
        }
        assertEquals("*0", redis.command("KEYS lockstep:*"));
    }

    @Test
    void applicationIsNotReadyBeforeItsUsersAreLoaded() throws Exception {
        int port = freePort();
        redis.suspend();
        CompletableFuture<TargetApp> launching = CompletableFuture.supplyAsync(() -> TargetApp.launch(
                AppOptions.parse("--port=" + port, "--store", redis.address(), "--users=5", "--instances=1")));
        try (TestingConnection http = connectionTo(port)) {
            TestingConnection.Answer health = http.get("/health");
            assertEquals(503, health.status());
            assertEquals("{\"status\":\"starting\"}", health.body());
            assertEquals(503, http.get("/users/1").status());
            assertEquals(503, http.ask("POST", "/user", "{\"name\":\"A\"}").status());
            assertEquals(200, http.get("/cpu/lu?n=2").status());
            redis.resume();
            TargetApp app = launching.get(60, TimeUnit.SECONDS);
            assertEquals(200, http.get("/health").status());
            assertEquals(200, http.get("/users/1").status());
            app.close();
        } finally {
            redis.resume();
        }
    }

    private static TestingConnection connectionTo(int port) throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try {
                return TestingConnection.to(port);
            } catch (IOException e) {
                if (System.nanoTime() - deadlineNs > 0) {
                    throw e;
                }
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void applicationAnswersWhatItHasBegunBeforeItStops() throws Exception {
        TargetApp app = TargetApp.launch(
                AppOptions.parse("--port=0", "--store", redis.address(), "--users=5", "--instances=1"));
        try (TestingConnection http = TestingConnection.to(app.httpPort());
                TestingConnection observer = TestingConnection.to(app.httpPort())) {
            redis.suspend();
            http.send("GET /users/1 HTTP/1.1\n\n");
            String both = "vertx_http_server_active_requests{method=\"GET\"} 2.0";
            while (!observer.get("/metrics").body().contains(both)) {
                Thread.onSpinWait();
            }
            CompletableFuture<Void> closing = CompletableFuture.runAsync(app::close);
            // So that it has begun to close; where it has not, this shows less, and nothing wrong.
            Thread.sleep(300);
            redis.resume();
            assertEquals(200, http.answer().status());
            assertEquals(0, http.rest().length);
            closing.get(60, TimeUnit.SECONDS);
        } finally {
            redis.resume();
            app.close();
        }
    }

    @Test
    void applicationGoesOnWhenRedisComesBack() throws Exception {
        try (TargetApp app = TargetApp.launch(AppOptions.parse(
                        "--port=0", "--store", redis.address(), "--users=5", "--instances=1", "--redis-hash=again"));
                TestingConnection http = TestingConnection.to(app.httpPort())) {
            assertEquals(200, http.get("/users/1").status());
            redis.kill();
            try {
                TestingConnection.Answer answer = http.get("/users/1");
                assertEquals("{\"error\":\"the store cannot be reached\"}", answer.body());
                assertEquals(503, answer.status());
                assertEquals(503, http.ask("POST", "/user", "{\"name\":\"A\"}").status());
                assertEquals(
                        503,
                        http.send("DELETE /user/" + PreloadedUsers.id(1) + " HTTP/1.1\n\n")
                                .answer()
                                .status());
                assertEquals(200, http.get("/cpu/lu?n=2").status());
            } finally {
                redis.run();
            }
            // The server's users are gone with it, but it answers.
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            int status = http.get("/users/1").status();
            while (status == 503 && System.nanoTime() - deadlineNs < 0) {
                status = http.get("/users/1").status();
            }
            assertEquals(404, status);
        }
    }

    @Test
    void saysWhenRedisCannotBeReached() throws IOException {
        try (Socket unused = new Socket()) {
            // Nobody listens on it, and nobody else is given it while it is bound.
            unused.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String address = "127.0.0.1:" + unused.getLocalPort();
            TargetAppException failure = assertThrows(
                    TargetAppException.class,
                    () -> TargetApp.launch(AppOptions.parse("--port=0", "--store=redis://:secret@" + address)));
            assertTrue(
                    failure.getMessage().startsWith("cannot load users into redis://" + address + ": "),
                    failure.getMessage());
            assertFalse(failure.getMessage().contains("secret"), failure.getMessage());
        }
    }
}
