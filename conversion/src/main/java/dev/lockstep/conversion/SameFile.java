package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** Keeps a conversion from overwriting what it reads. */
public final class SameFile {
    private SameFile() {}

    /** Refuses an output that is an input, or belongs to the same capture as one. */
    public static void refuse(List<Path> inputs, Path output) {
        for (Path input : inputs) {
            try {
                if (Files.exists(output) && Files.exists(input) && Files.isSameFile(input, output)) {
                    throw new ConversionException(output, "is read and cannot be written at the same time");
                }
                // A pipe is no capture, and looking into it would take its first bytes.
                UUID written = Files.isRegularFile(input) ? CaptureReader.captureId(output) : null;
                if (written != null && written.equals(CaptureReader.captureId(input))) {
                    throw new ConversionException(
                            output,
                            "belongs to the capture that is read from " + input
                                    + " and cannot be replaced by what is made of it; give another path");
                }
            } catch (IOException e) {
                throw ConversionException.because(output, "cannot be looked at", e);
            }
        }
    }
}
