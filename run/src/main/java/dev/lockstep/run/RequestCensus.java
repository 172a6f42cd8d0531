package dev.lockstep.run;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.protocol.Http2Requests;
import dev.lockstep.protocol.RequestFacts;
import dev.lockstep.replayer.requests.RecordedRequests;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which requests a capture holds, by protocol, method and host, and how many of them may change something at a server:
 * all that are not of an HTTP method defined to be safe (RFC 9110, 9.2.1). Made by one pass over the capture.
 */
public final class RequestCensus {
    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");
    private static final int MOST_NAMES = 100_000;
    private static final int LONGEST_NAME = 60;
    private static final String UNKNOWN = "unknown";

    private final Map<String, Long> protocols = new TreeMap<>();
    private final Map<String, Long> methods = new TreeMap<>();
    private final Map<String, Long> changing = new TreeMap<>();
    private final Map<String, Long> hosts = new TreeMap<>();
    private long requests;
    private long opaqueBytes;

    private RequestCensus() {}

    /** @param withOpaque whether bytes outside requests are sent too, as they are on recorded connections */
    public static RequestCensus of(Capture capture, boolean withOpaque) {
        RequestCensus census = new RequestCensus();
        RecordedRequests recorded = new RecordedRequests(capture);
        for (long request = 0; request < capture.requestCount(); request++) {
            census.add(capture.protocol(capture.connection(request)), recorded.facts(request));
        }
        if (withOpaque) {
            census.addOpaque(capture, recorded);
        }
        return census;
    }

    private void addOpaque(Capture capture, RecordedRequests recorded) {
        OpaquePieces pieces = capture.opaque();
        Map<Integer, Http2Requests> http2 = new HashMap<>();
        for (long piece = 0; piece < pieces.count(); piece++) {
            if (pieces.isByHole(piece)) {
                continue;
            }
            int connection = pieces.connection(piece);
            if (capture.protocol(connection) != Protocol.HTTP2) {
                opaqueBytes += pieces.length(piece);
                continue;
            }
            Http2Requests reader = http2.computeIfAbsent(connection, id -> new Http2Requests());
            int from = pieces.offset(piece);
            reader.feed(
                    recorded.mapping(pieces.mapping(piece)),
                    from,
                    from + pieces.length(piece),
                    facts -> add(Protocol.HTTP2, facts));
            if (!reader.isFollowed()) {
                // Nobody knows what these ask for.
                opaqueBytes += pieces.length(piece);
            }
        }
    }

    private void add(Protocol protocol, RequestFacts facts) {
        requests++;
        String method = facts.method() == null ? UNKNOWN : printable(facts.method());
        count(protocols, protocol.label());
        count(methods, method);
        if (protocol.isThrift() || !SAFE.contains(method)) {
            count(changing, method);
        }
        if (facts.host() != null) {
            // Without the user before it, whose password may stand there.
            count(hosts, printable(facts.host().substring(facts.host().lastIndexOf('@') + 1)));
        }
    }

    private static void count(Map<String, Long> counts, String name) {
        counts.merge(counts.size() < MOST_NAMES || counts.containsKey(name) ? name : "others", 1L, Long::sum);
    }

    /** Names come from clients, and may hold what a terminal obeys. */
    private static String printable(String name) {
        String shown = name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) + "..." : name;
        return shown.replaceAll("[^!-~]", "?");
    }

    public long requests() {
        return requests;
    }

    public Map<String, Long> protocols() {
        return protocols;
    }

    public Map<String, Long> methods() {
        return methods;
    }

    public Map<String, Long> hosts() {
        return hosts;
    }

    /** Returns how many requests may change something, by their method. */
    public Map<String, Long> changing() {
        return changing;
    }

    /** Returns the bytes that belong to no known request. */
    public long opaqueBytes() {
        return opaqueBytes;
    }

    public boolean mayChange() {
        return !changing.isEmpty() || opaqueBytes > 0;
    }

    /**
     * Returns what may change something, for people: {@code 12 requests (POST 7, PUT 5) and 1.2 KB of no known
     * protocol}.
     */
    public String describeChanging() {
        long count = changing.values().stream().mapToLong(Long::longValue).sum();
        String text = count == 0 ? "" : Quantities.count(count, "request") + " (" + top(changing, 5) + ")";
        if (opaqueBytes > 0) {
            text += (text.isEmpty() ? "" : " and ") + Quantities.bytes(opaqueBytes) + " that are no known requests";
        }
        return text;
    }

    /** Returns the most frequent names with their counts, and how many others there are. */
    public static String top(Map<String, Long> counts, int most) {
        String named = counts.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(most)
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
        return counts.size() > most ? named + ", " + (counts.size() - most) + " more" : named;
    }
}
