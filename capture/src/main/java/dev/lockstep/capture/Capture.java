package dev.lockstep.capture;

import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.segments.RecordCursor;
import dev.lockstep.capture.segments.SegmentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * An opened and fully verified capture, with all of its segments. Immutable; any thread may read. Request bytes stay in
 * the mapped files; those of compressed or encrypted ones are decoded once, into memory outside the heap.
 *
 * <p>A request is what lies between the start and the end of a message; requests are numbered from 0 by the time of
 * their first byte.
 */
public final class Capture implements AutoCloseable {
    /** Mappings begin every 1 GiB. */
    static final int MAPPING_SHIFT = 30;

    /** A block, and so a record, lies in one mapping. */
    static final int MAPPING_OVERLAP = CaptureFormat.BLOCK_HEADER_BYTES + CaptureFormat.MAX_STORED_BYTES;

    /** How much direct memory the index of requests takes before it goes to a temporary file. */
    private static final long DIRECT_INDEX_BYTES = 64L << 20;

    /** Progress is reported each time this many more bytes were digested. */
    private static final int TOLD_BYTES = 1 << 20;

    private final Path path;
    private final CaptureMemory memory;
    private final RequestTable requests;
    private final OpaquePieces opaque;
    private final ConnectionTable connections;
    private final CaptureInfo info;
    private final String sha256;
    private final String streamSha256;
    /** What its files were last like, to be told from others. */
    private volatile String fileMark;

    private Capture(
            Path path, CaptureMemory memory, CaptureScan scan, CaptureInfo info, String sha256, String streamSha256) {
        this.path = path;
        this.memory = memory;
        this.requests = scan.requests;
        this.opaque = scan.opaque;
        this.connections = scan.connections;
        this.info = info;
        this.sha256 = sha256;
        this.streamSha256 = streamSha256;
        fileMark = fileMark();
    }

    /**
     * Opens a capture: maps the file, checks every byte of it, and builds the index of requests outside the heap. A
     * recording that was not closed is read to its last whole block.
     *
     * @throws CaptureException when the file is missing, not a capture, of a later format, cut or damaged, or encrypted
     */
    public static Capture open(Path path) {
        return open(path, OpenOptions.defaults());
    }

    /** Opens a capture like {@link #open(Path)}, with options. */
    public static Capture open(Path path, OpenOptions options) {
        return open(path, options, MAPPING_SHIFT, MAPPING_OVERLAP, DIRECT_INDEX_BYTES);
    }

    /** Opens a capture with other sizes of the mappings and of the index in direct memory. */
    static Capture open(Path path, OpenOptions options, int mappingShift, int mappingOverlap, long directIndexBytes) {
        FileDigest digest = new FileDigest();
        CaptureMemory memory = new CaptureMemory(mappingShift, mappingOverlap, digest);
        try (digest;
                FlatMemory tables = new FlatMemory(path, directIndexBytes);
                RecordCursor cursor = new RecordCursor(SegmentFile.open(path), options, memory, false)) {
            CaptureScan scan = new CaptureScan(memory, tables);
            scan.scan(cursor, options.progress());
            CaptureInfo info = new CaptureInfo(cursor.counts);
            digest.complete();
            String streamSha256 = digest(
                    memory,
                    scan.requests,
                    info.storedBytes(),
                    options.progress()); // while the other thread digests the files
            return new Capture(path, memory, scan, info, digest.hex(), streamSha256);
        } catch (IOException e) {
            throw SegmentFile.unreadable(path, e);
        }
    }

    private static String digest(CaptureMemory memory, RequestTable requests, long readBefore, LongConsumer progress) {
        Sha256 digest = new Sha256();
        long read = readBefore;
        long told = read;
        ByteBuffer[] views = new ByteBuffer[memory.count()];
        for (int i = 0; i < views.length; i++) {
            views[i] = memory.mapping(i).duplicate();
        }
        for (long request = 0; request < requests.size(); request++) {
            int fragments = requests.fragments(request);
            for (int fragment = 0; fragment < fragments; fragment++) {
                long offset = requests.offset(request, fragment);
                int at = memory.position(offset);
                ByteBuffer view = views[memory.index(offset)];
                view.limit(at + requests.length(request, fragment)).position(at);
                digest.add(view);
            }
            read += requests.length(request);
            if (read - told >= TOLD_BYTES) {
                told = read;
                progress.accept(read);
            }
        }
        return digest.hex();
    }

    public Path path() {
        return path;
    }

    /**
     * Tells whether its requests still are what they were when it was opened: whatever is written over the file, which
     * is mapped, is written over them. One that another file took the place of is there all the same. Reads all of them
     * where the file's size or time is another one. Any thread.
     */
    public boolean isUnchanged() {
        String now = fileMark();
        if (now.equals(fileMark)) {
            return true;
        }
        try {
            boolean unchanged = digest(memory, requests, 0, read -> {}).equals(streamSha256);
            fileMark = unchanged ? now : fileMark;
            return unchanged;
        } catch (InternalError e) {
            // The file was cut: there is no memory behind its mapping.
            return false;
        }
    }

