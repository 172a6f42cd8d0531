package dev.lockstep.capture.segments;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SegmentFileTest {
    @TempDir
    private Path folder;

    @Test
    void isBeingRecordedByWhoHoldsItsLock() {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults());
        try (SegmentFile file = SegmentFile.open(path)) {
            assertTrue(file.isBeingRecorded());
            writer.close();
            assertFalse(file.isBeingRecorded());
        }
    }

    /** As on a file system without locks, where the recorder that asks gets none either, and goes on. */
    @Test
    void isNotBeingRecordedWhereNothingCanBeLockedAndItsRecorderHasEnded() {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults());
        assertTrue(unlockable(path).isBeingRecorded());
        writer.close();
        assertFalse(unlockable(path).isBeingRecorded());
    }

    private static SegmentFile unlockable(Path path) {
        SegmentFile file = SegmentFile.open(path);
        file.close();
        return file;
    }
}
