package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureTotals;
import dev.lockstep.capture.ClockReading;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.capture.RecordType;
import dev.lockstep.capture.format.CaptureFormat;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Puts the records of a {@code CaptureWriter} into blocks, and counts what finds no room. This object is the writer's
 * lock: its methods are synchronized, and everything that it holds is used by them only. Appends run per request on
 * event loops; the {@link WriterThread} takes the blocks.
 */
public final class RecordAppender {
    /** The longest time between two records of one block; the format could take 4.29 s. */
    private static final long MAX_SPAN_NS = TimeUnit.SECONDS.toNanos(1);

    private final CaptureOptions options;
    /** The start of the capture on the axis of the times that are appended. */
    private final long zeroNs;

    private final LongSupplier nanoClock;
    private final int maxPieceBytes;

    private final OpenConnections<WrittenConnection> connections = new OpenConnections<>();
    private final Tally tally = new Tally();
    private final BlockQueue blocks;
    private final SegmentRotation rotation;
    private Block current;
    private int nextConnection;
    private int nextNumber;
    private long nextRecord;
    private long lastTimeNs;
    private long redactedValues;
    private long missedPackets;
    private final UnsearchedCounts unsearched = new UnsearchedCounts();
    private boolean closing;
    private boolean settling;
    private WriteFailure failure;
    /** Why there is less than there was to write, though nothing failed; or null. */
    private WriteFailure stopped;

    /** Begins with the next record of a file. */
    public RecordAppender(CaptureOptions options, BlockFile file, long zeroNs, LongSupplier nanoClock) {
        this.options = options;
        this.zeroNs = zeroNs;
        this.nanoClock = nanoClock;
        this.blocks = new BlockQueue(options);
        this.rotation = new SegmentRotation(options, file);
        // A fresh block may begin with a DROPPED record, and must still have room.
        this.maxPieceBytes = Math.min(
                CaptureFormat.MAX_PAYLOAD_BYTES,
                options.blockBytes()
                        - CaptureFormat.BLOCK_HEADER_BYTES
                        - 2 * CaptureFormat.RECORD_HEADER_BYTES
                        - CaptureFormat.DROPPED_PAYLOAD_BYTES);
    }

    /** Closes the connections that another recorder left open, and ties its clocks to this one's. */
    public synchronized void goOn(AppendPoint point, ClockReading now) {
        rotation.goOn(point);
        nextConnection = point.nextConnection;
        nextNumber = point.nextNumber;
        nextRecord = point.records;
        lastTimeNs = point.lastTimeNs;
        settling = true;
        for (ReadConnection left : point.openConnections) {
            WrittenConnection ended = new WrittenConnection(left.wholeNumber, left.id(), left.sequence(), null);
            putClose(ended, lastTimeNs, CloseReason.RECORDING_ENDED);
        }
        long timeNs = time(now.monotonicNs);
        putClock(timeNs, now.epochNs, now.monotonicNs, point.cutBytes, point.leftOpen ? 1 : 0);
        settling = false;
    }

    private void putClock(long timeNs, long epochNs, long monotonicNs, long cutBytes, int leftOpen) {
        if (reserve(CaptureFormat.CLOCK_PAYLOAD_BYTES, timeNs)) {
            unconnected(RecordType.CLOCK, CaptureFormat.CLOCK_PAYLOAD_BYTES, timeNs)
                    .putLong(epochNs)
                    .putLong(monotonicNs)
                    .putLong(cutBytes)
                    .put((byte) leftOpen);
        }
    }

    /** Appends, at the time of the last record, that what this is made from had not been closed. */
    public synchronized void lossesUnknown(long cutBytes) {
        if (!closing) {
            long startEpochNs = options.startOrNow().epochNs;
            putClock(
                    lastTimeNs, startEpochNs + lastTimeNs, zeroNs + lastTimeNs, cutBytes, CaptureFormat.CLOCK_FILTERED);
        }
    }

