package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.Findings;
import dev.lockstep.conversion.SameFile;
import dev.lockstep.packets.DamagedGzipException;
import dev.lockstep.tap.TrafficStatus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Turns recordings of other tools into a capture. Files are read as streams, whatever their length. Several are one
 * recording, in the order of their times.
 */
public final class TrafficImport {
    /** How many bytes of entries wait for others that happened earlier. */
    private static final long REORDER_BYTES = 32L << 20;

    private static final double SECOND_NS = 1e9;

    private final ImportConfig config;
    private final ImportFormat format;
    /** The unpacked bytes of the only file, or null where there are several. */
    private final InputStream opened;

    private final Findings skipped = new Findings();
    private final Findings changed = new Findings();
    private long untimedStartNs = Entry.NO_TIME;
    private long untimed;
    private boolean stopped;

    private TrafficImport(ImportConfig config, ImportFormat format, InputStream opened) {
        this.config = config;
        this.format = format;
        this.opened = opened;
    }

    /**
     * Returns when the capture is complete. One input is opened once and may be a pipe, or {@code -} for standard
     * input; several are opened twice, the first time to put them in order.
     *
     * @throws ConversionException when a file cannot be read, is of no known format, or holds nothing to record, or the
     *     capture is not whole and would replace another
     * @throws dev.lockstep.capture.CaptureException when the capture cannot be created
     */
    public static ImportReport run(ImportConfig config) {
        SameFile.refuse(config.inputs(), config.output());
        if (config.inputs().size() > 1) {
            return run(config, null);
        }
        Path path = config.inputs().get(0);
        try (InputStream opened = ImportFile.open(path)) {
            return run(config, opened);
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static ImportReport run(ImportConfig config, InputStream opened) {
        for (Path path : config.inputs()) {
            if (opened == null && ImportFile.isReadOnce(path)) {
                throw new ConversionException(
                        path, "is a pipe beside other files, which are read twice; write it to a file first");
            }
        }
        ImportFormat format = config.format() != null
                ? config.format()
                : recognise(config.inputs().get(0), opened);
        return format == ImportFormat.PCAP
                ? PcapImport.run(config, opened)
                : new TrafficImport(config, format, opened).entries();
    }

    /** Tells the format of a file by its first bytes, which stay to be read where it is open already. */
    private static ImportFormat recognise(Path path, InputStream opened) {
        try {
            if (opened != null) {
                return recognise(path, ImportFile.head(opened, Recognition.HEAD_BYTES));
            }
            try (InputStream in = ImportFile.open(path)) {
                return recognise(path, ImportFile.head(in, Recognition.HEAD_BYTES));
            }
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static ImportFormat recognise(Path path, byte[] head) {
        if (head.length == 0) {
            throw new ConversionException(path, "the file is empty");
        }
        if (Recognition.isCapture(head)) {
            throw new ConversionException(path, "is a capture already; \"replay filter\" makes another of it");
        }
        ImportFormat format = Recognition.of(head);
        if (format == null) {
            throw new ConversionException(
                    path,
                    "the format is not recognised; expected one of " + ImportFormat.labels() + ", --format forces one");
        }
        return format;
    }

    private static ConversionException unreadable(Path path, IOException e) {
        return ConversionException.because(path, "cannot be read", e);
    }

    /** One file's reader and its next entry. */
    private static final class Source {
        final ImportFile file;
        EntryReader reader;
        Entry next;
        long nextNs;
        /** The last time that the file said. */
        long saidNs = Entry.NO_TIME;

        Source(ImportFile file) {
            this.file = file;
        }
    }

    private ImportReport entries() {
        ImportSink sink = new ImportSink(config, format);
        ReorderWindow window = new ReorderWindow(REORDER_BYTES, sink);
        try (sink) {
            merge(window, sink);
            window.finish();
            sink.complete(stopped);
        }
        changed.add(
                "came more than " + (REORDER_BYTES >> 20) + " MiB behind their time: recorded later",
                null,
                window.late());
        TrafficStatus status = sink.status();
        if (status == null) {
            throw new ConversionException(
                    config.inputs().get(0),
                    stopped
                            ? ImportSink.STOPPED_AT_ONCE
                            : "nothing in it can be recorded" + Findings.because(changed, skipped));
        }
        return ImmutableImportReport.of(format, status, skipped.list(), changed.list(), sink.durationNs(), stopped);
    }

    /** Reads the files beside each other, each from the time of its first entry on. */
    private void merge(ReorderWindow window, ImportSink sink) {
        PriorityQueue<Source> due = new PriorityQueue<>(Comparator.comparingLong(source -> source.nextNs));
        try {
            for (Source source : inOrder()) {
                while (!due.isEmpty() && due.peek().nextNs < source.nextNs && !sink.hasEnded()) {
                    step(due, window);
                }
                if (sink.hasEnded()) {
                    stopped = true;
                    break;
                }
                advance(source);
                if (source.next != null) {
                    due.add(source);
                }
            }
            while (!due.isEmpty() && !sink.hasEnded()) {
                step(due, window);
            }
            stopped |= !due.isEmpty();
            while (!due.isEmpty()) {
                step(due, window); // what was read is not lost
            }
        } finally {
            for (Source source : due) {
                close(source);
            }
        }
    }

    /** The files by the times of their first entries. */
    private List<Source> inOrder() {
        boolean many = config.inputs().size() > 1;
        List<Source> sources = new ArrayList<>();
        for (Path path : config.inputs()) {
            ImportFile file = new ImportFile(path, config, skipped, changed, many, opened);
            Source source = new Source(file);
            if (many) {
                Findings unused = new Findings();
                Source first = new Source(new ImportFile(path, config, unused, unused, false, null));
                advance(first);
                source.nextNs = first.next == null ? Long.MIN_VALUE : first.next.timeNs;
                close(first);
            }
            sources.add(source);
        }
        sources.sort(Comparator.comparingLong(source -> source.nextNs));
        return sources;
    }

    private void step(PriorityQueue<Source> due, ReorderWindow window) {
        Source source = due.peek();
        if (source.next.timeNs != Entry.NO_TIME) {
            source.saidNs = source.next.timeNs;
        }
        window.add(source.next, source.saidNs == Entry.NO_TIME ? untimedNs() : source.saidNs);
        due.remove();
        advance(source);
        if (source.next != null) {
            due.add(source);
        }
    }

    /** The time of the n-th entry that has none. */
    private long untimedNs() {
        if (untimedStartNs == Entry.NO_TIME) {
            untimedStartNs = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
        }
        return untimedStartNs + (long) (untimed++ * SECOND_NS / config.rate());
    }

    /**
     * Reads a file's next entry; at its end, and where it cannot be read, there is none, and the file is closed. Once
     * the import is stopped, takes only what was read ahead.
     */
    private void advance(Source source) {
        source.next = null;
        try {
            if (source.reader == null) {
                source.reader = reader(source.file);
            }
            source.next = stopped ? source.reader.held() : source.reader.next();
        } catch (DamagedGzipException e) {
            source.file.damaged(e.getMessage(), null);
        } catch (IOException e) {
            throw unreadable(source.file.path, e);
        } finally {
            if (source.next == null) {
                close(source);
            }
        }
        if (source.next != null) {
            source.nextNs = source.next.timeNs;
        }
    }

    private EntryReader reader(ImportFile file) throws IOException {
        switch (format) {
            case HAR:
                return new HarReader(file);
            case GOR:
                return new GorReader(file);
            case ENVOY_TAP:
                return new EnvoyTapReader(file);
            case MITMPROXY:
                return new MitmReader(file);
            case ACCESS_LOG:
                return new AccessLogReader(file);
            case URLS:
                return new UrlListReader(file);
            case VEGETA:
                return new VegetaReader(file);
            default:
                throw new IllegalStateException(format + " has no entries");
        }
    }

    private static void close(Source source) {
        if (source.reader != null) {
            try {
                source.reader.close();
            } catch (IOException e) {
                throw unreadable(source.file.path, e);
            }
        }
    }
}
