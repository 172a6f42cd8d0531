package dev.lockstep.results.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.results.TestingRuns;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IntervalLogTest {
    private static final long START_MS = TestingRuns.START_MS;

    @TempDir
    Path directory;

    @Test
    void readsBackValuesAndTimesToTheMillisecond() throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<Histogram> intervals = new ArrayList<>();
        long timeMs = START_MS - 5;
        for (int i = 0; i < 60; i++) {
            long endMs = timeMs + random.nextInt(3000);
            Histogram interval = TestingRuns.histogram(timeMs, endMs);
            for (int value = random.nextInt(50); value > 0; value--) {
                interval.recordValue(random.nextLong() >>> (20 + random.nextInt(40)));
            }
            intervals.add(interval);
            timeMs = endMs;
        }

        List<Histogram> read = read(write(intervals));

        assertEquals(intervals.size(), read.size(), "seed " + seed);
        for (int i = 0; i < intervals.size(); i++) {
            assertEquals(intervals.get(i), read.get(i), "seed " + seed);
            assertEquals(intervals.get(i).getStartTimeStamp(), read.get(i).getStartTimeStamp(), "seed " + seed);
            assertEquals(intervals.get(i).getEndTimeStamp(), read.get(i).getEndTimeStamp(), "seed " + seed);
            assertEquals(Percentiles.of(intervals.get(i)), Percentiles.of(read.get(i)), "seed " + seed);
        }
    }

    @Test
    void isOpenedByTheLibrarysOwnReader() throws IOException {
        Histogram first = TestingRuns.histogram(START_MS, START_MS + 1000);
        first.recordValue(1_000_000);
        Histogram second = TestingRuns.histogram(START_MS + 1000, START_MS + 2000);
        second.recordValue(2_000_000);
        second.recordValue(3_000_000);
        Path path = write(List.of(first, second));

        try (HistogramLogReader reader = new HistogramLogReader(path.toFile())) {
            EncodableHistogram read = reader.nextIntervalHistogram();
            assertEquals(first, read);
            assertNull(read.getTag());
            assertEquals(START_MS, read.getStartTimeStamp(), 1.0);
            assertEquals(second, reader.nextIntervalHistogram());
            assertNull(reader.nextIntervalHistogram());
            assertEquals(START_MS / 1000.0, reader.getStartTimeSec(), 0.001);
        }
        List<String> lines = Files.readAllLines(path);
        assertEquals("#[Histogram log format version 1.3]", lines.get(0));
        assertTrue(lines.get(4).startsWith("0.000,1.000,1.000,HISTF"), lines.get(4));
    }

    @Test
    void holdsIntervalsWithoutValuesAndNoIntervals() throws IOException {
        assertEquals(List.of(), read(write(List.of())));
        List<Histogram> read = read(write(List.of(TestingRuns.histogram(START_MS, START_MS + 1))));
        assertEquals(0, read.get(0).getTotalCount());
    }

    @Test
    void histogramsReadBackGrowWhenOthersAreAdded() throws IOException {
        Histogram small = TestingRuns.histogram(START_MS, START_MS + 1);
        small.recordValue(5);
        Histogram read = read(write(List.of(small))).get(0);
        read.recordValue(3_600_000_000_000L);
        assertEquals(2, read.getTotalCount());
    }

    @Test
    void namesFileLineAndTextOfWhatItCannotRead() throws IOException {
        Histogram histogram = TestingRuns.histogram(START_MS, START_MS + 1);
        histogram.recordValue(5);
        Path good = write(List.of(histogram));
        String text = Files.readString(good);
        String data = text.substring(text.indexOf("HISTF"));
        assertDamaged(text.replace(data, "HISTnonsense\n"), 5, "0.000,0.001,0.000,HISTnonsense");
        assertDamaged(text.replace(data, data.substring(0, data.length() / 2)), 5, "0.000,0.001,0.000,HISTF");
        assertDamaged(text.replace("0.000,0.001", "0.000"), 5, "0.000,0.000,HISTF");
        assertDamaged(text.replace("0.000,0.001", "soon,0.001"), 5, "soon,0.001,0.000,HISTF");
        assertDamaged(text.replace("#[BaseTime: ", "#[BaseTime: x"), 2, "#[BaseTime: x");
    }

    private void assertDamaged(String text, int line, String found) throws IOException {
        Path path = directory.resolve("damaged.hlog");
        Files.writeString(path, text);
        MeasurementException e = assertThrows(MeasurementException.class, () -> read(path));
        assertTrue(
                e.getMessage()
                        .startsWith(path + ": line " + line
                                + ": expected start, length, maximum and a compressed histogram, found \"" + found),
                e.getMessage());
        assertTrue(e.getMessage().endsWith("; the file is damaged"), e.getMessage());
    }

    @Test
    void saysThatAFileIsMissing() {
        Path path = directory.resolve("none.hlog");
        MeasurementException e = assertThrows(MeasurementException.class, () -> read(path));
        assertTrue(e.getMessage().startsWith(path + ": expected a histogram log, found none"), e.getMessage());
    }

    private static List<Histogram> read(Path path) {
        List<Histogram> histograms = new ArrayList<>();
        try (IntervalLog.Reader reader = new IntervalLog.Reader(path)) {
            Histogram next;
            while ((next = reader.next()) != null) {
                histograms.add(next);
            }
        }
        return histograms;
    }

    private Path write(List<Histogram> intervals) throws IOException {
        IntervalLog.Encoder encoder = new IntervalLog.Encoder(START_MS);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(encoder.head());
        for (Histogram interval : intervals) {
            out.write(encoder.line(interval, interval.getStartTimeStamp(), interval.getEndTimeStamp()));
        }
        Path path = directory.resolve("test.hlog");
        Files.write(path, out.toByteArray());
        return path;
    }
}
