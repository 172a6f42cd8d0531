package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.Pace;
import dev.lockstep.replayer.WarmUpSteps.Step;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class SteppedWarmUpTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    /** Heats each target for some intervals, and lets it have the pace for as many. */
    private static final class Scripted implements WarmUpSteps {
        final Map<String, Integer> heating = new HashMap<>();
        final Map<String, Integer> asked = new HashMap<>();
        final List<String> begun = new ArrayList<>();

        @Override
        public Step next(TargetReplay target) {
            int intervals = asked.merge(target.name(), 1, Integer::sum) - 1;
            int heated = heating.get(target.name());
            return intervals < 1
                    ? Step.COMPILE
                    : intervals < heated ? Step.HEAT : intervals < 2 * heated ? Step.PACE : Step.DONE;
        }

        @Override
        public void begins(TargetReplay target, Step step) {
            begun.add(target.name() + " " + step);
        }
    }

    @Test
    void heatsEachTargetForItsTimeAndThenSendsAtThePace() throws Exception {
        Map<String, List<Long>> answers = new TreeMap<>();
        Scripted steps = new Scripted();
        steps.heating.put("a", 2);
        steps.heating.put("b", 6);
        try (Capture capture = TestingCapture.gets(directory, 10, 10 * MS);
                TestingServer one = new TestingServer(TestingServer.OK);
                TestingServer two = new TestingServer(TestingServer.OK)) {
            ReplayConfig config = ReplayConfig.builder(capture)
                    .pace(Pace.RECORDED)
                    .requestLimit(20)
                    .intervalNs(50 * MS)
                    .intervals((target, interval) -> {
                        if (!interval.isMeasured()) {
                            answers.computeIfAbsent(target, name -> new ArrayList<>())
                                    .add(interval.counts().completed);
                        }
                    })
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay a = replayer.addTarget("a", one.address());
                TargetReplay b = replayer.addTarget("b", two.address());
                List<String> ended = new ArrayList<>();
                replayer.warmUp(List.of(a, b), steps, new Replayer.Progress() {
                    @Override
                    public void tick() {
                        // Nobody watches.
                    }

                    @Override
                    public void ended() {
                        ended.add("ended");
                    }
                });
                replayer.measure(List.of(a, b), 0, 1, Replayer.Progress.NONE);
                replayer.finish();

                assertEquals(List.of("ended"), ended);
                for (TargetReplay target : List.of(a, b)) {
                    assertEquals(20, target.result().counts().completed);
                    assertEquals(0, target.result().counts().errors());
                    assertEquals(
                            capture.streamSha256(),
                            target.result().streamDigest().sha256(),
                            "the heating is no part of what was measured");
                }
            }
            assertEquals(
                    one.requests().size(),
                    answers.get("a").stream().mapToLong(Long::longValue).sum() + 20);
        }
        assertEquals(List.of("a COMPILE", "b COMPILE", "a HEAT", "b HEAT"), steps.begun.subList(0, 4));
        assertEquals(List.of("a PACE", "b PACE"), steps.begun.subList(4, 6));
        List<String> together = new ArrayList<>(steps.begun);
        together.removeIf(step -> !step.startsWith("a"));
        assertEquals(List.of("a COMPILE", "a HEAT", "a PACE"), together, "a gets the pace until b is warm too");
        // 100 a second while it is not heated.
        long last = answers.get("a").get(answers.get("a").size() - 2);
        assertTrue(last <= 30, answers.toString());
    }

    /** Of which a part would come again for ever in a phase without an end. */
    @Test
    void endsBeforeAConnectionWithBytesOutsideOfRequests() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        for (int i = 0; i < 5; i++) {
            recording.request(connection, i * 10 * MS, TestingCapture.get(i));
        }
        recording.torn(connection, 60 * MS, "GET /half HTTP/1.1\r\n");
        recording.close(connection, 70 * MS);
        Scripted steps = new Scripted();
        steps.heating.put("a", 2);
        try (Capture capture = recording.finish();
                TestingServer server = new TestingServer(TestingServer.OK)) {
            ReplayConfig config = ReplayConfig.builder(capture)
                    .pace(Pace.RECORDED)
                    .requestLimit(5)
                    .intervalNs(50 * MS)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay a = replayer.addTarget("a", server.address());
                replayer.warmUp(List.of(a), steps, Replayer.Progress.NONE);
                replayer.measure(List.of(a), 0, 1, Replayer.Progress.NONE);
                replayer.finish();

                assertEquals(5, a.result().counts().completed);
            }
        }
    }

    @Test
    void loadsFullyAfterWhatWasMeasuredAndChangesNothingOfThat() throws Exception {
        Map<String, List<Interval.Phase>> phases = new TreeMap<>();
        Map<String, Long> loaded = new TreeMap<>();
        try (Capture capture = TestingCapture.gets(directory, 10, 10 * MS);
                TestingServer one = new TestingServer(TestingServer.OK);
                TestingServer two = new TestingServer(TestingServer.OK)) {
            ReplayConfig config = ReplayConfig.builder(capture)
                    .pace(Pace.RECORDED)
                    .requestLimit(20)
                    .intervalNs(50 * MS)
                    .intervals((target, interval) -> {
                        phases.computeIfAbsent(target, name -> new ArrayList<>())
                                .add(interval.phase);
                        if (interval.phase == Interval.Phase.FULL_LOAD) {
                            loaded.merge(target, interval.counts().completed, Long::sum);
                        }
                    })
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay a = replayer.addTarget("a", one.address());
                TargetReplay b = replayer.addTarget("b", two.address());
                replayer.measure(List.of(a, b), 0, 1, Replayer.Progress.NONE);
                replayer.endMeasured();
                for (int round = 0; round < 4; round++) {
                    replayer.loadFully(List.of(a), round, 4, 200 * MS, Replayer.Progress.NONE);
                    replayer.loadFully(List.of(b), round, 4, 200 * MS, Replayer.Progress.NONE);
                }
                assertTrue(a.takeLoopUtilisation() > 0, "the loop is watched");
                replayer.finish();

                for (TargetReplay target : List.of(a, b)) {
                    assertEquals(20, target.result().counts().completed);
                    assertEquals(0, target.result().counts().errors());
                    assertEquals(0, target.result().counts().unsent);
                    assertEquals(
                            capture.streamSha256(),
                            target.result().streamDigest().sha256());
                }
            }
            assertEquals(one.requests().size(), loaded.get("a") + 20);
            assertEquals(two.requests().size(), loaded.get("b") + 20);
        }
        assertTrue(loaded.get("a") > 0 && loaded.get("b") > 0, loaded.toString());
        List<Interval.Phase> order = phases.get("a");
        assertEquals(order.stream().sorted().collect(Collectors.toList()), order, "what was measured comes first");
    }

    /** So that the JIT sees connections end and begin before it compiles for good. */
    @Test
    void opensConnectionsAnewWhileItHeats() throws Exception {
        Scripted steps = new Scripted();
        steps.heating.put("a", 6);
        try (Capture capture = TestingCapture.gets(directory, 10, 10 * MS);
                TestingServer server = new TestingServer(TestingServer.OK)) {
            ReplayConfig config = ReplayConfig.builder(capture)
                    .pace(Pace.RECORDED)
                    .requestLimit(20)
                    .intervalNs(100 * MS)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay a = replayer.addTarget("a", server.address());
                replayer.warmUp(List.of(a), steps, Replayer.Progress.NONE);
                int opened = server.connections();
                replayer.finish();

                assertTrue(opened > config.heatingConnections() + 2, "opened " + opened);
            }
        }
    }

    @Test
    void heatsOverThePoolsConnectionsOrTwenty() {
        try (Capture capture = TestingCapture.gets(directory, 10, 10 * MS)) {
            assertEquals(20, ReplayConfig.builder(capture).build().heatingConnections());
            assertEquals(
                    4,
                    ReplayConfig.builder(capture)
                            .pace(Pace.rate(10))
                            .connections(4)
                            .build()
                            .heatingConnections());
            assertEquals(
                    100,
                    ReplayConfig.builder(capture)
                            .pace(Pace.rate(10))
                            .connections(1_000)
                            .build()
                            .heatingConnections());
            assertTrue(ReplayConfig.builder(capture).build().whyNotHeated().isEmpty());
        }
    }

    @Test
    void doesNotHeatWithWhatNeedsItsConnections() {
        TestingCapture recording = new TestingCapture(directory);
        int first = recording.open(0);
        recording.request(first, MS, TestingCapture.get(1));
        recording.opaque(first, 2 * MS, "bytes");
        try (Capture capture = recording.finish()) {
            assertFalse(ReplayConfig.builder(capture).build().whyNotHeated().isEmpty());
            ReplayConfig pooled = ReplayConfig.builder(capture)
                    .pace(Pace.rate(10))
                    .connections(4)
                    .build();
            assertTrue(pooled.whyNotHeated().isEmpty(), "a pool leaves such bytes out");
        }
    }

    /** A reader of ThriftMux says itself what its handshake and pings are, over a pool as over recorded connections. */
    @Test
    void heatsWithThriftMux() {
        TestingCapture recording = new TestingCapture(directory);
        int mux = recording.open(0, Protocol.THRIFT_MUX);
        recording
                .opaque(mux, MS, "handshake")
                .request(mux, 2 * MS, "a dispatch")
                .close(mux, 6 * MS);
        try (Capture capture = recording.finish()) {
            assertTrue(capture.opaque().bytes() > 0);
            assertTrue(ReplayConfig.builder(capture).build().whyNotHeated().isEmpty());
        }
    }

    @Test
    void heatsWithACaptureThatHasAHole() {
        TestingCapture recording = new TestingCapture(directory);
        int holed = recording.open(0);
        recording.request(holed, MS, TestingCapture.get(1)).torn(holed, 2 * MS, "POST /holed HT");
        recording.gap(holed, 3 * MS).opaque(holed, 3 * MS, "ttle rest");
        recording.request(holed, 4 * MS, TestingCapture.get(2));
        recording.close(holed, 6 * MS);
        try (Capture capture = recording.finish()) {
            assertTrue(capture.opaque().bytes() > 0);
            assertTrue(ReplayConfig.builder(capture).build().whyNotHeated().isEmpty());
        }
    }

    @Test
    void endsWhenATargetIsGivenUpOrTheRunIsStopped() throws Exception {
        Scripted steps = new Scripted();
        steps.heating.put("a", 1_000_000);
        steps.heating.put("b", 1_000_000);
        try (Capture capture = TestingCapture.gets(directory, 10, 10 * MS);
                TestingServer server = new TestingServer(TestingServer.OK);
                Replayer replayer = Replayer.launchCold(
                        ReplayConfig.builder(capture).intervalNs(20 * MS).build())) {
            List<TargetReplay> targets = List.of("a", "b").stream()
                    .map(name -> replayer.addTarget(name, server.address()))
                    .collect(Collectors.toList());
            List<String> ticks = new ArrayList<>();
            replayer.warmUp(targets, steps, () -> {
                ticks.add("tick");
                if (ticks.size() == 2) {
                    targets.get(0).abort();
                } else if (ticks.size() == 4) {
                    replayer.stop();
                }
            });
            assertTrue(ticks.size() >= 4 && ticks.size() < 100, ticks.size() + " intervals");
        }
    }

    /** With answers that may take for ever, one that waits for them never ends. */
    @Test
    void awaitsNoAnswerForLongWhenItIsStopped() throws Exception {
        Scripted steps = new Scripted();
        steps.heating.put("a", 1_000_000);
        TestingServer.Handler silent = (connection, head, socket, out) -> true;
        try (Capture capture = TestingCapture.gets(directory, 10, 10 * MS);
                TestingServer server = new TestingServer(silent);
                Replayer replayer = Replayer.launchCold(ReplayConfig.builder(capture)
                        .intervalNs(20 * MS)
                        .timeoutNs(0)
                        .build())) {
            TargetReplay target = replayer.addTarget("a", server.address());
            replayer.warmUp(List.of(target), steps, () -> {
                if (!server.requests().isEmpty()) {
                    replayer.stop();
                }
            });
        }
    }
}
