package dev.lockstep.redaction;

import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.ByteSearch;
import dev.lockstep.protocol.HttpRequestFramer;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Replaces the secrets in what one client sends, in the pieces into which a framer cut it. Runs per read; used by the
 * one thread that handles the connection, which closes it.
 *
 * <p>No byte is handed on before it is known whether it belongs to a secret, so a piece may come out later than it went
 * in, or in several parts. The number of bytes, their order and the requests' boundaries stay as they are.
 *
 * <p>Bytes that belong to no request of a known protocol cannot be searched as such. They are left out, or searched for
 * headers and parameters alone and counted: {@link Unsearchable}.
 *
 * <p>Design note: a scanner reads the bytes where they are and only notes the offsets of a secret. So a piece without a
 * secret is handed on as it came, and one with a secret is copied once.
 */
public final class ConnectionRedactor implements AutoCloseable {
    /** The most bytes that wait for the protocol to be recognised, unless they begin as a request does. */
    private static final int LONGEST_WAIT = 1 << 16;
    /** A longer first line is none of a request. */
    private static final int LONGEST_LINE = HttpRequestFramer.MAX_SECTION_BYTES;

    private static final int LONGEST_METHOD = 32;

    private static final byte[] HTTP2_PREFACE = "PRI * HTTP/2.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final RuleSet rules;
    private final boolean keepsUnsearchable;
    private final ThreadLocal<Tokens> tokens;
    private final RedactionCounts counts;
    private final Window window = new Window();
    private final Secret secret = new Secret(this::redact);
    private final Respelling respelling = new Respelling();
    /** Reads requests; null until it is known of what protocol. */
    private Scanner scanner;
    /** Reads what belongs to no request where that is kept; null before. */
    private Scanner lines;

    private Protocol protocol = Protocol.UNKNOWN;
    /** Whether the next byte may be in the middle of a request. */
    private boolean inside;
    /** Whether the bytes from here on are not cut into requests. */
    private boolean opaque;
    /** Whether the bytes read last could not be searched. */
    private boolean unsearchable;

    private long leftOut;
    private long leftOutNs;
    private boolean countedUnsearched;
    private boolean countedUnruled;
    private long redactions;

