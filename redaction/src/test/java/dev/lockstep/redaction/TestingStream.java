package dev.lockstep.redaction;

import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.ConnectionFramer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One connection's bytes on their way through framer and redactor, as a recorder sends them. */
final class TestingStream implements RedactedSink, AutoCloseable {
    /** The same in every build: of a random one, a short token now and then is the very value that it replaces. */
    static final RedactionKey KEY = RedactionKey.of(latin("0123456789abcdef0123456789abcdef"), "test");

    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    /** The bytes that were left out before each offset of what came out. */
    final Map<Integer, Long> leftOut = new TreeMap<>();
    /** When the first of the bytes came that were left out last. */
    long leftOutNs;
    /** The offsets at which requests begin and end, as they went in and as they came out. */
    final List<String> marksIn = new ArrayList<>();

    final List<String> marksOut = new ArrayList<>();
    /** For each byte that came out, when it came: that of its piece's first. */
    final List<Long> times = new ArrayList<>();

    final ConnectionRedactor redactor;
    private final ConnectionFramer framer;
    private Protocol protocol = Protocol.UNKNOWN;
    private boolean opaque;
    private long in;
    private long nowNs;
    private boolean redacted;

    TestingStream(RedactionPolicy policy, Protocol forced, boolean alreadyOpen) {
        redactor = policy.redactor(alreadyOpen);
        framer = new ConnectionFramer(forced, alreadyOpen);
    }

    static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Sends a whole stream in one piece and returns what comes out. */
    static String redact(RedactionPolicy policy, String stream) {
        return latin(redact(policy, null, latin(stream)));
    }

    static byte[] redact(RedactionPolicy policy, Protocol forced, byte[] stream) {
        try (TestingStream connection = new TestingStream(policy, forced, false)) {
            connection.feed(stream, 0, stream.length);
            return connection.end();
        }
    }

    void feed(String text) {
        feed(latin(text), 0, text.length());
    }

    void feed(byte[] bytes, int from, int to) {
        ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
        pass(1);
        int index = from;
        while (index < to) {
            boolean begins = framer.isBetweenRequests();
            boolean ends = false;
            int next = framer.feed(buffer, index, to);
            noteProtocol();
            if (opaque || framer.isAside()) {
                begins = false;
            } else {
                ends = framer.isBetweenRequests();
            }
            if (begins) {
                marksIn.add("begin " + in);
            }
            in += next - index;
            if (ends) {
                marksIn.add("end " + in);
            }
            redactor.piece(nowNs, begins, ends, buffer, index, next, this);
            index = next;
        }
    }

    void pass(long ns) {
        nowNs += ns;
    }

    void answer(byte[] bytes) {
        if (framer.wantsAnswers()) {
            framer.feedAnswer(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
            noteProtocol();
        }
    }

    private void noteProtocol() {
        if (!opaque && framer.isOpaque()) {
            redactor.opaque();
        }
        opaque = framer.isOpaque();
        if (framer.protocol() != protocol) {
            protocol = framer.protocol();
            redactor.protocol(protocol);
        }
    }

    void missing(long bytes) {
        redactor.missing(nowNs, this);
        framer.missing(bytes);
    }

    byte[] end() {
        redactor.end(nowNs, this);
        return out.toByteArray();
    }

    boolean isOpaque() {
        return opaque;
    }

    boolean redacted() {
        return redacted;
    }

    @Override
    public void close() {
        redactor.close();
    }

    @Override
    public void accept(long ns, boolean begins, boolean ends, boolean replaced, ByteBuf bytes, int from, int to) {
        if (begins) {
            marksOut.add("begin " + out.size());
        }
        for (int i = from; i < to; i++) {
            out.write(bytes.getByte(i));
            times.add(ns);
        }
        if (ends) {
            marksOut.add("end " + out.size());
        }
        redacted |= replaced;
    }

    @Override
    public void leftOut(long ns, long bytes) {
        leftOutNs = ns;
        leftOut.merge(out.size(), bytes, Long::sum);
    }
}
