package dev.lockstep.conversion.filter;

import dev.lockstep.capture.CaptureTotals;
import java.util.List;
import org.immutables.value.Value;

/** What a filter read and wrote. */
@Value.Immutable(builder = false, copy = false)
public abstract class FilterReport {
    /** Complete requests that were read; fewer than there are where a limit or {@link #stopped} ended the reading. */
    public abstract long requestsRead();

    public abstract long connectionsRead();

    /** What counts as lost here was lost in the captures already, or could not be written. */
    public abstract CaptureTotals written();

    /** Connections that were lost in the captures already. */
    public abstract long lostConnectionsBefore();

    public abstract long lostRequestsBefore();

    public abstract long lostBytesBefore();

    /** Requests of the time asked for that have another path than is asked for. */
    public abstract long leftOutByPath();

    public abstract long redactions();

    /** Bytes at torn ends of the captures, which were left out. */
    public abstract long cutBytes();

    /** What captures lack: later segments that were not read, an end, or counters of losses; a line each. */
    public abstract List<String> missing();

    /** Which captures were not read again, for they are later segments of others, a line each. */
    public abstract List<String> repeated();

    /** The captures were not read to their end, because the new one could take no more, or it was cancelled. */
    public abstract boolean stopped();
}
