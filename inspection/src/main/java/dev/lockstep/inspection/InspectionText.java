package dev.lockstep.inspection;

import dev.lockstep.capture.CaptureInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes what is in captures for people. Recorded text is escaped, because a terminal could obey it. */
public final class InspectionText {
    private static final int NAME_LENGTH = 90;
    private static final String[] BYTE_UNITS = {"kB", "MB", "GB", "TB", "PB", "EB"};

    private final List<String> lines = new ArrayList<>();

    private InspectionText() {}

    /** A report as lines. */
    public static List<String> lines(InspectionReport report) {
        InspectionText text = new InspectionText();
        text.summary(report);
        text.metadata(report.info);
        text.losses(report);
        text.names("Protocols", report.protocols(), report.requests + report.http2Requests, report.options.top);
        text.names("Methods", report.methods(), report.requests + report.http2Requests, report.options.top);
        text.names(
                "Thrift functions", report.thriftMethods(), report.requests + report.http2Requests, report.options.top);
        text.names("Paths", report.paths(), report.requests + report.http2Requests, report.options.top);
        if (report.differentPaths() > report.paths().size()) {
            text.lines.add(
                    "  ... and " + (report.differentPaths() - report.paths().size()) + " more paths");
        }
        text.sizes(report);
        text.rates(report);
        text.largest(report);
        text.head(report);
        return text.lines;
    }

    private void summary(InspectionReport report) {
        CaptureInfo info = report.info;
        lines.add(Printable.of(report.path.toString(), 1000) + ": " + count(report.requests, "request") + " on "
                + count(report.connections, "connection") + ", " + bytes(report.bytes) + " in "
                + duration(report.durationNs()));
        if (report.http2Requests > 0) {
            lines.add("  and " + count(report.http2Requests, "request")
                    + " of HTTP/2, replayed with their connections, not with -c");
        }
        String ratio = info.compressed() && info.fileBytes() > 0 && info.dataBytes() > info.fileBytes()
                ? String.format(
                        Locale.ROOT,
                        ", %.1f times smaller than its bytes",
                        (double) info.dataBytes() / info.fileBytes())
                : "";
        lines.add("  file      " + bytes(info.fileBytes()) + " in " + count(info.segments(), "file") + ratio
                + (info.keyId() == null ? "" : ", encrypted by key " + Printable.of(info.keyId(), NAME_LENGTH))
                + ", format " + info.formatVersion());
    }

    private void metadata(CaptureInfo info) {
        String tool = info.toolVersion() == null ? "" : " by Lockstep " + Printable.of(info.toolVersion(), NAME_LENGTH);
        String host = info.host() == null ? "" : " on " + Printable.of(info.host(), NAME_LENGTH);
        lines.add("  recorded  " + info.startedAt() + tool + host);
        note("listen", info.listen());
        note("upstream", info.upstream());
        note("filters", info.filters());
        note("sampling", info.sampling());
        note("redaction", info.redaction());
        note("comment", info.comment());
        if (info.appends() > 0) {
            lines.add("  appended  " + count(info.appends(), "time")
                    + (info.repairedBytes() > 0 ? ", " + bytes(info.repairedBytes()) + " of torn ends cut off" : ""));
        }
    }

    private void note(String name, String text) {
        if (text != null) {
            lines.add(String.format(Locale.ROOT, "  %-10s%s", name, Printable.of(text, 300)));
        }
    }

    private void losses(InspectionReport report) {
        CaptureInfo info = report.info;
        if (report.damage() != null) {
            lines.add("DAMAGED, read to here: " + Printable.of(report.damage(), 1000));
        }
        if (info.cutBytes() > 0) {
            lines.add("CUT: " + bytes(info.cutBytes()) + " at the end of the file are torn and left out");
        }
        if (!info.closedProperly()) {
            lines.add("Not closed: the recorder was killed, or is still at it");
        }
        if (info.endedEarly() != null) {
            lines.add("Ended early: " + Printable.of(info.endedEarly(), 300));
        }
        if (info.lostConnections() > 0 || info.lostRequests() > 0 || info.lostBytes() > 0) {
            lines.add("LOST: " + count(info.lostRequests(), "request") + " (" + bytes(info.lostBytes()) + ") of "
                    + count(info.lostConnections(), "connection") + ", which the recorder could not keep up with");
        } else if (info.missedPackets() == 0 && report.gaps == 0) {
            lines.add("Lost nothing");
        }
        if (info.missedPackets() > 0) {
            lines.add("Dropped by the kernel: " + count(info.missedPackets(), "packet")
                    + "; what they held of clients is among the missing bytes");
        }
        if (report.gaps > 0) {
            lines.add("Missing: bytes of clients at " + count(report.gaps, "place")
                    + (report.gapBytes > 0 ? ", " + bytes(report.gapBytes) + " known" : ""));
        }
        if (report.incompleteRequests > 0) {
            lines.add(count(report.incompleteRequests, "request")
                    + " without an end or with a hole: replayed only where there is no hole, and not with -c");
        }
        if (report.opaqueConnections > 0) {
            lines.add(count(report.opaqueConnections, "connection") + " with " + bytes(report.opaqueBytes)
                    + " that are no requests: replayed as bytes over the recorded connections, not with -c");
        }
        if (report.alreadyOpenConnections > 0) {
            lines.add(count(report.alreadyOpenConnections, "connection") + " begun before the recording");
        }
        if (info.redactedValues() > 0) {
            lines.add(count(info.redactedValues(), "value")
                    + " replaced by tokens of the same length; targets that check them refuse");
        }
    }

