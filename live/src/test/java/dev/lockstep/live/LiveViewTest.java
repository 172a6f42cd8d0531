package dev.lockstep.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.run.Cancellation;
import dev.lockstep.run.TestingPhases;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server as browsers meet it, good ones and others. */
@Timeout(60)
final class LiveViewTest {
    private static final String HOSTILE = "</script><script>alert(1)</script>";
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final RunPlan plan = TestingRun.plan(HOSTILE, 3, "c2", "graal");
    private final Cancellation cancellation = new Cancellation();
    private final LiveView view = LiveView.launch(FREE, plan, cancellation);
    private final String own = "127.0.0.1:" + view.address().getPort();

    @TempDir
    private Path folder;

    private String cookie;

    @AfterEach
    void close() {
        view.close();
    }

    /** An answer: its status line, header fields and body, as far as they were read. */
    private static final class Answer implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;
        private final int status;
        private final List<String> fields = new ArrayList<>();

        Answer(int port, String request) throws IOException {
            socket = new Socket();
            // A read cannot be interrupted.
            socket.setSoTimeout(20_000);
            socket.setReceiveBufferSize(16 << 10);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            status = Integer.parseInt(in.readLine().split(" ")[1]);
            for (String field = in.readLine(); !field.isEmpty(); field = in.readLine()) {
                fields.add(field);
            }
        }

        String field(String name) {
            return fields.stream()
                    .filter(field -> field.toLowerCase().startsWith(name.toLowerCase() + ": "))
                    .map(field -> field.substring(name.length() + 2))
                    .findFirst()
                    .orElse(null);
        }

        /** Returns the rest, up to the end of the connection. */
        String body() {
            return in.lines().collect(Collectors.joining("\n"));
        }

        /** Returns the next event, of a stream of them. */
        JsonNode event() throws IOException {
            String line = in.readLine();
            while (!line.startsWith("data: ")) {
                line = in.readLine();
            }
            return new ObjectMapper().readTree(line.substring("data: ".length()));
        }

        void leave() throws IOException {
            socket.close();
        }