    /**
     * Begins a connection.
     *
     * @param opening the payload of its CONN_OPEN record
     * @return its number, or -1 when there was no room
     */
    public synchronized int open(long nowNs, byte[] opening) {
        if (closing) {
            return CaptureFormat.NO_CONNECTION;
        }
        long timeNs = time(nowNs);
        // When the disk falls behind, new connections are refused first, so that those that are recorded already can
        // still be recorded to their ends.
        boolean refused = nextConnection == Integer.MAX_VALUE || !waitsForDisk() && blocks.isScarce();
        if (refused || !reserve(opening.length, timeNs)) {
            tally.loseConnection();
            return CaptureFormat.NO_CONNECTION;
        }
        WrittenConnection connection = new WrittenConnection(nextConnection++, nextNumber++, 0, opening);
        connections.add(connection);
        header(connection, RecordType.CONN_OPEN, 0, opening.length, timeNs).put(opening);
        current.counts.connections++;
        current.counts.newConnections++;
        tally.takeConnection();
        return connection.id();
    }

    /** Appends what a connection was recognised as. */
    public synchronized void protocol(int connection, long nowNs, Protocol protocol) {
        ByteBuffer record = append(connection, nowNs, RecordType.PROTOCOL, CaptureFormat.PROTOCOL_PAYLOAD_BYTES);
        if (record != null) {
            record.putShort((short) protocol.code());
            connections.find(connection).protocol(protocol);
        }
    }

    /** Consumes all bytes; returns whether they are recorded. */
    public synchronized boolean data(int connection, long nowNs, int flags, ByteBuffer bytes) {
        if (closing) {
            bytes.position(bytes.limit());
            return false;
        }
        WrittenConnection open = connections.find(connection);
        if (open != null && !open.isLost()) {
            if (putData(open, flags, bytes, time(nowNs))) {
                return true;
            }
            lose(open);
        }
        loseData(open, flags, bytes);
        return false;
    }

    /** Appends data, in pieces when it is longer than a block; false when there was no room for all of it. */
    private boolean putData(WrittenConnection connection, int flags, ByteBuffer data, long timeNs) {
        int end = data.limit();
        int pieceFlags = flags;
        while (end - data.position() > maxPieceBytes) {
            if (!reserve(maxPieceBytes, timeNs) || connection.isLost()) {
                return false;
            }
            data.limit(data.position() + maxPieceBytes);
            putPiece(connection, pieceFlags & ~(RecordFlags.MESSAGE_END | RecordFlags.TRUNCATED), data, timeNs);
            data.limit(end);
            pieceFlags &= ~RecordFlags.MESSAGE_START;
        }
        if (!reserve(data.remaining(), timeNs) || connection.isLost()) {
            return false;
        }
        putPiece(connection, pieceFlags, data, timeNs);
        return true;
    }

    /** Appends data for which there is room. */
    private void putPiece(WrittenConnection connection, int flags, ByteBuffer data, long timeNs) {
        int length = data.remaining();
        BlockCounts counts = current.counts;
        int kept = connection.take(flags, tally, counts);
        header(connection, RecordType.DATA_C2S, kept, length, timeNs).put(data);
        tally.takeBytes(length);
        counts.dataBytes += length;
    }

    /** Counts data that is not recorded, so that each request and each byte is counted once. */
    private void loseData(WrittenConnection connection, int flags, ByteBuffer data) {
        tally.loseBytes(data.remaining());
        data.position(data.limit());
        if (connection == null ? WrittenConnection.endsMessage(flags) : connection.loseData(flags)) {
            tally.loseRequest();
        }
    }

    /** Appends that bytes are missing, and gives up the message in progress. */
    public synchronized void gap(int connection, long nowNs, long missingBytes) {
        ByteBuffer record = append(connection, nowNs, RecordType.GAP, CaptureFormat.GAP_PAYLOAD_BYTES);
        if (record != null) {
            record.putLong(missingBytes);
        }
        WrittenConnection open = connections.find(connection);
        if (open != null) {
            open.abandonMessage();
        }
    }

    /** Appends that a request gets no answer. */
    public synchronized void noAnswer(int connection, long nowNs, long request) {
        ByteBuffer record = append(connection, nowNs, RecordType.NO_ANSWER, CaptureFormat.NO_ANSWER_PAYLOAD_BYTES);
        if (record != null) {
            record.putLong(request);
        }
    }

