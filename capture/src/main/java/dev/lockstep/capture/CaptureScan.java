package dev.lockstep.capture;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The pass over a whole file that verifies every block and record and builds the tables of requests and connections.
 * Trusts nothing that it reads. For the thread that opens the capture; the heap it takes does not depend on the file.
 */
final class CaptureScan {
    private static final int CONN_OPEN = RecordType.CONN_OPEN.code();
    private static final int DATA_C2S = RecordType.DATA_C2S.code();

    /** How many places that look like a block are tried behind a bad one; more than that is no accident. */
    private static final int MAX_CANDIDATES = 1000;

    private final Path path;
    private final MappedFile file;
    private final CaptureIdentity identity;
    private final RequestTable requests;
    private final ConnectionTable connections;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer[] views;

    private long endOffset = CaptureFormat.HEADER_BYTES;
    private long blocks;
    private long records;
    private long lastTimeNs;
    private long lastIndex;
    private long blocksSinceIndex;
    private long dataBytes;
    private long opaqueBytes;
    private long opaqueConnections;
    private long gaps;
    private long gapBytes;
    private long droppedConnections;
    private long droppedRequests;
    private long droppedBytes;
    private long incompleteRequests;

    CaptureScan(Path path, MappedFile file, CaptureIdentity identity, FlatMemory memory) {
        this.path = path;
        this.file = file;
        this.identity = identity;
        this.requests = new RequestTable(memory);
        this.connections = new ConnectionTable(memory, file);
        this.views = new ByteBuffer[file.count()];
        for (int i = 0; i < views.length; i++) {
            views[i] = file.mapping(i).duplicate();
        }
    }

    /**
     * Reads all blocks up to an offset.
     *
     * @return null when the last block ends there, or what is wrong with the bytes at {@link #endOffset()}, behind
     *     which no whole block follows, as "expected ..., found ..."
     * @throws CaptureException when there is damage before the end, or something that this version does not know
     */
    String scan(long end) {
        String problem = null;
        while (endOffset < end && problem == null) {
            problem = blockProblem(endOffset, end);
            if (problem == null) {
                endOffset += readBlock(endOffset);
            } else {
                refuseWholeBlockAfter(endOffset, problem);
            }
        }
        incompleteRequests = requests.dropIncomplete();
        return problem;
    }

