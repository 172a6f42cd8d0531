package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.capture.Capture;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.Pace;
import dev.lockstep.results.EndpointResult;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The engine as its callers use it: again and again in one process, with listeners of all kinds, and cancelled. */
@Timeout(120)
final class ReplayRunTest {
    private static final long MS = 1_000_000;
    private static final int REQUESTS = 20;
    private static final Executor NEW_THREAD = task -> new Thread(task, "caller").start();

    @TempDir
    private Path folder;

    private Capture capture;
    private int runs;

    @BeforeEach
    void open() {
        capture = Capture.open(TestingCapture.gets(folder.resolve("capture.bin"), 1, REQUESTS, MS));
    }

    @AfterEach
    void close() {
        capture.close();
    }

    private TargetSpec server(String name, String otherwise, int launch) {
        return TestingTurns.server(
                name,
                TestingLaunchedServer.class,
                "{port}",
                name,
                folder.resolve("starts").toString(),
                otherwise,
                Integer.toString(launch));
    }

    private RunConfig.Builder config(int launches, TargetSpec... targets) {
        return config(launches, launches, targets);
    }

    private RunConfig.Builder config(int launches, int most, TargetSpec... targets) {
        List<TargetSpec> specs = List.of(targets);
        Cores cores = Cores.plan(null, specs.stream().map(TargetSpec::name).collect(Collectors.toList()));
        RunPlan plan = new RunPlanner(capture, specs, cores)
                .schedule(TargetSchedule.TOGETHER)
                .plan(RunPlan.builder()
                        .pace(Pace.MAX)
                        .connections(1)
                        .warmup(Duration.ZERO)
                        .maxLag(Duration.ofSeconds(30))
                        .launches(launches)
                        // Of the start: what is so short is never steady.
                        .primaryMetric("startup")
                        .maxLaunches(most > launches ? OptionalInt.of(most) : OptionalInt.empty()));
        return RunConfig.builder(plan, capture, specs, cores, JvmInventory.discover(folder));
    }

    private Path directory() {
        return folder.resolve("run" + runs);
    }

    private RunOutcome run(RunConfig config, Cancellation cancellation, RunListener... listeners) {
        runs++;
        try (RunDirectoryWriter directory = RunDirectoryWriter.create(directory(), false)) {
            return ReplayRun.run(config, directory, List.of(listeners), cancellation);
        }
    }

    /** Hears everything. */
    private static class Hearing implements RunListener {
        final List<String> heard = new CopyOnWriteArrayList<>();
        final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        volatile RunResult result;

        private void hear(String event) {
            threads.add(Thread.currentThread());
            heard.add(event);
        }

        @Override
        public void note(String sentence) {
            hear("note " + sentence);
        }

        @Override
        public void phase(RunPhase phase) {
            hear(phase.kind() + " " + phase.title());
        }

        @Override
        public void targetReady(ReadyTarget target) {
            hear("ready " + target.name() + " " + target.launch());
        }

        @Override
        public void targetFailed(String target, String why) {
            hear("failed " + target);
        }

        @Override
        public void launched(List<ReadyTarget> targets) {
            hear("launched " + targets.stream().map(ReadyTarget::name).collect(Collectors.toList()));
        }

        @Override
        public void interval(String target, IntervalFigures figures) {
            hear("interval " + target + " " + figures.completed());
        }

        @Override
        public void launchDone(int done, RunResult soFar) {
            hear("done " + done + ", " + soFar.launchesThatCount() + " count, answers so far "
                    + soFar.targets().get(0).counts().orElseThrow().completed);
        }

        @Override
        public void measured(RunResult measured, boolean last) {
            result = measured;
            hear("measured " + last);
        }
    }

    private static class Throwing implements RunListener {
        @Override
        public void phase(RunPhase phase) {
            throw new IllegalStateException("a listener that fails");
        }
    }

