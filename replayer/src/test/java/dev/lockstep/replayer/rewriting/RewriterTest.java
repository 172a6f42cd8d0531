package dev.lockstep.replayer.rewriting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.RewriteCount;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.TargetReplay;
import dev.lockstep.replayer.TestingCapture;
import dev.lockstep.replayer.TestingReplay;
import dev.lockstep.replayer.TestingServer;
import dev.lockstep.replayer.requests.Endpoints;
import dev.lockstep.replayer.requests.RequestSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
final class RewriterTest {
    private static final long MS = 1_000_000;
    private static final String OWN_HOST = "target:81";

    @TempDir
    Path directory;

    private List<RewriteCount> counts = new ArrayList<>();
    private List<String> notes = new ArrayList<>();

    /** In the tables, ~ stands for CR LF, ^ for LF, and _ for a blank at an end. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // Sets, adds and removes fields; the others stay as they are.
                "X: 2 | GET / HTTP/1.1~Host: a~X: 1~Y: 3~~ | GET / HTTP/1.1~Host: a~X: 2~Y: 3~~",
                "x: 2 | GET / HTTP/1.1~X : 1~Y:3~~ | GET / HTTP/1.1~x: 2~Y:3~~",
                "X: 2 | GET / HTTP/1.1~X: 1~Y: 3~x:4~X: 5~~ | GET / HTTP/1.1~X: 2~Y: 3~~",
                "X: 2 | GET / HTTP/1.1~Host: a~~ | GET / HTTP/1.1~Host: a~X: 2~~",
                "X: 2 | GET / HTTP/1.0~~ | GET / HTTP/1.0~X: 2~~",
                "X: | GET / HTTP/1.1~X: 1~Y: 3~x:4~~ | GET / HTTP/1.1~Y: 3~~",
                "X: | GET / HTTP/1.1~XX: 1~~ | GET / HTTP/1.1~XX: 1~~",
                // Lines that go on belong to their field, bare line feeds and empty lines before are kept.
                "X: 2 | GET / HTTP/1.1~X: 1~  and more~\tand more~Y: 3~ z~~ | GET / HTTP/1.1~X: 2~Y: 3~ z~~",
                "X: 2 | ~^GET / HTTP/1.1^X: 1^Y: 3^^ | ~^GET / HTTP/1.1^X: 2^Y: 3^^",
                "X: 2 | POST / HTTP/1.1~X: 1~Content-Length: 9~~X: 1~~abc | POST / HTTP/1.1~X: 2~Content-Length: 9~~X: 1~~abc",
                "X: 2 | GET / HTTP/1.1~X: 2~~ | GET / HTTP/1.1~X: 2~~",
            })
    void setsHeaders(String field, String recorded, String sent) {
        assertEquals(text(sent), rewritten(rules -> rules.header(field), text(recorded)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | GET /a HTTP/1.1~Host: old:1~~ | GET /a HTTP/1.1~Host: target:81~~",
                "new | GET /a HTTP/1.1~host: old:1~host: b~~ | GET /a HTTP/1.1~Host: new~~",
                "new | GET http://old:1/a?b=http://c/ HTTP/1.1~Host: old~~ | GET http://new/a?b=http://c/ HTTP/1.1~Host: new~~",
                "new | GET http://old HTTP/1.1~Host: old~~ | GET http://new HTTP/1.1~Host: new~~",
                "new | GET /a?u=http://c/ HTTP/1.1~Host: old~~ | GET /a?u=http://c/ HTTP/1.1~Host: new~~",
                "new | OPTIONS * HTTP/1.1~Host: old~~ | OPTIONS * HTTP/1.1~Host: new~~",
            })
    void rewritesTheHost(String host, String recorded, String sent) {
        assertEquals(text(sent), rewritten(rules -> rules.host(host.isEmpty() ? null : host), text(recorded)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "^/v1/=>/v2/ | GET /v1/a/v1/ HTTP/1.1~A: /v1/~~ | GET /v2/a/v1/ HTTP/1.1~A: /v1/~~",
                "(\\w+)=(\\w+)=>$2=$1 | GET /?a=b&c=d HTTP/1.1~~ | GET /?b=a&d=c HTTP/1.1~~",
                "x=>y | GET /a HTTP/1.1~~ | GET /a HTTP/1.1~~",
                "/a=> | GET /a HTTP/1.1~~ | GET /a HTTP/1.1~~",
                "/a=>/é | GET /a HTTP/1.1~~ | GET /Ã© HTTP/1.1~~",
            })
    void rewritesThePath(String rule, String recorded, String sent) {
        assertEquals(text(sent), rewritten(rules -> rules.path(rule), text(recorded)));
    }

    @Test
    void sendsWhatHasNoHeadOrTooLargeAOneAsRecorded() {
        String large = "GET / HTTP/1.1\r\nX: " + "x".repeat(70_000) + "\r\n\r\n";
        assertEquals(large, rewritten(rules -> rules.header("Y: 1"), large));
        assertEquals(List.of("rewriting, 1 times: request sent as recorded: a head of more than 64 KiB"), notes);

        assertEquals("GET /\r\n", rewritten(rules -> rules.header("Y: 1"), "GET /\r\n"));
        assertEquals(List.of("rewriting, 1 times: request sent as recorded: no head of HTTP/1.x"), notes);
    }

    @Test
    void changesTheHeadOfARequestWithALargeBodyAndLeavesThat() {
        String body = "sid=old".repeat(300_000);
        String head = "POST / HTTP/1.1\r\nContent-Length: " + body.length() + "\r\n";

        assertEquals(
                head + "Y: 1\r\n\r\n" + body,
                rewritten(rules -> rules.header("Y: 1").token("sid=(\\w+)"), "new", head + "\r\n" + body));
        assertEquals(
                List.of("rewriting, 1 times: body sent as recorded, not searched for tokens: more than 1 MiB"), notes);
    }

    /** The session's live value is LIVE123. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET /s/sid=old/x HTTP/1.1~Cookie: a=1; sid=old2; sid=old3~~ |"
                        + " GET /s/sid=LIVE123/x HTTP/1.1~Cookie: a=1; sid=LIVE123; sid=LIVE123~~",
                "GET / HTTP/1.1~Cookie: a=1~~ | GET / HTTP/1.1~Cookie: a=1~~",
                "POST / HTTP/1.1~Content-Length: 7~X: y~~sid=old | POST / HTTP/1.1~Content-Length: 11~X: y~~sid=LIVE123",
                "POST / HTTP/1.1~content-length : 7, 7~~sid=old | POST / HTTP/1.1~content-length : 11, 11~~sid=LIVE123",
                "POST / HTTP/1.1~Transfer-Encoding: chunked~~7~sid=old~0~~ |"
                        + " POST / HTTP/1.1~Transfer-Encoding: chunked~~b~sid=LIVE123~0~~",
                // A value over several chunks goes to the first of them; those without bytes are left out.
                "POST / HTTP/1.1~Transfer-Encoding: gzip, chunked~~0006;q=\"a\"~xsid=o~1;e~l~4~d&yz~000;z~T: sid=old~~ |"
                        + " POST / HTTP/1.1~Transfer-Encoding: gzip, chunked~~c;q=\"a\"~xsid=LIVE123~3~&yz~000;z~T: sid=old~~",
                "POST / HTTP/1.1~Transfer-Encoding: chunked~~0A~abcdefghij~7~sid=old~0A~&bcdefghij~0~~ |"
                        + " POST / HTTP/1.1~Transfer-Encoding: chunked~~0A~abcdefghij~b~sid=LIVE123~0A~&bcdefghij~0~~",
                "POST / HTTP/1.1~Transfer-Encoding: chunked~~9~sid=old~0~~ | POST / HTTP/1.1~Transfer-Encoding: chunked~~9~sid=old~0~~",
            })
    void putsLiveTokensIntoRequests(String recorded, String sent) {
        assertEquals(text(sent), rewritten(rules -> rules.token("sid=(\\w+)"), "LIVE123", text(recorded)));
    }

    /** Else the server reads blanks in place of plus signs, and a value that ends too early. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a+b/c== | GET /s/t=old?t=old&x=1 HTTP/1.1~Cookie: t=old~~ |"
                        + " GET /s/t=a+b/c==?t=a%2Bb%2Fc%3D%3D&x=1 HTTP/1.1~Cookie: t=a+b/c==~~",
                "a+b/c== | ~GET /?t=old HTTP/1.1~~ | ~GET /?t=a%2Bb%2Fc%3D%3D HTTP/1.1~~",
                "a+b/c== | POST / HTTP/1.1~Content-Type: Application/X-WWW-Form-Urlencoded; charset=utf-8~Content-Length: 9~~t=old&x=1 |"
                        + " POST / HTTP/1.1~Content-Type: Application/X-WWW-Form-Urlencoded; charset=utf-8~Content-Length: 21~~"
                        + "t=a%2Bb%2Fc%3D%3D&x=1",
                "a+b== | POST / HTTP/1.1~Content-Type: application/x-www-form-urlencoded~Transfer-Encoding: chunked~~"
                        + "9~t=old&x=1~0~~ |"
                        + " POST / HTTP/1.1~Content-Type: application/x-www-form-urlencoded~Transfer-Encoding: chunked~~"
                        + "11~t=a%2Bb%3D%3D&x=1~0~~",
                "a+b/c== | POST / HTTP/1.1~Content-Type: application/json~Content-Length: 5~~t=old |"
                        + " POST / HTTP/1.1~Content-Type: application/json~Content-Length: 9~~t=a+b/c==",
                // What is encoded already, and what stands as it is in the recorded value, stays.
                "a%2Bb | GET /?t=x%2fy HTTP/1.1~~ | GET /?t=a%2Bb HTTP/1.1~~",
                "Xy+Z%3D%3D | GET /?t=AbCd%3D%3D HTTP/1.1~~ | GET /?t=Xy+Z%3D%3D HTTP/1.1~~",
                "/a?b=%2Fc | GET /?t=%2Fx%3Fb%3D%252Fc HTTP/1.1~~ | GET /?t=%2Fa%3Fb%3D%252Fc HTTP/1.1~~",
                "%2Fa%252Fb | GET /?t=%2Fx%252Fc HTTP/1.1~~ | GET /?t=%2Fa%252Fb HTTP/1.1~~",
                "xy%2Bzw | GET /?t=ab%252Bcd HTTP/1.1~~ | GET /?t=xy%252Bzw HTTP/1.1~~",
                "a/b= | GET /?t=x/y= HTTP/1.1~~ | GET /?t=a/b= HTTP/1.1~~",
                "100% | GET /?t=old HTTP/1.1~~ | GET /?t=100%25 HTTP/1.1~~",
                "a b\u00e9 | GET /?t=old HTTP/1.1~~ | GET /?t=a%20b%E9 HTTP/1.1~~",
            })
    void encodesLiveTokensInQueriesAndForms(String live, String recorded, String sent) {
        assertEquals(text(sent), rewritten(rules -> rules.token("\\bt=([^&; ?\r\n]+)"), live, text(recorded)));
    }

    @Test
    void countsRequestsThatAreSentBeforeAnAnswerBroughtAValue() {
        for (String recorded : List.of(
                "GET /sid=old HTTP/1.1\r\nX: sid=old\r\n\r\n",
                "POST / HTTP/1.1\r\nContent-Length: 7\r\n\r\nsid=old",
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsid=\r\n3\r\nold\r\n0\r\n\r\n")) {
            assertEquals(recorded, rewritten(rules -> rules.token("sid=(\\w+)"), recorded));
            assertEquals(1, counts.get(0).asRecorded());
            assertEquals(0, counts.get(0).requests());
        }
        String without = "GET /sid= HTTP/1.1\r\n\r\n";
        assertEquals(without, rewritten(rules -> rules.token("sid=(\\w+)"), without));
        assertEquals(0, counts.get(0).asRecorded());
        rewritten(rules -> rules.token("sid=(\\w+)"), "LIVE", "GET /sid=old HTTP/1.1\r\n\r\n");
        assertEquals(0, counts.get(0).asRecorded());
        assertEquals(1, counts.get(0).requests());
    }

    /** Over a pool a request does not wait for the answer before it in its session. */
    @Test
    void countsWhatAPoolSendsTooEarly() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, MS, "GET /login HTTP/1.1\r\n\r\n");
        recording.request(connection, 2 * MS, "GET /cart HTTP/1.1\r\nCookie: sid=rec\r\n\r\n");
        CountDownLatch sent = new CountDownLatch(1);
        try (Capture capture = recording.finish();
                TestingServer server = new TestingServer((c, head, socket, out) -> {
                    if (head.startsWith("GET /login")) {
                        sent.await(60, TimeUnit.SECONDS);
                    } else {
                        sent.countDown();
                    }
                    out.write("HTTP/1.1 200 OK\r\nSet-Cookie: sid=live\r\nContent-Length: 0\r\n\r\n"
                            .getBytes(StandardCharsets.ISO_8859_1));
                    return true;
                })) {
            LoadResult result = replay(
                    ReplayConfig.builder(capture)
                            .pace(Pace.MAX)
                            .connections(2)
                            .requestLimit(2)
                            .rewrites(Rewrites.builder().token("sid=(\\w+)").build()),
                    server);

            assertEquals(2, result.counts().completed);
            assertEquals(0, counts.get(0).requests());
            assertEquals(1, counts.get(0).asRecorded());
        }
    }

    @Test
    void leavesARequestWhoseLineAValueWouldBreak() {
        String recorded = "GET /sid=old HTTP/1.1\r\nX: sid=old\r\n\r\n";

        assertEquals(recorded, rewritten(rules -> rules.token("sid=(\\w+)"), "a b", recorded));
        assertEquals(1, notes.size(), notes::toString);
        assertEquals(0, counts.get(0).requests());
    }

    /** Else bytes of the body were another request's, or the answer were framed as that of another method. */
    @Test
    void leavesARequestWhoseEndAValueWouldMove() {
        for (String recorded : List.of(
                "POST / HTTP/1.1\r\nContent-Length: 12\r\nX: y\r\n\r\nabcdefghijkl",
                "POST / HTTP/1.1\r\nY: 12\r\ncontent-length : 3\r\nTransfer-Encoding: 12\r\n\r\nabc",
                "P12 / HTTP/1.1\r\nX: y\r\n\r\n",
                "POST / HTTP/1.12\r\nX: y\r\n\r\n")) {
            assertEquals(recorded, rewritten(rules -> rules.token("(12)"), "99", recorded));
            assertEquals(0, counts.get(0).requests());
            assertEquals(
                    List.of("rewriting, 1 times: value not used: it would have broken the request, or is too long"),
                    notes);
        }
        String named = "POST / HTTP/1.1\r\nContent-12: 5\r\n\r\n";
        assertEquals(named, rewritten(rules -> rules.token("(12)"), "Length", named));
        assertEquals(
                "POST /99 HTTP/1.1\r\nContent-Length: 5\r\n\r\nab-99",
                rewritten(
                        rules -> rules.token("[/-](12)"), "99", "POST /12 HTTP/1.1\r\nContent-Length: 5\r\n\r\nab-12"));
    }

    @Test
    void givesUpExpressionsThatTakeTooLong() {
        String recorded = "GET /" + "a".repeat(5000) + "! HTTP/1.1\r\nX: 1\r\n\r\n";

        assertEquals(recorded, rewritten(rules -> rules.path("(a+)+$=>b"), recorded));
        assertEquals(recorded, rewritten(rules -> rules.token("/((?:a|b|aa)*)!!"), "x", recorded));
        assertEquals(
                List.of("rewriting, 1 times: search given up: an expression took too many steps"),
                notes.stream().distinct().collect(Collectors.toList()));
    }

    @Test
    void sendsTheSameBytesWhereNoRuleMatches() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String alphabet = "GET /\r\n\r\n: HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\tContent-Length: 5abc\u00e9\u0000";
        List<String> all = new ArrayList<>();
        for (int round = 0; round < 2000; round++) {
            StringBuilder recorded = new StringBuilder(random.nextBoolean() ? "POST /a HTTP/1.1\r\n" : "");
            int pieces = random.nextInt(20);
            for (int i = 0; i < pieces; i++) {
                int from = random.nextInt(alphabet.length());
                recorded.append(alphabet, from, from + 1 + random.nextInt(alphabet.length() - from));
            }
            all.add(recorded.append("\r\n\r\n")
                    .append("x".repeat(random.nextInt(50)))
                    .toString());
        }

        List<String> sent =
                rewritten(rules -> rules.path("nowhere=>b").header("Nowhere:").token("nowhere=(\\w+)"), "live", all);

        assertEquals(all, sent, "seed " + seed);
    }

    @Test
    void findsTokensInAnswersHoweverTheyAreCut() {
        for (int piece : new int[] {1, 7, 1000, 1 << 20}) {
            assertEquals("abc", found("sid=(\\w+)", piece, "Set-Cookie: sid=abc; Path=/", "nothing"));
            assertEquals(
                    "abc", found("<a>(.*?)</a>", piece, "X: y", "x".repeat(65_530) + "<a>abc</a>" + "y".repeat(99)));
            assertEquals("abc", found("sid=(\\w+)", piece, "X: y", "z".repeat(65_534 - 4) + "sid=abc"));
            assertEquals(null, found("sid=(\\w+)", piece, "X: y", "sid=" + "a".repeat(5000)));
            assertEquals(null, found("sid=([^;]+)", piece, "X: y", "sid=a\u0000b;"));
        }
    }

    @Test
    void keepsASessionAliveThroughARealReplay() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        int other = recording.open(0);
        recording.request(connection, MS, "GET /login HTTP/1.1\r\nCookie: sid=\r\n\r\n");
        recording.pieces(
                connection,
                2 * MS,
                "POST /cart HTTP/1.1\r\nCoo",
                "kie: a=b; sid=r",
                "ec1\r\nContent-Length: 8\r\n",
                "\r\nsid=rec1");
        recording.request(other, 3 * MS, "GET /b HTTP/1.1\r\nCookie: sid=rec2\r\n\r\n");
        int[] logins = {0};
        try (Capture capture = recording.finish();
                TestingServer server = new TestingServer((c, head, socket, out) -> {
                    String cookie = head.startsWith("GET /login") ? "Set-Cookie: sid=live" + ++logins[0] + "\r\n" : "";
                    out.write(("HTTP/1.1 200 OK\r\n" + cookie + "Content-Length: 0\r\n\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
                    return true;
                })) {
            LoadResult result = replay(
                    ReplayConfig.builder(capture)
                            .requestLimit(6)
                            .rewrites(Rewrites.builder()
                                    .token("sid=(\\w+) <= ^Set-Cookie: sid=(\\w+)")
                                    .build()),
                    server);

            assertEquals(6, result.counts().completed);
            String all = "";
            for (int i = 0; i < server.connections(); i++) {
                all += server.received(i);
            }
            for (int pass = 1; pass <= 2; pass++) {
                assertTrue(
                        all.contains("Cookie: a=b; sid=live" + pass + "\r\nContent-Length: 9\r\n\r\nsid=live" + pass),
                        all);
            }
            assertTrue(all.contains("Cookie: sid=rec2\r\n"), all);
            assertEquals(2, counts.get(0).requests());
            assertEquals(2, counts.get(0).answers());
            assertEquals(2, counts.get(0).asRecorded());
            assertEquals(null, result.streamDigest().sha256());
            assertTrue(
                    result.streamDigest().absentReason().startsWith("they were rewritten, as asked for: --token "),
                    result.streamDigest().absentReason());
        }
    }

    @Test
    void rewritesInAPoolToo() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 5, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            LoadResult result = replay(
                    ReplayConfig.builder(capture)
                            .pace(Pace.MAX)
                            .connections(2)
                            .requestLimit(20)
                            .rewrites(Rewrites.builder()
                                    .host(null)
                                    .path("^/=>/v2/")
                                    .build()),
                    server);

            assertEquals(20, result.counts().completed);
            assertTrue(server.requests().stream().allMatch(line -> line.matches("GET /v2/[0-4] HTTP/1.1")));
            assertTrue(
                    server.received(0)
                            .contains("\r\nHost: " + server.address().getHostString() + ":"
                                    + server.address().getPort() + "\r\n"),
                    server.received(0));
            assertEquals(
                    List.of(20L, 20L),
                    counts.stream().map(RewriteCount::requests).collect(Collectors.toList()));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "header | X | expected 'Name: value', or 'Name:' to remove it, found 'X'",
                "header | Content-Length: 5 | Content-Length says where the request ends and is kept right by Lockstep; leave it out",
                "path | /a | expected REGEX=>REPLACEMENT such as '^/v1/=>/v2/', found '/a'",
                "path | (=>b | '(' is no regular expression: Unclosed group",
                "path | a=>$1 | expected $1 and so on only for groups of the expression, and \\$ for the sign itself, found 'a=>$1'",
                "token | sid=\\w+ | expected an expression with a group for the value, such as 'sid=(\\w+)', found 'sid=\\w+'",
            })
    void refusesRulesThatAreNone(String kind, String rule, String problem) {
        String message = assertThrows(IllegalArgumentException.class, () -> {
                    Rewrites.Builder rules = Rewrites.builder();
                    if (kind.equals("header")) {
                        rules.header(rule);
                    } else if (kind.equals("path")) {
                        rules.path(rule);
                    } else {
                        rules.token(rule);
                    }
                })
                .getMessage();

        assertEquals(problem, message.substring(message.indexOf(": ") + 2));
    }

    @Test
    void refusesOtherProtocols() {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.THRIFT_FRAMED_BINARY);
        recording.request(connection, MS, "x");
        try (Capture capture = recording.finish()) {
            Rewrites rewrites = Rewrites.builder().host(null).build();

            String message = assertThrows(IllegalArgumentException.class, () -> rewrites.check(capture, true))
                    .getMessage();

            assertEquals(
                    "--rewrite-host: expected HTTP/1 requests, which alone can be rewritten, found thrift-framed-binary in "
                            + capture.path() + "; keep the others with: replay filter --protocol http/1 "
                            + capture.path()
                            + " -o http.bin",
                    message);
        }
    }

    @Test
    void listsRulesWithoutSecrets() {
        Rewrites rewrites = Rewrites.builder()
                .token("(?<=x)sid=(\\w+)")
                .header("Authorization: Basic abc")
                .header("X-Jwt-Assertion: abc")
                .header("Accept: a")
                .header("Cookie:")
                .host("h:1")
                .build();

        assertEquals(
                List.of(
                        "--token '(?<=x)sid=(\\w+)'",
                        "--set-header 'Authorization: ***'",
                        "--set-header 'X-Jwt-Assertion: ***'",
                        "--set-header 'Accept: a'",
                        "--set-header 'Cookie:'",
                        "--rewrite-host h:1"),
                rewrites.options());
        assertEquals(null, Rewrites.builder().build());
    }

    @Test
    void notesWhatWasLeftAloneWhileItWasMeasured() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 3, MS);
                TestingServer server = new TestingServer(TestingServer.OK);
                Replayer replayer = Replayer.launchCold(ReplayConfig.builder(capture)
                        .connections(1)
                        .pace(Pace.MAX)
                        .rewrites(Rewrites.builder().path("^/.*=>").build())
                        .build())) {
            TargetReplay target = replayer.addTarget("a", server.address());
            replayer.measure(List.of(target), 0, 1, Replayer.Progress.NONE);
            replayer.endMeasured();
            replayer.loadFully(List.of(target), 0, 1, 200 * MS, Replayer.Progress.NONE);
            replayer.finish();

            assertTrue(server.requests().size() > 3, "full load was sent");
            assertEquals(
                    List.of("rewriting, 3 times: value not used: it would have broken the request, or is too long"),
                    target.notes());
        }
    }

    private static String text(String table) {
        return table.replace("~", "\r\n").replace('^', '\n');
    }

    @Test
    void sendsALoginAsItIsRenewed() throws Exception {
        LiveToken login = new LiveToken();
        login.set("first");
        List<String> logins = new CopyOnWriteArrayList<>();
        try (Capture capture = TestingCapture.gets(directory, 6, 1_000_000);
                TestingServer server = new TestingServer((connection, head, socket, out) -> {
                    String field = head.replaceAll("(?s).*Authorization: ([^\r]*).*", "$1");
                    logins.add(field);
                    if (logins.size() == 4) {
                        login.set("second");
                    }
                    String status = field.equals("Bearer second") ? "200 OK" : "401 U";
                    out.write(("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
                    return true;
                })) {
            TargetReplay target = TestingReplay.to(
                    server.address(),
                    ReplayConfig.builder(capture)
                            .connections(1)
                            .pace(Pace.MAX)
                            .rewrites(Rewrites.builder().login(login).build()));

            assertEquals(Map.of(200, 2L, 401, 4L), target.result().counts().statusCodes());
            assertEquals(
                    List.of(
                            "Bearer first",
                            "Bearer first",
                            "Bearer first",
                            "Bearer first",
                            "Bearer second",
                            "Bearer second"),
                    logins);
            assertEquals(4, login.refused());
            assertEquals(List.of("the token of --token-command was renewed once"), target.notes());
            assertEquals("--token-command ***", target.rewrites().get(0).rule());
            assertEquals(6, target.rewrites().get(0).requests());
        }
    }

    private String rewritten(Consumer<Rewrites.Builder> rules, String recorded) {
        return rewritten(rules, null, recorded);
    }

    private String rewritten(Consumer<Rewrites.Builder> rules, String live, String recorded) {
        return rewritten(rules, live, List.of(recorded)).get(0);
    }

    /**
     * Returns what is sent for requests that were recorded in pieces, where the session knows this value for each
     * token.
     */
    private List<String> rewritten(Consumer<Rewrites.Builder> rules, String live, List<String> recorded) {
        TestingCapture recording = new TestingCapture(newDirectory());
        int connection = recording.open(0);
        for (String request : recorded) {
            int third = request.length() / 3;
            recording.pieces(
                    connection,
                    MS,
                    request.substring(0, third),
                    request.substring(third, 2 * third),
                    "",
                    request.substring(2 * third));
        }
        Rewrites.Builder builder = Rewrites.builder();
        rules.accept(builder);
        EmbeddedChannel channel = new EmbeddedChannel();
        try (Capture capture = recording.finish()) {
            Rewriter rewriter =
                    new Rewriter(builder.build(), capture, new RequestSource(capture, Endpoints.of(capture)), OWN_HOST);
            if (live != null) {
                Arrays.fill(rewriter.sessions.of(0), live);
            }
            List<String> all = new ArrayList<>();
            for (int n = 0; n < recorded.size(); n++) {
                long bytes = rewriter.write(channel, n, null, 0);
                channel.flush();
                StringBuilder sent = new StringBuilder();
                for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
                    sent.append(out.toString(StandardCharsets.ISO_8859_1));
                    out.release();
                }
                assertEquals(bytes, sent.length());
                all.add(sent.toString());
            }
            counts = rewriter.counts();
            notes = rewriter.notes();
            return all;
        } finally {
            channel.finishAndReleaseAll();
        }
    }

    private Path newDirectory() {
        try {
            return Files.createTempDirectory(directory, "capture");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the value found in an answer whose body comes in pieces of this size, or null. */
    private String found(String expression, int piece, String headerLine, String body) {
        try (Capture capture = TestingCapture.gets(newDirectory(), 1, MS)) {
            Rewriter rewriter = new Rewriter(
                    Rewrites.builder().token(expression).build(),
                    capture,
                    new RequestSource(capture, Endpoints.of(capture)),
                    OWN_HOST);
            TokenFinder finder = new TokenFinder(rewriter);
            finder.begin(0, null);
            ByteBuf head = Unpooled.copiedBuffer(headerLine, StandardCharsets.ISO_8859_1);
            finder.headerLine(head, 0, head.readableBytes());
            ByteBuf bytes = Unpooled.copiedBuffer(body, StandardCharsets.ISO_8859_1);
            for (int at = 0; at < bytes.readableBytes(); at += piece) {
                finder.body(bytes, at, Math.min(bytes.readableBytes(), at + piece));
            }
            finder.end();
            assertTrue(finder.room() <= 4096, () -> "for each connection: " + finder.room());
            return rewriter.sessions.of(0)[0];
        }
    }

    private LoadResult replay(ReplayConfig.Builder config, TestingServer server) {
        TargetReplay target = TestingReplay.to(server.address(), config);
        counts = target.rewrites();
        return target.result();
    }
}
