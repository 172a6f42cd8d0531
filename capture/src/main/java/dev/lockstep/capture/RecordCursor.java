package dev.lockstep.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Walks the records of a capture over all of its segments, and verifies what it meets: every block, every record, the
 * indexes and, at each end, the summary. Trusts nothing that it reads. For one thread; its memory follows the connections
 * that are open where it stands and the longest block, not the length of the capture.
 */
final class RecordCursor implements AutoCloseable {
    private static final int CONN_OPEN = RecordType.CONN_OPEN.code();
    private static final int DATA_C2S = RecordType.DATA_C2S.code();
    private static final int PROTOCOL = RecordType.PROTOCOL.code();

    /** How many places that look like a block are tried behind a bad one; more than that is no accident. */
    private static final int MAX_CANDIDATES = 1000;

    private static final long FOLLOW_PAUSE_MS = 5;

    private final OpenOptions options;
    private final CursorMemory memory;
    private final boolean blocksOnly;
    private final CRC32C crc = new CRC32C();
    private final Object pause = new Object();
    private final BlockDecoder decoder = new BlockDecoder();
    final CaptureCounts counts = new CaptureCounts();

    // The segment.
    private SegmentFile file;
    private CaptureIdentity identity;
    private BlockSource source;
    private Path path;
    private long end;
    private long offset;
    private OpenConnections connectionsBefore;
    private OpenConnections connections = new OpenConnections();
    private int opened;
    private int carried;
    private int[] carriedNumbers = {};
    private boolean behindCarried;
    private long records;
    private long requests;
    private long dataBytes;
    private long blocks;
    private long lastIndex;
    private final BlockList unindexed = new BlockList();
    private long droppedConnections;
    private long droppedRequests;
    private long droppedBytes;
    /** Whether all blocks of this segment before this one were read; not so behind a jump. */
    private boolean unbroken;

    // The block.
    private long blockOffset;
    private ByteBuffer bytes;
    private ByteBuffer view;
    private ByteBuffer viewOf;
    private int at;
    private int blockEnd;
    private long toOffset;
    private boolean inPlace;
    private long toAddress;
    private long baseNs;
    private long blockLastNs;
    private long expectedRecords;
    private long count;
    private int low;
    private int high;
    private long lastTimeNs;
    private boolean inBlock;
    private boolean atEnd;
    private volatile boolean closed;

    // The record.
    private int payload;
    private int length;
    private int type;
    private boolean goesOn;
    private OpenConnections.Connection connection;
    private long timeNs;
    private int flags;

