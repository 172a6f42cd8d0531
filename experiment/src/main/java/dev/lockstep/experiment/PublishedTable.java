package dev.lockstep.experiment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.lockstep.results.CodeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** The result of an experiment as text: what was asked, and the figures published and found here. */
final class PublishedTable {
    private static final int WIDTH = 80;
    private static final String INDENT = "    ";
    private static final String MISSING = "-";

    private final ExperimentResult result;
    private final Size size;
    private final ArrayNode parts;

    PublishedTable(ExperimentResult result, Size size, ArrayNode parts) {
        this.result = result;
        this.size = size;
        this.parts = parts;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        Definition definition = result.definition();
        lines.add(definition.name() + ": " + definition.title());
        if (size == Size.SMOKE) {
            lines.addAll(wrapped("", ExperimentResult.SMOKE));
        }
        if (result.isInterrupted()) {
            lines.addAll(wrapped("", "INTERRUPTED: the same command goes on with the part that was cut."));
        }
        lines.add("");
        lines.addAll(wrapped("", definition.asks()));
        lines.addAll(wrapped("", "Published: " + definition.source()));
        lines.addAll(wrapped("", "There: " + definition.rig()));
        lines.addAll(wrapped("", "Expected: " + definition.expected()));
        for (String trap : result.traps()) {
            lines.addAll(wrapped("", "Beware: " + trap));
        }
        lines.add("");
        table(lines);
        leftOut(lines, Figure.leftOut(size));
        leftOut(lines, Figure.NOT_ASKED);
        parts.forEach(part -> hot(lines, part));
        List<String> odd = odd();
        if (!odd.isEmpty()) {
            lines.add("");
            lines.add("Parts that are not done, failed, were skipped, or are INVALID");
            odd.forEach(line -> lines.addAll(wrapped("  ", line)));
        }
        return lines;
    }

    private boolean isLeftOut(Figure figure) {
        return figure.comment().startsWith(Figure.leftOut(size))
                || figure.comment().startsWith(Figure.NOT_ASKED);
    }

    /** A line each, or what a smaller size or --only leaves out would crowd what there is. */
    private void leftOut(List<String> lines, String why) {
        List<String> names = new ArrayList<>();
        for (Figure figure : result.figures()) {
            if (figure.comment().startsWith(why)) {
                String published = figure.published().isEmpty()
                        ? "not published"
                        : "published " + print(figure.published()) + " " + figure.unit();
                names.add(figure.name() + ": " + published);
            }
        }
        if (!names.isEmpty()) {
            lines.add("");
            lines.add(why.replace(".", ""));
            names.forEach(name -> lines.addAll(wrapped("  ", name)));
        }
    }

    private void table(List<String> lines) {
        List<Figure> figures =
                result.figures().stream().filter(figure -> !isLeftOut(figure)).collect(Collectors.toList());
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"unit", "published", "here", "95 % interval"});
        for (Figure figure : figures) {
            rows.add(new String[] {
                figure.unit(), print(figure.published()), print(figure.here()), interval(figure),
            });
        }
        int[] widths = new int[4];
        for (String[] row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        lines.add("figure");
        lines.add(row(rows.get(0), widths));
        for (int i = 0; i < figures.size(); i++) {
            Figure figure = figures.get(i);
            lines.add(figure.name());
            lines.add(row(rows.get(i + 1), widths));
            // The dash says it already.
            String comment = figure.comment().replace(Figure.UNPUBLISHED, "").strip();
            if (!comment.isEmpty()) {
                lines.addAll(wrapped(INDENT, comment));
            }
        }
    }

    private static String row(String[] cells, int[] widths) {
        StringBuilder row = new StringBuilder("  ").append(pad(cells[0], widths[0]));
        for (int i = 1; i < cells.length; i++) {
            row.append("  ").append(" ".repeat(widths[i] - cells[i].length())).append(cells[i]);
        }
        return row.toString().stripTrailing();
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(width - text.length());
    }

    private static String interval(Figure figure) {
        return figure.low().isEmpty() && figure.high().isEmpty()
                ? MISSING
                : print(figure.low()) + " to " + print(figure.high());
    }

    private static String print(OptionalDouble value) {
        return value.isPresent() ? print(value.getAsDouble()) : MISSING;
    }

    static String print(double value) {
        double amount = Math.abs(value);
        String format = amount >= 1000
                ? "%,.0f"
                : amount >= 100 || amount == 0 ? "%.0f" : amount >= 10 ? "%.1f" : amount >= 1 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }

    private static void hot(List<String> lines, JsonNode part) {
        JsonNode hot = part.path("hotMethods");
        if (hot.isMissingNode()) {
            return;
        }
        lines.add("");
        if (hot.path("targets").size() < 2) {
            lines.add("Hot methods of " + part.path("name").asText() + ": not of two targets to compare");
            hot.path("lacks").forEach(line -> lines.addAll(wrapped("  ", line.asText())));
            return;
        }
        lines.add("Hot methods of " + part.path("name").asText() + ", percent of each target's samples");
        StringBuilder head = new StringBuilder(" ");
        hot.path("targets").forEach(target -> head.append(String.format(" %9s", target.asText())));
        lines.add(head + "  method");
        hot.path("methods").forEach(method -> {
            StringBuilder row = new StringBuilder(" ");
            method.path("percent")
                    .forEach(share -> row.append(
                            share.asDouble() == 0
                                    ? String.format(" %9s", MISSING)
                                    : String.format(Locale.ROOT, " %9.1f", share.asDouble())));
            String kind = method.path("kind").asText();
            lines.add(row + "  " + shortened(method.path("name").asText(), kind) + " (" + kind + ")");
        });
        hot.path("lacks").forEach(line -> lines.addAll(wrapped("  ", line.asText())));
    }

    /** Returns a name with its packages by their first letters, as stack traces in logs have them; libraries whole. */
    static String shortened(String name, String kind) {
        return kind.equals(CodeKind.NATIVE.label()) ? name : name.replaceAll("\\b([a-z])[a-z0-9_]*\\.", "$1.");
    }

    private List<String> odd() {
        List<String> odd = new ArrayList<>();
        parts.forEach(part -> {
            String end = part.path("end").asText();
            if (part.has("invalid")) {
                odd.add(part.path("name").asText() + ": INVALID: "
                        + part.path("invalid").asText());
            }
            if (!end.equals("done")) {
                odd.add(part.path("name").asText() + ": " + end
                        + (part.has("why") ? ": " + part.path("why").asText() : ""));
            }
        });
        return odd;
    }

    private static List<String> wrapped(String indent, String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(indent);
        for (String word : text.strip().split("\\s+")) {
            if (line.length() > indent.length() && line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line.setLength(0);
                line.append(indent);
            }
            line.append(line.length() > indent.length() ? " " : "").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
