package dev.lockstep.report;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * What failed, a line for each thing that did and a column for each target: requests without a good answer by kind, and
 * answers that say by their status that the request failed. Empty where nothing failed.
 */
final class FailureTable {
    private static final int CLIENT_ERRORS = 4;
    private static final String CLIENT_ERROR_ROW = "status 4xx";
    private static final String SERVER_ERROR_ROW = "status 5xx";
    /** So many failures are a target's main result, whatever its latencies are. */
    static final double LOUD_SHARE = 0.01;

    /** A smaller share would be written as 0.0 %. */
    private static final double LEAST_SHOWN = 0.0005;

    /** In flight when the run ended. */
    static final String UNANSWERED = "unanswered";
    /** Due before the end, and not sent. */
    static final String NOT_SENT = "not sent";

    private static final String HEADING = "what failed";
    private static final String PER_SUCCESS =
            "Per request is per successful request: answered, and not with status 5xx.";
    private static final String GAP = "  ";

    /** A thing that failed in at least one target. */
    private static final class Row {
        final String name;
        final String meaning;
        final ToLongFunction<LoadCounts> count;

        Row(String name, String meaning, ToLongFunction<LoadCounts> count) {
            this.name = name;
            this.meaning = meaning;
            this.count = count;
        }
    }

    private final List<TargetResult> targets;
    /** Of the recorded answers, how many had a status of 5xx. */
    private final double recordedShare;

    private final List<Row> rows = new ArrayList<>();

    FailureTable(RunResult result) {
        targets = result.targets().stream()
                .filter(target -> target.counts().isPresent())
                .collect(Collectors.toList());
        recordedShare = Refusals.share(result.plan().capture().statusCodes(), Refusals::isServerError);
        for (ErrorKind kind : ErrorKind.values()) {
            add(kind.key(), meaning(kind), counts -> counts.errors(kind));
        }
        add(
                CLIENT_ERROR_ROW,
                "answered: the request was bad or not allowed",
                counts -> counts.statusClass(CLIENT_ERRORS));
        add(SERVER_ERROR_ROW, "answered with the target's own error", LoadCounts::serverErrors);
        add(UNANSWERED, "in flight when the run ended", counts -> counts.unanswered);
        add(NOT_SENT, "due before the end: no connection was free", counts -> counts.unsent);
    }

    /**
     * Returns a line for each target at which a share of the requests failed or met the target's own error that nobody
     * may overlook, whatever its latencies are, or to which a share of the bytes could not be sent that a target can
     * take. As many of these errors as the recorded server gave are none of the target's doing.
     */
    List<String> loud() {
        List<String> lines = new ArrayList<>();
        for (TargetResult target : targets) {
            LoadCounts counts = target.counts().orElseThrow();
            if (counts.sent == 0 && counts.opaqueBytesUnsent > 0) {
                lines.add("FAILING: " + target.name()
                        + ": nothing of the capture could be sent to its end, see the notes");
                continue;
            }
            double own = counts.withoutAnswer() + Math.max(0, ownServerErrors(counts));
            if (own > 0 && own >= counts.due() * LOUD_SHARE) {
                String worst = rows.stream()
                        .filter(row -> !row.name.equals(CLIENT_ERROR_ROW))
                        .max(Comparator.comparingDouble(row ->
                                row.name.equals(SERVER_ERROR_ROW) ? ownServerErrors(counts) : countOf(row, target)))
                        .orElseThrow()
                        .name;
                lines.add(Figures.format(
                        "FAILING: %s: %d of %d requests failed, mostly %s%s",
                        target.name(),
                        counts.failed(),
                        counts.due(),
                        worst,
                        recordedShare < LEAST_SHOWN || counts.serverErrors() == 0
                                ? ""
                                : Figures.format(" (in the recording %.1f %% had 5xx)", 100 * recordedShare)));
            }
            long unsent = counts.opaqueBytesUnsent - counts.hopelessBytesUnsent;
            long bytes = counts.bytesSent + counts.opaqueBytesSent + unsent;
            if (unsent > 0 && unsent >= bytes * LOUD_SHARE) {
                // Requests of HTTP/2 are among them, and count nowhere else before they are sent.
                lines.add(Figures.format(
                        "UNSENT: %s: %,d of %,d bytes could not be sent, all outside of the capture's requests (HTTP/2,"
                                + " WebSockets, unknown protocols); see the notes",
                        target.name(), unsent, bytes));
            }
        }
        return lines;
    }

    /** Returns how many more answers had a status of 5xx than the recorded server's would; negative for fewer. */
    private double ownServerErrors(LoadCounts counts) {
        return counts.serverErrors() - recordedShare * counts.completed;
    }