    /** Appends how a request was answered. */
    public synchronized void answer(int connection, long nowNs, long request, int status) {
        ByteBuffer record = append(connection, nowNs, RecordType.ANSWER, CaptureFormat.ANSWER_PAYLOAD_BYTES);
        if (record != null) {
            record.putLong(request).putShort((short) status);
        }
    }

    /** Appends that the client ended its side. */
    public synchronized void halfClose(int connection, long nowNs) {
        append(connection, nowNs, RecordType.HALF_CLOSE, 0);
    }

    /** Ends a connection; one that is not open is passed over. */
    public synchronized void close(int connection, long nowNs, CloseReason reason) {
        WrittenConnection open = connections.find(connection);
        if (closing || open == null) {
            return;
        }
        // Still in the table, so that it is carried over when its end begins another segment.
        if (!putClose(open, time(nowNs), reason)) {
            lose(open);
        }
        connections.remove(connection);
    }

    private boolean putClose(WrittenConnection connection, long timeNs, CloseReason reason) {
        if (!connection.isInSegment()
                || !reserve(CaptureFormat.CLOSE_PAYLOAD_BYTES, timeNs)
                || !connection.isInSegment()) { // not carried over into the segment that has begun meanwhile
            return false;
        }
        CloseReason told = connection.isLost() ? CloseReason.RECORDING_LOST : reason;
        header(connection, RecordType.CONN_CLOSE, 0, CaptureFormat.CLOSE_PAYLOAD_BYTES, timeNs)
                .put((byte) told.code());
        current.counts.endedConnections += connection.isLost() ? 0 : 1;
        return true;
    }

    /** Counts replaced values, for the block that is handed over next. */
    public synchronized void countRedacted(long values) {
        redactedValues += values;
    }

    /** Counts missed packets, for the block that is handed over next. */
    public synchronized void countMissedPackets(long packets) {
        missedPackets += packets;
    }

    /** Counts what was not searched for secrets, for the block that is handed over next. */
    public synchronized void countUnsearched(
            long unsearchedConnections, long keptBytes, long leftOutBytes, long bodies) {
        unsearched.connections += unsearchedConnections;
        unsearched.keptBytes += keptBytes;
        unsearched.leftOutBytes += leftOutBytes;
        unsearched.bodies += bodies;
    }

    /** Counts what was lost before it came here. */
    public synchronized void countLost(long lostConnections, long lostRequests, long lostBytes) {
        tally.lose(lostConnections, lostRequests, lostBytes);
    }

    /** Returns what was taken and lost so far. */
    public synchronized CaptureTotals totals() {
        return tally.totals(failure == null ? null : failure.text);
    }

    /** Ignores what is appended from now on. */
    public synchronized void beginClosing() {
        closing = true;
        notifyAll();
    }

    // ---- Records.

    private long time(long nowNs) {
        return Math.max(lastTimeNs, nowNs - zeroNs);
    }

    /** Appends the header of a record; returns where its payload goes, or null when it is not recorded. */
    private ByteBuffer append(int connection, long nowNs, RecordType type, int payloadBytes) {
        WrittenConnection open = connections.find(connection);
        if (closing || open == null || open.isLost()) {
            return null;
        }
        long timeNs = time(nowNs);
        if (!reserve(payloadBytes, timeNs) || open.isLost()) {
            lose(open);
            return null;
        }
        return header(open, type, 0, payloadBytes, timeNs);
    }

    private ByteBuffer header(WrittenConnection connection, RecordType type, int flags, int payloadBytes, long timeNs) {
        return header(type, connection.number(), connection.nextSequence(), flags, payloadBytes, timeNs);
    }

    /** Appends the header of a record of no connection. */
    private ByteBuffer unconnected(RecordType type, int payloadBytes, long timeNs) {
        return header(type, CaptureFormat.NO_CONNECTION, 0, 0, payloadBytes, timeNs);
    }

    private ByteBuffer header(RecordType type, int number, int sequence, int flags, int payloadBytes, long timeNs) {
        // Another thread may have appended while this one waited for room.
        lastTimeNs = Math.max(lastTimeNs, timeNs);
        nextRecord++;
        return current.header(type.code(), number, sequence, flags, payloadBytes, lastTimeNs);
    }

