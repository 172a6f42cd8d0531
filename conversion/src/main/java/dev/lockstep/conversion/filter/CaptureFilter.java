package dev.lockstep.conversion.filter;

import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.CaptureTotals;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.capture.RecordType;
import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.NewCapture;
import dev.lockstep.conversion.SameFile;
import dev.lockstep.redaction.RedactionCounts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Makes a capture of parts of others, record by record, in memory that does not grow with them. Used by one thread.
 *
 * <p>It chooses requests and whole connections. A request that is left out changes nothing else of its connection:
 * fewer requests on the same connection, in the same order. A connection begins with the first request that is kept.
 * Records keep their times; the capture starts with the first record that is kept. Each further capture follows right
 * behind the one before, with connections of its own.
 *
 * <p>Mostly the first record of a request decides whether it is wanted. Until then it and what follows wait, so that
 * records stay in order.
 */
public final class CaptureFilter implements AutoCloseable {
    /** How much may wait for a decision. Beyond it, the decision is made by what is known. */
    private static final long MAX_WAITING_BYTES = 32L << 20;

    /** For how long behind the last request to look for the answers of those that are kept: some are never noted. */
    private static final long ANSWER_WAIT_NS = 60_000_000_000L;

    /** After how many records it looks whether there is any use in going on. */
    private static final int LOOK_EVERY = 256;

    private final FilterConfig config;
    private final Map<Integer, FilteredConnection> open = new HashMap<>();
    private final ArrayDeque<FilteredConnection.Waiting> waiting = new ArrayDeque<>();
    private long waitingBytes;

    private CaptureInfo firstInfo;
    /** How the captures were redacted, null for one that was not. */
    private final Set<String> redactionsBefore = new LinkedHashSet<>();

    /** Null before it is begun. */
    private NewCapture capture;

    private CaptureWriter writer;
    private boolean stopped;
    private long firstEpochNs;
    /** Added to the times of the capture being read. */
    private long shiftNs;
    /** Added to its connections' numbers. */
    private int shiftConnections;

    private int highestConnection = -1;
    private long lastNs;
    /** The time of the last record that is taken over: what goes on then ends there. */
    private long writtenNs;

    private long requestsRead;
    private long requestsKept;
    private long leftOutByPath;
    /** Kept requests whose end was not read yet. */
    private long unfinished;

    private long connectionsRead;
    private long redactions;
    private long cutBytes;
    private final List<String> missing = new ArrayList<>();
    /** Whether more may have been lost in the captures than is counted. */
    private boolean lossesUnknown;

    private final List<String> repeated = new ArrayList<>();
    private long lostConnections;
    private long lostRequests;
    private long lostBytes;
    private long redactedBefore;
    private long missedPackets;
    private long unsearchedConnections;
    private long unsearchedKeptBytes;
    private long unsearchedLeftOutBytes;
    private long unsearchedBodies;

    private CaptureFilter(FilterConfig config) {
        this.config = config;
    }

    /**
     * Returns when the new capture is complete.
     *
     * @throws ConversionException when nothing is left, or the new capture is not whole and would replace another
     * @throws dev.lockstep.capture.CaptureException when a capture cannot be read or is damaged, or the new one cannot
     *     be written
     */
    public static FilterReport run(FilterConfig config) {
        SameFile.refuse(config.inputs(), config.output());
        try (CaptureFilter filter = new CaptureFilter(config)) {
            List<Path> captures = filter.withoutLaterSegments();
            captures.forEach(filter::look);
            for (Path path : captures) {
                if (filter.requestsKept < config.limit() && !filter.stopped) {
                    filter.read(path);
                }
            }
            return filter.report();
        }
    }

    /** Returns the inputs but for segments that are read with another of them, as {@code capture*.bin} names them. */
    private List<Path> withoutLaterSegments() {
        Map<Path, Path> firsts = new HashMap<>();
        for (Path input : config.inputs()) {
            CaptureReader.laterSegments(input).forEach(later -> firsts.put(place(later), input));
        }
        List<Path> captures = new ArrayList<>();
        for (Path input : config.inputs()) {
            Path first = firsts.get(place(input));
            if (first == null) {
                captures.add(input);
            } else {
                repeated.add(input + " is read once, as a later file of the capture " + first);
            }
        }
        return captures;
    }

