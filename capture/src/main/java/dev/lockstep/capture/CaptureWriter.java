package dev.lockstep.capture;

import dev.lockstep.capture.files.FileOutput;
import dev.lockstep.capture.files.SegmentOutputs;
import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import dev.lockstep.capture.segments.AppendPoint;
import dev.lockstep.capture.segments.BlockFile;
import dev.lockstep.capture.segments.RecordAppender;
import dev.lockstep.capture.segments.SegmentFiles;
import dev.lockstep.capture.segments.WriteFailure;
import dev.lockstep.capture.segments.WriterThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Writes a capture file while it is recorded. Appends run per request on event loops: they may come from any thread,
 * copy into the current block under a short lock, allocate nothing, and never wait for the disk, unless
 * {@link CaptureOptions#waitForDisk()} says so.
 *
 * <p>One thread of the writer's own compresses, encrypts and writes the blocks. When less than a quarter of the memory
 * it may use is left, new connections are refused. When all of it waits for the disk, a connection that finds no room
 * is lost from there on as a whole, because a connection with a hole cannot be replayed. Both are counted, in
 * {@link #totals()} and in the file. After a failed write, such as on a full disk, recording ends: the file is cut back
 * to its last whole block and stays readable, and everything later is counted as lost.
 *
 * <p>A killed process loses at most one flush interval, since a written block is in the kernel's hands. Only
 * {@link #close()} protects against a power failure: it waits for the disk.
 *
 * <p>Times never decrease within a file: a time that lies before the last one is recorded as the last one.
 */
public final class CaptureWriter implements AutoCloseable {
    /** How many blocks an index block covers: 128 KiB of index. */
    static final int INDEX_CAPACITY = 4096;

    private static final byte[] NO_ADDRESS = {};

    private final SegmentOutputs outputs;
    private final RecordAppender records;
    private final WriterThread thread;
    private final boolean appends;
    private final Path path;

    /** Writes the header; {@link #start()} comes next. */
    CaptureWriter(
            Path path,
            SegmentOutputs outputs,
            CaptureIdentity identity,
            CaptureOptions options,
            int indexCapacity,
            LongSupplier nanoClock)
            throws IOException {
        this.outputs = outputs;
        this.appends = false;
        this.path = path;
        BlockFile file = BlockFile.create(outputs.create(identity.segment), identity, options, indexCapacity);
        this.records = new RecordAppender(options, file, identity.start.monotonicNs, nanoClock);
        this.thread = new WriterThread(path, outputs, options, indexCapacity, file, records);
    }

    /** Opens the file behind its last whole block; {@link #start()} comes next. */
    private CaptureWriter(Path path, SegmentFiles files, AppendPoint point, CaptureOptions options, long zeroNs)
            throws IOException {
        this.outputs = files;
        this.appends = true;
        this.path = path;
        BlockFile file = BlockFile.append(files.appended(), options, point, INDEX_CAPACITY);
        this.records = new RecordAppender(options, file, zeroNs, System::nanoTime);
        this.thread = new WriterThread(path, files, options, INDEX_CAPACITY, file, records);
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
        return create(path, path, options);
    }

    /** @param first where the first segment is to be, if the path is a link to there */
    static CaptureWriter create(Path path, Path first, CaptureOptions options) {
        SegmentFiles files = SegmentFiles.create(path, first, options);
        try {
            CaptureIdentity identity = CaptureIdentity.startingNow(options);
            return new CaptureWriter(path, files, identity, options, INDEX_CAPACITY, System::nanoTime).start();
        } catch (IOException | IllegalStateException e) {
            CaptureException failed = new CaptureException(
                    path,
                    e instanceof IOException
                            ? "cannot write the header: " + CaptureException.reason((IOException) e)
                            : e.getMessage(),
                    e);
            files.discard(0);
            throw failed;
        }
    }

    /**
     * Tells before anything is begun that both {@link #create} and {@link #append} would be refused.
     *
     * @throws CaptureException when a recorder has the capture at this path open, in whichever segment
     */
    public static void refuseRecorded(Path path) {
        SegmentFiles.ofCapture(path).forEach(FileOutput::refuseRecorded);
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
        SegmentFiles files = SegmentFiles.append(point, options);
        try {
            ClockReading now = options.startOrNow();
            long nowNs = Math.max(point.lastTimeNs, now.epochNs - point.identity.start.epochNs);
            CaptureWriter writer = new CaptureWriter(path, files, point, options, now.monotonicNs - nowNs).start();
            writer.records.goOn(point, now);
            return writer;
        } catch (IOException | IllegalStateException e) {
            files.release();
            throw new CaptureException(
                    path,
                    "cannot be appended to: "
                            + (e instanceof IOException ? CaptureException.reason((IOException) e) : e.getMessage()),
                    e);
        } catch (RuntimeException e) {
            files.release();
            throw e;
        }
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
        return openConnection(nowNs, client, server, false, ConnectionDetails.NONE);
    }

    /**
     * Records a connection like {@link #openConnection(long, InetSocketAddress, InetSocketAddress)}, with further
     * details of it.
     *
     * @param alreadyOpen whether it was open before recording began
     */
    public int openConnection(
            long nowNs,
            InetSocketAddress client,
            InetSocketAddress server,
            boolean alreadyOpen,
            ConnectionDetails details) {
        return records.open(nowNs, opening(client, server, alreadyOpen, details.encode()));
    }

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

    private static byte[] address(InetSocketAddress socket) {
        return socket == null || socket.isUnresolved()
                ? NO_ADDRESS
                : socket.getAddress().getAddress();
    }

    /** Records what the connection's bytes were recognised as; may be called again when that changes. */
    public void protocol(int connection, long nowNs, Protocol protocol) {
        records.protocol(connection, nowNs, protocol);
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
        return records.data(connection, nowNs, flags, bytes);
    }

    /** Records that bytes of the client are missing here; {@code missingBytes} is 0 when it is not known how many. */
    public void gap(int connection, long nowNs, long missingBytes) {
        records.gap(connection, nowNs, missingBytes);
    }

    /** Records that a request of the connection, counted from 0 over its requests, gets no answer. */
    public void noAnswer(int connection, long nowNs, long request) {
        records.noAnswer(connection, nowNs, request);
    }

    /**
     * Records how a request of the connection, counted from 0 over its requests, was answered.
     *
     * @param status {@link RecordedStatus}
     */
    public void answer(int connection, long nowNs, long request, int status) {
        if (status <= RecordedStatus.UNKNOWN || status > RecordedStatus.MAX) {
            throw new IllegalArgumentException("status must be from 1 to 999, is " + status);
        }
        records.answer(connection, nowNs, request, status);
    }

    /** Counts values that were replaced before their bytes came here. */
    public void redacted(long values) {
        records.countRedacted(values);
    }

    /**
     * Counts what could not be searched for secrets.
     *
     * @param connections those with bytes of no request that could not be searched
     * @param keptBytes the bytes of these that came here nevertheless
     * @param leftOutBytes the bytes of these that did not; they are told as gaps, too
     * @param bodies the bodies and messages of requests that could not be searched
     */
    public void unsearched(long connections, long keptBytes, long leftOutBytes, long bodies) {
        records.countUnsearched(connections, keptBytes, leftOutBytes, bodies);
    }

    /** Counts packets that a passive recorder did not get because the kernel had no room for them. */
    public void missedPackets(long packets) {
        records.countMissedPackets(packets);
    }

    /** Counts what another recording, from which this one is made, had lost already. */
    public void lost(long connections, long requests, long bytes) {
        records.countLost(connections, requests, bytes);
    }

    /**
     * Records that it is not known what another recording lost, from which this one is made, since its recorder had not
     * closed it: {@link CaptureInfo#lossesKnown}.
     *
     * @param cutBytes the bytes at its torn end, which were left out
     */
    public void lossesUnknown(long cutBytes) {
        records.lossesUnknown(cutBytes);
    }

    /** Records that the client sent its FIN. */
    public void halfClose(int connection, long nowNs) {
        records.halfClose(connection, nowNs);
    }

    /** Records the end of a connection; its number is not used again. */
    public void closeConnection(int connection, long nowNs, CloseReason reason) {
        records.close(connection, nowNs, reason);
    }

    /** Returns what was taken and lost so far. */
    public CaptureTotals totals() {
        return records.totals();
    }

    /**
     * Writes what waits, the index and the summary, waits until the disk has it all, and closes the file. Does not
     * throw: {@link CaptureTotals#failure()} says what went wrong. What is appended later is ignored.
     */
    @Override
    public void close() {
        records.beginClosing();
        thread.awaitEnd();
    }

    /**
     * Closes a capture that holds less than there was to write, and says so in the file:
     * {@link CaptureInfo#endedEarly}.
     *
     * @param why a clause for people, such as "the import was ended by a signal"
     */
    public void closeEarly(String why) {
        records.stopped(WriteFailure.stopped(path, why));
        close();
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
        for (int last = thread.lastSegment(); last >= 0; last--) {
            outputs.discard(last);
        }
    }
}
