package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Reads the server's answers on an HTTP/1 connection from the moment on when a request may lead to another protocol, to
 * learn whether it does. Used by the one thread that handles the connection; needs no close.
 */
final class AwaitedAnswers {
    /** What the answers read so far have decided. */
    enum Outcome {
        /** Nothing yet. */
        OPEN,
        /** Another protocol follows. */
        SWITCHED,
        /** HTTP/1 goes on. */
        REFUSED,
        /** The server's bytes do not tell. */
        UNKNOWN
    }

    /** What there is to know of a request to read its answer. */
    private enum Request {
        PLAIN(false, false, false),
        HEAD(true, false, false),
        UPGRADE(false, false, true),
        UPGRADE_HEAD(true, false, true),
        CONNECT(false, true, true);

        private final boolean isHead;
        private final boolean isConnect;
        private final boolean maySwitch;

        Request(boolean isHead, boolean isConnect, boolean maySwitch) {
            this.isHead = isHead;
            this.isConnect = isConnect;
            this.maySwitch = maySwitch;
        }
    }

    /** The most requests without an answer that are followed. */
    private static final int MAX_REQUESTS = 1_024;

    private static final String VERSION = "HTTP/1.";

    private final HttpResponseFramer framer = new HttpResponseFramer();
    private final Queue<Request> requests = new ArrayDeque<>();
    private boolean inStep;
    private boolean inAnswer;

    /**
     * Creates a reader.
     *
     * @param inStep whether the server's next byte is the first of an answer; otherwise the first answer is looked for
     *     at the beginning of a read, and taken for that to the first request
     */
    AwaitedAnswers(boolean inStep) {
        this.inStep = inStep;
    }

    /** Adds a request that has ended, the first of which may switch. */
    void await(boolean isHead, boolean isConnect, boolean maySwitch) {
        if (requests.size() == MAX_REQUESTS) {
            return;
        }
        if (isConnect) {
            requests.add(Request.CONNECT);
        } else if (isHead) {
            requests.add(maySwitch ? Request.UPGRADE_HEAD : Request.HEAD);
        } else {
            requests.add(maySwitch ? Request.UPGRADE : Request.PLAIN);
        }
    }

    /** Reads the server's bytes up to a decision. */
    Outcome feed(ByteBuf buffer, int from, int to) {
        if (!inStep && !startsLikeAnAnswer(buffer, from, to)) {
            return Outcome.OPEN;
        }
        inStep = true;
        ByteBuf in = buffer.slice(from, to - from);
        while (in.isReadable()) {
            if (!inAnswer) {
                Request request = requests.element();
                framer.expect(request.isHead, request.isConnect);
                inAnswer = true;
            }
            switch (framer.feed(in)) {
                case HttpResponseFramer.MORE:
                    return Outcome.OPEN;
                case HttpResponseFramer.MALFORMED:
                    return Outcome.UNKNOWN;
                default:
                    break;
            }
            inAnswer = false;
            if (framer.switched()) {
                return Outcome.SWITCHED;
            }
            requests.remove();
            if (requests.stream().noneMatch(request -> request.maySwitch)) {
                return Outcome.REFUSED;
            }
        }
        return Outcome.OPEN;
    }

    /** Which protocol follows, as far as it is told apart. */
    Protocol protocol() {
        return framer.status() == 101 ? framer.upgrade() : Protocol.UNKNOWN;
    }

    /** Says that the server's next bytes are missing. */
    void missing() {
        inStep = false;
        inAnswer = false;
    }

    private static boolean startsLikeAnAnswer(ByteBuf buffer, int from, int to) {
        for (int i = 0; i < VERSION.length() && from + i < to; i++) {
            if (buffer.getByte(from + i) != VERSION.charAt(i)) {
                return false;
            }
        }
        return from < to;
    }
}
