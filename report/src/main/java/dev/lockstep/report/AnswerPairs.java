package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.Quantities;
import dev.lockstep.results.AnswerPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What two targets answered differently, body below body, as text. Immutable. */
public final class AnswerPairs {
    private final String baseline;
    private final String target;
    private final List<AnswerPair> pairs;

    /**
     * @param baseline its name
     * @param target the other one's
     */
    public AnswerPairs(String baseline, String target, List<AnswerPair> pairs) {
        this.baseline = baseline;
        this.target = target;
        this.pairs = List.copyOf(pairs);
    }

    /** Returns its lines, each with its end; no character of a body commands a terminal. */
    @Override
    public String toString() {
        List<String> lines = new ArrayList<>();
        for (AnswerPair pair : pairs) {
            lines.add("Request " + pair.request() + ", " + printable(pair.name()) + ":");
            body(lines, baseline, pair.baselineOutcome(), pair.baseline());
            body(lines, target, pair.outcome(), pair.answer());
            lines.add("");
        }
        return String.join("\n", lines);
    }

    private static void body(List<String> lines, String name, String outcome, Optional<AnswerPair.Body> found) {
        StringBuilder head = new StringBuilder("  " + printable(name) + ": " + printable(outcome));
        if (found.isEmpty()) {
            lines.add(head + ", body not kept");
            return;
        }
        AnswerPair.Body body = found.get();
        body.contentType().ifPresent(type -> head.append(", ").append(printable(type)));
        head.append(", ").append(Quantities.count(body.bytes(), "byte"));
        body.absent().ifPresent(why -> head.append(", ").append(printable(why)));
        head.append(body.cut() ? ", of which the first:" : "");
        lines.add(head.toString());
        body.text().ifPresent(text -> text.lines().forEach(line -> lines.add("    " + printable(line))));
        body.hex().ifPresent(hex -> lines.add("    " + printable(hex)));
    }
}
