package dev.lockstep.fuzzing;

import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.ConnectionFramer;
import dev.lockstep.protocol.Http2Requests;
import dev.lockstep.protocol.HttpRequestFramer;
import dev.lockstep.protocol.HttpResponseFramer;
import dev.lockstep.protocol.RequestFacts;
import dev.lockstep.protocol.ThriftAnswerFramer;
import dev.lockstep.protocol.ThriftCallHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Framing of connections: no exception, no standstill, and the same boundaries however the bytes are cut. */
final class FramingTargets {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private FramingTargets() {}

    static void httpRequest(byte[] input) {
        ByteBuf bytes = Unpooled.wrappedBuffer(input);
        HttpRequestFramer whole = new HttpRequestFramer();
        long wholeEnds = 0;
        for (int from = 0; from < input.length; ) {
            int next = Progress.check(whole.feed(bytes, from, input.length), from, input.length);
            if (whole.isBetweenRequests()) {
                wholeEnds = wholeEnds * 31 + next;
            }
            from = next;
        }
        HttpRequestFramer single = new HttpRequestFramer();
        long singleEnds = 0;
        for (int at = 0; at < input.length; at++) {
            Progress.check(single.feed(bytes, at, at + 1), at, at + 1);
            if (single.isBetweenRequests()) {
                singleEnds = singleEnds * 31 + at + 1;
            }
        }
        if (wholeEnds != singleEnds || whole.isOpaque() != single.isOpaque()) {
            throw new AssertionError("boundaries depend on how the bytes are cut");
        }
    }

    /** The first byte says what the request was; the rest are answers, one behind the other. */
    static void httpResponse(byte[] input) {
        if (input.length == 0) {
            return;
        }
        ByteBuf bytes = Unpooled.wrappedBuffer(input, 1, input.length - 1);
        HttpResponseFramer framer = new HttpResponseFramer();
        int state = HttpResponseFramer.COMPLETE;
        while (bytes.isReadable() && state == HttpResponseFramer.COMPLETE) {
            framer.expect((input[0] & 1) != 0, (input[0] & 2) != 0);
            int before = bytes.readerIndex();
            state = framer.feed(bytes);
            if (state == HttpResponseFramer.COMPLETE && bytes.readerIndex() <= before) {
                throw new AssertionError("an answer of no bytes at " + before);
            }
            if (framer.bodyBytes() < 0) {
                throw new AssertionError("a body of " + framer.bodyBytes() + " bytes");
            }
        }
        if (state == HttpResponseFramer.MALFORMED) {
            if (framer.problem() == null) {
                throw new AssertionError("malformed without a word");
            }
        } else if (state == HttpResponseFramer.MORE) {
            framer.endOfStream();
        }
    }

    /** The first byte of each piece says whose it is and how long: both directions, cut as the fuzzer likes. */
    static void connection(byte[] input) {
        follow(new ConnectionFramer(null, input.length > 0 && input[0] < 0), input);
    }

    /** The same, with a form of Thrift that the first byte names. */
    static void thrift(byte[] input) {
        if (input.length > 0) {
            Protocol[] thrift =
                    Arrays.stream(Protocol.values()).filter(Protocol::isThrift).toArray(Protocol[]::new);
            follow(new ConnectionFramer(thrift[(input[0] & 0x7F) % thrift.length], input[0] < 0), input);
        }
    }

    /** The first two bytes name the form of a call and its length; behind it are answers. */
    static void thriftAnswer(byte[] input) {
        if (input.length < 2) {
            return;
        }
        Protocol[] forms = Arrays.stream(Protocol.values())
                .filter(protocol ->
                        protocol.isThrift() && protocol != Protocol.THRIFT_MUX && protocol != Protocol.THRIFT_ZLIB)
                .toArray(Protocol[]::new);
        Protocol form = forms[(input[0] & 0x7F) % forms.length];
        int callEnd = Math.min(input.length, 2 + (input[1] & 0xFF));
        ThriftCallHead whole = callHead(form, input, callEnd, callEnd);
        ThriftCallHead single = callHead(form, input, callEnd, 1);
        if (whole.isKnown() != single.isKnown() || whole.nameHash() != single.nameHash()) {
            throw new AssertionError("the call's name depends on how the bytes are cut");
        }
        if (answers(whole, input, callEnd, input.length) != answers(whole, input, callEnd, 1)) {
            throw new AssertionError("the answers depend on how the bytes are cut");
        }
    }

