package dev.lockstep.cli.targets;

import java.util.ArrayList;
import java.util.List;

/** Splits a text into words as a shell does, without expanding anything. */
final class ShellWords {
    private ShellWords() {}

    /**
     * Returns the words of the text, which stand apart by blanks. Single quotes keep everything, double quotes
     * everything but {@code \"} and {@code \\}; outside of quotes a backslash keeps the next character.
     *
     * @throws IllegalArgumentException when a quote is not closed or the text ends with a backslash
     */
    static List<String> split(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = null;
        char quote = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote == 0 && Character.isWhitespace(c)) {
                if (word != null) {
                    words.add(word.toString());
                    word = null;
                }
                continue;
            }
            if (word == null) {
                word = new StringBuilder();
            }
            if (quote == 0 && (c == '\'' || c == '"')) {
                quote = c;
            } else if (c == quote) {
                quote = 0;
            } else if (c == '\\' && quote != '\'') {
                if (i + 1 == text.length()) {
                    throw new IllegalArgumentException("nothing after the last backslash of: " + text);
                }
                char next = text.charAt(++i);
                if (quote == '"' && next != '"' && next != '\\') {
                    word.append(c);
                }
                word.append(next);
            } else {
                word.append(c);
            }
        }
        if (quote != 0) {
            throw new IllegalArgumentException("a quote (" + quote + ") is opened and not closed in: " + text);
        }
        if (word != null) {
            words.add(word.toString());
        }
        return words;
    }
}
