package dev.lockstep.results.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.TestingRuns;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Interval files of long runs, and results of runs that were killed. */
class RunRecoveryTest {
    private static final int MINUTES = 150;
    private static final int STEP = 6;
    private static final int COUNT = MINUTES / STEP;

    @TempDir
    Path parent;

    private final RunPlan plan = TestingRuns.plan()
            .duration(Duration.ofHours(24))
            .maxLag(Duration.ofMillis(10))
            .build();
    private Path directory;
    private RunDirectoryWriter killed;

    /**
     * A run of two and a half hours, with an interval every six minutes, of which the second target has only the first
     * hour.
     */
    @BeforeEach
    void writeARunThatDoesNotEnd() {
        directory = parent.resolve("run");
        killed = RunDirectoryWriter.create(directory, false);
        killed.plan(plan);
        for (int minute = 0; minute < MINUTES; minute += STEP) {
            killed.intervals().interval("c2", interval(minute));
            if (minute < 60) {
                killed.intervals().interval("graal", interval(minute));
            }
        }
    }

    private static Interval interval(int minute) {
        Interval interval = TestingRuns.interval(TestingRuns.START_MS + 60_000L * minute);
        interval.counts().sent = 3;
        interval.counts().completed = 2;
        interval.counts().error(ErrorKind.READ_TIMEOUT);
        interval.counts().status(201);
        interval.counts().status(204);
        for (int i = 1; i <= 2; i++) {
            interval.responseTime().recordValue(1_000_000L * i + minute);
            interval.serviceTime().recordValue(1_000_000L * i);
            interval.generatorLag().recordValue(1000L * i);
        }
        interval.costs = Costs.builder()
                .set(Cost.USER_CPU, 10)
                .set(Cost.RSS, 1000 + minute)
                .build();
        return interval;
    }

    /** Returns the interval that follows on that of a minute. */
    private static Interval secondAfter(int minute) {
        Interval interval = interval(minute);
        interval.startMs += 1000;
        interval.endMs += 1000;
        interval.startNs += 1_000_000_000;
        interval.endNs += 1_000_000_000;
        return interval;
    }

    /** Does what the death of the process does: the kernel takes the lock back. */
    private RunDirectoryWriter reopenedAfterTheKill() throws IOException {
        byte[] rows = Files.readAllBytes(directory.resolve("intervals.h3.jsonl"));
        killed.close();
        assertEquals(rows.length, Files.size(directory.resolve("intervals.h3.jsonl")));
        return RunDirectoryWriter.reopen(directory);
    }

    private RunResult recovered() throws IOException {
        try (RunDirectoryWriter writer = reopenedAfterTheKill()) {
            RunResult result = writer.recover(TestingRuns.environment(), IntervalSink.NONE);
            writer.result(result);
            return result;
        }
    }

    @Test
    void writesFilesForEachHourThatStandardToolsOpen() throws IOException {
        killed.close();

        List<String> hours = new ArrayList<>();
        for (String name : List.of("c2.hlog", "c2.h2.hlog", "c2.service.h3.hlog", "graal.lag.hlog")) {
            try (HistogramLogReader reader =
                    new HistogramLogReader(directory.resolve(name).toFile())) {
                int intervals = 0;
                EncodableHistogram first = null;
                EncodableHistogram next;
                while ((next = reader.nextIntervalHistogram()) != null) {
                    first = first == null ? next : first;
                    intervals++;
                }
                hours.add(name + " " + intervals + " from minute "
                        + (first.getStartTimeStamp() - TestingRuns.START_MS) / 60_000);
            }
        }
        assertEquals(
                List.of(
                        "c2.hlog 10 from minute 0",
                        "c2.h2.hlog 10 from minute 60",
                        "c2.service.h3.hlog 5 from minute 120",
                        "graal.lag.hlog 10 from minute 0"),
                hours);
        assertEquals(
                20, Files.readAllLines(directory.resolve("intervals.jsonl")).size());
        assertEquals(
                5, Files.readAllLines(directory.resolve("intervals.h3.jsonl")).size());
        assertFalse(Files.exists(directory.resolve("graal.h2.hlog")));
    }

