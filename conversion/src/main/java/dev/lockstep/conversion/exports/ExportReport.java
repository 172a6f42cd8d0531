package dev.lockstep.conversion.exports;

import dev.lockstep.conversion.Finding;
import java.util.List;
import org.immutables.value.Value;

/** What an export wrote and what it left out. */
@Value.Immutable(builder = false, copy = false)
public abstract class ExportReport {
    /** Stands for the number of requests in packets, which have none. */
    public static final long NOT_COUNTED = -1;

    public abstract ExportFormat format();

    /** {@link #NOT_COUNTED} for packets. */
    public abstract long requests();

    /** Connections of which something was written. */
    public abstract long connections();

    /** The clients' bytes that were written, as they are in the capture. */
    public abstract long bytes();

    /** What of the capture is not in the file, by reason. */
    public abstract List<Finding> skipped();
}
