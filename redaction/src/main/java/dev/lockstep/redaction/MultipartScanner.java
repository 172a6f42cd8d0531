package dev.lockstep.redaction;

import dev.lockstep.protocol.ByteSearch;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds the secret fields of a multipart/form-data body (RFC 7578). Runs per byte of such a body; used by the thread of
 * its connection.
 *
 * <p>A part's name comes from its Content-Disposition; what is in a part is searched as a body of its type would be,
 * see {@link Sniffer}. A part with a header that is too long to be read is taken as secret. Lines may end with LF
 * alone, as some servers let them.
 */
final class MultipartScanner extends BodyScanner {
    private static final int CONTENT = 0;
    private static final int AFTER_BOUNDARY = 1;
    private static final int HEADER = 2;

    private static final int LONGEST_BOUNDARY = 200;
    private static final int LONGEST_HEADER = 1024;
    private static final String DISPOSITION = "content-disposition:";
    private static final String TYPE = "content-type:";

    private final NameSet names;
    private final Secret secret;
    private final Bodies bodies;
    private final RedactionCounts counts;
    private final Sniffer sniffer;
    /** A line feed, two dashes and the boundary. */
    private byte[] delimiter;

    private final byte[] line = new byte[LONGEST_HEADER];
    private int lineLength;
    /** Whether a header's line has ended, which the next one may continue. */
    private boolean lineEnded;

    private int state;
    private int matched;
    private boolean isSecret;
    private boolean isJson;
    /** Whether the part is text, as one is that does not say what it is. */
    private boolean isText;
    /** What reads the part, or null. */
    private BodyScanner part;
    /** Whether the body counts already as one that could not be searched, for a part of it. */
    private boolean isCounted;

    MultipartScanner(RuleSet rules, Secret secret, Bodies bodies, RedactionCounts counts) {
        names = rules.form;
        this.secret = secret;
        this.bodies = bodies;
        this.counts = counts;
        sniffer = new Sniffer(bodies, () -> {});
    }