    /** Returns what is wrong with the block at an offset, or null when its bytes are as they were written. */
    private String blockProblem(long offset, long end) {
        long left = end - offset;
        if (left < CaptureFormat.BLOCK_HEADER_BYTES) {
            return "expected a block header of "
                    + CaptureFormat.BLOCK_HEADER_BYTES
                    + " bytes, found "
                    + left
                    + " bytes up to the end";
        }
        int mapping = file.index(offset);
        ByteBuffer view = views[mapping];
        ByteBuffer bytes = file.mapping(mapping);
        int at = file.position(offset);
        if (bytes.getLong(at) != identity.markLow() || bytes.getLong(at + 8) != identity.markHigh()) {
            return "expected the mark of a block "
                    + mark(identity.markLow(), identity.markHigh())
                    + ", found "
                    + mark(bytes.getLong(at), bytes.getLong(at + 8));
        }
        long storedBytes = bytes.getInt(at + CaptureFormat.BLOCK_STORED_BYTES) & 0xFFFFFFFFL;
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
        crc.reset();
        view.limit(at + (int) blockBytes).position(at + CaptureFormat.BLOCK_KIND);
        crc.update(view);
        int expected = bytes.getInt(at + CaptureFormat.BLOCK_CRC);
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
    private void refuseWholeBlockAfter(long bad, String problem) {
        int candidates = 0;
        long last = file.length() - CaptureFormat.BLOCK_HEADER_BYTES;
        for (long offset = bad + 1; offset <= last && candidates < MAX_CANDIDATES; offset++) {
            ByteBuffer bytes = file.mapping(file.index(offset));
            int at = file.position(offset);
            if (bytes.getLong(at) == identity.markLow() && bytes.getLong(at + 8) == identity.markHigh()) {
                candidates++;
                // A recording of this file's own upload holds old blocks; only a later one counts.
                if (blockProblem(offset, file.length()) == null
                        && bytes.getLong(at + CaptureFormat.BLOCK_FIRST_RECORD) >= records) {
                    throw new CaptureException(
                            path,
                            bad,
                            "the file is damaged: "
                                    + problem
                                    + "; whole blocks follow from offset "
                                    + offset
                                    + " on, so this is no torn end and --allow-truncated does not help:"
                                    + " restore the file from a copy");
                }
            }
        }
        if (candidates == MAX_CANDIDATES) {
            throw new CaptureException(path, bad, "the file is damaged: " + problem + "; restore the file from a copy");
        }
    }

    /** Reads a block whose checksum is right, and returns its length. */
    private long readBlock(long offset) {
        ByteBuffer bytes = file.mapping(file.index(offset));
        int at = file.position(offset);
        int storedBytes = bytes.getInt(at + CaptureFormat.BLOCK_STORED_BYTES);
        int kind = bytes.get(at + CaptureFormat.BLOCK_KIND) & 0xFF;
        int codec = bytes.get(at + CaptureFormat.BLOCK_CODEC) & 0xFF;
        int flags = bytes.getShort(at + CaptureFormat.BLOCK_FLAGS) & 0xFFFF;
        boolean known = kind == CaptureFormat.KIND_RECORDS || kind == CaptureFormat.KIND_INDEX;
        if (!known && (kind & CaptureFormat.MUST_UNDERSTAND) != 0) {
            throw newer(
                    offset + CaptureFormat.BLOCK_KIND,
                    "expected a block of kind 0x81 or 0x02, found kind " + hex(kind));
        }
        if (known && flags != 0) {
            throw newer(offset + CaptureFormat.BLOCK_FLAGS, "expected block flags 0x0, found " + hex(flags));
        }
        if (known && codec != CaptureFormat.CODEC_NONE) {
            throw newer(
                    offset + CaptureFormat.BLOCK_CODEC,
                    "expected codec 0 (none), found codec "
                            + codec
                            + (codec == 1 ? " (LZ4)" : codec == 2 ? " (zstd)" : ""));
        }
        if (kind == CaptureFormat.KIND_RECORDS) {
            readRecords(offset, bytes, at, storedBytes);
        } else if (kind == CaptureFormat.KIND_INDEX) {
            readIndex(offset, bytes, at, storedBytes);
        }
        return CaptureFormat.BLOCK_HEADER_BYTES + (long) storedBytes;
    }

    private void readRecords(long offset, ByteBuffer bytes, int header, int storedBytes) {
        long baseNs = bytes.getLong(header + CaptureFormat.BLOCK_BASE_NS);
        long lastNs = bytes.getLong(header + CaptureFormat.BLOCK_LAST_NS);
        int expectedRecords = bytes.getInt(header + CaptureFormat.BLOCK_RECORDS);
        require(offset, "raw length", storedBytes, bytes.getInt(header + CaptureFormat.BLOCK_RAW_BYTES));
        require(offset, "first record", records, bytes.getLong(header + CaptureFormat.BLOCK_FIRST_RECORD));
        if (baseNs < lastTimeNs || lastNs < baseNs) {
            throw damaged(
                    offset,
                    "expected times of " + lastTimeNs + " ns or later in a row, found " + baseNs + " and " + lastNs);
        }
        long toOffset = offset - header;
        int at = header + CaptureFormat.BLOCK_HEADER_BYTES;
        int end = at + storedBytes;
        int count = 0;
        long timeNs = baseNs;
        while (at < end) {
            int left = end - at - CaptureFormat.RECORD_HEADER_BYTES;
            if (left < 0) {
                throw damaged(
                        toOffset + at,
                        "expected a record header of "
                                + CaptureFormat.RECORD_HEADER_BYTES
                                + " bytes, found "
                                + (end - at)
                                + " bytes up to the end of the block");
            }
            long low = bytes.getLong(at);
            long high = bytes.getLong(at + CaptureFormat.RECORD_TIME_DELTA);
            int length = (int) low & CaptureFormat.MAX_PAYLOAD_BYTES;
            if (length > left) {
                throw damaged(
                        toOffset + at,
                        "expected a payload of at most "
                                + left
                                + " bytes up to the end of the block, found one of "
                                + length);
            }
            long recordNs = baseNs + (high & CaptureFormat.MAX_TIME_DELTA_NS);
            if (recordNs < timeNs || recordNs > lastNs) {
                throw damaged(
                        toOffset + at,
                        "expected a time from " + timeNs + " to " + lastNs + " ns, found " + recordNs + " ns");
            }
            timeNs = recordNs;
            int type = (int) low >>> 24;
            int connection = (int) (low >>> 32);
            int sequence = (int) (high >>> 32) & CaptureFormat.SEQUENCE_MASK;
            int flags = (int) (high >>> 56);
            int payload = at + CaptureFormat.RECORD_HEADER_BYTES;
            readRecord(toOffset, bytes, payload, length, type, connection, sequence, flags, timeNs);
            at = payload + length;
            count++;
        }
        require(offset, "number of records", expectedRecords & 0xFFFFFFFFL, count);
        require(offset, "time of the last record", lastNs, timeNs);
        records += count;
        lastTimeNs = timeNs;
        blocks++;
        blocksSinceIndex++;
    }

    /** Reads one record; {@code toOffset} makes an offset in the file of a position in the mapping. */
    private void readRecord(
            long toOffset,
            ByteBuffer bytes,
            int payload,
            int length,
            int type,
            int connection,
            int sequence,
            int flags,
            long timeNs) {
        long offset = toOffset + payload - CaptureFormat.RECORD_HEADER_BYTES;
        if (type == DATA_C2S) {
            checkSequence(offset, connection, sequence, timeNs);
            // An empty payload stands at its header, lest it lie behind the last mapping.
            readData(offset, connection, timeNs, flags, length == 0 ? offset : toOffset + payload, length);
        } else if (type == CONN_OPEN) {
            readOpen(offset, bytes, payload, length, connection, sequence, timeNs);
        } else if (connection == CaptureFormat.NO_CONNECTION) {
            readUnconnected(offset, bytes, payload, length, type);
        } else {
            checkSequence(offset, connection, sequence, timeNs);
            readControl(offset, bytes, payload, length, type, connection);
        }
    }

    private void checkSequence(long offset, int connection, int sequence, long timeNs) {
        if (connection < 0 || connection >= connections.size()) {
            throw damaged(
                    offset,
                    "expected one of the "
                            + connections.size()
                            + " connections so far, found connection "
                            + Integer.toUnsignedString(connection));
        }
        int expected = connections.nextSequence(connection, timeNs);
        if (expected == ConnectionTable.NONE) {
            throw damaged(offset, "expected no record of connection " + connection + " after its end, found one");
        }
        if (sequence != expected) {
            throw damaged(
                    offset,
                    "records of connection "
                            + connection
                            + " are missing: expected number "
                            + expected
                            + ", found "
                            + sequence);
        }
    }

    private void readOpen(
            long offset, ByteBuffer bytes, int payload, int length, int connection, int sequence, long timeNs) {
        require(offset, "connection", connections.size(), connection & 0xFFFFFFFFL);
        if (connection < 0 || connection == Integer.MAX_VALUE) {
            throw damaged(offset, "expected at most " + Integer.MAX_VALUE + " connections, found more");
        }
        requireLength(offset, "CONN_OPEN", CaptureFormat.OPEN_HEADER_BYTES, length);
        int addressBytes = (bytes.get(payload + CaptureFormat.OPEN_CLIENT_ADDRESS_BYTES) & 0xFF)
                + (bytes.get(payload + CaptureFormat.OPEN_SERVER_ADDRESS_BYTES) & 0xFF);
        requireLength(offset, "CONN_OPEN", CaptureFormat.OPEN_HEADER_BYTES + addressBytes, length);
        connections.open(timeNs, sequence, offset + CaptureFormat.RECORD_HEADER_BYTES);
    }

    private void readData(long offset, int connection, long timeNs, int flags, long payload, int length) {
        dataBytes += length;
        boolean truncated = (flags & RecordFlags.TRUNCATED) != 0;
        boolean ends = (flags & RecordFlags.MESSAGE_END) != 0 && !truncated;
        long request = connections.openRequest(connection);
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            if (request != ConnectionTable.NONE) {
                abandon(connection, request);
            }
            if (ends) {
                requests.add(connection, timeNs, payload, length, connections.countRequest(connection));
                return;
            }
            request = requests.begin(connection, timeNs);
            connections.openRequest(connection, request);
        }
        if (request == ConnectionTable.NONE) {
            opaqueBytes += length;
            if (length > 0 && connections.markOpaque(connection)) {
                opaqueConnections++;
            }
            return;
        }
        boolean counted = requests.addPiece(request, payload, length);
        if (truncated) {
            abandon(connection, request);
        } else if (ends) {
            counted &= requests.complete(request, payload, connections.countRequest(connection));
            connections.openRequest(connection, ConnectionTable.NONE);
        }
        if (!counted) {
            throw new CaptureException(
                    path,
                    offset,
                    "expected at most " + Integer.MAX_VALUE + " records of requests in several records, found more");
        }
    }

