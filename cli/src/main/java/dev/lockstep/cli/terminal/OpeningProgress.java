package dev.lockstep.cli.terminal;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.measurement.Quantities;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/** Shows how far the opening of a large capture is; shows nothing where that is quick. */
public final class OpeningProgress implements LongConsumer, AutoCloseable {
    private static final long QUIET_NS = 1_000_000_000;
    private static final long PAUSE_NS = 200_000_000;

    private final Path capture;
    private final Progress progress;
    private final long beganNs = System.nanoTime();
    private long nextNs = beganNs + QUIET_NS;
    private boolean begun;

    private OpeningProgress(Path capture, Progress progress) {
        this.capture = capture;
        this.progress = progress;
    }

    /** Opens a capture, and shows its progress on this writer. */
    public static Capture open(Path path, OpenOptions options, PrintWriter err) {
        try (OpeningProgress opening = new OpeningProgress(path, new Progress(err, Terminal.isWatched()))) {
            return Capture.open(path, options.progress(opening));
        }
    }

    @Override
    public void accept(long readBytes) {
        long nowNs = System.nanoTime();
        if (nowNs - nextNs < 0) {
            return;
        }
        nextNs = nowNs + PAUSE_NS;
        if (!begun) {
            begun = true;
            progress.begin(capture + ": verifying", Long.MAX_VALUE);
        }
        progress.at(nowNs - beganNs, Quantities.bytes(readBytes) + " read");
    }

    @Override
    public void close() {
        progress.end();
    }
}
