package dev.lockstep.exporter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page in Prometheus's text format 0.0.4, read strictly; what OpenMetrics adds to it are comments. */
final class Exposition {
    private static final Pattern COMMENT = Pattern.compile("# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)");
    private static final Pattern SAMPLE = Pattern.compile(
            "([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{((?:[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\",?)*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** The metrics of one name. */
    static final class Family {
        final String name;
        String help = "";
        String type = "";
        /** By the sample's name with its labels as they stand. */
        final Map<String, Double> samples = new LinkedHashMap<>();

        final List<Map<String, String>> labels = new ArrayList<>();

        Family(String name) {
            this.name = name;
        }
    }

    private final Map<String, Family> families = new LinkedHashMap<>();

    Exposition(String text) {
        if (!text.endsWith("\n")) {
            throw new IllegalArgumentException("the last line has no end");
        }
        for (String line : text.split("\n")) {
            read(line);
        }
    }

    private void read(String line) {
        if (line.equals("# EOF") || line.startsWith("# UNIT ")) {
            return;
        }
        Matcher comment = COMMENT.matcher(line);
        if (comment.matches()) {
            Family family = families.computeIfAbsent(comment.group(2), Family::new);
            if (comment.group(1).equals("HELP")) {
                family.help = comment.group(3);
            } else {
                family.type = comment.group(3);
            }
            return;
        }
        Matcher sample = SAMPLE.matcher(line);
        if (!sample.matches()) {
            throw new IllegalArgumentException("not in the format: " + line);
        }
        Family family = family(sample.group(1));
        Map<String, String> labels = new LinkedHashMap<>();
        Matcher label = LABEL.matcher(sample.group(3) == null ? "" : sample.group(3));
        while (label.find()) {
            labels.put(label.group(1), label.group(2));
        }
        family.labels.add(labels);
        String key = line.substring(0, line.lastIndexOf(' '));
        String number = sample.group(4).equals("+Inf") ? "Infinity" : sample.group(4);
        if (family.samples.put(key, Double.valueOf(number)) != null) {
            throw new IllegalArgumentException("twice: " + key);
        }
    }

    private Family family(String sample) {
        Family family = families.get(sample);
        for (String suffix : List.of("_bucket", "_sum", "_count")) {
            if (family == null && sample.endsWith(suffix)) {
                family = families.get(sample.substring(0, sample.length() - suffix.length()));
            }
        }
        if (family == null) {
            throw new IllegalArgumentException("a sample without its family before it: " + sample);
        }
        return family;
    }

    Map<String, Family> families() {
        return families;
    }

    /** Returns the value of a sample, written with its labels, or null. */
    Double value(String sample) {
        return families.values().stream()
                .map(family -> family.samples.get(sample))
                .filter(value -> value != null)
                .findFirst()
                .orElse(null);
    }
}
