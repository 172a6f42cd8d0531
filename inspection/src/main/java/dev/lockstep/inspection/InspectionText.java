package dev.lockstep.inspection;

import static dev.lockstep.measurement.Quantities.bytes;
import static dev.lockstep.measurement.Quantities.count;
import static dev.lockstep.measurement.Quantities.duration;

import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.measurement.Quantities;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes what is in captures for people: one screen of 80 columns, or all. Recorded text is escaped, because a terminal
 * could obey it.
 */
public final class InspectionText {
    private static final int WIDTH = 80;
    private static final int LABEL_WIDTH = 13;
    private static final int NAME_LENGTH = 90;
    /** How many lines of the screen the paths take at most. */
    private static final int SCREEN_PATHS = 8;

    /** How many status codes of a class of errors are shown. */
    private static final int SHOWN_CODES = 3;

    private static final int CHART_ROWS = 5;
    private static final int CHART_MARGIN = 10;
    /** With fewer requests a chart shows nothing that the figures do not say. */
    private static final int CHART_REQUESTS = 10;

    /** Shorter pauses, and charts of shorter captures, say nothing. */
    private static final long TOLD_PAUSE_NS = 1_000_000_000L;

    private final InspectionReport report;
    private final CaptureInfo info;
    private final int width;
    private final List<String> lines = new ArrayList<>();
    private final Map<String, String> labelled = new LinkedHashMap<>();

    private InspectionText(InspectionReport report, int width) {
        this.report = report;
        this.info = report.info;
        this.width = width;
    }

    /** What is not in a capture, and what is not as it was sent: a line each, of any length. */
    static List<String> missing(InspectionReport report) {
        InspectionText text = new InspectionText(report, Integer.MAX_VALUE);
        text.losses();
        return text.lines;
    }

    /** What it holds, by labels. */
    static Map<String, String> facts(InspectionReport report) {
        InspectionText text = new InspectionText(report, Integer.MAX_VALUE);
        text.load();
        return text.labelled;
    }

    /**
     * A report as lines.
     *
     * @param full whether to write all lists, with as many lines as the report's options say, and the largest
     *     connections; otherwise about 40 lines
     */
    public static List<String> lines(InspectionReport report, boolean full) {
        InspectionText text = new InspectionText(report, WIDTH);
        text.summary(full);
        text.losses();
        text.add("");
        text.load();
        text.names(full);
        text.rates();
        text.largest(full);
        text.head();
        return text.lines;
    }

    // ---- The file.

    private void summary(boolean full) {
        add(Printable.of(report.path.toString(), 1000) + ": " + size(report));
        if (report.http2Requests > 0) {
            add("  and " + count(report.http2Requests, "request")
                    + " of HTTP/2, replayed with their connections, not with -c");
        }
        add("  from      " + span(report));
        String tool = info.toolVersion() == null ? "" : " by Lockstep " + Printable.of(info.toolVersion(), NAME_LENGTH);
        String host = info.host() == null ? "" : " on " + Printable.of(info.host(), NAME_LENGTH);
        add("  written  " + (tool.isEmpty() && host.isEmpty() ? " by an unknown tool" : tool + host));
        add("  file      " + file(report));
        note("listen", info.listen());
        note("upstream", info.upstream());
        note("filters", info.filters());
        note("sampling", info.sampling());
        if (full) {
            note("redaction", info.redaction());
        }
        note("comment", info.comment());
        if (info.appends() > 0) {
            add("  appended  " + count(info.appends(), "time")
                    + (info.repairedBytes() > 0 ? ", " + bytes(info.repairedBytes()) + " of torn ends cut off" : ""));
        }
    }

    /** How much is in it. */
    static String size(InspectionReport report) {
        return count(report.requests, "request") + " on " + count(report.connections, "connection") + ", "
                + bytes(report.bytes) + " in " + duration(report.durationNs());
    }

    /** From when to when. */
    static String span(InspectionReport report) {
        return moment(report.startedAt()) + " to " + moment(report.endedAt());
    }

