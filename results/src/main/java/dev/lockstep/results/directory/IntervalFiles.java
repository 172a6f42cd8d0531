package dev.lockstep.results.directory;

import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.results.IntervalRow;
import dev.lockstep.results.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The interval files of a run directory, which grow while the run goes on: {@code intervals.jsonl} for all targets and
 * three histogram logs for each. An interval is in all of its files or in none; one of the warm-up is in
 * {@code intervals.jsonl} alone. Every hour they go on in new {@link Segments}. Used by one thread, which closes it.
 *
 * <p>A full disk does not end a run: what could not be written is counted and {@link #losses told}, and the next
 * interval is tried again.
 */
final class IntervalFiles implements IntervalSink, AutoCloseable {
    private static final double NS_PER_SEC = 1e9;

    /** The three logs of one target. */
    private static final class Logs {
        final IntervalLog.Encoder encoder;
        final List<AppendedFile> files = new ArrayList<>();

        Logs(Path directory, String target, int segment, long startMs) throws IOException {
            encoder = new IntervalLog.Encoder(startMs);
            byte[] head = encoder.head();
            try {
                for (String log : RunFiles.intervalLogs(target)) {
                    files.add(begin(directory.resolve(Segments.name(log, segment)), head));
                }
            } catch (IOException e) {
                // It is tried again with each interval: who left these open would run out of descriptors.
                for (AppendedFile file : files) {
                    file.close();
                }
                throw e;
            }
        }

        private static AppendedFile begin(Path path, byte[] head) throws IOException {
            AppendedFile file = new AppendedFile(path);
            try {
                file.append(head);
                file.keep();
                return file;
            } catch (IOException e) {
                file.close();
                throw e;
            }
        }
    }

    /** What could not be written of one target. */
    private static final class Loss {
        final long fromNs;
        final String reason;
        long intervals;

        Loss(long fromNs, String reason) {
            this.fromNs = fromNs;
            this.reason = reason;
        }
    }

    private final Path directory;
    private final Map<String, Logs> logs = new LinkedHashMap<>();
    private final Map<String, Loss> losses = new LinkedHashMap<>();
    private AppendedFile rows;
    private int segment = 1;
    private long segmentStartMs;
    private Flusher flusher;
    private boolean closed;

    /** Opens no file before there is something to write. */
    IntervalFiles(Path directory) {
        this.directory = directory;
    }

    /** Has what is written outlive a power cut too, a second after it was written. */
    void durable() {
        flusher = new Flusher();
    }

    @Override
    public void interval(String target, Interval interval) {
        try {
            write(target, interval);
        } catch (IOException e) {
            losses.computeIfAbsent(
                            target,
                            name -> new Loss(
                                    interval.isMeasured() ? interval.startNs : 0, MeasurementException.reason(e)))
                    .intervals++;
        }
    }

    private void write(String target, Interval interval) throws IOException {
        byte[] row = (Json.tree(IntervalRow.of(target, interval)) + "\n").getBytes(StandardCharsets.UTF_8);
        begin(interval.startMs);
        if (!interval.isMeasured()) {
            write(List.of(rows), () -> rows.append(row));
            return;
        }
        Logs of = open(target, interval.startMs);
        List<AppendedFile> all = new ArrayList<>(of.files);
        all.add(rows);
        List<Histogram> times = List.of(interval.responseTime(), interval.serviceTime(), interval.generatorLag());
        write(all, () -> {
            for (int i = 0; i < times.size(); i++) {
                of.files.get(i).append(of.encoder.line(times.get(i), interval.startMs, interval.endMs));
            }
            rows.append(row);
        });
    }

    /** Opens the file of rows, or that of the next hour; who could not do so tries again with the next interval. */
    private void begin(long startMs) throws IOException {
        if (rows == null) {
            rows = opened(new AppendedFile(directory.resolve(RunFiles.INTERVALS)));
            segmentStartMs = startMs;
        } else if (startMs - segmentStartMs >= Segments.LENGTH_MS) {
            AppendedFile next = new AppendedFile(directory.resolve(Segments.name(RunFiles.INTERVALS, segment + 1)));
            segment++;
            segmentStartMs = startMs;
            AppendedFile full = rows;
            rows = opened(next);
            List<AppendedFile> whole = new ArrayList<>(List.of(full));
            logs.values().forEach(open -> whole.addAll(open.files));
            logs.clear();
            each(whole, this::close);
        }
    }

    private AppendedFile opened(AppendedFile file) {
        if (flusher != null) {
            flusher.add(file);
        }
        return file;
    }

    private void close(AppendedFile file) throws IOException {
        try (file) {
            if (flusher != null) {
                flusher.remove(file);
                file.force();
            }
        }
    }

    private interface Step {
        void take(AppendedFile file) throws IOException;
    }

    /** Does this with all of the files, whatever fails, and then throws the first failure. */
    private static void each(List<AppendedFile> files, Step step) throws IOException {
        IOException first = null;
        for (AppendedFile file : files) {
            try {
                step.take(file);
            } catch (IOException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private interface Appending {
        void run() throws IOException;
    }

    /** Appends to all of these files or to none. */
    private static void write(List<AppendedFile> files, Appending appending) throws IOException {
        try {
            appending.run();
        } catch (IOException e) {
            try {
                each(files, AppendedFile::drop);
            } catch (IOException torn) {
                e.addSuppressed(torn);
            }
            throw e;
        }
        each(files, AppendedFile::keep);
    }

    private Logs open(String target, long startMs) throws IOException {
        Logs open = logs.get(target);
        if (open == null) {
            open = new Logs(directory, target, segment, startMs);
            open.files.forEach(this::opened);
            logs.put(target, open);
        }
        return open;
    }

    /**
     * Makes sure that a target that was measured has its logs, if only empty ones; files that are closed stay as they
     * are.
     */
    void complete(String target, long startMs) throws IOException {
        if (lost(target) == 0 && !closed) {
            open(target, startMs);
        }
    }

    /** Returns how many of a target's intervals are missing from the files. */
    long lost(String target) {
        Loss loss = losses.get(target);
        return loss == null ? 0 : loss.intervals;
    }

    /** Returns what could not be written, a line per target for people. */
    List<String> losses() {
        List<String> lines = new ArrayList<>();
        losses.forEach((target, loss) -> lines.add(String.format(
                Locale.ROOT,
                "%s: %d interval%s from %.1f s on could not be written (%s); counts and percentiles of requests are complete",
                target,
                loss.intervals,
                loss.intervals == 1 ? "" : "s",
                loss.fromNs / NS_PER_SEC,
                loss.reason)));
        if (flusher != null && flusher.failure() != null) {
            lines.add("intervals may not have outlived a power cut: " + flusher.failure());
        }
        return lines;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        List<AppendedFile> open = new ArrayList<>();
        logs.values().forEach(of -> open.addAll(of.files));
        logs.clear();
        if (rows != null) {
            open.add(rows);
            rows = null;
        }
        try {
            each(open, this::close);
        } finally {
            if (flusher != null) {
                flusher.close();
                flusher = null;
            }
        }
    }
}
