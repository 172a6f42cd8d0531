package dev.lockstep.inspection;

import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.PathTemplate;
import dev.lockstep.protocol.RequestFacts;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.HdrHistogram.Histogram;

/**
 * What is in a capture, for {@link InspectionText} and {@link InspectionJson}. Filled by the inspection, and unchanged
 * from when it is handed out.
 */
public final class InspectionReport {
    private static final int LARGEST = 5;
    private static final int SIZE_DIGITS = 3;

    final Path path;
    final InspectionOptions options;
    private final Map<Protocol, Long> requestsOf = new EnumMap<>(Protocol.class);
    private final Map<Protocol, Long> connectionsOf = new EnumMap<>(Protocol.class);
    /** Methods of HTTP and functions of Thrift. */
    final NameCounts methods = new NameCounts();
    /** Paths without their queries. */
    final NameCounts paths = new NameCounts();
    /** {@link PathTemplate}s of paths. */
    final NameCounts pathTemplates = new NameCounts();

    final NameCounts hosts = new NameCounts();
    /** Functions of Thrift, with those called over HTTP. */
    final NameCounts thriftMethods = new NameCounts();
    /** Requests by the version of HTTP, such as {@code HTTP/1.0}. */
    final NameCounts httpVersions = new NameCounts();
    /** Requests by their client's address. */
    final NameCounts clients = new NameCounts();
    /** Requests by their server's address and port. */
    final NameCounts servers = new NameCounts();
    /** Connections by their client's address. */
    final NameCounts clientConnections = new NameCounts();
    /** Connections by their server's address and port. */
    final NameCounts serverConnections = new NameCounts();

    private final Histogram sizes = new Histogram(SIZE_DIGITS);
    /** When requests were complete; those of HTTP/2, when their headers were. */
    final RequestTimes times = new RequestTimes();

    final CaptureTimeline timeline = new CaptureTimeline();
    /** The first requests, as many as were asked for. */
    final List<RequestLine> head = new ArrayList<>();

    private final PriorityQueue<ConnectionFacts> largest =
            new PriorityQueue<>(Comparator.comparingLong(connection -> connection.bytes));

    /** What the file says of itself. */
    CaptureInfo info;

    private String damage;
    private long firstNs = -1;
    private long lastNs;
    long connections;
    /** The most connections that were open at the same time. */
    long mostOpenConnections;
    /** When they were, for the first time, in ns since the capture's start. */
    long mostOpenNs;
    /** Connections whose end is not in the file. */
    long openConnections;
    /** Connections that were open before recording began. */
    long alreadyOpenConnections;
    /** Complete requests that a replay can send, without those of HTTP/2. */
    long requests;
    /** Requests on HTTP/2 connections, which are counted and not replayed one by one. */
    long http2Requests;
    /** Bytes that clients sent. */
    long bytes;
    /**
     * Connections with bytes that are no requests, such as a tunnel or an unknown protocol; not HTTP/2 and ThriftMux.
     */
    long opaqueConnections;
    /** These bytes of clients. */
    long opaqueBytes;
    /** Requests whose end is missing. */
    long incompleteRequests;
    /** At how many places bytes of clients are missing. */
    long gaps;
    /** How many bytes are known to be missing at them. */
    long gapBytes;

    private long smallestBytes = Long.MAX_VALUE;
    private long largestBytes;
    /** Requests that are known to get no answer. */
    long unansweredRequests;

    final AnswerCounts answers = new AnswerCounts();
    /** Requests that were sent before the one ahead of them was answered. */
    long pipelinedRequests;

    InspectionReport(Path path, InspectionOptions options) {
        this.path = path;
        this.options = options;
        sizes.setAutoResize(true);
    }

    // ---- Written while the capture is read.

    void happened(long nowNs) {
        lastNs = nowNs;
        if (firstNs < 0) {
            firstNs = nowNs;
        }
    }

    void request(ConnectionFacts connection, RequestFacts facts, long timeNs, long length) {
        requests++;
        smallestBytes = Math.min(smallestBytes, length);
        largestBytes = Math.max(largestBytes, length);
        sizes.recordValue(length);
        count(connection, facts, timeNs, length);
    }

    void http2Request(ConnectionFacts connection, RequestFacts facts, long timeNs) {
        http2Requests++;
        count(connection, facts, timeNs, 0);
    }

