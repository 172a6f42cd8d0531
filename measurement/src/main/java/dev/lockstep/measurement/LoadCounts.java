package dev.lockstep.measurement;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What was sent to one target and what came of it, as plain counts. Mutable, not thread-safe: the event loop that owns
 * the target's connections writes one, readers take a {@link #copy()} on that thread.
 *
 * <p>After a run {@code sent = completed + errors + unanswered} holds, but for each
 * {@link ErrorKind#EXCESS_RESPONSE} that came on a connection that awaited nothing: it belongs to no request.
 */
public final class LoadCounts {
    private static final int STATUS_CODES = 1000;
    /** The types of TApplicationException that Thrift's libraries know, and one for all others. */
    private static final int EXCEPTION_TYPES = 12;

    /** Requests attempted: handed to a connection, or failed for want of one. */
    public long sent;
    /** Answers read to their last byte, whatever their status. */
    public long completed;
    /** Of the completed, requests that get no answer and are complete when they are written; they have no times. */
    public long oneway;
    /** Sent requests whose answer was still outstanding when the run ended. */
    public long unanswered;
    /** Requests of the schedule that were due before the end and could not be sent by then. */
    public long unsent;
    /** Sends that waited for a connection because all were busy; their lag is the target's doing, not ours. */
    public long deferred;
    /** Connections opened. */
    public long connections;
    /** Request bytes handed to sockets. */
    public long bytesSent;
    /** Recorded bytes that belong to no request, such as those of a WebSocket, handed to sockets. */
    public long opaqueBytesSent;
    /** Response bytes read. */
    public long bytesReceived;
    /** Response body bytes read, chunk framing not counted. */
    public long bodyBytesReceived;

    private final long[] statusCodes = new long[STATUS_CODES];
    private final long[] thriftExceptions = new long[EXCEPTION_TYPES];
    private final long[] errors = new long[ErrorKind.values().length];

    /** Counts an answer with this status, 0 to 999. */
    public void status(int code) {
        statusCodes[code]++;
    }

    /** Counts a TApplicationException by its type; as a failed request it is counted by {@link #error(ErrorKind)}. */
    public void thriftException(int type) {
        thriftException(type, 1);
    }

    /** Adds this many exceptions. */
    void thriftException(int type, long count) {
        boolean known = type >= 0 && type < EXCEPTION_TYPES - 1;
        thriftExceptions[known ? type : EXCEPTION_TYPES - 1] += count;
    }

    /**
     * Returns the TApplicationExceptions by their type, without the types that did not occur. 11 stands for all that
     * Thrift's libraries do not know.
     */
    public Map<Integer, Long> thriftExceptions() {
        Map<Integer, Long> byType = new TreeMap<>();
        for (int type = 0; type < EXCEPTION_TYPES; type++) {
            if (thriftExceptions[type] > 0) {
                byType.put(type, thriftExceptions[type]);
            }
        }
        return byType;
    }

    /** Counts a failed request, or surplus bytes after a good answer. */
    public void error(ErrorKind kind) {
        errors[kind.ordinal()]++;
    }

    /** Adds this many answers with this status. */
    void status(int code, long count) {
        statusCodes[code] += count;
    }

    /** Adds this many failed requests. */
    void error(ErrorKind kind, long count) {
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

    /** Returns the answers by status code, without the codes that did not occur. */
    public Map<Integer, Long> statusCodes() {
        Map<Integer, Long> byCode = new TreeMap<>();
        for (int code = 0; code < STATUS_CODES; code++) {
            if (statusCodes[code] > 0) {
                byCode.put(code, statusCodes[code]);
            }
        }
        return byCode;
    }

    /** Adds the other counts to these. */
    public void add(LoadCounts other) {
        sent += other.sent;
        completed += other.completed;
        oneway += other.oneway;
        unanswered += other.unanswered;
        unsent += other.unsent;
        deferred += other.deferred;
        connections += other.connections;
        bytesSent += other.bytesSent;
        opaqueBytesSent += other.opaqueBytesSent;
        bytesReceived += other.bytesReceived;
        bodyBytesReceived += other.bodyBytesReceived;
        for (int i = 0; i < statusCodes.length; i++) {
            statusCodes[i] += other.statusCodes[i];
        }
        for (int i = 0; i < thriftExceptions.length; i++) {
            thriftExceptions[i] += other.thriftExceptions[i];
        }
        for (int i = 0; i < errors.length; i++) {
            errors[i] += other.errors[i];
        }
    }

    /** Returns counts that later changes to these do not touch. */
    public LoadCounts copy() {
        LoadCounts copy = new LoadCounts();
        copy.add(this);
        return copy;
    }
}
