package dev.lockstep.capture;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Reads a capture record by record, of whatever length, compression and number of segments, in memory that does not
 * grow with it. For one thread, but for {@link #close()}.
 *
 * <p>Segments are read as one capture: connections and records have the numbers, and times the axis, of the whole. A
 * connection that goes on in a segment begins there once more, see {@link ConnectionStart#goesOn()}. Everything that is
 * read is verified; a recording that was not closed ends with its last whole block, and with
 * {@link OpenOptions#follow(boolean)} the reader waits there for more until the recorder closes it or dies.
 */
public final class CaptureReader implements AutoCloseable {
    private final Path path;
    private final RecordCursor cursor;
    private final CaptureRecord record = new CaptureRecord();
    private ByteBuffer bytes;
    private ByteBuffer view;
    private int firstConnection;
    private int lastConnection = Integer.MAX_VALUE;
    private boolean allConnections = true;
    private boolean onRecord;
    private SegmentIndex index;
    private SegmentFile indexed;

    private CaptureReader(Path path, RecordCursor cursor) {
        this.path = path;
        this.cursor = cursor;
    }

    /** Opens a capture for reading from its first record. */
    public static CaptureReader open(Path path) {
        return open(path, OpenOptions.defaults());
    }

    /**
     * Opens a capture like {@link #open(Path)}, with options. One of its later segments is read from there on.
     *
     * @throws CaptureException when the file is missing, not a capture, of a later format, or needs another key
     */
    public static CaptureReader open(Path path, OpenOptions options) {
        return new CaptureReader(path, new RecordCursor(SegmentFile.open(path), options, new ReadingMemory(), false));
    }

    /**
     * Reads a whole capture and verifies every checksum. With its key, or when it needs none, every record is verified
     * too; without it the blocks are, and only the counts of bytes of the file, of segments and of records are known: those
     * of connections, requests and data are sums over closed segments, where what goes on in the next counts again.
     *
     * @throws CaptureException when it is damaged, or cannot be read
     */
    public static CaptureInfo verify(Path path, OpenOptions options) {
        SegmentFile file = SegmentFile.open(path);
        boolean blocksOnly = file.identity().encrypted() && options.encryption() == null;
        try (RecordCursor cursor = new RecordCursor(file, options.follow(false), new ReadingMemory(), blocksOnly)) {
            while (cursor.next()) {
                // to the end
            }
            return new CaptureInfo(cursor.counts);
        }
    }

    /** Returns the id that all segments of a capture share, or null when the file is no capture or cannot be read. */
    public static UUID captureId(Path path) {
        return SegmentFiles.id(path);
    }

    /**
     * Returns the next record, a view that is valid until the next call, or null at the end of the capture.
     *
     * @throws CaptureException when the file is damaged here
     */
    public CaptureRecord next() {
        if (onRecord) {
            onRecord = false; // a jump has read it already
        } else if (!advance()) {
            return null;
        }
        if (bytes != cursor.bytes()) {
            bytes = cursor.bytes();
            view = bytes.asReadOnlyBuffer();
        }
        OpenConnections.Connection connection = cursor.connection();
        record.set(
                bytes,
                view,
                cursor.payload() - CaptureFormat.RECORD_HEADER_BYTES,
                cursor.baseNs(),
                cursor.identity().before(CaptureFormat.NOTE_RECORDS_BEFORE) + cursor.number(),
                connection == null ? CaptureFormat.NO_CONNECTION : connection.wholeNumber);
        return record;
    }

    /** Moves to the next record that is wanted. */
    private boolean advance() {
        while (true) {
            if (!allConnections && cursor.isLastInBlock() && cursor.isBehindCarried()) {
                skipBlocks();
            }
            if (!cursor.next()) {
                return false;
            }
            if (isWanted()) {
                return true;
            }
        }
    }

    private boolean isWanted() {
        OpenConnections.Connection connection = cursor.connection();
        return allConnections
                || connection != null
                        && connection.wholeNumber >= firstConnection
                        && connection.wholeNumber <= lastConnection;
    }

    /** Goes over blocks in which there is no wanted connection. */
    private void skipBlocks() {
        if (index == null || indexed != cursor.file()) {
            indexed = cursor.file();
            index = new SegmentIndex(indexed);
        }
        SegmentIndex.Place place = index.nextWith(
                cursor.offset(),
                cursor.lowestNumber(firstConnection, lastConnection),
                cursor.highestNumber(firstConnection, lastConnection));
        if (place != null && place.offset > cursor.offset()) {
            cursor.jump(place.offset, place.firstRecord);
        }
    }

    /** Hands the remaining records to a handler, until it wants no more. */
    public void forEach(RecordHandler handler) {
        for (CaptureRecord next = next(); next != null && handler.onRecord(next); ) {
            next = next();
        }
    }

    /**
     * Goes to the first record that is not before a time, in ns since the capture's start. What was counted so far is
     * no longer that of a whole capture.
     */
    public void seekTime(long timeNs) {
        SegmentFile segment = SegmentFile.open(path);
        for (SegmentFile next = segment.next();
                next != null && SegmentIndex.firstTimeNs(next) < timeNs;
                next = segment.next()) {
            segment.close();
            segment = next;
        }
        seek(segment, new SegmentIndex(segment).beforeTime(timeNs), timeNs, Long.MAX_VALUE);
    }

    /** Goes to the record with a number, counted from 0 over the whole capture, like {@link #seekTime(long)}. */
    public void seekRecord(long number) {
        SegmentFile segment = SegmentFile.open(path);
        for (SegmentFile next = segment.next(); next != null && before(next) <= number; next = segment.next()) {
            segment.close();
            segment = next;
        }
        seek(segment, new SegmentIndex(segment).ofRecord(number - before(segment)), Long.MAX_VALUE, number);
    }

    private static long before(SegmentFile segment) {
        return segment.identity().before(CaptureFormat.NOTE_RECORDS_BEFORE);
    }

    /** Limits what {@link #next()} returns to the records of some connections, and skips blocks that hold none. */
    public void onlyConnections(int first, int last) {
        firstConnection = first;
        lastConnection = last;
        allConnections = false;
    }

    /** Goes to the first record that is not before a time, or has a number. */
    private void seek(SegmentFile segment, SegmentIndex.Place place, long timeNs, long number) {
        onRecord = false;
        long recordsBefore = before(segment);
        cursor.jump(segment);
        boolean jumped = false;
        while (cursor.next()) {
            if (cursor.timeNs() >= timeNs || recordsBefore + cursor.number() >= number) {
                onRecord = isWanted();
                return;
            }
            // What goes on from the segment before must be known first.
            if (!jumped && cursor.isBehindCarried()) {
                jumped = true;
                if (place.offset > cursor.blockOffset()) {
                    cursor.jump(place.offset, place.firstRecord);
                }
            }
        }
    }

    /** Returns what the file says of itself, and what was counted in the records that were read so far. */
    public CaptureInfo info() {
        return new CaptureInfo(cursor.counts);
    }

    /** Closes the file; may be called from another thread to end one that follows a recording. */
    @Override
    public void close() {
        cursor.close();
    }
}
