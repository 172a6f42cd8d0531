package dev.lockstep.capture;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Writes a capture file while it is recorded. Appends run per request on event loops: they may come from any thread,
 * copy into the current block under a short lock, allocate nothing, and never wait for the disk.
 *
 * <p>One thread of the writer's own writes the blocks. When all of the memory it may use waits for the disk, the
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
    private final CaptureIdentity identity;
    private final long startMonotonicNs;
    private final LongSupplier nanoClock;
    private final int blockBytes;
    private final int maxBlocks;
    private final int maxPieceBytes;
    private final long flushIntervalNs;
    private final Thread thread;

    // The writer thread's.
    private final BlockFile file;
    private Block inFlight;

    // Under the lock.
    private final Object lock = new Object();
    private final ArrayDeque<Block> full = new ArrayDeque<>();
    private final ArrayDeque<Block> free = new ArrayDeque<>();
    private final OpenConnections openConnections = new OpenConnections();
    private final Tally tally = new Tally();
    private Block current;
    private int blocksInMemory;
    private int nextConnection;
    private long nextRecord;
    private long lastTimeNs;
    private boolean closing;
    private String failure;
    private long redactedValues;
    private CaptureSummary.Reason failureReason = CaptureSummary.Reason.NONE;

    /** Writes the header; {@link #start()} comes next. */
    CaptureWriter(
            Path path,
            CaptureOutput output,
            CaptureIdentity identity,
            CaptureOptions options,
            int indexCapacity,
            LongSupplier nanoClock)
            throws IOException {
        this.path = path;
        this.identity = identity;
        this.startMonotonicNs = identity.startMonotonicNs();
        this.nanoClock = nanoClock;
        this.blockBytes = options.blockBytes();
        this.maxBlocks = (int) Math.min(Integer.MAX_VALUE, options.memoryBytes() / blockBytes);
        // A fresh block may begin with a DROPPED record, and must still have room.
        this.maxPieceBytes = Math.min(
                CaptureFormat.MAX_PAYLOAD_BYTES,
                blockBytes
                        - CaptureFormat.BLOCK_HEADER_BYTES
                        - 2 * CaptureFormat.RECORD_HEADER_BYTES
                        - CaptureFormat.DROPPED_PAYLOAD_BYTES);
        this.flushIntervalNs = options.flushIntervalNs();
        this.file = new BlockFile(output, identity, indexCapacity);
        this.thread = new Thread(this::run, "lockstep-capture-writer");
        thread.setDaemon(true);
    }

    /** Starts the thread that writes. */
    CaptureWriter start() {
        thread.start();
        return this;
    }

    /**
     * Creates a capture file, readable and writable by its owner only (mode 0600).
     *
     * @throws CaptureException when the file exists and is not to be overwritten, or cannot be created
     */
    public static CaptureWriter create(Path path, CaptureOptions options) {
        FileOutput output = FileOutput.create(path, options.overwrite());
        try {
            CaptureIdentity identity = CaptureIdentity.startingNow(options);
            return new CaptureWriter(path, output, identity, options, INDEX_CAPACITY, System::nanoTime).start();
        } catch (IOException e) {
            CaptureException failed = new CaptureException(path, "cannot write the header: " + FileOutput.reason(e), e);
            try {
                output.close();
                Files.delete(path);
            } catch (IOException suppressed) {
                failed.addSuppressed(suppressed);
            }
            throw failed;
        }
    }

    /**
     * Goes on with a capture that was closed or left by a recorder that died. A torn end is cut off and counted, the
     * connections that were left open are closed, numbers and times go on. The file keeps its compression and notes.
     *
     * @throws CaptureException when the file is missing, damaged, still being recorded, or does not fit the options: it
     *     needs the same key and the same redaction
     */
    public static CaptureWriter append(Path path, CaptureOptions options) {
        throw new CaptureException(path, "cannot be appended to yet");
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
        byte[] clientAddress = address(client);
        byte[] serverAddress = address(server);
        byte[] detailBytes = details.encode();
        int payloadBytes =
                CaptureFormat.OPEN_HEADER_BYTES + clientAddress.length + serverAddress.length + detailBytes.length;
        synchronized (lock) {
            if (closing) {
                return CaptureFormat.NO_CONNECTION;
            }
            long timeNs = time(nowNs);
            if (nextConnection == Integer.MAX_VALUE || !reserve(payloadBytes, timeNs)) {
                tally.loseConnection();
                return CaptureFormat.NO_CONNECTION;
            }
            OpenConnections.Connection connection = openConnections.add(nextConnection++);
            header(connection, RecordType.CONN_OPEN, 0, payloadBytes, timeNs)
                    .put((byte) clientAddress.length)
                    .put((byte) serverAddress.length)
                    .putShort((short) (alreadyOpen ? 1 : 0))
                    .putShort((short) (client == null ? 0 : client.getPort()))
                    .putShort((short) (server == null ? 0 : server.getPort()))
                    .put(clientAddress)
                    .put(serverAddress)
                    .put(detailBytes);
            tally.takeConnection();
            return connection.id;
        }
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
            if (!reserve(maxPieceBytes, timeNs)) {
                return false;
            }
            data.limit(data.position() + maxPieceBytes);
            put(connection, pieceFlags & ~(RecordFlags.MESSAGE_END | RecordFlags.TRUNCATED), data, timeNs);
            data.limit(end);
            pieceFlags &= ~RecordFlags.MESSAGE_START;
        }
        if (!reserve(data.remaining(), timeNs)) {
            return false;
        }
        put(connection, pieceFlags, data, timeNs);
        return true;
    }

    /** Appends data for which there is room. */
    private void put(OpenConnections.Connection connection, int flags, ByteBuffer data, long timeNs) {
        int length = data.remaining();
        int kept = flags;
        boolean inMessage = connection.inMessage || (flags & RecordFlags.MESSAGE_START) != 0;
        if ((flags & RecordFlags.TRUNCATED) != 0) {
            inMessage = false;
        } else if ((flags & RecordFlags.MESSAGE_END) != 0) {
            if (inMessage) {
                tally.takeRequest();
            } else {
                kept &= ~RecordFlags.MESSAGE_END; // the end of what never began is no end
            }
            inMessage = false;
        }
        connection.inMessage = inMessage;
        header(connection, RecordType.DATA_C2S, kept, length, timeNs).put(data);
        tally.takeBytes(length);
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
            openConnections.remove(connection);
            if (!putClose(open, time(nowNs), reason)) {
                lose(open);
            }
        }
    }

    private boolean putClose(OpenConnections.Connection connection, long timeNs, CloseReason reason) {
        if (!reserve(CaptureFormat.CLOSE_PAYLOAD_BYTES, timeNs)) {
            return false;
        }
        CloseReason told = connection.lost ? CloseReason.RECORDING_LOST : reason;
        header(connection, RecordType.CONN_CLOSE, 0, CaptureFormat.CLOSE_PAYLOAD_BYTES, timeNs)
                .put((byte) told.code());
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

    // ---- Appending, under the lock.

    private long time(long nowNs) {
        return Math.max(lastTimeNs, nowNs - startMonotonicNs);
    }

    /** Appends the header of a record; returns where its payload goes, or null when it is not recorded. */
    private ByteBuffer append(int connection, long nowNs, RecordType type, int payloadBytes) {
        OpenConnections.Connection open = openConnections.find(connection);
        if (closing || open == null || open.lost) {
            return null;
        }
        long timeNs = time(nowNs);
        if (!reserve(payloadBytes, timeNs)) {
            lose(open);
            return null;
        }
        return header(open, type, 0, payloadBytes, timeNs);
    }

    private ByteBuffer header(
            OpenConnections.Connection connection, RecordType type, int flags, int payloadBytes, long timeNs) {
        lastTimeNs = timeNs;
        nextRecord++;
        return current.header(type.code(), connection.id, connection.sequence++, flags, payloadBytes, timeNs);
    }

    private void lose(OpenConnections.Connection connection) {
        if (!connection.lost) {
            connection.lost = true;
            tally.loseConnection();
        }
    }

    /** Makes room for one record; false when there is none. */
    private boolean reserve(int payloadBytes, long timeNs) {
        return current != null && current.fits(payloadBytes, timeNs, MAX_SPAN_NS) || nextBlock(timeNs);
    }

    /** Hands the current block to the writer thread and begins another. */
    private boolean nextBlock(long timeNs) {
        if (failure != null) {
            return false;
        }
        if (current != null) {
            full.add(current);
            current = null;
            lock.notifyAll();
        }
        Block next = free.isEmpty() ? allocate() : free.pop();
        if (next == null) {
            return false;
        }
        next.begin(nextRecord, timeNs, nanoClock.getAsLong());
        current = next;
        lock.notifyAll(); // the flush interval begins
        if (tally.hasUnreportedLosses()) {
            putDropped(timeNs);
        }
        return true;
    }

    /** Returns memory for one more block, or null when the bound, or what the JVM gives, is reached. */
    private Block allocate() {
        if (blocksInMemory == maxBlocks) {
            return null;
        }
        try {
            Block block = new Block(blockBytes);
            blocksInMemory++;
            return block;
        } catch (OutOfMemoryError e) {
            return null; // no direct memory left: as if the bound were lower
        }
    }

    /** Appends how much was lost since the last such record. */
    private void putDropped(long timeNs) {
        lastTimeNs = timeNs;
        nextRecord++;
        tally.putLosses(current.header(
                RecordType.DROPPED.code(),
                CaptureFormat.NO_CONNECTION,
                0,
                0,
                CaptureFormat.DROPPED_PAYLOAD_BYTES,
                timeNs));
    }

    // ---- Writing, on the writer thread.

    private void run() {
        try {
            writeBlocks(false);
            putLastRecords();
            writeBlocks(true);
            file.writeLastIndex();
            file.force();
        } catch (IOException | RuntimeException | Error e) {
            fail(e); // an unexpected one, too, ends the recording and not the program, and shows in the totals
        }
        try {
            awaitClosing();
            loseUnended();
            file.writeSummary(summary());
            file.force();
            file.close();
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
            file.write(inFlight);
            synchronized (lock) {
                free.push(inFlight);
            }
            inFlight = null;
            file.writeFullIndex();
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
            Block block = current;
            current = null;
            return block;
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
            boolean put = putClose(connection, time(nanoClock.getAsLong()), CloseReason.RECORDING_ENDED);
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
                discard(inFlight);
                inFlight = null;
            }
            for (Block block = pollBlock(); block != null; block = pollBlock()) {
                discard(block);
            }
            free.clear();
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
        String reason = io ? FileOutput.reason((IOException) cause) : cause.toString();
        boolean full = io && (reason.contains("No space left") || reason.contains("quota"));
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

    /**
     * Takes the records of a block, which will not be written, out of what is recorded, and counts them as lost. No
     * later block is written either, so a connection that ended ends in a discarded block, or was counted as lost when
     * there was no room for its end.
     */
    private void discard(Block block) {
        ByteBuffer records = block.seal(identity);
        records.position(CaptureFormat.BLOCK_HEADER_BYTES);
        while (records.hasRemaining()) {
            int at = records.position();
            int lengthAndType = records.getInt(at + CaptureFormat.RECORD_LENGTH_AND_TYPE);
            int length = lengthAndType & CaptureFormat.MAX_PAYLOAD_BYTES;
            int payload = at + CaptureFormat.RECORD_HEADER_BYTES;
            int flags = records.getInt(at + CaptureFormat.RECORD_SEQUENCE_AND_FLAGS) >>> 24;
            RecordType type = RecordType.ofCode(lengthAndType >>> 24);
            OpenConnections.Connection open =
                    openConnections.find(records.getInt(at + CaptureFormat.RECORD_CONNECTION));
            if (open != null) {
                lose(open);
            } else if (type == RecordType.CONN_CLOSE && records.get(payload) != CloseReason.RECORDING_LOST.code()) {
                tally.loseConnection();
            }
            if (type == RecordType.CONN_OPEN) {
                tally.giveUpOpening();
            } else if (type == RecordType.DATA_C2S) {
                tally.giveUpData(
                        length, (flags & RecordFlags.MESSAGE_END) != 0 && (flags & RecordFlags.TRUNCATED) == 0);
            }
            records.position(payload + length);
        }
    }

    private CaptureSummary summary() {
        CaptureSummary summary = new CaptureSummary();
        synchronized (lock) {
            summary.state = failure == null ? CaptureSummary.State.CLOSED : CaptureSummary.State.ENDED_EARLY;
            summary.reason = failureReason;
            summary.reasonText = failure == null ? "" : failure;
            tally.fill(summary);
        }
        return summary;
    }
}