        @Override
        public void close() throws IOException {
            leave();
        }
    }

    private Answer ask(String method, String path, String... fields) throws IOException {
        String all = Stream.of(fields).map(field -> field + "\r\n").collect(Collectors.joining());
        return new Answer(
                view.address().getPort(), method + " " + path + " HTTP/1.1\r\nConnection: close\r\n" + all + "\r\n");
    }

    private int status(String method, String path, String... fields) throws IOException {
        try (Answer answer = ask(method, path, fields)) {
            return answer.status;
        }
    }

    private String token() {
        return view.url().substring(view.url().indexOf("/?"));
    }

    /** Opens the page as the one who started the run does. */
    private String enter() throws IOException {
        try (Answer page = ask("GET", token(), "Host: " + own)) {
            assertEquals(200, page.status);
            String set = page.field("Set-Cookie");
            assertTrue(set.endsWith("; Path=/; HttpOnly; SameSite=Strict"), set);
            cookie = "Cookie: " + set.substring(0, set.indexOf(';'));
            return page.body();
        }
    }

    private Answer events() throws IOException {
        Answer events = ask("GET", "/events", "Host: " + own, cookie);
        assertEquals(200, events.status);
        assertEquals("text/event-stream", events.field("Content-Type"));
        return events;
    }

    @Test
    void letsInTheFirstWithTheTokenAndNobodyElse() throws IOException {
        assertEquals(403, status("GET", "/", "Host: " + own));
        assertEquals(403, status("GET", "/events", "Host: " + own));
        assertEquals(403, status("GET", "/?token=guess", "Host: " + own));
        assertEquals(403, status("HEAD", token(), "Host: " + own), "only a visit uses the token up");
        assertEquals(403, status("GET", token(), "Host: " + own, "Sec-Purpose: prefetch"), "nor does a look ahead");

        enter();

        assertEquals(403, status("GET", token(), "Host: " + own), "the token is good for one");
        assertEquals(200, status("GET", token(), "Host: " + own, cookie), "its browser may load the page again");
        assertEquals(200, status("GET", "/", "Host: " + own, cookie));
        assertEquals(403, status("GET", "/", "Host: " + own, cookie + "x"));
    }

    /** As a browser that saw as many runs sends them, since it does not keep them apart by port. */
    @Test
    void takesTheCookiesOfManyRuns() throws IOException {
        enter();
        String others = IntStream.range(10_000, 10_180)
                .mapToObj(port -> "; lockstep-live-" + port + "=" + "x".repeat(32))
                .collect(Collectors.joining());

        assertEquals(200, status("GET", "/", "Host: " + own, cookie + others));
    }

    @Test
    void answersNoNameThatSomebodyHadPointHere() throws IOException {
        assertEquals(403, status("GET", token(), "Host: evil.example"));
        assertEquals(403, status("GET", token()), "no name at all");

        enter();

        assertEquals(403, status("GET", "/", "Host: evil.example:80", cookie));
        assertEquals(200, status("GET", "/", "Host: localhost", cookie), "as through a tunnel");
    }

    @Test
    void answersNoPageOfAnotherServer() throws IOException {
        enter();

        assertEquals(403, status("GET", "/events", "Host: " + own, cookie, "Origin: http://127.0.0.1:8080"));
        assertEquals(403, status("POST", "/stop", "Host: " + own, cookie, "Origin: http://127.0.0.1:8080"));
        assertEquals(403, status("POST", "/stop", "Host: " + own, cookie, "Origin: null"));
        assertEquals(403, status("POST", "/stop", "Host: " + own, cookie), "from no page");
        assertEquals(405, status("GET", "/stop", "Host: " + own, cookie));
        assertFalse(cancellation.isCancelled());
        try (Answer page = ask("GET", "/", "Host: " + own, cookie)) {
            assertEquals("frame-ancestors 'none'", page.field("Content-Security-Policy"));
            assertEquals("no-store", page.field("Cache-Control"));
        }
    }

    @Test
    void endsTheRunByItsButtons() throws IOException {
        enter();

        assertEquals(204, status("POST", "/conclude", "Host: " + own, cookie, "Origin: http://" + own));
        assertTrue(cancellation.isConcluded());
        assertFalse(cancellation.isCancelled());
        assertEquals(204, status("POST", "/stop", "Host: " + own, cookie, "Origin: http://" + own));
        assertTrue(cancellation.isCancelled());
        try (Answer events = events()) {
            JsonNode now = events.event().get("now");
            assertTrue(now.get("stopping").asBoolean());
            assertTrue(now.get("concluding").asBoolean());
        }
    }

    @Test
    void takesNoTextForMarkup() throws IOException {
        String page = enter();

        assertFalse(page.contains("<script>alert"));
        view.listener(folder).note(HOSTILE);
        try (Answer events = events()) {
            assertEquals(HOSTILE, events.event().at("/messages/0").asText());
        }
    }

    @Test
    void tellsAPageThatComesBackAllThatItMissed() throws IOException {
        enter();
        view.listener(folder).phase(TestingPhases.start("c2"));
        try (Answer events = events()) {
            JsonNode first = events.event();
            assertEquals("starting", first.at("/now/targets/0/state").asText());
            assertEquals("not started yet", first.at("/now/targets/1/state").asText());
            assertEquals(folder.toString(), first.get("directory").asText());
            view.listener(folder).interval("c2", TestingRun.second(1, 0, 1));
            JsonNode next = events.event();
            assertEquals(1, next.at("/data/series/0/columns/t").size());
            assertEquals(290, next.at("/now/targets/0/now/rate").asDouble());
        }
        for (int i = 1; i < 3000; i++) {
            view.listener(folder).interval("c2", TestingRun.second(1, i, 1));
        }
        view.listener(folder).phase(TestingPhases.round("c2", 0, 2, 3, 8));

        try (Answer events = events()) {
            JsonNode all = events.event();
            assertEquals(0, all.at("/data/series/0/at").asInt());
            int points = all.at("/data/series/0/columns/t").size();
            assertTrue(points > 500 && points < 3000, "seconds are drawn together: " + points);
            assertEquals(
                    "measured, round 4 of 8", all.at("/now/targets/0/state").asText());
            assertEquals("waits for its turn", all.at("/now/targets/1/state").asText());
            assertEquals(3, all.at("/now/phase/turn/number").asInt() / 2);
        }
    }

    @Test
    void takesA5xxForAnError() throws IOException {
        enter();
        Interval second = new Interval();
        second.endNs = 1_000_000_000L;
        second.counts().completed = 10;
        second.counts().status(200, 7);
        second.counts().status(503, 3);
        view.listener(folder).phase(TestingPhases.start("c2"));
        view.listener(folder).interval("c2", IntervalFigures.of(second));

        try (Answer events = events()) {
            JsonNode now = events.event().at("/now/targets/0/now");
            assertEquals(7, now.get("rate").asDouble());
            assertEquals(3, now.get("errors").asDouble());
        }
    }

    @Test
    void keepsNothingForAPageThatDoesNotRead() throws IOException {
        enter();
        int all = 100;
        try (Answer stuck = events()) {
            for (int i = 0; i < 1000; i++) {
                view.listener(folder).interval("c2", TestingRun.second(1, i, 1));
            }
            for (int i = 1; i <= all; i++) {
                // All that there is becomes later by a second and is told anew.
                view.listener(folder).interval("c2", TestingRun.second(1, -i, 1));
                assertEquals(204, status("POST", "/conclude", "Host: " + own, cookie, "Origin: http://" + own));
            }
            view.listener(folder).phase(TestingPhases.start("c2"));
            try (Answer quick = events()) {
                assertEquals(
                        "starting", quick.event().at("/now/targets/0/state").asText());
            }
            int events = 1;
            while (!stuck.event().at("/now/targets/0/state").asText().equals("starting")) {
                events++;
            }
            assertTrue(events < all / 2, "what it was told of " + all + " changes: " + events);
        }
    }

    @Test
    void handsTheReportToThePagesThatAreOpenAndEnds() throws Exception {
        enter();
        Path report = Files.writeString(folder.resolve("report.html"), "<p>the report</p>");
        assertEquals(404, status("GET", "/report", "Host: " + own, cookie));
        CompletableFuture<String> browser;
        try (Answer events = events()) {
            events.event();
            browser = CompletableFuture.supplyAsync(() -> {
                try {
                    assertTrue(events.event().at("/over/report").asBoolean());
                    try (Answer answer = ask("GET", "/report", "Host: " + own, cookie)) {
                        events.leave();
                        return answer.body();
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });

            view.showReport(TestingRun.result(plan), report);
        }
        assertEquals("<p>the report</p>", browser.get());
        view.close();
        assertThrows(IOException.class, () -> status("GET", "/", "Host: " + own));
    }

    /** As the command does, which ends once nobody is left: the page could not load what it had been told of. */
    @Test
    void waitsForAPageThatLetsGoOfTheEventsBeforeItAsksForTheReport() throws Exception {
        enter();
        Path report = Files.writeString(folder.resolve("report.html"), "<p>the report</p>");
        try (Answer events = events()) {
            events.event();
            CompletableFuture<Void> ends = CompletableFuture.runAsync(() -> {
                view.showReport(TestingRun.result(plan), report);
                view.close();
            });
            assertTrue(events.event().at("/over/report").asBoolean());

            events.leave();

            // By its answer the server has seen that the events are let go of.
            assertEquals(200, status("GET", "/", "Host: " + own, cookie));
            try (Answer answer = ask("GET", "/report", "Host: " + own, cookie)) {
                assertEquals("<p>the report</p>", answer.body());
            }
            ends.get();
        }
    }

    @Test
    void tellsThePagesThatThereIsNoReportAndLeavesNoThread() throws Exception {
        enter();
        try (Answer events = events()) {
            events.event();
            view.close();
            assertFalse(events.event().at("/over/report").asBoolean(true));
        }
        long end = System.nanoTime() + 20_000_000_000L;
        while (threads() > 0 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertEquals(0, threads());
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("vert"))
                .count();
    }

    @Test
    void saysWhichAddressIsTaken() {
        LiveException e = assertThrows(LiveException.class, () -> LiveView.launch(view.address(), plan, cancellation));

        assertEquals(
                "--live: cannot listen on 127.0.0.1:" + view.address().getPort()
                        + ": Address already in use; choose another port",
                e.getMessage().replace("localhost", "127.0.0.1"));
    }
}
