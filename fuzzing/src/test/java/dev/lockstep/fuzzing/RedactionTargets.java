package dev.lockstep.fuzzing;

import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.ConnectionFramer;
import dev.lockstep.redaction.ConnectionRedactor;
import dev.lockstep.redaction.RedactedSink;
import dev.lockstep.redaction.RedactionException;
import dev.lockstep.redaction.RedactionKey;
import dev.lockstep.redaction.RedactionPolicy;
import dev.lockstep.redaction.Unsearchable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Redaction: whatever comes, as many bytes leave as came or are told to be left out, and of what is framed the same
 * however they are cut.
 */
final class RedactionTargets {
    private static final RedactionPolicy DROPPING = RedactionPolicy.defaults(RedactionKey.random());
    private static final RedactionPolicy KEEPING = DROPPING.unsearchable(Unsearchable.KEEP);

    private RedactionTargets() {}

    /** The first byte says how the stream is cut, and whether it was open before. */
    static void stream(byte[] input) {
        if (input.length == 0) {
            return;
        }
        boolean alreadyOpen = input[0] < 0;
        for (RedactionPolicy policy : List.of(DROPPING, KEEPING)) {
            int whole = redact(policy, input, input.length, alreadyOpen);
            int cut = redact(policy, input, 1 + (input[0] & 0x3F), alreadyOpen);
            if (whole != cut) {
                throw new AssertionError("redaction depends on how the bytes are cut");
            }
        }
    }

    private static int redact(RedactionPolicy policy, byte[] input, int step, boolean alreadyOpen) {
        ByteBuf bytes = Unpooled.wrappedBuffer(input);
        Output output = new Output();
        ConnectionFramer framer = new ConnectionFramer(null, alreadyOpen);
        Protocol protocol = Protocol.UNKNOWN;
        boolean opaque = false;
        try (ConnectionRedactor redactor = policy.redactor(alreadyOpen)) {
            for (int start = 1; start < input.length; start += step) {
                int end = Math.min(input.length, start + step);
                for (int from = start; from < end; ) {
                    boolean begins = framer.isBetweenRequests();
                    int next = framer.feed(bytes, from, end);
                    if (framer.protocol() != protocol) {
                        protocol = framer.protocol();
                        redactor.protocol(protocol);
                    }
                    if (framer.isOpaque() && !opaque) {
                        opaque = true;
                        redactor.opaque();
                    }
                    redactor.piece(
                            0,
                            begins && !framer.isOpaque() && !framer.isAside(),
                            !framer.isOpaque() && framer.isBetweenRequests(),
                            bytes,
                            from,
                            next,
                            output);
                    from = next;
                }
            }
            redactor.end(0, output);
            redactor.takeRedactions();
        }
        if (output.bytes != input.length - 1) {
            throw new AssertionError(input.length - 1 + " bytes came, " + output.bytes + " left");
        }
        // Where no requests are seen, and what a read is taken for, depends on where the reads end.
        boolean isFramed = !alreadyOpen && (!framer.isOpaque() || protocol == Protocol.HTTP2);
        return isFramed ? output.hash : 0;
    }

    static void rules(byte[] input) throws IOException {
        Path file = Files.createTempFile("rules", ".yaml");
        try {
            Files.write(file, input);
            RedactionPolicy.load(file, RedactionKey.random()).description();
        } catch (RedactionException refused) {
            if (refused.getMessage().lines().count() != 1) {
                throw new AssertionError("not one line: " + refused.getMessage(), refused);
            }
        } finally {
            Files.delete(file);
        }
    }

    /** Sums up what leaves. */
    private static final class Output implements RedactedSink {
        private long bytes;
        private int hash;

        @Override
        public void accept(
                long nowNs, boolean begins, boolean ends, boolean redacted, ByteBuf buffer, int from, int to) {
            for (int i = from; i < to; i++) {
                hash = hash * 31 + buffer.getByte(i);
            }
            bytes += to - from;
        }

        @Override
        public void leftOut(long nowNs, long count) {
            bytes += count;
        }
    }
}
