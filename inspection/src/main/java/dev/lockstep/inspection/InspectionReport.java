package dev.lockstep.inspection;

import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.RequestFacts;
import java.nio.file.Path;
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
    private final NameCounts methods = new NameCounts();
    private final NameCounts paths = new NameCounts();
    private final NameCounts hosts = new NameCounts();
    private final NameCounts thriftMethods = new NameCounts();
    private final Histogram sizes = new Histogram(SIZE_DIGITS);
    /** The requests per second over time. */
    final RateTimeline rates = new RateTimeline();
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
    /** Bytes of clients that belong to no request. */
    long opaqueBytes;
    /** Connections with bytes that are no requests, such as a tunnel or an unknown protocol. */
    long opaqueConnections;
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
        rates.add(timeNs - firstNs);
        methods.add(facts.method());
        thriftMethods.add(facts.thrift() == null ? null : facts.thrift().name());
        paths.add(facts.path());
        hosts.add(facts.host());
        if (head.size() < options.head) {
            head.add(new RequestLine(timeNs, connection, facts, length));
        }
    }

    void ended(ConnectionFacts connection) {
        Protocol protocol = connection.protocol;
        incompleteRequests += connection.incompleteRequests;
        connectionsOf.merge(protocol, 1L, Long::sum);
        if (connection.opaqueBytes > 0 && protocol != Protocol.HTTP2 && protocol != Protocol.THRIFT_MUX) {
            opaqueConnections++;
        }
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

    /** All methods of HTTP and functions of Thrift; the most frequent first. */
    public Map<String, Long> methods() {
        return methods.top(Integer.MAX_VALUE);
    }

    /** All functions of Thrift, with those called over HTTP; the most frequent first. */
    public Map<String, Long> thriftMethods() {
        return thriftMethods.top(Integer.MAX_VALUE);
    }

    /** The most frequent paths without their queries. */
    public Map<String, Long> paths() {
        return paths.top(options.top);
    }

    /** How many different paths there are, as far as they were counted one by one. */
    public int differentPaths() {
        return paths.size();
    }

    /** The most frequent hosts. */
    public Map<String, Long> hosts() {
        return hosts.top(options.top);
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
