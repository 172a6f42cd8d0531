package dev.lockstep.capture;

import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.segments.BlockRecords;
import dev.lockstep.capture.segments.ReadConnection;
import dev.lockstep.capture.segments.ReadingMemory;
import dev.lockstep.capture.segments.RecordCursor;
import dev.lockstep.capture.segments.SegmentFile;
import dev.lockstep.capture.segments.SegmentFiles;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Reads a capture record by record, whatever its length, compression and number of segments, in memory that does not
 * grow with it. For one thread.
 *
 * <p>Segments are read as one capture: connections and records have the numbers, and times the axis, of the whole. A
 * connection that goes on in a segment begins there once more, see {@link ConnectionStart#goesOn()}. Everything that is
 * read is verified; a recording that was not closed ends with its last whole block.
 */
public final class CaptureReader implements AutoCloseable {
    private final RecordCursor cursor;
    private final CaptureRecord record = new CaptureRecord();
    private ByteBuffer bytes;
    private ByteBuffer view;

    private CaptureReader(RecordCursor cursor) {
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
        return new CaptureReader(new RecordCursor(SegmentFile.open(path), options, new ReadingMemory(), false));
    }

    /**
     * Reads a whole capture and verifies every checksum. With its key, or when it needs none, every record is verified
     * too; without it only the blocks are. Then the bytes of the file, the segments and the records are known exactly,
     * while connections, requests and data are sums over closed segments, in which connections that go on count again.
     *
     * @throws CaptureException when it is damaged, or cannot be read
     */
    public static CaptureInfo verify(Path path, OpenOptions options) {
        SegmentFile file = SegmentFile.open(path);
        boolean blocksOnly = file.identity.encrypted() && options.encryption() == null;
        try (RecordCursor cursor = new RecordCursor(file, options, new ReadingMemory(), blocksOnly)) {
            while (cursor.next()) {
                // to the end
            }
            return new CaptureInfo(cursor.counts);
        }
    }

    /**
     * Returns the later segments of a capture, which are read with the one at a path.
     *
     * @throws CaptureException when that is missing or no capture
     */
    public static List<Path> laterSegments(Path path) {
        List<Path> later = new ArrayList<>();
        SegmentFile file = SegmentFile.open(path);
        while (file != null) {
            try (SegmentFile read = file) {
                file = read.next();
            }
            if (file != null) {
                later.add(file.path);
            }
        }
        return later;
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
        if (!cursor.next()) {
            return null;
        }
        BlockRecords read = cursor.record();
        if (bytes != read.bytes()) {
            bytes = read.bytes();
            view = bytes.asReadOnlyBuffer();
        }
        ReadConnection connection = cursor.connection();
        record.set(
                bytes,
                view,
                read.header(),
                read.baseNs(),
                cursor.segment().recordNumber(),
                connection == null ? CaptureFormat.NO_CONNECTION : connection.wholeNumber);
        return record;
    }

    /** Returns what the file says of itself, and what was counted in the records that were read so far. */
    public CaptureInfo info() {
        return new CaptureInfo(cursor.counts);
    }

    /**
     * Returns {@link #info} for a reader that goes no further: what a file's summary counts as lost, missed or not
     * searched is whole for the file of the last record, too, so that it may be too much and is never too little.
     */
    public CaptureInfo infoAtMost() {
        return new CaptureInfo(cursor.countsAtMost());
    }

    @Override
    public void close() {
        cursor.close();
    }
}