    ConnectionRedactor(
            RuleSet rules,
            Unsearchable unsearchable,
            ThreadLocal<Tokens> tokens,
            RedactionCounts counts,
            boolean alreadyOpen) {
        this.rules = rules;
        this.tokens = tokens;
        this.counts = counts;
        keepsUnsearchable = unsearchable == Unsearchable.KEEP;
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
        if (begins) {
            opaque = false;
            inside = false;
        }
        boolean isUndecided = scanner == null && protocol == Protocol.UNKNOWN;
        int waiting = window.heldBytes() + to - from;
        opaque |= isUndecided && waiting > LONGEST_WAIT && (waiting > LONGEST_LINE || !beginsAsRequest(bytes, from));
        if (opaque && protocol != Protocol.HTTP2) {
            if (keepsUnsearchable) {
                keep(nowNs, bytes, from, to, sink);
            } else {
                leaveOut(nowNs, to - from, sink);
            }
            return;
        }
        if (unsearchable) {
            endUnsearchable(sink);
        }
        long offset = window.take(nowNs, begins, ends, bytes, from, to);
        if (scanner != null) {
            scanner.scan(begins, ends, bytes, from, to, offset);
        } else if (isUndecided) {
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

    /** Whether what waits, and the piece behind it, begin with a method, a blank and a target. */
    private boolean beginsAsRequest(ByteBuf bytes, int from) {
        int at = 0;
        while (at < LONGEST_METHOD && Character.isLetter(byteAt(at, bytes, from))) {
            at++;
        }
        int target = byteAt(at + 1, bytes, from);
        return at > 0 && byteAt(at, bytes, from) == ' ' && (target == '/' || target == 'h' || target == '*');
    }

    private int byteAt(int index, ByteBuf bytes, int from) {
        int held = window.heldBytes();
        return index < held ? window.held(index) : bytes.getByte(from + index - held);
    }

    /** Says that bytes are missing here: hands on what was held back, redacted as far as it must be. */
    public void missing(long nowNs, RedactedSink sink) {
        endWait(nowNs, sink);
        inside = true;
        secret.cut();
        missing(scanner);
        if (lines != scanner) {
            missing(lines);
        }
        window.emit(Long.MAX_VALUE, sink);
        tellLeftOut(sink);
    }

    private void missing(Scanner reading) {
        if (reading == null) {
            return;
        }
        if (protocol == Protocol.UNKNOWN && reading instanceof HttpScanner) {
            reading.end();
            ((HttpScanner) reading).beginInside();
        } else {
            reading.missing();
        }
    }

    /** Says that nothing more comes: hands on what was held back, redacted as far as it must be. */
    public void end(long nowNs, RedactedSink sink) {
        endWait(nowNs, sink);
        secret.cut();
        endScanners();
        window.emit(Long.MAX_VALUE, sink);
        tellLeftOut(sink);
    }

    /** Has what was held for a protocol read, or left out where none was recognised. */
    private void endWait(long nowNs, RedactedSink sink) {
        if (scanner != null || lines != null || window.heldBytes() == 0) {
            return;
        }
        if (protocol == Protocol.UNKNOWN && !keepsUnsearchable) {
            leaveOut(nowNs, 0, sink);
        } else {
            rescan();
        }
    }

    private void endScanners() {
        if (scanner != null) {
            scanner.end();
        }
        if (lines != null) {
            lines.end();
        }
    }

    /** Whether bytes wait to be handed on. */
    public boolean holdsBack() {
        return window.heldBytes() > 0;
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

    private void endUnsearchable(RedactedSink sink) {
        unsearchable = false;
        secret.cut();
        endScanners();
        window.emit(Long.MAX_VALUE, sink);
        tellLeftOut(sink);
    }

    /** Leaves out bytes that cannot be searched; what was held back of requests before them is handed on. */
    private void leaveOut(long nowNs, int length, RedactedSink sink) {
        if (leftOut == 0) {
            leftOutNs = scanner == null && window.heldBytes() > 0 ? window.heldSinceNs() : nowNs;
        }
        if (!unsearchable) {
            turnUnsearchable();
            if (scanner == null) {
                // What was held for a protocol belongs to what cannot be searched.
                countLeftOut(window.heldBytes());
                window.free();
            } else {
                secret.cut();
                scanner.end();
                window.emit(Long.MAX_VALUE, sink);
            }
        }
        countLeftOut(length);
    }

    private void countLeftOut(int bytes) {
        leftOut += bytes;
        counts.unsearchedLeftOut(bytes);
    }

    private void tellLeftOut(RedactedSink sink) {
        if (leftOut != 0) {
            sink.leftOut(leftOutNs, leftOut);
            leftOut = 0;
        }
    }

    /** Hands on bytes of no request, searched for headers and parameters alone. */
    private void keep(long nowNs, ByteBuf bytes, int from, int to, RedactedSink sink) {
        long offset = window.take(nowNs, false, false, bytes, from, to);
        counts.unsearchedKept(to - from);
        if (unsearchable) {
            lines.scan(false, false, bytes, from, to, offset);
        } else {
            turnUnsearchable();
            boolean undecided = scanner == null && window.heldBytes() != 0;
            beginLines();
            if (undecided) {
                counts.unsearchedKept(window.heldBytes());
                window.rescan(lines, false);
            } else {
                lines.scan(false, false, bytes, from, to, offset);
            }
        }
        window.emit(secret.heldFrom(), sink);
    }

    private void beginLines() {
        if (scanner == null && protocol.isThrift()) {
            scanner = scannerOf(protocol);
        }
        if (scanner instanceof HttpScanner) {
            // What is open in it goes on.
            ((HttpScanner) scanner).opaque();
            lines = scanner;
        } else if (scanner != null && inside) {
            // Nothing says what the bytes are, and a line's end says nothing: they are overwritten.
            scanner.missing();
            lines = scanner;
        } else {
            if (scanner != null) {
                scanner.end();
            }
            HttpScanner fresh = new HttpScanner(rules, secret, window, counts);
            if (inside) {
                fresh.beginInside();
            }
            fresh.opaque();
            lines = fresh;
        }
    }

    private void turnUnsearchable() {
        unsearchable = true;
        countUnsearchable();
    }

    private void countUnsearchable() {
        if (!countedUnsearched) {
            countedUnsearched = true;
            counts.unsearchedConnection();
        }
    }

    private long heldFrom() {
        return Math.min(secret.heldFrom(), scanner.heldFrom());
    }

    /** Has what was held for a protocol read. */
    private void rescan() {
        window.hold();
        choose(window.heldBegins(), window.held(), 0, window.heldBytes());
        window.rescan(scanner, true);
    }

    private void choose(boolean begins, ByteBuf bytes, int from, int to) {
        scanner = scannerOf(protocol);
        if (inside && !begins && !isHttp2Preface(bytes, from, to)) {
            if (scanner instanceof HttpScanner) {
                ((HttpScanner) scanner).beginInside();
            } else {
                scanner.missing();
            }
        }
    }

    private static boolean isHttp2Preface(ByteBuf bytes, int from, int to) {
        return to - from >= HTTP2_PREFACE.length && ByteSearch.begins(bytes, from, to, HTTP2_PREFACE);
    }

    private Scanner scannerOf(Protocol recognised) {
        switch (recognised) {
            case UNKNOWN:
            case HTTP1:
            case TLS:
            case WEBSOCKET:
            case THRIFT_ZLIB:
                return new HttpScanner(rules, secret, window, counts);
            case HTTP2:
                return new Http2Scanner(
                        rules,
                        keepsUnsearchable,
                        window,
                        counts,
                        tokens,
                        this::redact,
                        this::countHttp2,
                        this::countUnsearchable);
            default:
                if (rules.thrift.isEmpty() && !countedUnruled) {
                    countedUnruled = true;
                    counts.unruledConnection();
                }
                return new ThriftScanner(recognised, rules, secret, window, counts);
        }
    }

    private void redact(Secret value) {
        respelling.replace(tokens.get(), value.spelling(), value.raw(), value.from(), value.to());
        value.write(window);
        if (!value.isContinued()) {
            redactions++;
            counts.replaced(value.kind());
        }
    }

    private void countHttp2() {
        redactions++;
        counts.replaced(RuleKind.HTTP2);
    }
}