    private void abandon(int connection, long request) {
        requests.abandon(request);
        connections.openRequest(connection, ConnectionTable.NONE);
    }

    private void abandonOpenRequest(int connection) {
        long request = connections.openRequest(connection);
        if (request != ConnectionTable.NONE) {
            abandon(connection, request);
        }
    }

    private void readControl(long offset, ByteBuffer bytes, int payload, int length, int code, int connection) {
        RecordType type = knownType(offset, code);
        if (type == RecordType.PROTOCOL) {
            requireLength(offset, "PROTOCOL", CaptureFormat.PROTOCOL_PAYLOAD_BYTES, length);
            connections.protocol(connection, bytes.getShort(payload));
        } else if (type == RecordType.CONN_CLOSE) {
            requireLength(offset, "CONN_CLOSE", CaptureFormat.CLOSE_PAYLOAD_BYTES, length);
            abandonOpenRequest(connection);
            connections.close(connection, bytes.get(payload));
        } else if (type == RecordType.GAP) {
            requireLength(offset, "GAP", CaptureFormat.GAP_PAYLOAD_BYTES, length);
            abandonOpenRequest(connection);
            gaps++;
            gapBytes += bytes.getLong(payload);
        } else if (type == RecordType.DROPPED) {
            throw damaged(offset, "expected no connection for a record of type DROPPED, found " + connection);
        }
    }