    private static String moment(Instant time) {
        return Quantities.moment(time.atOffset(ZoneOffset.UTC));
    }

    /** What kind of file it is. */
    static String file(InspectionReport report) {
        CaptureInfo info = report.info;
        String ratio = info.compressed() && info.fileBytes() > 0 && info.dataBytes() > info.fileBytes()
                ? String.format(
                        Locale.ROOT,
                        ", %.1f times smaller than its bytes",
                        (double) info.dataBytes() / info.fileBytes())
                : "";
        return bytes(info.fileBytes()) + " in " + count(info.segments(), "file") + ratio
                + (info.keyId() == null ? "" : ", encrypted by key " + Printable.of(info.keyId(), NAME_LENGTH))
                + ", format " + info.formatVersion();
    }

    private void note(String name, String text) {
        if (text != null) {
            add(String.format(Locale.ROOT, "  %-10s%s", name, Printable.of(text, 300)));
        }
    }

    // ---- What is not in it.

    private void losses() {
        if (report.damage() != null) {
            add("DAMAGED, read to here: " + Printable.of(report.damage(), 1000));
        }
        if (info.cutBytes() > 0) {
            add("CUT: " + bytes(info.cutBytes()) + " up to the end of the recording are torn or missing, and left out");
        }
        if (info.summaryProblem() != null) {
            add("TORN SUMMARY: whether anything was lost is not known, because the counters of losses in the file's"
                    + " header cannot be read (" + info.summaryProblem() + ")");
        } else if (!info.closedProperly() && report.damage() == null) {
            add("Not closed: what wrote it was killed, or is still at it"
                    + (info.cutBytes() > 0 ? ", or the file was cut later" : ""));
        }
        if (info.endedEarly() != null) {
            add("Ended early: " + Printable.of(CaptureInfo.reason(info.endedEarly()), 300));
        }
        if (info.lostConnections() > 0 || info.lostRequests() > 0 || info.lostBytes() > 0) {
            add("LOST: " + count(info.lostRequests(), "request") + " (" + bytes(info.lostBytes()) + ") of "
                    + count(info.lostConnections(), "connection") + ": the disk could not follow, or failed");
        } else if (info.lossesKnown() && info.missedPackets() == 0 && report.gaps == 0) {
            add(
                    info.cutBytes() > 0 || report.damage() != null
                            ? "Lost nothing else, as far as it was recorded"
                            : "Lost nothing");
        } else if (!info.lossesKnown() && info.summaryProblem() == null) {
            add(
                    info.closedProperly()
                            ? "No loss is noted; what a recorder lost that had not closed its file, before another"
                                    + " went on or it was filtered, is not known"
                            : "No loss is noted up to where the file ends; the counters of losses are written when it is"
                                    + " closed");
        }
        if (info.missedPackets() > 0) {
            add("Dropped by the kernel: " + count(info.missedPackets(), "packet")
                    + "; what they held of clients is among the missing bytes");
        }
        if (report.gaps > 0) {
            add("Missing: bytes of clients at " + count(report.gaps, "place")
                    + (report.gapBytes > 0 ? ", " + bytes(report.gapBytes) + " known" : ""));
        }
        if (report.incompleteRequests > 0) {
            add(count(report.incompleteRequests, "request")
                    + " without an end or with a hole: replayed only where there is no hole, and not with -c");
        }
        if (report.opaqueConnections > 0) {
            add(count(report.opaqueConnections, "connection") + " with " + bytes(report.opaqueBytes)
                    + " that are no requests: replayed as bytes over the recorded connections, not with -c");
        }
        if (report.alreadyOpenConnections > 0) {
            add(count(report.alreadyOpenConnections, "connection") + " begun before the recording");
        }
        if (info.unsearchedKeptBytes() > 0) {
            lines.add("NOT SEARCHED for secrets but for headers and parameters: " + bytes(info.unsearchedKeptBytes())
                    + " of " + count(info.unsearchedConnections(), "connection") + ", in the file");
        }
        if (info.unsearchedLeftOutBytes() > 0) {
            lines.add(
                    "Left out: " + bytes(info.unsearchedLeftOutBytes()) + " of "
                            + count(info.unsearchedConnections(), "connection")
                            + " that could not be searched for secrets; they are among the missing bytes, those of HTTP/2 overwritten");
        }
        if (info.unsearchedBodies() > 0) {
            lines.add("NOT SEARCHED for secrets: "
                    + (info.unsearchedBodies() == 1 ? "1 body" : info.unsearchedBodies() + " bodies")
                    + ", in the file");
        }
        if (info.redactedValues() > 0) {
            add(count(info.redactedValues(), "value")
                    + " replaced by tokens of the same length; targets that check them refuse");
        }
    }

