package dev.lockstep.measurement;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * A file of interval histograms in HdrHistogram's standard log format, version 1.3, which the tools of that project
 * open. Values are nanoseconds; the column of maxima is in milliseconds, as is the custom.
 *
 * <p>Written by the library's own writer. Read here, because the library's reader cuts stamps to the millisecond below,
 * so that a log read and written again would drift, and says nothing about the line that it cannot read.
 */
final class IntervalLog {
    private static final double NS_PER_MS = 1e6;
    private static final String BASE_TIME = "#[BaseTime: ";
    private static final int COLUMNS = 4;

    private IntervalLog() {}

    /**
     * Writes histograms in order of time.
     *
     * @param startMs when the run started, epoch milliseconds; stamps in the file are relative to it
     */
    static void write(OutputStream out, long startMs, List<Histogram> intervals) throws IOException {
        PrintStream print = new PrintStream(out, false, StandardCharsets.UTF_8);
        HistogramLogWriter log = new HistogramLogWriter(print);
        log.outputLogFormatVersion();
        log.outputBaseTime(startMs);
        log.outputStartTime(startMs);
        log.outputLegend();
        for (Histogram interval : intervals) {
            log.outputIntervalHistogram(
                    (interval.getStartTimeStamp() - startMs) / 1000.0,
                    (interval.getEndTimeStamp() - startMs) / 1000.0,
                    interval,
                    NS_PER_MS);
        }
        // Print streams keep quiet about errors unless asked.
        if (print.checkError()) {
            throw new IOException("the file system refused the bytes");
        }
    }

    /** Reads a file that {@link #write} wrote. Its histograms carry epoch stamps and grow when others are added. */
    static List<Histogram> read(Path path) {
        List<String> lines;
        try {
            lines = Files.readAllLines(path, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new MeasurementException(
                    path + ": expected a histogram log, found none that can be read: " + e
                            + "; a run directory must be complete",
                    e);
        }
        List<Histogram> intervals = new ArrayList<>();
        long baseMs = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            try {
                if (line.startsWith(BASE_TIME)) {
                    baseMs = milliseconds(line.substring(BASE_TIME.length(), line.indexOf(' ', BASE_TIME.length())));
                } else if (!line.isEmpty() && !line.startsWith("#") && !line.startsWith("\"")) {
                    intervals.add(interval(line, baseMs));
                }
            } catch (RuntimeException | DataFormatException e) {
                throw new MeasurementException(
                        path + ": line " + (i + 1)
                                + ": expected start, length, maximum and a compressed histogram, found "
                                + Rules.quote(line.substring(0, Math.min(line.length(), 40))) + "; the file is damaged",
                        e);
            }
        }
        return intervals;
    }

    private static Histogram interval(String line, long baseMs) throws DataFormatException {
        String[] columns = line.split(",", COLUMNS);
        if (columns.length < COLUMNS) {
            throw new DataFormatException("columns are missing");
        }
        byte[] compressed = Base64.getDecoder().decode(columns[COLUMNS - 1].strip());
        Histogram histogram = Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(compressed), 0);
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
