package dev.lockstep.replayer.answers;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.protocol.Http2Requests;
import dev.lockstep.protocol.Http2Responses;
import dev.lockstep.replayer.meters.LoadMeter;
import dev.lockstep.replayer.requests.RequestSource;
import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.ArrayList;

/**
 * Follows an HTTP/2 connection whose recorded bytes are sent unchanged, from the preface on. It reads them as they are
 * sent, to know when each request's last byte goes out, and reads the answers. Runs per piece and read on the event
 * loop.
 *
 * <p>A stream is a request once its client has ended it; its intended time is that of the piece that ends it. A stream
 * answered before that has no times. Acknowledgements and window updates are the recorded ones, at their recorded
 * times; none is added.
 */
final class Http2Answers implements AnswerReader {
    /** RFC 9113, section 7. */
    private static final long FLOW_CONTROL_ERROR = 3;

    private static final long DEFAULT_WINDOW = 65_535;
    private static final int WHOLE_CONNECTION = 0;
    private static final long NOT_SENT = -1;

    private static final class Stream {
        /** The number of its request on the connection, or {@link #NOT_SENT}. */
        long sequence = NOT_SENT;

        int status;
        long bodyBytes;
        /** How much the target may send beyond the initial window. */
        long window;

        final int endpoint;

        boolean answered;
        /** Why the target gave it up before its client ended it, or null. */
        ErrorKind failed;

        Stream(int endpoint) {
            this.endpoint = endpoint;
        }
    }

    private final TargetAnswers answers;
    private final RequestSource source;
    private final LoadMeter meter;
    private final AnsweredConnection connection;
    private final IntObjectMap<Stream> streams = new IntObjectHashMap<>();
    /** The streams that their client ends in the piece that is read. */
    private final LongQueue ending = new LongQueue(1);

    private Http2Requests requests;
    private Http2Responses responses;
    /** The last stream that the client opened. */
    private int lastStream;
    /** How many it opened. */
    private int opened;
    /** How much the target may send on the connection. */
    private long window;
    /** And on each stream. */
    private long initialWindow;
    /** Why the target takes no more streams, or null while it does. */
    private ErrorKind goneAway;

    Http2Answers(TargetAnswers answers, AnsweredConnection connection) {
        this.answers = answers;
        source = answers.source;
        meter = answers.meter;
        this.connection = connection;
    }

    /** Makes the reader of what follows an upgrade, whose own request has the first stream and was answered by 101. */
    static Http2Answers behindUpgrade(TargetAnswers answers, AnsweredConnection connection) {
        Http2Answers reader = new Http2Answers(answers, connection);
        reader.opened();
        reader.lastStream = 1;
        return reader;
    }

    @Override
    public boolean opened() {
        streams.clear();
        ending.clear();
        requests = new Http2Requests(new Client());
        responses = new Http2Responses(new Server());
        lastStream = 0;
        opened = 0;
        window = DEFAULT_WINDOW;
        initialWindow = DEFAULT_WINDOW;
        goneAway = null;
        return true;
    }

    /** Requests of HTTP/2 are no entries of a capture's table. */
    @Override
    public boolean sending(long sequence, long n, long intendedNs) {
        throw new IllegalStateException("request " + n + " on an HTTP/2 connection");
    }

    @Override
    public boolean sendingOpaque(long piece, long intendedNs) {
        source.feed(piece, requests);
        if (!requests.isFollowed()) {
            // The target could read no header from there on either.
            answers.notes.add("a recorded HTTP/2 connection could not be followed (" + requests.problem()
                    + ") and was not sent on; record its connections from their beginning");
            return false;
        }
        while (!ending.isEmpty()) {
            endedByClient((int) ending.remove(), intendedNs);
        }
        return true;
    }

    private void endedByClient(int id, long intendedNs) {
        Stream stream = streams.get(id);
        if (stream == null || stream.sequence != NOT_SENT) {
            // Given up in the same piece, or ended twice.
            return;
        }
        if (stream.failed != null) {
            meter.failedEarly(stream.endpoint, stream.failed);
            streams.remove(id);
        } else if (stream.answered) {
            meter.answeredEarly(stream.endpoint, stream.status, stream.bodyBytes);
            streams.remove(id);
        } else {
            stream.sequence = connection.sendingStream(stream.endpoint, intendedNs);
        }
    }