    /** Takes the boundary of the next body from its Content-Type; false where there is none. */
    boolean boundary(byte[] contentType) {
        String boundary = ContentType.parameter(new String(contentType, StandardCharsets.ISO_8859_1), "boundary");
        if (boundary == null || boundary.isEmpty() || boundary.length() > LONGEST_BOUNDARY) {
            return false;
        }
        delimiter = ("\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        return true;
    }

    @Override
    void begin() {
        state = CONTENT;
        // The first boundary needs no line before it.
        matched = 1;
        isCounted = false;
        beginPart();
    }

    private void beginPart() {
        isSecret = false;
        isJson = false;
        isText = true;
        part = null;
    }

    @Override
    void scan(ByteBuf bytes, int from, int to, long base) {
        int i = from;
        while (i < to) {
            if (state == CONTENT) {
                // Without a line feed there is no delimiter.
                int end = matched == 0 ? ByteSearch.lineFeed(bytes, i, to) : i;
                if (end == i) {
                    end = i + 1;
                    if (bytes.getByte(i) == '\n') {
                        pauseLong();
                    }
                    content(bytes, i, end, base);
                    match(bytes.getByte(i));
                } else {
                    content(bytes, i, end, base);
                }
                noteUnsearched();
                i = end;
                continue;
            }
            byte b = bytes.getByte(i++);
            if (state == HEADER) {
                header(b);
            } else if (b == '\n') {
                lineLength = 0;
                lineEnded = false;
                state = HEADER;
            }
        }
    }

    /** Pauses the long secret of a part that is searched where a delimiter may begin, as {@link #addSecret} does. */
    private void pauseLong() {
        if (part != null && secret.to() > Secret.LONGEST - delimiter.length) {
            if (matched == 0) {
                secret.trimEnd(endBytes());
            }
            secret.pause();
        }
    }

    private void content(ByteBuf bytes, int from, int to, long base) {
        if (isSecret && mayEnd(bytes.getByte(from))) {
            secret.add(base + from, bytes, from, to);
        } else if (isSecret) {
            addSecret(bytes, from, to, base);
        } else if (part != null) {
            part.scan(bytes, from, to, base);
        }
    }

    /** Whether a byte goes on with what may be a line's end and the delimiter. */
    private boolean mayEnd(byte b) {
        return matched > 0
                ? b == delimiter[matched]
                : b == '\n' && secret.to() > 0 && secret.raw()[secret.to() - 1] == '\r';
    }

    /** Pauses a long secret early enough that a line's end and the delimiter stay in one, to be taken off its end. */
    private void addSecret(ByteBuf bytes, int from, int to, long base) {
        int longest = Secret.LONGEST - delimiter.length;
        int i = from;
        while (i < to) {
            if (secret.to() >= longest) {
                secret.pause();
            }
            int next = Math.min(to, i + longest - secret.to());
            secret.add(base + i, bytes, i, next);
            i = next;
        }
    }

    /** A line's end and the beginning of a delimiter. */
    @Override
    int endBytes() {
        int before = secret.to() - matched - 1;
        return before >= secret.from() && secret.raw()[before] == '\r' ? matched + 1 : matched;
    }

    /** Counts the body once for parts that hold more than the delimiter behind them. */
    private void noteUnsearched() {
        if (!isCounted && part != null && matched == 0 && part.isUnsearched()) {
            isCounted = true;
            counts.unsearchedBody("multipart/form-data");
        }
    }

    @Override
    void end() {
        if (part != null) {
            part.end();
        }
        secret.close();
    }

    /** Looks for the delimiter; its first byte is nowhere else in it. */
    private void match(byte b) {
        if (b == delimiter[matched]) {
            matched++;
        } else {
            matched = b == delimiter[0] ? 1 : 0;
        }
        if (matched < delimiter.length) {
            return;
        }
        matched = 0;
        if (secret.isOpen()) {
            secret.trimEnd(delimiter.length);
            if (secret.to() > secret.from() && secret.raw()[secret.to() - 1] == '\r') {
                secret.trimEnd(1);
            }
        }
        end();
        beginPart();
        state = AFTER_BOUNDARY;
    }

    private void header(byte b) {
        if (lineEnded) {
            lineEnded = false;
            if (b != ' ' && b != '\t') {
                readHeader();
                lineLength = 0;
            }
        }
        if (b != '\n') {
            if (lineLength < LONGEST_HEADER) {
                line[lineLength++] = b;
            } else {
                isSecret = true;
            }
            return;
        }
        if (lineLength > 0 && line[lineLength - 1] == '\r') {
            lineLength--;
        }
        if (lineLength > 0) {
            lineEnded = true;
            return;
        }
        state = CONTENT;
        // An empty part is followed by the delimiter without its line's end.
        matched = 1;
        if (isSecret) {
            secret.open(RuleKind.FORM, Spelling.PLAIN);
            return;
        }
        sniffer.expect(isJson, isText);
        part = sniffer;
        part.begin();
    }

    private void readHeader() {
        if (startsWith(DISPOSITION)) {
            String name = ContentType.parameter(new String(line, 0, lineLength, StandardCharsets.ISO_8859_1), "name");
            isSecret |= name != null && isSecretName(name.getBytes(StandardCharsets.ISO_8859_1));
        } else if (startsWith(TYPE)) {
            String type = ContentType.type(Arrays.copyOfRange(line, TYPE.length(), lineLength));
            isJson = Bodies.isJson(type);
            isText = Bodies.isText(type);
        }
    }

    private boolean startsWith(String word) {
        return lineLength >= word.length() && ContentType.is(line, 0, word.length(), word);
    }

    private boolean isSecretName(byte[] name) {
        if (names.bitsOf(name, 0, name.length) != 0) {
            return true;
        }
        int from = 0;
        for (int i = 0; i <= name.length; i++) {
            if (i == name.length || ParameterScanner.endsPart(name[i])) {
                if (names.bitsOf(name, from, i) != 0) {
                    return true;
                }
                from = i + 1;
            }
        }
        return false;
    }
}