    /** What a run could leave behind in this process. */
    private static final class Trace {
        private final Set<String> threads = new TreeSet<>();
        private final Set<String> processors = new TreeSet<>();
        private final long children = ProcessHandle.current().children().count();

        Trace() throws IOException {
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (!endsByItself(thread.getName())) {
                    threads.add(thread.getName());
                }
            }
            try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
                for (Path task : tasks.collect(Collectors.toList())) {
                    try {
                        List<String> status = Files.readAllLines(task.resolve("status"));
                        if (!endsByItself(status.get(0).substring("Name:\t".length()))) {
                            status.stream()
                                    .filter(line -> line.startsWith("Cpus_allowed_list"))
                                    .forEach(processors::add);
                        }
                    } catch (IOException e) {
                        // The thread has ended.
                    }
                }
            }
        }

        /** Those of the JDK and of Netty that serve the whole process; the kernel keeps 15 characters of a name. */
        private static boolean endsByItself(String name) {
            return Stream.of("ForkJoinPool.co", "process reaper", "globalEventExec", "Attach Listener")
                    .anyMatch(name::startsWith);
        }

        @Override
        public String toString() {
            return threads + "\n" + processors + "\n" + children;
        }
    }

    @Test
    void saysBeforeItBeginsThatASoakWillBeTooShort() {
        RunConfig config = config(1, server("a", "die", 0)).build();
        RunPlan plan = config.plan().toBuilder()
                .soak(true)
                .duration(Duration.ofMillis(100))
                .build();
        Hearing hearing = new Hearing();

        run(
                RunConfig.builder(plan, capture, config.specs(), config.cores(), config.inventory())
                        .build(),
                new Cancellation(),
                hearing);

        assertEquals(
                "note a soak of 100 ms is too short to look for leaks and drifts: it takes 4 min under load after the JIT"
                        + " has settled, 10 min of --soak in all",
                hearing.heard.get(1));
    }

    @Test
    @Tag("full")
    void runsAgainAndAgainFromAnyThreadAndLeavesNothingBehind() throws Exception {
        RunConfig config = config(1, server("a", "die", 0)).build();
        // Once, for what the JVM and the libraries start and keep.
        run(config, new Cancellation());
        String before = new Trace().toString();

        for (int i = 0; i < 2; i++) {
            RunOutcome outcome = CompletableFuture.supplyAsync(() -> run(config, new Cancellation()), NEW_THREAD)
                    .get();
            assertEquals(REQUESTS, outcome.result().targets().get(0).counts().orElseThrow().completed);
            assertEquals(
                    RunDirectoryReader.read(directory()).toJson(),
                    outcome.result().toJson());
            assertLeft(before);
        }
        Cancellation cancellation = new Cancellation();
        RunConfig mute = config(1, server("b", "mute", 1)).build();
        RunListener canceller = new RunListener() {
            @Override
            public void interval(String target, IntervalFigures figures) {
                cancellation.cancel();
            }
        };
        RunOutcome cancelled = run(mute, cancellation, canceller);
        assertTrue(cancelled.result().interrupted());
        assertLeft(before);
        assertThrows(RunException.class, () -> run(config, cancellation), "the cancellation stands for later runs too");
        assertLeft(before);
    }

    @Test
    void endsAfterTheLaunchInWhichItIsConcluded() {
        Cancellation cancellation = new Cancellation();
        RunListener concludes = new RunListener() {
            @Override
            public void launched(List<ReadyTarget> targets) {
                cancellation.conclude();
            }
        };
        // A whole launch passes until the second begins to serve, so that the listener is in time.
        RunResult result = run(config(3, 6, server("a", "die", 0)).build(), cancellation, concludes)
                .result();

        int done = result.launchesDone().orElseThrow();
        assertTrue(done < 3, "launches: " + done);
        assertEquals(done, result.targets().get(0).launches().size());
        assertFalse(result.interrupted());
        assertEquals(RunStatus.VALID, result.status());
        assertTrue(
                result.notes().stream()
                        .anyMatch(note -> note.startsWith("ended as asked after " + done + " of at most 6 launches: ")),
                result.notes().toString());
    }

    /** A thread that was joined is still a task of the kernel for a moment, with the processors it was pinned to. */
    private static void assertLeft(String expected) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        String left = new Trace().toString();
        while (!left.equals(expected) && System.nanoTime() - end < 0) {
            Thread.sleep(5);
            left = new Trace().toString();
        }
        assertEquals(expected, left);
    }

    @Test
    @Tag("full")
    void refusesASecondRunAtTheSameTime() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        Cancellation cancellation = new Cancellation();
        RunListener tells = new RunListener() {
            @Override
            public void interval(String target, IntervalFigures figures) {
                running.countDown();
            }
        };
        RunConfig config = config(1, server("a", "mute", 1)).build();
        CompletableFuture<RunOutcome> first =
                CompletableFuture.supplyAsync(() -> run(config, cancellation, tells), NEW_THREAD);
        running.await();

        try (RunDirectoryWriter directory = RunDirectoryWriter.create(folder.resolve("second"), false)) {
            assertThrows(
                    IllegalStateException.class, () -> ReplayRun.run(config, directory, List.of(), new Cancellation()));
        }
        cancellation.cancel();
        assertTrue(first.get().result().interrupted());
    }

    @Test
    void tellsListenersInOrderEachOnAThreadOfItsOwn() {
        Hearing one = new Hearing();
        Hearing other = new Hearing();
        RunOutcome outcome = run(config(2, server("a", "die", 0)).build(), new Cancellation(), one, other);

        assertEquals(one.heard, other.heard);
        assertEquals(1, one.threads.size());
        assertFalse(other.threads.containsAll(one.threads));
        assertEquals(outcome.result().toJson(), one.result.toJson());
        List<String> heard = new ArrayList<>(one.heard);
        assertTrue(heard.remove(0).startsWith("note "), one.heard.toString());
        heard.removeIf(event -> event.startsWith("interval ") || event.startsWith("note busy machine: "));
        assertEquals(
                List.of(
                        "START launch 1 of 2: a: starting",
                        "ready a 1",
                        "launched [a]",
                        "MEASUREMENT launch 1 of 2: measuring",
                        "done 1, 1 count, answers so far " + REQUESTS,
                        "START launch 2 of 2: a: starting",
                        "ready a 2",
                        "launched [a]",
                        "MEASUREMENT launch 2 of 2: measuring",
                        "done 2, 2 count, answers so far " + 2 * REQUESTS,
                        "measured true"),
                heard);
        assertEquals(
                2L * REQUESTS,
                one.heard.stream()
                        .filter(event -> event.startsWith("interval a "))
                        .mapToLong(event -> Long.parseLong(event.substring("interval a ".length())))
                        .sum());
        List<EndpointResult> endpoints = one.result.targets().get(0).endpoints();
        assertEquals(1, endpoints.size());
        assertEquals("GET /N", endpoints.get(0).name());
        assertEquals(2L * REQUESTS, endpoints.get(0).count(), "the launches add up");
        assertEquals(0, endpoints.get(0).errors());
        assertTrue(endpoints.get(0).p99Ns().isPresent());
    }

    @Test
    void isHeldUpByNoListener() {
        Hearing quick = new Hearing();
        CountDownLatch measured = new CountDownLatch(1);
        List<String> late = new CopyOnWriteArrayList<>();
        RunListener stuck = new RunListener() {
            @Override
            public void phase(RunPhase phase) {
                // As long as nothing is measured the run would wait for ever, if it waited.
                try {
                    measured.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                late.add(phase.title());
            }
        };
        RunListener frees = new RunListener() {
            @Override
            public void measured(RunResult result, boolean last) {
                measured.countDown();
            }
        };

        RunOutcome outcome =
                run(config(1, server("a", "die", 0)).build(), new Cancellation(), stuck, new Throwing(), quick, frees);

        assertEquals(List.of("a: starting", "measuring"), late, "nothing is lost, only late");
        assertEquals("measured true", quick.heard.get(quick.heard.size() - 1));
        assertEquals(RunStatus.VALID, outcome.result().status());
        assertTrue(outcome.failure().isEmpty());
        assertEquals(1, outcome.listenerFailures().size());
        assertInstanceOf(IllegalStateException.class, outcome.listenerFailures().get(0));
    }

    @Test
    void writesTheResultWhileAListenerIsNotDoneWithIt() {
        List<Boolean> written = new CopyOnWriteArrayList<>();
        RunListener waits = new RunListener() {
            @Override
            public void measured(RunResult result, boolean last) {
                Path file = directory().resolve("run.json");
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                while (!Files.exists(file) && System.nanoTime() - end < 0) {
                    sleep();
                }
                written.add(Files.exists(file));
            }
        };
        run(
                config(1, server("a", "die", 0))
                        .listenerGrace(Duration.ofSeconds(60))
                        .build(),
                new Cancellation(),
                waits);
        assertEquals(List.of(true), written);
    }

    private static void sleep() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void writesTheResultWhereAFileBesideItFails() {
        writesTheResultThough(new IllegalStateException("a defect made\nby a test"), "java.lang.IllegalStateException");
    }

    /** As of a Lockstep whose jars were built anew while it ran. */
    @Test
    void writesTheResultWhereAClassIsNotThereAnyMore() {
        writesTheResultThough(new NoClassDefFoundError("a defect made\nby a test"), "java.lang.NoClassDefFoundError");
    }

    private void writesTheResultThough(Throwable failure, String name) {
        RunOutcome outcome = run(
                config(1, server("a", "die", 0))
                        .summary(result -> {
                            if (failure instanceof Error) {
                                throw (Error) failure;
                            }
                            throw (RuntimeException) failure;
                        })
                        .build(),
                new Cancellation());

        assertEquals("a defect made\nby a test", outcome.failure().orElseThrow().getMessage());
        RunResult read = RunDirectoryReader.read(directory());
        assertEquals(outcome.result().toJson(), read.toJson());
        assertEquals(RunStatus.VALID, read.status());
        assertTrue(
                read.notes().contains("summary.csv could not be written: " + name + ": a defect made by a test"),
                read.notes().toString());
    }

    /** The file is mapped, and nobody digests what comes after the first pass. */
    @Test
    void isInvalidWhereTheCaptureIsWrittenOverMeanwhile() throws IOException {
        Path file = folder.resolve("capture.bin");
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        try (RandomAccessFile over = new RandomAccessFile(file.toFile(), "rw")) {
            over.seek(text.lastIndexOf("GET /") + "GET /".length());
            over.write('?');
        }

        RunResult result = run(config(1, server("a", "die", 0)).build(), new Cancellation())
                .result();

        assertEquals(
                List.of(file + " was written over while it was replayed, so that other bytes were sent"),
                result.statusReasons());
    }

    @Test
    void keepsTheWholeLaunchesWhereOurOwnSideFails() {
        IntervalSink failing = (target, interval) -> {
            if (interval.launch == 2) {
                throw new IllegalStateException("a defect made\nby a test");
            }
        };
        RunOutcome outcome =
                run(config(3, server("a", "die", 0)).watcher(failing).build(), new Cancellation());

        assertEquals(RunStatus.INVALID, outcome.result().status());
        assertEquals(1, outcome.result().targets().get(0).launches().size());
        assertEquals("a defect made\nby a test", outcome.failure().orElseThrow().getMessage());
        assertEquals(
                List.of("Lockstep failed with 1 of 3 launches done: java.lang.IllegalStateException: a defect made by a"
                        + " test; the figures are those of the launches done"),
                outcome.result().statusReasons());
    }

    /** The blocks between are for a listener that is late. */
    @Test
    @Tag("full")
    void waitsForAServerThatIsGoneForTheWholeTimeOnce() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        int port = server.getAddress().getPort();
        Cancellation cancellation = new Cancellation();
        Hearing hearing = new Hearing() {
            @Override
            public void launchDone(int done, RunResult soFar) {
                server.stop(0);
            }

            @Override
            public void phase(RunPhase phase) {
                super.phase(phase);
                if (phase.title().endsWith(", for 5.0 s at most, since it did not in the block before")) {
                    cancellation.cancel();
                }
            }
        };

        RunResult result = run(
                        config(
                                        6,
                                        TargetSpec.builder("a")
                                                .attach("127.0.0.1", port)
                                                .build())
                                .readyTimeout(Duration.ofSeconds(6))
                                .build(),
                        cancellation,
                        hearing)
                .result();

        assertTrue(result.interrupted(), hearing.heard.toString());
        assertTrue(hearing.heard.contains("failed a"), hearing.heard.toString());
    }

    @Test
    @Tag("full")
    void goesOnAsLongAsTheVerdictIsOpen() {
        Hearing hearing = new Hearing();
        RunResult result = run(
                        config(2, 4, server("a", "die", 0), server("b", "die", 0))
                                .build(),
                        new Cancellation(),
                        hearing)
                .result();

        int launches = result.targets().get(0).launches().size();
        assertEquals(launches, result.targets().get(1).launches().size());
        assertEquals(launches, result.launchesDone().orElseThrow());
        assertFalse(result.interrupted());
        assertTrue(
                launches == 4 || launches == 2 && !LaunchVerdicts.isOpen(result.plan(), result.verdicts()),
                launches + " launches, " + result.verdicts().get(0));
        assertEquals(
                launches == 4,
                hearing.heard.contains("note inconclusive after 2 launches, so there are more, 4 at most"),
                hearing.heard.toString());
        assertTrue(hearing.heard.contains("START launch 1 of at most 4: a: starting"), hearing.heard.toString());
    }

    @Test
    void saysWhyATargetFailed() {
        Hearing hearing = new Hearing();
        RunOutcome outcome = run(
                config(1, server("a", "die", 0), server("b", "die", 1), server("c", "quit", 1))
                        .build(),
                new Cancellation(),
                hearing);

        assertTrue(outcome.whyFailed("a").isEmpty());
        String b = outcome.whyFailed("b").orElseThrow();
        assertTrue(b.startsWith("it ended during start with exit code 9; target b: "), b);
        assertTrue(hearing.heard.contains("failed b"), hearing.heard.toString());
        String c = outcome.whyFailed("c").orElseThrow();
        assertTrue(c.startsWith("it ended during measurement with exit code 9"), c);
        assertThrows(IllegalArgumentException.class, () -> outcome.whyFailed("d"));
    }

    /** As in all tests. */
    @Test
    void warnsOfAShortWarmUpOfItsOwn() {
        RunResult result = run(config(1, server("a", "die", 0)).build(), new Cancellation())
                .result();

        List<String> warnings = result.environment().warnings();
        assertTrue(
                warnings.stream().anyMatch(one -> one.startsWith("Lockstep warmed its own code up for 20 ms only")),
                warnings.toString());
    }

    @Test
    void refusesAConfigurationThatCannotRun() {
        RunConfig.Builder good = config(1, server("a", "die", 0));
        RunPlan plan = good.build().plan();
        Cores cores = Cores.plan(null, List.of("b"));
        IllegalArgumentException other = assertThrows(IllegalArgumentException.class, () -> RunConfig.builder(
                        plan, capture, List.of(server("b", "die", 0)), cores, JvmInventory.discover(folder))
                .build());
        assertEquals("targets: expected those of the plan, [a], found [b]", other.getMessage());
        assertThrows(IllegalArgumentException.class, () -> config(1, server("a", "die", 0))
                .statusWindow(Duration.ZERO)
                .build());
        assertThrows(IllegalArgumentException.class, () -> config(1, server("a", "die", 0))
                .readyTimeout(Duration.ZERO)
                .build());
    }
}
