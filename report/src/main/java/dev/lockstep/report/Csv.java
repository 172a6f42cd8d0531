package dev.lockstep.report;

import java.util.Collection;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Lines of comma-separated values after RFC 4180. What others wrote is no formula to a spreadsheet, and has no control
 * characters.
 */
final class Csv {
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?");
    /** What a spreadsheet takes for the beginning of a formula, the wide forms of East Asian text included. */
    private static final Pattern FORMULA = Pattern.compile("\\s*[=+\\-@\uFF1D\uFF0B\uFF0D\uFF20].*", Pattern.DOTALL);

    private Csv() {}

    /** Returns a line of these cells, with its end. */
    static String line(Collection<String> cells) {
        return cells.stream().map(Csv::cell).collect(Collectors.joining(",", "", "\n"));
    }

    private static String cell(String text) {
        if (NUMBER.matcher(text).matches()) {
            return text;
        }
        String plain = Figures.printable(text);
        // An apostrophe is how people say in a spreadsheet that what follows is text.
        String safe = FORMULA.matcher(plain).matches() ? "'" + plain : plain;
        boolean special = safe.chars().anyMatch(c -> c == ',' || c == '"');
        return special ? '"' + safe.replace("\"", "\"\"") + '"' : safe;
    }
}