    // ---- What it holds.

    private void load() {
        long requests = report.allRequests();
        RequestTimes times = report.times;
        if (requests > 0) {
            double seconds = Math.max(1, report.durationNs()) / 1e9;
            labelled(
                    "Rate",
                    (seconds >= 1 ? perSec(requests / seconds) + "/s on average, " : "") + times.busiestCount
                            + " in the busiest second, " + second(times.busiestNs));
        }
        if (times.longestPauseNs >= TOLD_PAUSE_NS) {
            labelled("Longest pause", duration(times.longestPauseNs) + " from " + second(times.longestPauseFromNs));
        }
        if (report.requests > 0) {
            labelled(
                    "Request bytes",
                    report.smallestSize() + " least, " + report.sizeAtPercentile(50) + " median, "
                            + report.sizeAtPercentile(90) + " p90, " + report.sizeAtPercentile(99) + " p99, "
                            + report.largestSize() + " most");
        }
        if (report.connections > 0) {
            labelled(
                    "Connections",
                    "most open at once: " + report.mostOpenConnections + ", at " + second(report.mostOpenNs) + "; "
                            + String.format(Locale.ROOT, "%.1f", (double) requests / report.connections)
                            + " requests each");
        }
        if (report.pipelinedRequests > 0) {
            labelled(
                    "Pipelined",
                    count(report.pipelinedRequests, "request") + " sent before the one ahead was answered"
                            + share(report.pipelinedRequests, requests));
        }
        if (report.answers.known() > 0) {
            labelled("Answers", answers());
        }
        if (report.unansweredRequests > 0) {
            labelled("Oneway", count(report.unansweredRequests, "call") + " without an answer");
        }
    }

    /** How the recorded server answered, by classes, the usual ones first. */
    private String answers() {
        AnswerCounts answers = report.answers;
        String mix = answers.classes().entrySet().stream()
                .map(kind -> kind.getKey() + " " + percent(kind.getValue(), answers.known()) + codes(kind.getKey()))
                .collect(Collectors.joining(", "));
        long requests = report.allRequests();
        return mix + (answers.known() < requests ? "; of " + answers.known() + " known" : "");
    }

    /** The commonest status codes of a class of errors. */
    private String codes(String kind) {
        if (!kind.startsWith("4") && !kind.startsWith("5")) {
            return "";
        }
        return report.answers.byStatus().entrySet().stream()
                .filter(code -> code.getKey().startsWith(kind.substring(0, 1)))
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(SHOWN_CODES)
                .map(code -> code.getKey() + ": " + code.getValue())
                .collect(Collectors.joining(", ", " (", ")"));
    }

    private static String percent(long part, long whole) {
        double percent = 100.0 * part / whole;
        if (part == whole) {
            return "100 %";
        }
        if (percent < 0.1) {
            return "under 0.1 %";
        }
        return percent > 99.9 ? "over 99.9 %" : String.format(Locale.ROOT, "%.1f %%", percent);
    }

    /** The second of the wall clock in which something was. */
    private String second(long timeNs) {
        return moment(report.at(timeNs));
    }

