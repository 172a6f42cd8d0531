package dev.lockstep.capture;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Writes a capture file while it is recorded. Appends run per request on event loops: they may come from any thread,
 * copy into the current block under a short lock, allocate nothing, and never wait for the disk, unless
 * {@link CaptureOptions.Builder#waitForDisk(boolean)} says so.
 *
 * <p>One thread of the writer's own compresses, encrypts and writes the blocks. When less than a quarter of the memory
 * it may use is left, new connections are refused; when all of it waits for the disk, the
 * connection that finds no room is lost from there on as a whole, because a connection with a hole cannot be replayed;
 * this is counted, in {@link #totals()} and in the file. After a failed write, such as on a full disk, recording ends:
 * the file is cut back to its last whole block and stays readable, and everything later is counted as lost.
 *
 * <p>What a killed process loses is at most the flush interval, since a block that was written is in the kernel's
 * hands. Against a power failure only {@link #close()} protects, which waits for the disk.
 *
 * <p>Times never decrease within a file: a time that lies before the last one is recorded as the last one.
 */
public final class CaptureWriter implements AutoCloseable {
    /** How many blocks an index block covers: 128 KiB of index. */
    static final int INDEX_CAPACITY = 4096;

    /** The longest time between two records of one block; the format could take 4.29 s. */
    private static final long MAX_SPAN_NS = TimeUnit.SECONDS.toNanos(1);

    private static final byte[] NO_ADDRESS = {};

    private final Path path;
    private final SegmentOutputs outputs;
    private final CaptureOptions options;
    private final int indexCapacity;
    /** The start of the capture on the axis of the times that are appended. */
    private final long zeroNs;

    private final LongSupplier nanoClock;
    private final int blockBytes;
    private final int blocksForOpenConnections;
    private final int maxPieceBytes;
    private final long flushIntervalNs;
    private final long cutBytes;
    private final Thread thread;

    // The writer thread's.
    private final BlockCounts toldElsewhere = new BlockCounts();
    private BlockFile file;
    private SegmentFinisher finisher;
    private Block inFlight;

    // Under the lock.
    private final Object lock = new Object();
    private final ArrayDeque<Block> full = new ArrayDeque<>();
    private final ArrayDeque<Block> free = new ArrayDeque<>();
    private final OpenConnections openConnections = new OpenConnections();
    private final Tally tally = new Tally();
    private Block current;
    private int maxBlocks;
    private int blocksInMemory;
    private int nextConnection;
    private int nextNumber;
    private long nextRecord;
    private long lastTimeNs;
    private boolean closing;
    private boolean waitForDisk;
    private boolean settling;
    private boolean appends;
    private String failure;
    private long redactedValues;
    private long missedPackets;
    private CaptureSummary.Reason failureReason = CaptureSummary.Reason.NONE;

    // Under the lock: the segment that is recorded to, which may not be the one that is written to yet.
    private int segment;
    private long segmentStartNs;
    private long recordsBefore;
    private long recordsCarried;
    private long queuedBytes;
    private int writtenSegment;
    private long writtenBytes;

    /** Writes the header; {@link #start()} comes next. */
    CaptureWriter(
            Path path,
            SegmentOutputs outputs,
            CaptureIdentity identity,
            CaptureOptions options,
            int indexCapacity,
            LongSupplier nanoClock)
            throws IOException {
        this(
                path,
                outputs,
                options,
                indexCapacity,
                nanoClock,
                identity.startMonotonicNs(),
                BlockFile.create(outputs.create(identity.segment()), identity, options, indexCapacity),
                0);
    }

    private CaptureWriter(
            Path path,
            SegmentOutputs outputs,
            CaptureOptions options,
            int indexCapacity,
            LongSupplier nanoClock,
            long zeroNs,
            BlockFile file,
            long cutBytes) {
        this.path = path;
        this.outputs = outputs;
        this.options = options;
        this.indexCapacity = indexCapacity;
        this.zeroNs = zeroNs;
        this.nanoClock = nanoClock;
        this.blockBytes = options.blockBytes();
        this.maxBlocks = (int) Math.min(Integer.MAX_VALUE, options.memoryBytes() / blockBytes);
        this.blocksForOpenConnections = maxBlocks / 4;
        // A fresh block may begin with a DROPPED record, and must still have room.
        this.maxPieceBytes = Math.min(
                CaptureFormat.MAX_PAYLOAD_BYTES,
                blockBytes
                        - CaptureFormat.BLOCK_HEADER_BYTES
                        - 2 * CaptureFormat.RECORD_HEADER_BYTES
                        - CaptureFormat.DROPPED_PAYLOAD_BYTES);
        this.flushIntervalNs = options.flushIntervalNs();
        this.cutBytes = cutBytes;
        this.file = file;
        this.waitForDisk = options.waitForDisk();
        this.segment = file.identity().segment();
        this.writtenSegment = segment;
        this.writtenBytes = file.closedBytes();
        this.thread = new Thread(this::run, "lockstep-capture-writer");
        thread.setDaemon(true);
    }

    /** Starts the thread that writes. */
    CaptureWriter start() {
        thread.start();
        return this;
    }

    /**
     * Creates a capture file, readable and writable by its owner only (mode 0600). When it is to be rotated, more
     * segments will stand beside it: {@code capture.1.bin}, {@code capture.2.bin} and so on for {@code capture.bin}.
     *
     * @throws CaptureException when the file, or one of its segments, exists and is not to be overwritten, or it cannot
     *     be created
     */
    public static CaptureWriter create(Path path, CaptureOptions options) {
        SegmentFiles files = SegmentFiles.create(path, options);
        try {
            CaptureIdentity identity = CaptureIdentity.startingNow(options);
            return new CaptureWriter(path, files, identity, options, INDEX_CAPACITY, System::nanoTime).start();
        } catch (IOException | IllegalStateException e) {
            CaptureException failed = new CaptureException(
                    path,
                    e instanceof IOException
                            ? "cannot write the header: " + FileOutput.reason((IOException) e)
                            : e.getMessage(),
                    e);
            files.discard(0);
            throw failed;
        }
    }

    /**
     * Goes on with a capture that was closed or left by a recorder that died. A torn end is cut off and counted, the
     * connections that were left open are closed, numbers and times go on: times by the wall clock, and never back. The
     * file keeps its compression and its notes.
     *
     * @param path the capture, or the first of its segments, of which the last one is appended to
     * @throws CaptureException when the file is missing, damaged, still being recorded, or does not fit the options: it
     *     needs the same key and the same redaction
     */
    public static CaptureWriter append(Path path, CaptureOptions options) {
        AppendPoint point = AppendPoint.find(path, options);
        SegmentFiles files = SegmentFiles.append(path, point, options);
        try {
            long epochNs = options.startsAtGivenTime() ? options.startEpochNs() : CaptureIdentity.epochNs();
            long monotonicNs = options.startsAtGivenTime() ? options.startMonotonicNs() : System.nanoTime();
            long nowNs = Math.max(point.lastTimeNs, epochNs - point.identity.startEpochNs());
            CaptureWriter writer = new CaptureWriter(
                    path,
                    files,
                    options,
                    INDEX_CAPACITY,
                    System::nanoTime,
                    monotonicNs - nowNs,
                    BlockFile.append(files.appended(), options, point, INDEX_CAPACITY),
                    point.cutBytes);
            return writer.start().goOn(point, epochNs, monotonicNs);
        } catch (IOException e) {
            throw new CaptureException(path, "cannot be appended to: " + FileOutput.reason(e), e);
        }
    }

    /** Closes the connections that another recorder left open, and ties its clocks to this one's. */
    private CaptureWriter goOn(AppendPoint point, long epochNs, long monotonicNs) {
        synchronized (lock) {
            appends = true;
            nextConnection = point.nextConnection;
            nextNumber = point.nextNumber;
            nextRecord = point.records;
            recordsBefore = point.recordsBefore;
            lastTimeNs = point.lastTimeNs;
            segmentStartNs = point.lastTimeNs;
            waitForDisk = true;
            settling = true;
            for (OpenConnections.Connection left : point.openConnections) {
                putClose(left, lastTimeNs, CloseReason.RECORDING_ENDED);
            }
            if (reserve(CaptureFormat.CLOCK_PAYLOAD_BYTES, time(monotonicNs))) {
                unconnected(RecordType.CLOCK, CaptureFormat.CLOCK_PAYLOAD_BYTES, time(monotonicNs))
                        .putLong(epochNs)
                        .putLong(monotonicNs)
                        .putLong(cutBytes);
            }
            waitForDisk = options.waitForDisk();
            settling = false;
        }
        return this;
    }

    /** Returns the bytes of a torn end that {@link #append} has cut off. */
    public long cutBytes() {
        return cutBytes;
    }

    /**
     * Records that a client has connected.
     *
     * @param nowNs the time, from {@link System#nanoTime()}
     * @param client the client's address, or null when not known
     * @param server the address that the client connected to, or null when not known
     * @return the connection's number, 0, 1, 2, ..., or -1 when there was no room: then the connection is counted as
     *     lost, and what is appended to -1 is counted as well
     */
    public int openConnection(long nowNs, InetSocketAddress client, InetSocketAddress server) {
        return openConnection(nowNs, client, server, false);
    }

    /** Records a connection like {@link #openConnection(long, InetSocketAddress, InetSocketAddress)}, or one that was
     * open before recording began. */
    public int openConnection(long nowNs, InetSocketAddress client, InetSocketAddress server, boolean alreadyOpen) {
        return openConnection(nowNs, client, server, alreadyOpen, ConnectionDetails.NONE);
    }

    /** Records a connection like the others, with what else is known of it. */
    public int openConnection(
            long nowNs,
            InetSocketAddress client,
            InetSocketAddress server,
            boolean alreadyOpen,
            ConnectionDetails details) {
        byte[] opening = opening(client, server, alreadyOpen, details.encode());
        synchronized (lock) {
            if (closing) {
                return CaptureFormat.NO_CONNECTION;
            }
            long timeNs = time(nowNs);
            if (nextConnection == Integer.MAX_VALUE || isScarce() || !reserve(opening.length, timeNs)) {
                tally.loseConnection();
                return CaptureFormat.NO_CONNECTION;
            }
            OpenConnections.Connection connection = openConnections.add(nextConnection++);
            connection.number = nextNumber++;
            connection.opening = opening;
            header(connection, RecordType.CONN_OPEN, 0, opening.length, timeNs).put(opening);
            current.counts.connections++;
            current.counts.newConnections++;
            tally.takeConnection();
            return connection.id;
        }
    }

    /** Returns the payload of a CONN_OPEN record. */
    private static byte[] opening(
            InetSocketAddress client, InetSocketAddress server, boolean alreadyOpen, byte[] details) {
        byte[] clientAddress = address(client);
        byte[] serverAddress = address(server);
        return ByteBuffer.allocate(
                        CaptureFormat.OPEN_HEADER_BYTES + clientAddress.length + serverAddress.length + details.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) clientAddress.length)
                .put((byte) serverAddress.length)
                .putShort((short) (alreadyOpen ? CaptureFormat.OPEN_ALREADY : 0))
                .putShort((short) (client == null ? 0 : client.getPort()))
                .putShort((short) (server == null ? 0 : server.getPort()))
                .put(clientAddress)
                .put(serverAddress)
                .put(details)
                .array();
    }

    /**
     * Tells whether the memory that is left is kept for the connections that are open: when the disk falls behind, new
     * connections are refused first, so that those that are recorded already can still be recorded to their ends.
     */
    private boolean isScarce() {
        return !waitForDisk && maxBlocks - blocksInMemory + free.size() < blocksForOpenConnections;
    }

    private static byte[] address(InetSocketAddress socket) {
        return socket == null || socket.isUnresolved()
                ? NO_ADDRESS
                : socket.getAddress().getAddress();
    }

    /** Records what the connection's bytes were recognised as; may be called again when that changes. */
    public void protocol(int connection, long nowNs, Protocol protocol) {
        synchronized (lock) {
            ByteBuffer record = append(connection, nowNs, RecordType.PROTOCOL, CaptureFormat.PROTOCOL_PAYLOAD_BYTES);
            if (record != null) {
                record.putShort((short) protocol.code());
                openConnections.find(connection).protocol = protocol.code();
            }
        }
    }

    /**
     * Records bytes from the client to the server. They are copied and consumed: on return nothing remains in
     * {@code bytes}, whatever the result.
     *
     * @param flags {@link RecordFlags}; bytes of two messages need two calls
     * @return false when the bytes are lost, because the disk does not keep up or failed: then the connection is lost
     *     from here on as a whole, and counted
     */
    public boolean data(int connection, long nowNs, int flags, ByteBuffer bytes) {
        if ((flags & ~RecordFlags.KNOWN) != 0) {
            throw new IllegalArgumentException("flags must be of RecordFlags, found 0x" + Integer.toHexString(flags));
        }
        synchronized (lock) {
            if (closing) {
                bytes.position(bytes.limit());
                return false;
            }
            OpenConnections.Connection open = openConnections.find(connection);
            if (open != null && !open.lost) {
                if (record(open, flags, bytes, time(nowNs))) {
                    return true;
                }
                lose(open);
            }
            loseData(open, flags, bytes);
            return false;
        }
    }

    /** Appends data, in pieces when it is longer than a block; false when there was no room for all of it. */
    private boolean record(OpenConnections.Connection connection, int flags, ByteBuffer data, long timeNs) {
        int end = data.limit();
        int pieceFlags = flags;
        while (end - data.position() > maxPieceBytes) {
            if (!reserve(maxPieceBytes, timeNs) || connection.lost) {
                return false;
            }
            data.limit(data.position() + maxPieceBytes);
            put(connection, pieceFlags & ~(RecordFlags.MESSAGE_END | RecordFlags.TRUNCATED), data, timeNs);
            data.limit(end);
            pieceFlags &= ~RecordFlags.MESSAGE_START;
        }
        if (!reserve(data.remaining(), timeNs) || connection.lost) {
            return false;
        }
        put(connection, pieceFlags, data, timeNs);
        return true;
    }

    /** Appends data for which there is room. */
    private void put(OpenConnections.Connection connection, int flags, ByteBuffer data, long timeNs) {
        int length = data.remaining();
        int kept = flags;
        BlockCounts counts = current.counts;
        boolean inMessage = connection.inMessage;
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            inMessage = true;
            connection.begunHere = true;
        }
        if ((flags & RecordFlags.TRUNCATED) != 0) {
            inMessage = false;
        } else if ((flags & RecordFlags.MESSAGE_END) != 0) {
            if (inMessage) {
                tally.takeRequest();
                counts.requestEnds++;
                counts.requests += connection.begunHere ? 1 : 0;
            } else {
                kept &= ~RecordFlags.MESSAGE_END; // the end of what never began is no end
            }
            inMessage = false;
        }
        connection.inMessage = inMessage;
        header(connection, RecordType.DATA_C2S, kept, length, timeNs).put(data);
        tally.takeBytes(length);
        counts.dataBytes += length;
    }

    /** Counts data that is not recorded, so that each request and each byte is counted once. */
    private void loseData(OpenConnections.Connection connection, int flags, ByteBuffer data) {
        tally.loseBytes(data.remaining());
        data.position(data.limit());
        boolean inMessage = connection == null || connection.inMessage || (flags & RecordFlags.MESSAGE_START) != 0;
        if ((flags & RecordFlags.TRUNCATED) != 0) {
            inMessage = false;
        } else if ((flags & RecordFlags.MESSAGE_END) != 0) {
            if (inMessage) {
                tally.loseRequest();
            }
            inMessage = false;
        }
        if (connection != null) {
            connection.inMessage = inMessage;
        }
    }

    /** Records that bytes of the client are missing here; {@code missingBytes} is 0 when it is not known how many. */
    public void gap(int connection, long nowNs, long missingBytes) {
        synchronized (lock) {
            ByteBuffer record = append(connection, nowNs, RecordType.GAP, CaptureFormat.GAP_PAYLOAD_BYTES);
            if (record != null) {
                record.putLong(missingBytes);
            }
            OpenConnections.Connection open = openConnections.find(connection);
            if (open != null) {
                open.inMessage = false;
            }
        }
    }

    /** Records that a request of the connection, counted from 0 over its requests, gets no answer. */
    public void noAnswer(int connection, long nowNs, long request) {
        synchronized (lock) {
            ByteBuffer record = append(connection, nowNs, RecordType.NO_ANSWER, Long.BYTES);
            if (record != null) {
                record.putLong(request);
            }
        }
    }

    /** Counts values that were replaced before their bytes came here. */
    public void redacted(long values) {
        synchronized (lock) {
            redactedValues += values;
        }
    }

    /** Counts packets that a passive recorder did not get because the kernel had no room for them. */
    public void missedPackets(long packets) {
        synchronized (lock) {
            missedPackets += packets;
        }
    }

    /** Counts as lost what another recording, of which this one is made, had lost already. */
    public void lost(long connections, long requests, long bytes) {
        synchronized (lock) {
            tally.lose(connections, requests, bytes);
        }
    }

    /** Records that the client sent its FIN. */
    public void halfClose(int connection, long nowNs) {
        synchronized (lock) {
            append(connection, nowNs, RecordType.HALF_CLOSE, 0);
        }
    }

    /** Records the end of a connection; its number is not used again. */
    public void closeConnection(int connection, long nowNs, CloseReason reason) {
        synchronized (lock) {
            OpenConnections.Connection open = openConnections.find(connection);
            if (closing || open == null) {
                return;
            }
            // Still in the table, so that it is carried over when its end begins another segment.
            if (!putClose(open, time(nowNs), reason)) {
                lose(open);
            }
            openConnections.remove(connection);
        }
    }

    private boolean putClose(OpenConnections.Connection connection, long timeNs, CloseReason reason) {
        if (connection.number < 0
                || !reserve(CaptureFormat.CLOSE_PAYLOAD_BYTES, timeNs)
                || connection.number < 0) { // it could not be carried over into the segment that has begun meanwhile
            return false;
        }
        CloseReason told = connection.lost ? CloseReason.RECORDING_LOST : reason;
        header(connection, RecordType.CONN_CLOSE, 0, CaptureFormat.CLOSE_PAYLOAD_BYTES, timeNs)
                .put((byte) told.code());
        current.counts.endedConnections += connection.lost ? 0 : 1;
        return true;
    }

    /** Returns what was taken and lost so far. */
    public CaptureTotals totals() {
        synchronized (lock) {
            return tally.totals(failure);
        }
    }

    /**
     * Writes what waits, the index and the summary, waits until the disk has it all, and closes the file. Does not
     * throw: {@link CaptureTotals#failure()} says what went wrong. What is appended later is ignored.
     */
    @Override
    public void close() {
        synchronized (lock) {
            closing = true;
            lock.notifyAll();
        }
        Joining.untilEnd(thread);
    }

    /**
     * Ends the recording and deletes its files, for whoever cannot complete what was begun by {@link #create}.
     *
     * @throws IllegalStateException when it goes on with what another recorder has begun
     */
    public void discard() {
        if (appends) {
            throw new IllegalStateException("only a capture that was begun by this writer can be discarded");
        }
        close();
        for (int last = file.identity().segment(); last >= 0; last--) {
            outputs.discard(last);
        }
    }

    // ---- Appending, under the lock.

    private long time(long nowNs) {
        return Math.max(lastTimeNs, nowNs - zeroNs);
    }

    /** Appends the header of a record; returns where its payload goes, or null when it is not recorded. */
    private ByteBuffer append(int connection, long nowNs, RecordType type, int payloadBytes) {
        OpenConnections.Connection open = openConnections.find(connection);
        if (closing || open == null || open.lost) {
            return null;
        }
        long timeNs = time(nowNs);
        if (!reserve(payloadBytes, timeNs) || open.lost) {
            lose(open);
            return null;
        }
        return header(open, type, 0, payloadBytes, timeNs);
    }

    private ByteBuffer header(
            OpenConnections.Connection connection, RecordType type, int flags, int payloadBytes, long timeNs) {
        return header(type, connection.number, connection.sequence++, flags, payloadBytes, timeNs);
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

    private void lose(OpenConnections.Connection connection) {
        if (!connection.lost) {
            connection.lost = true;
            tally.loseConnection();
        }
    }

    /**
     * Makes room for one record; false when there is none. May begin a segment into which some connection could not be
     * carried over: it is lost then.
     */
    private boolean reserve(int payloadBytes, long timeNs) {
        return current != null && current.fits(payloadBytes, timeNs, MAX_SPAN_NS) || makeRoom(payloadBytes, timeNs);
    }

    private boolean makeRoom(int payloadBytes, long timeNs) {
        while (current == null || !current.fits(payloadBytes, timeNs, MAX_SPAN_NS)) {
            if (!nextBlock(timeNs) && !awaitRoom()) {
                return false;
            }
        }
        return true;
    }

    /** Waits for the disk, where this is wanted; false when there is nothing to wait for. */
    private boolean awaitRoom() {
        if (!waitForDisk || closing || failure != null || blocksInMemory == 0 || Thread.currentThread() == thread) {
            return false;
        }
        boolean interrupted = false;
        while (current == null && free.isEmpty() && blocksInMemory >= maxBlocks && !closing && failure == null) {
            try {
                lock.wait();
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
        Block next = free.isEmpty() ? allocate(maxBlocks) : free.pop();
        if (next == null) {
            return false;
        }
        long beginsNs = Math.max(lastTimeNs, timeNs);
        Block.SegmentStart start = isSegmentDue(beginsNs) ? beginSegment(beginsNs) : null;
        begin(next, beginsNs, start);
        if (start != null) {
            carryOver(beginsNs);
        }
        if (tally.hasUnreportedLosses() && current.fits(CaptureFormat.DROPPED_PAYLOAD_BYTES, beginsNs, MAX_SPAN_NS)) {
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
            queuedBytes += current.length() + CaptureFormat.INDEX_ENTRY_BYTES;
            full.add(current);
            current = null;
            lock.notifyAll();
        }
    }

    private void begin(Block next, long timeNs, Block.SegmentStart start) {
        next.begin(nextRecord, timeNs, nanoClock.getAsLong(), segment, start);
        current = next;
        lock.notifyAll(); // the flush interval begins
    }

    /** Returns memory for one more block, or null when a bound, or what the JVM gives, is reached. */
    private Block allocate(int atMost) {
        if (blocksInMemory >= atMost) {
            return null;
        }
        try {
            Block block = new Block(blockBytes);
            blocksInMemory++;
            return block;
        } catch (OutOfMemoryError e) {
            maxBlocks = Math.min(maxBlocks, blocksInMemory); // no direct memory left: as if the bound were lower
            return null;
        }
    }

    /** Appends how much was lost since the last such record. */
    private void putDropped(long timeNs) {
        tally.putLosses(unconnected(RecordType.DROPPED, CaptureFormat.DROPPED_PAYLOAD_BYTES, timeNs), current.counts);
    }

    /** Tells whether the next block belongs to another segment: by the time, or because this one would grow too long. */
    private boolean isSegmentDue(long timeNs) {
        if (!options.rotates() || closing || settling || nextRecord == recordsCarried) {
            return false;
        }
        long bytes = queuedBytes + (writtenSegment == segment ? writtenBytes : CaptureFormat.HEADER_BYTES);
        long room = blockBytes + CaptureFormat.INDEX_ENTRY_BYTES;
        return options.rotateAfterNs() != 0 && timeNs - segmentStartNs >= options.rotateAfterNs()
                || options.rotateBytes() != 0 && bytes + room > options.rotateBytes();
    }

    private Block.SegmentStart beginSegment(long timeNs) {
        segment++;
        segmentStartNs = timeNs;
        recordsBefore += nextRecord;
        nextRecord = 0;
        nextNumber = 0;
        queuedBytes = 0;
        return new Block.SegmentStart(nextConnection, recordsBefore);
    }

    /**
     * Begins a segment with the connections that are open, so that it can be read by itself. They may take more memory
     * than is allowed for the moment, since none of them can be left out.
     */
    private void carryOver(long timeNs) {
        for (OpenConnections.Connection connection : openConnections.inOrder()) {
            int before = connection.number;
            connection.number = CaptureFormat.NO_CONNECTION;
            connection.begunHere = false;
            int length = connection.opening.length + CaptureFormat.CARRIED_DETAIL_BYTES;
            if (before < 0 || !carryRoom(length, timeNs)) {
                lose(connection);
                continue;
            }
            connection.number = nextNumber++;
            ByteBuffer record = header(connection, RecordType.CONN_OPEN, 0, length, timeNs);
            int flags = record.position() + CaptureFormat.OPEN_FLAGS;
            record.put(connection.opening)
                    .putShort((short) CaptureFormat.DETAIL_NUMBER_BEFORE)
                    .putShort((short) Integer.BYTES)
                    .putInt(before)
                    .putShort((short) CaptureFormat.DETAIL_WHOLE_NUMBER)
                    .putShort((short) Integer.BYTES)
                    .putInt(connection.id);
            record.putShort(flags, (short) (record.getShort(flags) | CaptureFormat.OPEN_ALREADY));
            current.counts.connections++;
            if (connection.protocol >= 0 && carryRoom(CaptureFormat.PROTOCOL_PAYLOAD_BYTES, timeNs)) {
                header(connection, RecordType.PROTOCOL, 0, CaptureFormat.PROTOCOL_PAYLOAD_BYTES, timeNs)
                        .putShort((short) connection.protocol);
            }
        }
        recordsCarried = nextRecord;
    }

    private boolean carryRoom(int payloadBytes, long timeNs) {
        if (current.fits(payloadBytes, timeNs, MAX_SPAN_NS)) {
            return true;
        }
        Block next = free.isEmpty() ? allocate(Integer.MAX_VALUE) : free.pop();
        if (next == null) {
            return false;
        }
        handOver();
        begin(next, timeNs, null);
        return true;
    }

    // ---- Writing, on the writer thread.

    private void run() {
        try {
            writeBlocks(false);
            putLastRecords();
            writeBlocks(true);
            file.writeLastIndex();
            file.force();
            awaitFinisher();
        } catch (IOException | RuntimeException | Error e) {
            fail(e); // an unexpected one, too, ends the recording and not the program, and shows in the totals
        }
        try {
            awaitClosing();
            loseUnended();
            try {
                file.writeSummary(summary());
                file.force();
            } finally {
                file.close();
            }
            awaitFinisher(); // where a failure came before its end
        } catch (IOException e) {
            noteFailure(e, " while closing the file");
        }
    }

    /**
     * Writes blocks as they come.
     *
     * @param last whether to write what there is, and return; else it waits for more until the writer is closing
     */
    private void writeBlocks(boolean last) throws IOException {
        while ((inFlight = last ? pollBlock() : awaitBlock()) != null) {
            if (inFlight.segmentStart() != null) {
                rotate(inFlight.segmentStart());
            }
            int length = inFlight.length();
            file.write(inFlight);
            Block written = inFlight;
            inFlight = null;
            file.writeFullIndex();
            synchronized (lock) {
                writtenSegment = written.segment();
                writtenBytes = file.closedBytes();
                if (writtenSegment == segment) {
                    queuedBytes -= length + CaptureFormat.INDEX_ENTRY_BYTES;
                }
                if (blocksInMemory > maxBlocks) {
                    blocksInMemory--; // one that carried connections over
                } else {
                    free.push(written);
                }
                if (waitForDisk) {
                    lock.notifyAll();
                }
            }
        }
    }

    /** Begins the next segment, and has the one before finished on another thread, since that waits for the disk. */
    private void rotate(Block.SegmentStart start) throws IOException {
        CaptureIdentity next = file.identity().nextSegment(start.connectionsBefore, start.recordsBefore);
        awaitFinisher();
        BlockFile begun;
        CaptureOutput output = outputs.create(next.segment());
        try {
            begun = BlockFile.create(output, next, options, indexCapacity);
        } catch (IOException e) {
            output.close();
            outputs.discard(next.segment());
            throw e;
        }
        CaptureSummary summary = file.summary();
        summary.state = CaptureSummary.State.CLOSED;
        summary.goesOn = true;
        summary.lostConnections += file.counts().droppedConnections;
        summary.lostRequests += file.counts().droppedRequests;
        summary.lostBytes += file.counts().droppedBytes;
        toldElsewhere.add(file.counts());
        finisher = SegmentFinisher.start(file, summary);
        file = begun;
    }

    private void awaitFinisher() throws IOException {
        if (finisher != null) {
            finisher.await();
        }
    }

    /** Returns the next block to write once it is full or has waited long enough; null when the writer is closing. */
    private Block awaitBlock() {
        synchronized (lock) {
            while (full.isEmpty()) {
                if (closing) {
                    return null;
                }
                long waitNs = current == null
                        ? Long.MAX_VALUE
                        : current.begunAtNs() + flushIntervalNs - nanoClock.getAsLong();
                if (waitNs <= 0) {
                    return pollBlock();
                }
                awaitChange(waitNs);
            }
            return full.remove();
        }
    }

    /** Returns the next block to write, full or not, or null when there is none. */
    private Block pollBlock() {
        synchronized (lock) {
            if (!full.isEmpty()) {
                return full.remove();
            }
            handOver();
            return full.poll();
        }
    }

    private void awaitClosing() {
        synchronized (lock) {
            while (!closing) {
                awaitChange(Long.MAX_VALUE);
            }
        }
    }

    /** Counts the connections whose end is not in the file; without a failure there are none. */
    private void loseUnended() {
        synchronized (lock) {
            for (OpenConnections.Connection connection : openConnections.inOrder()) {
                lose(connection);
            }
        }
    }

    private void awaitChange(long atMostNs) {
        try {
            TimeUnit.NANOSECONDS.timedWait(lock, atMostNs);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the writer thread", e);
        }
    }

    /** Ends the connections that are still open, and says what was lost at last. */
    private void putLastRecords() throws IOException {
        OpenConnections.Connection[] stillOpen;
        synchronized (lock) {
            stillOpen = openConnections.inOrder();
        }
        for (OpenConnections.Connection connection : stillOpen) {
            if (!putLastClose(connection)) {
                writeBlocks(true); // makes room
                putLastClose(connection);
            }
        }
        synchronized (lock) {
            if (tally.hasUnreportedLosses()
                    && reserve(CaptureFormat.DROPPED_PAYLOAD_BYTES, lastTimeNs)
                    && tally.hasUnreportedLosses()) { // a new block has begun with it
                putDropped(lastTimeNs);
            }
        }
    }

    private boolean putLastClose(OpenConnections.Connection connection) {
        synchronized (lock) {
            long nowNs = options.startsAtGivenTime() ? lastTimeNs : time(nanoClock.getAsLong());
            boolean put = connection.number < 0 || putClose(connection, nowNs, CloseReason.RECORDING_ENDED);
            if (put) {
                openConnections.remove(connection.id);
            }
            return put;
        }
    }

    /** Ends the recording after a failed write: what is not in the file by now is lost. */
    private void fail(Throwable cause) {
        noteFailure(cause, " at offset " + file.fileBytes());
        synchronized (lock) {
            if (inFlight != null) {
                tally.giveUp(inFlight.counts);
                inFlight = null;
            }
            for (Block block = pollBlock(); block != null; block = pollBlock()) {
                tally.giveUp(block.counts);
            }
            free.clear();
            // The ends of all that are open find no room any more, however much of them is in the file.
            for (OpenConnections.Connection connection : openConnections.inOrder()) {
                lose(connection);
            }
            lock.notifyAll();
        }
        try {
            file.cutTornBlock();
            file.writeSummary(summary());
        } catch (IOException e) {
            // The file now ends in a torn block or says that it was not closed, and readers say so; the failure that
            // came first is the one to tell.
        }
    }

    private void noteFailure(Throwable cause, String where) {
        boolean io = cause instanceof IOException;
        boolean ours = cause instanceof CaptureException || cause instanceof IllegalStateException;
        String reason = io ? FileOutput.reason((IOException) cause) : ours ? cause.getMessage() : cause.toString();
        boolean full = (io || ours) && (reason.contains("No space left") || reason.contains("quota"));
        synchronized (lock) {
            if (failure == null) {
                failure = path
                        + ": recording ended early, "
                        + (full ? "the disk is full" : "writing failed")
                        + where
                        + ": "
                        + reason.replace('\n', ' ')
                        + "; what was written before is readable";
                failureReason = full ? CaptureSummary.Reason.DISK_FULL : CaptureSummary.Reason.WRITE_FAILED;
            }
        }
    }

    private CaptureSummary summary() {
        CaptureSummary summary = file.summary();
        synchronized (lock) {
            summary.state = failure == null ? CaptureSummary.State.CLOSED : CaptureSummary.State.ENDED_EARLY;
            summary.reason = failureReason;
            summary.reasonText = failure == null ? "" : failure;
            summary.redactedValues += redactedValues;
            summary.missedPackets += missedPackets;
            tally.fillLosses(summary, toldElsewhere);
        }
        return summary;
    }
}
