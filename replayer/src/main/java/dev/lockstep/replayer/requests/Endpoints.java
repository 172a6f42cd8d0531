package dev.lockstep.replayer.requests;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.protocol.Http2Requests;
import dev.lockstep.protocol.RequestFacts;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What one look at each request of a capture tells, before anything is sent: which endpoint it belongs to, a method
 * with a path template or a Thrift function; whether HTTP's headers hold a deadline, whether it ended its connection,
 * and whether it is of HTTP/1.0. Immutable; any thread.
 *
 * <p>Endpoints are numbered from 0, the most frequent first. The last one is {@link EndpointLoad#OTHER}: the endpoints
 * beyond the {@value EndpointLoad#MOST_NAMED} most frequent, those whose names come when {@value #MOST_NAMES} others
 * are known, and the requests beyond the first {@value #MOST_REQUESTS}, of which nothing else is known either. So the
 * memory is bounded whatever a capture holds: two bytes a request outside the heap, the names, and a bit a request
 * where any has a deadline, where any ended its connection, and where any is of HTTP/1.0.
 *
 * <p>A stream of HTTP/2 is no request of the capture's table. It has its place among the streams of its connection, in
 * the order in which its client opened them, as whoever reads the same bytes when they are sent counts them too.
 */
public final class Endpoints {
    /** Fewer than a char can tell apart. */
    static final int MOST_NAMES = 1 << 15;

    private static final int MOST_REQUESTS = 1 << 26;

    private final List<String> names;
    private final long requests;
    /** The endpoints of the first requests. */
    private final CharBuffer ofRequests;
    /** The endpoints of an HTTP/2 connection's streams, by its number. */
    private final Map<Integer, char[]> ofStreams = new HashMap<>();
    /** How many requests of a pass each endpoint has, without streams. */
    private final long[] inPass;
    /** The requests whose headers hold a deadline. */
    private final BitSet deadlines = new BitSet();
    /** The requests that ended their connections. */
    private final BitSet ending = new BitSet();
    /** The requests of HTTP/1.0. */
    private final BitSet http10 = new BitSet();

    private long streamsWithDeadlines;

    /** Tells names apart and counts them. Number 0 is that of all names beyond the most. */
    private static final class Names {
        final Map<String, Integer> numbers = new HashMap<>();
        final long[] counts = new long[MOST_NAMES];

        char count(String name) {
            // A Thrift function may have any name.
            int number = numbers.size() < MOST_NAMES - 1 && !name.equals(EndpointLoad.OTHER)
                    ? numbers.computeIfAbsent(name, unknown -> numbers.size() + 1)
                    : numbers.getOrDefault(name, 0);
            counts[number]++;
            return (char) number;
        }

        /** Returns the names with endpoints of their own. */
        List<String> ranked() {
            return numbers.entrySet().stream()
                    .sorted(Comparator.<Map.Entry<String, Integer>>comparingLong(name -> -counts[name.getValue()])
                            .thenComparing(Map.Entry.comparingByValue()))
                    .limit(EndpointLoad.MOST_NAMED)
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toList());
        }
    }

    private Endpoints(Capture capture) {
        requests = capture.requestCount();
        int covered = (int) Math.min(requests, MOST_REQUESTS);
        ofRequests = ByteBuffer.allocateDirect(covered * Character.BYTES)
                .order(ByteOrder.nativeOrder())
                .asCharBuffer();
        Names found = new Names();
        RecordedRequests recorded = new RecordedRequests(capture);
        for (int request = 0; request < covered; request++) {
            RequestFacts facts = recorded.facts(request);
            Protocol protocol = capture.protocol(capture.connection(request));
            ofRequests.put(request, found.count(RequestNames.kind(protocol, facts)));
            if (facts.hasDeadline()) {
                deadlines.set(request);
            }
            if (facts.endsConnection() && isLastOfItsConnection(capture, request)) {
                ending.set(request);
            }
            if ("HTTP/1.0".equals(facts.version())) {
                http10.set(request);
            }
        }
        Map<Integer, StringBuilder> streams = streams(capture, recorded, found);

        names = new ArrayList<>(found.ranked());
        names.add(EndpointLoad.OTHER);
        char[] endpoints = new char[MOST_NAMES];
        Arrays.fill(endpoints, (char) other());
        IntStream.range(0, other())
                .forEach(endpoint -> endpoints[found.numbers.get(names.get(endpoint))] = (char) endpoint);
        inPass = new long[names.size()];
        for (int request = 0; request < covered; request++) {
            char endpoint = endpoints[ofRequests.get(request)];
            ofRequests.put(request, endpoint);
            inPass[endpoint]++;
        }
        inPass[other()] += requests - covered;
        streams.forEach((connection, numbers) -> {
            char[] ofConnection = new char[numbers.length()];
            for (int stream = 0; stream < ofConnection.length; stream++) {
                ofConnection[stream] = endpoints[numbers.charAt(stream)];
            }
            ofStreams.put(connection, ofConnection);
        });
    }

    /** Whether nothing followed on the connection: some servers go on after HTTP/1.0 without keep-alive. */
    static boolean isLastOfItsConnection(Capture capture, long request) {
        return capture.indexInConnection(request) == capture.requestCount(capture.connection(request)) - 1;
    }

    /** Looks at a capture, which takes about a microsecond a request. */
    public static Endpoints of(Capture capture) {
        return new Endpoints(capture);
    }

    /** Returns the numbers of the names of streams, connection by connection; in builders, as lists that grow. */
    private Map<Integer, StringBuilder> streams(Capture capture, RecordedRequests recorded, Names names) {
        Map<Integer, StringBuilder> streams = new HashMap<>();
        Map<Integer, Http2Requests> clients = new HashMap<>();
        OpaquePieces pieces = capture.opaque();
        // A client's header table goes when its connection does: a capture may have any number of connections.
        Map<Integer, Long> lastPieces = new HashMap<>();
        for (long piece = 0; piece < pieces.count(); piece++) {
            lastPieces.put(pieces.connection(piece), piece);
        }
        long[] left = {MOST_REQUESTS};
        for (long piece = 0; piece < pieces.count(); piece++) {
            int connection = pieces.connection(piece);
            if (pieces.isByHole(piece) || capture.protocol(connection) != Protocol.HTTP2) {
                continue;
            }
            StringBuilder ofConnection = streams.computeIfAbsent(connection, id -> new StringBuilder());
            int from = pieces.offset(piece);
            clients.computeIfAbsent(connection, id -> new Http2Requests())
                    .feed(recorded.mapping(pieces.mapping(piece)), from, from + pieces.length(piece), facts -> {
                        if (left[0]-- > 0) {
                            ofConnection.append(names.count(RequestNames.kind(Protocol.HTTP2, facts)));
                        }
                        streamsWithDeadlines += facts.hasDeadline() ? 1 : 0;
                    });
            if (lastPieces.get(connection) == piece) {
                clients.remove(connection);
            }
        }
        return streams;
    }

    /** The names of the endpoints. */
    public List<String> names() {
        return names;
    }

    private int other() {
        return names.size() - 1;
    }

    /** The endpoint of a request of the capture's table; runs per request on the event loop. */
    int of(long request) {
        return request < ofRequests.capacity() ? ofRequests.get((int) request) : other();
    }

    /** The endpoint of a stream of a recorded HTTP/2 connection: the n-th one that its client opened, from 0. */
    int ofStream(int connection, int stream) {
        char[] ofConnection = ofStreams.get(connection);
        return ofConnection != null && stream < ofConnection.length ? ofConnection[stream] : other();
    }

    /** Whether the HTTP/1 headers of any request hold a deadline that can be moved. */
    public boolean haveDeadlines() {
        return !deadlines.isEmpty();
    }

    /** Whether the HTTP/1 headers of a request of the capture's table hold a deadline that can be moved. */
    public boolean hasDeadline(long request) {
        return request < MOST_REQUESTS && deadlines.get((int) request);
    }

    /**
     * Whether a request of the capture's table said that its connection ends with its answer, and was the last one
     * there; runs per request on the event loop.
     */
    boolean endsConnection(long request) {
        return request < MOST_REQUESTS && ending.get((int) request);
    }

    /** Whether a request of the capture's table is one of HTTP/1.0; runs per request on the event loop. */
    boolean isHttp10(long request) {
        return request < MOST_REQUESTS && http10.get((int) request);
    }

    /** How many streams of HTTP/2 have headers that hold a deadline. */
    public long streamsWithDeadlines() {
        return streamsWithDeadlines;
    }

    /** Returns how many requests of a phase each endpoint has from the n-th on, of so many. */
    long[] count(long n, long count) {
        long[] counts = new long[names.size()];
        if (count <= 0) {
            return counts;
        }
        for (int endpoint = 0; endpoint < counts.length; endpoint++) {
            counts[endpoint] = count / requests * inPass[endpoint];
        }
        long first = n % requests;
        for (long i = 0; i < count % requests; i++) {
            counts[of((first + i) % requests)]++;
        }
        return counts;
    }
}
