package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * Follows what a server sends on one HTTP/2 connection (RFC 9113), from its first settings on, and says what becomes of
 * the streams that the client opened. What the server pushes is passed over. Used by the one thread that handles the
 * connection; needs no close.
 *
 * <p>The bytes may arrive cut anywhere. A server that breaks the rules is followed no further, see {@link #problem()},
 * and never an error.
 */
public final class Http2Responses extends Http2Frames {
    /** Told what the server does, in order. */
    public interface Listener {
        /** A response's headers came; those before the last (1xx) are left out. */
        void status(int stream, int status);

        /**
         * Body bytes came.
         *
         * @param windowBytes what they take of the stream's and of the connection's window, padding included
         */
        void body(int stream, int bodyBytes, int windowBytes);

        /** The server has said all of a stream's response. */
        void ended(int stream);

        /** The server gave a stream up, for this reason (RFC 9113, section 7). */
        void reset(int stream, long error);

        /** The server takes no streams beyond this one, for this reason. */
        void goAway(int lastStream, long error);
    }

    private final Listener listener;
    private boolean begun;

    /** Creates a follower for a server of which no byte was read yet. */
    public Http2Responses(Listener listener) {
        this.listener = listener;
    }

    /** Reads the buffer to its end. Does not release it. */
    public void feed(ByteBuf in) {
        int from = in.readerIndex();
        in.readerIndex(in.writerIndex());
        follow(in, from, in.writerIndex());
    }

    /** Whether the server began as one of HTTP/2 does. */
    public boolean hasBegun() {
        return begun;
    }

    @Override
    String problemWith(int type, int stream) {
        if (!begun && type != SETTINGS) {
            return "no settings at the beginning";
        }
        begun = true;
        boolean needsStream = type == HEADERS || type == DATA || type == RST_STREAM || type == PUSH_PROMISE;
        return needsStream && stream == 0 ? "a frame without a stream" : null;
    }

    @Override
    void headers(int stream, Http2Headers headers, boolean endsStream) {
        if (isPushed(stream) || !isFollowed()) {
            return;
        }
        CharSequence status = headers == null ? null : headers.status();
        if (status != null) {
            int code = code(status);
            if (code < 0) {
                give("a status that is no number of three digits");
                return;
            }
            if (code >= 200 || endsStream) {
                listener.status(stream, code);
            }
        }
        if (endsStream) {
            listener.ended(stream);
        }
    }

    private static int code(CharSequence status) {
        int code = 0;
        for (int i = 0; i < status.length(); i++) {
            int digit = status.charAt(i) - '0';
            if (digit < 0 || digit > 9 || status.length() != 3) {
                return -1;
            }
            code = code * 10 + digit;
        }
        return code == 0 ? -1 : code;
    }

    @Override
    void data(int stream, int bodyBytes, int windowBytes, boolean endsStream) {
        listener.body(stream, bodyBytes, windowBytes);
        if (endsStream && !isPushed(stream)) {
            listener.ended(stream);
        }
    }

    @Override
    void reset(int stream, long error) {
        if (!isPushed(stream)) {
            listener.reset(stream, error);
        }
    }

    @Override
    void goAway(int lastStream, long error) {
        listener.goAway(lastStream, error);
    }

    private static boolean isPushed(int stream) {
        return (stream & 1) == 0;
    }
}
