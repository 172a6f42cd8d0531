package dev.lockstep.conversion.imports;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.conversion.NewCapture;
import dev.lockstep.tap.RecordedConnection;
import dev.lockstep.tap.TrafficRecorder;
import dev.lockstep.tap.TrafficStatus;
import java.net.InetSocketAddress;
import java.util.stream.Collectors;

/**
 * Records imported traffic: makes the capture when the first connection begins, whose time becomes the capture's start.
 * Used by one thread, which closes it. All times are in ns since 1970.
 */
final class ImportSink implements AutoCloseable {
    /** What is wrong where nothing was recorded by then. */
    static final String STOPPED_AT_ONCE = "the import was ended by a signal before anything was recorded";

    private final ImportConfig config;
    private final String format;
    /** Takes whole requests of files that do not keep connections. */
    final RebuiltConnections requests = new RebuiltConnections(this);

    /** Null before it is begun. */
    private NewCapture capture;

    private TrafficRecorder recorder;
    private long startNs;
    private long lastNs;

    ImportSink(ImportConfig config, ImportFormat format) {
        this.config = config;
        this.format = format.label();
    }

    /** The capture starts at the time of the first call. */
    TrafficRecorder recorder(long nowNs) {
        if (recorder == null) {
            CaptureOptions.Builder options = config.captureOptions()
                    .waitForDisk(true)
                    .startedAt(nowNs, nowNs)
                    .filters(filters());
            if (config.redaction() != null) {
                options.redaction(config.redaction().description());
            }
            capture = NewCapture.begin(config.output(), options.build());
            recorder = new TrafficRecorder(capture.writer(), config.protocol(), config.redaction());
            startNs = nowNs;
            lastNs = nowNs;
        }
        return recorder;
    }

    /** Where the traffic is from, for the capture's header. */
    private String filters() {
        String ports = config.ports().isEmpty()
                ? ""
                : ", ports "
                        + config.ports().stream().sorted().map(String::valueOf).collect(Collectors.joining(", "));
        String text = "imported from " + format + ports;
        return text.length() > 255 ? text.substring(0, 255) : text;
    }

    /** As {@code TrafficRecorder.open}. */
    RecordedConnection open(long nowNs, InetSocketAddress client, InetSocketAddress server, boolean alreadyOpen) {
        happened(nowNs);
        return recorder(nowNs).open(nowNs, client, server, alreadyOpen);
    }

    /** Notes that something was recorded at a time. */
    void happened(long nowNs) {
        lastNs = Math.max(lastNs, nowNs);
    }

    /** From the first connection to what was recorded last. */
    long durationNs() {
        return lastNs - startNs;
    }

    /** Null when nothing was recorded. */
    TrafficStatus status() {
        return recorder == null ? null : recorder.status();
    }

    /** There is no use in reading on: the capture takes no more, and what comes counts as lost; or we are to stop. */
    boolean hasEnded() {
        return config.cancelled().getAsBoolean()
                || capture != null && capture.writer().totals().failure() != null;
    }

    /**
     * Closes what is open and completes the capture, if there is one.
     *
     * @param stopped whether there was more to read
     * @throws dev.lockstep.conversion.ConversionException where it is not whole, and what it was to replace is back
     */
    void complete(boolean stopped) {
        if (capture != null) {
            requests.closeAll(lastNs);
            recorder.noteUnsearched();
            capture.complete(stopped ? "the import was ended by a signal" : null);
        }
    }

    @Override
    public void close() {
        if (capture != null) {
            capture.close();
        }
    }
}
