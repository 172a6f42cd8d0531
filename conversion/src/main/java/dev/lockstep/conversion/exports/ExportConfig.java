package dev.lockstep.conversion.exports;

import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.Nullable;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.immutables.value.Value;

/** Which capture to write for other tools, and how. Input and output are required. */
@Value.Immutable
public abstract class ExportConfig {
    public static Builder builder() {
        return new Builder();
    }

    @Nullable
    public abstract Path input();

    @Nullable
    public abstract Path output();

    /** Null where the end of the file's name tells. */
    @Nullable
    abstract ExportFormat format();

    ExportFormat chosenFormat() {
        return format() != null ? format() : ExportFormat.ofName(output());
    }

    /** Whether an existing file is replaced; by default it is refused. */
    @Value.Default
    public boolean overwrite() {
        return false;
    }

    /** The key of an encrypted capture, or null. */
    @Nullable
    public abstract EncryptionKey key();

    /** The version that the file names as its writer's. */
    @Value.Default
    public String toolVersion() {
        return "development";
    }

    /** Asked again and again: whether to stop, and delete what was written. */
    @Value.Default
    public BooleanSupplier cancelled() {
        return () -> false;
    }

    @Value.Check
    void check() {
        if (input() == null || output() == null) {
            throw new IllegalArgumentException("input and output must name files, found none");
        }
        if (chosenFormat() == null) {
            throw new IllegalArgumentException(
                    "format must be gor, har or pcap where the output's name ends otherwise, found " + output());
        }
    }

    /** For one thread. {@link #build} throws IllegalArgumentException with the field, the rule and the value. */
    public static final class Builder extends ImmutableExportConfig.Builder {
        Builder() {}
    }
}
