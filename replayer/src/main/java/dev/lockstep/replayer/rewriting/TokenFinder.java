package dev.lockstep.replayer.rewriting;

import dev.lockstep.protocol.HttpResponseFramer;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;

/**
 * Finds the values of session tokens in the answers on one connection, in bounded memory, and passes on what it is told
 * to another listener. Event loop only.
 *
 * <p>A body is searched in windows that overlap, as far as {@link Rewriter#MAX_BODY_BYTES}; a value that reaches the
 * end of a window is looked for again in the next, where it is whole.
 */
public final class TokenFinder implements HttpResponseFramer.Listener {
    private static final int WINDOW = 64 * 1024;
    private static final int OVERLAP = 16 * 1024;
    private static final int LONGEST_VALUE = 4096;
    /** The most characters of room that are kept for the next answer. */
    private static final int KEPT = 4096;

    private final Rewriter rewriter;
    private final List<Rewrites.Token> tokens;
    private final boolean[] found;

    private StringBuilder text = new StringBuilder();
    private HttpResponseFramer.Listener next;
    private String[] values;
    private boolean inBody;
    private int left;
    private long bodyBytes;

    public TokenFinder(Rewriter rewriter) {
        this.rewriter = rewriter;
        this.tokens = rewriter.rules.tokens;
        this.found = new boolean[tokens.size()];
    }

    /**
     * Begins with the answer to the n-th request of the phase.
     *
     * @param next is told all of it too, or null
     */
    public void begin(long n, HttpResponseFramer.Listener next) {
        this.next = next;
        values = rewriter.sessions.of(n);
        forget();
        inBody = false;
        bodyBytes = 0;
        left = found.length;
        Arrays.fill(found, false);
    }

    @Override
    public void headerLine(ByteBuf bytes, int from, int to) {
        if (next != null) {
            next.headerLine(bytes, from, to);
        }
        if (text.length() + to - from <= Rewriter.MAX_HEAD_BYTES) {
            text.append(bytes.toString(from, to - from, StandardCharsets.ISO_8859_1))
                    .append("\r\n");
        }
    }

    @Override
    public void body(ByteBuf bytes, int from, int to) {
        if (next != null) {
            next.body(bytes, from, to);
        }
        if (!inBody) {
            endHead();
        }
        int at = from;
        while (at < to && left > 0 && bodyBytes < Rewriter.MAX_BODY_BYTES) {
            int length = Math.min(to - at, WINDOW - text.length());
            text.append(bytes.toString(at, length, StandardCharsets.ISO_8859_1));
            at += length;
            bodyBytes += length;
            if (text.length() == WINDOW) {
                text.delete(0, search(false));
            }
        }
        if (at < to && left > 0) {
            rewriter.skip(Rewriter.Skip.ANSWER_TOO_LARGE);
            left = 0;
        }
    }

    /** The answer has ended. */
    public void end() {
        if (!inBody) {
            endHead();
        } else if (left > 0) {
            search(true);
        }
        forget();
    }

    /** Empties the text. A run has thousands of connections, so a window is held only while an answer is read. */
    private void forget() {
        if (text.capacity() > KEPT) {
            text = new StringBuilder();
        } else {
            text.setLength(0);
        }
    }

    int room() {
        return text.capacity();
    }

    private void endHead() {
        inBody = true;
        search(true);
        forget();
    }

    /**
     * Searches the text for what was not found yet.
     *
     * @param last whether nothing follows
     * @return how much of the text is not needed any more
     */
    private int search(boolean last) {
        int keepFrom = text.length() - Math.min(OVERLAP, text.length());
        for (int i = 0; i < found.length; i++) {
            if (found[i]) {
                continue;
            }
            try {
                Matcher matcher = tokens.get(i).inAnswers.matcher(new BoundedText(text));
                if (!matcher.find() || matcher.end(1) <= matcher.start(1)) {
                    continue;
                }
                if (!last && matcher.hitEnd()) {
                    keepFrom = matcher.start() == 0 ? keepFrom : Math.min(keepFrom, matcher.start());
                } else {
                    found[i] = true;
                    left--;
                    found(i, matcher.group(1));
                }
            } catch (BoundedText.Exceeded | StackOverflowError e) {
                rewriter.skip(Rewriter.Skip.TOOK_TOO_LONG);
            }
        }
        return keepFrom;
    }

    private void found(int token, String value) {
        if (value.length() > LONGEST_VALUE || value.chars().anyMatch(c -> c < ' ' || c == 0x7F)) {
            rewriter.skip(Rewriter.Skip.UNFIT_VALUE);
        } else {
            values[token] = value;
            rewriter.learned(tokens.get(token).rule);
        }
    }
}
