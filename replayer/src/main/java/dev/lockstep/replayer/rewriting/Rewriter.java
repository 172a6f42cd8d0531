package dev.lockstep.replayer.rewriting;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.RewriteCount;
import dev.lockstep.replayer.requests.RequestSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;

/**
 * Sends recorded HTTP/1 requests to one target with the changes that {@link Rewrites} asks for. Lengths are corrected;
 * every other byte stays. A request without changes is sent as it was recorded. Event loop only.
 *
 * <p>It allocates freely: rewritten requests are off the exact path.
 */
public final class Rewriter {
    /** The longest head that is changed. */
    static final int MAX_HEAD_BYTES = 64 << 10;
    /** The longest body in which tokens are looked for. */
    static final int MAX_BODY_BYTES = 1 << 20;

    private static final int UNAUTHORIZED = 401;

    /** Why something was left as it was. */
    enum Skip {
        HEAD_TOO_LARGE("request sent as recorded: a head of more than 64 KiB"),
        NO_HEAD("request sent as recorded: no head of HTTP/1.x"),
        BODY_TOO_LARGE("body sent as recorded, not searched for tokens: more than 1 MiB"),
        NO_CHUNKS("body sent as recorded, not searched for tokens: its chunks are malformed"),
        TOOK_TOO_LONG("search given up: an expression took too many steps"),
        UNFIT_VALUE("value not used: it would have broken the request, or is too long"),
        ANSWER_TOO_LARGE("answer not searched for tokens behind its first 1 MiB");

        private final String text;

        Skip(String text) {
            this.text = text;
        }
    }

    final Rewrites rules;
    private final Capture capture;
    private final RequestSource source;
    private final String host;
    /** The elements of the Connection field that all requests get, in small letters; null where it stays. */
    private final Set<String> connection;

    final SessionTokens sessions;
    private final long[] changed;
    private final long[] learned;
    /** By rule, the requests that it left as recorded for want of a value. */
    private final long[] asRecorded;

    private final long[] skipped = new long[Skip.values().length];
    /** Which rules changed the present request. */
    private final boolean[] hit;
    /** Which rules matched in it, but have no value from an answer yet. */
    private final boolean[] missing;

    /** @param ownHost the target's host and port, as a Host field says them */
    public Rewriter(Rewrites rules, Capture capture, RequestSource source, String ownHost) {
        this.rules = rules;
        this.capture = capture;
        this.source = source;
        this.host = rules.host == null ? ownHost : rules.host;
        this.connection = rules.header("Connection")
                .map(value -> Set.copyOf(
                        Arrays.asList(value.toLowerCase(Locale.ROOT).strip().split("\\s*,\\s*"))))
                .orElse(null);
        this.sessions = new SessionTokens(capture, rules.tokens.size());
        this.changed = new long[rules.options().size()];
        this.learned = new long[rules.options().size()];
        this.asRecorded = new long[rules.options().size()];
        this.hit = new boolean[rules.options().size()];
        this.missing = new boolean[rules.options().size()];
    }

    public boolean wantsAnswers() {
        return !rules.tokens.isEmpty();
    }

    /** Whether what requests say of their connection is set or removed. */
    public boolean setsConnection() {
        return connection != null;
    }

    /**
     * Whether a request ends its connection by what it is made to say of it (RFC 9112, section 9.3); where that is set
     * or removed.
     */
    public boolean endsConnection(boolean isHttp10) {
        return connection.contains("close") || isHttp10 && !connection.contains("keep-alive");
    }

    /** Begins a phase: no session is known, nothing counted. */
    public void startPhase() {
        sessions.clear();
        Arrays.fill(changed, 0);
        Arrays.fill(learned, 0);
        Arrays.fill(asRecorded, 0);
        Arrays.fill(skipped, 0);
    }

    /** Takes note of an answer's status. */
    public void answered(int status) {
        if (status == UNAUTHORIZED && rules.login != null) {
            rules.login.countRefused();
        }
    }

    void skip(Skip reason) {
        skipped[reason.ordinal()]++;
    }

    /** Counts an answer with a value for this rule. */
    void learned(int rule) {
        learned[rule]++;
    }

    /** What each rule did, in the order of {@link Rewrites#options}. */
    public List<RewriteCount> counts() {
        List<RewriteCount> counts = new ArrayList<>();
        for (int rule = 0; rule < changed.length; rule++) {
            counts.add(RewriteCount.of(rules.options().get(rule), changed[rule], learned[rule], asRecorded[rule]));
        }
        return counts;
    }