    private static ThriftCallHead callHead(Protocol form, byte[] input, int end, int piece) {
        ThriftCallHead head = new ThriftCallHead();
        head.begin(form);
        for (int from = 2; from < end; from += piece) {
            if (!head.feed(Unpooled.wrappedBuffer(input), from, Math.min(end, from + piece))) {
                break;
            }
        }
        return head;
    }

    /** Returns a number made of all that was read of the answers. */
    private static long answers(ThriftCallHead call, byte[] input, int begin, int piece) {
        ThriftAnswerFramer framer = new ThriftAnswerFramer();
        if (input[0] < 0) {
            framer.upgradeToTwitter();
        }
        long digest = 0;
        for (int from = begin; from < input.length; from += piece) {
            ByteBuf in = Unpooled.wrappedBuffer(input, from, Math.min(piece, input.length - from));
            while (in.isReadable()) {
                int before = in.readerIndex();
                int state = framer.feed(in);
                if (state == ThriftAnswerFramer.MALFORMED) {
                    return digest * 31 + 1;
                }
                Progress.check(in.readerIndex(), before, in.writerIndex());
                if (state == ThriftAnswerFramer.COMPLETE) {
                    digest = digest * 31 + framer.bytes() + framer.exceptionType();
                    digest = digest * 31
                            + (framer.answers(call.nameHash(), call.methodHash(), call.sequenceId()) ? 2 : 3);
                }
            }
        }
        return digest;
    }

    static void http2(byte[] input) {
        Http2Requests requests = new Http2Requests();
        ByteBuf bytes = Unpooled.wrappedBuffer(PREFACE, input);
        long[] named = new long[1];
        int step = input.length == 0 ? 1 : 1 + (input[0] & 0xFF);
        for (int from = 0; from < bytes.writerIndex(); from += step) {
            requests.feed(bytes, from, Math.min(bytes.writerIndex(), from + step), facts -> {
                facts.path();
                named[0]++;
            });
        }
        if (named[0] != requests.requests() || named[0] > input.length) {
            throw new AssertionError(named[0] + " requests named, " + requests.requests() + " counted");
        }
    }

    /** The first byte names the protocol. */
    static void requestFacts(byte[] input) {
        if (input.length == 0) {
            return;
        }
        Protocol protocol = Protocol.values()[(input[0] & 0xFF) % Protocol.values().length];
        RequestFacts facts = RequestFacts.of(protocol, Unpooled.wrappedBuffer(input), 1, input.length);
        facts.method();
        facts.path();
        facts.host();
        facts.thrift();
        if (facts.headBytes() > input.length) {
            throw new AssertionError("a head of " + facts.headBytes() + " bytes");
        }
    }

    private static void follow(ConnectionFramer framer, byte[] input) {
        ByteBuf bytes = Unpooled.wrappedBuffer(input);
        int at = 1;
        while (at < input.length) {
            int head = input[at++] & 0xFF;
            int end = Math.min(input.length, at + (head >> 2));
            switch (head & 3) {
                case 0:
                    framer.feedAnswer(bytes, at, end);
                    break;
                case 1:
                    framer.missing(head >> 2);
                    end = at;
                    break;
                default:
                    for (int from = at; from < end; ) {
                        from = Progress.check(framer.feed(bytes, from, end), from, end);
                    }
                    break;
            }
            framer.isAmbiguous();
            framer.isInRequest();
            for (int i = 0; framer.takeUnanswered() >= 0; i++) {
                if (i > input.length) {
                    throw new AssertionError("more unanswered requests than bytes");
                }
            }
            at = end;
        }
    }
}
