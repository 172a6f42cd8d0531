package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds the secrets in the client's side of HTTP/2: in header blocks (RFC 7541) across frames and padding, and in the
 * bodies of each stream. Runs per frame; used by the thread of its connection.
 *
 * <p>Where bytes are missing, or frames or header blocks break the grammar, HPACK's tables are unknown from there on
 * and no peer could read on either; so from there on everything is overwritten.
 *
 * <p>Design note: the framer of HTTP/2 reads header blocks with Netty's decoder, which gives strings. Redaction needs
 * to know which bytes of the stream spell a value, and in which code, so that a token of the same length can take their
 * place while both sides' tables stay true. No decoder tells that, so header blocks are walked here a second time.
 */
final class Http2Scanner extends Scanner {
    private static final int PREFACE = 0;
    private static final int FRAME_HEADER = 1;
    private static final int PAD_LENGTH = 2;
    private static final int PRIORITY = 3;
    private static final int BLOCK = 4;
    private static final int DATA = 5;
    private static final int REST = 6;
    private static final int OVERWRITE_REST = 7;
    private static final int OVERWRITE = 8;

    // What a header block's next byte belongs to.
    private static final int FIELD = 0;
    private static final int INDEX = 1;
    private static final int NAME_LENGTH = 2;
    private static final int NAME = 3;
    private static final int VALUE_LENGTH = 4;
    private static final int VALUE = 5;

    private static final int DATA_FRAME = 0;
    private static final int HEADERS_FRAME = 1;
    private static final int PRIORITY_FRAME = 2;
    private static final int RESET_FRAME = 3;
    private static final int SETTINGS_FRAME = 4;
    private static final int PUSH_FRAME = 5;
    private static final int PING_FRAME = 6;
    private static final int GOAWAY_FRAME = 7;
    private static final int WINDOW_FRAME = 8;
    private static final int CONTINUATION_FRAME = 9;
    private static final int PRIORITY_UPDATE_FRAME = 16;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int PADDED = 8;
    private static final int WITH_PRIORITY = 32;

    private static final byte[] PREFACE_END = {'S', 'M', '\r', '\n', '\r', '\n'};
    private static final byte[] CONNECT = "CONNECT".getBytes(StandardCharsets.US_ASCII);
    private static final int FRAME_HEADER_BYTES = 9;
    private static final int PRIORITY_BYTES = 5;
    private static final int MOST_STREAMS = 256;
    private static final int LONGEST_NOTE = 256;
    /** For how long a secret may hold back what other streams send behind it. */
    private static final long LONGEST_HOLD_NS = 1_000_000_000;

    private static final int MOST_NUMBER_BITS = 28;
    private static final int SETTING_BYTES = 6;
    private static final int PING_BYTES = 8;
    private static final int WORD_BYTES = 4;
    /** The last stream and the error, before the words of who goes away. */
    private static final int GOAWAY_BYTES = 8;
    /** The longest frame of headers that is followed, as by the framer. */
    private static final int LONGEST_HEADERS = 256 << 10;

    private static final int LONGEST_PRIORITY_UPDATE = 256;

    // How a field is written.
    private static final int INDEXED = 0;
    private static final int ADDED = 1;
    private static final int NOT_ADDED = 2;
    private static final int TABLE_SIZE = 3;

    private final RuleSet rules;
    private final boolean keepsUnsearchable;
    private final Window window;
    private final RedactionCounts counts;
    private final ThreadLocal<Tokens> tokens;
    private final Consumer<Secret> bodySink;
    private final Runnable counted;
    private final Runnable countedUnsearchable;
    private final HeaderTable table;
    private final Http2Value values;
    private final Secret value = new Secret(this::redactValue);
    private final Map<Integer, Body> streams = new LinkedHashMap<>();
    /** The streams whose data was counted as not searched, the last ones of many. */
    private final Set<Integer> unsearched = new LinkedHashSet<>();
    /** Overwrites data of streams that nobody knows, since it may be of a tunnel that was given up; null before. */
    private TunnelScanner unknown;

    private int state = PREFACE;
    private int matched;

    // Of the frame.
    private long frameHead;
    private int stream;
    private int headBytes;
    private int frameType;
    private int frameFlags;
    private int frameLeft;
    private int padding;
    private int priorityLeft;
    /** The highest stream that the client has opened. */
    private int highestStream;
    /** The bytes that stay of a frame that is overwritten. */
    private int plainLeft;