    private void names(boolean full) {
        long requests = report.allRequests();
        boolean byConnection = requests == 0;
        if (full) {
            list("Protocols, by connections", report.protocolConnections(), report.connections, 0);
        } else {
            allProtocols();
        }
        names(full, "HTTP", report.httpVersions);
        names(full, "Methods", report.methods);
        if (full) {
            names(true, "Thrift functions", report.thriftMethods);
        }
        names(full, "Hosts", report.hosts);
        names(full, "Clients", byConnection ? report.clientConnections : report.clients);
        names(full, "Servers", byConnection ? report.serverConnections : report.servers);
        int lines = full ? report.options.top : Math.min(report.options.top, SCREEN_PATHS);
        Map<String, Long> templates = report.pathTemplates.top(lines);
        list(
                "Paths, with N for a number and ID for an id" + tooLow(report.pathTemplates),
                templates,
                requests,
                report.pathTemplates.size() - templates.size());
        if (full) {
            Map<String, Long> paths = report.paths.top(lines);
            list("Paths as sent" + tooLow(report.paths), paths, requests, report.paths.size() - paths.size());
        }
    }

    /** However many there are: they are few kinds, and the rarest may matter most. */
    private void allProtocols() {
        if (!report.protocolConnections().isEmpty()) {
            labelled(
                    "Protocols",
                    report.protocolConnections().entrySet().stream()
                            .map(one -> one.getKey() + " " + count(one.getValue(), "connection"))
                            .collect(Collectors.joining(", ")));
        }
    }

    private void names(boolean full, String title, NameCounts counts) {
        Map<String, Long> top = counts.top(full ? report.options.top : SCREEN_PATHS);
        int more = counts.size() - top.size();
        boolean byConnection = report.allRequests() == 0;
        if (full) {
            list(
                    title + (byConnection ? ", by connections" : "") + tooLow(counts),
                    top,
                    byConnection ? report.connections : report.allRequests(),
                    more);
        } else {
            oneLine(title + (counts.tooLowBy() > 0 ? " ~" : ""), top, byConnection ? "connection" : "", more);
        }
    }

    private static String tooLow(NameCounts counts) {
        return counts.tooLowBy() == 0
                ? ""
                : " (more than " + NameCounts.MAX_NAMES + " names: each count may be " + counts.tooLowBy()
                        + " too low)";
    }

    /** Writes names and counts on one line, as many as it has room for. */
    private void oneLine(String label, Map<String, Long> counts, String noun, int more) {
        if (counts.isEmpty()) {
            return;
        }
        StringBuilder line = new StringBuilder();
        int left = counts.size() + more;
        for (Map.Entry<String, Long> entry : counts.entrySet()) {
            String one = Printable.ofBytes(entry.getKey(), 40) + " "
                    + (noun.isEmpty() ? Long.toString(entry.getValue()) : count(entry.getValue(), noun));
            String rest = left > 1 ? " and " + (left - 1) + " more" : "";
            if (line.length() > 0 && LABEL_WIDTH + 1 + line.length() + 2 + one.length() + rest.length() > WIDTH) {
                break;
            }
            line.append(line.length() == 0 ? "" : ", ").append(one);
            left--;
        }
        labelled(label, line + (left > 0 ? " and " + left + " more" : ""));
    }

    private void list(String title, Map<String, Long> counts, long all, int more) {
        if (counts.isEmpty()) {
            return;
        }
        add("");
        add(title);
        counts.forEach((name, count) -> lines.add(String.format(
                Locale.ROOT,
                "  %10d  %5.1f%%  %s",
                count,
                all == 0 ? 0 : 100.0 * count / all,
                Printable.ofBytes(name, NAME_LENGTH))));
        if (more > 0) {
            add("  ... and " + more + " more");
        }
    }

    private static String share(long count, long all) {
        return all == 0 ? "" : String.format(Locale.ROOT, " (%.1f %%)", 100.0 * count / all);
    }

