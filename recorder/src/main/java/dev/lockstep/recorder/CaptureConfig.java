package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.Nullable;
import dev.lockstep.capture.Protocol;
import dev.lockstep.redaction.RedactionPolicy;
import java.nio.file.Path;
import org.immutables.value.Value;

/** What a proxy and a passive recording need to know of their capture. */
public abstract class CaptureConfig {
    private static final int MAX_TOOL_VERSION = 60;

    /** The capture file to write. */
    abstract Path capture();

    /** Whether an existing capture file is replaced; by default it is refused. */
    @Value.Default
    boolean overwrite() {
        return false;
    }

    /**
     * Whether to go on in an existing capture, which a recorder that ended or was killed left, after mending its end.
     */
    @Value.Default
    boolean append() {
        return false;
    }

    /**
     * How the capture is written: memory, compression, encryption, rotation, notes. The builder is handed over; the
     * recording adds what it records, its version and whether an existing file is replaced.
     */
    @Value.Default
    CaptureOptions.Builder captureOptions() {
        return CaptureOptions.builder();
    }

    /** The protocol of all connections; null where the first bytes of each connection tell its protocol. */
    @Nullable
    abstract Protocol protocol();

    /** Which values are replaced before they are written; null for none: the bytes are exact. */
    @Nullable
    abstract RedactionPolicy redaction();

    /** The recorder's version that the capture file names, or null. */
    @Nullable
    abstract String toolVersion();

    /** Throws IllegalArgumentException when a common field is out of range, one of the capture's options too. */
    void checkCapture() {
        if (toolVersion() != null && toolVersion().length() > MAX_TOOL_VERSION) {
            throw new IllegalArgumentException("toolVersion must have at most " + MAX_TOOL_VERSION + " characters, got "
                    + toolVersion().length());
        }
        if (append() && overwrite()) {
            throw new IllegalArgumentException("append must not be set together with overwrite, got both");
        }
        captureOptions().build();
    }

    /** Creates the capture, or opens it to append; {@code upstream} is null where it is not known. */
    CaptureWriter openCapture(String listen, String upstream) {
        CaptureOptions options = captureOptions()
                .overwrite(overwrite())
                .toolVersion(toolVersion())
                .listen(listen)
                .upstream(upstream)
                .build();
        return append() ? CaptureWriter.append(capture(), options) : CaptureWriter.create(capture(), options);
    }

    /** What the builders of both configurations set. */
    public interface Builder<B extends Builder<B>> {
        B capture(Path path);

        B overwrite(boolean allowed);

        B append(boolean existing);

        B captureOptions(CaptureOptions.Builder options);

        B protocol(Protocol forced);

        B redaction(RedactionPolicy policy);

        B toolVersion(String version);
    }
}