    // Of the header block.
    private boolean inBlock;
    private int blockStream;
    private boolean blockEndsStream;
    private int blockState;
    private int way;
    private int number;
    private int numberBits;
    private boolean inNumber;
    private boolean coded;
    private int left;
    private int huffmanState;
    private int nameState;
    private int nameLength;
    private long bits;
    private int decoded;
    private boolean searched;
    private boolean tooLong;
    private byte[] note;
    private byte[] contentType;
    private boolean encoded;
    private boolean isTunnel;

    /**
     * @param counted is run for each value that was replaced
     * @param countedUnsearchable is run, maybe often, where bytes cannot be searched
     */
    Http2Scanner(
            RuleSet rules,
            boolean keepsUnsearchable,
            Window window,
            RedactionCounts counts,
            ThreadLocal<Tokens> tokens,
            Consumer<Secret> bodySink,
            Runnable counted,
            Runnable countedUnsearchable) {
        this.rules = rules;
        this.keepsUnsearchable = keepsUnsearchable;
        this.window = window;
        this.counts = counts;
        this.tokens = tokens;
        this.bodySink = bodySink;
        this.counted = counted;
        this.countedUnsearchable = countedUnsearchable;
        table = new HeaderTable(rules.headers);
        values = new Http2Value(rules);
    }

    @Override
    void scan(boolean begins, boolean ends, ByteBuf bytes, int from, int to, long offset) {
        long base = offset - from;
        int i = from;
        pauseLong(offset);
        while (i < to) {
            switch (state) {
                case DATA:
                    int length = Math.min(frameLeft - padding, to - i);
                    Body body = streams.get(stream);
                    BodyScanner scanner = body != null ? body.scanner : unknown;
                    if (scanner != null) {
                        scanner.scan(bytes, i, i + length, base);
                    }
                    i += length;
                    frameLeft -= length;
                    endData();
                    break;
                case REST:
                    int rest = Math.min(frameLeft, to - i);
                    i += rest;
                    frameLeft -= rest;
                    endFrame();
                    break;
                case OVERWRITE_REST:
                    int plain = Math.min(plainLeft, to - i);
                    plainLeft -= plain;
                    int unknown = Math.min(frameLeft - plain, to - i - plain);
                    window.overwrite(base + i + plain, unknown);
                    counts.overwritten(unknown);
                    i += plain + unknown;
                    frameLeft -= plain + unknown;
                    endFrame();
                    break;
                case OVERWRITE:
                    window.overwrite(base + i, to - i);
                    counts.overwritten(to - i);
                    i = to;
                    break;
                default:
                    step(bytes.getByte(i), base + i);
                    i++;
                    break;
            }
        }
    }

    @Override
    void missing() {
        lose();
    }

    @Override
    void end() {
        if (value.isOpen()) {
            // The value is not whole, so its code cannot be read: nothing of it stays.
            overwriteValue();
        }
        for (Body body : streams.values()) {
            body.secret.cut();
            body.end();
        }
    }

    @Override
    long heldFrom() {
        long held = value.heldFrom();
        if (!streams.isEmpty()) {
            for (Body body : streams.values()) {
                held = Math.min(held, body.secret.heldFrom());
            }
        }
        return held;
    }

    private void step(byte b, long offset) {
        switch (state) {
            case PREFACE:
                matched = b == PREFACE_END[matched] ? matched + 1 : b == PREFACE_END[0] ? 1 : 0;
                if (matched == PREFACE_END.length) {
                    beginFrame();
                }
                break;
            case FRAME_HEADER:
                frameHead(b, offset);
                break;
            case PAD_LENGTH:
                padding = b & 0xff;
                frameLeft--;
                if (padding > frameLeft) {
                    lose();
                } else {
                    beginPayload();
                }
                break;
            case PRIORITY:
                frameLeft--;
                if (--priorityLeft == 0) {
                    state = BLOCK;
                    endBlockPart();
                }
                break;
            default:
                frameLeft--;
                block(b, offset);
                if (state == BLOCK) {
                    endBlockPart();
                }
                break;
        }
    }

    private void beginFrame() {
        state = FRAME_HEADER;
        headBytes = 0;
        frameHead = 0;
        stream = 0;
    }

