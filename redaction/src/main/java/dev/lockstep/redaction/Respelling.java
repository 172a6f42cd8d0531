package dev.lockstep.redaction;

import java.util.Arrays;

/**
 * Writes a token in place of a value: as many bytes, and valid where the value was. Stateless but for its buffer; used
 * by one thread; runs per secret.
 *
 * <p>The token belongs to the value, not to its spelling: what stood percent-encoded in a query and plain in a header
 * becomes one token, percent-encoded and plain.
 */
final class Respelling {
    private byte[] value = new byte[64];
    private int length;

    /** Replaces a value by its token. */
    void replace(Tokens tokens, Spelling spelling, byte[] raw, int from, int to) {
        if (spelling == Spelling.PERCENT_JSON_STRING) {
            replaceWithin(tokens, Spelling.JSON_STRING, raw, from, to);
            return;
        }
        if (value.length < to - from) {
            value = new byte[to - from];
        }
        length = 0;
        switch (spelling) {
            case PERCENT:
                decodePercent(raw, from, to);
                break;
            case JSON_STRING:
                decodeJson(raw, from, to);
                break;
            default:
                System.arraycopy(raw, from, value, 0, to - from);
                length = to - from;
                break;
        }
        Tokens.Token token = tokens.of(value, length);
        switch (spelling) {
            case PERCENT:
                token.letters(value, 0, length);
                percent(value, raw, from, to);
                break;
            case JSON_STRING:
                jsonString(token, raw, from, to);
                break;
            case JSON_BARE:
                number(token, raw, from, to);
                break;
            case BYTES:
                for (int i = from; i < to; i++) {
                    raw[i] = (byte) token.number(i - from);
                }
                break;
            case DOUBLE:
                for (int i = 1; i < to - from; i++) {
                    raw[from + i] = mantissa(raw[from + i], token, i);
                }
                break;
            case DOUBLE_LITTLE_ENDIAN:
                // Of one that a connection's end cuts off, the first bytes are there, which are the last of the
                // mantissa.
                for (int i = from; i < to; i++) {
                    int place = from + Double.BYTES - 1 - i;
                    raw[i] = place == 0 ? raw[i] : mantissa(raw[i], token, place);
                }
                break;
            case VARINT:
                varint(token, raw, from, to);
                break;
            default:
                token.letters(raw, from, to);
                break;
        }
        if (value.length > Secret.LONGEST / 16) {
            value = new byte[64];
        }
    }

    /** Replaces a value that is spelled somehow in what is percent-encoded. */
    private void replaceWithin(Tokens tokens, Spelling inner, byte[] raw, int from, int to) {
        if (value.length < to - from) {
            value = new byte[to - from];
        }
        length = 0;
        decodePercent(raw, from, to);
        byte[] decoded = Arrays.copyOf(value, length);
        replace(tokens, inner, decoded, 0, decoded.length);
        percent(decoded, raw, from, to);
    }

    /** Returns a byte of a number, by its place behind that of the sign; half of the first is of the exponent. */
    private static byte mantissa(byte old, Tokens.Token token, int place) {
        return (byte) (place == 1 ? old & 0xf0 | token.number(1) & 0x0f : token.number(place));
    }

    private void decodePercent(byte[] raw, int from, int to) {
        int i = from;
        while (i < to) {
            if (isPercent(raw, i, to)) {
                value[length++] = (byte) (Character.digit(raw[i + 1], 16) << 4 | Character.digit(raw[i + 2], 16));
                i += 3;
            } else {
                value[length++] = raw[i] == '+' ? (byte) ' ' : raw[i];
                i++;
            }
        }
    }

    /** Writes other bytes in place of what is decoded: what was encoded stays encoded. */
    private static void percent(byte[] decoded, byte[] raw, int from, int to) {
        int index = 0;
        int i = from;
        while (i < to) {
            byte letter = decoded[index++];
            if (isPercent(raw, i, to)) {
                boolean lower = raw[i + 1] > 'F' || raw[i + 2] > 'F';
                raw[i + 1] = Hex.character(letter >> 4, lower);
                raw[i + 2] = Hex.character(letter & 15, lower);
                i += 3;
            } else {
                raw[i++] = letter;
            }
        }
    }

