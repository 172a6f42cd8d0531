package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** HTTP as bytes on real sockets. */
class HttpTest {
    private static final String USER_42 = "/user/00000000-0000-8000-8000-00000000002a";
    private static final String STRANGER = "/user/11111111-2222-4333-8444-555555555555";
    private static final int MAX_BODY_BYTES = 1_000;

    private static TestingLeaks leaks;

    private TargetApp app;
    private TestingConnection connection;

    @BeforeAll
    static void watchLeaks() {
        leaks = new TestingLeaks();
    }

    @AfterAll
    static void expectNoLeaks() {
        leaks.close();
    }

    @BeforeEach
    void start() throws IOException {
        app = TargetApp.launch(AppOptions.parse(
                "--port=0", "--instances=1", "--users=100", "--max-users=102", "--max-body=" + MAX_BODY_BYTES));
        connection = TestingConnection.to(app.httpPort());
    }

    @AfterEach
    void stop() throws IOException {
        connection.close();
        app.close();
    }

    @Test
    void answersReadsInFull() throws IOException {
        String body = "{\"id\":\"00000000-0000-8000-8000-00000000002a\",\"name\":\"Edsger Liskov\","
                + "\"email\":\"Edsger.Liskov42@example.org\",\"city\":\"Tokyo\",\"age\":35}";
        String answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 130\r\n\r\n" + body;
        assertEquals(answer, connection.get(USER_42).text());
        assertEquals(answer, connection.get("/users/42").text());
        assertEquals(
                answer,
                connection.get("/user/00000000-0000-8000-8000-00000000002A").text());
    }

    @Test
    void createsReadsUpdatesAndDeletes() throws IOException {
        TestingConnection.Answer created = connection.ask("POST", "/user", "{\"name\":\"Ada\",\"age\":36}");
        assertEquals(201, created.status());
        String location = created.header("location");
        assertTrue(location.startsWith("/user/"), location);
        assertTrue(created.body().startsWith("{\"id\":\"" + location.substring(6) + "\",\"name\":\"Ada\""));
        assertEquals(created.body(), connection.get(location).body());

        TestingConnection.Answer updated = connection.ask("PUT", location, "{\"name\":\"Ada Lovelace\"}");
        assertEquals(200, updated.status());
        assertNull(updated.header("location"));
        assertEquals(updated.body(), connection.get(location).body());

        TestingConnection.Answer deleted =
                connection.send("DELETE " + location + " HTTP/1.1\n\n").answer();
        assertEquals("HTTP/1.1 204 No Content\r\n\r\n", deleted.text());
        assertEquals(404, connection.get(location).status());
        assertEquals(
                404,
                connection.send("DELETE " + location + " HTTP/1.1\n\n").answer().status());
    }

    @Test
    void putOfAnUnknownIdCreatesTheUser() throws IOException {
        TestingConnection.Answer created = connection.ask("PUT", STRANGER, "{\"name\":\"Zed\"}");
        assertEquals(201, created.status());
        assertEquals(STRANGER, created.header("location"));
        assertEquals(created.body(), connection.get(STRANGER).body());
        assertEquals(200, connection.ask("PUT", STRANGER, "{\"name\":\"Zed\"}").status());
    }

    @Test
    void creatingTheSameUserTwiceGivesTheSameAnswer() throws IOException {
        String first = connection.ask("POST", "/user", "{\"name\":\"Ada\"}").text();
        assertEquals(
                first, connection.ask("POST", "/user", "{\"name\":\"Ada\"}").text());
    }

    @Test
    void refusesNewUsersWhenTheStoreIsFull() throws IOException {
        assertEquals(201, connection.ask("POST", "/user", "{\"name\":\"A\"}").status());
        assertEquals(201, connection.ask("POST", "/user", "{\"name\":\"B\"}").status());
        assertEquals(507, connection.ask("POST", "/user", "{\"name\":\"C\"}").status());
        assertEquals(507, connection.ask("PUT", STRANGER, "{\"name\":\"C\"}").status());
        assertEquals(200, connection.ask("PUT", USER_42, "{\"name\":\"C\"}").status());
    }