    private void frameHead(byte b, long offset) {
        headBytes++;
        if (headBytes <= PRIORITY_BYTES) {
            frameHead = frameHead << 8 | b & 0xff;
        } else {
            stream = stream << 8 | b & 0xff;
        }
        if (headBytes < FRAME_HEADER_BYTES) {
            return;
        }
        stream &= Integer.MAX_VALUE;
        frameLeft = (int) (frameHead >>> 16);
        frameType = (int) (frameHead >>> 8) & 0xff;
        frameFlags = (int) frameHead & 0xff;
        padding = 0;
        pauseLong(offset);
        boolean continues = frameType == CONTINUATION_FRAME;
        if (offset - value.heldFrom() > Secret.LONGEST_SPAN
                || inBlock != continues
                || continues && stream != blockStream) {
            lose();
            return;
        }
        switch (frameType) {
            case HEADERS_FRAME:
                if ((stream & 1) == 0 || frameLeft > LONGEST_HEADERS) {
                    lose();
                    return;
                }
                inBlock = true;
                blockStream = stream;
                highestStream = Math.max(highestStream, stream);
                blockEndsStream = (frameFlags & END_STREAM) != 0;
                blockState = FIELD;
                inNumber = false;
                contentType = null;
                encoded = false;
                isTunnel = false;
                startPayload();
                break;
            case DATA_FRAME:
                if (stream == 0 || stream > highestStream) {
                    lose();
                } else {
                    startPayload();
                }
                break;
            case CONTINUATION_FRAME:
                state = BLOCK;
                endBlockPart();
                break;
            case RESET_FRAME:
                cutStream(stream);
                skipRest(frameLeft == WORD_BYTES);
                break;
            case WINDOW_FRAME:
                skipRest(frameLeft == WORD_BYTES);
                break;
            case PRIORITY_FRAME:
                skipRest(frameLeft == PRIORITY_BYTES);
                break;
            case SETTINGS_FRAME:
                skipRest(frameLeft % SETTING_BYTES == 0 && stream == 0);
                break;
            case PING_FRAME:
                skipRest(frameLeft == PING_BYTES);
                break;
            case PRIORITY_UPDATE_FRAME:
                skipRest(frameLeft <= LONGEST_PRIORITY_UPDATE);
                break;
            case GOAWAY_FRAME:
                plainLeft = GOAWAY_BYTES;
                state = OVERWRITE_REST;
                if (frameLeft < GOAWAY_BYTES) {
                    lose();
                }
                break;
            case PUSH_FRAME:
                // Only servers push.
                lose();
                break;
            default:
                // Servers ignore frames that they do not know: anything may be in them.
                plainLeft = 0;
                state = OVERWRITE_REST;
                break;
        }
        if ((state == REST || state == OVERWRITE_REST) && frameLeft == 0) {
            beginFrame();
        }
    }

    /** Keeps a frame's payload, in which no text can be, unless the frame is none. */
    private void skipRest(boolean valid) {
        if (valid) {
            state = REST;
        } else {
            lose();
        }
    }

    /**
     * Replaces what is there of secrets that have held everything behind them for too long: their streams pause, or
     * another's frame is long. The stream of which data is being read sees to that itself, by its secret's own rule.
     *
     * <p>Too long in time, too: a stream that stands still must not hold up the others, whose requests would be
     * recorded at the time at which they are handed on.
     */
    private void pauseLong(long offset) {
        for (Map.Entry<Integer, Body> entry : streams.entrySet()) {
            Body body = entry.getValue();
            boolean reading = state == DATA && entry.getKey() == stream;
            long heldFrom = body.secret.heldFrom();
            if (!reading && (offset - heldFrom > Secret.LONGEST_SPAN || window.heldNs(heldFrom) > LONGEST_HOLD_NS)) {
                // What may be of a delimiter is handed on: replaced, it would end no part any more.
                body.secret.trimEnd(body.scanner.endBytes());
                body.secret.pause();
            }
        }
    }

    private void startPayload() {
        if ((frameFlags & PADDED) == 0) {
            beginPayload();
        } else if (frameLeft == 0) {
            lose();
        } else {
            state = PAD_LENGTH;
        }
    }

    private void beginPayload() {
        if (frameType == DATA_FRAME) {
            state = DATA;
            if (frameLeft > padding && !streams.containsKey(stream) && unknown == null && unsearched.add(stream)) {
                // It was given up, or never opened: what its body is, nobody said.
                counts.unsearchedBody("of no known HTTP/2 stream");
                if (unsearched.size() > MOST_STREAMS) {
                    unsearched.remove(unsearched.iterator().next());
                }
            }
            endData();
        } else if ((frameFlags & WITH_PRIORITY) != 0) {
            priorityLeft = PRIORITY_BYTES;
            state = PRIORITY;
            if (frameLeft - padding < PRIORITY_BYTES) {
                lose();
            }
        } else {
            state = BLOCK;
            endBlockPart();
        }
    }

