package dev.lockstep.inspection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PrintableTest {
    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    @Test
    void keepsWhatCanBeSeen() {
        String text = "/caf\u00e9/\u0416/\u4e2d\u6587/e\u0301/\ud83d\ude00 \u0e01\u0e34";

        assertEquals(text, Printable.of(text, 100));
        assertEquals(text, Printable.ofBytes(bytes(text), 100));
        assertEquals("-", Printable.of(null, 100));
    }

    @Test
    void escapesWhatCommandsATerminalOrCannotBeSeen() {
        String[][] hidden = {
            {"\u001b[31m", "\\x1b[31m"},
            {"\u009b31m", "\\x9b31m"},
            {"\r\n\t\u007f", "\\x0d\\x0a\\x09\\x7f"},
            {"\\x", "\\\\x"},
            {"\u202etxt\u2066\u200f", "\\u202etxt\\u2066\\u200f"},
            {"a\u200bb\u00adc\ufeffd\u00a0e", "a\\u200bb\\xadc\\ufeffd\\xa0e"},
            {"\u2028\u3000\u3164\u2800\ufe0f", "\\u2028\\u3000\\u3164\\u2800\\ufe0f"},
            {"\ue000\uffff", "\\ue000\\uffff"},
            {"\udb40\udc41", "\\U000e0041"},
        };
        for (String[] pair : hidden) {
            assertEquals(pair[1], Printable.of(pair[0], 100));
            assertEquals(pair[1], Printable.ofBytes(bytes(pair[0]), 100));
        }
        assertEquals("\\ud83d.", Printable.of("\ud83d.", 100));
    }

    @Test
    void escapesBytesThatAreNoUtf8() {
        assertEquals("caf\\xe9/", Printable.ofBytes("caf\u00e9/", 100));
        assertEquals("\\xc0\\xaf\\xff", Printable.ofBytes("\u00c0\u00af\u00ff", 100));
        assertEquals("\\xed\\xa0\\xbd\u00e9", Printable.ofBytes("\u00ed\u00a0\u00bd\u00c3\u00a9", 100));
        assertEquals("\u00e9\\xe4\\xb8", Printable.ofBytes("\u00c3\u00a9\u00e4\u00b8", 100));
        assertEquals("\\xe4\\xb8...", Printable.ofBytes("\u00e4\u00b8...", 100));
        assertEquals("\u4e2d\\x9b", Printable.ofBytes("\u4e2d\u009b", 100));
    }

    @Test
    void cutsWhatIsLong() {
        assertEquals("ab...", Printable.of("abc", 2));
        assertEquals("ab", Printable.of("ab", 2));
        assertEquals("\u00e9\u00e9...", Printable.ofBytes(bytes("\u00e9\u00e9\u00e9"), 2));
    }
}