    @Test
    void saysWhatIsWrongWithARequest() throws IOException {
        assertError(400, "not a UUID: expected the form 00000000-0000-8000-8000-00000000002a", "GET", "/user/42");
        assertError(
                400, "not a UUID: expected the form 00000000-0000-8000-8000-00000000002a", "GET", "/user/1-1-1-1-1");
        assertError(400, "not a UUID: expected the form 00000000-0000-8000-8000-00000000002a", "DELETE", USER_42 + "/");
        assertError(404, "no such user", "GET", STRANGER);
        assertError(404, "no such user", "GET", STRANGER.replace("/user/", "/timeline/"));
        assertError(404, "no such user", "GET", "/users/100");
        assertError(400, "index: must be a whole number from 0 to 999999999", "GET", "/users/x");
        assertError(404, "no such resource", "GET", "/");
        assertError(404, "no such resource", "GET", "/user%2F");
        assertError(404, "no such resource", "OPTIONS", "*");
        assertError(404, "no such resource", "POST", "/users");
        assertError(404, "no such kind of work: known are aesgcm, lu, signverify, streams, xml", "GET", "/cpu/none");
        assertError(400, "n: must be a whole number from 2 to 500", "GET", "/cpu/lu?n=501");
        assertError(
                400, "n: must be a whole number from 1 to 1000", "GET", "/timeline/" + PreloadedUsers.id(1) + "?n=0");
    }

    private void assertError(int status, String message, String method, String path) throws IOException {
        TestingConnection.Answer answer =
                connection.send(method + " " + path + " HTTP/1.1\n\n").answer();
        assertEquals("{\"error\":\"" + message + "\"}", answer.body());
        assertEquals(status, answer.status());
        assertEquals("application/json", answer.header("content-type"));
    }

    @Test
    void saysWhichMethodsAResourceKnows() throws IOException {
        assertAllowed("GET, HEAD, PUT, DELETE", "POST", USER_42);
        assertAllowed("GET, HEAD, PUT, DELETE", "PATCH", USER_42);
        assertAllowed("GET, HEAD, PUT, DELETE", "BREW", "/user/not-a-uuid");
        assertAllowed("POST", "GET", "/user");
        assertAllowed("GET, HEAD", "POST", "/users/1");
        assertAllowed("GET, HEAD", "DELETE", "/timeline/" + PreloadedUsers.id(1));
        assertAllowed("GET, HEAD", "POST", "/cpu/lu");
        assertAllowed("GET, HEAD", "POST", "/health");
        assertAllowed("GET, HEAD", "POST", "/metrics");
    }

    private void assertAllowed(String methods, String method, String path) throws IOException {
        TestingConnection.Answer answer = connection.ask(method, path, "a body that nobody reads");
        assertEquals(405, answer.status());
        assertEquals(methods, answer.header("allow"));
    }

    @Test
    void answersBadBodiesAndGoesOnOnTheSameConnection() throws IOException {
        assertEquals(400, connection.ask("POST", "/user", "").status());
        assertEquals(400, connection.ask("POST", "/user", "{\"name\":\"Ada\"").status());
        assertEquals(400, connection.ask("PUT", USER_42, "[]").status());
        assertEquals(400, connection.ask("PUT", "/user/x", "{\"name\":\"Ada\"}").status());
        assertEquals(200, connection.get(USER_42).status());
    }

    @Test
    void answersHeadLikeGetWithoutTheBody() throws IOException {
        for (String path :
                new String[] {USER_42, STRANGER, "/health", "/cpu/lu", "/timeline/" + PreloadedUsers.id(1)}) {
            String head = connection.get(path).head();
            assertEquals(
                    head,
                    connection
                            .send("HEAD " + path + " HTTP/1.1\n\n")
                            .answerToHead()
                            .head());
        }
    }

    @Test
    void readsChunkedBodies() throws IOException {
        String head = "POST /user HTTP/1.1\nTransfer-Encoding: chunked\n\n";
        connection.send(head + "5\n{\"nam\n9;x=y\ne\":\"Ada\"}\n0\nTrailer: 1\n\n");
        String chunked = connection.answer().text();
        assertEquals(connection.ask("POST", "/user", "{\"name\":\"Ada\"}").text(), chunked);
    }