    private void endData() {
        if (frameLeft > padding) {
            return;
        }
        if ((frameFlags & END_STREAM) != 0) {
            endStream(stream);
        }
        state = REST;
        endFrame();
    }

    private void endBlockPart() {
        if (frameLeft > padding) {
            return;
        }
        if ((frameFlags & END_HEADERS) != 0) {
            if (blockState != FIELD || inNumber) {
                lose();
                return;
            }
            inBlock = false;
            endBlock();
        }
        state = REST;
        endFrame();
    }

    private void endFrame() {
        if (frameLeft == 0) {
            beginFrame();
        }
    }

    private void endBlock() {
        Body body = streams.get(blockStream);
        if (blockEndsStream) {
            endStream(blockStream);
        } else if (body == null) {
            if (streams.size() == MOST_STREAMS) {
                // Streams that the server ended are not seen to end; the oldest is one of them, or is given up.
                Map.Entry<Integer, Body> oldest = streams.entrySet().iterator().next();
                if (!keepsUnsearchable && oldest.getValue().scanner instanceof TunnelScanner) {
                    unknown = new TunnelScanner(window, counts, countedUnsearchable, null);
                }
                cutStream(oldest.getKey());
            }
            streams.put(blockStream, new Body());
        }
    }

    /** Ends a stream of which the rest does not come. */
    private void cutStream(int id) {
        Body body = streams.get(id);
        if (body != null) {
            body.secret.cut();
        }
        endStream(id);
    }

    private void endStream(int id) {
        Body body = streams.remove(id);
        if (body != null) {
            body.end();
        }
    }

    private void lose() {
        end();
        state = OVERWRITE;
    }

    private void block(byte b, long offset) {
        switch (blockState) {
            case FIELD:
                if (!inNumber) {
                    beginField(b);
                } else if (number(b)) {
                    endIndex();
                }
                break;
            case INDEX:
                if (number(b)) {
                    endIndex();
                }
                break;
            case NAME_LENGTH:
                if (inNumber ? number(b) : beginNumber(b, 7)) {
                    left = number;
                    decoded = 0;
                    huffmanState = Huffman.START;
                    nameState = NameSet.START;
                    blockState = NAME;
                    if (left == 0) {
                        endName();
                    }
                }
                break;
            case NAME:
                text(b);
                if (--left == 0 && state != OVERWRITE) {
                    endName();
                }
                break;
            case VALUE_LENGTH:
                if (inNumber ? number(b) : beginNumber(b, 7)) {
                    beginValue();
                }
                break;
            default:
                valueByte(b, offset);
                break;
        }
    }

    private void beginField(byte b) {
        int first = b & 0xff;
        if (first >= 0x80) {
            way = INDEXED;
        } else if (first >= 0x40) {
            way = ADDED;
        } else if (first >= 0x20) {
            way = TABLE_SIZE;
        } else {
            way = NOT_ADDED;
        }
        blockState = INDEX;
        coded = false;
        if (beginNumber(b, way == INDEXED ? 7 : way == ADDED ? 6 : way == TABLE_SIZE ? 5 : 4)) {
            endIndex();
        }
    }

    private void endIndex() {
        if (way == TABLE_SIZE) {
            blockState = FIELD;
            if (!table.limit(number)) {
                lose();
            }
            return;
        }
        if (number == 0 && way != INDEXED) {
            bits = 0;
            blockState = NAME_LENGTH;
            return;
        }
        if (!table.has(number)) {
            lose();
            return;
        }
        bits = table.bits(number);
        if (way == INDEXED) {
            takeNote(table.note(number));
            blockState = FIELD;
        } else {
            nameLength = table.nameLength(number);
            blockState = VALUE_LENGTH;
        }
    }

    private void endName() {
        bits = rules.headers.bits(nameState);
        nameLength = decoded;
        blockState = VALUE_LENGTH;
    }

    private void beginValue() {
        left = number;
        decoded = 0;
        huffmanState = Huffman.START;
        nameState = NameSet.DEAD;
        searched = (bits & HeaderRules.SEARCHED) != 0;
        tooLong = searched && left > Secret.LONGEST;
        note = bits != 0 && !searched && left <= LONGEST_NOTE ? new byte[LONGEST_NOTE * 2] : null;
        blockState = VALUE;
        if (searched && !tooLong) {
            value.open(RuleKind.HTTP2, Spelling.BYTES);
        }
        if (left == 0) {
            endValue();
        }
    }

