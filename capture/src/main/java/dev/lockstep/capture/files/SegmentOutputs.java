package dev.lockstep.capture.files;

import java.io.IOException;

/** Where a {@code CaptureWriter}'s segments come from. Used by its writer thread only, once it runs. */
public interface SegmentOutputs {
    /** Creates the file of a segment, counted from 0. */
    CaptureOutput create(int segment) throws IOException;

    /** Removes a segment that is closed, or of which not even the header could be written. */
    void discard(int segment);
}