    private static String perSec(double rate) {
        return rate >= 100
                ? String.format(Locale.ROOT, "%.0f", rate)
                : rate >= 0.01 ? String.format(Locale.ROOT, "%.3g", rate) : String.format(Locale.ROOT, "%.2g", rate);
    }

    // ---- The chart.

    private void rates() {
        RequestTimes.Rates rates = report.times.rates();
        if (report.allRequests() < CHART_REQUESTS || report.durationNs() < TOLD_PAUSE_NS) {
            return;
        }
        add("");
        add("Requests per second; each column is the mean of " + duration(rates.columnNs));
        double highest = Collections.max(rates.perSec);
        for (int row = CHART_ROWS; row >= 1; row--) {
            StringBuilder line = new StringBuilder(
                    String.format(Locale.ROOT, "%" + CHART_MARGIN + "s |", row == CHART_ROWS ? perSec(highest) : ""));
            for (int column = 0; column < rates.perSec.size(); column++) {
                double rate = rates.perSec.get(column);
                // A column with any request shows it.
                boolean filled = rate / highest * CHART_ROWS > row - 0.5 || row == 1 && rate > 0;
                line.append(isCut(rates, column) ? "~" : "").append(filled ? '#' : ' ');
            }
            lines.add(line.toString().stripTrailing());
        }
        StringBuilder axis = new StringBuilder(String.format(Locale.ROOT, "%" + CHART_MARGIN + "s +", "0"));
        for (int column = 0; column < rates.perSec.size(); column++) {
            axis.append(isCut(rates, column) ? "~-" : "-");
        }
        add(axis.toString());
        for (RequestTimes.Pause pause : rates.pauses) {
            add(" ".repeat(CHART_MARGIN) + " ~ cut out: " + duration(pause.toNs - pause.fromNs)
                    + " without a request from " + second(pause.fromNs));
        }
    }

    private static boolean isCut(RequestTimes.Rates rates, int column) {
        return rates.pauses.stream().anyMatch(pause -> pause.beforeColumn == column);
    }

    // ---- Connections and requests.

    private void largest(boolean full) {
        List<ConnectionFacts> largest = full ? report.largestConnections() : List.of();
        if (!largest.isEmpty()) {
            add("");
            add("Largest connections");
            largest.forEach(connection -> lines.add("  " + line(connection)));
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

    private void head() {
        if (!report.head.isEmpty()) {
            add("");
            add("First requests");
            for (RequestLine line : report.head) {
                lines.add(String.format(
                        Locale.ROOT,
                        "  %12.6f s  #%-5d %-8s %s%s",
                        line.timeNs / 1e9,
                        line.connection.id,
                        Printable.ofBytes(line.facts.method(), 40),
                        line.facts.target() == null
                                ? "(" + line.protocol.label() + ")"
                                : (line.facts.host() == null
                                                ? ""
                                                : Printable.ofBytes(line.facts.host(), NAME_LENGTH) + " ")
                                        + Printable.ofBytes(line.facts.target(), 200),
                        line.bytes > 0 ? "  " + bytes(line.bytes) : ""));
            }
        }
    }

    // ---- Lines.

    private void labelled(String label, String text) {
        labelled.put(label, text);
        add(String.format(Locale.ROOT, "%-" + LABEL_WIDTH + "s %s", label, text), " ".repeat(LABEL_WIDTH + 1));
    }

    private void add(String text) {
        add(text, "  ");
    }

    /** Adds text as lines of at most 80 columns, where its words allow it; those after the first are indented. */
    private void add(String text, String indent) {
        String rest = text;
        while (rest.length() > width) {
            int at = rest.lastIndexOf(' ', width);
            if (at <= LABEL_WIDTH) {
                at = rest.indexOf(' ', width);
            }
            if (at < 0) {
                break;
            }
            lines.add(rest.substring(0, at).stripTrailing());
            rest = indent + rest.substring(at + 1);
        }
        lines.add(rest.stripTrailing());
    }
}
