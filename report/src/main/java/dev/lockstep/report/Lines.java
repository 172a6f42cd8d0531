package dev.lockstep.report;

import java.util.ArrayList;
import java.util.List;

/** Cuts text into lines that a usual terminal shows whole. */
public final class Lines {
    /** As wide as a usual terminal. */
    static final int WIDTH = 80;

    private static final String INDENT = "  ";

    private Lines() {}

    /** Returns a text cut at blanks; what goes on stands two further to the right. A word is never cut. */
    public static List<String> wrapped(String text) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        String indent = text.substring(0, text.length() - text.stripLeading().length()) + INDENT;
        while (rest.length() > WIDTH) {
            int word = rest.length() - rest.stripLeading().length();
            int cut = rest.lastIndexOf(' ', WIDTH);
            if (cut < word) {
                cut = rest.indexOf(' ', word);
            }
            if (cut < 0) {
                break;
            }
            lines.add(rest.substring(0, cut));
            rest = indent + rest.substring(cut).stripLeading();
        }
        lines.add(rest);
        return lines;
    }
}
