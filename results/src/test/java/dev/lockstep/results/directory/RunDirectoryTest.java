package dev.lockstep.results.directory;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.GcCosts;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.measurement.Skew;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.TestingRuns;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogProcessor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The writer and the reader of run directories together, on real files. */
class RunDirectoryTest {
    @TempDir
    Path parent;

    private final RunResult result = TestingRuns.result();

    private Path written() {
        Path directory = parent.resolve("run");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            writer.plan(result.plan());
            TestingRuns.resultIntervals().forEach(interval -> writer.intervals().interval("c2", interval));
            writer.result(result);
            // Whoever wants to read it need not wait for what comes behind, and nobody else writes there until then.
            assertFalse(RunDirectoryReader.isBeingWritten(directory));
            assertThrows(MeasurementException.class, () -> RunDirectoryWriter.create(directory, true));
        }
        return directory;
    }

    @Test
    void leavesNothingOfARunThatDidNotBegin() throws IOException {
        Path made = parent.resolve("made");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(made, false)) {
            writer.plan(result.plan());
            writer.removeIfNothingBegan();
        }
        assertFalse(Files.exists(made));

        Path given = Files.createDirectory(parent.resolve("given"));
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(given, false)) {
            writer.plan(result.plan());
            writer.removeIfNothingBegan();
        }
        assertEquals(0, given.toFile().list().length);

        Path failed = parent.resolve("failed");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(failed, false)) {
            writer.plan(result.plan());
            Files.writeString(failed.resolve("c2.log"), "why it did not start");
            writer.removeIfNothingBegan();
        }
        assertEquals(2, failed.toFile().list().length);
    }

    @Test
    void readsBackWhatWasWritten() {
        Path directory = written();

        RunResult read = RunDirectoryReader.read(directory);

        assertEquals(result.toJson(), read.toJson());
        assertEquals(result.plan(), RunDirectoryReader.readPlan(directory));
        LoadResult before = result.targets().get(0).load().orElseThrow();
        LoadResult after = read.targets().get(0).load().orElseThrow();
        assertEquals(before.responseTime(), after.responseTime());
        assertEquals(before.ownLag(), after.ownLag());
        assertTrue(read.targets().get(1).load().isEmpty());
    }

    @Test
    void saysHowToRecoverAResultThatTheDiskDoesNotTake() throws IOException {
        RunPlan plan = RunPlan.builder()
                .capture(TestingRuns.capture())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .build();
        RunResult result = run(plan, TestingRuns.requests(9, 10));
        Path directory = parent.resolve("full");
        RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false);
        writer.begun(result);
        Path inTheWay =
                Files.createDirectories(directory.resolve("c2.own-lag.hlog").resolve("in the way"));

        String message = assertThrows(MeasurementException.class, () -> writer.result(result))
                .getMessage();

        assertTrue(message.startsWith(inTheWay.getParent() + ": cannot write it: "), message);
        assertTrue(
                message.endsWith("; once that is mended, replay recover " + directory
                        + " makes the result of what the intervals hold"),
                message);
    }

    @Test
    void holdsATargetThatAnsweredNothing() throws IOException {
        LoadCounts counts = new LoadCounts();
        counts.error(ErrorKind.CONNECT_REFUSED, 7);
        RunPlan plan = RunPlan.builder()
                .capture(TestingRuns.capture())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .build();
        RunResult refused = RunResult.builder(plan)
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START)
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("c2")
                        .load(LoadResult.builder().counts(counts).measuredNs(1).build())
                        .build())
                .build();
        Path directory = parent.resolve("refused");
        RunDirectoryWriter.create(directory, false).result(refused);

        RunResult read = RunDirectoryReader.read(directory);

        assertEquals(refused.toJson(), read.toJson());
        assertEquals(
                0, read.targets().get(0).load().orElseThrow().responseTime().getTotalCount());
        assertTrue(Files.readString(directory.resolve("c2.hgrm")).contains("Total count    =            0"));
    }

    @Test
    void aKilledRunLeavesItsIntervalsAndSaysSo() throws IOException {
        Path directory = parent.resolve("killed");
        RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false);
        writer.plan(result.plan());
        List<Interval> intervals = TestingRuns.resultIntervals();
        intervals.forEach(interval -> writer.intervals().interval("c2", interval));

        // Nothing is closed, as after kill -9: what is in the files now is what stays.
        assertUnreadable(
                "killed",
                "/run.json: expected the file of a run, found none; the run has not ended, or was killed or failed; the"
                        + " intervals of its first 5.0 s are in intervals.jsonl and in the .hlog files, of which replay"
                        + " recover makes a result");
        Histogram read = new Histogram(3);
        try (IntervalLog.Reader log = new IntervalLog.Reader(directory.resolve("c2.hlog"))) {
            for (Histogram next = log.next(); next != null; next = log.next()) {
                read.add(next);
            }
        }
        assertEquals(result.targets().get(0).load().orElseThrow().responseTime(), read);
        new HistogramLogProcessor(new String[] {
                    "-i", directory.resolve("c2.hlog").toString(),
                    "-o", directory.resolve("processed").toString()
                })
                .run();
        assertTrue(Files.size(directory.resolve("processed.hgrm")) > 1000);
        writer.close();
    }

    @Test
    void tellsEachIntervalInALineOfJson() throws IOException {
        Interval interval = TestingRuns.interval(TestingRuns.START_MS + 1000);
        interval.inFlight = 2;
        LoadCounts counts = interval.counts();
        counts.sent = 7;
        counts.completed = 3;
        counts.deferred = 1;
        counts.bytesSent = 700;
        counts.status(200, 2);
        counts.status(503, 1);
        counts.error(ErrorKind.CONNECT_REFUSED, 2);
        interval.responseTime().recordValue(1_000_000);
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(parent.resolve("run"), false)) {
            writer.intervals().interval("c2", interval);
            writer.intervals().interval("graal", TestingRuns.interval(TestingRuns.START_MS));
        }
        long startMs = TestingRuns.START_MS;
        assertEquals(
                List.of(
                        "{\"target\":\"c2\",\"launch\":1,\"startMs\":" + (startMs + 1000) + ",\"endMs\":"
                                + (startMs + 2000)
                                + ",\"startNs\":1000000000,\"endNs\":2000000000,\"sent\":7,\"completed\":3,"
                                + "\"inFlight\":2,\"deferred\":1,\"connections\":0,"
                                + "\"errors\":{\"connect-refused\":2},\"statusClasses\":{\"2xx\":2,\"5xx\":1},"
                                + "\"bytesSent\":700,\"bytesReceived\":0,\"bodyBytesReceived\":0,"
                                + "\"responseTimeNs\":{\"p50\":1000447,\"p99\":1000447,\"max\":1000447,\"count\":1}}",
                        "{\"target\":\"graal\",\"launch\":1,\"startMs\":" + startMs + ",\"endMs\":" + (startMs + 1000)
                                + ",\"startNs\":0,\"endNs\":1000000000,\"sent\":0,\"completed\":0,"
                                + "\"inFlight\":0,\"deferred\":0,\"connections\":0,"
                                + "\"errors\":{},\"statusClasses\":{},"
                                + "\"bytesSent\":0,\"bytesReceived\":0,\"bodyBytesReceived\":0}"),
                Files.readAllLines(parent.resolve("run/intervals.jsonl")));
    }

    @Test
    void aFileThatCannotBeWrittenCostsIntervalsAndNothingElse() throws IOException {
        Path directory = parent.resolve("run");
        RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false);
        Files.createDirectory(directory.resolve("c2.lag.hlog"));
        List<Interval> intervals = TestingRuns.resultIntervals();
        intervals.forEach(interval -> writer.intervals().interval("c2", interval));

        assertEquals(5, writer.intervalsLost("c2"));
        assertEquals(0, writer.intervalsLost("graal"));
        String loss = writer.intervalLosses().get(0);
        assertTrue(loss.startsWith("c2: 5 intervals from 0.0 s on could not be written ("), loss);
        assertTrue(loss.endsWith("); counts and percentiles of requests are complete"), loss);

        RunResult lossy = RunResult.builder(RunPlan.builder()
                        .capture(TestingRuns.capture())
                        .target(TargetPlan.builder("c2").profile("c2").build())
                        .build())
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START)
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("c2")
                        .load(TestingRuns.load(TestingRuns.requests(1, 1000)))
                        .intervalsLost(5)
                        .build())
                .build();
        writer.result(lossy);
        RunResult read = RunDirectoryReader.read(directory);
        assertEquals(lossy.toJson(), read.toJson());
        assertTrue(read.targets().get(0).load().isEmpty());
        assertTrue(Files.readString(directory.resolve("c2.hgrm")).contains("Total count    =         1000"));
    }

    /** A full disk stays full for hours, and every second tries again. */
    @Test
    void aFileThatCannotBeWrittenLeavesNoOtherOpen() throws IOException {
        Path directory = parent.toRealPath().resolve("run");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            Files.createDirectory(directory.resolve("c2.lag.hlog"));
            TestingRuns.resultIntervals().forEach(interval -> writer.intervals().interval("c2", interval));
            assertEquals(List.of(), openFiles(directory, ".hlog"));
        }
        assertEquals(List.of(), openFiles(directory, ""));
    }

    private static List<String> openFiles(Path directory, String ending) throws IOException {
        List<String> open = new ArrayList<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    String file = Files.readSymbolicLink(descriptor).toString();
                    if (file.startsWith(directory.toString()) && file.endsWith(ending)) {
                        open.add(file);
                    }
                } catch (NoSuchFileException e) {
                    // Closed meanwhile, such as the one that lists them.
                }
            }
        }
        return open;
    }

    @Test
    void whatCouldNotBeWrittenTakesNoSpace() throws IOException {
        Path directory = parent.resolve("run");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            MeasurementException e = assertThrows(
                    MeasurementException.class,
                    () -> writer.differences("c2", out -> {
                        out.append("half of it");
                        throw new IOException("No space left on device");
                    }));
            assertEquals(directory + "/c2.differences.csv: cannot write it: No space left on device", e.getMessage());
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            assertFalse(files.iterator().hasNext());
        }
    }

    @Test
    void aRowThatAKillCutShortIsNoInterval() throws IOException {
        Path directory = parent.resolve("run");
        List<Interval> intervals = TestingRuns.resultIntervals();
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            intervals.forEach(interval -> writer.intervals().interval("c2", interval));
        }
        Files.writeString(
                directory.resolve("intervals.jsonl"), "{\"target\":\"c2\",\"startMs\":17", StandardOpenOption.APPEND);

        List<Long> read = new ArrayList<>();
        RunDirectoryReader.readFigures(directory, "c2", interval -> read.add(interval.startMs()));
        assertEquals(intervals.stream().map(interval -> interval.startMs).collect(toList()), read);
    }

    /** It was an exception without a place, in whatever looked at it first. */
    @Test
    void namesTheLineOfAPhaseThatNobodyKnows() throws IOException {
        Path file = written().resolve("intervals.jsonl");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.set(1, lines.get(1).replace("\"launch\":1,", "\"launch\":1,\"phase\":\"cooldown\","));
        Files.write(file, lines);

        MeasurementException e = assertThrows(
                MeasurementException.class,
                () -> RunDirectoryReader.readFigures(file.getParent(), (target, figures) -> {}));

        assertEquals(
                file + ": line 2: phase: expected warmup, measured or fullLoad, found \"cooldown\"", e.getMessage());
    }

    @Test
    void aTornEntryIsRemoved() throws IOException {
        Path path = parent.resolve("file");
        try (AppendedFile file = new AppendedFile(path)) {
            file.append(new byte[] {1, 2});
            file.keep();
            file.append(new byte[] {3});
            file.drop();
            file.append(new byte[] {4});
            file.keep();
        }
        assertArrayEquals(new byte[] {1, 2, 4}, Files.readAllBytes(path));
    }

    @Test
    void keepsTheSkewWithItsHistogram() {
        Histogram spread = new Histogram(3);
        for (int i = 1; i <= 1000; i++) {
            spread.recordValue(i * 1000);
        }
        RunResult skewed = RunResult.builder(TestingRuns.result().plan())
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START.plusSeconds(7))
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("c2").build())
                .target(TargetResult.builder("graal").build())
                .skew(Skew.of(spread, 3))
                .self(SelfReport.of(
                        1_000_000,
                        900_000,
                        2,
                        3_000_000,
                        2_000_000,
                        List.of(
                                SelfReport.Loop.of(
                                        "0",
                                        800_000,
                                        980_000,
                                        OptionalLong.of(5),
                                        OptionalLong.of(6),
                                        OptionalLong.of(7),
                                        Percentiles.of(spread)),
                                SelfReport.Loop.of(
                                        null,
                                        1,
                                        2,
                                        OptionalLong.empty(),
                                        OptionalLong.empty(),
                                        OptionalLong.empty(),
                                        Percentiles.of(new Histogram(3)))),
                        List.of(SelfReport.Bottleneck.of("c2", 1, 0.98))))
                .build();
        Path directory = parent.resolve("skewed");
        RunDirectoryWriter.create(directory, false).result(skewed);

        RunResult read = RunDirectoryReader.read(directory);

        assertEquals(skewed.toJson(), read.toJson());
        assertTrue(read.toJson().contains("\"unmeasured\": 3"), read.toJson());
        Skew after = read.skew().orElseThrow();
        assertEquals(spread, after.histogram().orElseThrow());
        assertEquals(2000, after.merge(after).spread().count());
        SelfReport self = read.self().orElseThrow();
        assertEquals(0.98, self.utilisation());
        assertEquals(1_000_000, self.longestStallNs(), 1000);
        assertTrue(self.bottleneck());
    }

    @Test
    void keepsTheTimesOfBytesOutsideRequestsWhereThereWereAny() {
        LoadCounts counts = new LoadCounts();
        counts.opaqueBytesSent = 4000;
        counts.opaqueBursts = 3;
        counts.opaqueBurstsUnanswered = 1;
        counts.semanticRequests = 7;
        counts.tagsChanged = 2;
        Histogram first = new Histogram(3);
        first.recordValue(1_000_000);
        first.recordValue(2_000_000);
        Histogram last = new Histogram(3);
        last.recordValue(5_000_000);
        RunPlan plan = RunPlan.builder()
                .capture(TestingRuns.capture())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .build();
        RunResult opaque = RunResult.builder(plan)
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START)
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("c2")
                        .load(LoadResult.builder()
                                .counts(counts)
                                .measuredNs(1)
                                .opaqueFirstByte(first)
                                .opaqueLastByte(last)
                                .build())
                        .build())
                .build();
        Path directory = parent.resolve("opaque");
        RunDirectoryWriter.create(directory, false).result(opaque);

        TargetResult read = RunDirectoryReader.read(directory).targets().get(0);

        assertEquals(opaque.targets().get(0), read);
        assertTrue(read.isSemanticReplay());
        LoadResult load = read.load().orElseThrow();
        assertEquals(first, load.opaqueFirstByte());
        assertEquals(last, load.opaqueLastByte());
        LoadResult twice = load.then(load);
        assertEquals(4, twice.opaqueFirstByte().getTotalCount());
        assertEquals(2, twice.opaqueLastByte().getTotalCount());
        assertEquals(6, twice.counts().opaqueBursts);
        assertTrue(result.targets().get(0).opaqueFirstByte().isEmpty());
    }

    private static RunResult run(RunPlan plan, List<TestingRuns.Request> requests) {
        return RunResult.builder(plan)
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START.plusSeconds(5))
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("c2")
                        .load(TestingRuns.load(requests))
                        .build())
                .build();
    }

    @Test
    void writesTheseFilesAndLetsOnlyTheOwnerReadThem() throws IOException {
        Path directory = written();

        assertEquals(
                Set.of(
                        "plan.json",
                        "run.json",
                        "intervals.jsonl",
                        "c2.hlog",
                        "c2.service.hlog",
                        "c2.lag.hlog",
                        "c2.own-lag.hlog",
                        "c2.hgrm",
                        "c2.service.hgrm"),
                names(directory));
        assertEquals("rwx------", mode(directory));
        for (String name : names(directory)) {
            assertEquals("rw-------", mode(directory.resolve(name)), name);
        }
        assertEquals(result.toJson(), Files.readString(directory.resolve("run.json")));
    }

    @Test
    void theHistogramToolsOpenTheLogs() throws IOException {
        Path directory = written();
        Path output = directory.resolve("processed");

        new HistogramLogProcessor(new String[] {
                    "-i", directory.resolve("c2.hlog").toString(),
                    "-o", output.toString(),
                    "-outputValueUnitRatio", "1000000"
                })
                .run();

        List<String> processed = Files.readAllLines(directory.resolve("processed.hgrm"));
        assertTrue(processed.get(0).startsWith("#[Overall percentile distribution"), processed.get(0));
        assertEquals(
                processed.subList(2, processed.size()),
                Files.readAllLines(directory.resolve("c2.hgrm")),
                "our .hgrm is what the library's tool makes of our .hlog");
    }

    @Test
    void theDistributionIsInMilliseconds() throws IOException {
        Path directory = written();
        Histogram histogram = result.targets().get(0).load().orElseThrow().responseTime();
        int rows = 0;
        long count = 0;
        for (String line : Files.readAllLines(directory.resolve("c2.hgrm"))) {
            String[] columns = line.trim().split("\\s+");
            if (columns.length == 4 && columns[0].matches("[0-9.]+")) {
                double ms = Double.parseDouble(columns[0]);
                double percentile = Double.parseDouble(columns[1]) * 100;
                assertEquals(histogram.getValueAtPercentile(percentile) / 1e6, ms, 0.001, line);
                count = Long.parseLong(columns[2]);
                rows++;
            }
        }
        assertTrue(rows > 20, rows + " rows");
        assertEquals(1000, count);
    }

    @Test
    void namesADirectoryByTimeAndTargets() {
        RunDirectoryWriter first =
                RunDirectoryWriter.createDefault(parent.resolve("runs"), TestingRuns.START, List.of("c2", "graal"));
        RunDirectoryWriter second =
                RunDirectoryWriter.createDefault(parent.resolve("runs"), TestingRuns.START, List.of("c2", "graal"));
        assertEquals(parent.resolve("runs/20261121-074200-c2-graal"), first.directory());
        assertEquals(parent.resolve("runs/20261121-074200-c2-graal-2"), second.directory());

        RunDirectoryWriter many = RunDirectoryWriter.createDefault(
                parent.resolve("runs"), TestingRuns.START, List.of("a", "b", "c", "d", "e", "f"));
        assertEquals(parent.resolve("runs/20261121-074200-a-b-c-d-and-2-more"), many.directory());
        RunDirectoryWriter lengthy = RunDirectoryWriter.createDefault(
                parent.resolve("runs"), TestingRuns.START, List.of("x".repeat(64), "y".repeat(64)));
        assertEquals(76, lengthy.directory().getFileName().toString().length());
    }

    @Test
    void refusesADirectoryThatIsNotEmpty() throws IOException {
        Path directory = written();
        MeasurementException e =
                assertThrows(MeasurementException.class, () -> RunDirectoryWriter.create(directory, false));
        assertEquals(
                directory
                        + ": expected an empty or new directory, found an earlier run in it; choose another with -o or"
                        + " replace the earlier run with --force",
                e.getMessage());

        Path other = Files.createDirectory(parent.resolve("other"));
        Files.writeString(other.resolve("notes.txt"), "mine");
        MeasurementException e2 =
                assertThrows(MeasurementException.class, () -> RunDirectoryWriter.create(other, false));
        assertEquals(
                other + ": expected an empty or new directory, found files in it; choose another with -o",
                e2.getMessage());
    }

    @Test
    void keepsTheIntervalsOfAWarmUpApart() throws IOException {
        Path directory = parent.resolve("warm");
        List<Long> measured = new ArrayList<>();
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            writer.plan(result.plan());
            Interval warmUp = TestingRuns.interval(TestingRuns.START_MS - 4000);
            warmUp.phase = Interval.Phase.WARM_UP;
            warmUp.launch = 2;
            warmUp.startNs = 0;
            warmUp.endNs = 1_000_000_000;
            warmUp.counts().sent = 12;
            warmUp.counts().completed = 9;
            warmUp.counts().error(ErrorKind.READ_TIMEOUT, 3);
            warmUp.responseTime().recordValue(70_000);
            warmUp.costs = Costs.builder()
                    .set(Cost.USER_CPU, 123_456)
                    .set(Cost.RSS, 90_000_000)
                    .collector("G1 Young", GcCosts.of(2, 3_000_000))
                    .build();
            writer.intervals().interval("c2", warmUp);
            assertUnreadable(
                    "warm",
                    "/run.json: expected the file of a run, found none; the run has not ended, or was killed or failed"
                            + " before anything was measured");
            for (Interval interval : TestingRuns.resultIntervals()) {
                measured.add(interval.counts().completed);
                writer.intervals().interval("c2", interval);
            }
            writer.result(result);
            assertEquals(List.of(), writer.intervalLosses());
        }

        assertEquals(result.toJson(), RunDirectoryReader.read(directory).toJson());
        List<IntervalFigures> all = new ArrayList<>();
        RunDirectoryReader.readFigures(directory, "c2", all::add);
        assertEquals(measured.size() + 1, all.size());
        IntervalFigures first = all.get(0);
        assertTrue(first.phase() == Interval.Phase.WARM_UP);
        assertEquals(2, first.launch());
        assertEquals(TestingRuns.START_MS - 4000, first.startMs());
        assertEquals(0, first.startNs());
        assertEquals(1_000_000_000, first.endNs());
        assertEquals(12, first.sent());
        assertEquals(9, first.completed());
        assertEquals(3, first.errors());
        assertEquals(70_000, first.p50Ns().orElseThrow(), 100);
        assertEquals(OptionalLong.of(123_456), first.costs().get(Cost.USER_CPU));
        assertEquals(GcCosts.of(2, 3_000_000), first.costs().collectors().get("G1 Young"));
        assertEquals(OptionalLong.empty(), first.costs().get(Cost.JIT_CPU));
        assertEquals(Interval.Phase.MEASURED, all.get(1).phase());
        assertEquals(
                measured, all.stream().skip(1).map(IntervalFigures::completed).collect(toList()));
        List<IntervalFigures> others = new ArrayList<>();
        RunDirectoryReader.readFigures(directory, "graal", others::add);
        assertEquals(List.of(), others);
    }

    private void planned(Path directory, boolean force) {
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, force)) {
            writer.plan(result.plan());
        }
    }

    @Test
    void takesAnEmptyDirectory() throws IOException {
        Path directory = Files.createDirectory(parent.resolve("empty"));
        planned(directory, false);
        assertEquals(Set.of("plan.json"), names(directory));
    }

    @Test
    void forceReplacesAnEarlierRunAndNothingElse() throws IOException {
        Path directory = written();
        Files.writeString(directory.resolve("summary.csv"), "of the earlier run");
        Files.writeString(directory.resolve("notes.txt"), "mine");
        Files.writeString(directory.resolve("notes.log"), "mine");
        Files.writeString(directory.resolve("notes.hlog"), "mine");
        Files.writeString(directory.resolve("notes.flame.html"), "mine");
        Files.writeString(directory.resolve(".notes.tmp"), "mine");
        Files.writeString(directory.resolve("notes.tmp"), "mine");
        Files.writeString(directory.resolve(".run.json.tmp"), "half of the earlier run");
        for (TargetPlan target : result.plan().targets()) {
            Files.writeString(directory.resolve(target.name() + ".log"), "of the earlier run");
            for (String gcLog : List.of(".gc.log", ".gc.log.0", ".2.gc.log", ".10.gc.log.12", ".gc.log.1.current")) {
                Files.writeString(directory.resolve(target.name() + gcLog), "of the earlier run");
            }
        }
        Files.writeString(directory.resolve("notes.gc.log"), "mine");
        Files.writeString(directory.resolve("c2.gc.log.txt"), "mine");
        Files.createDirectories(directory.resolve("profile.tmp/1.jvm.jfr.parts"));
        Files.writeString(directory.resolve("profile.tmp/c2.log"), "of the earlier run");
        Files.createSymbolicLink(directory.resolve("profile.tmp/link"), directory);
        planned(directory, true);
        assertEquals(
                Set.of(
                        "plan.json",
                        "notes.txt",
                        "notes.log",
                        "notes.hlog",
                        "notes.flame.html",
                        ".notes.tmp",
                        "notes.tmp",
                        "notes.gc.log",
                        "c2.gc.log.txt"),
                names(directory));
    }

    @Test
    void leavesARunAloneThatIsBeingWrittenAndOffersNoForce() {
        Path run = parent.resolve("run");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(run, false)) {
            writer.plan(result.plan());
            // Before its first interval too: a warm-up, or the start of a target, takes its time.
            for (boolean force : List.of(false, true)) {
                MeasurementException refused =
                        assertThrows(MeasurementException.class, () -> RunDirectoryWriter.create(run, force));
                assertEquals(
                        run
                                + ": expected a directory that nobody uses, found one that a run is writing, which --force"
                                + " does not replace; choose another with -o or wait for its end",
                        refused.getMessage());
            }
            assertThrows(MeasurementException.class, () -> RunDirectoryWriter.reopen(run));
            assertTrue(RunDirectoryReader.isBeingWritten(run));
        }
        assertFalse(RunDirectoryReader.isBeingWritten(run));
        assertTrue(Files.exists(run.resolve("plan.json")));
        RunDirectoryWriter.create(run, true).close();
        assertFalse(Files.exists(run.resolve("plan.json")));
    }

    /** The kernel drops all locks that a process has on a file when it closes any descriptor of it. */
    @Test
    void isLockedForOtherProcessesWhateverThisOneLooksAt() throws Exception {
        Path run = parent.resolve("run");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(run, false)) {
            writer.plan(result.plan());
            assertTrue(isLockedForAnotherProcess(run));

            assertTrue(RunDirectoryReader.isBeingWritten(run));
            assertThrows(MeasurementException.class, () -> RunDirectoryWriter.create(run, true));
            assertThrows(MeasurementException.class, () -> RunDirectoryWriter.reopen(run));
            assertTrue(isLockedForAnotherProcess(run));
        }
        assertFalse(isLockedForAnotherProcess(run));
    }

    private static boolean isLockedForAnotherProcess(Path run) throws Exception {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestingOtherProcess.class.getName(),
                        run.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertEquals(0, other.waitFor(), said);
        // A JVM may say first which options it picked up.
        String last = said.substring(said.lastIndexOf('\n') + 1);
        assertTrue(Set.of("true", "false").contains(last), said);
        return Boolean.parseBoolean(last);
    }

    @Test
    void givesTheDirectoryToOneOfManyRunsThatWantItAtOnce() throws Exception {
        int runs = 8;
        ExecutorService threads = Executors.newFixedThreadPool(runs);
        try {
            for (int round = 0; round < 20; round++) {
                Path run = parent.resolve("wanted-" + round);
                CyclicBarrier start = new CyclicBarrier(runs);
                AtomicInteger winners = new AtomicInteger();
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < runs; i++) {
                    all.add(threads.submit(() -> {
                        start.await();
                        try (RunDirectoryWriter writer = RunDirectoryWriter.create(run, false)) {
                            writer.plan(result.plan());
                            winners.incrementAndGet();
                        } catch (MeasurementException e) {
                            assertTrue(e.getMessage().startsWith(run + ": expected "), e.getMessage());
                        }
                        return null;
                    }));
                }
                for (Future<?> one : all) {
                    one.get();
                }
                assertEquals(1, winners.get());
                assertEquals(Set.of("plan.json"), names(run));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void forceLeavesFilesOfOthersAloneThatAreCalledAsARunsFiles() throws IOException {
        Path directory = Files.createDirectory(parent.resolve("terraform"));
        for (String name : List.of("plan.json", "summary.csv")) {
            Files.writeString(directory.resolve(name), "{\"format_version\": \"1.2\"}");

            MeasurementException e =
                    assertThrows(MeasurementException.class, () -> RunDirectoryWriter.create(directory, true));

            assertEquals(
                    directory.resolve(name)
                            + ": expected a file of an earlier run, which --force replaces, found one in a directory"
                            + " whose plan.json and run.json are missing or no run's; choose another directory with -o,"
                            + " or remove the files yourself",
                    e.getMessage());
            assertEquals(Set.of(name), names(directory));
            Files.delete(directory.resolve(name));
        }
    }

    @Test
    void forceRemovesTheLogOfEachLaunch() throws IOException {
        Path directory = parent.resolve("run");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            writer.plan(result.plan().toBuilder().launches(3).build());
        }
        String target = result.plan().targets().get(0).name();
        for (String name : List.of(target + ".log", target + ".3.log", target + ".4.log")) {
            Files.writeString(directory.resolve(name), "of the earlier run");
        }
        planned(directory, true);
        assertEquals(Set.of("plan.json", target + ".4.log"), names(directory));
    }

    /** A kill in between left files without a plan, which nothing replaced. */
    @Test
    void forceRemovesLastWhatSaysThatThereIsARun() throws IOException {
        Path directory = written();

        List<Path> files = RunDirectoryWriter.files(directory, result.plan());

        assertEquals(
                List.of(directory.resolve("run.json"), directory.resolve("plan.json")),
                files.subList(files.size() - 2, files.size()));
        assertTrue(files.contains(directory.resolve("intervals.jsonl")), files::toString);
        assertEquals(files.size(), Set.copyOf(files).size(), files::toString);
    }

    @Test
    void forceReplacesARunWhosePlanIsBroken() throws IOException {
        Path directory = written();
        Files.writeString(directory.resolve("plan.json"), "{");
        planned(directory, true);
        assertEquals(Set.of("plan.json"), names(directory));
    }

    @Test
    void forceLeavesHistogramsOfOthersAlone() throws IOException {
        Path directory = Files.createDirectory(parent.resolve("other"));
        Files.writeString(directory.resolve("mine.hlog"), "mine");
        planned(directory, true);
        assertEquals(Set.of("plan.json", "mine.hlog"), names(directory));
    }

    @Test
    void refusesAFileInPlaceOfTheDirectory() throws IOException {
        Path file = Files.createFile(parent.resolve("file"));
        MeasurementException e = assertThrows(MeasurementException.class, () -> RunDirectoryWriter.create(file, true));
        assertEquals(file + ": expected a directory for the run, found a file; choose another with -o", e.getMessage());
        assertThrows(MeasurementException.class, () -> RunDirectoryReader.read(file));
        assertThrows(MeasurementException.class, () -> RunDirectoryWriter.create(file.resolve("below"), false));
        assertThrows(
                MeasurementException.class,
                () -> RunDirectoryWriter.createDefault(file, TestingRuns.START, List.of("c2")));
    }

    @Test
    void saysWhereItCouldNotWrite() throws IOException {
        RunDirectoryWriter writer = RunDirectoryWriter.create(parent.resolve("run"), false);
        Files.delete(writer.directory().resolve("run.lock"));
        Files.delete(writer.directory());
        MeasurementException e = assertThrows(MeasurementException.class, () -> writer.plan(result.plan()));
        assertEquals(parent.resolve("run/plan.json") + ": cannot write it: no such file or directory", e.getMessage());
    }

    @Test
    void saysWhyItMayNotWriteWithoutTheWordsOfJava() {
        assertEquals("permission denied", MeasurementException.reason(new AccessDeniedException("/etc/rr")));
    }

    @Test
    void writesNoFiguresWithoutTheirHistograms() {
        RunDirectoryWriter writer = RunDirectoryWriter.create(parent.resolve("run"), false);
        RunResult withoutHistograms = RunResult.fromJson(result.toJson());
        assertThrows(IllegalArgumentException.class, () -> writer.result(withoutHistograms));
        assertFalse(Files.exists(parent.resolve("run/run.json")));
    }

    @Test
    void saysWhatIsWrongWithADirectory() throws IOException {
        assertUnreadable("none", ": expected a run directory, found nothing");
        Files.createDirectory(parent.resolve("empty"));
        assertUnreadable("empty", "/run.json: expected the file of a run, found none; this is not a run directory");
        RunDirectoryWriter.create(parent.resolve("started"), false).plan(result.plan());
        assertUnreadable(
                "started",
                "/run.json: expected the file of a run, found none; the run has not ended, or was killed or failed before"
                        + " anything was measured");

        Path directory = written();
        Files.write(directory.resolve("run.json"), new byte[] {'{', (byte) 0xff, '}'});
        assertUnreadable("run", "/run.json: expected UTF-8 text, found other bytes");

        Files.createDirectory(parent.resolve("other"));
        Files.writeString(parent.resolve("other/run.json"), "{\"version\": \"2.1\", \"plan\": []}");
        assertUnreadable("other", "/run.json: expected the result of a run, found JSON without its fields targets");
        Files.writeString(parent.resolve("other/run.json"), "{}");
        assertUnreadable(
                "other",
                "/run.json: expected the result of a run, found JSON without its fields version, plan, targets");
    }

    @Test
    void saysWhichHistogramFileDoesNotBelong() throws IOException {
        Path directory = written();
        List<String> lines = Files.readAllLines(directory.resolve("c2.service.hlog"));
        Files.write(directory.resolve("c2.service.hlog"), lines.subList(0, lines.size() - 1));
        assertUnreadable(
                "run",
                "/c2.service.hlog: expected 5 intervals as in the target's other logs, found 4;"
                        + " the file is cut short or of another run");

        Files.write(directory.resolve("c2.service.hlog"), lines);
        Files.copy(directory.resolve("c2.hlog"), directory.resolve("c2.lag.hlog"), StandardCopyOption.REPLACE_EXISTING);
        assertUnreadable(
                "run", "/c2.lag.hlog: expected the percentiles of run.json, found others; the file is of another run");

        Files.write(directory.resolve("c2.own-lag.hlog"), List.of());
        assertUnreadable(
                "run",
                "/c2.own-lag.hlog: expected 1 intervals as in the target's other logs, found 0;"
                        + " the file is cut short or of another run");

        Files.delete(directory.resolve("c2.hlog"));
        MeasurementException e = assertThrows(MeasurementException.class, () -> RunDirectoryReader.read(directory));
        assertTrue(
                e.getMessage().startsWith(directory.resolve("c2.hlog") + ": expected a histogram log, found none"),
                e.getMessage());
    }

    private void assertUnreadable(String directory, String message) {
        Path path = parent.resolve(directory);
        MeasurementException e = assertThrows(MeasurementException.class, () -> RunDirectoryReader.read(path));
        assertEquals(path + message, e.getMessage());
    }

    private static Set<String> names(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).collect(toCollection(TreeSet::new));
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void readsTheStacksOfAProfile() {
        Path directory = parent.resolve("run");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            writer.stacks("c2", out -> out.append("a.Main.main_[j];write (libc.so.6) 12\n[GC threads] 3\n"));
        }
        List<String> stacks = new ArrayList<>();

        RunDirectoryReader.readStacks(directory, "c2", (frames, samples) -> stacks.add(samples + " " + frames));
        RunDirectoryReader.readStacks(directory, "graal", (frames, samples) -> stacks.add("none of graal"));

        assertEquals(List.of("12 [a.Main.main_[j], write (libc.so.6)]", "3 [[GC threads]]"), stacks);
    }

    @Test
    void namesTheLineThatIsNoStack() throws IOException {
        for (String line : List.of("a;b", "a;b 0", "a;b -1", " 3", "", "a 1234567890123456", "a x", ";a 1")) {
            Path file = Files.writeString(parent.resolve("c2.collapsed"), "a;b 1\n" + line + "\n");

            MeasurementException found = assertThrows(
                    MeasurementException.class,
                    () -> RunDirectoryReader.readStacks(parent, "c2", (frames, samples) -> {}),
                    line);

            assertTrue(found.getMessage().startsWith(file + ": line 2: expected frames, a blank and a number"), line);
        }
    }
}
