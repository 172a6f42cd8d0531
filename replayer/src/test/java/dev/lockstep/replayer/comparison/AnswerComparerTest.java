package dev.lockstep.replayer.comparison;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.AnswerComparison.Example;
import dev.lockstep.measurement.AnswerComparison.Kind;
import dev.lockstep.measurement.AnswerComparison.Part;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Pace;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.TargetReplay;
import dev.lockstep.replayer.TestingCapture;
import dev.lockstep.replayer.TestingServer;
import dev.lockstep.replayer.TestingThrift;
import dev.lockstep.replayer.TestingThriftServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class AnswerComparerTest {
    private static final int REQUESTS = 1000;
    private static final Protocol FRAMED = Protocol.THRIFT_FRAMED_BINARY;

    @TempDir
    Path directory;

    private final String base = "base";
    private final String other = "other";
    private Capture capture;
    private AnswerComparer comparer;

    /** What a target answers to a request, in one of its passes. */
    private interface Answers {
        void answer(AnswerLog log, int n);
    }

    private static final Answers SAME = (log, n) -> TestingAnswers.answer(log, n, 200, "body " + n, "server: x");

    @AfterEach
    void close() {
        if (capture != null) {
            capture.close();
        }
    }

    /** Even requests are of one kind, odd ones of another. */
    private void begin() throws IOException {
        begin("POST /orders");
    }

    private void begin(String odd) throws IOException {
        close();
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "c"));
        int connection = recording.open(0);
        for (int i = 0; i < REQUESTS; i++) {
            recording.request(connection, i, (i % 2 == 0 ? "GET /users/" + i + "?k=s" : odd) + " HTTP/1.1\r\n\r\n");
        }
        capture = recording.finish();
        comparer = new AnswerComparer(capture, REQUESTS, List.of(base, other), List.of(), true);
    }

    private AnswerComparison compare(Answers first, Answers second, Answers measured, Answers others)
            throws IOException {
        begin();
        fill(comparer.learningPass(base, 0), first);
        fill(comparer.learningPass(base, 1), second);
        fill(comparer.log(base), measured);
        fill(comparer.log(other), others);
        return comparer.compare(other);
    }

    private static void fill(AnswerLog log, Answers answers) {
        for (int n = 0; n < log.requests; n++) {
            answers.answer(log, n);
        }
    }

    private String differences() throws IOException {
        StringBuilder csv = new StringBuilder();
        comparer.writeDifferences(other, csv);
        return csv.toString();
    }

    private static Map<String, Part> parts(AnswerComparison comparison, String kind) {
        Kind found = comparison.kinds().stream()
                .filter(candidate -> candidate.name().equals(kind))
                .findFirst()
                .orElseThrow();
        return found.parts().stream().collect(Collectors.toMap(Part::name, part -> part));
    }

    @Test
    void equalAnswersAreEqual() throws IOException {
        AnswerComparison comparison = compare(SAME, SAME, SAME, SAME);

        assertEquals(REQUESTS, comparison.requests());
        assertEquals(REQUESTS, comparison.compared());
        assertEquals(0, comparison.different());
        assertEquals(0, comparison.withoutContents());
        assertEquals(OptionalLong.of(2 * REQUESTS), comparison.noisePairs());
        assertEquals(List.of(), comparison.kinds());
        assertEquals(List.of(), comparison.examples());
        assertEquals(Map.of(), comparison.byPart());
        assertEquals(1, differences().lines().count());
    }

    @Test
    void keepsTheBeginningsOfBothBodiesOfWhatDiffers() throws IOException {
        String longer = "x".repeat(5000);
        compare(SAME, SAME, SAME, (log, n) -> {
            if (n == 500) {
                TestingAnswers.answer(log, n, 500, longer, "server: x", "Content-Type: text/plain");
            } else {
                SAME.answer(log, n);
            }
        });

        List<AnswerComparer.Pair> pairs = comparer.pairs(other);

        assertEquals(1, pairs.size());
        assertEquals(500, pairs.get(0).example().request());
        AnswerBody theirs = pairs.get(0).baseline().orElseThrow();
        assertEquals("body 500", new String(theirs.beginning(), StandardCharsets.US_ASCII));
        AnswerBody mine = pairs.get(0).answer().orElseThrow();
        assertEquals("text/plain", mine.contentType());
        assertEquals(5000, mine.bytes());
        assertEquals(longer.substring(0, 4096), new String(mine.beginning(), StandardCharsets.US_ASCII));
    }

    @Test
    void oneDifferenceAmongAThousandCountsWhereTheBaselineNeverVaries() throws IOException {
        AnswerComparison comparison = compare(SAME, SAME, SAME, (log, n) -> {
            if (n == 500) {
                TestingAnswers.answer(log, n, 500, "oops", "server: x");
            } else {
                SAME.answer(log, n);
            }
        });

        assertEquals(1, comparison.different());
        assertEquals(Map.of("status", 1L), comparison.byPart());
        assertEquals(
                "500 instead of 200",
                parts(comparison, "GET /users/N").get("status").detail().orElseThrow());
        Example example = comparison.examples().get(0);
        assertEquals(500, example.request());
        assertEquals("GET /users/500?k=***", example.name());
        assertEquals("200", example.baselineOutcome());
        assertEquals("500", example.outcome());
        assertEquals(
                "request,name,parts,noise,baseline,answer,baselineBodyBytes,bodyBytes\n"
                        + "500,GET /users/500?k=***,status,,200,500,8,4\n",
                differences());
    }

    @Test
    void saysWhichStatusMostHadWhereNotAllHadTheSame() throws IOException {
        AnswerComparison comparison = compare(SAME, SAME, SAME, (log, n) -> {
            if (n == 500 || n == 502 || n == 504) {
                TestingAnswers.answer(log, n, n == 500 ? 500 : 404, "oops", "server: x");
            } else {
                SAME.answer(log, n);
            }
        });

        Part status = parts(comparison, "GET /users/N").get("status");
        assertEquals(3, status.differed());
        assertEquals("mostly 404 instead of 200", status.detail().orElseThrow());
    }

    @Test
    void writesNoNameThatASpreadsheetTakesForAFormula() throws IOException {
        begin("=HYPERLINK(1,2) /orders");
        fill(comparer.learningPass(base, 0), SAME);
        fill(comparer.learningPass(base, 1), SAME);
        fill(comparer.log(base), SAME);
        fill(
                comparer.log(other),
                (log, n) -> TestingAnswers.answer(log, n, n == 1 ? 500 : 200, "body " + n, "server: x"));
        comparer.compare(other);

        assertEquals(
                "1,\"'=HYPERLINK(1,2) /orders\",status,,200,500,6,6",
                differences().lines().skip(1).findFirst().orElseThrow());
    }

    @Test
    void tellsWhichPartsDifferAndOfWhichKindOfRequest() throws IOException {
        AnswerComparison comparison = compare(SAME, SAME, SAME, (log, n) -> {
            if (n % 2 == 0) {
                TestingAnswers.answer(log, n, 200, "body " + n, "server: y", "x-new: 1");
            } else {
                TestingAnswers.answer(log, n, 200, n % 4 == 1 ? "BODY " + n : "b", "server: x");
            }
        });

        assertEquals(REQUESTS, comparison.different());
        assertEquals(
                Map.of("header server", 500L, "header x-new", 500L, "body", 500L, "body length", 250L),
                comparison.byPart());
        assertEquals(
                List.of("header server", "header x-new"),
                List.copyOf(parts(comparison, "GET /users/N").keySet()).stream()
                        .sorted()
                        .collect(Collectors.toList()));
        assertEquals(
                3, comparison.examples().stream().map(Example::parts).distinct().count());
        assertEquals(10, comparison.examples().size());
    }

    @Test
    void whatTheBaselineVariesByItselfIsNoiseOfThatKindOfRequestOnly() throws IOException {
        AtomicInteger clock = new AtomicInteger();
        Answers stamped = (log, n) -> TestingAnswers.answer(
                log, n, 200, n % 2 == 0 ? "at " + (100_000 + clock.incrementAndGet()) : "same", "etag: " + clock.get());

        AnswerComparison comparison = compare(stamped, stamped, stamped, (log, n) -> {
            if (n == 1) {
                TestingAnswers.answer(log, n, 200, "sane", "etag: x");
            } else {
                stamped.answer(log, n);
            }
        });

        assertEquals(1, comparison.different());
        assertEquals(Map.of("body", 1L), comparison.byPart());
        Part body = parts(comparison, "GET /users/N").get("body");
        assertFalse(body.counted());
        assertEquals(1000, body.noise());
        assertTrue(parts(comparison, "POST /orders").get("body").counted());
        assertFalse(parts(comparison, "POST /orders").get("header etag").counted());
    }

    /** Such as the order of a set, a process id, or when it was started. */
    @Test
    void whatDiffersFromProcessToProcessIsNoiseOnceAnotherOfTheBaselineShowsIt() throws IOException {
        String again = "again";
        for (boolean known : new boolean[] {false, true}) {
            begin();
            comparer = new AnswerComparer(capture, REQUESTS, List.of(base, other, again), List.of(), true);
            if (known) {
                comparer.sameAs(again);
            }
            fill(comparer.learningPass(base, 0), ofProcess("1"));
            fill(comparer.learningPass(base, 1), ofProcess("1"));
            fill(comparer.log(base), ofProcess("1"));
            fill(comparer.log(again), ofProcess("2"));
            fill(comparer.log(other), (log, n) -> {
                if (n == 500) {
                    TestingAnswers.answer(log, n, 200, "sane", "x-pid: 3");
                } else {
                    ofProcess("3").answer(log, n);
                }
            });

            AnswerComparison comparison = comparer.compare(other);

            assertEquals(known ? 1 : REQUESTS, comparison.different());
            assertEquals(known ? Map.of("body", 1L) : Map.of("body", 1L, "header x-pid", 1000L), comparison.byPart());
            assertEquals(REQUESTS, comparer.compare(again).different(), "it is judged by one process");
        }
    }

    private static Answers ofProcess(String id) {
        return (log, n) -> TestingAnswers.answer(log, n, 200, "same", "x-pid: " + id);
    }

    @Test
    void aProcessThatDiedTellsNothingOfTheNoise() throws IOException {
        String again = "again";
        begin();
        comparer = new AnswerComparer(capture, REQUESTS, List.of(base, other, again), List.of(), true);
        comparer.sameAs(again);
        AtomicInteger clock = new AtomicInteger();
        Answers stamped = (log, n) -> TestingAnswers.answer(log, n, 200, "a", "etag: " + clock.incrementAndGet());
        fill(comparer.learningPass(base, 0), stamped);
        fill(comparer.learningPass(base, 1), stamped);
        fill(comparer.log(base), stamped);
        fill(comparer.log(again), (log, n) -> log.failed(n, ErrorKind.TARGET_DIED));
        fill(comparer.log(other), (log, n) -> {
            if (n == 7) {
                log.failed(n, ErrorKind.TARGET_DIED);
            } else {
                stamped.answer(log, n);
            }
        });

        AnswerComparison comparison = comparer.compare(other);

        assertEquals(1, comparison.different());
        assertEquals(Map.of("no answer", 1L), comparison.byPart());
    }

    @Test
    void moreThanNoiseExplainsCountsWithTheNoiseTakenOff() throws IOException {
        // Of the even requests, a tenth of the baseline's pairs differ, and three tenths from the other's answers.
        AnswerComparison comparison = compare(
                SAME,
                (log, n) -> TestingAnswers.answer(log, n, 200, n % 20 == 0 ? "noisy" + n : "body " + n, "server: x"),
                SAME,
                (log, n) -> TestingAnswers.answer(
                        log, n, 200, n % 20 < 6 && n % 2 == 0 ? "other" + n : "body " + n, "server: x"));

        Part body = parts(comparison, "GET /users/N").get("body");
        assertTrue(body.counted());
        assertEquals(150, body.differed());
        assertEquals(100, body.noise());
        assertEquals(100, comparison.different());
        assertEquals(151, differences().lines().count());
        assertTrue(differences().lines().skip(1).allMatch(line -> line.contains(",body,yes,")), differences());
    }

    @Test
    void asMuchAsNoiseExplainsDoesNotCount() throws IOException {
        AnswerComparison comparison = compare(
                SAME,
                (log, n) -> TestingAnswers.answer(log, n, 200, n % 20 == 0 ? "noisy" + n : "body " + n, "server: x"),
                SAME,
                (log, n) -> TestingAnswers.answer(log, n, 200, n % 20 == 2 ? "other" + n : "body " + n, "server: x"));

        assertEquals(0, comparison.different());
        assertEquals(50, parts(comparison, "GET /users/N").get("body").differed());
    }

    @Test
    void aStatusThatTheBaselineNeverGivesCountsHoweverItsOwnVaries() throws IOException {
        // A write that is there or not, as chance has it; once it fails.
        Answers chance =
                (log, n) -> TestingAnswers.answer(log, n, n % 2 == 0 ? 200 : (n * 7919 >> 3) % 2 == 0 ? 201 : 409, "a");
        Answers otherwise =
                (log, n) -> TestingAnswers.answer(log, n, n % 2 == 0 ? 200 : (n * 7919 >> 4) % 2 == 0 ? 201 : 409, "a");
        AnswerComparison comparison = compare(chance, otherwise, chance, (log, n) -> {
            if (n == 7) {
                TestingAnswers.answer(log, n, 500, "");
            } else {
                otherwise.answer(log, n);
            }
        });

        Part status = parts(comparison, "POST /orders").get("status");
        assertTrue(status.noise() > 300, () -> "noise " + status.noise());
        assertTrue(status.counted());
        assertEquals(1, comparison.different());
        assertEquals(1, comparison.examples().size());
        assertEquals("500", comparison.examples().get(0).outcome());
    }

    @Test
    void aRequestThatFailsAtOneTargetOnlyIsADifferenceOfItsOwn() throws IOException {
        AnswerComparison comparison = compare(SAME, SAME, SAME, (log, n) -> {
            if (n % 100 == 0) {
                log.failed(n, ErrorKind.CONNECTION_RESET);
            } else {
                SAME.answer(log, n);
            }
        });

        assertEquals(Map.of("no answer", 10L), comparison.byPart());
        assertEquals("connection-reset", comparison.examples().get(0).outcome());
        assertEquals(OptionalLong.empty(), comparison.examples().get(0).bodyBytes());
    }

    @Test
    void aRareFailureOfTheBaselineIsNotHeldAgainstTheOther() throws IOException {
        AnswerComparison comparison = compare(
                SAME,
                SAME,
                (log, n) -> {
                    if (n == 10) {
                        log.failed(n, ErrorKind.PREMATURE_CLOSE);
                    } else {
                        SAME.answer(log, n);
                    }
                },
                SAME);

        assertEquals(0, comparison.different());
    }

    @Test
    void saysHowManyWereComparedAndOfHowManyOnlyStatusAndLength() throws IOException {
        AnswerComparison comparison = compare(SAME, SAME, SAME, (log, n) -> {
            if (n < 10) {
                log.answered(n, 200, ("body " + n).length());
            } else if (n < 900) {
                SAME.answer(log, n);
            }
        });

        assertEquals(1000, comparison.requests());
        assertEquals(900, comparison.compared());
        assertEquals(10, comparison.withoutContents());
        assertEquals(0, comparison.different());
    }

    @Test
    void aKindThatWasNotLearnedIsJudgedByTheNoiseOfTheOthers() throws IOException {
        AtomicInteger counter = new AtomicInteger();
        Answers tagged = (log, n) ->
                TestingAnswers.answer(log, n, 200, "body " + n, "etag: " + counter.incrementAndGet(), "server: x");
        Answers onlyEven = (log, n) -> {
            if (n % 2 == 0) {
                tagged.answer(log, n);
            }
        };

        assertEquals(0, compare(onlyEven, onlyEven, tagged, tagged).different());
        AnswerComparison wrong = compare(
                onlyEven,
                onlyEven,
                tagged,
                (log, n) ->
                        TestingAnswers.answer(log, n, 200, n % 2 == 1 ? "wrong" : "body " + n, "server: x", "etag: a"));
        assertEquals(500, wrong.different());
        assertEquals(Set.of("body", "body length"), wrong.byPart().keySet());
    }

    @Test
    void everyDifferenceCountsWhereNoNoiseWasLearned() throws IOException {
        begin();
        fill(comparer.log(base), SAME);
        fill(comparer.log(other), (log, n) -> TestingAnswers.answer(log, n, 200, "body " + n, "server: " + n));

        AnswerComparison comparison = comparer.compare(other);

        assertEquals(OptionalLong.empty(), comparison.noisePairs());
        assertEquals(REQUESTS, comparison.different());
    }

    @Test
    void comparesWhatRealServersAnswer() throws Exception {
        // The baseline answers with lengths and a clock; the other in chunks, with errors, resets and an own header.
        AtomicInteger clock = new AtomicInteger(1_000_000);
        TestingServer.Handler baseline = (connection, head, socket, out) -> {
            String body = head.startsWith("GET /time ") ? "at " + clock.incrementAndGet() : "same";
            out.write(("HTTP/1.1 200 OK\r\nServer: s\r\nDate: " + clock.get() + "\r\nContent-Length: " + body.length()
                            + "\r\n\r\n" + body)
                    .getBytes());
            return true;
        };
        TestingServer.Handler wrong = (connection, head, socket, out) -> {
            if (head.startsWith("GET /bad ")) {
                out.write("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".getBytes());
            } else if (head.startsWith("GET /reset ")) {
                return false;
            } else if (head.startsWith("GET /header ")) {
                out.write("HTTP/1.1 200 OK\r\nServer: t\r\nContent-Length: 4\r\n\r\nsame".getBytes());
            } else {
                String body = head.startsWith("GET /time ") ? "at " + clock.incrementAndGet() : "same";
                out.write(("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nServer: s\r\n\r\n1\r\n"
                                + body.substring(0, 1) + "\r\n" + Integer.toHexString(body.length() - 1) + "\r\n"
                                + body.substring(1) + "\r\n0\r\n\r\n")
                        .getBytes());
            }
            return true;
        };
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        for (int i = 0; i < 50; i++) {
            for (String path : List.of("/time", "/chunks", "/bad", "/reset", "/header")) {
                recording.request(connection, i, "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
            }
        }
        capture = recording.finish();
        ReplayConfig config = ReplayConfig.builder(capture)
                .pace(Pace.MAX)
                .connections(3)
                .requestLimit(400)
                .spinNs(0)
                .learningApartNs(0)
                .longestLearningNs(60_000_000_000L)
                .build();
        try (TestingServer first = new TestingServer(baseline);
                TestingServer second = new TestingServer(wrong);
                Replayer replayer = Replayer.launchCold(config)) {
            TargetReplay one = replayer.addTarget("one", first.address());
            TargetReplay two = replayer.addTarget("two", second.address());
            AnswerComparer live = replayer.compareAnswers(List.of(one, two), List.of(), true);
            replayer.learnNoise(live, List.of(one, two), Replayer.Progress.NONE);
            replayer.measure(List.of(one, two), 0, 1, Replayer.Progress.NONE);
            replayer.finish();
            AnswerComparison comparison = live.compare(two.name());

            // Two learning passes and the run itself, at both alike.
            assertEquals(2 * 250 + 400, first.requests().size());
            assertEquals(2 * 250 + 400, second.requests().size());
            assertEquals(400, one.result().counts().sent);
            assertEquals(250, comparison.requests());
            assertEquals(250, comparison.compared());
            assertEquals(OptionalLong.of(500), comparison.noisePairs());
            assertEquals(
                    Map.of("status", 50L, "no answer", 50L, "header server", 50L),
                    comparison.byPart(),
                    comparison.examples().toString());
            assertEquals(150, comparison.different());
            assertTrue(parts(comparison, "GET /time").get("body").noise() > 90);
        }
    }

    @Test
    void comparesOverRecordedConnectionsToo() throws Exception {
        try (TestingServer first = new TestingServer(TestingServer.OK);
                TestingServer second = new TestingServer((connection, head, socket, out) -> {
                    out.write(TestingServer.ok(head.startsWith("GET /13 ") ? "no" : "ok"));
                    return true;
                })) {
            capture = TestingCapture.gets(directory, 100, 100_000);
            ReplayConfig config =
                    ReplayConfig.builder(capture).spinNs(0).learningApartNs(0).build();
            List<Integer> answered = new ArrayList<>();
            Replayer.Progress progress = new Replayer.Progress() {
                @Override
                public void tick() {}

                @Override
                public void ended() {
                    answered.add(first.requests().size() + second.requests().size());
                }
            };
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay one = replayer.addTarget("one", first.address());
                TargetReplay two = replayer.addTarget("two", second.address());
                AnswerComparer live = replayer.compareAnswers(List.of(one, two), List.of(), true);
                for (TargetReplay target : List.of(one, two)) {
                    replayer.learnNoise(live, List.of(target), progress);
                }
                assertEquals(List.of(200, 400), answered, "a target is done after both passes");
                for (int round = 0; round < 2; round++) {
                    replayer.measure(List.of(one), round, 2, Replayer.Progress.NONE);
                    replayer.measure(List.of(two), round, 2, Replayer.Progress.NONE);
                }
                replayer.finish();
                AnswerComparison comparison = live.compare(two.name());

                assertEquals(100, comparison.compared());
                assertEquals(OptionalLong.of(200), comparison.noisePairs());
                assertEquals(1, comparison.different());
                assertEquals(13, comparison.examples().get(0).request());
                assertEquals(List.of("body"), comparison.examples().get(0).parts());
            }
        }
    }

    @Test
    void comparesTheAnswersOfThrift() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.THRIFT_FRAMED_BINARY);
        for (int i = 0; i < 10; i++) {
            for (String name : List.of("get", "put", "fail")) {
                recording.request(connection, i, TestingThrift.message(FRAMED, name, TestingThrift.CALL, i));
            }
            recording.request(connection, i, TestingThrift.message(FRAMED, "log", TestingThrift.ONEWAY, i));
        }
        capture = recording.finish();
        ReplayConfig config = ReplayConfig.builder(capture)
                .pace(Pace.MAX)
                .connections(1)
                .spinNs(0)
                .build();
        try (TestingThriftServer first = new TestingThriftServer(TestingThriftServer.PLAIN);
                TestingThriftServer second = new TestingThriftServer((number, protocol, name, oneway, call) -> {
                    byte[] answer = TestingThriftServer.PLAIN.answer(number, protocol, name, oneway, call);
                    return "fail".equals(name)
                            ? TestingThrift.answer(protocol, call, 6)
                            : "get".equals(name) ? withResult(answer) : answer;
                });
                Replayer replayer = Replayer.launchCold(config)) {
            TargetReplay one = replayer.addTarget("one", first.address());
            TargetReplay two = replayer.addTarget("two", second.address());
            AnswerComparer live = replayer.compareAnswers(List.of(one, two), List.of(), true);
            replayer.measure(List.of(one, two), 0, 1, Replayer.Progress.NONE);
            replayer.finish();
            AnswerComparison comparison = live.compare(two.name());

            assertEquals(40, comparison.compared());
            assertEquals(Map.of("status", 10L, "body", 10L, "body length", 10L), comparison.byPart());
            assertEquals(
                    "thrift-exception instead of reply",
                    parts(comparison, "fail").get("status").detail().orElseThrow());
            assertTrue(parts(comparison, "get").get("body").counted());
        }
    }

    /** Returns a framed binary reply with a result of one number in place of an empty one. */
    private static byte[] withResult(byte[] reply) {
        ByteBuffer changed = ByteBuffer.allocate(reply.length + 7);
        changed.put(reply, 0, reply.length - 1)
                .put((byte) 8)
                .putShort((short) 0)
                .putInt(5)
                .put((byte) 0);
        return changed.putInt(0, reply.length + 7 - 4).array();
    }
}
