package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.Joining;
import dev.lockstep.capture.files.CaptureOutput;
import dev.lockstep.capture.files.SegmentOutputs;
import dev.lockstep.capture.format.CaptureIdentity;
import java.io.IOException;
import java.nio.file.Path;

/** The thread of a {@code CaptureWriter} that compresses, encrypts and writes its blocks, and completes its files. */
public final class WriterThread {
    private final Path path;
    private final SegmentOutputs outputs;
    private final CaptureOptions options;
    private final int indexCapacity;
    private final RecordAppender records;
    private final Thread thread;

    private final BlockCounts toldElsewhere = new BlockCounts();
    private BlockFile file;
    private SegmentFinisher finisher;
    private Block inFlight;

    /** Writes the blocks of an appender, first to the file that it begins in. */
    public WriterThread(
            Path path,
            SegmentOutputs outputs,
            CaptureOptions options,
            int indexCapacity,
            BlockFile file,
            RecordAppender records) {
        this.path = path;
        this.outputs = outputs;
        this.options = options;
        this.indexCapacity = indexCapacity;
        this.file = file;
        this.records = records;
        this.thread = new Thread(this::run, "lockstep-capture-writer");
        thread.setDaemon(true);
    }

    /** Begins to write. */
    public void start() {
        thread.start();
    }

    /** Waits until the files are closed, once the appender is closing. */
    public void awaitEnd() {
        Joining.untilEnd(thread);
    }

    /** Returns the last segment; after the end. */
    public int lastSegment() {
        return file.identity.segment;
    }

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
            records.awaitClosing();
            records.loseUnended();
            try {
                file.writeSummary(summary());
                file.force();
            } finally {
                file.close();
            }
            awaitFinisher(); // where a failure came before its end
        } catch (IOException e) {
            records.note(WriteFailure.of(path, e, " while closing the file"));
        }
    }

    /**
     * Writes blocks as they come.
     *
     * @param last whether to write what there is, and return; else it waits for more until the writer is closing
     */
    private void writeBlocks(boolean last) throws IOException {
        while ((inFlight = last ? records.pollBlock() : records.awaitBlock()) != null) {
            if (inFlight.segmentStart() != null) {
                rotate(inFlight.segmentStart());
            }
            int length = inFlight.length();
            file.write(inFlight);
            Block written = inFlight;
            inFlight = null;
            file.writeFullIndex();
            records.written(written, length, file.closedBytes());
        }
    }

    /** Begins the next segment, and has the one before finished on another thread, since that waits for the disk. */
    private void rotate(Block.SegmentStart start) throws IOException {
        CaptureIdentity next = file.identity.nextSegment(start.connectionsBefore, start.recordsBefore);
        awaitFinisher();
        BlockFile begun;
        CaptureOutput output = create(next.segment);
        try {
            begun = BlockFile.create(output, next, options, indexCapacity);
        } catch (IOException e) {
            output.close();
            outputs.discard(next.segment);
            throw e;
        }
        CaptureSummary summary = file.summary();
        summary.state = CaptureSummary.State.CLOSED;
        summary.goesOn = true;
        summary.lostConnections += file.counts.droppedConnections;
        summary.lostRequests += file.counts.droppedRequests;
        summary.lostBytes += file.counts.droppedBytes;
        toldElsewhere.add(file.counts);
        finisher = SegmentFinisher.start(file, summary);
        file = begun;
    }

    /**
     * Creates a segment's file. While too many files are open, as where clients take all that a process may have, the
     * blocks wait, as they do for a slow disk.
     */
    private CaptureOutput create(int segment) throws IOException {
        boolean last = false;
        while (true) {
            try {
                return outputs.create(segment);
            } catch (CaptureException e) {
                boolean passes = e.getMessage().contains("Too many open files");
                if (!passes || options.waitForDisk() || last) {
                    throw e;
                }
                // Those that had the files open have ended by then: it is tried once more.
                last = records.isClosing(options.flushIntervalNs());
            }
        }
    }

    private void awaitFinisher() throws IOException {
        if (finisher != null) {
            finisher.await();
        }
    }

    /** Ends the connections that are still open, and says what was lost at last. */
    private void putLastRecords() throws IOException {
        for (WrittenConnection connection : records.stillOpen()) {
            if (!records.endConnection(connection)) {
                writeBlocks(true); // makes room
                records.endConnection(connection);
            }
        }
        records.putLastLosses();
    }

    /** Ends the recording after a failed write. */
    private void fail(Throwable cause) {
        records.fail(WriteFailure.of(path, cause, " at offset " + file.fileBytes()), inFlight);
        inFlight = null;
        try {
            file.cutTornBlock();
            file.writeSummary(summary());
        } catch (IOException e) {
            // The file now ends in a torn block or says that it was not closed, and readers say so; the failure that
            // came first is the one to tell.
        }
    }

    private CaptureSummary summary() {
        CaptureSummary summary = file.summary();
        records.complete(summary, toldElsewhere);
        return summary;
    }
}