    private void count(ConnectionFacts connection, RequestFacts facts, long timeNs, long length) {
        requestsOf.merge(connection.protocol, 1L, Long::sum);
        methods.add(facts.method());
        thriftMethods.add(facts.thrift() == null ? null : facts.thrift().name());
        paths.add(facts.path());
        pathTemplates.add(PathTemplate.of(facts.path()), facts.path(), 1);
        hosts.add(facts.host());
        httpVersions.add(httpVersion(connection.protocol, facts));
        if (head.size() < options.head) {
            head.add(new RequestLine(timeNs, connection, facts, length));
        }
    }

    private static String httpVersion(Protocol protocol, RequestFacts facts) {
        if (protocol == Protocol.HTTP2) {
            return "HTTP/2";
        }
        boolean http1 = protocol == Protocol.HTTP1 || protocol == Protocol.WEBSOCKET;
        return http1 && facts.version() == null && facts.method() != null ? "HTTP/0.9" : facts.version();
    }

    /** Takes note of how many connections are open now. */
    void openAtOnce(int count) {
        if (count > mostOpenConnections) {
            mostOpenConnections = count;
            mostOpenNs = lastNs;
        }
    }

    void ended(ConnectionFacts connection) {
        String client = connection.clientHost();
        String server = connection.knowsServer() ? connection.server() : null;
        clients.add(client, connection.requests);
        clientConnections.add(client);
        servers.add(server, connection.requests);
        serverConnections.add(server);
        Protocol protocol = connection.protocol;
        incompleteRequests += connection.incompleteRequests;
        connectionsOf.merge(protocol, 1L, Long::sum);
        timeline.ended(connection);
        opaqueConnections += connection.isOpaque ? 1 : 0;
        largest.add(connection);
        if (largest.size() > LARGEST) {
            largest.remove();
        }
    }

    /** Takes what is known at the end of the file. */
    void read(CaptureInfo captureInfo, String captureDamage, int leftOpen) {
        info = captureInfo;
        damage = captureDamage;
        openConnections = leftOpen;
    }

    // ----

    /** What is damaged, in one line, or null for a file that could be read to its end. */
    public String damage() {
        return damage;
    }

    /** When the first record was, in ns since the capture's start. */
    long firstNs() {
        return Math.max(0, firstNs);
    }

    /** The sizes of requests in bytes. Not to be changed. */
    Histogram sizes() {
        return sizes;
    }

    /** From the first record to the last. */
    public long durationNs() {
        return firstNs < 0 ? 0 : lastNs - firstNs;
    }

    /** The requests of each protocol that has any, by its label; the most frequent first. */
    public Map<String, Long> protocols() {
        return labelled(requestsOf);
    }

    /** The connections of each protocol that has any, by its label; the most frequent first. */
    public Map<String, Long> protocolConnections() {
        return labelled(connectionsOf);
    }

    private static Map<String, Long> labelled(Map<Protocol, Long> counts) {
        Map<String, Long> labelled = new LinkedHashMap<>();
        counts.entrySet().stream()
                .sorted(Map.Entry.<Protocol, Long>comparingByValue().reversed())
                .forEach(entry -> labelled.put(entry.getKey().label(), entry.getValue()));
        return Collections.unmodifiableMap(labelled);
    }

    /** When the first record was, as far as the recorder's clock was right. */
    Instant startedAt() {
        return at(Math.max(0, firstNs));
    }

    /** When the last record was. */
    Instant endedAt() {
        return at(lastNs);
    }

    /** The time of the wall clock, to the millisecond, of a time in ns since the capture's start. */
    Instant at(long timeNs) {
        return info.startedAt().plusNanos(timeNs).truncatedTo(ChronoUnit.MILLIS);
    }

    /** Complete requests, with those of HTTP/2. */
    long allRequests() {
        return requests + http2Requests;
    }

    /** The size in bytes below which a share of the requests is, with three significant digits. */
    public long sizeAtPercentile(double percentile) {
        return requests == 0
                ? 0
                : Math.max(smallestBytes, Math.min(largestBytes, sizes.getValueAtPercentile(percentile)));
    }

    /** The mean size of a request in bytes. */
    public double meanSize() {
        return requests == 0 ? 0 : sizes.getMean();
    }

    /** In bytes. */
    public long smallestSize() {
        return requests == 0 ? 0 : smallestBytes;
    }

    /** In bytes. */
    public long largestSize() {
        return largestBytes;
    }

    /** The connections with the most bytes, the largest first. */
    public List<ConnectionFacts> largestConnections() {
        List<ConnectionFacts> sorted = new ArrayList<>(largest);
        sorted.sort(Comparator.<ConnectionFacts>comparingLong(connection -> connection.bytes)
                .reversed());
        return sorted;
    }
}