    /**
     * Begins before the first record of a segment.
     *
     * @param file the segment, which becomes the cursor's to close, also when this fails
     * @param blocksOnly whether to verify blocks without looking at the records in them
     */
    RecordCursor(SegmentFile file, OpenOptions options, CursorMemory memory, boolean blocksOnly) {
        this.options = options;
        this.memory = memory;
        this.blocksOnly = blocksOnly;
        try {
            enter(file);
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private void enter(SegmentFile next) {
        file = next;
        path = next.path();
        identity = next.identity();
        if (!blocksOnly) {
            checkKey();
        }
        decoder.file(identity, options.encryption());
        try {
            source = memory.source(next);
        } catch (IOException e) {
            throw SegmentFile.unreadable(path, e);
        }
        counts.begin(next);
        viewOf = null;
        // Behind a jump it is not known who was open.
        connectionsBefore = counts.segments == 1 || !unbroken ? null : connections;
        begin();
    }

    /** Goes before the first block of the segment. */
    private void begin() {
        connections = new OpenConnections();
        opened = 0;
        carried = 0;
        behindCarried = false;
        records = 0;
        requests = 0;
        dataBytes = 0;
        blocks = 0;
        lastIndex = 0;
        unindexed.clear();
        droppedConnections = 0;
        droppedRequests = 0;
        droppedBytes = 0;
        unbroken = true;
        offset = CaptureFormat.HEADER_BYTES;
        inBlock = false;
        at = 0;
        blockEnd = 0;
        measure();
    }

    private void measure() {
        end = file.closed()
                ? Math.max(CaptureFormat.HEADER_BYTES, Math.min(file.length(), file.summary().fileBytes))
                : file.length();
    }

    private void checkKey() {
        if (identity.encrypted()) {
            String wanted = identity.note(CaptureFormat.NOTE_KEY_ID);
            EncryptionKey key = options.encryption();
            if (key == null) {
                throw new CaptureException(
                        path,
                        "is encrypted under key " + wanted + ": expected this key, found none; give it with"
                                + " --key-file or --key-env");
            }
            if (!key.id().equals(wanted)) {
                throw new CaptureException(
                        path,
                        "is encrypted under another key: expected key " + wanted + ", found key " + key.id()
                                + "; give the right one with --key-file or --key-env");
            }
        }
    }

    /**
     * Moves to the next record; false at the end of the capture. One that follows a recording waits for more.
     *
     * @throws CaptureException when there is damage before the end, or something that this version does not know
     */
    boolean next() {
        while (at == blockEnd) {
            if (!nextBlock()) {
                return false;
            }
        }
        readRecord();
        return true;
    }

    // ---- Blocks.

    private boolean nextBlock() {
        synchronized (pause) {
            return nextBlockUnlessClosed();
        }
    }

    private boolean nextBlockUnlessClosed() {
        try {
            endBlock();
            while (!atEnd && !closed) {
                String problem = offset < end ? blockProblem() : null;
                if (offset < end && problem == null) {
                    if (readBlock()) {
                        return true;
                    }
                } else if (!awaitMore(problem)) {
                    endSegment(problem);
                }
            }
            return false;
        } catch (IOException e) {
            throw SegmentFile.unreadable(path, e);
        }
    }

    /** Waits for a recording that is followed; false when nothing comes any more behind what was found. */
    private boolean awaitMore(String problem) throws IOException {
        if (!options.follow() || file.closed() || Thread.currentThread().isInterrupted()) {
            return false;
        }
        boolean alive = file.isBeingRecorded();
        SegmentFile next = file.next();
        if (next != null) {
            next.close();
        }
        // The end of a segment is written when the next one has begun already.
        boolean waits = alive && (next == null || problem != null);
        if (waits) {
            try {
                pause.wait(FOLLOW_PAUSE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (closed) {
                return true;
            }
        }
        long before = file.length();
        file.refresh();
        source.refresh();
        measure();
        return waits || file.length() != before;
    }

    /** Judges whether the segment is whole, or torn at its end, and goes on with the next one if there is one. */
    private void endSegment(String found) throws IOException {
        if (found != null) {
            refuseWholeBlockAfter(offset, found);
        }
        CaptureSummary summary = file.summary();
        boolean isClosed = file.closed();
        long fileBytes = file.length();
        String problem = found;
        long where = offset;
        boolean torn = false;
        if (problem != null || isClosed && fileBytes != summary.fileBytes) {
            counts.cutBytes += Math.max(fileBytes, summary.fileBytes) - offset;
            torn = !isClosed && file.summaryProblem() == null;
            if (problem == null || fileBytes < summary.fileBytes) {
                problem = "expected a file of " + summary.fileBytes + " bytes, found " + fileBytes;
            }
            problem = "the file is torn or damaged at its end: " + problem;
        } else if (file.summaryProblem() != null) {
            where = CaptureFormat.HALF_BYTES + CaptureFormat.HALF_CRC;
            problem = "the summary in the header is torn: " + file.summaryProblem();
        } else if (isClosed && unbroken) {
            checkSummary(summary);
        }
        counts.end(file, droppedConnections, droppedRequests, droppedBytes);
        SegmentFile next = file.next();
        if (problem == null && next == null && summary.goesOn) {
            problem = "the recording goes on in its next segment: expected the file "
                    + (file.nextPath() == null ? "" : file.nextPath().getFileName())
                    + " beside it, found none";
        }
        boolean whole = problem == null && (isClosed || next != null);
        if (problem != null && !(torn && next == null) && !options.allowTruncated()) {
            if (next != null) {
                next.close();
            }
            throw new CaptureException(path, where, problem + "; " + standing(counts.requests));
        }
        if (problem == null && next != null) {
            file.close();
            enter(next);
            return;
        }
        if (next != null) {
            counts.cutBytes += next.length();
            next.close();
        }
        counts.incompleteRequests += openRequests();
        counts.whole = whole;
        atEnd = true;
    }

    private long openRequests() {
        long open = 0;
        for (OpenConnections.Connection left : connections.inOrder()) {
            open += left.inMessage ? 1 : 0;
        }
        return open;
    }

    private static String standing(long requests) {
        return requests == 0
                ? "no complete request stands before it"
                : requests == 1
                        ? "1 complete request stands before it: --allow-truncated reads it"
                        : requests + " complete requests stand before it: --allow-truncated reads them";
    }

    private String blockProblem() throws IOException {
        return blockProblem(offset, end);
    }

    /** Returns what is wrong with the block at an offset, or null when its bytes are as they were written. */
    private String blockProblem(long from, long to) throws IOException {
        long left = to - from;
        if (left < CaptureFormat.BLOCK_HEADER_BYTES) {
            return "expected a block header of "
                    + CaptureFormat.BLOCK_HEADER_BYTES
                    + " bytes, found "
                    + left
                    + " bytes up to the end";
        }
        ByteBuffer block = source.bytes(from, CaptureFormat.BLOCK_HEADER_BYTES);
        int header = source.position(from);
        if (block.getLong(header) != identity.markLow() || block.getLong(header + 8) != identity.markHigh()) {
            return "expected the mark of a block "
                    + mark(identity.markLow(), identity.markHigh())
                    + ", found "
                    + mark(block.getLong(header), block.getLong(header + 8));
        }
        long storedBytes = block.getInt(header + CaptureFormat.BLOCK_STORED_BYTES) & 0xFFFFFFFFL;
        if (storedBytes > CaptureFormat.MAX_STORED_BYTES) {
            return "expected a block that stores at most "
                    + CaptureFormat.MAX_STORED_BYTES
                    + " bytes, found "
                    + storedBytes;
        }
        long blockBytes = CaptureFormat.BLOCK_HEADER_BYTES + storedBytes;
        if (blockBytes > left) {
            return "expected a block of " + blockBytes + " bytes, found " + left + " bytes up to the end";
        }
        block = source.bytes(from, (int) blockBytes);
        header = source.position(from);
        if (viewOf != block) {
            viewOf = block;
            view = block.duplicate();
        }
        crc.reset();
        view.limit(header + (int) blockBytes).position(header + CaptureFormat.BLOCK_KIND);
        crc.update(view);
        int expected = block.getInt(header + CaptureFormat.BLOCK_CRC);
        int found = (int) crc.getValue();
        return expected == found
                ? null
                : "expected checksum "
                        + CaptureIdentity.hex(expected)
                        + " of a block of "
                        + blockBytes
                        + " bytes, found "
                        + CaptureIdentity.hex(found);
    }

    private static String mark(long low, long high) {
        return String.format("%016x%016x", Long.reverseBytes(low), Long.reverseBytes(high));
    }

    /** Throws when a whole block of this file follows a bad one: then it is no torn end. */
    private void refuseWholeBlockAfter(long bad, String problem) throws IOException {
        int candidates = 0;
        long last = file.length() - CaptureFormat.BLOCK_HEADER_BYTES;
        for (long from = bad + 1; from <= last && candidates < MAX_CANDIDATES; from++) {
            ByteBuffer block = source.bytes(from, CaptureFormat.BLOCK_HEADER_BYTES);
            int header = source.position(from);
            if (block.getLong(header) == identity.markLow() && block.getLong(header + 8) == identity.markHigh()) {
                candidates++;
                long firstRecord = block.getLong(header + CaptureFormat.BLOCK_FIRST_RECORD);
                // A recording of this file's own upload holds old blocks; only a later one counts.
                if (firstRecord >= records && blockProblem(from, file.length()) == null) {
                    throw new CaptureException(
                            path,
                            bad,
                            "the file is damaged: "
                                    + problem
                                    + "; whole blocks follow from offset "
                                    + from
                                    + " on, so this is no torn end and --allow-truncated does not help:"
                                    + " restore the file from a copy");
                }
            }
        }
        if (candidates == MAX_CANDIDATES) {
            throw new CaptureException(path, bad, "the file is damaged: " + problem + "; restore the file from a copy");
        }
    }

    /** Reads the header of a block whose checksum is right, and what it holds; true when these are records. */
    private boolean readBlock() {
        ByteBuffer block = viewOf;
        int header = source.position(offset);
        int storedBytes = block.getInt(header + CaptureFormat.BLOCK_STORED_BYTES);
        int kind = block.get(header + CaptureFormat.BLOCK_KIND) & 0xFF;
        int codec = block.get(header + CaptureFormat.BLOCK_CODEC) & 0xFF;
        int blockFlags = block.getShort(header + CaptureFormat.BLOCK_FLAGS) & 0xFFFF;
        boolean known = kind == CaptureFormat.KIND_RECORDS || kind == CaptureFormat.KIND_INDEX;
        if (!known && (kind & CaptureFormat.MUST_UNDERSTAND) != 0) {
            throw newer(
                    offset + CaptureFormat.BLOCK_KIND,
                    "expected a block of kind 0x81 or 0x02, found kind " + hex(kind));
        }
        boolean ofRecords = kind == CaptureFormat.KIND_RECORDS;
        int knownFlags = ofRecords && identity.encrypted() ? CaptureFormat.BLOCK_ENCRYPTED : 0;
        if (known && (blockFlags & ~knownFlags) != 0) {
            throw newer(
                    offset + CaptureFormat.BLOCK_FLAGS,
                    "expected block flags " + hex(knownFlags) + ", found " + hex(blockFlags));
        }
        boolean knownCodec = codec == CaptureFormat.CODEC_NONE
                || codec == CaptureFormat.CODEC_ZSTD && ofRecords && identity.compressed();
        if (known && !knownCodec) {
            throw newer(
                    offset + CaptureFormat.BLOCK_CODEC,
                    "expected codec "
                            + (ofRecords && identity.compressed() ? "0 (none) or 2 (zstd)" : "0 (none)")
                            + ", found codec "
                            + codec
                            + (codec == 1 ? " (LZ4)" : codec == 2 ? " (zstd)" : ""));
        }
        if (ofRecords && identity.encrypted() && blockFlags == 0) {
            throw damaged(offset, "expected an encrypted block, found one in the clear");
        }
        if (ofRecords) {
            beginBlock(block, header, storedBytes, codec != CaptureFormat.CODEC_NONE || blockFlags != 0);
        } else if (kind == CaptureFormat.KIND_INDEX) {
            readIndex(block, header, storedBytes);
        }
        offset += CaptureFormat.BLOCK_HEADER_BYTES + (long) storedBytes;
        return ofRecords;
    }

    private void beginBlock(ByteBuffer block, int header, int storedBytes, boolean encoded) {
        blockOffset = offset;
        baseNs = block.getLong(header + CaptureFormat.BLOCK_BASE_NS);
        blockLastNs = block.getLong(header + CaptureFormat.BLOCK_LAST_NS);
        expectedRecords = block.getInt(header + CaptureFormat.BLOCK_RECORDS) & 0xFFFFFFFFL;
        long firstRecord = block.getLong(header + CaptureFormat.BLOCK_FIRST_RECORD);
        int rawBytes = block.getInt(header + CaptureFormat.BLOCK_RAW_BYTES);
        if (!encoded) {
            require(offset, "raw length", storedBytes, rawBytes);
        } else if (rawBytes < 0 || rawBytes > CaptureFormat.MAX_STORED_BYTES) {
            throw damaged(
                    offset,
                    "raw length: expected at most "
                            + CaptureFormat.MAX_STORED_BYTES
                            + " bytes, found "
                            + (rawBytes & 0xFFFFFFFFL));
        }
        require(offset, "first record", records, firstRecord);
        if (baseNs < lastTimeNs || blockLastNs < baseNs) {
            throw damaged(
                    offset,
                    "expected times of "
                            + lastTimeNs
                            + " ns or later in a row, found "
                            + baseNs
                            + " and "
                            + blockLastNs);
        }
        unindexed.add(offset, baseNs, firstRecord);
        blocks++;
        counts.storedBytes += storedBytes;
        counts.rawBytes += rawBytes;
        if (blocksOnly) {
            records += expectedRecords;
            counts.records += expectedRecords;
            lastTimeNs = blockLastNs;
            at = 0;
            blockEnd = 0;
            return;
        }
        if (encoded) {
            bytes = memory.room(rawBytes);
            at = bytes.position();
            String problem = decoder.decode(block, header, bytes);
            if (problem != null) {
                throw damaged(offset, problem);
            }
            toAddress = memory.roomAddress() - at;
        } else {
            bytes = block;
            at = header + CaptureFormat.BLOCK_HEADER_BYTES;
            toAddress = source.address(offset) - header;
        }
        inPlace = !encoded;
        toOffset = offset - header;
        blockEnd = at + rawBytes;
        count = 0;
        timeNs = baseNs;
        low = CaptureFormat.NO_CONNECTION;
        high = 0;
        inBlock = true;
    }

    /** Checks what the header of a block says, once all of its records are read. */
    private void endBlock() {
        if (!inBlock) {
            return;
        }
        inBlock = false;
        require(blockOffset, "number of records", expectedRecords, count);
        require(blockOffset, "time of the last record", blockLastNs, timeNs);
        unindexed.connections(low, high);
        lastTimeNs = timeNs;
    }

    private void readIndex(ByteBuffer block, int header, int storedBytes) {
        requireLength(offset, "index block", CaptureFormat.INDEX_HEADER_BYTES, storedBytes);
        int start = header + CaptureFormat.BLOCK_HEADER_BYTES;
        long entryBytes = block.getInt(start + CaptureFormat.INDEX_ENTRY_BYTES_FIELD) & 0xFFFFFFFFL;
        long entries = block.getInt(start + CaptureFormat.INDEX_ENTRIES) & 0xFFFFFFFFL;
        if (unbroken) {
            require(offset, "previous index block", lastIndex, block.getLong(start + CaptureFormat.INDEX_PREVIOUS));
            require(offset, "number of blocks in the index", unindexed.size(), entries);
        }
        long room = storedBytes - CaptureFormat.INDEX_HEADER_BYTES;
        if (entryBytes < CaptureFormat.INDEX_ENTRY_BYTES || entries * entryBytes > room) {
            throw damaged(
                    offset,
                    "expected index entries of at least "
                            + CaptureFormat.INDEX_ENTRY_BYTES
                            + " bytes within "
                            + room
                            + ", found "
                            + entries
                            + " of "
                            + entryBytes);
        }
        for (int i = 0; i < entries && unbroken && unindexed.knows(i); i++) {
            checkEntry(block, start + CaptureFormat.INDEX_HEADER_BYTES + i * (int) entryBytes, i);
        }
        lastIndex = offset;
        unindexed.clear();
    }

    private void checkEntry(ByteBuffer index, int entry, int i) {
        long target = index.getLong(entry + CaptureFormat.ENTRY_BLOCK);
        if (target != unindexed.offset(i)) {
            throw damaged(
                    offset, "expected index entries that point to blocks in a row, found one to offset " + target);
        }
        require(
                offset,
                "first record of an indexed block",
                unindexed.firstRecord(i),
                index.getLong(entry + CaptureFormat.ENTRY_FIRST_RECORD));
        require(
                offset,
                "time of an indexed block",
                unindexed.baseNs(i),
                index.getLong(entry + CaptureFormat.ENTRY_BASE_NS));
        if (!blocksOnly) {
            require(
                    offset,
                    "lowest connection of an indexed block",
                    unindexed.lowConnection(i) & 0xFFFFFFFFL,
                    index.getInt(entry + CaptureFormat.ENTRY_LOW_CONNECTION) & 0xFFFFFFFFL);
            require(
                    offset,
                    "highest connection of an indexed block",
                    unindexed.highConnection(i) & 0xFFFFFFFFL,
                    index.getInt(entry + CaptureFormat.ENTRY_HIGH_CONNECTION) & 0xFFFFFFFFL);
        }
    }

    /** Checks that the summary of a closed file says what the blocks say. */
    private void checkSummary(CaptureSummary summary) {
        long half = CaptureFormat.HALF_BYTES;
        require(half + CaptureFormat.SUM_LAST_INDEX, "last index block", summary.lastIndex, lastIndex);
        if (blocks > 0 || counts.segments == 1) {
            require(half + CaptureFormat.SUM_LAST_TIME_NS, "time of the last record", summary.lastTimeNs, lastTimeNs);
        }
        require(half + CaptureFormat.SUM_BLOCKS, "number of blocks", summary.blocks, blocks);
        require(half + CaptureFormat.SUM_RECORDS, "number of records", summary.records, records);
        if (blocksOnly) {
            counts.connections += summary.connections;
            counts.requests += summary.requests;
            counts.dataBytes += summary.dataBytes;
            return;
        }
        require(half + CaptureFormat.SUM_CONNECTIONS, "number of connections", summary.connections, opened);
        require(half + CaptureFormat.SUM_REQUESTS, "number of requests", summary.requests, requests);
        require(half + CaptureFormat.SUM_DATA_BYTES, "bytes of data", summary.dataBytes, dataBytes);
    }

    // ---- Records.

    private void readRecord() {
        int left = blockEnd - at - CaptureFormat.RECORD_HEADER_BYTES;
        if (left < 0) {
            throw damaged(
                    fileOffset(at),
                    "expected a record header of "
                            + CaptureFormat.RECORD_HEADER_BYTES
                            + " bytes, found "
                            + (blockEnd - at)
                            + " bytes up to the end of the block");
        }
        long lowHalf = bytes.getLong(at);
        long highHalf = bytes.getLong(at + CaptureFormat.RECORD_TIME_DELTA);
        length = (int) lowHalf & CaptureFormat.MAX_PAYLOAD_BYTES;
        if (length > left) {
            throw damaged(
                    fileOffset(at),
                    "expected a payload of at most "
                            + left
                            + " bytes up to the end of the block, found one of "
                            + length);
        }
        long recordNs = baseNs + (highHalf & CaptureFormat.MAX_TIME_DELTA_NS);
        if (recordNs < timeNs || recordNs > blockLastNs) {
            throw damaged(
                    fileOffset(at),
                    "expected a time from " + timeNs + " to " + blockLastNs + " ns, found " + recordNs + " ns");
        }
        timeNs = recordNs;
        type = (int) lowHalf >>> 24;
        int number = (int) (lowHalf >>> 32);
        int sequence = (int) (highHalf >>> 32) & CaptureFormat.SEQUENCE_MASK;
        flags = (int) (highHalf >>> 56);
        payload = at + CaptureFormat.RECORD_HEADER_BYTES;
        if (number != CaptureFormat.NO_CONNECTION) {
            if (Integer.compareUnsigned(number, low) < 0) {
                low = number;
            }
            if (Integer.compareUnsigned(number, high) > 0) {
                high = number;
            }
        }
        behindCarried |= type != CONN_OPEN && type != PROTOCOL;
        if (type == DATA_C2S) {
            findConnection(number, sequence);
            readData();
        } else if (type == CONN_OPEN) {
            readOpen(number, sequence);
        } else if (number == CaptureFormat.NO_CONNECTION) {
            connection = null;
            readUnconnected();
        } else {
            findConnection(number, sequence);
            readControl();
        }
        at = payload + length;
        count++;
        records++;
        counts.records++;
        counts.lastTimeNs = timeNs;
    }

    /** Returns the offset in the file of a position in the block, or of the block when it was decoded. */
    private long fileOffset(int position) {
        return inPlace ? toOffset + position : blockOffset;
    }

    private void findConnection(int number, int sequence) {
        OpenConnections.Connection found = connections.find(number);
        if (found == null && !unbroken && number >= 0) {
            found = firstMet(number, sequence);
        }
        if (found == null) {
            throw number < 0 || number >= opened
                    ? damaged(
                            fileOffset(at),
                            "expected one of the "
                                    + opened
                                    + " connections so far, found connection "
                                    + Integer.toUnsignedString(number))
                    : damaged(
                            fileOffset(at), "expected no record of connection " + number + " after its end, found one");
        }
        connection = found;
        requireSequence(number, found.sequence, sequence);
        found.sequence = sequence + 1 & CaptureFormat.SEQUENCE_MASK;
    }

    private void requireSequence(int number, int expected, int found) {
        if (expected != found) {
            throw damaged(
                    fileOffset(at),
                    "records of connection "
                            + number
                            + " are missing: expected number "
                            + expected
                            + ", found "
                            + found);
        }
    }

    /** Takes up a connection in its middle, behind a jump. */
    private OpenConnections.Connection firstMet(int number, int sequence) {
        OpenConnections.Connection met = connections.add(number);
        met.sequence = sequence;
        met.wholeNumber = number < carried ? carriedNumbers[number] : wholeNumber(number);
        return met;
    }

    private int wholeNumber(int number) {
        return (int) identity.before(CaptureFormat.NOTE_CONNECTIONS_BEFORE) + number - carried;
    }

    private void readOpen(int number, int sequence) {
        long where = fileOffset(at);
        if (unbroken) {
            require(where, "connection", opened, number & 0xFFFFFFFFL);
        }
        if (number < 0 || number == Integer.MAX_VALUE) {
            throw damaged(where, "expected at most " + Integer.MAX_VALUE + " connections, found more");
        }
        requireLength(where, "CONN_OPEN", CaptureFormat.OPEN_HEADER_BYTES, length);
        int addressBytes = (bytes.get(payload + CaptureFormat.OPEN_CLIENT_ADDRESS_BYTES) & 0xFF)
                + (bytes.get(payload + CaptureFormat.OPEN_SERVER_ADDRESS_BYTES) & 0xFF);
        requireLength(where, "CONN_OPEN", CaptureFormat.OPEN_HEADER_BYTES + addressBytes, length);
        if (!unbroken) {
            OpenConnections.Connection earlier = connections.find(number);
            if (earlier != null) {
                throw damaged(where, "expected connection " + number + " to begin once, found it begun twice");
            }
        }
        int details = payload + CaptureFormat.OPEN_HEADER_BYTES + addressBytes;
        long whole = CaptureFormat.detail(bytes, details, payload + length, CaptureFormat.DETAIL_WHOLE_NUMBER);
        connection = connections.add(number);
        connection.sequence = sequence + 1 & CaptureFormat.SEQUENCE_MASK;
        opened = Math.max(opened, number + 1);
        if (whole < 0) {
            connection.wholeNumber = wholeNumber(number);
            goesOn = false;
            behindCarried = true;
            counts.connections++;
        } else {
            connection.wholeNumber = (int) whole;
            carry(number, sequence, details);
        }
    }

    /** Takes over a connection from the segment before. */
    private void carry(int number, int sequence, int details) {
        long where = fileOffset(at);
        require(where, "connections that go on from the segment before", carried, number);
        if (carried == carriedNumbers.length) {
            carriedNumbers = Arrays.copyOf(carriedNumbers, Math.max(64, 2 * carried));
        }
        carriedNumbers[carried++] = connection.wholeNumber;
        goesOn = connectionsBefore != null;
        if (!goesOn) {
            counts.connections++;
            return;
        }
        long before = CaptureFormat.detail(bytes, details, payload + length, CaptureFormat.DETAIL_NUMBER_BEFORE);
        OpenConnections.Connection earlier = before < 0 ? null : connectionsBefore.find((int) before);
        if (earlier == null || earlier.wholeNumber != connection.wholeNumber) {
            throw damaged(
                    where,
                    "expected a connection that is open at the end of the segment before, found number "
                            + before
                            + " there, "
                            + connection.wholeNumber
                            + " in the whole capture");
        }
        requireSequence(number, earlier.sequence, sequence);
        connectionsBefore.remove((int) before);
        connection.inMessage = earlier.inMessage;
        connection.messageBytes = earlier.messageBytes;
        connection.opaque = earlier.opaque;
        connection.table = earlier.table;
    }

    private void readData() {
        dataBytes += length;
        counts.dataBytes += length;
        counts.redactedRecords += (flags & RecordFlags.REDACTED) == 0 ? 0 : 1;
        boolean truncated = (flags & RecordFlags.TRUNCATED) != 0;
        boolean ends = (flags & RecordFlags.MESSAGE_END) != 0 && !truncated;
        OpenConnections.Connection of = connection;
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            abandon(of);
            of.inMessage = true;
            of.begunHere = true;
            of.messageBytes = 0;
        }
        if (!of.inMessage) {
            counts.opaqueBytes += length;
            if (length > 0 && !of.opaque) {
                of.opaque = true;
                counts.opaqueConnections++;
            }
            return;
        }
        of.messageBytes += length;
        if (truncated) {
            abandon(of);
        } else if (ends) {
            of.inMessage = false;
            counts.requests++;
            counts.requestBytes += of.messageBytes;
            requests += of.begunHere ? 1 : 0;
        }
    }

    private void abandon(OpenConnections.Connection of) {
        if (of.inMessage) {
            of.inMessage = false;
            counts.incompleteRequests++;
        }
    }

    private void readControl() {
        long where = fileOffset(at);
        RecordType known = knownType(where);
        if (known == RecordType.PROTOCOL) {
            requireLength(where, "PROTOCOL", CaptureFormat.PROTOCOL_PAYLOAD_BYTES, length);
        } else if (known == RecordType.CONN_CLOSE) {
            requireLength(where, "CONN_CLOSE", CaptureFormat.CLOSE_PAYLOAD_BYTES, length);
            abandon(connection);
            connections.remove(connection.id);
        } else if (known == RecordType.GAP) {
            requireLength(where, "GAP", CaptureFormat.GAP_PAYLOAD_BYTES, length);
            abandon(connection);
            counts.gaps++;
            counts.gapBytes += bytes.getLong(payload);
        } else if (known == RecordType.NO_ANSWER) {
            requireLength(where, "NO_ANSWER", CaptureFormat.NO_ANSWER_PAYLOAD_BYTES, length);
        } else if (known == RecordType.DROPPED) {
            throw damaged(where, "expected no connection for a record of type DROPPED, found " + connection.id);
        }
    }

    private void readUnconnected() {
        long where = fileOffset(at);
        RecordType known = knownType(where);
        if (known == RecordType.DROPPED) {
            requireLength(where, "DROPPED", CaptureFormat.DROPPED_PAYLOAD_BYTES, length);
            droppedConnections += bytes.getLong(payload + CaptureFormat.DROPPED_CONNECTIONS);
            droppedRequests += bytes.getLong(payload + CaptureFormat.DROPPED_REQUESTS);
            droppedBytes += bytes.getLong(payload + CaptureFormat.DROPPED_BYTES);
        } else if (known == RecordType.CLOCK) {
            requireLength(where, "CLOCK", CaptureFormat.CLOCK_PAYLOAD_BYTES, length);
            counts.appends++;
            counts.repairedBytes += bytes.getLong(payload + CaptureFormat.CLOCK_CUT_BYTES);
        } else if (known != null && known.ofConnection()) {
            throw damaged(where, "expected a connection for a record of type " + known + ", found none");
        }
    }

    /** Returns the record's type, or null for one that may be skipped. */
    private RecordType knownType(long where) {
        RecordType known = RecordType.ofCode(type);
        if (known == null && (type & CaptureFormat.MUST_UNDERSTAND) != 0) {
            throw newer(
                    where, "expected a record of a known type, found type " + hex(type) + " that must be understood");
        }
        return known;
    }

    private void require(long where, String what, long expected, long found) {
        if (expected != found) {
            throw damaged(where, what + ": expected " + expected + ", found " + found);
        }
    }

    private void requireLength(long where, String what, int least, int found) {
        if (found < least) {
            throw damaged(where, what + ": expected at least " + least + " bytes, found " + found);
        }
    }

    /** What stands in a block whose checksum is right, and yet cannot be. */
    private CaptureException damaged(long where, String problem) {
        return new CaptureException(
                path, where, "the file contradicts itself: " + problem + "; restore the file from a copy");
    }

    private CaptureException newer(long where, String problem) {
        return new CaptureException(path, where, problem + "; read the file with a newer version of Lockstep");
    }

    private static String hex(int code) {
        return "0x" + Integer.toHexString(code);
    }

    // ---- Jumping.

    /** Goes to a block of records of this segment, from an index or a header; its checks begin anew there. */
    void jump(long toBlock, long firstRecord) {
        if (toBlock == offset) {
            return;
        }
        unbroken = false;
        connection = null;
        connections = new OpenConnections();
        offset = toBlock;
        records = firstRecord;
        lastTimeNs = 0;
        inBlock = false;
        at = 0;
        blockEnd = 0;
    }

    /** Goes before the first record of a segment, which becomes the cursor's to close. */
    void jump(SegmentFile to) {
        if (to != file) {
            file.close();
        }
        connections = new OpenConnections();
        connection = null;
        lastTimeNs = 0;
        atEnd = false;
        enter(to);
        connectionsBefore = null;
    }

    /** Tells whether the connections that go on from the segment before are known. */
    boolean isBehindCarried() {
        return behindCarried;
    }

    /** Returns the lowest number in this segment that a connection may have with a number in a range of the whole. */
    int lowestNumber(int first, int last) {
        for (int i = 0; i < carried; i++) {
            if (carriedNumbers[i] >= first && carriedNumbers[i] <= last) {
                return i;
            }
        }
        return (int) Math.max(carried, first - connectionsBeforeSegment() + carried);
    }

    /** Returns the highest such number, or one that is not. */
    int highestNumber(int first, int last) {
        long highest = last - connectionsBeforeSegment() + carried;
        for (int i = carried - 1; i >= 0 && highest < carried; i--) {
            if (carriedNumbers[i] >= first && carriedNumbers[i] <= last) {
                return i;
            }
        }
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, highest));
    }

    private long connectionsBeforeSegment() {
        return identity.before(CaptureFormat.NOTE_CONNECTIONS_BEFORE);
    }

    // ---- What is here.

    SegmentFile file() {
        return file;
    }

    CaptureIdentity identity() {
        return identity;
    }

    /** Returns where the next block of this segment begins. */
    long offset() {
        return offset;
    }

    /** Returns where the block of this record begins. */
    long blockOffset() {
        return blockOffset;
    }

    /** Tells whether the record is the last one of its block. */
    boolean isLastInBlock() {
        return at == blockEnd;
    }

    /** Returns the memory that holds the record. */
    ByteBuffer bytes() {
        return bytes;
    }

    int payload() {
        return payload;
    }

    int length() {
        return length;
    }

    /** Returns the address of the payload in the memory of a capture; one of no bytes stands at its header. */
    long payloadAddress() {
        // An empty payload stands at its header, lest it lie behind the last mapping.
        return toAddress + (length == 0 ? payload - CaptureFormat.RECORD_HEADER_BYTES : payload);
    }

    /** Returns the address of the record's header. */
    long address() {
        return toAddress + payload - CaptureFormat.RECORD_HEADER_BYTES;
    }

    /** Returns the length of the block's records. */
    int blockLength() {
        return blockEnd - (payload - CaptureFormat.RECORD_HEADER_BYTES);
    }

    long baseNs() {
        return baseNs;
    }

    int type() {
        return type;
    }

    int flags() {
        return flags;
    }

    long timeNs() {
        return timeNs;
    }

    /** Returns the record's number in this segment. */
    long number() {
        return records - 1;
    }

    /** Tells whether the CONN_OPEN record goes on with a connection that was met in the segment before. */
    boolean goesOn() {
        return goesOn;
    }

    /** Returns the connection of the record, or null when it belongs to none. */
    OpenConnections.Connection connection() {
        return connection;
    }

    /** Tells whether the record is the first one of its block. */
    boolean isFirstInBlock() {
        return count == 1;
    }

    // ---- For those who go on writing behind the end.

    OpenConnections.Connection[] openConnections() {
        return connections.inOrder();
    }

    int opened() {
        return opened;
    }

    int nextConnection() {
        return wholeNumber(opened);
    }

    long records() {
        return records;
    }

    long blocks() {
        return blocks;
    }

    long lastIndex() {
        return lastIndex;
    }

    long lastTimeNs() {
        return lastTimeNs;
    }

    BlockList unindexed() {
        return unindexed;
    }

    /** Returns the requests that begin and end in this segment. */
    long segmentRequests() {
        return requests;
    }

    long segmentDataBytes() {
        return dataBytes;
    }

    /** Closes the files, from any thread; a cursor that waits for more comes to its end. */
    @Override
    public void close() {
        closed = true;
        synchronized (pause) {
            pause.notifyAll();
            decoder.close();
            file.close();
        }
    }
}
