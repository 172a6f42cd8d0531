package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Outage;
import dev.lockstep.measurement.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replays through a {@link ChaosProxy} and, at the same time, to the server behind it. Whatever happens on the way, the
 * counts add up, no buffer is lost, the run ends in time, and the other target notices nothing.
 */
@Tag("full")
class ChaosTest {
    private static final long MS = 1_000_000;
    private static final int CONNECTIONS = 8;
    private static final int REQUESTS = 240;

    private static TestingLeaks leaks;

    @TempDir
    Path directory;

    /** What the intervals of each target add up to. */
    private static final class Sums implements IntervalSink {
        final Map<String, Interval> sums = new HashMap<>();
        final Map<String, Long> endsNs = new HashMap<>();

        @Override
        public void interval(String target, Interval interval) {
            Interval sum = sums.computeIfAbsent(target, name -> new Interval());
            sum.counts().add(interval.counts());
            sum.responseTime().add(interval.responseTime());
            sum.generatorLag().add(interval.generatorLag());
            sum.inFlight = interval.inFlight;
            LoadCounts counts = sum.counts();
            assertEquals(counts.sent, counts.completed + counts.errors() + interval.inFlight, "within the run");
            assertTrue(interval.startNs >= endsNs.getOrDefault(target, 0L), "intervals do not overlap");
            endsNs.put(target, interval.endNs);
        }
    }

    @BeforeAll
    static void watchLeaks() {
        leaks = new TestingLeaks();
    }

    @AfterAll
    static void expectNoLeaks() {
        leaks.close();
    }

    @Test
    @Timeout(120)
    void countsAddUpWhateverHappensOverAPoolAtARate() throws Exception {
        for (long seed : seeds(4)) {
            run(seed, config -> config.connections(CONNECTIONS)
                    .pace(Pace.rate(600))
                    .requestLimit(REQUESTS));
        }
    }

    @Test
    @Timeout(120)
    void countsAddUpWhateverHappensInAClosedLoop() throws Exception {
        for (long seed : seeds(4)) {
            run(seed, config -> config.connections(CONNECTIONS).pace(Pace.MAX).requestLimit(REQUESTS));
        }
    }

    @Test
    @Timeout(120)
    void countsAddUpWhateverHappensToRecordedConnections() throws Exception {
        for (long seed : seeds(4)) {
            run(seed, config -> {});
        }
    }

    @Test
    @Timeout(120)
    void countsAddUpWhateverHappensToThriftCalls() throws Exception {
        runThrift(config -> {});
        runThrift(config -> config.connections(CONNECTIONS).pace(Pace.MAX).requestLimit(REQUESTS));
    }

    private interface Settings {
        void change(ReplayConfig.Builder config);
    }

    private static List<Long> seeds(int count) {
        List<Long> seeds = new ArrayList<>();
        String given = System.getProperty("lockstep.chaosSeed");
        Random random = new Random();
        for (int i = 0; i < count; i++) {
            seeds.add(given == null ? random.nextLong() : Long.valueOf(Long.parseLong(given)));
        }
        return seeds;
    }

    private void run(long seed, Settings settings) throws IOException {
        try (TestingServer server = new TestingServer(TestingServer.OK)) {
            run(seed, Protocol.HTTP1, server.address(), settings);
        }
    }

    private void runThrift(Settings settings) throws IOException {
        try (TestingThriftServer server = new TestingThriftServer(TestingThriftServer.PLAIN)) {
            run(seeds(1).get(0), Protocol.THRIFT_FRAMED_BINARY, server.address(), settings);
        }
    }

