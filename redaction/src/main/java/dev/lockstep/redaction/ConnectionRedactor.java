package dev.lockstep.redaction;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;

/**
 * Replaces the secrets in what one client sends, in the pieces into which a framer cut it. Runs per read; used by the
 * one thread that handles the connection, which closes it.
 *
 * <p>No byte is handed on before it is known whether it belongs to a secret, so a piece may come out later than it went
 * in, or in several parts. The number of bytes, their order and the requests' boundaries stay as they are.
 *
 * <p>Design note: a scanner reads the bytes where they are and only notes the offsets of a secret. So a piece without a
 * secret is handed on as it came, and one with a secret is copied once.
 */
public final class ConnectionRedactor implements AutoCloseable {
    /** The most bytes that wait for the protocol to be recognised. */
    private static final int LONGEST_WAIT = 512;

    private static final String HTTP2_PREFACE = "PRI * HTTP/2.0\r\n\r\n";

    /** How many bytes are looked at to tell text from other bytes. */
    private static final int TEXT_BYTES = 16;

    private final RuleSet rules;
    private final ThreadLocal<Tokens> tokens;
    private final RedactionCounts counts;
    private final Window window = new Window();
    private final Secret secret = new Secret(this::redact);
    private final Respelling respelling = new Respelling();
    private Scanner scanner;
    private Protocol protocol = Protocol.UNKNOWN;
    /** Whether the next byte may be in the middle of a request. */
    private boolean inside;

    private boolean opaque;
    private boolean newlyOpaque;
    private boolean countedUnsearched;
    private boolean countedUnruled;
    private long redactions;

    ConnectionRedactor(RuleSet rules, ThreadLocal<Tokens> tokens, RedactionCounts counts, boolean alreadyOpen) {
        this.rules = rules;
        this.tokens = tokens;
        this.counts = counts;
        inside = alreadyOpen;
    }

    /** Says what the bytes from here on were recognised as. */
    public void protocol(Protocol recognised) {
        if (recognised == protocol) {
            return;
        }
        protocol = recognised;
        if (recognised == Protocol.HTTP1 && scanner instanceof HttpScanner) {
            return;
        }
        if (scanner != null) {
            scanner.end();
            scanner = recognised == Protocol.UNKNOWN ? scanner : scannerOf(recognised);
        }
    }

    /** Says that the bytes from here on are not cut into requests, until a piece begins one. */
    public void opaque() {
        opaque = true;
        newlyOpaque = true;
    }

    /**
     * Takes a piece of the client's stream; the buffer stays the caller's, its indices are not moved.
     *
     * @param nowNs when it came
     * @param begins whether its first byte begins a request
     * @param ends whether its last byte ends a request
     */
    public void piece(long nowNs, boolean begins, boolean ends, ByteBuf bytes, int from, int to, RedactedSink sink) {
        if (from == to) {
            return;
        }
        long offset = window.take(nowNs, begins, ends, bytes, from, to);
        if (begins) {
            opaque = false;
            newlyOpaque = false;
        } else if (newlyOpaque) {
            turnOpaque();
        }
        if (scanner != null) {
            scanner.scan(begins, ends, bytes, from, to, offset);
        } else if (isUndecided(bytes, from, to)) {
            window.hold();
            return;
        } else if (window.heldBytes() == 0) {
            choose(begins, bytes, from, to);
            scanner.scan(begins, ends, bytes, from, to, offset);
        } else {
            rescan();
        }
        window.emit(heldFrom(), sink);
    }

    /** Says that bytes are missing here: hands on what was held back, redacted as far as it must be. */
    public void missing(long nowNs, RedactedSink sink) {
        if (scanner == null && window.heldBytes() != 0) {
            rescan();
        }
        if (scanner == null) {
            inside = true;
        } else if (protocol == Protocol.UNKNOWN && scanner instanceof HttpScanner) {
            scanner.end();
            ((HttpScanner) scanner).beginInside();
        } else {
            scanner.missing();
        }
        window.emit(Long.MAX_VALUE, sink);
    }

    /** Says that nothing more comes: hands on what was held back, redacted as far as it must be. */
    public void end(long nowNs, RedactedSink sink) {
        if (scanner == null && window.heldBytes() != 0) {
            rescan();
        }
        if (scanner != null) {
            scanner.end();
        }
        window.emit(Long.MAX_VALUE, sink);
    }