    /** What was left as it was in this phase, a line for each reason. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>();
        for (Skip reason : Skip.values()) {
            if (skipped[reason.ordinal()] > 0) {
                notes.add("rewriting, " + skipped[reason.ordinal()] + " times: " + reason.text);
            }
        }
        return notes;
    }

    /** How often the login was renewed so far, or that failed; absent where neither happened. */
    public Optional<String> loginNote() {
        LiveToken login = rules.login;
        if (login == null || login.renewals() + login.failures() == 0) {
            return Optional.empty();
        }
        return Optional.of("the token of --token-command was renewed " + times(login.renewals())
                + (login.failures() == 0
                        ? ""
                        : "; " + times(login.failures()) + " the command failed and the token stayed"));
    }

    private static String times(long count) {
        return count == 1 ? "once" : count + " times";
    }

    /**
     * Writes the n-th request of the phase to the channel, without flushing.
     *
     * @param deadlines moves the deadline that the request carries; null where it carries none
     * @param intendedNs as in {@link Deadlines#write}
     * @return its length in bytes
     */
    public long write(Channel channel, long n, Deadlines deadlines, long intendedNs) {
        long request = source.request(n);
        long length = capture.requestLength(request);
        String start = text(request, (int) Math.min(length, MAX_HEAD_BYTES));
        HttpText head = HttpText.head(start);
        if (head == null) {
            skip(length > MAX_HEAD_BYTES ? Skip.HEAD_TOO_LARGE : Skip.NO_HEAD);
            return writeUnchanged(channel, n, deadlines, intendedNs);
        }
        Arrays.fill(hit, false);
        Arrays.fill(missing, false);
        int headLength = head.length();
        String recordedHead = start.substring(0, headLength);
        String[] values = wantsAnswers() ? sessions.of(n) : null;
        String body = values == null ? null : body(request, headLength, length, values);
        String newHead = head(head, recordedHead, values, body);
        for (int rule = 0; rule < missing.length; rule++) {
            asRecorded[rule] += missing[rule] ? 1 : 0;
        }
        if (newHead.equals(recordedHead) && body == null) {
            return writeUnchanged(channel, n, deadlines, intendedNs);
        }
        for (int rule = 0; rule < hit.length; rule++) {
            changed[rule] += hit[rule] ? 1 : 0;
        }
        ByteBuf out = channel.alloc().directBuffer(newHead.length() + (body == null ? 0 : body.length()));
        out.writeCharSequence(newHead, StandardCharsets.ISO_8859_1);
        if (body != null) {
            out.writeCharSequence(body, StandardCharsets.ISO_8859_1);
        }
        if (deadlines != null) {
            deadlines.moveIn(out, intendedNs);
        }
        long bytes = out.readableBytes();
        channel.write(out, channel.voidPromise());
        return body == null && length > headLength ? bytes + source.writeFrom(channel, request, headLength) : bytes;
    }

    private long writeUnchanged(Channel channel, long n, Deadlines deadlines, long intendedNs) {
        return deadlines == null
                ? source.writeFrom(channel, source.request(n), 0)
                : deadlines.write(channel, n, intendedNs);
    }

