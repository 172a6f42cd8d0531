package dev.lockstep.results;

import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.MeasurementException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/**
 * Reads the intervals of one target's measured phase back from a run directory, one at a time. Used by one thread,
 * which closes it.
 */
final class IntervalReader implements Closeable {
    private final Rows rows;
    private final Path path;
    private final String target;
    private final IntervalLog.Reader responseTime;
    private final IntervalLog.Reader serviceTime;
    private final IntervalLog.Reader generatorLag;
    private final Interval interval = new Interval();

    IntervalReader(Path directory, String target) {
        this.target = target;
        path = directory.resolve(RunFiles.INTERVALS);
        responseTime = new IntervalLog.Reader(directory.resolve(RunFiles.responseTimeLog(target)));
        serviceTime = new IntervalLog.Reader(directory.resolve(RunFiles.serviceTimeLog(target)));
        generatorLag = new IntervalLog.Reader(directory.resolve(RunFiles.generatorLagLog(target)));
        rows = new Rows(path);
    }

    /** Returns the next interval, which the next call fills again, or null at the end. */
    Interval next() {
        IntervalRow row;
        while ((row = rows.next(IntervalRow.class)) != null) {
            if (row.target().equals(target) && !row.isWarmup()) {
                row.fill(interval);
                interval.exchangeResponseTime(histogram(responseTime));
                interval.exchangeServiceTime(histogram(serviceTime));
                interval.exchangeGeneratorLag(histogram(generatorLag));
                return interval;
            }
        }
        return null;
    }

    private Histogram histogram(IntervalLog.Reader log) {
        Histogram histogram = log.next();
        if (histogram == null || histogram.getStartTimeStamp() != interval.startMs) {
            throw new MeasurementException(rows.place() + ": expected the histograms of the interval of "
                    + target + " that begins at " + interval.startMs + ", found "
                    + (histogram == null ? "none" : "those of " + histogram.getStartTimeStamp())
                    + "; the files are of different runs");
        }
        return histogram;
    }

    @Override
    public void close() {
        responseTime.close();
        serviceTime.close();
        generatorLag.close();
        rows.close();
    }

    /** The lines of {@code intervals.jsonl}, of all targets. */
    static final class Rows implements Closeable {
        private final Path path;
        private final Segments.Lines rows;

        Rows(Path path) {
            this.path = path;
            try {
                rows = new Segments.Lines(path, false);
            } catch (IOException e) {
                throw unreadable(e);
            }
        }

        /** Returns the next row, or null at the end. */
        <T> T next(Class<T> type) {
            try {
                String row = rows.next();
                if (row != null && row.indexOf(Segments.NOT_UTF_8) >= 0) {
                    throw new MeasurementException(
                            place() + ": expected UTF-8, found other bytes; the file is damaged");
                }
                return row == null ? null : Json.read(place(), Json.parse(place(), row), type);
            } catch (IOException e) {
                throw unreadable(e);
            }
        }

        /** Returns where the last row stands, for people. */
        String place() {
            return rows.path() + ": line " + rows.number();
        }

        private MeasurementException unreadable(IOException e) {
            return new MeasurementException(
                    path + ": expected the intervals of a run, found none that can be read: " + e, e);
        }

        @Override
        public void close() {
            try {
                rows.close();
            } catch (IOException e) {
                throw unreadable(e);
            }
        }
    }
}