    @Test
    void keepsWhatATargetHadCostUntilItDied() throws IOException {
        Interval dead = interval(MINUTES);
        dead.costs = Costs.NONE;
        killed.intervals().interval("c2", dead);

        TargetResult c2 = recovered().targets().get(0);

        assertEquals(10 * COUNT, c2.costs().get(Cost.USER_CPU).orElseThrow());
        assertEquals(1000 + MINUTES - STEP, c2.rssBytes().orElseThrow());
    }

    @Test
    void readsTheIntervalsOfAllHoursInOrder() {
        killed.close();

        List<Long> minutes = new ArrayList<>();
        RunDirectoryReader.readFigures(directory, "c2", row -> minutes.add(row.startNs() / 60_000_000_000L));
        List<Long> figures = new ArrayList<>();
        RunDirectoryReader.readFigures(directory, "graal", row -> figures.add(row.startNs() / 60_000_000_000L));

        assertEquals(COUNT, minutes.size());
        assertEquals(10, figures.size());
        for (int i = 0; i < COUNT; i++) {
            assertEquals(STEP * i, minutes.get(i));
        }
    }

    @Test
    void makesAResultOfARunThatWasKilled() throws IOException {
        RunResult result = recovered();

        assertTrue(result.interrupted());
        assertEquals(RunStatus.VALID, result.status());
        TargetResult c2 = result.targets().get(0);
        assertEquals(2 * COUNT, c2.counts().orElseThrow().completed);
        assertEquals(COUNT, c2.counts().orElseThrow().errors(ErrorKind.READ_TIMEOUT));
        assertEquals(COUNT * 1_000_000_000L, c2.measuredNs().orElseThrow());
        assertEquals(2 * COUNT, c2.responseTime().orElseThrow().count());
        assertEquals(10 * COUNT, c2.costs().get(Cost.USER_CPU).orElseThrow());
        assertEquals(1000 + MINUTES - STEP, c2.rssBytes().orElseThrow());
        assertEquals(20, result.targets().get(1).counts().orElseThrow().completed);
        assertEquals(result.toJson(), RunDirectoryReader.read(directory).toJson());
        assertTrue(Files.exists(directory.resolve("c2.hgrm")));
        assertFalse(Files.exists(directory.resolve("run.lock")));
        assertTrue(result.notes().get(0).startsWith("the run was killed or its result could not be written"));
        assertTrue(result.notes().get(0).contains(" requests that were due and not sent,"), "0 in its counts");
    }