    private void run(long seed, Protocol protocol, InetSocketAddress server, Settings settings) throws IOException {
        String what = "repeat with -Dlockstep.chaosSeed=" + seed;
        Sums sums = new Sums();
        LoadResult chaotic;
        LoadResult calm;
        try (Capture capture = capture(seed, protocol);
                ChaosProxy proxy = new ChaosProxy(server, seed)) {
            ReplayConfig.Builder config = ReplayConfig.builder(capture)
                    .timeoutNs(500 * MS)
                    .intervals(sums)
                    .intervalNs(20 * MS);
            settings.change(config);
            try (Replayer replayer = Replayer.launchCold(config.build())) {
                TargetReplay through = replayer.addTarget("chaotic", proxy.address());
                TargetReplay direct = replayer.addTarget("calm", server);
                replayer.measure(List.of(through, direct), 0, 1, Replayer.Progress.NONE);
                replayer.finish();
                chaotic = through.result();
                calm = direct.result();
            }
            what += " " + proxy.done();
        }
        assertAddsUp(chaotic, sums.sums.get("chaotic"), what);
        assertAddsUp(calm, sums.sums.get("calm"), what);
        // A machine that stands still for half a second would give the calm target a time-out.
        long timeouts =
                calm.counts().errors(ErrorKind.READ_TIMEOUT) + calm.counts().errors(ErrorKind.CONNECT_TIMEOUT);
        assertEquals(
                timeouts, calm.counts().errors(), what + ": " + calm.counts().errorsByKind());
        assertEquals(REQUESTS, calm.counts().completed + timeouts, what);
    }

    private static void assertAddsUp(LoadResult result, Interval sum, String what) {
        LoadCounts counts = result.counts();
        String found = what + ": " + counts.errorsByKind() + " of " + counts.sent;
        assertEquals(counts.sent, counts.completed + counts.errors() + counts.unanswered, found);
        assertEquals(REQUESTS, counts.sent + counts.unsent, found);
        TestingReplay.assertEndpointsAddUp(result);
        assertEquals(counts.completed, result.responseTime().getTotalCount(), found);
        assertEquals(counts.completed, result.serviceTime().getTotalCount(), found);

        LoadCounts summed = sum.counts();
        assertEquals(counts.sent, summed.sent, found);
        assertEquals(counts.completed, summed.completed, found);
        assertEquals(counts.errorsByKind(), summed.errorsByKind(), found);
        assertEquals(counts.statusCodes(), summed.statusCodes(), found);
        assertEquals(counts.connections, summed.connections, found);
        assertEquals(counts.bytesSent, summed.bytesSent, found);
        assertEquals(counts.bytesReceived, summed.bytesReceived, found);
        assertEquals(counts.strayAnswers, summed.strayAnswers, found);
        assertEquals(counts.unanswered, sum.inFlight, found);
        assertEquals(result.responseTime(), sum.responseTime(), found);
        assertEquals(result.generatorLag(), sum.generatorLag(), found);

        long lastNs = 0;
        long failed = 0;
        for (Outage outage : result.outages()) {
            assertTrue(outage.fromNs() >= lastNs, found + result.outages());
            lastNs = outage.toNs().orElse(Long.MAX_VALUE);
            assertTrue(lastNs >= outage.fromNs(), found + result.outages());
            failed += outage.failedRequests();
        }
        assertTrue(failed <= counts.errors(), found + result.outages());
    }

    /** Requests on eight connections, some of them pipelined; of HTTP some with a body that no socket takes at once. */
    private Capture capture(long seed, Protocol protocol) throws IOException {
        Random random = new Random(seed);
        TestingCapture capture = new TestingCapture(Files.createTempDirectory(directory, "chaos"));
        int[] connections = new int[CONNECTIONS];
        for (int i = 0; i < CONNECTIONS; i++) {
            connections[i] = capture.open(0, protocol);
        }
        byte[] large = new byte[400_000];
        for (int i = 0; i < REQUESTS; i++) {
            int connection = connections[random.nextInt(CONNECTIONS)];
            long atNs = i * 2 * MS;
            if (protocol == Protocol.HTTP1 && random.nextInt(25) == 0) {
                byte[] head = ("POST /" + i + " HTTP/1.1\r\nHost: test\r\nContent-Length: " + large.length + "\r\n\r\n")
                        .getBytes(StandardCharsets.ISO_8859_1);
                byte[] request = Arrays.copyOf(head, head.length + large.length);
                capture.request(connection, atNs, request);
            } else {
                capture.request(connection, atNs, small(protocol, i));
                if (i + 1 < REQUESTS && random.nextInt(10) == 0) {
                    capture.request(connection, atNs, small(protocol, ++i));
                }
            }
        }
        for (int connection : connections) {
            capture.close(connection, REQUESTS * 2 * MS);
        }
        return capture.finish();
    }

    private static byte[] small(Protocol protocol, int i) {
        return protocol == Protocol.HTTP1
                ? TestingCapture.get(i).getBytes(StandardCharsets.ISO_8859_1)
                : TestingThrift.message(protocol, "call" + i % 3, TestingThrift.CALL, i);
    }
}
