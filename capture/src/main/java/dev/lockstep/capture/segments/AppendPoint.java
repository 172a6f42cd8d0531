package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.Compression;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** The end of a capture, as a writer needs to know it to go on there. Plain values of one thread. */
public final class AppendPoint {
    final Path firstPath;
    final Path path;
    /** The header of the file that is appended to. */
    public final CaptureIdentity identity;
    /** How long the file was when it was read. */
    final long fileBytes;

    final long endOffset;
    final long cutBytes;
    /** Whether nobody closed it, so that what its recorder had not written yet is lost. */
    final boolean leftOpen;

    final long lastIndex;
    final long blocks;
    final long records;
    final long recordsBefore;
    /** The time of the last record, in ns since the capture's start. */
    public final long lastTimeNs;

    final int nextNumber;
    final int nextConnection;
    final BlockCounts counts = new BlockCounts();
    final long lostConnections;
    final long lostRequests;
    final long lostBytes;
    final List<ReadConnection> openConnections;
    private final BlockList unindexed;

    private AppendPoint(Path firstPath, SegmentCursor end, CaptureCounts read) {
        SegmentConnections connections = end.connections;
        BlockCounts met = connections.counts();
        this.firstPath = firstPath;
        this.path = end.file.path;
        this.identity = end.file.identity;
        this.fileBytes = end.file.length;
        this.endOffset = end.offset();
        this.cutBytes = read.cutBytes;
        this.leftOpen = !end.file.closed();
        this.lastIndex = end.index.last();
        this.blocks = end.blockCount();
        this.records = end.records();
        this.recordsBefore = identity.before(CaptureFormat.NOTE_RECORDS_BEFORE);
        this.lastTimeNs = end.lastTimeNs();
        this.nextNumber = connections.opened();
        this.nextConnection = connections.nextWholeNumber();
        this.counts.connections = met.connections;
        this.counts.requests = met.requests;
        this.counts.dataBytes = met.dataBytes;
        this.counts.redactedValues = read.redactedValues;
        this.counts.missedPackets = read.missedPackets;
        this.counts.unsearched.add(read.unsearched);
        this.lostConnections = read.lostConnections;
        this.lostRequests = read.lostRequests;
        this.lostBytes = read.lostBytes;
        this.openConnections = connections.stillOpen();
        this.unindexed = end.index.unindexed;
    }

    /**
     * Reads a capture's last segment to its end.
     *
     * @throws CaptureException when it is damaged, being recorded, or does not fit the options
     */
    public static AppendPoint find(Path path, CaptureOptions options) {
        SegmentFile last = SegmentFile.open(path);
        int segment = last.identity.segment;
        if (segment != 0) {
            last.close();
            throw new CaptureException(
                    path,
                    "cannot be appended to: expected the first file of its capture, found the one with number "
                            + segment + "; name the first one, or record to another file");
        }
        for (SegmentFile next = last.next(); next != null; next = last.next()) {
            last.close();
            last = next;
        }
        OpenOptions open = OpenOptions.defaults().encryption(options.encryption());
        try (RecordCursor cursor = new RecordCursor(last, open, new ReadingMemory(), false)) {
            if (last.isBeingRecorded()) {
                throw new CaptureException(last.path, "is being recorded; stop that recorder before appending");
            }
            check(last, options);
            while (cursor.next()) {
                // to the end
            }
            return new AppendPoint(path, cursor.segment(), cursor.counts);
        }
    }

    /**
     * Returns a note on redaction without the key that follows its rules: a recorder that was killed took its key with
     * it. What is appended then has other tokens for the same values, but is redacted by the same rules.
     */
    private static String rules(String redaction) {
        int key = redaction == null ? -1 : redaction.lastIndexOf(CaptureFormat.NOTE_REDACTION_KEY);
        return key < 0 ? redaction : redaction.substring(0, key);
    }

    private static void check(SegmentFile file, CaptureOptions options) {
        CaptureIdentity identity = file.identity;
        if (!identity.encrypted() && options.encryption() != null) {
            throw new CaptureException(
                    file.path,
                    "cannot be appended to with a key: expected an encrypted capture, found one in the"
                            + " clear; record to another file");
        }
        String redaction = identity.note(CaptureFormat.NOTE_REDACTION);
        if (!Objects.equals(rules(redaction), rules(options.redaction()))) {
            throw differs(file, "redaction", redaction, options.redaction());
        }
        Compression compression = identity.compressed() ? Compression.ZSTD : Compression.NONE;
        if (options.compression() != null && options.compression() != compression) {
            throw differs(
                    file,
                    "compression",
                    compression.name().toLowerCase(Locale.ROOT),
                    options.compression().name().toLowerCase(Locale.ROOT));
        }
        String comment = identity.note(CaptureFormat.NOTE_COMMENT);
        if (options.comment() != null && !options.comment().equals(comment)) {
            throw differs(file, "comment", comment, options.comment());
        }
    }

    private static CaptureException differs(SegmentFile file, String what, String begunWith, String found) {
        return new CaptureException(
                file.path,
                "cannot be appended to: expected the " + what + " that it was begun with ("
                        + (begunWith == null ? "none" : begunWith) + "), found " + (found == null ? "none" : found)
                        + "; record with that, or to another file");
    }

    int unindexedBlocks() {
        return unindexed.size();
    }

    void putUnindexed(IndexBlock index) {
        for (int i = 0; i < unindexed.size() && unindexed.knows(i); i++) {
            index.add(
                    unindexed.offset(i),
                    unindexed.baseNs(i),
                    unindexed.firstRecord(i),
                    unindexed.lowConnection(i),
                    unindexed.highConnection(i));
        }
    }
}