    private void readUnconnected(long offset, ByteBuffer bytes, int payload, int length, int code) {
        RecordType type = knownType(offset, code);
        if (type == RecordType.DROPPED) {
            requireLength(offset, "DROPPED", CaptureFormat.DROPPED_PAYLOAD_BYTES, length);
            droppedConnections += bytes.getLong(payload + CaptureFormat.DROPPED_CONNECTIONS);
            droppedRequests += bytes.getLong(payload + CaptureFormat.DROPPED_REQUESTS);
            droppedBytes += bytes.getLong(payload + CaptureFormat.DROPPED_BYTES);
        } else if (type != null && type.ofConnection()) {
            throw damaged(offset, "expected a connection for a record of type " + type + ", found none");
        }
    }

    /** Returns the type with a code, or null for one that may be skipped. */
    private RecordType knownType(long offset, int code) {
        RecordType type = RecordType.ofCode(code);
        if (type == null && (code & CaptureFormat.MUST_UNDERSTAND) != 0) {
            throw newer(
                    offset, "expected a record of a known type, found type " + hex(code) + " that must be understood");
        }
        return type;
    }

    private void readIndex(long offset, ByteBuffer bytes, int header, int storedBytes) {
        requireLength(offset, "index block", CaptureFormat.INDEX_HEADER_BYTES, storedBytes);
        int start = header + CaptureFormat.BLOCK_HEADER_BYTES;
        long entryBytes = bytes.getInt(start + CaptureFormat.INDEX_ENTRY_BYTES_FIELD) & 0xFFFFFFFFL;
        long entries = bytes.getInt(start + CaptureFormat.INDEX_ENTRIES) & 0xFFFFFFFFL;
        require(offset, "previous index block", lastIndex, bytes.getLong(start + CaptureFormat.INDEX_PREVIOUS));
        require(offset, "number of blocks in the index", blocksSinceIndex, entries);
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
        long previous = lastIndex;
        for (int i = 0; i < entries; i++) {
            int entry = start + CaptureFormat.INDEX_HEADER_BYTES + i * (int) entryBytes;
            long block = bytes.getLong(entry + CaptureFormat.ENTRY_BLOCK);
            if (block <= previous || block > offset - CaptureFormat.BLOCK_HEADER_BYTES) {
                throw damaged(
                        offset, "expected index entries that point to blocks in a row, found one to offset " + block);
            }
            ByteBuffer target = file.mapping(file.index(block));
            int at = file.position(block);
            require(offset, "mark of an indexed block", identity.markLow(), target.getLong(at));
            require(
                    offset,
                    "first record of an indexed block",
                    target.getLong(at + CaptureFormat.BLOCK_FIRST_RECORD),
                    bytes.getLong(entry + CaptureFormat.ENTRY_FIRST_RECORD));
            require(
                    offset,
                    "time of an indexed block",
                    target.getLong(at + CaptureFormat.BLOCK_BASE_NS),
                    bytes.getLong(entry + CaptureFormat.ENTRY_BASE_NS));
            previous = block;
        }
        lastIndex = offset;
        blocksSinceIndex = 0;
    }