    @Override
    public void read(ByteBuf in) {
        responses.feed(in);
        if (responses.isFollowed() || !connection.isUp()) {
            return;
        }
        if (responses.hasBegun()) {
            connection.close(ErrorKind.MALFORMED_RESPONSE);
        } else {
            answers.notes.add("the target does not answer as a server of HTTP/2 with prior knowledge ("
                    + responses.problem() + "); replay to a port that speaks h2c");
            connection.close(ErrorKind.HANDSHAKE_FAILED);
        }
    }

    @Override
    public void ended() {
        if (goneAway != null) {
            connection.close(goneAway);
        }
    }

    /** A target whose window is used up may not answer: that is not its doing. */
    @Override
    public ErrorKind expiredAs() {
        if (window <= 0) {
            return ErrorKind.FLOW_CONTROL;
        }
        for (Stream stream : streams.values()) {
            if (stream.sequence != NOT_SENT && initialWindow + stream.window <= 0) {
                return ErrorKind.FLOW_CONTROL;
            }
        }
        return ErrorKind.READ_TIMEOUT;
    }

    private static ErrorKind kind(long error, ErrorKind otherwise) {
        return error == FLOW_CONTROL_ERROR ? ErrorKind.FLOW_CONTROL : otherwise;
    }

    /** What the recorded client does. */
    private final class Client implements Http2Requests.Listener {
        @Override
        public void opened(int id) {
            lastStream = id;
            streams.put(id, new Stream(source.endpointOfStream(connection.recorded(), opened++)));
        }

        @Override
        public void ended(int id) {
            ending.add(id);
        }

        @Override
        public void reset(int id) {
            Stream stream = streams.remove(id);
            if (stream != null && stream.sequence != NOT_SENT && connection.isAwaited(stream.sequence)) {
                connection.answeredWith(ErrorKind.CANCELLED, stream.sequence, true);
            }
        }

        @Override
        public void windowUpdate(int id, int bytes) {
            Stream stream = streams.get(id);
            if (id == WHOLE_CONNECTION) {
                window += bytes;
            } else if (stream != null) {
                stream.window += bytes;
            }
        }

        @Override
        public void initialWindow(long bytes) {
            initialWindow = bytes;
        }
    }

    /** What the target does. */
    private final class Server implements Http2Responses.Listener {
        @Override
        public void status(int id, int status) {
            Stream stream = stream(id);
            if (stream != null) {
                stream.status = status;
            }
        }

        @Override
        public void body(int id, int bodyBytes, int windowBytes) {
            window -= windowBytes;
            Stream stream = (id & 1) == 0 ? null : stream(id);
            if (stream != null) {
                stream.bodyBytes += bodyBytes;
                stream.window -= windowBytes;
            }
        }

        @Override
        public void ended(int id) {
            Stream stream = stream(id);
            if (stream == null) {
                return;
            }
            stream.answered = true;
            if (stream.sequence != NOT_SENT && connection.isAwaited(stream.sequence)) {
                streams.remove(id);
                connection.completed(stream.sequence, stream.status, stream.bodyBytes, true);
            }
        }

        @Override
        public void reset(int id, long error) {
            Stream stream = stream(id);
            if (stream == null || stream.answered) {
                // A server may give up the rest of a request that it has answered.
                return;
            }
            fail(id, stream, kind(error, ErrorKind.STREAM_RESET));
        }

        private void fail(int id, Stream stream, ErrorKind kind) {
            stream.failed = kind;
            if (stream.sequence != NOT_SENT && connection.isAwaited(stream.sequence)) {
                streams.remove(id);
                connection.answeredWith(kind, stream.sequence, true);
            }
        }

        @Override
        public void goAway(int last, long error) {
            goneAway = kind(error, ErrorKind.GOING_AWAY);
            for (int id : new ArrayList<>(streams.keySet())) {
                if (id > last && connection.isUp()) {
                    fail(id, streams.get(id), goneAway);
                }
            }
        }

        /** Returns the stream, or null where its request is done or never was. */
        private Stream stream(int id) {
            if (!connection.isUp()) {
                return null;
            }
            if (id > lastStream) {
                connection.close(ErrorKind.MISMATCHED_RESPONSE);
                return null;
            }
            return streams.get(id);
        }
    }
}
