package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/**
 * Reads what a stream of HTTP/2 carries behind a CONNECT: a tunnel, or a WebSocket (RFC 8441). Nothing says what the
 * bytes are, so they become of them what becomes of such bytes elsewhere, but that frames cannot lose any: they are
 * overwritten instead, and count as left out. Runs per frame; used by the thread of its connection.
 */
final class TunnelScanner extends BodyScanner {
    private final Window window;
    private final RedactionCounts counts;
    private final Runnable onBytes;
    /** Searches what is kept; null where it is overwritten. */
    private final LineSearch lines;

    /**
     * @param onBytes is run for each part, to count the connection
     * @param lines searches what is kept, or null to overwrite it
     */
    TunnelScanner(Window window, RedactionCounts counts, Runnable onBytes, LineSearch lines) {
        this.window = window;
        this.counts = counts;
        this.onBytes = onBytes;
        this.lines = lines;
    }

    @Override
    void begin() {
        if (lines != null) {
            lines.begin(null);
        }
    }

    @Override
    void scan(ByteBuf bytes, int from, int to, long base) {
        if (from == to) {
            return;
        }
        onBytes.run();
        if (lines == null) {
            window.overwrite(base + from, to - from);
            counts.unsearchedLeftOut(to - from);
            return;
        }
        counts.unsearchedKept(to - from);
        // Where the body of a request ends is not known, so it cannot be searched.
        int behind = lines.scan(bytes, from, to, base);
        window.overwrite(base + behind, to - behind);
        counts.overwritten(to - behind);
    }

    @Override
    void end() {
        if (lines != null) {
            lines.end();
        }
    }
}
