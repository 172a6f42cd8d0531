package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.measurement.Skew;
import dev.lockstep.net.Transport;
import dev.lockstep.replayer.schedule.ArrivalSchedule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class ReplayerTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    @Test
    void sendsTheRecordedBytesOnTheRecordedConnections() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int first = recording.open(0);
        int second = recording.open(1 * MS);
        String upload = "POST /upload HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(100_000);
        recording.request(first, 2 * MS, TestingCapture.get(1));
        recording.pieces(second, 3 * MS, "POST /pieces HTTP/1.1\r\nConte", "nt-Length: 4\r\n\r\nab", "", "cd");
        recording.request(first, 5 * MS, upload);
        recording.request(second, 9 * MS, TestingCapture.get(2));
        recording.close(first, 10 * MS);
        recording.close(second, 11 * MS);
        try (Capture capture = recording.finish();
                TestingServer server = new TestingServer(TestingServer.OK)) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());

            assertEquals(2, server.connections());
            List<String> received = new ArrayList<>(List.of(server.received(0), server.received(1)));
            Collections.sort(received);
            assertEquals(TestingCapture.get(1) + upload, received.get(0));
            assertEquals(
                    "POST /pieces HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd" + TestingCapture.get(2), received.get(1));
            assertEquals(4, result.counts().sent);
            assertEquals(4, result.counts().completed);
            assertEquals(Map.of(200, 4L), result.counts().statusCodes());
            assertSentWhole(capture, result);
        }
    }

    @Test
    void sendsPipelinedRequestsInOnePieceAndOthersAfterTheAnswer() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, 1 * MS, TestingCapture.get(0));
        recording.pipelined(connection, 1 * MS, TestingCapture.get(1));
        recording.pipelined(connection, 1 * MS, TestingCapture.get(2));
        recording.request(connection, 1 * MS, TestingCapture.get(3));
        AtomicInteger unansweredSeen = new AtomicInteger(-1);
        try (Capture capture = recording.finish();
                TestingServer server = new TestingServer((c, head, socket, out) -> {
                    if (head.startsWith("GET /0 ")) {
                        // The three came together and were read together; the fourth waits for their answers.
                        TestingServer.stall(50);
                        unansweredSeen.set(available(socket));
                    }
                    out.write(TestingServer.ok("ok"));
                    return true;
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());

            assertEquals(4, result.counts().completed);
            assertEquals(0, unansweredSeen.get());
            assertEquals(1, result.counts().deferred);
            assertSentWhole(capture, result);
        }
    }

    @Test
    void loopsTheCaptureOverAPoolUntilTheRequestLimit() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 7, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            LoadResult result = replay(at(Pace.MAX, 3, capture).requestLimit(100), server.address());

            assertEquals(100, result.counts().sent);
            assertEquals(100, result.counts().completed);
            assertEquals(100, server.requests().size());
            assertEquals(15, Collections.frequency(server.requests(), "GET /1 HTTP/1.1"));
            assertEquals(14, Collections.frequency(server.requests(), "GET /2 HTTP/1.1"));
            assertEquals(3, result.counts().connections);
            assertEquals(100, result.responseTime().getTotalCount());
            assertSentWhole(capture, result);
            assertEquals(result.responseTime(), result.serviceTime());
        }
    }

    @Test
    void hasNoDigestWithoutACompletePass() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 7, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            LoadResult result = replay(ReplayConfig.builder(capture).requestLimit(6), server.address());

            assertNull(result.streamDigest().sha256());
            assertTrue(
                    result.streamDigest().absentReason().contains("6 of 7"),
                    result.streamDigest().absentReason());
        }
    }

    @Test
    void keepsTheIntendedTimeThroughAStall() throws Exception {
        int stallMs = 500;
        AtomicInteger seen = new AtomicInteger();
        Object lock = new Object();
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer((connection, head, socket, out) -> {
                    // All connections wait behind the one that stalls, as in a paused process.
                    synchronized (lock) {
                        if (seen.incrementAndGet() == 500) {
                            TestingServer.stall(stallMs);
                        }
                    }
                    out.write(TestingServer.ok("ok"));
                    return true;
                })) {
            // 2 s at 1000/s over 4 connections with one stall of 500 ms or more: a quarter of the requests become due
            // in the stall, the first of them waits 500 ms and the last none: P(response > x) = (500 ms - x) / 2 s. A
            // slow machine only makes them wait longer.
            long beforeNs = System.nanoTime();
            LoadResult result = replay(at(Pace.rate(1000), 4, capture).requestLimit(2000), server.address());
            long tookNs = System.nanoTime() - beforeNs;

            assertEquals(2000, result.counts().completed);
            long p99 = result.responseTime().getValueAtPercentile(99) / MS;
            long p90 = result.responseTime().getValueAtPercentile(90) / MS;
            long max = result.responseTime().getMaxValue() / MS;
            assertTrue(p90 >= 290, "p90 " + p90 + " ms, expected 300 and what catching up takes");
            assertTrue(p99 >= 470, "p99 " + p99 + " ms, expected 480 and what catching up takes");
            assertTrue(max >= 499, "max " + max + " ms, expected 500");
            assertTrue(max <= 1.01 * tookNs / MS, "max " + max + " ms of " + tookNs / MS);
            assertTrue(result.counts().deferred >= 400, "deferred " + result.counts().deferred);
            // A connection carries one request at a time: the services take no longer than the connections are there,
            // however slow the machine is; the responses do, since requests wait for a connection too.
            assertTrue(result.responseTime().getMean() * 2000 >= 100 * 1e9);
            assertTrue(
                    result.serviceTime().getMean() * 2000 <= 1.01 * 4 * tookNs,
                    "mean service time " + result.serviceTime().getMean() + " ns in a run of " + tookNs);
        }
    }

    @Test
    @Tag("full")
    void keepsTheWaitOfWhatATurnLeavesOver() throws Exception {
        int stallMs = 1600;
        int frozenMs = 1000;
        AtomicInteger seen = new AtomicInteger();
        Object lock = new Object();
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer((connection, head, socket, out) -> {
                    synchronized (lock) {
                        if (seen.incrementAndGet() == 250) {
                            TestingServer.stall(stallMs);
                        }
                    }
                    out.write(TestingServer.ok("ok"));
                    return true;
                })) {
            // Two turns of 300 ms at 1000/s over 5 connections; from 249 ms on at the earliest the target stalls. What
            // is due in the rest of the first turn waits until the stall ends, 1550 ms or more: five requests on their
            // connections, the others for one of them. These go out in the second turn, a second later in which the
            // target stood still.
            try (Replayer replayer = Replayer.launchCold(
                    at(Pace.rate(1000), 5, capture).requestLimit(600).build())) {
                TargetReplay target = replayer.addTarget("a", server.address());
                long beforeNs = System.nanoTime();
                replayer.measure(List.of(target), 0, 2, new Replayer.Progress() {
                    @Override
                    public void tick() {}

                    @Override
                    public void ended() {
                        assertTrue(target.answeredSoFar() < 300, "nothing is left over");
                    }
                });
                sleep(frozenMs);
                replayer.measure(List.of(target), 1, 2, Replayer.Progress.NONE);
                long ranNs = System.nanoTime() - beforeNs - frozenMs * MS;
                replayer.finish();

                Histogram times = target.result().responseTime();
                assertEquals(600, times.getTotalCount());
                long waited = times.getTotalCount() - times.getCountBetweenValues(0, 1540 * MS);
                assertTrue(waited >= 45, waited + " requests waited for the end of the stall");
                assertTrue(times.getMaxValue() <= 1.01 * ranNs, times.getMaxValue() + " ns of " + ranNs);
            }
        }
    }

    @Test
    void aStalledTargetDelaysNoOther() throws Exception {
        stallOneOfTwo(1);
        stallOneOfTwo(2);
    }

    private void stallOneOfTwo(int loops) throws Exception {
        AtomicInteger stalls = new AtomicInteger();
        AtomicInteger swiftAnswers = new AtomicInteger();
        CountDownLatch swiftDone = new CountDownLatch(1);
        Path directory = Files.createTempDirectory(this.directory, "stall");
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer swift = new TestingServer((connection, head, socket, out) -> {
                    out.write(TestingServer.ok("ok"));
                    if (swiftAnswers.incrementAndGet() == 300) {
                        swiftDone.countDown();
                    }
                    return true;
                });
                TestingServer stalled = new TestingServer((connection, head, socket, out) -> {
                    // Stands still until the other has got all of its requests, which it would not if it had to wait.
                    if (stalls.incrementAndGet() == 5) {
                        swiftDone.await();
                    }
                    out.write(TestingServer.ok("ok"));
                    return true;
                })) {
            ReplayConfig config = at(Pace.rate(600), 2, capture)
                    .requestLimit(300)
                    .timeoutNs(30_000 * MS)
                    .loops(loops)
                    .spinNs(0)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay a = replayer.addTarget("stalled", stalled.address());
                TargetReplay b = replayer.addTarget("swift", swift.address());
                measureOnce(replayer, List.of(a, b));

                assertEquals(300, a.result().counts().completed);
                assertEquals(300, b.result().counts().completed);
                // The fifth is due after 7 ms, the other's last after 498 ms.
                assertTrue(a.result().responseTime().getMaxValue() >= 485 * MS);
            }
        }
    }

    @Test
    void replaysToSixteenTargetsOnOneLoop() throws Exception {
        List<TestingServer> servers = new ArrayList<>();
        try (Capture capture = TestingCapture.gets(directory, 10, MS)) {
            ReplayConfig config =
                    at(Pace.rate(500), 3, capture).requestLimit(200).build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                List<TargetReplay> targets = new ArrayList<>();
                for (int i = 0; i < 16; i++) {
                    servers.add(new TestingServer(TestingServer.OK));
                    targets.add(replayer.addTarget("target" + i, servers.get(i).address()));
                }
                measureOnce(replayer, targets);

                Skew skew = replayer.skew().orElseThrow();
                assertEquals(200, skew.spread().count());
                assertEquals(0, skew.unmeasured());
                assertTrue(skew.spread().min() > 0);

                for (TargetReplay target : targets) {
                    assertEquals(200, target.result().counts().completed, target.name());
                    assertSentWhole(capture, target.result());
                }
            }
        } finally {
            for (TestingServer server : servers) {
                server.close();
            }
        }
    }

    @Test
    void goesOnWithTheNextLaunchOnTheSameClock() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer first = new TestingServer(TestingServer.OK);
                TestingServer second = new TestingServer(TestingServer.OK)) {
            List<Integer> launches = new ArrayList<>();
            List<Long> startsNs = new ArrayList<>();
            ReplayConfig config = at(Pace.rate(500), 2, capture)
                    .requestLimit(100)
                    .spinNs(0)
                    .intervals((target, interval) -> {
                        launches.add(interval.launch);
                        startsNs.add(interval.startNs);
                    })
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                for (TestingServer server : List.of(first, second)) {
                    TargetReplay a = replayer.addTarget("a", server.address());
                    TargetReplay b = replayer.addTarget("b", server.address());
                    replayer.warmUp(List.of(a, b), 20 * MS, Replayer.Progress.NONE);
                    measureOnce(replayer, List.of(a, b));
                    for (TargetReplay target : List.of(a, b)) {
                        assertEquals(100, target.result().counts().completed);
                        assertSentWhole(capture, target.result());
                    }
                }

                assertEquals(4, first.connections());
                assertEquals(4, second.connections());
                assertEquals(200, replayer.skew().orElseThrow().spread().count());
                assertTrue(replayer.self().measuredNs() > 2 * 190 * MS);
                assertEquals(1, replayer.self().loops().size());
                assertEquals(List.of(1, 2), launches.stream().distinct().collect(Collectors.toList()));
                assertTrue(startsNs.get(startsNs.size() - 1) > 200 * MS, startsNs.toString());
                assertEquals(List.of(), replayer.invalidReasons("block"));
                List<String> reasons = replayer.lateReasons(1, count -> count + " blocks");
                assertTrue(
                        reasons.get(0).startsWith("a in 2 of 2 blocks, b in 2 of 2 blocks: Lockstep was more than "),
                        reasons.toString());
                assertTrue(
                        reasons.get(0).contains(" late with 1 % of its sends (limit 1 ns, --max-lag)"),
                        reasons.toString());
            }
        }
    }

    @Test
    void measuresRoundsAsOnePhase() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 50, 4 * MS);
                TestingServer one = new TestingServer(TestingServer.OK);
                TestingServer two = new TestingServer(TestingServer.OK)) {
            for (Pace pace : List.of(Pace.RECORDED, Pace.rate(500), Pace.MAX)) {
                ReplayConfig config = at(pace, 5, capture).requestLimit(150).build();
                try (Replayer replayer = Replayer.launchCold(config)) {
                    TargetReplay a = replayer.addTarget("a", one.address());
                    TargetReplay b = replayer.addTarget("b", two.address());
                    replayer.warmUp(List.of(a, b), 50 * MS, Replayer.Progress.NONE);
                    for (int round = 0; round < 4; round++) {
                        replayer.measure(List.of(round % 2 == 0 ? a : b), round, 4, Replayer.Progress.NONE);
                        replayer.measure(List.of(round % 2 == 0 ? b : a), round, 4, Replayer.Progress.NONE);
                    }
                    replayer.finish();
                    for (TargetReplay target : List.of(a, b)) {
                        LoadCounts counts = target.result().counts();
                        assertEquals(150, counts.sent, pace.toString());
                        assertEquals(150, counts.completed, pace.toString());
                        assertEquals(0, counts.unsent, pace.toString());
                        assertEquals(150, target.result().responseTime().getTotalCount());
                        assertSentWhole(capture, target.result());
                    }
                }
            }
        }
    }

    @Test
    void handsOnTheIntervalsOfTheWarmUpMarkedAsSuch() throws Exception {
        LoadCounts warmUp = new LoadCounts();
        LoadCounts measured = new LoadCounts();
        Map<String, Long> endsNs = new HashMap<>();
        AtomicInteger slow = new AtomicInteger();
        try (Capture capture = TestingCapture.gets(directory, 50, 4 * MS);
                TestingServer one = new TestingServer(TestingServer.OK);
                TestingServer two = new TestingServer(TestingServer.OK)) {
            ReplayConfig config = ReplayConfig.builder(capture)
                    .intervals((target, interval) -> {
                        (!interval.isMeasured() ? warmUp : measured).add(interval.counts());
                        // Both count from 0, the warm-up from its own start.
                        String phase = target + (!interval.isMeasured() ? " warm-up" : "");
                        assertTrue(interval.startNs >= endsNs.getOrDefault(phase, 0L), phase);
                        assertTrue(interval.endNs >= interval.startNs, phase);
                        endsNs.put(phase, interval.endNs);
                        for (int i = 0; i < interval.slowest().size(); i++) {
                            assertTrue(interval.slowest().lastByteNs(i) - System.nanoTime() <= 0);
                            assertTrue(interval.slowest().intendedNs(i)
                                    < interval.slowest().lastByteNs(i));
                        }
                        slow.addAndGet(
                                !interval.isMeasured() ? 0 : interval.slowest().size());
                    })
                    .intervalNs(20 * MS)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay a = replayer.addTarget("a", one.address());
                TargetReplay b = replayer.addTarget("b", two.address());
                replayer.warmUp(List.of(a), 100 * MS, Replayer.Progress.NONE);
                replayer.warmUp(List.of(b), 100 * MS, Replayer.Progress.NONE);
                for (int round = 0; round < 2; round++) {
                    replayer.measure(List.of(a), round, 2, Replayer.Progress.NONE);
                    replayer.measure(List.of(b), round, 2, Replayer.Progress.NONE);
                }
                replayer.finish();
                assertEquals(one.requests().size() + two.requests().size(), warmUp.sent + measured.sent);
                assertEquals(warmUp.sent, warmUp.completed);
                assertTrue(warmUp.completed > 0);
                assertEquals(100, measured.completed);
                assertEquals(50, a.result().counts().completed);
                assertTrue(endsNs.get("b warm-up") > endsNs.get("a warm-up"), "one clock for all");
                assertTrue(slow.get() > 0 && slow.get() <= 100, slow + " slow ones");
            }
        }
    }

    @Test
    void endsTheIntervalsOfATargetThatIsDoneWhileOthersGoOn() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer quick = new TestingServer(TestingServer.OK);
                TestingServer slow = new TestingServer((connection, head, socket, out) -> {
                    TestingServer.stall(20);
                    out.write(TestingServer.ok("ok"));
                    return true;
                })) {
            List<String> targets = new ArrayList<>();
            Map<String, Long> endsNs = new HashMap<>();
            ReplayConfig config = at(Pace.MAX, 1, capture)
                    .requestLimit(50)
                    .intervalNs(100 * MS)
                    .intervals((target, interval) -> {
                        targets.add(target);
                        endsNs.put(target, interval.endNs);
                    })
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                List<TargetReplay> both = List.of(
                        replayer.addTarget("quick", quick.address()), replayer.addTarget("slow", slow.address()));
                replayer.measure(both, 0, 1, Replayer.Progress.NONE);

                // The slow one takes a second or more. On a slow machine the quick one may too, but then it is done
                // before the other, whose intervals are the last.
                long quickNs = endsNs.get("quick");
                assertTrue(endsNs.get("slow") >= 990 * MS, endsNs.toString());
                assertTrue(quickNs < endsNs.get("slow") - 20 * MS, endsNs.toString());
                assertEquals("slow", targets.get(targets.size() - 1));
                replayer.finish();
                assertEquals(50, both.get(0).result().counts().completed);
                assertEquals(50, both.get(1).result().counts().completed);
            }
        }
    }

    @Test
    void saysThatARoundHasEndedBeforeItTakesTheLastIntervalOfIt() throws Exception {
        StringBuilder events = new StringBuilder();
        List<Long> bordersNs = new ArrayList<>();
        Replayer.Progress progress = new Replayer.Progress() {
            @Override
            public void tick() {}

            @Override
            public void ended() {
                events.append("ended ");
                long untilNs = System.nanoTime() + 50 * MS;
                while (System.nanoTime() < untilNs) {
                    Thread.onSpinWait();
                }
            }
        };
        try (Capture capture = TestingCapture.gets(directory, 20, 4 * MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            ReplayConfig config = ReplayConfig.builder(capture)
                    .intervals((target, interval) -> {
                        events.append("interval ");
                        if (interval.isMeasured()) {
                            bordersNs.add(interval.startNs);
                            bordersNs.add(interval.endNs);
                        }
                    })
                    .intervalNs(20 * MS)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", server.address());
                replayer.warmUp(List.of(target), 50 * MS, progress);
                for (int round = 0; round < 3; round++) {
                    replayer.measure(List.of(target), round, 3, progress);
                }
                replayer.finish();

                assertTrue(events.toString().matches("((interval )*ended interval ){4}"), events.toString());
                long longGaps = 0;
                for (int i = 1; i + 1 < bordersNs.size(); i += 2) {
                    longGaps += bordersNs.get(i + 1) - bordersNs.get(i) >= 50 * MS ? 1 : 0;
                }
                assertEquals(2, longGaps, "what is done then is no part of an interval: " + bordersNs);
                assertEquals(20, target.result().counts().completed);
            }
        }
    }

    @Test
    void leavesTheWarmUpOut() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 50, 4 * MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            ReplayConfig config =
                    ReplayConfig.builder(capture).intervalNs(100 * MS).build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", server.address());
                // Longer than an interval, so that one ends within it.
                replayer.warmUp(List.of(target), 250 * MS, Replayer.Progress.NONE);
                assertTrue(server.requests().size() > 0);
                measureOnce(replayer, List.of(target));

                assertEquals(50, target.result().counts().completed);
                assertEquals(50, target.result().responseTime().getTotalCount());
                assertEquals(50, target.result().serviceTime().getTotalCount());
                assertEquals(50, target.result().generatorLag().getTotalCount());
            }
        }
    }

    @Test
    void countsFailuresByKind() throws Exception {
        assertFailure(ErrorKind.MALFORMED_RESPONSE, (connection, head, socket, out) -> {
            out.write("220 smtp ready\r\n".getBytes(StandardCharsets.ISO_8859_1));
            return true;
        });
        assertFailure(ErrorKind.PREMATURE_CLOSE, (connection, head, socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel".getBytes(StandardCharsets.ISO_8859_1));
            return false;
        });
        assertFailure(ErrorKind.EXCESS_RESPONSE, (connection, head, socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, world".getBytes(StandardCharsets.ISO_8859_1));
            return true;
        });
        assertFailure(ErrorKind.CONNECTION_RESET, (connection, head, socket, out) -> {
            socket.setSoLinger(true, 0);
            return false;
        });
    }

    @Test
    void countsAnswersThatDoNotEndInTime() throws Exception {
        TestingServer.Handler endless = (connection, head, socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
            while (true) {
                out.write("1\r\nx\r\n".getBytes(StandardCharsets.ISO_8859_1));
                TimeUnit.MILLISECONDS.sleep(50);
            }
        };
        // A machine that stands still gives other requests a time-out too, so they get longer the second time and so
        // on.
        Retry.withTimeouts(300, timeoutMs -> assertFailure(ErrorKind.READ_TIMEOUT, endless, timeoutMs));
    }

    @Test
    void countsATimeOutOfTheLastRequestToo() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 1, MS);
                TestingServer server = new TestingServer((connection, head, socket, out) -> true)) {
            LoadCounts counts = replay(ReplayConfig.builder(capture).timeoutNs(500 * MS), server.address())
                    .counts();

            assertEquals(Map.of(ErrorKind.READ_TIMEOUT, 1L), counts.errorsByKind());
            assertEquals(0, counts.unanswered);
        }
    }

    private void assertFailure(ErrorKind kind, TestingServer.Handler third) throws Exception {
        assertFailure(kind, third, 30_000);
    }

    private void assertFailure(ErrorKind kind, TestingServer.Handler third, long timeoutMs) throws Exception {
        Path fresh = Files.createTempDirectory(directory, "failure");
        for (Pace pace : List.of(Pace.RECORDED, Pace.rate(200), Pace.MAX)) {
            try (Capture capture = TestingCapture.gets(Files.createTempDirectory(fresh, "c"), 6, MS);
                    TestingServer server = new TestingServer((connection, head, socket, out) -> {
                        if (head.startsWith("GET /2 ")) {
                            return third.answer(connection, head, socket, out);
                        }
                        out.write(TestingServer.ok("ok"));
                        return true;
                    })) {
                LoadResult result =
                        replay(at(pace, 2, capture).requestLimit(6).timeoutNs(timeoutMs * MS), server.address());

                String where = kind + " at pace " + pace;
                assertEquals(Map.of(kind, 1L), result.counts().errorsByKind(), where);
                assertEquals(5, result.counts().completed, where);
                assertEquals(6, result.counts().sent, where);
                assertEquals(0, result.counts().unanswered, where);
                assertEquals(capture.streamSha256(), result.streamDigest().sha256(), where);
            }
        }
    }

    @Test
    void sendsOnWhenAnAnswerComesBeforeItsUploadIsRead() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        String upload = "POST /early HTTP/1.1\r\nContent-Length: 8000000\r\n\r\n" + "x".repeat(8_000_000);
        recording.request(connection, 0, upload);
        recording.request(connection, MS, TestingCapture.get(1));
        try (Capture capture = recording.finish();
                ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread early = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    socket.getInputStream().readNBytes(1000);
                    socket.getOutputStream().write(TestingServer.ok("too early"));
                    TestingServer.stall(100);
                    socket.getInputStream()
                            .readNBytes(upload.length()
                                    - 1000
                                    + TestingCapture.get(1).length());
                    socket.getOutputStream().write(TestingServer.ok("at last"));
                    socket.getInputStream().read();
                } catch (IOException | InterruptedException e) {
                    // The replay failed; the assertions say so.
                }
            });
            early.start();
            LoadResult result =
                    replay(at(Pace.MAX, 1, capture).requestLimit(2).timeoutNs(30_000 * MS), (InetSocketAddress)
                            server.getLocalSocketAddress());

            assertEquals(Map.of(), result.counts().errorsByKind());
            assertEquals(2, result.counts().completed);
            assertTrue(result.responseTime().getMaxValue() < 30_000 * MS);
            assertSentWhole(capture, result);
            early.join();
        }
    }

    @Test
    void countsConnectionsThatTakeTooLong() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            // Fills the listen queue: from then on the kernel leaves attempts to connect unanswered.
            List<Socket> waiting = new ArrayList<>();
            try {
                while (true) {
                    Socket socket = new Socket();
                    waiting.add(socket);
                    socket.connect(full.getLocalSocketAddress(), 200);
                }
            } catch (SocketTimeoutException queueIsFull) {
                assertTrue(waiting.size() > 1);
            }
            try (Capture capture = TestingCapture.gets(directory, 3, MS)) {
                LoadResult result = replay(ReplayConfig.builder(capture).timeoutNs(200 * MS), (InetSocketAddress)
                        full.getLocalSocketAddress());

                assertEquals(
                        Map.of(ErrorKind.CONNECT_TIMEOUT, 3L), result.counts().errorsByKind());
                assertEquals(3, result.counts().sent);
            } finally {
                for (Socket socket : waiting) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void countsARefusedConnectionAsSuchWhateverItsHostIsCalled() throws Exception {
        try (UnusedPort port = new UnusedPort();
                Capture capture = TestingCapture.gets(directory, 3, MS)) {
            byte[] loopback = port.address().getAddress().getAddress();
            InetAddress host = InetAddress.getByAddress("preset", loopback);
            LoadResult result = replay(
                    ReplayConfig.builder(capture),
                    new InetSocketAddress(host, port.address().getPort()));

            assertEquals(Map.of(ErrorKind.CONNECT_REFUSED, 3L), result.counts().errorsByKind());
        }
    }

    @Test
    void owesNothingForRoundsAfterTheStop() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            for (Pace pace : List.of(Pace.rate(200), Pace.MAX)) {
                ReplayConfig config = at(pace, 2, capture).requestLimit(400).build();
                try (Replayer replayer = Replayer.launchCold(config)) {
                    TargetReplay first = replayer.addTarget("first", server.address());
                    TargetReplay second = replayer.addTarget("second", server.address());
                    replayer.measure(List.of(first), 0, 4, Replayer.Progress.NONE);
                    replayer.measure(List.of(second), 0, 4, Replayer.Progress.NONE);
                    replayer.stop();
                    replayer.measure(List.of(first), 1, 4, Replayer.Progress.NONE);
                    replayer.finish();

                    for (TargetReplay target : List.of(first, second)) {
                        LoadCounts counts = target.result().counts();
                        // Where the machine is late, the clock of an open loop's round runs on for a second at most.
                        long mostRunningOn = pace.closedLoop() ? 0 : 200;
                        long due = counts.completed + counts.unsent;
                        assertTrue(due >= 100 && due <= 100 + mostRunningOn, pace + ": " + due);
                        assertTrue(counts.unsent == 0 || !pace.closedLoop(), pace.toString());
                    }
                }
            }
        }
    }

    @Test
    void owesNothingOfAPhaseThatBeginsAfterTheStop() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            ReplayConfig config =
                    at(Pace.rate(200), 2, capture).requestLimit(400).build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", server.address());
                replayer.stop();
                measureOnce(replayer, List.of(target));

                assertEquals(0, target.result().counts().due());
            }
        }
    }

    @Test
    void doesNotWaitForATargetThatDiedBeforeItsFirstRound() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            ReplayConfig config = at(Pace.rate(100), 2, capture).build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("dead", server.address());
                target.abort();
                measureOnce(replayer, List.of(target));

                assertEquals(
                        Map.of(ErrorKind.TARGET_DIED, 10L),
                        target.result().counts().errorsByKind());
            }
        }
    }

    @Test
    void readsAnswersThatEndWithTheConnection() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 6, MS);
                TestingServer server = new TestingServer((connection, head, socket, out) -> {
                    out.write("HTTP/1.0 200 OK\r\n\r\nuntil the end".getBytes(StandardCharsets.ISO_8859_1));
                    return false;
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture), server.address());

            assertEquals(Map.of(), result.counts().errorsByKind());
            assertEquals(6, result.counts().completed);
            assertEquals(6, server.connections());
            assertEquals(6 * 13, result.counts().bodyBytesReceived);
            assertSentWhole(capture, result);
        }
    }

    @Test
    void framesAnswersToHeadRequests() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, 0, "HEAD /a HTTP/1.1\r\n\r\n");
        recording.pieces(connection, MS, "\r\nHE", "AD /b HTTP/1.1\r\n\r\n");
        recording.request(connection, 2 * MS, TestingCapture.get(1));
        try (Capture capture = recording.finish();
                TestingServer server = new TestingServer((c, head, socket, out) -> {
                    out.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
                    if (!head.contains("HEAD")) {
                        out.write("ok".getBytes(StandardCharsets.ISO_8859_1));
                    }
                    return true;
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture).timeoutNs(30_000 * MS), server.address());

            assertEquals(Map.of(), result.counts().errorsByKind());
            assertEquals(3, result.counts().completed);
        }
    }

    @Test
    void countsRefusedConnections() throws Exception {
        for (Pace pace : List.of(Pace.RECORDED, Pace.rate(200), Pace.MAX)) {
            try (Capture capture = TestingCapture.gets(Files.createTempDirectory(directory, "c"), 6, MS);
                    UnusedPort nobody = new UnusedPort()) {
                LoadResult result = replay(at(pace, 2, capture).requestLimit(6), nobody.address());

                assertEquals(
                        Map.of(ErrorKind.CONNECT_REFUSED, 6L), result.counts().errorsByKind(), pace.toString());
                assertEquals(6, result.counts().sent);
                assertNotNull(result.streamDigest().absentReason());
            }
        }
    }

    @Test
    void stopsEarlyAndCountsWhatIsLeft() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            ReplayConfig config = at(Pace.rate(100), 2, capture)
                    .durationNs(60_000 * MS)
                    .intervalNs(50 * MS)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", server.address());
                replayer.measure(List.of(target), 0, 1, () -> {
                    if (server.requests().size() >= 50) {
                        replayer.stop();
                    }
                });
                replayer.finish();

                LoadCounts counts = target.result().counts();
                assertTrue(counts.completed >= 48 && counts.completed < 6000, "completed " + counts.completed);
                assertEquals(counts.sent, counts.completed + counts.errors() + counts.unanswered);
                assertTrue(target.result().measuredNs() < 60_000 * MS);
            }
        }
    }

    @Test
    void countsWhatAnOverloadedTargetLeavesUnsent() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer((connection, head, socket, out) -> {
                    TimeUnit.MILLISECONDS.sleep(20);
                    out.write(TestingServer.ok("ok"));
                    return true;
                })) {
            LoadResult result = replay(at(Pace.rate(1000), 1, capture).durationNs(400 * MS), server.address());

            LoadCounts counts = result.counts();
            assertEquals(400, counts.sent + counts.unsent);
            assertTrue(counts.unsent > 200, "unsent " + counts.unsent);
            assertEquals(counts.sent, counts.completed);
        }
    }

    @Test
    void aGivenUpTargetEndsItsRoundAtOnce() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer((connection, head, socket, out) -> {
                    TimeUnit.SECONDS.sleep(50);
                    return false;
                })) {
            ReplayConfig config = at(Pace.rate(100), 2, capture)
                    .requestLimit(100)
                    .intervalNs(50 * MS)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", server.address());
                replayer.measure(List.of(target), 0, 1, () -> {
                    if (server.requests().size() == 2) {
                        target.abort();
                    }
                });
                measureOnce(replayer, List.of(target));

                LoadCounts counts = target.result().counts();
                assertEquals(100, counts.sent);
                assertEquals(0, counts.unanswered + counts.unsent);
                assertEquals(Map.of(ErrorKind.TARGET_DIED, 100L), counts.errorsByKind());
            }
        }
    }

    @Test
    void losesNoRequestOfAnySchedule() throws Exception {
        long seed = System.nanoTime();
        System.out.println("losesNoRequestOfAnySchedule seed " + seed);
        Random random = new Random(seed);
        AtomicInteger seen = new AtomicInteger();
        try (Capture capture = TestingCapture.gets(directory, 20, MS);
                TestingServer server = new TestingServer((connection, head, socket, out) -> {
                    // Slow enough now and then for requests to be left over, and connections closed.
                    int number = seen.incrementAndGet();
                    if (number % 97 == 0) {
                        TimeUnit.MILLISECONDS.sleep(20);
                    }
                    out.write(TestingServer.ok("ok"));
                    return number % 61 != 0;
                })) {
            for (String text : List.of(
                    "recorded",
                    "700/s",
                    "poisson:700/s:seed=" + random.nextInt(),
                    "ramp:1/s..1500/s:300ms",
                    "ramp:1500/s..1/s:300ms",
                    "steps:200/s:100ms,1500/s:100ms,300/s:100ms",
                    "closed:2ms",
                    "max")) {
                Pace pace = Pace.parse(text);
                boolean byCount = random.nextBoolean();
                boolean stopped = random.nextInt(3) == 0;
                long requests = byCount ? 20 + random.nextInt(200) : Long.MAX_VALUE;
                long durationNs = byCount ? Long.MAX_VALUE : (100 + random.nextInt(300)) * MS;
                int rounds = 1 + random.nextInt(4);
                String which = text + ", " + requests + " requests, " + durationNs + " ns, " + rounds + " rounds"
                        + (stopped ? ", stopped" : "") + ", seed " + seed;
                ReplayConfig config = at(pace, 1 + random.nextInt(4), capture)
                        .requestLimit(requests)
                        .durationNs(durationNs)
                        .spinNs(0)
                        .build();
                try (Replayer replayer = Replayer.launchCold(config)) {
                    List<TargetReplay> targets = List.of(
                            replayer.addTarget("a", server.address()), replayer.addTarget("b", server.address()));
                    for (int round = 0; round < rounds; round++) {
                        replayer.measure(targets, round, rounds, stopped ? replayer::stop : Replayer.Progress.NONE);
                    }
                    replayer.finish();
                    for (TargetReplay target : targets) {
                        LoadCounts counts = target.result().counts();
                        assertEquals(counts.sent, counts.completed + counts.errors() + counts.unanswered, which);
                        if (!stopped && (byCount || !pace.closedLoop())) {
                            long scheduled = requests;
                            if (!byCount) {
                                scheduled =
                                        ArrivalSchedule.of(pace, capture, 1).countBefore(durationNs, Long.MAX_VALUE);
                            }
                            assertEquals(scheduled, counts.sent + counts.unsent, which);
                        }
                    }
                }
            }
        }
    }

    @Test
    void watchesItself() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 20, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            ReplayConfig config = at(Pace.rate(500), 4, capture)
                    .requestLimit(150)
                    .spinNs(20 * MS)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", server.address());
                replayer.measure(List.of(target), 0, 3, Replayer.Progress.NONE);
                replayer.measure(List.of(target), 1, 3, System::gc);
                replayer.measure(List.of(target), 2, 3, Replayer.Progress.NONE);
                replayer.finish();

                SelfReport self = replayer.self();
                assertTrue(self.measuredNs() >= 298 * MS, "measured " + self.measuredNs());
                assertTrue(self.gcCount() >= 1, "collections " + self.gcCount());
                assertEquals(1, self.loops().size());
                assertTrue(self.loops().get(0).cpuNs() > 0);
                assertTrue(self.utilisation() <= 1);
                assertTrue(!self.bottleneck());
            }
        }
    }

    /** A slow answer at the end of a turn hid that the loop set the pace of all others. */
    @Test
    void tellsHowBusyAClosedLoopWasWhileItSent() throws Exception {
        Retry.untilUndisturbed(this::isBusyWhileItSends);
    }

    private void isBusyWhileItSends() throws Exception {
        TestingServer.Handler silentAtLast = (connection, head, socket, out) -> {
            if (!head.startsWith("GET /399 ")) {
                out.write(TestingServer.ok("ok"));
            }
            return true;
        };
        try (Capture capture = TestingCapture.gets(directory, 400, MS);
                TestingServer server = new TestingServer(silentAtLast)) {
            ReplayConfig config = at(Pace.MAX, 8, capture)
                    .requestLimit(400)
                    .timeoutNs(1500 * MS)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", server.address());
                replayer.measure(List.of(target), 0, 1, Replayer.Progress.NONE);
                double share = target.takeLoopUtilisation();
                replayer.finish();

                assertEquals(1, target.result().counts().errors(ErrorKind.READ_TIMEOUT));
                // With the time-out it is busy for a few hundredths of it.
                assertTrue(share > 0.1, "busy for " + share);
            }
        }
    }

    @Test
    void saysThatAStandstillOfItsOwnSpoiledTheRun() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 20, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            ReplayConfig config = at(Pace.rate(100), 4, capture)
                    .durationNs(50_000 * MS)
                    .intervalNs(200 * MS)
                    .spinNs(20 * MS)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", server.address());
                AtomicInteger ticks = new AtomicInteger();
                replayer.measure(List.of(target), 0, 1, () -> {
                    // Several times: a loop that waits for a slow machine's server just then sleeps, and is not
                    // watched.
                    if (ticks.incrementAndGet() < 8) {
                        target.loop().execute(() -> sleep(150));
                    } else {
                        replayer.stop();
                    }
                });
                replayer.finish();

                assertTrue(
                        replayer.self().longestStallNs() >= 150 * MS,
                        "" + replayer.self().longestStallNs());
                List<String> reasons = replayer.lateReasons(100 * MS, count -> count + " launches");
                assertTrue(
                        reasons.stream()
                                .anyMatch(reason -> reason.contains("an event loop of Lockstep stood still for ")),
                        reasons.toString());
            }
        }
    }

    @Test
    void countsWhatAStandstillOfItsOwnDelayedAlsoWhereThePoolRunsShortOfConnectionsThen() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 20, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            ReplayConfig config =
                    at(Pace.rate(1000), 2, capture).requestLimit(400).build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", server.address());
                replayer.measure(List.of(target), 0, 2, Replayer.Progress.NONE);
                // Between rounds every answer is there and both connections are free, on the slowest machine too. So
                // what becomes due while the loop stands still is late through us, and not through the target: all
                // requests of the round, 200 but for those of the first one's overtime, the last of them by 100 ms.
                long first = target.answeredSoFar();
                CompletableFuture<Void> secondRound = target.loop()
                        .submit(() -> {
                            CompletableFuture<Void> done = target.worker().startRound(1, 2, System.nanoTime());
                            sleep(300);
                            return done;
                        })
                        .get();
                secondRound.get(30, TimeUnit.SECONDS);
                replayer.finish();

                assertEquals(400, target.result().counts().completed);
                long late = target.result().ownLag().getTotalCount()
                        - target.result().ownLag().getCountBetweenValues(0, 90 * MS);
                assertTrue(first >= 200 && late >= 399 - first, late + " after " + first);
            }
        }
    }

    private static void sleep(long ms) {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void pausesBetweenAnAnswerAndTheNextRequest() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 5, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            long startNs = System.nanoTime();
            LoadResult result = replay(at(Pace.parse("closed:20ms"), 2, capture).requestLimit(12), server.address());

            assertEquals(12, result.counts().completed);
            // Six requests on each connection, with five pauses between them.
            assertTrue(System.nanoTime() - startNs >= 100 * MS);
            assertEquals(0, result.counts().deferred);
        }
    }

    @Test
    void replaysOverNioToo() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 50, MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            LoadResult result =
                    replay(ReplayConfig.builder(capture).transport(Transport.nio("for the test")), server.address());

            assertEquals(50, result.counts().completed);
            assertSentWhole(capture, result);
        }
    }

    @Test
    void refusesSettingsThatContradict() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 1, MS)) {
            IllegalArgumentException noPool = assertThrows(
                    IllegalArgumentException.class,
                    () -> ReplayConfig.builder(capture).pace(Pace.rate(10)).build());
            assertTrue(noPool.getMessage().startsWith("connections: "), noPool.getMessage());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ReplayConfig.builder(capture).speed(0).build());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ReplayConfig.builder(capture).requestLimit(0).build());
        }
    }

    /** The recorded pace goes over the recorded connections, any other over so many of a pool. */
    private static ReplayConfig.Builder at(Pace pace, int connections, Capture capture) {
        return ReplayConfig.builder(capture).pace(pace).connections(pace.equals(Pace.RECORDED) ? 0 : connections);
    }

    private static void measureOnce(Replayer replayer, List<TargetReplay> targets) {
        replayer.measure(targets, 0, 1, Replayer.Progress.NONE);
        replayer.finish();
        targets.forEach(target -> TestingReplay.assertEndpointsAddUp(target.result()));
    }

    /** Demands that the first pass sent just the bytes of the capture. */
    private static void assertSentWhole(Capture capture, LoadResult result) {
        assertEquals(
                capture.streamSha256(),
                result.streamDigest().sha256(),
                result.streamDigest().absentReason());
    }

    private static LoadResult replay(ReplayConfig.Builder builder, InetSocketAddress address) {
        return TestingReplay.to(address, builder).result();
    }

    private static int available(Socket socket) {
        try {
            return socket.getInputStream().available();
        } catch (IOException e) {
            return -1;
        }
    }
}
