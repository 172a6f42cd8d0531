package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.format.CaptureFormat;

/**
 * Says when a recording begins its next segment. Under the writer's lock. The segment that is recorded to may be a
 * later one than the segment that is written to, since blocks wait in between.
 */
final class SegmentRotation {
    private final CaptureOptions options;
    private int segment;
    private long startNs;
    private long recordsBefore;
    private long recordsCarried;
    /** The bytes of this segment that wait to be written. */
    private long queuedBytes;

    private int writtenSegment;
    private long writtenBytes;

    SegmentRotation(CaptureOptions options, BlockFile file) {
        this.options = options;
        this.segment = file.identity.segment;
        this.writtenSegment = segment;
        this.writtenBytes = file.closedBytes();
    }

    /** Goes on with a segment that another recorder has begun. */
    void goOn(AppendPoint point) {
        recordsBefore = point.recordsBefore;
        startNs = point.lastTimeNs;
    }

    int segment() {
        return segment;
    }

    /**
     * Whether the next block belongs to another segment: by the time, or because this one would grow too long.
     *
     * @param records how many this segment has; one that only carries connections over is not left
     */
    boolean isDue(long timeNs, long records) {
        if (!options.rotates() || records == recordsCarried) {
            return false;
        }
        long bytes = queuedBytes + (writtenSegment == segment ? writtenBytes : CaptureFormat.HEADER_BYTES);
        long room = options.blockBytes() + CaptureFormat.INDEX_ENTRY_BYTES;
        return options.rotateAfterNs() != 0 && timeNs - startNs >= options.rotateAfterNs()
                || options.rotateBytes() != 0 && bytes + room > options.rotateBytes();
    }

    /**
     * Begins the next segment.
     *
     * @param records how many the one before has
     */
    Block.SegmentStart next(long timeNs, long records, int connectionsBefore) {
        segment++;
        startNs = timeNs;
        recordsBefore += records;
        queuedBytes = 0;
        return new Block.SegmentStart(connectionsBefore, recordsBefore);
    }

    /** Notes how many records carry connections over into this segment. */
    void carried(long records) {
        recordsCarried = records;
    }

    /** Notes that a block waits to be written. */
    void queued(int blockLength) {
        queuedBytes += blockLength + CaptureFormat.INDEX_ENTRY_BYTES;
    }

    /**
     * Notes that a block was written.
     *
     * @param closedBytes how long its file would be if it were closed now
     */
    void written(Block block, int blockLength, long closedBytes) {
        writtenSegment = block.segment();
        writtenBytes = closedBytes;
        if (writtenSegment == segment) {
            queuedBytes -= blockLength + CaptureFormat.INDEX_ENTRY_BYTES;
        }
    }
}
