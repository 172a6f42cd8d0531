package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.Finding;
import dev.lockstep.tap.TrafficStatus;
import java.util.List;
import org.immutables.value.Value;

/** What an import made of its files. */
@Value.Immutable(builder = false, copy = false)
public abstract class ImportReport {
    public abstract ImportFormat format();

    /** The figures of what was recorded. */
    public abstract TrafficStatus status();

    /** The entries of the files that are not in the capture, by reason. */
    public abstract List<Finding> skipped();

    /** What is in the capture, but not as the client sent it, by reason. */
    public abstract List<Finding> changed();

    /** From the first entry to the last. */
    public abstract long durationNs();

    /**
     * The files were not read to their end: the capture could take no more, and what was read and not recorded counts
     * as lost in {@link #status()}; or it was {@link dev.lockstep.conversion.ConversionConfig#cancelled cancelled}.
     */
    public abstract boolean stopped();
}