    private void add(String name, String meaning, ToLongFunction<LoadCounts> count) {
        Row row = new Row(name, meaning, count);
        if (targets.stream().anyMatch(target -> countOf(row, target) > 0)) {
            rows.add(row);
        }
    }

    private static long countOf(Row row, TargetResult target) {
        return row.count.applyAsLong(target.counts().orElseThrow());
    }

    /** Returns what a kind means, short enough for a table. */
    private static String meaning(ErrorKind kind) {
        switch (kind) {
            case CONNECT_REFUSED:
                return "nobody listens at the target's port";
            case CONNECT_RESET:
                return "reset while the connection was opened";
            case CONNECT_TIMEOUT:
                return "no connection in the time allowed";
            case NO_ROUTE:
                return "the network knows no way to the target";
            case CONNECT_FAILED:
                return "no connection for another reason";
            case TLS_FAILED:
                return "TLS was not agreed on, or broke";
            case CONNECTION_RESET:
                return "reset before the answer was whole";
            case PREMATURE_CLOSE:
                return "closed before the answer was whole";
            case READ_TIMEOUT:
                return "no whole answer in the time allowed";
            case MALFORMED_RESPONSE:
                return "not an answer of the protocol";
            case EXCESS_RESPONSE:
                return "more came than the answer";
            case MISMATCHED_RESPONSE:
                return "the answer to another request";
            case THRIFT_EXCEPTION:
                return "answered with a TApplicationException";
            case MUX_ERROR:
                return "answered with an error of mux";
            case MUX_NACK:
                return "the mux server did not take it on";
            case STREAM_RESET:
                return "the target gave its HTTP/2 stream up";
            case GOING_AWAY:
                return "the HTTP/2 connection took no more";
            case FLOW_CONTROL:
                return "no room for its HTTP/2 body";
            case CANCELLED:
                return "given up, as the recorded client did";
            case HANDSHAKE_FAILED:
                return "another handshake than was recorded";
            case WRITE_FAILED:
                return "reset before the request was sent whole";
            case TARGET_DIED:
                return "in flight or due when its process had ended";
            default:
                return "";
        }
    }

    /** Returns the table, each line with its end; nothing where nothing failed. */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder();
        if (rows.isEmpty()) {
            return "";
        }
        int names = HEADING.length();
        int meanings = 0;
        for (Row row : rows) {
            names = Math.max(names, row.name.length());
            meanings = Math.max(meanings, row.meaning.length());
        }
        for (int from = 0; from < targets.size(); ) {
            // Where all targets do not fit, the table goes on below.
            int width = names;
            int to = from;
            while (to < targets.size()
                    && (to == from || width + GAP.length() + width(targets.get(to)) <= Lines.WIDTH)) {
                width += GAP.length() + width(targets.get(to));
                to++;
            }
            part(out, targets.subList(from, to), names, meanings);
            from = to;
        }
        if (targets.stream().anyMatch(target -> target.counts().orElseThrow().serverErrors() > 0)) {
            out.append(PER_SUCCESS).append('\n');
        }
        return out.toString();
    }

    private void part(StringBuilder out, List<TargetResult> shown, int names, int meanings) {
        // A name that leaves no room is alone in its part and stands above its figures.
        boolean above = names + GAP.length() + shown.get(0).name().length() > Lines.WIDTH;
        int width = names + GAP.length() + meanings;
        for (TargetResult target : shown) {
            width += GAP.length() + (above ? counts(target) : width(target));
        }
        boolean explained = width <= Lines.WIDTH;
        if (above) {
            out.append(shown.get(0).name()).append('\n').append(HEADING).append('\n');
        } else {
            out.append(HEADING).append(" ".repeat(names - HEADING.length()));
            shown.forEach(target -> right(out, target.name(), width(target)));
            out.append('\n');
        }
        for (Row row : rows) {
            out.append(row.name).append(" ".repeat(names - row.name.length()));
            shown.forEach(
                    target -> right(out, Long.toString(countOf(row, target)), above ? counts(target) : width(target)));
            out.append(explained && !row.meaning.isEmpty() ? GAP + row.meaning : "")
                    .append('\n');
        }
    }

    private int width(TargetResult target) {
        return Math.max(target.name().length(), counts(target));
    }

    private int counts(TargetResult target) {
        int width = 0;
        for (Row row : rows) {
            width = Math.max(width, Long.toString(countOf(row, target)).length());
        }
        return width;
    }

    private static void right(StringBuilder out, String cell, int width) {
        out.append(GAP).append(" ".repeat(width - cell.length())).append(cell);
    }
}