    /** How many values were replaced since this was asked last. */
    public long takeRedactions() {
        long taken = redactions;
        redactions = 0;
        return taken;
    }

    /** Releases the memory of what was held back. */
    @Override
    public void close() {
        secret.abandon();
        window.free();
    }

    private void turnOpaque() {
        newlyOpaque = false;
        if (scanner == null || protocol == Protocol.HTTP2) {
            return;
        }
        scanner.opaque();
        unsearched();
    }

    private long heldFrom() {
        return Math.min(secret.heldFrom(), scanner.heldFrom());
    }

    /** Whether the bytes held and these do not say yet how to read them. */
    private boolean isUndecided(ByteBuf bytes, int from, int to) {
        if (protocol != Protocol.UNKNOWN || opaque || window.heldBytes() + to - from > LONGEST_WAIT) {
            return false;
        }
        byte first = window.heldBytes() == 0 ? bytes.getByte(from) : window.heldByte(0);
        if (first == 'P' && window.heldBytes() == 0 && to - from > 1) {
            // HTTP/2 begins with PRI.
            return bytes.getByte(from + 1) == 'R';
        }
        return first < 'A' || first > 'Z' || first == 'P';
    }

    /** Has what was held for a protocol read. */
    private void rescan() {
        window.hold();
        choose(window.heldBegins(), window.held(), 0, window.heldBytes());
        window.rescan(scanner);
    }

    private void choose(boolean begins, ByteBuf bytes, int from, int to) {
        if (protocol != Protocol.UNKNOWN) {
            scanner = scannerOf(protocol);
        } else if (begins && !opaque || isText(bytes, from, to)) {
            scanner = scannerOf(Protocol.UNKNOWN);
        } else {
            unsearched();
            scanner = new Unsearched();
        }
        newlyOpaque = false;
        if (inside && !begins && !isHttp2Preface(bytes, from, to)) {
            if (scanner instanceof HttpScanner) {
                ((HttpScanner) scanner).beginInside();
            } else {
                scanner.missing();
            }
        } else if (opaque && protocol != Protocol.HTTP2) {
            scanner.opaque();
            unsearched();
        }
    }

    private static boolean isHttp2Preface(ByteBuf bytes, int from, int to) {
        for (int i = 0; i < HTTP2_PREFACE.length(); i++) {
            if (from + i == to || bytes.getByte(from + i) != HTTP2_PREFACE.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isText(ByteBuf bytes, int from, int to) {
        for (int i = from; i < Math.min(to, from + TEXT_BYTES); i++) {
            byte b = bytes.getByte(i);
            if (b < 0 || b < ' ' && b != '\r' && b != '\n' && b != '\t') {
                return false;
            }
        }
        return true;
    }

    private Scanner scannerOf(Protocol recognised) {
        switch (recognised) {
            case UNKNOWN:
            case HTTP1:
                return new HttpScanner(rules, secret, window, counts);
            case HTTP2:
                return new Http2Scanner(rules, window, counts, tokens, this::redact, this::countHttp2);
            case TLS:
            case WEBSOCKET:
            case THRIFT_ZLIB:
                unsearched();
                return new Unsearched();
            default:
                if (rules.thrift.isEmpty() && !countedUnruled) {
                    countedUnruled = true;
                    counts.unruledConnection();
                }
                return new ThriftScanner(recognised, rules, secret, window, counts);
        }
    }

    private void unsearched() {
        if (!countedUnsearched) {
            countedUnsearched = true;
            counts.unsearchedConnection();
        }
    }

    private void redact(Secret value) {
        byte[] raw = value.raw();
        respelling.replace(tokens.get(), value.spelling(), raw, value.from(), value.to());
        int index = 0;
        for (int range = 0; range < value.ranges(); range++) {
            int length = value.rangeLength(range);
            int skipped = Math.min(length, Math.max(0, value.from() - index));
            window.set(value.rangeStart(range) + skipped, raw, index + skipped, length - skipped);
            index += length;
        }
        if (!value.isContinued()) {
            redactions++;
            counts.replaced(value.kind());
        }
    }

    private void countHttp2() {
        redactions++;
        counts.replaced(RuleKind.HTTP2);
    }

    /** Keeps the bytes as they are. */
    private static final class Unsearched extends Scanner {
        @Override
        void scan(boolean begins, boolean ends, ByteBuf bytes, int from, int to, long offset) {}

        @Override
        void missing() {}

        @Override
        void end() {}
    }
}
