package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.format.CaptureFormat;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Walks the records of a capture over all of its segments, and verifies what it meets: every block, every record, the
 * indexes and, at each end, the summary. Trusts nothing that it reads. For one thread; its memory follows the
 * connections that are open where it stands and the longest block, not the length of the capture.
 */
public final class RecordCursor implements AutoCloseable {
    private final OpenOptions options;
    private final CursorMemory memory;
    private final boolean blocksOnly;
    private final BlockDecoder decoder = new BlockDecoder();
    /** What was met so far, over all segments. */
    public final CaptureCounts counts = new CaptureCounts();

    private SegmentCursor segment;
    private boolean atEnd;

    /**
     * Begins before the first record of a segment.
     *
     * @param file the segment, which becomes the cursor's to close, also when this fails
     * @param blocksOnly whether to verify blocks without looking at the records in them
     */
    public RecordCursor(SegmentFile file, OpenOptions options, CursorMemory memory, boolean blocksOnly) {
        this.options = options;
        this.memory = memory;
        this.blocksOnly = blocksOnly;
        enter(file);
    }

    private void enter(SegmentFile file) {
        try {
            if (!blocksOnly) {
                checkKey(file);
            }
            decoder.file(file.identity, options.encryption());
            segment = new SegmentCursor(file, memory, decoder, blocksOnly, counts, segment);
            counts.begin(file);
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private void checkKey(SegmentFile file) {
        if (file.identity.encrypted()) {
            String wanted = file.identity.note(CaptureFormat.NOTE_KEY_ID);
            EncryptionKey key = options.encryption();
            if (key == null) {
                throw new CaptureException(
                        file.path,
                        "is encrypted under key " + wanted + ": expected this key, found none; give it with"
                                + " --key-file or --key-env");
            }
            if (!key.id().equals(wanted)) {
                throw new CaptureException(
                        file.path,
                        "is encrypted under another key: expected key " + wanted + ", found key " + key.id()
                                + "; give the right one with --key-file or --key-env");
            }
        }
    }

    /**
     * Moves to the next record; false at the end of the capture.
     *
     * @throws CaptureException when there is damage before the end, or something that this version does not know
     */
    public boolean next() {
        try {
            while (!atEnd) {
                if (segment.next()) {
                    return true;
                }
                endSegment();
            }
            return false;
        } catch (IOException e) {
            throw SegmentFile.unreadable(segment.file.path, e);
        }
    }

    /** Judges whether the segment is whole, or torn at its end, and goes on with the next one if there is one. */
    private void endSegment() throws IOException {
        segment.refuseUnlessAtEnd();
        SegmentFile file = segment.file;
        CaptureSummary summary = file.summary;
        boolean isClosed = file.closed();
        long fileBytes = file.length;
        String problem = segment.problem();
        long where = segment.offset();
        boolean torn = false;
        if (problem != null || isClosed && fileBytes != summary.fileBytes) {
            counts.cutBytes += Math.max(fileBytes, summary.fileBytes) - where;
            torn = !isClosed && file.summaryProblem == null;
            if (problem == null || fileBytes < summary.fileBytes) {
                problem = "expected a file of " + summary.fileBytes + " bytes, found " + fileBytes;
            }
            problem = "the file is torn or damaged at its end: " + problem;
        } else if (file.summaryProblem != null) {
            where = CaptureFormat.HALF_BYTES + CaptureFormat.HALF_CRC;
            problem = "the summary in the header is torn: " + file.summaryProblem;
        } else if (isClosed) {
            segment.checkSummary();
        }
        counts.end(file, segment.connections.counts());
        // What came while it was read lies between its end and the next one.
        SegmentFile next = !isClosed && file.hasGrown() ? null : file.next();
        if (problem == null && next == null && summary.goesOn) {
            Path missing = file.nextPath();
            problem = "the recording goes on in its next segment: expected the file "
                    + (missing == null ? "" : missing.getFileName()) + " beside it, found "
                    + (file.nextProblem() == null ? "none" : "one that cannot be read: " + file.nextProblem());
            counts.missing = problem;
        }
        boolean whole = problem == null && (isClosed || next != null);
        if (problem != null && !(torn && next == null) && !options.allowTruncated()) {
            if (next != null) {
                next.close();
            }
            // Without its key nobody knows what requests an encrypted one has.
            throw new CaptureException(
                    file.path, where, problem + (blocksOnly ? "" : "; " + standing(counts.requests)));
        }
        if (problem == null && next != null) {
            file.close();
            enter(next);
            return;
        }
        while (next != null) {
            counts.cutBytes += next.length;
            SegmentFile behind = next.next();
            next.close();
            next = behind;
        }
        for (ReadConnection open : segment.connections.stillOpen()) {
            counts.incompleteRequests += open.inMessage() ? 1 : 0;
        }
        counts.whole = whole;
        atEnd = true;
    }

    private static String standing(long requests) {
        return requests == 0
                ? "no complete request stands before it"
                : requests == 1
                        ? "1 complete request stands before it, which replay --allow-truncated and replay filter read"
                        : requests
                                + " complete requests stand before it, which replay --allow-truncated and replay filter read";
    }

    /**
     * Returns {@link #counts}, and of a segment that is not read to its end all that its summary counts as lost, missed
     * or not searched: at most so much of it lies before here.
     */
    public CaptureCounts countsAtMost() {
        CaptureCounts atMost = counts.snapshot();
        if (!atEnd) {
            atMost.end(segment.file, segment.connections.counts());
        }
        return atMost;
    }

    /** Returns the cursor of the segment in which the last record is. */
    public SegmentCursor segment() {
        return segment;
    }

    /** Returns the record that was read last, the same object for all records. */
    public BlockRecords record() {
        return segment.record;
    }

    /** Returns the connection of that record, or null when it belongs to none. */
    public ReadConnection connection() {
        return segment.connections.current();
    }

    @Override
    public void close() {
        decoder.close();
        segment.file.close();
    }
}
