package dev.lockstep.run;

import dev.lockstep.capture.Protocol;
import dev.lockstep.redaction.ConnectionRedactor;
import dev.lockstep.redaction.RedactedSink;
import dev.lockstep.redaction.RedactionKey;
import dev.lockstep.redaction.RedactionPolicy;
import dev.lockstep.replayer.comparison.AnswerBody;
import dev.lockstep.replayer.comparison.AnswerComparer;
import dev.lockstep.results.AnswerPair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * Turns bodies of answers into what may be written to a file: secrets become tokens by the rules that recordings have
 * without rules of their own, with a key that is kept nowhere. A body is searched as that of a request with the same
 * Content-Type would be; one of a type that has no fields to search, such as HTML, XML or Thrift, is not written. Used
 * by one thread.
 */
final class AnswerBodies {
    /** How much of a body is kept after it was decompressed. */
    private static final int MOST_BYTES = 4096;

    private static final int MOST_HEX_BYTES = 1024;
    /** A byte order mark of UTF-8, one character a byte. */
    private static final String MARK = "\u00ef\u00bb\u00bf";

    private static final Pattern JSON_VALUE = Pattern.compile("[\"0-9-]|(true|false|null)$");

    private final RedactionPolicy policy = RedactionPolicy.defaults(RedactionKey.random());

    /** Returns what may be written of two answers. */
    AnswerPair of(AnswerComparer.Pair pair) {
        AnswerPair.Builder found = AnswerPair.builder(
                        pair.example().request(), pair.example().name())
                .baselineOutcome(pair.example().baselineOutcome())
                .outcome(pair.example().outcome());
        pair.baseline().map(this::of).ifPresent(found::baseline);
        pair.answer().map(this::of).ifPresent(found::answer);
        return found.build();
    }

    /** Returns what may be written of a body. */
    AnswerPair.Body of(AnswerBody body) {
        byte[] beginning = body.beginning();
        boolean cut = beginning.length < body.bytes();
        AnswerPair.Body.Builder found = AnswerPair.Body.builder().bytes(body.bytes());
        String type = body.contentType();
        if (!type.isEmpty()) {
            found.contentType(type.replaceAll("[^ -~]", "?"));
        }
        if (body.coding() == AnswerBody.Coding.OTHER) {
            return found.absent("compressed, so not searched for secrets").build();
        }
        if (body.coding() == AnswerBody.Coding.GZIP) {
            byte[] all = decompressed(beginning);
            cut = cut || all.length > MOST_BYTES;
            beginning = all.length > MOST_BYTES ? Arrays.copyOf(all, MOST_BYTES) : all;
        }
        if (!hasFields(type, beginning)) {
            return found.absent("of a type that cannot be searched for secrets").build();
        }
        Optional<byte[]> redacted = redacted(type, beginning, cut);
        if (redacted.isEmpty()) {
            return found.absent("cannot be searched for secrets").build();
        }
        Optional<String> text = text(redacted.get(), cut);
        if (text.isPresent()) {
            return found.cut(cut).text(text.get()).build();
        }
        int length = Math.min(redacted.get().length, MOST_HEX_BYTES);
        return found.cut(cut || length < redacted.get().length)
                .hex(ByteBufUtil.hexDump(redacted.get(), 0, length))
                .build();
    }

    /** Whether a body is JSON, a form or plain text, in which secrets have names: by its type, and by how it begins. */
    private static boolean hasFields(String contentType, byte[] body) {
        String type = contentType.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
        String begin = new String(body, StandardCharsets.ISO_8859_1);
        String text = (begin.startsWith(MARK) ? begin.substring(MARK.length()) : begin).trim();
        if (text.isEmpty() || text.startsWith("{") || text.startsWith("[")) {
            return type.isEmpty() || type.startsWith("text/") || isForm(type) || type.endsWith("json");
        }
        // A page of an error, as gateways send it under any type, is searched for nothing.
        return (type.equals("text/plain") || isForm(type)) && !text.startsWith("<")
                || type.endsWith("json") && JSON_VALUE.matcher(text).lookingAt();
    }

    private static boolean isForm(String type) {
        return type.equals("application/x-www-form-urlencoded");
    }

    /** Returns the beginning of what was compressed, as far as its beginning tells. */
    private static byte[] decompressed(byte[] gzip) {
        ByteArrayOutputStream found = new ByteArrayOutputStream();
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            byte[] some = new byte[512];
            int read;
            while (found.size() <= MOST_BYTES && (read = in.read(some)) > 0) {
                found.write(some, 0, read);
            }
        } catch (IOException e) {
            // It was cut, or is none.
        }
        return found.toByteArray();
    }

    /** Returns a body with tokens for its secrets; empty where it cannot be searched. */
    private Optional<byte[]> redacted(String type, byte[] body, boolean cut) {
        // One byte more than there is, where there was more: what is cut is no end.
        String head = "POST / HTTP/1.1\r\n"
                + (type.isEmpty() ? "" : "Content-Type: " + type.replaceAll("[^ -~]", "?") + "\r\n")
                + "Content-Length: " + (body.length + (cut ? 1 : 0)) + "\r\n\r\n";
        byte[] begin = head.getBytes(StandardCharsets.US_ASCII);
        ByteBuf request = Unpooled.wrappedBuffer(begin, body);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean[] searched = {true};
        RedactedSink sink = new RedactedSink() {
            @Override
            public void accept(
                    long nowNs, boolean begins, boolean ends, boolean redacted, ByteBuf bytes, int from, int to) {
                byte[] piece = new byte[to - from];
                bytes.getBytes(from, piece);
                out.write(piece, 0, piece.length);
            }

            @Override
            public void leftOut(long nowNs, long bytes) {
                searched[0] = false;
            }
        };
        try (ConnectionRedactor redactor = policy.redactor(false)) {
            redactor.protocol(Protocol.HTTP1);
            redactor.piece(0, true, !cut, request, 0, request.writerIndex(), sink);
            redactor.end(0, sink);
        }
        byte[] all = out.toByteArray();
        return searched[0] && all.length == begin.length + body.length
                ? Optional.of(Arrays.copyOfRange(all, begin.length, all.length))
                : Optional.empty();
    }

    /** Returns a body as text, where it is UTF-8 without control characters; a character that was cut is left out. */
    private static Optional<String> text(byte[] body, boolean cut) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer text = CharBuffer.allocate(body.length);
        if (decoder.decode(ByteBuffer.wrap(body), text, !cut).isError()) {
            return Optional.empty();
        }
        text.flip();
        boolean binary = text.chars().anyMatch(c -> c < ' ' && c != '\t' && c != '\n' && c != '\r');
        return binary ? Optional.empty() : Optional.of(text.toString());
    }
}