    /** Checks that the summary of a closed file says what the blocks say. */
    void checkSummary(CaptureSummary summary) {
        long at = CaptureFormat.HALF_BYTES;
        require(at + CaptureFormat.SUM_LAST_INDEX, "last index block", summary.lastIndex, lastIndex);
        require(at + CaptureFormat.SUM_LAST_TIME_NS, "time of the last record", summary.lastTimeNs, lastTimeNs);
        require(at + CaptureFormat.SUM_BLOCKS, "number of blocks", summary.blocks, blocks);
        require(at + CaptureFormat.SUM_RECORDS, "number of records", summary.records, records);
        require(at + CaptureFormat.SUM_CONNECTIONS, "number of connections", summary.connections, connections.size());
        require(at + CaptureFormat.SUM_REQUESTS, "number of requests", summary.requests, requests.size());
        require(at + CaptureFormat.SUM_DATA_BYTES, "bytes of data", summary.dataBytes, dataBytes);
    }

    private void require(long offset, String what, long expected, long found) {
        if (expected != found) {
            throw damaged(offset, what + ": expected " + expected + ", found " + found);
        }
    }

    private void requireLength(long offset, String what, int least, int found) {
        if (found < least) {
            throw damaged(offset, what + ": expected at least " + least + " bytes, found " + found);
        }
    }

    /** What stands in a block whose checksum is right, and yet cannot be. */
    private CaptureException damaged(long offset, String problem) {
        return new CaptureException(
                path, offset, "the file contradicts itself: " + problem + "; restore the file from a copy");
    }

    private CaptureException newer(long offset, String problem) {
        return new CaptureException(path, offset, problem + "; read the file with a newer version of Lockstep");
    }

    private static String hex(int code) {
        return "0x" + Integer.toHexString(code);
    }

    RequestTable requests() {
        return requests;
    }

    ConnectionTable connections() {
        return connections;
    }

    /** Returns where the last whole block ends. */
    long endOffset() {
        return endOffset;
    }

    long records() {
        return records;
    }

    long dataBytes() {
        return dataBytes;
    }

    long opaqueBytes() {
        return opaqueBytes;
    }

    long opaqueConnections() {
        return opaqueConnections;
    }

    long incompleteRequests() {
        return incompleteRequests;
    }

    long gaps() {
        return gaps;
    }

    long gapBytes() {
        return gapBytes;
    }

    long droppedConnections() {
        return droppedConnections;
    }

    long droppedRequests() {
        return droppedRequests;
    }

    long droppedBytes() {
        return droppedBytes;
    }
}