    private void names(String title, Map<String, Long> counts, long all, int top) {
        if (counts.isEmpty()) {
            return;
        }
        lines.add("");
        lines.add(title);
        int shown = 0;
        for (Map.Entry<String, Long> entry : counts.entrySet()) {
            if (shown++ == top) {
                lines.add("  ... and " + (counts.size() - top) + " more");
                break;
            }
            lines.add(String.format(
                    Locale.ROOT,
                    "  %10d  %5.1f%%  %s",
                    entry.getValue(),
                    all == 0 ? 0 : 100.0 * entry.getValue() / all,
                    Printable.of(entry.getKey(), NAME_LENGTH)));
        }
    }

    private void sizes(InspectionReport report) {
        if (report.requests > 0) {
            lines.add("");
            lines.add("Bytes of a request: " + report.smallestSize() + " least, "
                    + report.sizeAtPercentile(50) + " median, " + report.sizeAtPercentile(90) + " p90, "
                    + report.sizeAtPercentile(99) + " p99, " + report.largestSize() + " most");
        }
    }

    private void rates(InspectionReport report) {
        if (report.requests + report.http2Requests > 1) {
            lines.add("");
            lines.add("Requests per second, a column is " + duration(report.rates.columnNs()));
            lines.addAll(report.rates.chart());
            lines.add("          +" + "-".repeat(report.rates.ratesPerSec().size()));
        }
    }

    private void largest(InspectionReport report) {
        if (!report.largestConnections().isEmpty()) {
            lines.add("");
            lines.add("Largest connections");
            for (ConnectionFacts connection : report.largestConnections()) {
                lines.add("  " + line(connection));
            }
        }
    }

    /** A connection in one line. */
    public static String line(ConnectionFacts connection) {
        return "#" + connection.id + " " + connection.client() + " -> " + connection.server() + " "
                + connection.protocol.label() + ", " + count(connection.requests, "request") + ", "
                + bytes(connection.bytes) + ", " + duration(connection.lastNs - connection.openedNs) + ", "
                + connection.printedCloseReason() + (connection.gaps > 0 ? ", " + count(connection.gaps, "gap") : "")
                + (connection.sha256 == null ? "" : ", sha256 " + connection.sha256);
    }

    private void head(InspectionReport report) {
        if (!report.head.isEmpty()) {
            lines.add("");
            lines.add("First requests");
            for (RequestLine line : report.head) {
                lines.add(String.format(
                        Locale.ROOT,
                        "  %12.6f s  #%-5d %-8s %s%s",
                        line.timeNs / 1e9,
                        line.connection.id,
                        Printable.of(line.facts.method(), 40),
                        line.facts.target() == null
                                ? "(" + line.protocol.label() + ")"
                                : (line.facts.host() == null ? "" : Printable.of(line.facts.host(), NAME_LENGTH) + " ")
                                        + Printable.of(line.facts.target(), 200),
                        line.bytes > 0 ? "  " + bytes(line.bytes) : ""));
            }
        }
    }

    private static String count(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    private static String bytes(long bytes) {
        if (bytes < 1000) {
            return count(bytes, "byte");
        }
        double amount = bytes;
        int unit = -1;
        while (amount >= 999.95) {
            amount /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", amount, BYTE_UNITS[unit]);
    }

    private static String duration(long ns) {
        if (ns < 1_000_000_000L) {
            return String.format(Locale.ROOT, "%.1f ms", ns / 1e6);
        }
        Duration duration = Duration.ofNanos(ns);
        return ns < 60_000_000_000L
                ? String.format(Locale.ROOT, "%.1f s", ns / 1e9)
                : duration.toHours() > 0
                        ? duration.toHours() + " h " + duration.toMinutesPart() + " min"
                        : duration.toMinutes() + " min " + duration.toSecondsPart() + " s";
    }
}