    @Test
    void answersPipelinedRequestsInTheirOrder() throws IOException {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            requests.append("GET /users/").append(i % 100).append(" HTTP/1.1\n\n");
            requests.append("PUT /user/")
                    .append(PreloadedUsers.id(i % 100))
                    .append(" HTTP/1.1\nContent-Length: 15\n\n");
            requests.append("{\"name\":\"N").append(100 + i).append("\"}");
        }
        connection.send(requests.toString());
        for (int i = 0; i < 500; i++) {
            String read = connection.answer().body();
            String before = i < 100
                    ? new String(UserJson.write(PreloadedUsers.user(i)), StandardCharsets.UTF_8)
                    : "{\"id\":\"" + PreloadedUsers.id(i % 100) + "\",\"name\":\"N" + i + "\"}";
            assertEquals(before, read);
            String written = connection.answer().body();
            assertEquals("{\"id\":\"" + PreloadedUsers.id(i % 100) + "\",\"name\":\"N" + (100 + i) + "\"}", written);
        }
    }

    @Test
    void takesRequestsByteByByte() throws IOException {
        String requests = ("POST /user HTTP/1.1\nContent-Length: 14\n\n{\"name\":\"Ada\"}GET " + USER_42
                        + " HTTP/1.1\n\n")
                .replace("\n", "\r\n");
        for (byte b : requests.getBytes(StandardCharsets.US_ASCII)) {
            connection.send(new byte[] {b});
        }
        assertEquals(201, connection.answer().status());
        assertEquals(200, connection.answer().status());
    }

    @Test
    void waitsForTheBodyOnlyWhenItWillTakeIt() throws IOException {
        connection.send("POST /user HTTP/1.1\nContent-Length: 14\nExpect: 100-continue\n\n");
        assertEquals("HTTP/1.1 100 Continue\r\n\r\n", connection.answer().text());
        connection.send("{\"name\":\"Ada\"}");
        assertEquals(201, connection.answer().status());

        connection.send("POST /user HTTP/1.1\nContent-Length: 1001\nExpect: 100-Continue\n\n");
        TestingConnection.Answer refused = connection.answer();
        assertEquals(413, refused.status());
        assertEquals("close", refused.header("connection"));
        assertEquals(0, connection.rest().length);
    }

    @Test
    void ignoresExpectationsOfHttp10() throws IOException {
        connection.send("POST /user HTTP/1.0\nContent-Length: 14\nExpect: 100-continue\n\n{\"name\":\"Ada\"}");
        assertEquals(201, connection.answer().status());
    }

    @Test
    void refusesBodiesLargerThanAllowedAndGoesOn() throws IOException {
        String fits = "{\"name\":\"Ada\"}" + " ".repeat(MAX_BODY_BYTES - 14);
        assertEquals(201, connection.ask("POST", "/user", fits).status());
        assertEquals(413, connection.ask("POST", "/user", fits + " ").status());
        assertEquals(
                413, connection.ask("PUT", USER_42, fits + fits.repeat(5_000)).status());
        connection.send("POST /user HTTP/1.1\nTransfer-Encoding: chunked\n\n");
        for (int i = 0; i < 1_000; i++) {
            connection.send("200\n" + " ".repeat(0x200) + "\n");
        }
        connection.send("0\n\n");
        assertEquals(413, connection.answer().status());
        assertEquals(200, connection.get(USER_42).status());
    }

    @Test
    void refusesALargeBodyBeforeItHasCome() throws IOException {
        connection.send("POST /user HTTP/1.1\nContent-Length: 1000000000000\n\n");
        assertEquals(413, connection.answer().status());
        try (TestingConnection other = TestingConnection.to(app.httpPort())) {
            other.send("POST /user HTTP/1.1\nContent-Length: 99999999999999999999\n\n");
            int status = other.answer().status();
            assertTrue(status == 413 || status == 400, "status " + status);
        }
    }

    @Test
    void closesWhenAskedTo() throws IOException {
        TestingConnection.Answer answer =
                connection.send("GET /users/1 HTTP/1.1\nConnection: close\n\n").answer();
        assertEquals("close", answer.header("connection"));
        assertEquals(0, connection.rest().length);
    }

    @Test
    void speaksHttp10() throws IOException {
        connection.send("GET /users/1 HTTP/1.0\nConnection: keep-alive\n\n");
        TestingConnection.Answer kept = connection.answer();
        assertEquals("keep-alive", kept.header("connection"));
        connection.send("GET /users/1 HTTP/1.0\n\n");
        TestingConnection.Answer last = connection.answer();
        assertTrue(last.head().startsWith("HTTP/1.0 200 OK\r\n"), last.head());
        assertNull(last.header("connection"));
        assertEquals(kept.body(), last.body());
        assertEquals(0, connection.rest().length);
    }

    @Test
    void answersWhatIsNotHttpAndCloses() throws IOException {
        assertClosedWith(400, "GET /users/1\n\n");
        assertClosedWith(400, "GET /users/1 HTTP/1.1\nContent-Length: many\n\n");
        assertClosedWith(414, "GET /users/" + "1".repeat(5_000) + " HTTP/1.1\n\n");
        assertClosedWith(431, "GET /users/1 HTTP/1.1\nX: " + "1".repeat(9_000) + "\n\n");
        assertEquals(200, connection.get(USER_42).status());
    }

    private void assertClosedWith(int status, String request) throws IOException {
        try (TestingConnection other = TestingConnection.to(app.httpPort())) {
            assertEquals(status, other.send(request).answer().status(), request.substring(0, 12));
            assertEquals(0, other.rest().length);
        }
    }

    @Test
    void survivesClientsThatGoAwayInTheMiddle() throws IOException {
        for (String part : new String[] {
            "GET /us",
            "POST /user HTTP/1.1\nContent-Length: 14\n\n{\"nam",
            "GET /timeline/" + PreloadedUsers.id(1) + "?n=1000 HTTP/1.1\n\n"
        }) {
            for (boolean reset : new boolean[] {false, true}) {
                TestingConnection other = TestingConnection.to(app.httpPort());
                other.send(part);
                if (reset) {
                    other.socket().setSoLinger(true, 0);
                }
                other.close();
            }
        }
        assertEquals(200, connection.get(USER_42).status());
    }

    /** Without the gate this client would have gigabytes of answers waiting in a heap of half of one. */
    @Test
    void stopsReadingFromAClientThatDoesNotReadItsAnswers() throws IOException {
        byte[] requests = ("GET /timeline/" + PreloadedUsers.id(1) + "?n=1000 HTTP/1.1\n\n")
                .replace("\n", "\r\n")
                .repeat(20)
                .getBytes(StandardCharsets.US_ASCII);
        int most = 50_000;
        AtomicInteger sent = new AtomicInteger();
        try (Socket slow = new Socket()) {
            slow.setReceiveBufferSize(4_096);
            slow.setSendBufferSize(4_096);
            slow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), app.httpPort()));
            Thread writer = new Thread(() -> {
                try {
                    while (sent.get() < most) {
                        slow.getOutputStream().write(requests);
                        sent.incrementAndGet();
                    }
                } catch (IOException e) {
                    // The test ends by closing the socket.
                }
            });
            writer.start();
            int before = -1;
            while (sent.get() != before) {
                before = sent.get();
                // Others are served all the while.
                for (int i = 0; i < 200; i++) {
                    assertEquals(200, connection.get("/users/" + i % 100).status());
                }
            }
            assertTrue(before > 0 && before < most, before + " blocks of requests were read");
        }
    }

    @Test
    void servesTheClientOfTheJdk() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        URI base = URI.create("http://127.0.0.1:" + app.httpPort());
        HttpResponse<String> created = client.send(
                HttpRequest.newBuilder(base.resolve("/user"))
                        .expectContinue(true)
                        .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"Ada\"}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(201, created.statusCode());
        HttpResponse<byte[]> read = client.send(
                HttpRequest.newBuilder(base.resolve(
                                created.headers().firstValue("location").orElseThrow()))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
        assertArrayEquals(created.body().getBytes(StandardCharsets.UTF_8), read.body());
        HttpResponse<String> timeline = client.send(
                HttpRequest.newBuilder(base.resolve("/timeline/" + PreloadedUsers.id(3) + "?n=1000"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(
                new String(Timeline.of(PreloadedUsers.user(3), 1_000, 100), StandardCharsets.UTF_8), timeline.body());
    }

    @Test
    void healthIsUpAndMetricsCount() throws IOException {
        assertEquals("{\"status\":\"up\"}", connection.get("/health").body());
        connection.get("/users/1");
        connection.send("BREW /users/1 HTTP/1.1\n\n").answer();
        connection.send("STEW /users/1 HTTP/1.1\n\n").answer();
        TestingConnection.Answer metrics = connection.get("/metrics");
        assertEquals("text/plain; version=0.0.4; charset=utf-8", metrics.header("content-type"));
        String requests = "vertx_http_server_requests_total";
        assertTrue(metrics.body().contains(requests + "{code=\"200\",method=\"GET\",route=\"/users/{index}\"} 1.0"));
        assertTrue(metrics.body().contains(requests + "{code=\"405\",method=\"OTHER\",route=\"/users/{index}\"} 2.0"));
        assertFalse(metrics.body().toLowerCase(Locale.ROOT).contains("brew"));
        for (String path : new String[] {
            "/user/" + PreloadedUsers.id(1), "/timeline/" + PreloadedUsers.id(1), "/cpu/lu?n=2", "/none"
        }) {
            connection.get(path);
        }
        String routes = connection.get("/metrics").body();
        for (String route : new String[] {"/user/{uuid}", "/timeline/{uuid}", "/cpu/lu"}) {
            assertTrue(routes.contains(requests + "{code=\"200\",method=\"GET\",route=\"" + route + "\"} 1.0"), route);
        }
    }

    @Test
    void storesEveryTextThatJsonCanHold() throws IOException {
        char[] name = new char[User.MAX_NAME_CHARS];
        Arrays.fill(name, '\u20ac');
        String body = "{\"name\":\"" + new String(name) + "\",\"city\":\"\\u0000\\ud83d\\ude00\\\"\"}";
        TestingConnection.Answer created = connection.ask("POST", "/user", body);
        assertEquals(201, created.status());
        assertTrue(created.body().contains("\\u0000\uD83D\uDE00\\\""), created.body());
    }
}
