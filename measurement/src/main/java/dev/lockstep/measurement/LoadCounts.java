package dev.lockstep.measurement;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * What was sent to one target and what came of it, as plain counts. Mutable, not thread-safe: the event loop that owns
 * the target's connections writes one, readers take a {@link #copy()} on that thread.
 *
 * <p>After a run {@code sent = completed + errors + unanswered} holds for every target.
 */
public final class LoadCounts {
    private static final int STATUS_CODES = 1000;
    private static final int SERVER_ERRORS = 5;
    /** The types of TApplicationException that Thrift's libraries know, and one for all others. */
    private static final int EXCEPTION_TYPES = 12;

    /**
     * Requests handed to a connection, or failed for want of one or of a target that had died: {@code sent = completed
     * + errors + unanswered}.
     */
    public long sent;
    /** Answers read to their last byte, whatever their status. */
    public long completed;
    /** Of the completed, requests that get no answer; they have no times. */
    public long oneway;
    /** In flight when the run ended. */
    public long unanswered;
    /** Due before the end and not sent. */
    public long unsent;
    /** Sends that waited for a connection because all were busy; their lag is the doing of the target. */
    public long deferred;
    /** Connections opened in the measured phase; not those that a warm-up left open. */
    public long connections;
    /** Times that bytes came on a connection that awaited nothing. */
    public long strayAnswers;
    /** Request bytes given to sockets, whether or not the target took all of them. */
    public long bytesSent;
    /** Recorded bytes that belong to no request, such as those of a WebSocket, handed to sockets. */
    public long opaqueBytesSent;
    /** Runs of such bytes without a byte from the target in between; see docs/protocols.md. */
    public long opaqueBursts;
    /** Of these, how many the target sent nothing after. */
    public long opaqueBurstsUnanswered;
    /** ThriftMux requests that were sent by their meaning and not byte for byte. */
    public long semanticRequests;
    /** Of these, how many went out with another tag than the recorded one. */
    public long tagsChanged;
    /** Such bytes that were due and could not be sent, mostly because their connection broke. */
    public long opaqueBytesUnsent;
    /** Of these, bytes that no target need take: those of TLS, of requests without an end, and of broken requests. */
    public long hopelessBytesUnsent;
    /** Requests whose deadline, one of Finagle's, was moved from the recording's clock to the replay's. */
    public long deadlinesMoved;
    /** Of the completed, calls answered with a TApplicationException that the recorded server had answered so too. */
    public long exceptionsAsRecorded;
    /** Response bytes read. */
    public long bytesReceived;
    /** Response body bytes read, chunk framing not counted. */
    public long bodyBytesReceived;

    private final long[] statusCodes = new long[STATUS_CODES];
    private final long[] thriftExceptions = new long[EXCEPTION_TYPES];
    private final long[] errors = new long[ErrorKind.values().length];

    /** Returns so many requests per second of so much time; absent without any. */
    public static OptionalDouble perSec(long requests, long ns) {
        return ns == 0 ? OptionalDouble.empty() : OptionalDouble.of(requests * 1e9 / ns);
    }

    /** Counts an answer with this status, 0 to 999. */
    public void status(int code) {
        statusCodes[code]++;
    }

    /** Counts a TApplicationException by its type; as a failed request it is counted by {@link #error(ErrorKind)}. */
    public void thriftException(int type) {
        thriftException(type, 1);
    }

    /** Adds this many exceptions. */
    public void thriftException(int type, long count) {
        boolean known = type >= 0 && type < EXCEPTION_TYPES - 1;
        thriftExceptions[known ? type : EXCEPTION_TYPES - 1] += count;
    }

    /**
     * Returns the TApplicationExceptions by type: 0 unknown, 1 unknown method, 2 invalid message type, 3 wrong method
     * name, 4 bad sequence id, 5 missing result, 6 internal error, 7 protocol error, 8 invalid transform, 9 invalid
     * protocol, 10 unsupported client type, 11 others.
     */
    public Map<Integer, Long> thriftExceptions() {
        return counted(thriftExceptions);
    }

    /** Counts a failed request. */
    public void error(ErrorKind kind) {
        errors[kind.ordinal()]++;
    }

    /** Adds this many answers with this status. */
    public void status(int code, long count) {
        statusCodes[code] += count;
    }

    /** Adds this many failed requests. */
    public void error(ErrorKind kind, long count) {
        errors[kind.ordinal()] += count;
    }

    /** Returns how many requests failed, of all kinds. */
    public long errors() {
        return Arrays.stream(errors).sum();
    }

    /** Returns the failures by kind, without the kinds that did not occur. */
    public Map<ErrorKind, Long> errorsByKind() {
        Map<ErrorKind, Long> byKind = new EnumMap<>(ErrorKind.class);
        for (ErrorKind kind : ErrorKind.values()) {
            if (errors[kind.ordinal()] > 0) {
                byKind.put(kind, errors[kind.ordinal()]);
            }
        }
        return byKind;
    }

    /** Returns how many answers had a status of this class: 2 for 200 to 299. */
    public long statusClass(int hundreds) {
        long sum = 0;
        for (int code = hundreds * 100; code < hundreds * 100 + 100; code++) {
            sum += statusCodes[code];
        }
        return sum;
    }

