package dev.lockstep.conversion;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Keeps a conversion from overwriting what it reads. */
final class SameFile {
    private SameFile() {}

    static void refuse(List<Path> inputs, Path output) {
        for (Path input : inputs) {
            try {
                if (Files.exists(output) && Files.exists(input) && Files.isSameFile(input, output)) {
                    throw new ConversionException(output, "is read and cannot be written at the same time");
                }
            } catch (IOException e) {
                throw new ConversionException(output, "cannot be looked at: " + e.getMessage(), e);
            }
        }
    }
}