    private void lose(WrittenConnection connection) {
        if (!connection.isLost()) {
            connection.lose();
            tally.loseConnection();
        }
    }

    // ---- Room.

    private boolean waitsForDisk() {
        return options.waitForDisk() || settling;
    }

    private boolean fits(int payloadBytes, long timeNs) {
        return current != null && current.fits(payloadBytes, timeNs, MAX_SPAN_NS);
    }

    /**
     * Makes room for one record; false when there is none. May begin a segment into which some connection could not be
     * carried over: it is lost then.
     */
    private boolean reserve(int payloadBytes, long timeNs) {
        return fits(payloadBytes, timeNs) || makeRoom(payloadBytes, timeNs);
    }

    private boolean makeRoom(int payloadBytes, long timeNs) {
        while (!fits(payloadBytes, timeNs)) {
            if (!nextBlock(timeNs) && !awaitRoom()) {
                return false;
            }
        }
        return true;
    }

    /** Waits for the disk, where this is wanted; false when there is nothing to wait for. */
    private boolean awaitRoom() {
        if (!waitsForDisk() || closing || failure != null || !blocks.hasBlocks()) {
            return false;
        }
        boolean interrupted = false;
        while (current == null && blocks.isExhausted() && !closing && failure == null) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !closing && failure == null;
    }

    /** Hands the current block to the writer thread and begins another, perhaps in another segment. */
    private boolean nextBlock(long timeNs) {
        if (failure != null) {
            return false;
        }
        handOver();
        Block next = blocks.take();
        if (next == null) {
            return false;
        }
        long beginsNs = Math.max(lastTimeNs, timeNs);
        if (!closing && !settling && rotation.isDue(beginsNs, nextRecord)) {
            Block.SegmentStart start = rotation.next(beginsNs, nextRecord, nextConnection);
            nextRecord = 0;
            nextNumber = 0;
            begin(next, beginsNs, start);
            carryOver(beginsNs);
        } else {
            begin(next, beginsNs, null);
        }
        if (tally.hasUnreportedLosses() && fits(CaptureFormat.DROPPED_PAYLOAD_BYTES, beginsNs)) {
            putDropped(beginsNs);
        }
        return true;
    }

    private void handOver() {
        if (current != null) {
            current.counts.redactedValues = redactedValues;
            redactedValues = 0;
            current.counts.missedPackets = missedPackets;
            missedPackets = 0;
            current.counts.unsearched.add(unsearched);
            unsearched.clear();
            rotation.queued(current.length());
            blocks.add(current);
            current = null;
            notifyAll();
        }
    }

    private void begin(Block next, long timeNs, Block.SegmentStart start) {
        next.begin(nextRecord, timeNs, nanoClock.getAsLong(), rotation.segment(), start);
        current = next;
        notifyAll(); // the flush interval begins
    }

    /** Appends how much was lost since the last such record. */
    private void putDropped(long timeNs) {
        tally.putLosses(unconnected(RecordType.DROPPED, CaptureFormat.DROPPED_PAYLOAD_BYTES, timeNs), current.counts);
    }

    /**
     * Begins a segment with the connections that are open, so that it can be read by itself. They may take more memory
     * than is allowed for the moment, since none of them can be left out.
     */
    private void carryOver(long timeNs) {
        for (WrittenConnection connection : connections.inOrder()) {
            int before = connection.leaveSegment();
            int length = connection.carriedBytes();
            if (before < 0 || !carryRoom(length, timeNs)) {
                lose(connection);
                continue;
            }
            connection.enterSegment(nextNumber++);
            connection.putCarried(header(connection, RecordType.CONN_OPEN, 0, length, timeNs), before);
            current.counts.connections++;
            if (connection.protocolCode() >= 0 && carryRoom(CaptureFormat.PROTOCOL_PAYLOAD_BYTES, timeNs)) {
                header(connection, RecordType.PROTOCOL, 0, CaptureFormat.PROTOCOL_PAYLOAD_BYTES, timeNs)
                        .putShort((short) connection.protocolCode());
            }
        }
        rotation.carried(nextRecord);
    }

    private boolean carryRoom(int payloadBytes, long timeNs) {
        if (fits(payloadBytes, timeNs)) {
            return true;
        }
        Block next = blocks.takeBeyondBound();
        if (next == null) {
            return false;
        }
        handOver();
        begin(next, timeNs, null);
        return true;
    }

