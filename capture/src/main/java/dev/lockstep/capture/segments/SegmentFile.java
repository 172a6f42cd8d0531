package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.files.SegmentNames;
import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One file of a capture, open for reading, with its header. For one thread; who opens it closes it. */
public final class SegmentFile implements AutoCloseable {
    /** How often a torn summary is read, since it may be written just now. */
    private static final int SUMMARY_READS = 3;

    /** Its path, as it was given or found. */
    public final Path path;
    /** Its bytes, open until {@link #close}. */
    public final FileChannel channel;
    /** What the header says that never changes. */
    public final CaptureIdentity identity;
    /** What the header says of the end; that of an open recording when it cannot be trusted. */
    final CaptureSummary summary;
    /** What is wrong with the summary, or null. */
    final String summaryProblem;

    /** Its length in bytes when it was opened. */
    public final long length;

    private String nextProblem;

    private SegmentFile(Path path, FileChannel channel) throws IOException {
        this.path = path;
        this.channel = channel;
        ByteBuffer page = readHeader(channel);
        if (page.limit() == 0) {
            throw new CaptureException(path, 0, "the file is empty; a capture is made by \"replay record\"");
        }
        this.identity = CaptureIdentity.decode(path, page);
        // The header before the length: a file that is closed meanwhile must not seem cut.
        String problem = CaptureSummary.problem(page, CaptureFormat.HALF_BYTES);
        for (int read = 1; problem != null && read < SUMMARY_READS; read++) {
            page = readHeader(channel);
            if (page.limit() < CaptureFormat.HEADER_BYTES) {
                throw new IOException("the file has become shorter while it was read");
            }
            problem = CaptureSummary.problem(page, CaptureFormat.HALF_BYTES);
        }
        this.summaryProblem = problem;
        this.summary = problem == null ? CaptureSummary.decode(page, CaptureFormat.HALF_BYTES) : new CaptureSummary();
        this.length = channel.size();
    }

    /**
     * Opens a file and reads its header.
     *
     * @throws CaptureException when it is missing, no capture, or of a later format
     */
    public static SegmentFile open(Path path) {
        refuseWhatIsNoFile(path);
        try {
            FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
            try {
                return new SegmentFile(path, channel);
            } catch (IOException | RuntimeException | Error e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /** Opens the segment behind this one, or returns null when there is none. */
    public SegmentFile next() {
        Path next = nextPath();
        if (next == null || !Files.isRegularFile(next)) {
            return null;
        }
        try {
            SegmentFile file = open(next);
            if (file.identity.id.equals(identity.id) && file.identity.segment == identity.segment + 1) {
                return file;
            }
            file.close();
        } catch (CaptureException e) {
            // A file of this name is no segment when it is no capture, or its header is not written yet.
            nextProblem = e.getMessage();
        }
        return null;
    }

    /** Returns why a file that has the next segment's name could not be read, or null. */
    String nextProblem() {
        return nextProblem;
    }

    /** Returns the path that the segment behind this one has, or null when this one's name does not tell. */
    Path nextPath() {
        return SegmentNames.next(path, identity.segment);
    }

    /** Returns what to throw when a file cannot be read. */
    public static CaptureException unreadable(Path path, IOException e) {
        return new CaptureException(path, "cannot be read: " + CaptureException.reason(e), e);
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

    /**
     * Whether a recorder has the file open, by the lock that it holds. On a file system without locks the summary tells
     * that a recorder has ended; one that does not say so may go on.
     */
    boolean isBeingRecorded() {
        try (FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (IOException e) {
            return !closed();
        }
    }

    /** Whether its recorder went on since it was opened. */
    boolean hasGrown() throws IOException {
        return channel.size() > length;
    }

    /** Whether the recorder finished the file, well or early. */
    boolean closed() {
        return summary.state != CaptureSummary.State.OPEN;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }
}
