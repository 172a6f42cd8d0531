package dev.lockstep.monitor.metrics;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The samples of a text in Prometheus' text format 0.0.4 or in OpenMetrics 1.0: lines of a name, labels in braces, a
 * value, and perhaps a time and an exemplar, which are left out as comments are. Immutable.
 *
 * <p>Sources: the pages "Exposition formats" of Prometheus and "OpenMetrics" 1.0.
 */
final class PrometheusText {
    private static final int LONGEST_SHOWN = 60;
    /** Between a label's name and its value; blanks before it are stripped from the name. */
    private static final Pattern EQUALS = Pattern.compile("=[ \t]*\"");

    /** One value of a metric. */
    static final class Sample {
        private final Map<String, String> labels;
        private final double value;

        private Sample(Map<String, String> labels, double value) {
            this.labels = labels;
            this.value = value;
        }

        /** Returns a label's value, empty where it has none. */
        String label(String name) {
            return labels.getOrDefault(name, "");
        }

        /** Returns all labels but one. */
        Map<String, String> labelsBut(String name) {
            Map<String, String> others = new HashMap<>(labels);
            others.remove(name);
            return others;
        }

        double value() {
            return value;
        }
    }

    private final Map<String, List<Sample>> samples = new HashMap<>();

    private PrometheusText() {}

    /** @throws MetricsException naming the first line that is no sample, without the place of the text */
    static PrometheusText parse(String text) throws MetricsException {
        PrometheusText parsed = new PrometheusText();
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            String trimmed = line.strip();
            // A line that begins with a brace has a name with characters of other languages, which none of ours has.
            if (!trimmed.isEmpty() && trimmed.charAt(0) != '#' && trimmed.charAt(0) != '{') {
                parsed.add(trimmed, number);
            }
        }
        return parsed;
    }

    private void add(String line, int number) throws MetricsException {
        int at = 0;
        while (at < line.length() && isOfName(line.charAt(at))) {
            at++;
        }
        String name = line.substring(0, at);
        Map<String, String> labels = new HashMap<>();
        String rest = line.substring(at).strip();
        if (rest.startsWith("{")) {
            int end = labels(rest, labels);
            rest = end < 0 ? "" : rest.substring(end).strip();
        }
        String value = rest.split("[ \t]+", 2)[0];
        if (name.isEmpty() || value.isEmpty()) {
            throw noSample(line, number);
        }
        try {
            samples.computeIfAbsent(name, any -> new ArrayList<>()).add(new Sample(labels, value(value)));
        } catch (NumberFormatException e) {
            throw noSample(line, number);
        }
    }

    private static boolean isOfName(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == ':';
    }

    /** Returns where a text that begins with labels goes on behind them, or -1 where they do not end. */
    private static int labels(String line, Map<String, String> labels) {
        Matcher equals = EQUALS.matcher(line);
        int at = behindSeparators(line, 1);
        while (at < line.length() && line.charAt(at) != '}') {
            if (!equals.find(at)) {
                return -1;
            }
            String name = line.substring(at, equals.start()).strip();
            StringBuilder value = new StringBuilder();
            at = equals.end();
            while (at < line.length() && line.charAt(at) != '"') {
                if (line.charAt(at) == '\\' && at + 1 < line.length()) {
                    at++;
                    value.append(line.charAt(at) == 'n' ? '\n' : line.charAt(at));
                } else {
                    value.append(line.charAt(at));
                }
                at++;
            }
            labels.put(name, value.toString());
            at = behindSeparators(line, at + 1);
        }
        return at < line.length() ? at + 1 : -1;
    }

    private static int behindSeparators(String line, int from) {
        int at = from;
        while (at < line.length() && ", \t".indexOf(line.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }

    /** Prometheus reads these words in any case, and prom-client (Node) writes {@code Nan}. */
    private static double value(String text) {
        switch (text.toLowerCase(Locale.ROOT)) {
            case "nan":
                return Double.NaN;
            case "inf":
            case "+inf":
            case "infinity":
            case "+infinity":
                return Double.POSITIVE_INFINITY;
            case "-inf":
            case "-infinity":
                return Double.NEGATIVE_INFINITY;
            default:
                return Double.parseDouble(text);
        }
    }

    private static MetricsException noSample(String line, int number) {
        return new MetricsException(
                "expected metrics in Prometheus' text format, found on line " + number + " '" + shown(line) + "'");
    }

    /** Returns the beginning of a text of others, without what a terminal would take for orders. */
    static String shown(String text) {
        String printable = text.replaceAll("[^ -~]", "?");
        return printable.length() > LONGEST_SHOWN ? printable.substring(0, LONGEST_SHOWN) + "..." : printable;
    }

    /** Returns the samples of a metric, none where it has none. */
    List<Sample> of(String name) {
        return samples.getOrDefault(name, List.of());
    }

    /** Returns the names of all metrics. */
    Set<String> names() {
        return samples.keySet();
    }

    /**
     * Returns what stands before a metric's name where it stands only with something before it, as a client that puts
     * the application's name before all of its own makes it: {@code "shop_"}; none where nothing does.
     */
    List<String> prefixesOf(String name) {
        List<String> prefixes = new ArrayList<>();
        if (samples.containsKey(name)) {
            return prefixes;
        }
        for (String other : samples.keySet()) {
            if (other.endsWith("_" + name)) {
                prefixes.add(other.substring(0, other.length() - name.length()));
            }
        }
        Collections.sort(prefixes);
        return prefixes;
    }
}