    private String fileMark() {
        StringBuilder marks = new StringBuilder();
        for (Path file : memory.files()) {
            try {
                marks.append(Files.size(file))
                        .append(' ')
                        .append(Files.getLastModifiedTime(file))
                        .append('\n');
            } catch (IOException e) {
                marks.append('\n');
            }
        }
        return marks.toString();
    }

    /** Returns the SHA-256 of the whole file, of all segments one after the other, in lower-case hexadecimal. */
    public String sha256() {
        return sha256;
    }

    /** Returns the SHA-256 of the bytes of all complete requests in capture order, in lower-case hexadecimal. */
    public String streamSha256() {
        return streamSha256;
    }

    public int connectionCount() {
        return connections.size();
    }

    public long requestCount() {
        return requests.size();
    }

    /** Returns the bytes of all complete requests. */
    public long requestBytes() {
        return requests.bytes();
    }

    /** Returns the time from the first request's first byte to the last request's first byte, in ns. */
    public long durationNs() {
        return requests.size() == 0 ? 0 : requests.timeNs(requests.size() - 1) - requests.timeNs(0);
    }

    /** Returns what the file says of itself, and what is in it beside complete requests. */
    public CaptureInfo info() {
        return info;
    }

    /** Returns the time of a request's first byte in ns since the capture's start; never less than the one before. */
    public long timeNs(long request) {
        return requests.timeNs(request);
    }

    public int connection(long request) {
        return requests.connection(request);
    }

    /** Returns how many complete requests precede this one on its connection. */
    public int indexInConnection(long request) {
        return requests.indexInConnection(request);
    }

    /** Whether a request was sent before the server had said anything to the one before it on its connection. */
    public boolean isPipelined(long request) {
        return requests.isPipelined(request);
    }

    /** Whether a request gets an answer; false for one-way calls that the recorder recognised. */
    public boolean getsAnswer(long request) {
        return requests.getsAnswer(request);
    }

    /** How the recorded server answered a request: {@link RecordedStatus}. */
    public int recordedStatus(long request) {
        return requests.status(request);
    }

    /** How often the recorded server answered with each {@link RecordedStatus} that is known; looks at all requests. */
    public Map<Integer, Long> recordedStatuses() {
        long[] counts = new long[RecordedStatus.MAX + 1];
        for (long request = 0; request < requestCount(); request++) {
            counts[recordedStatus(request)]++;
        }
        Map<Integer, Long> statuses = new TreeMap<>();
        for (int status = RecordedStatus.UNKNOWN + 1; status <= RecordedStatus.MAX; status++) {
            if (counts[status] > 0) {
                statuses.put(status, counts[status]);
            }
        }
        return statuses;
    }

    /** Returns the client's bytes outside complete requests. */
    public OpaquePieces opaque() {
        return opaque;
    }

    /** Returns the number of a request's pieces, mostly 1; a piece may be empty. */
    public int fragments(long request) {
        return requests.fragments(request);
    }

    public int fragmentLength(long request, int fragment) {
        return requests.length(request, fragment);
    }

    public long requestLength(long request) {
        return requests.length(request);
    }

    /** Returns the mapping that holds a piece of a request as a whole. */
    public int mapping(long request, int fragment) {
        return memory.index(requests.offset(request, fragment));
    }

    /** Returns where in its mapping a piece of a request begins. */
    public int offset(long request, int fragment) {
        return memory.position(requests.offset(request, fragment));
    }

    public int mappingCount() {
        return memory.count();
    }

    /** Returns a new read-only view of a mapping: at most about 1 GiB of a file, or decoded blocks. */
    public ByteBuffer mapping(int index) {
        // All of it, from its first byte: memory into which blocks were decoded stands at its end.
        ByteBuffer view = memory.mapping(index).asReadOnlyBuffer();
        view.clear();
        return view;
    }

    /** Returns when a connection was opened, in ns since the capture's start. */
    public long openedNs(int connection) {
        return connections.openedNs(connection);
    }

    /** Returns when a connection ended, or was last heard of, in ns since the capture's start. */
    public long closedNs(int connection) {
        return connections.closedNs(connection);
    }

    /** Returns when a connection's client ended its side, in ns since the capture's start, or -1 where it did not. */
    public long halfClosedNs(int connection) {
        return connections.halfClosedNs(connection);
    }

    /** Returns a connection's bytes outside complete requests, without those {@link OpaquePieces#isByHole by holes}. */
    public long opaqueBytes(int connection) {
        return connections.opaqueBytes(connection);
    }

    public CloseReason closeReason(int connection) {
        return connections.closeReason(connection);
    }

    public long requestCount(int connection) {
        return connections.requests(connection);
    }

    /** Returns what a connection's bytes were recognised as, at last. */
    public Protocol protocol(int connection) {
        return connections.protocol(connection);
    }

    /**
     * Does nothing now: the mappings end when this capture and every view of it are garbage, because memory that a
     * socket may still read from must not be unmapped.
     */
    @Override
    public void close() {}
}
