package dev.lockstep.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Finds blocks of one segment by its index blocks, of which one is in memory at a time, and by hopping over the headers
 * of the blocks that no index covers. An index that is damaged is as good as none. For one thread.
 */
final class SegmentIndex {
    /** The blocks of a recording of a petabyte have fewer index blocks; what has more is a loop. */
    private static final int MAX_INDEX_BLOCKS = 1 << 20;

    /** A block of records, or the place behind the last one. Immutable. */
    static final class Place {
        final long offset;
        final long firstRecord;

        private Place(long offset, long firstRecord) {
            this.offset = offset;
            this.firstRecord = firstRecord;
        }
    }

    private final SegmentFile file;
    private long[] chain = {};
    private int size;
    private int loaded = -1;
    private ByteBuffer entries;
    private int entryBytes;
    private int entryCount;
    private long recordsBehind;
    private long behind;

    SegmentIndex(SegmentFile file) {
        this.file = file;
        long[] backwards = new long[16];
        int count = 0;
        for (long at = file.summary().lastIndex; at > 0 && count < MAX_INDEX_BLOCKS; ) {
            if (!load(at) || count > 0 && at >= backwards[count - 1]) {
                return;
            }
            if (count == backwards.length) {
                backwards = Arrays.copyOf(backwards, 2 * count);
            }
            backwards[count++] = at;
            at = entries.getLong(CaptureFormat.INDEX_PREVIOUS);
        }
        chain = new long[count];
        for (int i = 0; i < count; i++) {
            chain[i] = backwards[count - 1 - i];
        }
        size = count;
        loaded = -1;
    }

    private boolean load(long offset) {
        try {
            ByteBuffer header = read(offset, CaptureFormat.BLOCK_HEADER_BYTES);
            int stored = header == null ? -1 : header.getInt(CaptureFormat.BLOCK_STORED_BYTES);
            boolean index = stored >= CaptureFormat.INDEX_HEADER_BYTES
                    && stored <= CaptureFormat.MAX_STORED_BYTES
                    && header.getLong(CaptureFormat.BLOCK_MARK)
                            == file.identity().markLow()
                    && (header.get(CaptureFormat.BLOCK_KIND) & 0xFF) == CaptureFormat.KIND_INDEX;
            ByteBuffer block = index ? read(offset, CaptureFormat.BLOCK_HEADER_BYTES + stored) : null;
            if (block == null) {
                return false;
            }
            CRC32C crc = new CRC32C();
            block.position(CaptureFormat.BLOCK_KIND);
            crc.update(block);
            if (block.getInt(CaptureFormat.BLOCK_CRC) != (int) crc.getValue()) {
                return false;
            }
            recordsBehind = block.getLong(CaptureFormat.BLOCK_FIRST_RECORD);
            behind = offset + block.limit();
            block.position(CaptureFormat.BLOCK_HEADER_BYTES);
            entries = block.slice().order(ByteOrder.LITTLE_ENDIAN);
            entryBytes = entries.getInt(CaptureFormat.INDEX_ENTRY_BYTES_FIELD);
            entryCount = entries.getInt(CaptureFormat.INDEX_ENTRIES);
            return entryBytes >= CaptureFormat.INDEX_ENTRY_BYTES
                    && entryCount > 0
                    && CaptureFormat.INDEX_HEADER_BYTES + (long) entryCount * entryBytes <= stored;
        } catch (IOException e) {
            throw SegmentFile.unreadable(file.path(), e);
        }
    }

    /** Returns bytes of the file, or null when it does not have them. */
    private ByteBuffer read(long offset, int length) throws IOException {
        return read(file, offset, length);
    }