    @Test
    void keepsWhatWasKnownOfTheTargetsBeforeTheyWereMeasured() throws IOException {
        killed.begun(RunResult.builder(plan)
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START)
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("c2")
                        .jvm("OpenJDK 17.0.15")
                        .cpus("1")
                        .build())
                .target(TargetResult.builder("graal").jvm("OpenJDK 17.0.15").build())
                .note("two cores for three processes")
                .build());

        RunResult result = recovered();

        assertEquals("OpenJDK 17.0.15", result.targets().get(0).jvm().orElseThrow());
        assertEquals("1", result.targets().get(0).cpus().orElseThrow());
        assertEquals("two cores for three processes", result.notes().get(0));
        assertEquals(TestingRuns.START, result.startedAt());
        assertFalse(Files.exists(directory.resolve("begun.json")));
    }

    @Test
    void cutsOffWhatAPowerCutLeftInSomeFilesOnly() throws IOException {
        killed.intervals().interval("c2", secondAfter(MINUTES - STEP));
        killed.close();
        append("intervals.h3.jsonl", "{\"target\":\"c2\",\"startMs\":17");
        append("c2.h3.hlog", "\0\0\0\0");
        dropLastLine("c2.service.h3.hlog");

        RunResult result = recovered();

        assertEquals(2 * COUNT, result.targets().get(0).counts().orElseThrow().completed);
        assertEquals(result.toJson(), RunDirectoryReader.read(directory).toJson());
        List<IntervalFigures> left = new ArrayList<>();
        RunDirectoryReader.readFigures(directory, "c2", left::add);
        assertEquals(COUNT, left.size());
        assertTrue(
                result.notes()
                        .get(0)
                        .matches(
                                ".*; a torn end was cut off and is in run\\.torn/: [0-9.]+ (bytes|kB), with intervals of"
                                        + " 1\\.0 s"),
                result.notes().get(0));
    }

    @Test
    void cutsOffWhatIsNotEvenText() throws IOException {
        killed.close();
        for (String file : List.of("intervals.h3.jsonl", "c2.h3.hlog")) {
            Files.write(
                    directory.resolve(file),
                    new byte[] {(byte) 0xfe, 'x', (byte) 0xc3, '\n', '{', (byte) 0xff},
                    StandardOpenOption.APPEND);
        }

        RunResult result = recovered();

        assertEquals(2 * COUNT, result.targets().get(0).counts().orElseThrow().completed);
        List<IntervalFigures> left = new ArrayList<>();
        RunDirectoryReader.readFigures(directory, "c2", left::add);
        assertEquals(COUNT, left.size());
        assertTrue(
                result.notes().get(0).endsWith("; a torn end was cut off and is in run.torn/: 12 bytes"),
                result.notes().get(0));
        assertEquals(6, Files.size(directory.resolve("run.torn/c2.h3.hlog")));
    }

    /** Finished hours may be copied away, and a disk damages a byte: the hours behind are no torn end. */
    @Test
    void refusesFilesOfWhichAnHourIsMissingAndTouchesNone() throws IOException {
        killed.close();
        Path moved = parent.resolve("moved");

        Files.move(directory.resolve("c2.lag.h2.hlog"), moved);
        assertEquals(
                directory.resolve("c2.lag.h2.hlog") + ": expected the interval of "
                        + directory.resolve("intervals.h2.jsonl")
                        + ": line 1, found no such file; intervals of 1 h 30 min"
                        + " lie behind that, and nothing was touched: bring the file back as it was written; if you"
                        + " cannot, and it is not of the first hour, move all files of its hour and of later ones"
                        + " aside, and the hours before can be recovered",
                refusal());
        Files.move(moved, directory.resolve("c2.lag.h2.hlog"));

        for (String first : List.of("c2.hlog", "c2.service.hlog")) {
            Files.move(directory.resolve(first), moved);
            assertTrue(refusal().startsWith(directory.resolve(first) + ": expected the interval of "), refusal());
            Files.move(moved, directory.resolve(first));
        }

        Files.move(directory.resolve("intervals.h2.jsonl"), moved);
        assertTrue(
                refusal()
                        .startsWith(directory.resolve("intervals.h2.jsonl") + ": expected the row of "
                                + directory.resolve("c2.h2.hlog") + ": line "),
                refusal());
        Files.move(moved, directory.resolve("intervals.h2.jsonl"));

        Files.move(directory.resolve("intervals.h3.jsonl"), moved);
        assertTrue(
                refusal()
                        .startsWith(directory.resolve("intervals.h2.jsonl")
                                + ": line 10: expected the rows of all intervals in the .hlog files, found the end; "),
                refusal());
        Files.move(moved, directory.resolve("intervals.h3.jsonl"));

        assertEquals(2 * COUNT, recovered().targets().get(0).counts().orElseThrow().completed);
    }

    @Test
    void recoversWhatStandsBeforeADamagedHistogramAndKeepsTheRest() throws IOException {
        recoversWhatStandsBeforeDamage("c2.service.h2.hlog");
    }

    @Test
    void recoversWhatStandsBeforeADamagedRowAndKeepsTheRest() throws IOException {
        recoversWhatStandsBeforeDamage("intervals.h2.jsonl");
    }

    /** Nobody can mend it: what came before it is worth a result, and what came after it is kept. */
    private void recoversWhatStandsBeforeDamage(String name) throws IOException {
        killed.close();
        Path file = directory.resolve(name);
        Files.writeString(file, Files.readString(file).replaceFirst("HIST|target", "!"));
        long laterBytes = Files.size(directory.resolve("c2.h3.hlog"));

        RunResult result = recovered();

        assertEquals(20, result.targets().get(0).counts().orElseThrow().completed);
        assertTrue(
                result.notes().stream()
                        .anyMatch(note -> note.startsWith("THE FIGURES ARE OF THE FIRST PART: " + file + ": line ")
                                && note.endsWith(" is in run.torn/")),
                result.notes().toString());
        assertEquals(laterBytes, Files.size(directory.resolve("run.torn/c2.h3.hlog")));
        assertEquals(result.toJson(), RunDirectoryReader.read(directory).toJson());
    }

    /** What hour 1 held is there once the files of the others are out of the way. */
    @Test
    void recoversTheHoursBeforeADamagedOne() throws IOException {
        killed.close();
        Path aside = Files.createDirectory(parent.resolve("aside"));
        for (String name : sizes().keySet()) {
            if (name.matches(".*\\.h[0-9]\\..*")) {
                Files.move(directory.resolve(name), aside.resolve(name));
            }
        }

        try (RunDirectoryWriter writer = RunDirectoryWriter.reopen(directory)) {
            RunResult result = writer.recover(TestingRuns.environment(), IntervalSink.NONE);
            assertEquals(20, result.targets().get(0).counts().orElseThrow().completed);
        }
    }

    @Test
    void touchesNothingWhereThereIsNothingToRecover() throws IOException {
        Path path = parent.resolve("short");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(path, false)) {
            writer.plan(plan);
            writer.intervals().interval("c2", interval(0));
        }
        directory = path;
        dropLastLine("c2.lag.hlog");

        assertEquals(
                path + ": expected at least one second of the measured phase, found none: nothing to recover",
                refusal());
    }

    /** Tries to recover, in vain; returns why, once it is sure that all files are as they were. */
    private String refusal() throws IOException {
        Map<String, Long> before = sizes();
        try (RunDirectoryWriter writer = RunDirectoryWriter.reopen(directory)) {
            return assertThrows(
                            MeasurementException.class,
                            () -> writer.recover(TestingRuns.environment(), IntervalSink.NONE))
                    .getMessage();
        } finally {
            assertEquals(before, sizes());
        }
    }

    private Map<String, Long> sizes() throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                sizes.put(file.getFileName().toString(), Files.size(file));
            }
        }
        sizes.remove("run.lock");
        return sizes;
    }

    /** As where the disk was full for a while. */
    @Test
    void saysHowMuchIsMissingBetweenIntervals() throws IOException {
        List<String> notes = recovered().notes();

        assertTrue(
                notes.contains("2 h 23 min of c2 are missing, from 1.0 s on, as where the disk is full: its counts and"
                        + " percentiles are of the rest"),
                notes.toString());
        assertTrue(notes.stream().anyMatch(note -> note.startsWith("53 min 51 s of graal are missing, ")), notes + "");
    }

    @Test
    void saysNothingOfIntervalsThatFollowOnEachOther() throws IOException {
        directory = parent.resolve("short");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            writer.plan(plan);
            writer.intervals().interval("c2", interval(0));
            writer.intervals().interval("c2", secondAfter(0));
        }

        try (RunDirectoryWriter writer = RunDirectoryWriter.reopen(directory)) {
            List<String> notes =
                    writer.recover(TestingRuns.environment(), IntervalSink.NONE).notes();
            assertEquals(1, notes.size(), notes.toString());
        }
    }

    private void sendLate() {
        Interval late = interval(MINUTES);
        late.generatorLag().recordValueWithCount(20_000_000, 1000);
        late.responseTime().recordValueWithCount(20_000_000, 1000);
        killed.intervals().interval("c2", late);
    }

    /** Writes what a run writes at its end, before its result, for which a full disk had no room. */
    private void writeOwnLag(long lagNs) throws IOException {
        Histogram lag = LatencyRecorder.newHistogram();
        lag.recordValueWithCount(lagNs, 1000);
        IntervalLog.Encoder log = new IntervalLog.Encoder(TestingRuns.START_MS);
        try (OutputStream out = Files.newOutputStream(directory.resolve("c2.own-lag.hlog"))) {
            out.write(log.head());
            out.write(log.line(lag, TestingRuns.START_MS, TestingRuns.START_MS + 1000));
        }
    }

    @Test
    void doubtsNoResultWhoseSendsWereLateByTheTargetsDoing() throws IOException {
        sendLate();
        writeOwnLag(1_000_000);

        RunResult result = recovered();

        assertEquals(List.of(), result.statusReasons());
        assertEquals(1000, result.targets().get(0).load().orElseThrow().ownLag().getTotalCount());
    }

    @Test
    void saysThatLockstepItselfWasLateWhereThatWasWritten() throws IOException {
        sendLate();
        writeOwnLag(20_000_000);

        assertEquals(
                List.of("c2: Lockstep was more than 20.0 ms late with 1 % of its sends (limit 10.0 ms, --max-lag)"),
                recovered().statusReasons());
    }

    @Test
    void doubtsAResultWhoseSendsWereLate() throws IOException {
        sendLate();

        RunResult result = recovered();

        assertEquals(RunStatus.INVALID, result.status());
        assertTrue(
                result.statusReasons()
                        .get(0)
                        .startsWith(
                                "c2: 1 % of the requests were sent more than 20.0 ms late (limit 10.0 ms, --max-lag)"),
                result.statusReasons().toString());
    }

    @Test
    void keepsWhyEarlierLaunchesWereInvalid() throws IOException {
        killed.begun(RunResult.builder(plan)
                .startedAt(TestingRuns.START)
                .finishedAt(TestingRuns.START)
                .environment(TestingRuns.environment())
                .target(TargetResult.builder("c2").build())
                .target(TargetResult.builder("graal").build())
                .invalid("the capture was written over")
                .late("the replayer was late")
                .build());

        RunResult result = recovered();

        assertEquals(List.of("the capture was written over", "the replayer was late"), result.statusReasons());
        assertEquals(List.of("the capture was written over"), result.reasonsBesideLateness());
    }

    @Test
    void saysThatARunWhichWasKilledWasNotProfiled() throws IOException {
        killed.plan(plan.toBuilder().profileDuration(Duration.ofSeconds(10)).build());

        assertTrue(recovered()
                .notes()
                .contains("the targets were not profiled, since the run was killed, or failed, before"));
    }

    @Test
    void removesTheIntervalsOfALaunchThatFailed() throws IOException {
        for (int minute = MINUTES; minute < MINUTES + 120; minute += STEP) {
            for (boolean warmup : new boolean[] {true, false}) {
                Interval interval = interval(minute);
                interval.launch = 2;
                interval.phase = warmup ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
                killed.intervals().interval("c2", interval);
            }
        }

        killed.keepLaunches(1);

        List<Integer> launches = new ArrayList<>();
        RunDirectoryReader.readFigures(directory, "c2", row -> launches.add(row.launch()));
        assertEquals(Collections.nCopies(COUNT, 1), launches);
        assertFalse(Files.exists(directory.resolve("c2.h4.hlog")));
        RunResult result = recovered();
        assertEquals(2 * COUNT, result.targets().get(0).counts().orElseThrow().completed);
        assertFalse(
                result.notes().get(0).contains("a torn end was cut off"),
                result.notes().get(0));
        assertEquals(result.toJson(), RunDirectoryReader.read(directory).toJson());
    }

    @Test
    void touchesNoDirectoryThatARunIsWriting() {
        MeasurementException refused =
                assertThrows(MeasurementException.class, () -> RunDirectoryWriter.reopen(directory));

        assertEquals(
                directory
                        + ": expected the directory of a run that has ended, found one that a run is writing; wait for its"
                        + " end",
                refused.getMessage());
    }

    @Test
    void refusesWhatHasAResultOrNothingMeasured() throws IOException {
        recovered();
        MeasurementException complete =
                assertThrows(MeasurementException.class, () -> RunDirectoryWriter.reopen(directory));
        assertEquals(
                directory.resolve("run.json") + ": the run has a result: there is nothing to recover",
                complete.getMessage());

        Path empty = parent.resolve("empty");
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(empty, false)) {
            writer.plan(plan);
        }
        try (RunDirectoryWriter writer = RunDirectoryWriter.reopen(empty)) {
            MeasurementException nothing = assertThrows(
                    MeasurementException.class, () -> writer.recover(TestingRuns.environment(), IntervalSink.NONE));
            assertEquals(
                    empty.resolve("intervals.jsonl")
                            + ": expected the intervals of a run, found none: nothing was measured",
                    nothing.getMessage());
        }
    }

    @Test
    void removesAllHoursOfAnEarlierRunWhenItIsReplaced() throws IOException {
        killed.close();

        RunDirectoryWriter.create(directory, true).close();

        try (var files = Files.list(directory)) {
            assertEquals(0, files.count());
        }
    }

    private void append(String file, String text) throws IOException {
        Files.writeString(directory.resolve(file), text, StandardCharsets.UTF_8, StandardOpenOption.APPEND);
    }

    private void dropLastLine(String file) throws IOException {
        UnaryOperator<String> drop = text -> text.substring(0, text.lastIndexOf('\n', text.length() - 2) + 1);
        Path path = directory.resolve(file);
        Files.writeString(path, drop.apply(Files.readString(path)));
    }
}
