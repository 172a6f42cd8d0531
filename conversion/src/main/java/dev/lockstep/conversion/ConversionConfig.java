package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.Nullable;
import dev.lockstep.redaction.RedactionPolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.immutables.value.Value;

/** What imports and filters need to know of the capture that they make. */
public abstract class ConversionConfig {
    /** The files to read, at least one. */
    public abstract List<Path> inputs();

    /** The capture file to write. Required. */
    @Nullable
    public abstract Path output();

    /** Which values to replace; null replaces none. */
    @Nullable
    public abstract RedactionPolicy redaction();

    /** The options of the new capture, such as compression; the conversion sets its start and its notes. */
    @Value.Default
    public CaptureOptions.Builder captureOptions() {
        return CaptureOptions.builder();
    }

    /** Asked again and again: whether to stop, keep what was written, and say in the capture that there was more. */
    @Value.Default
    public BooleanSupplier cancelled() {
        return () -> false;
    }

    /** Checks the common fields; throws IllegalArgumentException with the field, the rule and the value. */
    protected final void checkFiles() {
        if (inputs().isEmpty()) {
            throw new IllegalArgumentException("inputs must name at least one file, found none");
        }
        if (output() == null) {
            throw new IllegalArgumentException("output must name a file, found none");
        }
    }
}
