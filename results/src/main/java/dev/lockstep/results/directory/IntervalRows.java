package dev.lockstep.results.directory;

import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.results.IntervalRow;
import dev.lockstep.results.json.Json;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** The lines of {@code intervals.jsonl}, of all targets. Used by one thread, which closes it. */
final class IntervalRows implements Closeable {
    private final Path path;
    private final Segments.Lines rows;

    IntervalRows(Path path) {
        this.path = path;
        try {
            rows = new Segments.Lines(path, false);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** Returns the next row, or null at the end. */
    IntervalRow next() {
        try {
            String row = rows.next();
            if (row != null && row.indexOf(Segments.NOT_UTF_8) >= 0) {
                throw new MeasurementException(rows.at() + ": expected UTF-8, found other bytes; the file is damaged");
            }
            return row == null ? null : Json.read(rows.at(), Json.parse(rows.at(), row), IntervalRow.class);
        } catch (IOException e) {
            throw unreadable(e);
        }
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
