package dev.lockstep.inspection;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.RecordType;
import dev.lockstep.capture.Sha256;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds out what is in a capture, in one pass over its records. Memory grows with the connections that are open at one
 * time and with the different names, both bounded or small, and not with the length of the capture. For one thread.
 */
public final class Inspection {
    private final InspectionOptions options;
    private final InspectionReport report;
    private final Map<Integer, ConnectionTrace> open = new HashMap<>();

    private Inspection(Path path, InspectionOptions options) {
        this.options = options;
        this.report = new InspectionReport(path, options);
    }

    /**
     * Inspects a capture. Damage ends the pass; the report says so and holds all before it.
     *
     * @throws CaptureException when this is no capture, or it cannot be read without another key
     */
    public static InspectionReport run(Path path, InspectionOptions options) {
        Inspection inspection = new Inspection(path, options);
        OpenOptions opening = OpenOptions.defaults().allowTruncated(true).encryption(options.key);
        try (CaptureReader reader = CaptureReader.open(path, opening)) {
            inspection.read(reader);
        }
        return inspection.report;
    }

    private void read(CaptureReader reader) {
        String damage = null;
        try {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                take(record);
            }
        } catch (CaptureException e) {
            damage = e.getMessage();
        }
        String missing = reader.info().missing();
        report.read(reader.info(), damage == null ? missing : damage, open.size());
        List<ConnectionTrace> left = new ArrayList<>(open.values());
        left.sort(Comparator.comparingInt(trace -> trace.facts.id));
        left.forEach(this::finish);
    }

    private void take(CaptureRecord record) {
        report.happened(record.timeNs());
        RecordType type = record.type();
        if (type == RecordType.CONN_OPEN) {
            if (!record.connectionStart().goesOn() || !open.containsKey(record.connection())) {
                open(record);
            }
            return;
        }
        ConnectionTrace trace = type == null ? null : open.get(record.connection());
        if (trace == null) {
            return;
        }
        trace.facts.lastNs = record.timeNs();
        switch (type) {
            case PROTOCOL:
                trace.protocol(record.protocol());
                break;
            case DATA_C2S:
                trace.data(record);
                break;
            case GAP:
                trace.missing(record.missingBytes());
                break;
            case NO_ANSWER:
                report.unansweredRequests++;
                break;
            case ANSWER:
                report.answers.add(record.answeredStatus());
                break;
            case CONN_CLOSE:
                trace.facts.closeReason = record.closeReason();
                trace.facts.isClosed = true;
                open.remove(record.connection());
                finish(trace);
                break;
            default:
        }
    }

    private void open(CaptureRecord record) {
        ConnectionFacts facts = new ConnectionFacts(record.connection(), record.connectionStart(), record.timeNs());
        report.connections++;
        report.alreadyOpenConnections += facts.alreadyOpen() ? 1 : 0;
        open.put(facts.id, new ConnectionTrace(facts, report, options.connections == null ? null : Sha256.begin()));
        report.openAtOnce(open.size());
    }

    private void finish(ConnectionTrace trace) {
        trace.end();
        report.ended(trace.facts);
        if (options.connections != null) {
            options.connections.accept(trace.facts);
        }
    }
}
