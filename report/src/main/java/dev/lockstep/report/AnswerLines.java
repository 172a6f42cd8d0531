package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.AnswerComparison.Kind;
import dev.lockstep.measurement.AnswerComparison.Part;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How the targets' answers differ, in lines: a loud one for each that answers differently, and a line for each of all.
 */
final class AnswerLines {
    private static final int KINDS_NAMED = 3;
    private static final int PARTS_NAMED = 5;
    private final RunResult result;

    AnswerLines(RunResult result) {
        this.result = result;
    }

    /** Returns what nobody may miss who reads the figures: a target that is fast because it answers wrongly. */
    List<String> loud() {
        List<String> lines = new ArrayList<>();
        for (TargetResult target : result.targets()) {
            target.comparison().ifPresent(comparison -> {
                if (comparison.compared() == 0) {
                    lines.add("ANSWERS NOT COMPARED: " + target.name() + ": of none of "
                            + Quantities.count(comparison.requests(), "request")
                            + " is it known what came of it both here and at " + comparison.baseline());
                } else if (comparison.different() > 0) {
                    lines.add("ANSWERS DIFFER: " + target.name() + ": " + difference(comparison) + " from "
                            + comparison.baseline() + "'s: " + differingKinds(comparison));
                }
            });
        }
        return lines;
    }

    /** Returns a line for each compared target, below a heading; nothing where none was compared. */
    List<String> all() {
        List<String> lines = new ArrayList<>();
        for (TargetResult target : result.targets()) {
            target.comparison().ifPresent(comparison -> {
                if (lines.isEmpty()) {
                    lines.add("Answers compared with " + comparison.baseline() + "'s:");
                }
                String outcome = comparison.compared() == 0
                        ? "NOT COMPARED"
                        : comparison.different() == 0 ? "equal" : "DIFFERENT, " + difference(comparison);
                lines.add(target.name() + ": " + outcome + "; " + scope(comparison) + noise(comparison));
            });
        }
        return lines;
    }

    private static String difference(AnswerComparison comparison) {
        return Figures.threeDigits(100.0 * comparison.different() / comparison.compared()) + " % of its answers ("
                + comparison.different() + " of " + comparison.compared() + ") differ";
    }

    private static String scope(AnswerComparison comparison) {
        StringBuilder text = new StringBuilder();
        text.append(comparison.compared())
                .append(" of ")
                .append(Quantities.count(comparison.requests(), "request"))
                .append(" of the first pass compared");
        if (comparison.withoutContents() > 0) {
            text.append(", ").append(comparison.withoutContents()).append(" of them by status and length only");
        }
        if (!comparison.ignoredHeaders().isEmpty()) {
            text.append(", without ").append(String.join(", ", comparison.ignoredHeaders()));
        }
        return text.toString();
    }

    private static String differingKinds(AnswerComparison comparison) {
        List<String> named = new ArrayList<>();
        int others = comparison.furtherKinds();
        for (Kind kind : comparison.kinds()) {
            if (kind.different() > 0) {
                if (named.size() < KINDS_NAMED) {
                    named.add(describe(kind));
                } else {
                    others++;
                }
            }
        }
        return String.join("; ", named)
                + (others > 0 ? "; and " + Quantities.count(others, "more kind") + " of requests" : "");
    }

    private static String describe(Kind kind) {
        for (Part part : kind.parts()) {
            // Where the length differs the body does, too.
            if (part.counted() && !part.name().equals("body length")) {
                String noise = part.noise() > 0 && kind.different() < part.differed()
                        ? ", more than the noise of " + share(part.noise(), kind.noisePairs())
                        : "";
                // The number is that of all that differ in anything.
                String mostly = part.differed() < kind.different()
                                && part.detail()
                                        .filter(detail -> detail.startsWith(Part.MOSTLY))
                                        .isEmpty()
                        ? Part.MOSTLY
                        : "";
                return mostly + describe(part, kind) + " (" + kind.different() + " of " + kind.compared() + noise + ")";
            }
        }
        return "body length of " + printable(kind.name()) + " (" + kind.different() + " of " + kind.compared() + ")";
    }

    private static String describe(Part part, Kind kind) {
        String name = printable(kind.name());
        if (part.name().equals("no answer")) {
            return part.detail().orElse("no answer") + " on " + name;
        }
        return part.detail().isPresent()
                ? part.name() + " " + part.detail().get() + " on " + name
                : printable(part.name()) + " of " + name;
    }

    /** Says what varies in the baseline's own answers and so proves nothing. */
    private static String noise(AnswerComparison comparison) {
        if (comparison.noisePairs().isEmpty()) {
            return "; noise not learned, every difference counts";
        }
        if (comparison.noisePairs().getAsLong() == 0) {
            return "; no noise could be learned, every difference counts";
        }
        Map<String, List<Kind>> kindsByPart = new LinkedHashMap<>();
        for (Kind kind : comparison.kinds()) {
            for (Part part : kind.parts()) {
                if (part.noise() > 0) {
                    kindsByPart
                            .computeIfAbsent(part.name(), name -> new ArrayList<>())
                            .add(kind);
                }
            }
        }
        List<String> named = new ArrayList<>();
        kindsByPart.forEach((part, kinds) -> named.add(printable(part) + " of "
                + (kinds.size() == 1
                        ? printable(kinds.get(0).name())
                        : Quantities.count(kinds.size(), "kind") + " of requests")));
        int more = Math.max(0, named.size() - PARTS_NAMED);
        return named.isEmpty()
                ? ""
                : "; " + comparison.baseline() + "'s own answers vary in "
                        + String.join(", ", named.subList(0, named.size() - more))
                        + (more > 0 ? " and " + more + " more" : "");
    }

    private static String share(long part, long whole) {
        return Figures.threeDigits(100.0 * part / whole) + " %";
    }
}
