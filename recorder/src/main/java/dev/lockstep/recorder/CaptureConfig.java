package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.protocol.StreamProtocol;
import dev.lockstep.redaction.RedactionPolicy;
import java.nio.file.Path;
import java.util.Objects;

/** What every kind of recording needs to know of its capture. Immutable. */
abstract class CaptureConfig {
    private static final int MAX_TOOL_VERSION = 60;

    private final Path capture;
    private final boolean overwrite;
    private final boolean append;
    private final CaptureOptions.Builder captureOptions;
    private final StreamProtocol protocol;
    private final RedactionPolicy redaction;
    private final String toolVersion;

    CaptureConfig(Builder<?> builder) {
        this.capture = builder.capture;
        this.overwrite = builder.overwrite;
        this.append = builder.append;
        this.captureOptions = builder.captureOptions;
        this.protocol = builder.protocol;
        this.redaction = builder.redaction;
        this.toolVersion = builder.toolVersion;
    }

    /** Returns the file to write. */
    public Path capture() {
        return capture;
    }

    /** Tells whether an existing file is replaced. */
    public boolean overwrite() {
        return overwrite;
    }

    /** Tells whether an existing capture is gone on with, after its end was mended. */
    public boolean append() {
        return append;
    }

    /** Returns the protocol of all connections, or null where each one's is recognised. */
    public StreamProtocol protocol() {
        return protocol;
    }

    /** Returns which values are replaced before they are written, or null where the bytes are kept as they are. */
    public RedactionPolicy redaction() {
        return redaction;
    }

    /** Returns the version that the capture file names as its recorder's, or null. */
    public String toolVersion() {
        return toolVersion;
    }

    /** Creates the capture, or opens it to append; {@code upstream} is null where it is not known. */
    CaptureWriter openCapture(String listen, String upstream) {
        CaptureOptions options = captureOptions
                .overwrite(overwrite)
                .toolVersion(toolVersion)
                .listen(listen)
                .upstream(upstream)
                .build();
        return append ? CaptureWriter.append(capture, options) : CaptureWriter.create(capture, options);
    }

    /** Collects what is common to the configurations. Not thread-safe. */
    abstract static class Builder<B extends Builder<B>> {
        private Path capture;
        private boolean overwrite;
        private boolean append;
        private CaptureOptions.Builder captureOptions = CaptureOptions.builder();
        private StreamProtocol protocol;
        private RedactionPolicy redaction;
        private String toolVersion;

        /** Returns this. */
        abstract B self();

        StreamProtocol protocol() {
            return protocol;
        }

        /** Sets the capture file to write. Required. */
        public B capture(Path path) {
            this.capture = path;
            return self();
        }

        /** Allows to replace an existing capture file; by default it is refused. */
        public B overwrite(boolean allowed) {
            this.overwrite = allowed;
            return self();
        }

        /** Goes on in an existing capture, which a recorder that ended or was killed left; not unless set. */
        public B append(boolean existing) {
            this.append = existing;
            return self();
        }

        /**
         * Sets how the capture is written: memory, compression, encryption, rotation, notes. The builder is handed over;
         * the recording completes it with what it records, its version and whether an existing file is replaced.
         */
        public B captureOptions(CaptureOptions.Builder options) {
            this.captureOptions = options;
            return self();
        }

        /** Sets the protocol of all connections; each one's is recognised by its first bytes unless set. */
        public B protocol(StreamProtocol forced) {
            this.protocol = forced;
            return self();
        }

        /** Sets which values are replaced before they are written; the bytes are kept exact unless set. */
        public B redaction(RedactionPolicy policy) {
            this.redaction = policy;
            return self();
        }

        /** Sets the version that the capture file names as its recorder's; none unless set. */
        public B toolVersion(String version) {
            this.toolVersion = version;
            return self();
        }

        /**
         * Checks what is collected here.
         *
         * @throws NullPointerException when a required field is missing
         * @throws IllegalArgumentException when a value is out of range, one of the capture's options too
         */
        void check() {
            Objects.requireNonNull(capture, "capture is required");
            Objects.requireNonNull(captureOptions, "captureOptions must not be null");
            if (toolVersion != null && toolVersion.length() > MAX_TOOL_VERSION) {
                throw new IllegalArgumentException("toolVersion must have at most " + MAX_TOOL_VERSION
                        + " characters, got " + toolVersion.length());
            }
            if (append && overwrite) {
                throw new IllegalArgumentException("append must not be set together with overwrite, got both");
            }
            captureOptions.build();
        }
    }
}
