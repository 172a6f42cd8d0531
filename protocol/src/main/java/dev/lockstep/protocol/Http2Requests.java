package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.function.Consumer;

/**
 * Counts and names the requests that a client sends on one HTTP/2 connection (RFC 9113), from the connection preface
 * on, and says what else it does. Used by the one thread that handles the connection; needs no close.
 *
 * <p>The bytes may arrive cut anywhere. A connection that breaks the rules is followed no further, and never an error:
 * how many requests there were until then stays known.
 */
public final class Http2Requests extends Http2Frames {
    /** Told what the client does beside asking, in order. */
    public interface Listener {
        /** A stream began, with the headers of its request. */
        void opened(int stream);

        /** The client has said all of a stream's request. */
        void ended(int stream);

        /** The client gave a stream up. */
        void reset(int stream);

        /** The server may send this much more; stream 0 is the connection. */
        void windowUpdate(int stream, int bytes);

        /** How much the server may send on each stream before it is told to go on. */
        void initialWindow(long bytes);
    }

    private static final byte[] PREFACE = HttpBytes.ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

    private static final int INITIAL_WINDOW_SIZE = 4;

    private final Listener listener;
    /** Bytes read of the preface. */
    private int prefaceBytes;

    private int lastStream;
    private long requests;
    private Consumer<RequestFacts> sink;

    /** Creates a follower for a client of which no byte was read yet. */
    public Http2Requests() {
        this(null);
    }

    /** Creates a follower for a client of which no byte was read yet, that tells a listener. */
    public Http2Requests(Listener listener) {
        this.listener = listener;
    }

    private Http2Requests(boolean readsHeaders) {
        super(readsHeaders);
        this.listener = null;
    }

    /**
     * Creates a follower for the client of a connection that was open before, whose next byte begins a frame. It counts
     * requests without naming them: their headers refer to earlier ones.
     */
    public static Http2Requests inTheMiddle() {
        Http2Requests requests = new Http2Requests(false);
        requests.prefaceRead(PREFACE.length);
        return requests;
    }

    /** Whether bytes begin with the preface, or with as much of it as they have room for. */
    public static boolean beginsWithPreface(ByteBuf buffer, int from, int to) {
        return from < to && ByteSearch.begins(buffer, from, to, PREFACE);
    }

    /** Says that the preface was read already, up to and with this many bytes. */
    void prefaceRead(int bytes) {
        prefaceBytes = bytes;
    }

    /**
     * Reads on in the client's bytes, to their end. The buffer's own indices are neither used nor moved.
     *
     * @param from the index of the first byte to read
     * @param to the index after the last byte
     * @param sink takes each request's facts once its headers have ended, or null where they are only counted
     */
    public void feed(ByteBuf buffer, int from, int to, Consumer<RequestFacts> sink) {
        int index = from;
        while (index < to && prefaceBytes < PREFACE.length && isFollowed()) {
            if (buffer.getByte(index++) == PREFACE[prefaceBytes]) {
                prefaceBytes++;
            } else {
                give("no connection preface");
            }
        }
        this.sink = sink;
        follow(buffer, index, to);
        this.sink = null;
    }

    /** How many requests have begun: streams that the client opened with headers. */
    public long requests() {
        return requests;
    }

    /** Says that the client's next bytes are missing: without them, headers can be read no further. */
    public void missing() {
        give("bytes are missing");
    }

    @Override
    String problemWith(int type, int stream) {
        if (type == HEADERS && (stream & 1) == 0) {
            return "headers on a stream that no client opens";
        }
        return type == PUSH_PROMISE ? "a promise by the client" : null;
    }

    @Override
    void headers(int stream, Http2Headers headers, boolean endsStream) {
        boolean opens = stream > lastStream;
        if (opens) {
            lastStream = stream;
            requests++;
            if (sink != null) {
                sink.accept(facts(headers));
            }
        }
        if (listener != null && isFollowed()) {
            if (opens) {
                listener.opened(stream);
            }
            if (endsStream) {
                listener.ended(stream);
            }
        }
    }

    @Override
    void data(int stream, int bodyBytes, int windowBytes, boolean endsStream) {
        if (listener != null && endsStream) {
            listener.ended(stream);
        }
    }

    @Override
    void reset(int stream, long error) {
        if (listener != null) {
            listener.reset(stream);
        }
    }

    @Override
    void setting(int id, long value) {
        if (listener != null && id == INITIAL_WINDOW_SIZE) {
            listener.initialWindow(value);
        }
    }

    @Override
    void windowUpdate(int stream, int bytes) {
        if (listener != null) {
            listener.windowUpdate(stream, bytes);
        }
    }

    private static RequestFacts facts(Http2Headers headers) {
        if (headers == null) {
            return RequestFacts.http2(null, null, null, false);
        }
        CharSequence authority = headers.authority() == null ? headers.get("host") : headers.authority();
        return RequestFacts.http2(
                text(headers.method()), text(headers.path()), text(authority), headers.contains(HttpDeadline.NAME));
    }

    private static String text(CharSequence value) {
        return value == null ? null : value.toString();
    }
}