    private static Path place(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            throw ConversionException.because(path, "cannot be looked at", e);
        }
    }

    /** Notes what a capture's header says, for the new one's. */
    private void look(Path path) {
        try (CaptureReader reader = open(path)) {
            CaptureInfo info = reader.info();
            if (firstInfo == null) {
                firstInfo = info;
                firstEpochNs = ChronoUnit.NANOS.between(Instant.EPOCH, info.startedAt());
            }
            redactionsBefore.add(info.redaction());
        }
    }

    private CaptureReader open(Path path) {
        return CaptureReader.open(
                path, OpenOptions.defaults().allowTruncated(true).encryption(config.key()));
    }

    private void read(Path path) {
        try (CaptureReader reader = open(path)) {
            CaptureInfo info = reader.info();
            long epochShiftNs = ChronoUnit.NANOS.between(Instant.EPOCH, info.startedAt()) - shiftNs;
            int records = 0;
            long cutNs = -1;
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                if (++records % LOOK_EVERY == 0 && hasEnded()) {
                    // Of what is looked for behind the last request none lacks a capture.
                    stopped = cutNs < 0;
                    break;
                }
                lastNs = shiftNs + record.timeNs();
                if (cutNs < 0) {
                    writtenNs = lastNs;
                    if (isBehindAll(epochShiftNs + lastNs)) {
                        cutNs = lastNs;
                        close(connection -> !connection.awaitsAnswer());
                    }
                }
                if (cutNs < 0) {
                    take(record, epochShiftNs + lastNs);
                    settle(false);
                } else if (open.isEmpty() || lastNs - cutNs > ANSWER_WAIT_NS) {
                    break;
                } else {
                    takeAnswer(record);
                }
            }
            settle(true);
            endOfFile(path, reader.infoAtMost());
        }
    }

    /** No request from here on is kept. One that began in time is read to its end. */
    private boolean isBehindAll(long epochNs) {
        return unfinished == 0
                && waiting.isEmpty()
                && (config.endsBefore(lastNs, epochNs) || requestsKept >= config.limit());
    }

    /** There is no use in reading on: the new capture takes no more, or we are to stop. */
    private boolean hasEnded() {
        return config.cancelled().getAsBoolean()
                || writer != null && writer.totals().failure() != null;
    }

    private void endOfFile(Path path, CaptureInfo info) {
        close(connection -> true);
        cutBytes += info.cutBytes();
        lossesUnknown |= !info.lossesKnown() || info.missing() != null || info.cutBytes() > 0;
        if (info.missing() != null) {
            missing.add(info.missing());
        } else if (!info.lossesKnown()) {
            missing.add(path + ": what was lost of it is not known: "
                    + (info.summaryProblem() != null
                            ? "the counters of losses in its header cannot be read"
                            : info.closedProperly()
                                    ? "a recorder had not closed it before another went on, or it was filtered"
                                    : "its recorder was killed, or is still at it"));
        }
        if (info.closedProperly() && info.endedEarly() != null) {
            missing.add(path + ": ended early: " + CaptureInfo.reason(info.endedEarly()));
        }
        lostConnections += info.lostConnections();
        lostRequests += info.lostRequests();
        lostBytes += info.lostBytes();
        redactedBefore += info.redactedValues();
        missedPackets += info.missedPackets();
        unsearchedConnections += info.unsearchedConnections();
        unsearchedKeptBytes += info.unsearchedKeptBytes();
        unsearchedLeftOutBytes += info.unsearchedLeftOutBytes();
        unsearchedBodies += info.unsearchedBodies();
        shiftNs = lastNs;
        shiftConnections = highestConnection + 1;
    }

    /** Ends connections that go on. */
    private void close(Predicate<FilteredConnection> which) {
        List<FilteredConnection> ended = open.values().stream()
                .filter(which)
                .sorted(Comparator.comparingInt(connection -> connection.number))
                .collect(Collectors.toList());
        for (FilteredConnection connection : ended) {
            connection.close(writtenNs, CloseReason.RECORDING_ENDED);
            open.remove(connection.number);
        }
    }

    /** Takes, behind all requests that are kept, how they were answered. */
    private void takeAnswer(CaptureRecord record) {
        RecordType type = record.type();
        int number = shiftConnections + record.connection();
        FilteredConnection connection = record.connection() < 0 ? null : open.get(number);
        if (connection == null) {
            return;
        }
        if (type == RecordType.NO_ANSWER) {
            writtenNs = lastNs;
            connection.noAnswer(lastNs, record.unansweredRequest());
        } else if (type == RecordType.ANSWER) {
            writtenNs = lastNs;
            connection.answer(lastNs, record.answeredRequest(), record.answeredStatus());
        }
        // Behind a gap the recorder does not know which request an answer is for.
        if (type == RecordType.CONN_CLOSE || type == RecordType.GAP || !connection.awaitsAnswer()) {
            connection.close(writtenNs, CloseReason.RECORDING_ENDED);
            open.remove(number);
        }
    }

    private void take(CaptureRecord record, long epochNs) {
        RecordType type = record.type();
        if (type == RecordType.CONN_OPEN) {
            int number = shiftConnections + record.connection();
            if (number <= highestConnection) {
                return; // it goes on in another segment
            }
            highestConnection = number;
            connectionsRead++;
            if (config.wantsConnection(number)) {
                FilteredConnection connection = new FilteredConnection(this, number, record.connectionStart());
                open.put(number, connection);
                if (!config.choosesRequests()) {
                    connection.begin(lastNs);
                }
            }
            return;
        }
        if (type == RecordType.DATA_C2S && (record.flags() & RecordFlags.MESSAGE_END) != 0) {
            requestsRead++;
        }
        int number = shiftConnections + record.connection();
        FilteredConnection connection = type == null || record.connection() < 0 ? null : open.get(number);
        if (connection == null) {
            return;
        }
        switch (type) {
            case PROTOCOL:
                connection.protocol(lastNs, record.protocol());
                break;
            case DATA_C2S:
                connection.data(lastNs, epochNs, record.flags(), record.payload());
                break;
            case GAP:
                connection.gap(lastNs, record.missingBytes());
                break;
            case NO_ANSWER:
                connection.noAnswer(lastNs, record.unansweredRequest());
                break;
            case ANSWER:
                connection.answer(lastNs, record.answeredRequest(), record.answeredStatus());
                break;
            case HALF_CLOSE:
                connection.halfClose(lastNs);
                break;
            case CONN_CLOSE:
                connection.close(lastNs, record.closeReason());
                open.remove(number);
                break;
            default:
        }
    }

    FilterConfig config() {
        return config;
    }

    /** Whether a record can be written without a copy. */
    boolean nothingWaits() {
        return waiting.isEmpty();
    }

    /** Lets a record wait for those before it. */
    void await(FilteredConnection.Waiting one) {
        waiting.add(one);
        waitingBytes += one.bytes();
    }

    /** Writes what waits for no decision. At the end, or when too much waits, decides by what is known and writes. */
    private void settle(boolean all) {
        while (!waiting.isEmpty()) {
            FilteredConnection.Waiting first = waiting.peek();
            if (!first.isDecided()) {
                if (!all && waitingBytes <= MAX_WAITING_BYTES) {
                    return;
                }
                first.decide();
            }
            waiting.remove();
            waitingBytes -= first.bytes();
            first.write();
        }
    }

    /** Whether one more request may be kept; if so it counts. */
    boolean keepOneMore() {
        if (requestsKept >= config.limit()) {
            return false;
        }
        requestsKept++;
        unfinished++;
        return true;
    }

    /** A request has another path than is asked for. */
    void leftOutByPath() {
        leftOutByPath++;
    }

    /** A kept request has ended, or nothing more comes of it. */
    void keptOneEnded() {
        unfinished--;
    }

    void redacted(long values) {
        redactions += values;
        writer.redacted(values);
    }

    /** The capture begins at the time of the first call. */
    CaptureWriter writer(long nowNs) {
        if (writer == null) {
            CaptureOptions.Builder options = config.captureOptions()
                    .waitForDisk(true)
                    .startedAt(firstEpochNs + nowNs, nowNs)
                    .host(firstInfo.host())
                    .listen(firstInfo.listen())
                    .upstream(firstInfo.upstream())
                    .filters(FilterNotes.filters(firstInfo.filters(), config))
                    .sampling(FilterNotes.sampling(firstInfo.sampling(), config))
                    .redaction(redactionNote());
            if (options.build().comment() == null) {
                options.comment(firstInfo.comment());
            }
            capture = NewCapture.begin(config.output(), options.build());
            writer = capture.writer();
        }
        return writer;
    }

    private String redactionNote() {
        String before = redactionsBefore.size() == 1
                ? firstInfo.redaction()
                : FilterNotes.cut("differs: "
                        + redactionsBefore.stream()
                                .map(one -> one == null ? "none" : one)
                                .collect(Collectors.joining("; ")));
        if (config.redaction() == null) {
            return before;
        }
        String now = config.redaction().description();
        return FilterNotes.cut(before == null ? now : before + ", then " + now);
    }

    private FilterReport report() {
        if (writer == null && stopped) {
            throw new ConversionException(
                    config.output(), "not written: the filter was ended by a signal before it had anything to keep");
        }
        if (writer == null && connectionsRead == 0 && config.endsBefore(writtenNs, firstEpochNs + writtenNs)) {
            throw new ConversionException(
                    config.output(),
                    "not written: nothing was recorded before the end that was asked for; the first capture begins at "
                            + firstInfo.startedAt() + ", expected a later end");
        }
        if (writer == null) {
            throw new ConversionException(
                    config.output(),
                    "not written: of " + requestsRead + " requests on " + connectionsRead
                            + " connections none is left"
                            + (leftOutByPath > 0
                                    ? ", " + leftOutByPath + " have another path, which is matched as a whole"
                                    : "")
                            + "; expected less narrow filters");
        }
        writer.redacted(redactedBefore);
        writer.lost(lostConnections, lostRequests, lostBytes);
        if (lossesUnknown) {
            writer.lossesUnknown(cutBytes);
        }
        writer.missedPackets(missedPackets);
        noteUnsearched();
        capture.complete(stopped ? "the filter was ended by a signal" : null);
        CaptureTotals totals = writer.totals();
        return ImmutableFilterReport.of(
                requestsRead,
                connectionsRead,
                totals,
                lostConnections,
                lostRequests,
                lostBytes,
                leftOutByPath,
                redactions,
                cutBytes,
                missing,
                repeated,
                stopped);
    }

    /** What was left out before stays left out; what was kept before was searched again, if this filter redacts. */
    private void noteUnsearched() {
        if (config.redaction() == null) {
            writer.unsearched(unsearchedConnections, unsearchedKeptBytes, unsearchedLeftOutBytes, unsearchedBodies);
            return;
        }
        RedactionCounts counts = config.redaction().counts();
        writer.unsearched(
                counts.unsearchedConnections() + (unsearchedKeptBytes == 0 ? unsearchedConnections : 0),
                counts.unsearchedKeptBytes(),
                counts.unsearchedLeftOutBytes() + unsearchedLeftOutBytes,
                counts.unsearchedBodies());
    }

    @Override
    public void close() {
        if (capture != null) {
            capture.close();
        }
    }

    /** Keeps a payload beyond its record. */
    static ByteBuffer copy(ByteBuffer payload) {
        ByteBuffer copy = ByteBuffer.allocate(payload.remaining());
        copy.put(payload.duplicate());
        copy.flip();
        return copy;
    }
}
