package dev.lockstep.capture;

import java.io.IOException;

/** Where a {@link CaptureWriter}'s segments come from. Used by its writer thread only, once it runs. */
interface SegmentOutputs {
    /** Creates the file of a segment, counted from 0. */
    CaptureOutput create(int segment) throws IOException;

    /** Removes a segment that is closed, or of which not even the header could be written. */
    void discard(int segment);
}