    private static boolean isPercent(byte[] raw, int i, int to) {
        return raw[i] == '%'
                && to - i >= 3
                && Character.digit(raw[i + 1], 16) >= 0
                && Character.digit(raw[i + 2], 16) >= 0;
    }

    /** Escapes of ASCII become that character; other escapes keep their bytes, which never are longer than the text. */
    private void decodeJson(byte[] raw, int from, int to) {
        int i = from;
        while (i < to) {
            int code = unicodeEscape(raw, i, to);
            if (code >= 0 && code < 0x80) {
                value[length++] = (byte) code;
                i += 6;
            } else if (code < 0 && raw[i] == '\\' && to - i >= 2) {
                value[length++] = Hex.unescaped(raw[i + 1]);
                i += 2;
            } else {
                value[length++] = raw[i++];
            }
        }
    }

    private static void jsonString(Tokens.Token token, byte[] raw, int from, int to) {
        int index = 0;
        int i = from;
        while (i < to) {
            byte letter = token.letter(index++);
            int code = unicodeEscape(raw, i, to);
            if (code >= 0) {
                raw[i + 2] = '0';
                raw[i + 3] = '0';
                raw[i + 4] = Hex.character(letter >> 4, true);
                raw[i + 5] = Hex.character(letter & 15, true);
                // The bytes of an escape beyond ASCII were of the value one by one.
                index += code < 0x80 ? 0 : 5;
                i += 6;
            } else if (raw[i] == '\\' && to - i >= 2) {
                raw[i] = letter;
                raw[i + 1] = token.letter(index + Secret.LONGEST);
                i += 2;
            } else {
                raw[i++] = letter;
            }
        }
    }

    private static int unicodeEscape(byte[] raw, int i, int to) {
        if (raw[i] != '\\' || to - i < 6 || raw[i + 1] != 'u') {
            return -1;
        }
        int code = 0;
        for (int j = i + 2; j < i + 6; j++) {
            int digit = Character.digit(raw[j], 16);
            if (digit < 0) {
                return -1;
            }
            code = code << 4 | digit;
        }
        return code;
    }

    /**
     * Replaces the digits of a number, not sign, point and e. Its first digit becomes a smaller one or stays a 1, so
     * that it still fits where it fitted; its exponent becomes one digit behind zeros.
     */
    private static void number(Tokens.Token token, byte[] raw, int from, int to) {
        boolean first = true;
        boolean exponent = false;
        for (int i = from; i < to; i++) {
            byte b = raw[i];
            if (b == 'e' || b == 'E') {
                exponent = true;
            } else if (b >= '0' && b <= '9') {
                boolean last = i + 1 == to || raw[i + 1] < '0' || raw[i + 1] > '9';
                if (exponent) {
                    raw[i] = last ? (byte) ('0' + token.below(i - from, 10)) : (byte) '0';
                } else if (first && !last) {
                    raw[i] = (byte) ('1' + token.below(i - from, Math.max(1, b - '1')));
                } else {
                    raw[i] = (byte) ('0' + token.below(i - from, 10));
                }
                first = false;
            } else if (b != '-' && b != '+' && b != '.') {
                raw[i] = token.letter(i - from);
            }
        }
    }

    /** Keeps the number of bytes: the last of several may not become 0, and of the longest it stays. */
    private static void varint(Tokens.Token token, byte[] raw, int from, int to) {
        int count = to - from;
        for (int i = 0; i < count; i++) {
            boolean last = i == count - 1;
            if (!last || count == 1) {
                raw[from + i] = (byte) (raw[from + i] & 0x80 | token.number(i) & 0x7f);
            } else if (count != 3 && count != 5 && count < 10) {
                raw[from + i] = (byte) (1 + token.below(i, 0x7f));
            }
        }
    }
}
