package dev.lockstep.results.directory;

import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.Rules;
import dev.lockstep.results.EncodedHistogram;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * A file of interval histograms in HdrHistogram's standard log format, version 1.3, which the tools of that project
 * open. Values are nanoseconds; the column of maxima is in milliseconds, as is the custom.
 *
 * <p>Written by the library's own writer, a line at a time. Read here, because the library's reader cuts stamps to the
 * millisecond below, so that a log read and written again would drift, and says nothing about the line that it cannot
 * read.
 */
final class IntervalLog {
    private static final double NS_PER_MS = 1e6;
    private static final String BASE_TIME = "#[BaseTime: ";
    private static final int COLUMNS = 4;

    private IntervalLog() {}

    /** Turns histograms into the lines of a log. Used by one thread. */
    static final class Encoder {
        private final long startMs;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final HistogramLogWriter log =
                new HistogramLogWriter(new PrintStream(bytes, false, StandardCharsets.UTF_8));

        /** @param startMs when the log starts, epoch milliseconds; stamps in the file are relative to it */
        Encoder(long startMs) {
            this.startMs = startMs;
        }

        /** Returns the lines with which a log begins. */
        byte[] head() {
            log.outputLogFormatVersion();
            log.outputBaseTime(startMs);
            log.outputStartTime(startMs);
            log.outputLegend();
            return taken();
        }

        /** Returns the line of one histogram. */
        byte[] line(Histogram histogram, long fromMs, long toMs) {
            log.outputIntervalHistogram((fromMs - startMs) / 1000.0, (toMs - startMs) / 1000.0, histogram, NS_PER_MS);
            return taken();
        }

        private byte[] taken() {
            byte[] taken = bytes.toByteArray();
            bytes.reset();
            return taken;
        }
    }

    /** Reads a log line by line. Its histograms carry epoch stamps and grow when others are added. */
    static final class Reader implements Closeable {
        private final Path path;
        private final Segments.Lines lines;
        private long baseMs;

        /** Opens a log with all of its segments. */
        Reader(Path path) {
            this.path = path;
            try {
                lines = new Segments.Lines(path, true);
            } catch (IOException e) {
                throw unreadable(path, e);
            }
        }

        /** Returns where it is: behind what came last. */
        Segments.Place place() {
            return lines.place();
        }

        /** Returns where the line that came last stands, for people. */
        String at() {
            return lines.at();
        }

        /**
         * Reads on to the end, past what is damaged.
         *
         * @return when the last interval ended of those that were whole, epoch milliseconds; 0 where there was none
         */
        long skipToEnd() {
            long endMs = 0;
            String line;
            while ((line = line()) != null) {
                try {
                    Histogram found = histogram(line);
                    endMs = found == null ? endMs : Math.max(endMs, found.getEndTimeStamp());
                } catch (RuntimeException | DataFormatException e) {
                    // Who reads on knows that something is damaged.
                }
            }
            return endMs;
        }

        /** Returns what a line holds; null where that is no histogram. */
        private Histogram histogram(String line) throws DataFormatException {
            if (line.startsWith(BASE_TIME)) {
                baseMs = milliseconds(line.substring(BASE_TIME.length(), line.indexOf(' ', BASE_TIME.length())));
                return null;
            }
            return line.isEmpty() || line.startsWith("#") || line.startsWith("\"") ? null : interval(line, baseMs);
        }

        /** Returns the next histogram, or null at the end. */
        Histogram next() {
            String line;
            while ((line = line()) != null) {
                try {
                    Histogram found = histogram(line);
                    if (found != null) {
                        return found;
                    }
                } catch (RuntimeException | DataFormatException e) {
                    throw new MeasurementException(
                            at() + ": expected start, length, maximum and a compressed histogram, found "
                                    + Rules.quote(line.substring(0, Math.min(line.length(), 40)))
                                    + "; the file is damaged",
                            e);
                }
            }
            return null;
        }

        private String line() {
            try {
                return lines.next();
            } catch (IOException e) {
                throw unreadable(path, e);
            }
        }

        @Override
        public void close() {
            try {
                lines.close();
            } catch (IOException e) {
                throw unreadable(path, e);
            }
        }
    }

    private static MeasurementException unreadable(Path path, IOException e) {
        return new MeasurementException(
                path + ": expected a histogram log, found none that can be read: " + e
                        + "; a run directory must be complete",
                e);
    }

    private static Histogram interval(String line, long baseMs) throws DataFormatException {
        String[] columns = line.split(",", COLUMNS);
        if (columns.length < COLUMNS) {
            throw new DataFormatException("columns are missing");
        }
        Histogram histogram = EncodedHistogram.decode(columns[COLUMNS - 1].strip());
        histogram.setAutoResize(true);
        long startMs = baseMs + milliseconds(columns[0]);
        histogram.setStartTimeStamp(startMs);
        histogram.setEndTimeStamp(startMs + milliseconds(columns[1]));
        return histogram;
    }

    private static long milliseconds(String seconds) {
        return new BigDecimal(seconds.strip()).movePointRight(3).longValueExact();
    }
}
