package dev.lockstep.capture;

import org.immutables.value.Value;

/**
 * What a {@link CaptureWriter} took and what it lost, at one instant.
 *
 * <p>Each request and each byte handed to the writer is counted on exactly one side. A connection that was recorded in
 * part and then lost is counted on both.
 */
@Value.Immutable(builder = false, copy = false)
public abstract class CaptureTotals {
    /** Returns totals of these values; {@code failure} is null while nothing failed. */
    public static CaptureTotals of(
            long connections,
            long requests,
            long bytes,
            long lostConnections,
            long lostRequests,
            long lostBytes,
            String failure) {
        return ImmutableCaptureTotals.of(
                connections, requests, bytes, lostConnections, lostRequests, lostBytes, failure);
    }

    /** The connections whose beginning is recorded. */
    public abstract long connections();

    /** The requests recorded from their first byte to their last. */
    public abstract long requests();

    /** The client-to-server bytes recorded, whether or not they belong to a request. */
    public abstract long bytes();

    /** The connections of which everything, or everything from some point on, is lost. */
    public abstract long lostConnections();

    /** The requests that are lost or of which a part is. */
    public abstract long lostRequests();

    /** The client-to-server bytes that are lost. */
    public abstract long lostBytes();

    /** Why recording ended early (such as a full disk), in one line for people, or null. */
    @Nullable
    public abstract String failure();

    public boolean lossy() {
        return lostConnections() != 0 || lostRequests() != 0 || lostBytes() != 0;
    }
}
