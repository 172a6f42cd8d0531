package dev.lockstep.results.directory;

import dev.lockstep.measurement.MeasurementException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Has the disk take what was appended to files, once a second, on a thread of its own: whoever writes need not wait for
 * the disk. Thread-safe.
 */
final class Flusher implements AutoCloseable {
    private final Set<AppendedFile> files = ConcurrentHashMap.newKeySet();
    private final Thread thread = new Thread(this::run, "lockstep-flush");
    private volatile String failure;

    Flusher() {
        thread.setDaemon(true);
        thread.start();
    }

    void add(AppendedFile file) {
        files.add(file);
    }

    void remove(AppendedFile file) {
        files.remove(file);
    }

    /** Returns what the disk said when it failed first, or null. */
    String failure() {
        return failure;
    }

    private void run() {
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(1);
                files.forEach(this::flush);
            }
        } catch (InterruptedException e) {
            // The end.
        }
    }

    private void flush(AppendedFile file) {
        try {
            file.force();
        } catch (ClosedChannelException e) {
            // Closed meanwhile, by whoever had the disk take it before.
        } catch (IOException e) {
            failure = failure == null ? MeasurementException.reason(e) : failure;
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