    private static ByteBuffer read(SegmentFile file, long offset, int length) throws IOException {
        if (offset < 0 || offset > file.length() - length) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) {
            if (file.channel().read(bytes, offset + bytes.position()) < 0) {
                return null;
            }
        }
        return bytes.flip();
    }

    private boolean use(int index) {
        if (loaded != index) {
            if (!load(chain[index])) {
                size = 0;
                return false;
            }
            loaded = index;
        }
        return true;
    }

    private long entry(int i, int field) {
        return entries.getLong(CaptureFormat.INDEX_HEADER_BYTES + i * entryBytes + field);
    }

    private int entryConnection(int i, int field) {
        return entries.getInt(CaptureFormat.INDEX_HEADER_BYTES + i * entryBytes + field);
    }

    private Place place(int i) {
        return new Place(entry(i, CaptureFormat.ENTRY_BLOCK), entry(i, CaptureFormat.ENTRY_FIRST_RECORD));
    }

    /** Returns the last block that begins before a time, or the first one. */
    Place beforeTime(long timeNs) {
        return last(CaptureFormat.ENTRY_BASE_NS, CaptureFormat.BLOCK_BASE_NS, timeNs - 1);
    }

    /** Returns the block that holds the record with a number in this segment, or the last one. */
    Place ofRecord(long number) {
        return last(CaptureFormat.ENTRY_FIRST_RECORD, CaptureFormat.BLOCK_FIRST_RECORD, number);
    }

    /** Returns the last block of which a field is at most a value, or the first block. */
    private Place last(int entryField, int headerField, long value) {
        Place found = new Place(CaptureFormat.HEADER_BYTES, 0);
        for (int index = 0; index < size && use(index); index++) {
            if (entry(0, entryField) > value) {
                return found;
            }
            int from = 0;
            int to = entryCount - 1;
            while (from < to) {
                int middle = (from + to + 1) >>> 1;
                if (entry(middle, entryField) > value) {
                    to = middle - 1;
                } else {
                    from = middle;
                }
            }
            found = place(from);
            if (from < entryCount - 1) {
                return found;
            }
        }
        return hop(found, headerField, value);
    }

    private Place hop(Place from, int headerField, long value) {
        try {
            Place found = from;
            for (long at = from.offset; ; ) {
                ByteBuffer header = read(at, CaptureFormat.BLOCK_HEADER_BYTES);
                if (header == null
                        || header.getLong(CaptureFormat.BLOCK_MARK)
                                != file.identity().markLow()) {
                    return found;
                }
                if ((header.get(CaptureFormat.BLOCK_KIND) & 0xFF) == CaptureFormat.KIND_RECORDS) {
                    if (header.getLong(headerField) > value) {
                        return found;
                    }
                    found = new Place(at, header.getLong(CaptureFormat.BLOCK_FIRST_RECORD));
                }
                at += CaptureFormat.BLOCK_HEADER_BYTES
                        + (header.getInt(CaptureFormat.BLOCK_STORED_BYTES) & 0xFFFFFFFFL);
            }
        } catch (IOException e) {
            throw SegmentFile.unreadable(file.path(), e);
        }
    }

    /**
     * Returns the next block from an offset on that may hold records of some connections, by their numbers in this
     * segment; the place behind the last index when there is none; null when the index does not cover the offset.
     */
    Place nextWith(long from, int low, int high) {
        for (int index = 0; index < size; index++) {
            // An index block stands behind the blocks that it lists, so earlier ones need not be read.
            if (chain[index] < from) {
                continue;
            }
            if (!use(index)) {
                return null;
            }
            for (int i = 0; i < entryCount; i++) {
                int blockLow = entryConnection(i, CaptureFormat.ENTRY_LOW_CONNECTION);
                int blockHigh = entryConnection(i, CaptureFormat.ENTRY_HIGH_CONNECTION);
                if (entry(i, CaptureFormat.ENTRY_BLOCK) >= from
                        && Integer.compareUnsigned(blockLow, high) <= 0
                        && Integer.compareUnsigned(blockHigh, low) >= 0) {
                    return place(i);
                }
            }
            if (index == size - 1) { // every block that it lists was looked at
                return new Place(behind, recordsBehind);
            }
        }
        return null;
    }

    /** Returns the time of a segment's first record, or no time at all when it has none. */
    static long firstTimeNs(SegmentFile file) {
        try {
            ByteBuffer header = read(file, CaptureFormat.HEADER_BYTES, CaptureFormat.BLOCK_HEADER_BYTES);
            return header == null ? Long.MAX_VALUE : header.getLong(CaptureFormat.BLOCK_BASE_NS);
        } catch (IOException e) {
            throw SegmentFile.unreadable(file.path(), e);
        }
    }
}
