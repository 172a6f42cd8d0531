package dev.lockstep.inspection;

import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.Protocol;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is in a capture. Immutable; written by {@link InspectionText} and {@link InspectionJson}. */
public final class InspectionReport {
    private final Path path;
    private final Inspection found;
    private final int top;
    private final List<ConnectionFacts> largest;

    InspectionReport(Path path, Inspection found, int top) {
        this.path = path;
        this.found = found;
        this.top = top;
        this.largest = new ArrayList<>(found.largest);
        largest.sort(Comparator.comparingLong(ConnectionFacts::bytes).reversed());
    }

    /** Returns the file. */
    public Path path() {
        return path;
    }

    /** Returns what the file says of itself. */
    public CaptureInfo info() {
        return found.info;
    }

    /** Returns what is damaged, in one line, or null for a file that could be read to its end. */
    public String damage() {
        return found.damage;
    }

    /** Returns the complete requests that a replay can send; those of HTTP/2 are {@link #http2Requests()}. */
    public long requests() {
        return found.requests;
    }

    /** Returns the requests inside HTTP/2 connections, which are counted and not replayed one by one. */
    public long http2Requests() {
        return found.http2Requests;
    }

    /** Returns the connections. */
    public long connections() {
        return found.connections;
    }

    /** Returns the bytes that clients sent. */
    public long bytes() {
        return found.bytes;
    }

    /** Returns the time from the first record to the last in ns. */
    public long durationNs() {
        return found.firstNs < 0 ? 0 : found.lastNs - found.firstNs;
    }

    /** Returns the requests of each protocol that has any, by its label; the most frequent first. */
    public Map<String, Long> protocols() {
        return labelled(found.requestsOf);
    }

    /** Returns the connections of each protocol that has any, by its label; the most frequent first. */
    public Map<String, Long> protocolConnections() {
        return labelled(found.connectionsOf);
    }

    private static Map<String, Long> labelled(Map<Protocol, Long> counts) {
        Map<String, Long> labelled = new LinkedHashMap<>();
        counts.entrySet().stream()
                .sorted(Map.Entry.<Protocol, Long>comparingByValue().reversed())
                .forEach(entry -> labelled.put(entry.getKey().label(), entry.getValue()));
        return Collections.unmodifiableMap(labelled);
    }

    /** Returns all methods: those of HTTP and the functions of Thrift; the most frequent first. */
    public Map<String, Long> methods() {
        return found.methods.top(Integer.MAX_VALUE);
    }

    /** Returns all functions of Thrift, those called over HTTP too; the most frequent first. */
    public Map<String, Long> thriftMethods() {
        return found.thriftMethods.top(Integer.MAX_VALUE);
    }

    /** Returns the most frequent paths without their queries. */
    public Map<String, Long> paths() {
        return found.paths.top(top);
    }

    /** Returns how many different paths there are, as far as they were counted one by one. */
    public int differentPaths() {
        return found.paths.size();
    }

    /** Returns the most frequent hosts. */
    public Map<String, Long> hosts() {
        return found.hosts.top(top);
    }

    /** Returns how many of the most frequent names are told. */
    int top() {
        return top;
    }

    /** Returns a size in bytes below which a share of the requests is, of three significant digits. */
    public long sizeAtPercentile(double percentile) {
        return found.requests == 0
                ? 0
                : Math.max(
                        found.smallestBytes,
                        Math.min(found.largestBytes, found.sizes.getValueAtPercentile(percentile)));
    }

    /** Returns the mean size of a request in bytes. */
    public double meanSize() {
        return found.requests == 0 ? 0 : found.sizes.getMean();
    }

    /** Returns the size of the shortest request in bytes. */
    public long smallestSize() {
        return found.requests == 0 ? 0 : found.smallestBytes;
    }

    /** Returns the size of the longest request in bytes. */
    public long largestSize() {
        return found.largestBytes;
    }

    /** Returns the requests per second over time, of columns that are {@link #rateColumnNs()} wide. */
    public List<Double> ratesPerSec() {
        return found.rates.ratesPerSec();
    }

    /** Returns how long a column of {@link #ratesPerSec()} is, in ns. */
    public long rateColumnNs() {
        return found.rates.columnNs();
    }

    List<String> rateChart() {
        return found.rates.chart();
    }

    /** Returns the first requests, as many as were asked for. */
    public List<RequestLine> head() {
        return Collections.unmodifiableList(found.head);
    }

    /** Returns the connections with the most bytes, the largest first. */
    public List<ConnectionFacts> largestConnections() {
        return Collections.unmodifiableList(largest);
    }

    /** Returns the connections with bytes that are no requests, such as a tunnel or what was not recognised. */
    public long opaqueConnections() {
        return found.opaqueConnections;
    }

    /** Returns the bytes of clients that belong to no request. */
    public long opaqueBytes() {
        return found.opaqueBytes;
    }

    /** Returns the requests whose end is missing. */
    public long incompleteRequests() {
        return found.incompleteRequests;
    }

    /** Returns the requests that are known to get no answer. */
    public long unansweredRequests() {
        return found.unanswered;
    }

    /** Returns the requests that were sent before the one ahead of them was answered. */
    public long pipelinedRequests() {
        return found.pipelined;
    }

    /** Returns the connections whose end is not in the file. */
    public long openConnections() {
        return found.notClosed;
    }

    /** Returns the connections that were open before recording began. */
    public long alreadyOpenConnections() {
        return found.alreadyOpen;
    }

    /** Returns at how many places bytes of clients are missing. */
    public long gaps() {
        return found.gaps;
    }

    /** Returns how many bytes are known to be missing at them. */
    public long gapBytes() {
        return found.gapBytes;
    }
}
