package dev.lockstep.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * An opened and fully verified capture. Immutable; any thread may read. Request bytes stay in the mapped file.
 *
 * <p>A request is what lies between the start and the end of a message; requests are numbered from 0 by the time of
 * their first byte.
 */
public final class Capture implements AutoCloseable {
    /** How much direct memory the index of requests takes before it goes to a temporary file. */
    private static final long DIRECT_INDEX_BYTES = 64L << 20;

    private final Path path;
    private final MappedFile file;
    private final RequestTable requests;
    private final ConnectionTable connections;
    private final long endOffset;
    private final CaptureInfo info;
    private final String sha256;
    private final String streamSha256;

    private Capture(
            Path path, MappedFile file, CaptureScan scan, CaptureInfo info, String sha256, String streamSha256) {
        this.path = path;
        this.file = file;
        this.requests = scan.requests();
        this.connections = scan.connections();
        this.endOffset = scan.endOffset();
        this.info = info;
        this.sha256 = sha256;
        this.streamSha256 = streamSha256;
    }

    /**
     * Opens a capture: maps the file, checks every byte of it, and builds the index of requests outside the heap.
     *
     * @throws CaptureException when the file is missing, not a capture, of a later format, torn or damaged
     */
    public static Capture open(Path path) {
        return open(path, OpenOptions.defaults());
    }

    /** Opens a capture like {@link #open(Path)}, with options. */
    public static Capture open(Path path, OpenOptions options) {
        return open(path, options, MappedFile.DEFAULT_SHIFT, MappedFile.DEFAULT_OVERLAP, DIRECT_INDEX_BYTES);
    }

