package dev.lockstep.conversion;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What recorded bytes mean as text. Stateless. */
public final class ByteText {
    private ByteText() {}

    /**
     * Text with a character per byte, as recorded names have, as what its bytes mean in UTF-8; unchanged if nothing.
     */
    public static String of(String bytes) {
        if (bytes.chars().allMatch(c -> c < 0x80)) {
            return bytes;
        }
        String text = utf8(bytes.getBytes(StandardCharsets.ISO_8859_1));
        return text == null ? bytes : text;
    }

    /** Returns the text that the bytes are in UTF-8, or null. */
    public static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
