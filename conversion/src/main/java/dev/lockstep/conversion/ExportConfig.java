package dev.lockstep.conversion;

import dev.lockstep.capture.EncryptionKey;
import java.nio.file.Path;

/** Which capture to write for other tools, and how. Immutable. */
public final class ExportConfig {
    private final Path input;
    private final Path output;
    private final ExportFormat format;
    private final boolean overwrite;
    private final EncryptionKey key;
    private final String toolVersion;

    private ExportConfig(Builder builder) {
        this.input = builder.input;
        this.output = builder.output;
        this.format = builder.format;
        this.overwrite = builder.overwrite;
        this.key = builder.key;
        this.toolVersion = builder.toolVersion;
    }

    /** Returns a builder; input and output are required. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the capture. */
    public Path input() {
        return input;
    }

    /** Returns the file to write. */
    public Path output() {
        return output;
    }

    /** Returns the format of the file. */
    public ExportFormat format() {
        return format;
    }

    /** Tells whether an existing file is replaced. */
    public boolean overwrite() {
        return overwrite;
    }

    /** Returns the key of an encrypted capture, or null. */
    public EncryptionKey key() {
        return key;
    }

    /** Returns the version that the file names as its writer's. */
    public String toolVersion() {
        return toolVersion;
    }

    /** Builds {@link ExportConfig}. For one thread. */
    public static final class Builder {
        private Path input;
        private Path output;
        private ExportFormat format;
        private boolean overwrite;
        private EncryptionKey key;
        private String toolVersion = "development";

        private Builder() {}

        /** Sets the capture to read. */
        public Builder input(Path input) {
            this.input = input;
            return this;
        }

        /** Sets the file to write. */
        public Builder output(Path output) {
            this.output = output;
            return this;
        }

        /** Sets the format; null, the default, goes by how the file's name ends. */
        public Builder format(ExportFormat format) {
            this.format = format;
            return this;
        }

        /** Replaces an existing file; the default is to refuse it. */
        public Builder overwrite(boolean overwrite) {
            this.overwrite = overwrite;
            return this;
        }

        /** Sets the key of an encrypted capture, or null. */
        public Builder key(EncryptionKey key) {
            this.key = key;
            return this;
        }

        /** Sets the version that the file names as its writer's. */
        public Builder toolVersion(String toolVersion) {
            this.toolVersion = toolVersion;
            return this;
        }

        /**
         * Returns the checked configuration.
         *
         * @throws IllegalArgumentException naming the field, the rule and the value
         */
        public ExportConfig build() {
            if (input == null || output == null) {
                throw new IllegalArgumentException("input and output must name files, found none");
            }
            if (format == null) {
                format = ExportFormat.ofName(output);
            }
            if (format == null) {
                throw new IllegalArgumentException(
                        "format must be gor, har or pcap where the output's name ends otherwise, found " + output);
            }
            return new ExportConfig(this);
        }
    }
}
