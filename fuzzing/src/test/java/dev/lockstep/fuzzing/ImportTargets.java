package dev.lockstep.fuzzing;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.imports.ImportConfig;
import dev.lockstep.conversion.imports.ImportFormat;
import dev.lockstep.conversion.imports.TrafficImport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Imports: a file is refused with a word, or becomes a capture that opens. */
final class ImportTargets {
    private ImportTargets() {}

    static void parse(ImportFormat format, byte[] input) throws IOException {
        Path file = Files.createTempFile("import", ".txt");
        Path output = Files.createTempFile("import", ".bin");
        try {
            Files.write(file, input);
            TrafficImport.run(ImportConfig.builder()
                    .inputs(List.of(file))
                    .output(output)
                    .format(format)
                    .captureOptions(CaptureOptions.builder().overwrite(true))
                    .build());
            Capture.open(output).close();
        } catch (ConversionException refused) {
            if (refused.getMessage() == null || refused.getMessage().lines().count() != 1) {
                throw new AssertionError("not one line: " + refused.getMessage(), refused);
            }
        } finally {
            Files.delete(file);
            Files.deleteIfExists(output);
        }
    }
}
