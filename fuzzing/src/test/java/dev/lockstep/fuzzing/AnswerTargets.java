package dev.lockstep.fuzzing;

import dev.lockstep.protocol.Http2Responses;
import dev.lockstep.protocol.MuxAnswerFramer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** What targets answer: no exception, no standstill, and the same answers however the bytes are cut. */
final class AnswerTargets {
    private AnswerTargets() {}

    static void mux(byte[] input) {
        long whole = muxMessages(input, input.length);
        if (whole != muxMessages(input, 1)) {
            throw new AssertionError("messages depend on how the bytes are cut");
        }
    }

    /** Returns a digest of the messages. */
    private static long muxMessages(byte[] input, int step) {
        MuxAnswerFramer framer = new MuxAnswerFramer();
        long digest = 0;
        int messages = 0;
        for (int from = 0; from < input.length; from += step) {
            ByteBuf piece = Unpooled.wrappedBuffer(input, from, Math.min(step, input.length - from));
            int outcome;
            while ((outcome = framer.feed(piece)) == MuxAnswerFramer.MESSAGE) {
                digest = digest * 31 + framer.tag() * 8L + framer.kind().ordinal();
                digest = digest * 31 + muxMessage(framer);
                if (++messages > input.length / 8) {
                    throw new AssertionError("more messages than headers");
                }
            }
            if (outcome == MuxAnswerFramer.MALFORMED) {
                return digest * 31 + framer.problem().hashCode();
            }
        }
        return digest;
    }

    private static long muxMessage(MuxAnswerFramer framer) {
        switch (framer.kind()) {
            case ANSWER:
                return framer.status().ordinal() + 4 * framer.payloadBytes() + (framer.isThriftException() ? 3 : 0);
            case ERROR:
                return framer.text().hashCode();
            case INIT:
                return framer.initVersion()
                        + String.valueOf(framer.initHeader("tls")).hashCode();
            case LEASE:
                return framer.leaseMs();
            default:
                return 0;
        }
    }

    static void http2(byte[] input) {
        long whole = http2Events(input, input.length);
        if (whole != http2Events(input, 1)) {
            throw new AssertionError("responses depend on how the bytes are cut");
        }
    }

    /** Returns a digest of what happens to the streams. */
    private static long http2Events(byte[] input, int step) {
        Events events = new Events();
        Http2Responses responses = new Http2Responses(events);
        for (int from = 0; from < input.length; from += step) {
            responses.feed(Unpooled.wrappedBuffer(input, from, Math.min(step, input.length - from)));
        }
        // A frame of headers tells a status and an end.
        if (events.count > 2 * (input.length / 9)) {
            throw new AssertionError(events.count + " events of " + input.length + " bytes");
        }
        return events.digest * 31 + String.valueOf(responses.problem()).hashCode();
    }

    private static final class Events implements Http2Responses.Listener {
        private long digest;
        private int count;

        private void note(long a, long b, long c) {
            digest = ((digest * 31 + a) * 31 + b) * 31 + c;
            count++;
        }

        @Override
        public void status(int stream, int status) {
            note(1, stream, status);
        }

        @Override
        public void body(int stream, int bodyBytes, int windowBytes) {
            if (bodyBytes < 0 || bodyBytes > windowBytes) {
                throw new AssertionError(bodyBytes + " bytes of " + windowBytes);
            }
            note(2, stream, bodyBytes);
        }

        @Override
        public void ended(int stream) {
            note(3, stream, 0);
        }

        @Override
        public void reset(int stream, long error) {
            note(4, stream, error);
        }

        @Override
        public void goAway(int lastStream, long error) {
            note(5, lastStream, error);
        }
    }
}
