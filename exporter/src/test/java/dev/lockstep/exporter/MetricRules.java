package dev.lockstep.exporter;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What {@code promtool check metrics} demands of a metric (package promlint of Prometheus's Go client), as in 2026. */
final class MetricRules {
    private static final Set<String> BASE_UNITS =
            Set.of("amperes", "bytes", "celsius", "grams", "joules", "kelvin", "meters", "metres", "seconds", "volts");
    private static final Set<String> OTHER_UNITS = Set.of(
            "minutes",
            "hours",
            "days",
            "weeks",
            "kelvins",
            "fahrenheit",
            "rankine",
            "inches",
            "yards",
            "miles",
            "bits",
            "calories",
            "pounds",
            "ounces");
    private static final List<String> PREFIXES = List.of(
            "pico", "nano", "micro", "milli", "centi", "deci", "deca", "hecto", "kilo", "kibi", "mega", "mibi", "giga",
            "gibi", "tera", "tebi", "peta", "pebi");
    private static final Set<String> ABBREVIATIONS =
            Set.of("s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb", "m", "h", "d");
    private static final Set<String> TYPES = Set.of("counter", "gauge", "summary", "histogram");
    private static final Pattern CAMEL_CASE = Pattern.compile("[a-z][A-Z]");

    private MetricRules() {}

    static List<String> problems(Exposition.Family family) {
        List<String> problems = new ArrayList<>();
        if (family.help.isBlank()) {
            problems.add("no help text");
        }
        if (!TYPES.contains(family.type)) {
            problems.add("no type");
        }
        boolean counter = family.type.equals("counter");
        if (counter != family.name.endsWith("_total")) {
            problems.add("counters, and no others, end in _total");
        }
        boolean distribution = family.type.equals("histogram") || family.type.equals("summary");
        for (String suffix : List.of("_bucket", "_count", "_sum")) {
            if (!distribution && family.name.endsWith(suffix)) {
                problems.add("ends in " + suffix);
            }
        }
        if (family.name.contains(":")) {
            problems.add("has a colon");
        }
        for (String word : family.name.split("_")) {
            if (OTHER_UNITS.contains(word) || isPrefixed(word)) {
                problems.add("not in a base unit: " + word);
            }
            if (ABBREVIATIONS.contains(word)) {
                problems.add("abbreviated unit: " + word);
            }
            if (TYPES.contains(word)) {
                problems.add("has its type in its name");
            }
        }
        camelCase(problems, family.name);
        for (Map<String, String> labels : family.labels) {
            labels.keySet().forEach(label -> camelCase(problems, label));
            if (labels.containsKey("le") && !family.type.equals("histogram")) {
                problems.add("has the label le");
            }
            if (labels.containsKey("quantile") && !family.type.equals("summary")) {
                problems.add("has the label quantile");
            }
        }
        return problems;
    }

    private static boolean isPrefixed(String word) {
        return PREFIXES.stream()
                .anyMatch(prefix -> word.startsWith(prefix)
                        && (BASE_UNITS.contains(word.substring(prefix.length()))
                                || OTHER_UNITS.contains(word.substring(prefix.length()))));
    }

    private static void camelCase(List<String> problems, String name) {
        if (CAMEL_CASE.matcher(name).find()) {
            problems.add("camel case: " + name);
        }
    }
}