    private void valueByte(byte b, long offset) {
        if (tooLong) {
            // Zeros are so many times the code of '0', and ones behind them padding.
            left--;
            window.set(offset, coded ? (byte) (left == 0 ? (1 << (number * 8L) % 5) - 1 : 0) : (byte) 'x');
            decoded++;
        } else {
            if (searched) {
                value.add(offset, b);
            }
            text(b);
            left--;
        }
        if (left == 0 && state != OVERWRITE) {
            endValue();
        }
    }

    private void endValue() {
        blockState = FIELD;
        if (tooLong) {
            counted.run();
            if (coded) {
                decoded = (int) (number * 8L / 5);
            }
        }
        if (searched) {
            value.close();
        }
        byte[] noted = null;
        if (note != null) {
            noted = Arrays.copyOf(note, decoded);
            takeNote(noted);
            note = null;
        }
        if (way == ADDED) {
            table.add(bits, nameLength, decoded, noted);
        }
    }

    private void takeNote(byte[] noted) {
        if (noted == null) {
            return;
        }
        if ((bits & HeaderRules.CONTENT_TYPE) != 0) {
            contentType = noted;
        } else if ((bits & HeaderRules.CONTENT_ENCODING) != 0) {
            encoded |= noted.length != 0 && !ContentType.is(noted, 0, noted.length, "identity");
        } else if ((bits & HeaderRules.METHOD) != 0) {
            isTunnel |= Arrays.equals(noted, CONNECT);
        }
    }

    /**
     * Reads a byte of a name or value, to know its length without Huffman's code, and what it is where that is asked.
     */
    private void text(byte b) {
        if (!coded) {
            character(b);
            return;
        }
        for (int shift = 4; shift >= 0; shift -= 4) {
            int step = Huffman.next(huffmanState, b >> shift & 15);
            if (step == Huffman.INVALID) {
                lose();
                return;
            }
            if (Huffman.hasSymbol(step)) {
                character(Huffman.symbol(step));
            }
            huffmanState = Huffman.state(step);
        }
    }

    private void character(byte b) {
        if (note != null && blockState == VALUE) {
            note[decoded] = b;
        }
        nameState = rules.headers.next(nameState, b);
        decoded++;
    }

    private boolean beginNumber(byte b, int prefix) {
        if (blockState == NAME_LENGTH || blockState == VALUE_LENGTH) {
            coded = b < 0;
        }
        int most = (1 << prefix) - 1;
        number = b & most;
        numberBits = 0;
        inNumber = number == most;
        return !inNumber;
    }

    private boolean number(byte b) {
        if (numberBits >= MOST_NUMBER_BITS) {
            lose();
            return false;
        }
        long sum = number + ((b & 0x7fL) << numberBits);
        if (sum > Integer.MAX_VALUE / 16) {
            lose();
            return false;
        }
        number = (int) sum;
        numberBits += 7;
        inNumber = b < 0;
        return !inNumber;
    }

    private void redactValue(Secret secret) {
        byte[] raw = secret.raw();
        int count = values.replace(tokens.get(), bits, coded, raw, secret.to());
        if (count < 0) {
            overwriteValue();
            return;
        }
        secret.write(window);
        for (int i = 0; i < count; i++) {
            counted.run();
        }
    }

    private void overwriteValue() {
        Arrays.fill(value.raw(), 0, value.to(), (byte) 'x');
        value.write(window);
        counts.overwritten(value.to());
        value.abandon();
    }

    private BodyScanner tunnel(Secret secret) {
        LineSearch lines =
                keepsUnsearchable ? new LineSearch(rules, secret, new HeaderValueScanner(rules, secret, null)) : null;
        TunnelScanner tunnel = new TunnelScanner(window, counts, countedUnsearchable, lines);
        tunnel.begin();
        return tunnel;
    }

    /** The body of one stream, whose first header block was read last. */
    private final class Body {
        private final Secret secret = new Secret(bodySink);
        private final BodyScanner scanner;

        private Body() {
            scanner =
                    isTunnel ? tunnel(secret) : new Bodies(rules, secret, window, counts).scanner(contentType, encoded);
        }

        private void end() {
            scanner.end();
            secret.close();
        }
    }
}