    /** Opens a capture with other sizes of the mappings and of the index in direct memory. */
    static Capture open(Path path, OpenOptions options, int mappingShift, int mappingOverlap, long directIndexBytes) {
        refuseWhatIsNoFile(path);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
                FlatMemory memory = new FlatMemory(path, directIndexBytes)) {
            // The header before the length: a file that is closed meanwhile must not seem cut.
            ByteBuffer page = readHeader(channel);
            if (page.limit() == 0) {
                throw new CaptureException(path, 0, "the file is empty; a capture is made by \"replay record\"");
            }
            CaptureIdentity identity = CaptureIdentity.decode(path, page);
            MappedFile file = MappedFile.map(channel, channel.size(), mappingShift, mappingOverlap);
            CaptureScan scan = new CaptureScan(path, file, identity, memory);
            try (FileDigest digest = FileDigest.start(file)) {
                CaptureInfo info = verify(path, page, identity, file, scan, options);
                String streamSha256 = digest(file, scan.requests()); // while the other thread digests the file
                return new Capture(path, file, scan, info, digest.hex(), streamSha256);
            }
        } catch (AccessDeniedException e) {
            throw new CaptureException(path, "cannot be read: permission denied", e);
        } catch (IOException e) {
            throw new CaptureException(path, "cannot be read: " + FileOutput.reason(e), e);
        }
    }

    private static void refuseWhatIsNoFile(Path path) {
        if (Files.notExists(path)) {
            throw new CaptureException(path, "no such file; a capture is made by \"replay record\"");
        }
        if (Files.isDirectory(path)) {
            throw new CaptureException(path, "is a directory; expected a capture file");
        }
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new CaptureException(path, "is not a regular file; expected a capture file");
        }
    }

    private static ByteBuffer readHeader(FileChannel channel) throws IOException {
        ByteBuffer page = ByteBuffer.allocate(CaptureFormat.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        while (page.hasRemaining() && channel.read(page, page.position()) >= 0) {
            // until the page is full or the file ends
        }
        return page.flip();
    }

    /** Runs the scan, and judges whether the file is whole, or torn at its end. */
    private static CaptureInfo verify(
            Path path,
            ByteBuffer page,
            CaptureIdentity identity,
            MappedFile file,
            CaptureScan scan,
            OpenOptions options) {
        String summaryProblem = CaptureSummary.problem(page, CaptureFormat.HALF_BYTES);
        CaptureSummary summary =
                summaryProblem == null ? CaptureSummary.decode(page, CaptureFormat.HALF_BYTES) : new CaptureSummary();
        boolean closed = summary.state != CaptureSummary.State.OPEN;
        long length = file.length();
        long end = closed ? Math.max(CaptureFormat.HEADER_BYTES, Math.min(length, summary.fileBytes)) : length;
        String problem = scan.scan(end);
        long at = scan.endOffset();
        long cutBytes = 0;
        if (problem != null || closed && length != summary.fileBytes) {
            cutBytes = Math.max(length, summary.fileBytes) - at;
            if (problem == null || length < summary.fileBytes) {
                problem = "expected a file of " + summary.fileBytes + " bytes, found " + length;
            }
            problem = "the file is torn or damaged at its end: " + problem;
        } else if (summaryProblem != null) {
            at = CaptureFormat.HALF_BYTES + CaptureFormat.HALF_CRC;
            problem = "the summary in the header is torn: " + summaryProblem;
        } else if (closed) {
            scan.checkSummary(summary);
        }
        if (problem != null && !options.allowTruncated()) {
            throw new CaptureException(
                    path, at, problem + "; " + standing(scan.requests().size()));
        }
        return new CaptureInfo(identity, summary, scan, length, cutBytes, closed && problem == null);
    }

    private static String standing(long requests) {
        return requests == 0
                ? "no complete request stands before it"
                : requests == 1
                        ? "1 complete request stands before it: --allow-truncated reads it"
                        : requests + " complete requests stand before it: --allow-truncated reads them";
    }

    private static String digest(MappedFile file, RequestTable requests) {
        Sha256 digest = new Sha256();
        ByteBuffer[] views = new ByteBuffer[file.count()];
        for (int i = 0; i < views.length; i++) {
            views[i] = file.mapping(i).duplicate();
        }
        for (long request = 0; request < requests.size(); request++) {
            int fragments = requests.fragments(request);
            for (int fragment = 0; fragment < fragments; fragment++) {
                long offset = requests.offset(request, fragment);
                int at = file.position(offset);
                ByteBuffer view = views[file.index(offset)];
                view.limit(at + requests.length(request, fragment)).position(at);
                digest.add(view);
            }
        }
        return digest.hex();
    }

    /** Returns the file. */
    public Path path() {
        return path;
    }

    /** Returns the SHA-256 of the whole file in lower-case hexadecimal. */
    public String sha256() {
        return sha256;
    }

    /** Returns the SHA-256 of the bytes of all complete requests in capture order, in lower-case hexadecimal. */
    public String streamSha256() {
        return streamSha256;
    }

    /** Returns the number of connections. */
    public int connectionCount() {
        return connections.size();
    }

    /** Returns the number of complete requests. */
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

    /** Returns the connection of a request. */
    public int connection(long request) {
        return requests.connection(request);
    }

    /** Returns how many complete requests precede this one on its connection. */
    public int indexInConnection(long request) {
        return requests.indexInConnection(request);
    }

    /** Returns of how many pieces a request is made, mostly 1; a piece may be empty. */
    public int fragments(long request) {
        return requests.fragments(request);
    }

    /** Returns the bytes of one piece of a request. */
    public int fragmentLength(long request, int fragment) {
        return requests.length(request, fragment);
    }

    /** Returns the bytes of a request. */
    public long requestLength(long request) {
        return requests.length(request);
    }

    /** Returns the mapping that holds a piece of a request as a whole. */
    public int mapping(long request, int fragment) {
        return file.index(requests.offset(request, fragment));
    }

    /** Returns where in its mapping a piece of a request begins. */
    public int offset(long request, int fragment) {
        return file.position(requests.offset(request, fragment));
    }

    /** Returns the number of mappings. */
    public int mappingCount() {
        return file.count();
    }

    /** Returns a new read-only view of a mapping, about 1 GiB of the file. */
    public ByteBuffer mapping(int index) {
        return file.mapping(index).asReadOnlyBuffer();
    }

    /** Returns when a connection was opened, in ns since the capture's start. */
    public long openedNs(int connection) {
        return connections.openedNs(connection);
    }

    /** Returns when a connection ended, or was last heard of, in ns since the capture's start. */
    public long closedNs(int connection) {
        return connections.closedNs(connection);
    }

    /** Returns why a connection ended. */
    public CloseReason closeReason(int connection) {
        return connections.closeReason(connection);
    }

    /** Returns the number of complete requests on a connection. */
    public long requestCount(int connection) {
        return connections.requests(connection);
    }

    /** Returns what a connection's bytes were recognised as, at last. */
    public Protocol protocol(int connection) {
        return connections.protocol(connection);
    }

    /** Returns a client's address such as {@code 127.0.0.1:40312} or {@code [::1]:40312}, or "unknown". */
    public String clientAddress(int connection) {
        return connections.clientAddress(connection);
    }

    /** Returns the address that a client connected to, or "unknown". */
    public String serverAddress(int connection) {
        return connections.serverAddress(connection);
    }

    /** Hands every record to a handler, in file order, also those outside complete requests. */
    public void forEachRecord(RecordHandler handler) {
        CaptureRecord record = new CaptureRecord(file);
        for (long block = CaptureFormat.HEADER_BYTES; block < endOffset; ) {
            ByteBuffer bytes = file.mapping(file.index(block));
            int at = file.position(block);
            long records = block + CaptureFormat.BLOCK_HEADER_BYTES;
            long end = records + bytes.getInt(at + CaptureFormat.BLOCK_STORED_BYTES);
            if ((bytes.get(at + CaptureFormat.BLOCK_KIND) & 0xFF) == CaptureFormat.KIND_RECORDS) {
                long baseNs = bytes.getLong(at + CaptureFormat.BLOCK_BASE_NS);
                for (long offset = records; offset < end; ) {
                    offset = record.moveTo(offset, baseNs);
                    if (!handler.onRecord(record)) {
                        return;
                    }
                }
            }
            block = end;
        }
    }

    /**
     * Does nothing at once: the mappings end when this capture and every view of it are garbage, because memory that a
     * socket may still read from must not be unmapped.
     */
    @Override
    public void close() {}
}