    /** A request's first bytes, a character for each. */
    private String text(long request, int length) {
        ByteBuf bytes = Unpooled.buffer(length);
        source.copy(request, bytes, length);
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    // ---- the head -----------------------------------------------------------------------------------------------

    /** @param body the new body, or null where it stays */
    private String head(HttpText head, String recorded, String[] values, String body) {
        HttpText changing = head;
        if (values != null) {
            boolean[] before = hit.clone();
            String text = recorded;
            for (int i = 0; i < values.length; i++) {
                text = substitute(text, i, values[i], null, HttpText.queryStart(text), HttpText.queryEnd(text));
            }
            if (!text.equals(recorded)) {
                HttpText substituted = HttpText.head(text);
                if (substituted != null
                        && substituted.length() == text.length()
                        && substituted.blanksInRequestLine() == head.blanksInRequestLine()
                        && substituted.framing().equals(head.framing())) {
                    changing = substituted;
                } else {
                    System.arraycopy(before, 0, hit, 0, hit.length);
                    skip(Skip.UNFIT_VALUE);
                }
            }
        }
        for (Rewrites.Path rule : rules.paths) {
            path(changing, rule);
        }
        for (Rewrites.Header rule : rules.headers) {
            hit[rule.rule] |= changing.set(rule.name, rule.value());
        }
        if (rules.hostRule >= 0) {
            hit[rules.hostRule] |= changing.setHost(host);
        }
        if (body != null) {
            changing.setContentLength(body.length());
        }
        return changing.toString();
    }

    private void path(HttpText head, Rewrites.Path rule) {
        String target = head.target();
        if (target == null) {
            return;
        }
        try {
            String replaced = rule.expression.matcher(new BoundedText(target)).replaceAll(rule.replacement);
            if (replaced.isEmpty() || replaced.chars().anyMatch(c -> c <= ' ' || c == 0x7F)) {
                skip(Skip.UNFIT_VALUE);
            } else if (!replaced.equals(target)) {
                head.target(replaced);
                hit[rule.rule] = true;
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            skip(Skip.UNFIT_VALUE);
        } catch (BoundedText.Exceeded | StackOverflowError e) {
            skip(Skip.TOOK_TOO_LONG);
        }
    }

    // ---- tokens -------------------------------------------------------------------------------------------------

    /** Returns the body with live values in the place of recorded ones, or null where it stays as it is. */
    private String body(long request, int headLength, long length, String[] values) {
        if (length == headLength) {
            return null;
        }
        if (length - headLength > MAX_BODY_BYTES) {
            skip(Skip.BODY_TOO_LARGE);
            return null;
        }
        String whole = text(request, (int) length);
        String recorded = whole.substring(headLength);
        HttpText head = HttpText.head(whole);
        int formEnd = head.isForm() ? Integer.MAX_VALUE : 0;
        HttpChunks chunks = head.isChunked() ? HttpChunks.of(recorded) : null;
        if (head.isChunked() && chunks == null) {
            skip(Skip.NO_CHUNKS);
            return null;
        }
        String before = chunks == null ? recorded : chunks.payload;
        String text = before;
        for (int i = 0; i < values.length; i++) {
            text = substitute(text, i, values[i], chunks, 0, formEnd);
        }
        return text.equals(before) ? null : chunks == null ? text : chunks.with(text);
    }

    /**
     * Replaces what group 1 of a token's expression finds in a text; without a value, notes that there is something.
     *
     * @param value to be put there, or null for none
     * @param chunks follow what is replaced, or null
     * @param formFrom where a query or a form begins in the text: values in it are {@link FormValues}
     * @param formTo where it ends
     */
    private String substitute(String text, int token, String value, HttpChunks chunks, int formFrom, int formTo) {
        Rewrites.Token rule = rules.tokens.get(token);
        if (value == null) {
            missing[rule.rule] |= !missing[rule.rule] && isIn(rule, text);
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + value.length());
        int copied = 0;
        List<int[]> edits = new ArrayList<>();
        try {
            Matcher matcher = rule.inRequests.matcher(new BoundedText(text));
            while (matcher.find()) {
                int from = matcher.start(1);
                int to = matcher.end(1);
                if (from < copied || from < 0) {
                    continue;
                }
                boolean inForm = from >= formFrom && to <= formTo;
                String put = inForm ? FormValues.encoded(value, text.substring(from, to)) : value;
                if (!(to - from == put.length() && text.startsWith(put, from))) {
                    out.append(text, copied, from).append(put);
                    copied = to;
                    edits.add(new int[] {from, to, put.length()});
                }
            }
        } catch (BoundedText.Exceeded | StackOverflowError e) {
            skip(Skip.TOOK_TOO_LONG);
            return text;
        }
        if (edits.isEmpty()) {
            return text;
        }
        hit[rule.rule] = true;
        if (chunks != null) {
            // From the end, so that earlier places stay valid.
            for (int i = edits.size() - 1; i >= 0; i--) {
                chunks.replaced(edits.get(i)[0], edits.get(i)[1], edits.get(i)[2]);
            }
        }
        return out.append(text, copied, text.length()).toString();
    }

    private boolean isIn(Rewrites.Token rule, String text) {
        try {
            Matcher matcher = rule.inRequests.matcher(new BoundedText(text));
            while (matcher.find()) {
                if (matcher.start(1) >= 0) {
                    return true;
                }
            }
        } catch (BoundedText.Exceeded | StackOverflowError e) {
            skip(Skip.TOOK_TOO_LONG);
        }
        return false;
    }
}
