package dev.lockstep.capture.segments;

import dev.lockstep.capture.Joining;
import java.io.IOException;

/**
 * Finishes a segment while the next one is written: waits for the disk, writes the summary, waits again, closes. One
 * thread, which ends with that.
 */
final class SegmentFinisher {
    private final BlockFile file;
    private final CaptureSummary summary;
    private final Thread thread;
    private IOException failure;

    private SegmentFinisher(BlockFile file, CaptureSummary summary) {
        this.file = file;
        this.summary = summary;
        this.thread = new Thread(this::run, "lockstep-capture-finisher");
        thread.setDaemon(true);
    }

    static SegmentFinisher start(BlockFile file, CaptureSummary summary) {
        SegmentFinisher finisher = new SegmentFinisher(file, summary);
        finisher.thread.start();
        return finisher;
    }

    private void run() {
        try {
            finish();
        } catch (IOException e) {
            failure = e;
        }
    }

    private void finish() throws IOException {
        try {
            file.writeLastIndex();
            CaptureSummary ends = file.summary();
            summary.fileBytes = ends.fileBytes;
            summary.lastIndex = ends.lastIndex;
            file.force();
            file.writeSummary(summary);
            file.force();
        } finally {
            file.close();
        }
    }

    /** Waits until the segment is finished; throws what went wrong, once. */
    void await() throws IOException {
        Joining.untilEnd(thread);
        IOException thrown = failure;
        failure = null;
        if (thrown != null) {
            throw thrown;
        }
    }
}