    // ---- For the writer thread.

    /** Returns the next block to write once it is full or has waited long enough; null when the writer is closing. */
    synchronized Block awaitBlock() {
        while (true) {
            Block full = blocks.poll();
            if (full != null || closing) {
                return full;
            }
            long waitNs = current == null
                    ? Long.MAX_VALUE
                    : current.begunAtNs() + options.flushIntervalNs() - nanoClock.getAsLong();
            if (waitNs <= 0) {
                return pollBlock();
            }
            awaitChange(waitNs);
        }
    }

    /** Returns the next block to write, full or not, or null when there is none. */
    synchronized Block pollBlock() {
        Block full = blocks.poll();
        if (full != null) {
            return full;
        }
        handOver();
        return blocks.poll();
    }

    /**
     * Takes back a block that was written.
     *
     * @param closedBytes how long its file would be if it were closed now
     */
    synchronized void written(Block block, int blockLength, long closedBytes) {
        rotation.written(block, blockLength, closedBytes);
        blocks.giveBack(block);
        if (waitsForDisk()) {
            notifyAll();
        }
    }

    synchronized void awaitClosing() {
        while (!closing) {
            awaitChange(Long.MAX_VALUE);
        }
    }

    /** Waits for a change, and returns whether the writer is closing. */
    synchronized boolean isClosing(long atMostNs) {
        if (!closing) {
            awaitChange(atMostNs);
        }
        return closing;
    }

    private void awaitChange(long atMostNs) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, atMostNs);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the writer thread", e);
        }
    }

    synchronized List<WrittenConnection> stillOpen() {
        return connections.inOrder();
    }

    /** Ends a connection that is open when the recording ends; false when there was no room for that. */
    synchronized boolean endConnection(WrittenConnection connection) {
        long nowNs = options.start() != null ? lastTimeNs : time(nanoClock.getAsLong());
        boolean ended = !connection.isInSegment() || putClose(connection, nowNs, CloseReason.RECORDING_ENDED);
        if (ended) {
            connections.remove(connection.id());
        }
        return ended;
    }

    /** Appends what was lost at last. */
    synchronized void putLastLosses() {
        if (tally.hasUnreportedLosses()
                && reserve(CaptureFormat.DROPPED_PAYLOAD_BYTES, lastTimeNs)
                && tally.hasUnreportedLosses()) { // a new block has begun with it
            putDropped(lastTimeNs);
        }
    }

    /** Counts the connections whose end is not in the file; without a failure there are none. */
    synchronized void loseUnended() {
        for (WrittenConnection connection : connections.inOrder()) {
            lose(connection);
        }
    }

    /** Notes why the recording ended early; the first failure counts. */
    synchronized void note(WriteFailure cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    /** Notes why there will be no more, for the summary. */
    public synchronized void stopped(WriteFailure why) {
        stopped = why;
    }

    /**
     * Ends the recording: what is not in the file by now is lost.
     *
     * @param inFlight the block that was being written, or null
     */
    synchronized void fail(WriteFailure cause, Block inFlight) {
        note(cause);
        for (Block block = inFlight == null ? pollBlock() : inFlight; block != null; block = pollBlock()) {
            tally.giveUp(block.counts);
        }
        blocks.dropUnused();
        // The ends of all that are open find no room any more, however much of them is in the file.
        loseUnended();
        notifyAll();
    }

    /**
     * Fills in how the recording ended, and what it lost.
     *
     * @param toldElsewhere the losses that segments closed before tell of
     */
    synchronized void complete(CaptureSummary summary, BlockCounts toldElsewhere) {
        WriteFailure early = failure == null ? stopped : failure;
        summary.state = early == null ? CaptureSummary.State.CLOSED : CaptureSummary.State.ENDED_EARLY;
        summary.reason = early == null ? CaptureSummary.Reason.NONE : early.reason;
        summary.reasonText = early == null ? "" : early.text;
        summary.redactedValues += redactedValues;
        summary.missedPackets += missedPackets;
        summary.unsearched.add(unsearched);
        tally.fillLosses(summary, toldElsewhere);
    }
}