    /** Returns how many answers said by a status of 5xx that the target could not serve the request. */
    public long serverErrors() {
        return statusClass(SERVER_ERRORS);
    }

    /** Returns how many requests were answered, and not with a status of 5xx: what costs are divided by. */
    public long successful() {
        return completed - serverErrors();
    }

    /**
     * Returns how many requests failed: without a good answer until the end, those included that were due and could not
     * be sent, or with a status of 5xx.
     */
    public long failed() {
        return withoutAnswer() + serverErrors();
    }

    /** Returns how many requests were due. */
    public long due() {
        return sent + unsent;
    }

    /** Returns how many requests were sent and got no good answer. */
    public long unansweredOfSent() {
        return errors() + unanswered;
    }

    /** Returns how many requests of the schedule got no good answer, those included that could not be sent. */
    public long withoutAnswer() {
        return unansweredOfSent() + unsent;
    }

    /** Returns how many requests failed while the target lived: without what it owed when it died. */
    public long errorsInLife() {
        return errors() - errors(ErrorKind.TARGET_DIED);
    }

    /** Returns how many requests failed with this kind. */
    public long errors(ErrorKind kind) {
        return errors[kind.ordinal()];
    }

    /** Returns the answers by status code, without the codes that did not occur. */
    public Map<Integer, Long> statusCodes() {
        return counted(statusCodes);
    }

    private static Map<Integer, Long> counted(long[] counts) {
        Map<Integer, Long> byNumber = new TreeMap<>();
        for (int number = 0; number < counts.length; number++) {
            if (counts[number] > 0) {
                byNumber.put(number, counts[number]);
            }
        }
        return byNumber;
    }

    /** Adds the other counts to these. */
    public void add(LoadCounts other) {
        add(other, 1);
    }

    /** Takes the other counts, an earlier state of these, from these. */
    public void subtract(LoadCounts earlier) {
        add(earlier, -1);
    }

    /** Sets these to the other counts. */
    public void set(LoadCounts other) {
        add(this, -1);
        add(other, 1);
    }

    private void add(LoadCounts other, int sign) {
        sent += sign * other.sent;
        completed += sign * other.completed;
        oneway += sign * other.oneway;
        unanswered += sign * other.unanswered;
        unsent += sign * other.unsent;
        deferred += sign * other.deferred;
        connections += sign * other.connections;
        strayAnswers += sign * other.strayAnswers;
        bytesSent += sign * other.bytesSent;
        opaqueBytesSent += sign * other.opaqueBytesSent;
        opaqueBursts += sign * other.opaqueBursts;
        opaqueBurstsUnanswered += sign * other.opaqueBurstsUnanswered;
        semanticRequests += sign * other.semanticRequests;
        tagsChanged += sign * other.tagsChanged;
        deadlinesMoved += sign * other.deadlinesMoved;
        exceptionsAsRecorded += sign * other.exceptionsAsRecorded;
        opaqueBytesUnsent += sign * other.opaqueBytesUnsent;
        hopelessBytesUnsent += sign * other.hopelessBytesUnsent;
        bytesReceived += sign * other.bytesReceived;
        bodyBytesReceived += sign * other.bodyBytesReceived;
        for (int i = 0; i < statusCodes.length; i++) {
            statusCodes[i] += sign * other.statusCodes[i];
        }
        for (int i = 0; i < thriftExceptions.length; i++) {
            thriftExceptions[i] += sign * other.thriftExceptions[i];
        }
        for (int i = 0; i < errors.length; i++) {
            errors[i] += sign * other.errors[i];
        }
    }

    /** Says whether nothing was counted. */
    boolean isZero() {
        return (sent | completed | oneway | unanswered | unsent | deferred | connections | strayAnswers) == 0
                && (bytesSent | opaqueBytesSent | bytesReceived | bodyBytesReceived) == 0
                && errors() == 0;
    }

    /** Returns counts that later changes to these do not touch. */
    public LoadCounts copy() {
        LoadCounts copy = new LoadCounts();
        copy.add(this);
        return copy;
    }

    private long[] plain() {
        return new long[] {
            sent,
            completed,
            oneway,
            unanswered,
            unsent,
            deferred,
            connections,
            strayAnswers,
            bytesSent,
            opaqueBytesSent,
            opaqueBursts,
            opaqueBurstsUnanswered,
            semanticRequests,
            tagsChanged,
            deadlinesMoved,
            exceptionsAsRecorded,
            opaqueBytesUnsent,
            hopelessBytesUnsent,
            bytesReceived,
            bodyBytesReceived
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LoadCounts
                && Arrays.equals(plain(), ((LoadCounts) other).plain())
                && Arrays.equals(statusCodes, ((LoadCounts) other).statusCodes)
                && Arrays.equals(thriftExceptions, ((LoadCounts) other).thriftExceptions)
                && Arrays.equals(errors, ((LoadCounts) other).errors);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(plain()) + Arrays.hashCode(statusCodes) + Arrays.hashCode(errors);
    }

    @Override
    public String toString() {
        return Arrays.toString(plain()) + ", statuses " + statusCodes() + ", errors " + errorsByKind()
                + ", thrift exceptions " + thriftExceptions();
    }
}
