package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.Quantities;
import dev.lockstep.report.Paint.Tone;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.WarmupPace;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a run comes to, on one screen: what nobody may overlook, the answer and how sure it is, one table, what was odd,
 * and what to do next.
 *
 * <p>It keeps to {@value #MOST_LINES} lines as long as the command to type next and the table's names are not long:
 * what is odd has what the rest leaves, three lines at most, and without room the empty lines go. What nobody may
 * overlook has a line each, as far as there is room.
 */
final class FirstScreen {
    /** Of an old terminal. */
    static final int MOST_LINES = 24;

    private static final int MOST_ODD_LINES = 3;
    private static final int MOST_STATUSES = 2;
    private static final int MOST_CONDITIONS = 2;
    private static final String CUT = " ...";
    /** What was odd, in its first line, and how much more there is. */
    private static final int LEAST_ODD_LINES = 2;

    private final RunResult result;
    private final Paint paint;
    private final ComparisonTable table;

    /** A part of the screen. */
    private static final class Part {
        private final Paint paint;
        private final List<String> lines = new ArrayList<>();

        Part(Paint paint) {
            this.paint = paint;
        }

        void plain(String text) {
            lines.addAll(Lines.wrapped(text));
        }

        void add(Tone tone, String text) {
            paint.add(lines, tone, text);
        }
    }

    FirstScreen(RunResult result, Paint paint) {
        this(result, paint, Lines.WIDTH);
    }

    /** @param width of the terminal; a wide one has more columns in the table */
    FirstScreen(RunResult result, Paint paint, int width) {
        this.result = result;
        this.paint = paint;
        table = ComparisonTable.ofScreen(result, width);
    }

    /** Returns its lines, each with its end. */
    @Override
    public String toString() {
        Part first = status(false);
        Part answer = answer(false);
        Part table = table();
        Part next = next();
        if (lines(List.of(first, answer, table, next)) + LEAST_ODD_LINES > MOST_LINES) {
            first = status(true);
            answer = answer(true);
        }
        int room = Math.max(1, MOST_LINES - lines(List.of(first, answer, table, next)) - 1);
        List<String> loud = new Headlines(result).loud();
        List<String> loudLines = loudLines(loud, room);
        for (String line : loudLines) {
            first.lines.add(paint.of(Tone.BAD, line));
        }
        first.lines.addAll(answer.lines);
        // Those that do not fit have a line each.
        Part odd = odd(loud, Math.min(MOST_ODD_LINES, room) - loudLines.size(), Math.max(0, loud.size() - room));
        List<Part> parts = new ArrayList<>(List.of(first, table, odd, next));
        parts.removeIf(part -> part.lines.isEmpty());
        String between = lines(parts) + parts.size() - 1 <= MOST_LINES ? "\n\n" : "\n";
        return parts.stream().map(part -> String.join("\n", part.lines)).collect(Collectors.joining(between)) + "\n";
    }

    private static int lines(List<Part> parts) {
        return parts.stream().mapToInt(part -> part.lines.size()).sum();
    }

    /** @param tight whether each death, and each reason why the run is INVALID, must do with a line */
    private Part status(boolean tight) {
        Part part = new Part(paint);
        Headlines headlines = new Headlines(result);
        for (String text : headlines.deaths()) {
            List<String> lines = tight ? cut(Lines.wrapped(text), 1) : Lines.wrapped(text);
            lines.forEach(line -> part.lines.add(paint.of(Tone.BAD, line)));
        }
        List<String> status = headlines.status();
        String more = status.size() > MOST_STATUSES ? ", and " + (status.size() - 1) + " more: --output full" : "";
        for (String text : more.isEmpty() ? status : status.subList(0, 1)) {
            List<String> lines = tight ? cut(Lines.wrapped(text + more), 1, CUT + more) : Lines.wrapped(text + more);
            lines.forEach(line -> part.lines.add(paint.of(Tone.BAD, line)));
        }
        headlines.mute().ifPresent(text -> part.add(Tone.BAD, text));
        return part;
    }

    /** @param tight whether each answer must do with one load */
    private Part answer(boolean tight) {
        Part part = new Part(paint);
        VerdictLines verdicts = new VerdictLines(result);
        List<Findings.Sentence> answers = verdicts.answers(!tight);
        answers.forEach(answer -> part.add(answer.tone(), answer.text()));
        if (answers.isEmpty()) {
            part.plain(withoutVerdict());
        }
        warmUp().ifPresent(part::plain);
        // Without what the fleet costs, which the user named.
        verdicts.money().stream().skip(1).forEach(part::plain);
        conditions(part);
        TrendLines trends = new TrendLines(result);
        trends.clean().ifPresent(text -> {
            if (trends.unwatched().isEmpty() && trends.isP99Known()) {
                part.add(Tone.GOOD, text);
            } else {
                part.plain(text);
            }
        });
        trends.uncollected().forEach(part::plain);
        // Of all targets, or of none: who got no load has no answers.
        boolean haveAnswers = result.targets().stream()
                .filter(target -> !target.name().equals(result.plan().baseline()))
                .allMatch(target -> target.comparison().isPresent());
        if (result.plan().compare()
                && haveAnswers
                && new AnswerLines(result).loud().isEmpty()) {
            part.add(Tone.GOOD, "The answers are equal: --output full has how many were compared");
        }
        return part;
    }

    /**
     * What the way to the steady state cost, which is no part of the figures; of those that reached it. Where only the
     * launches together or full load showed that, nobody knows when it was, but how long they were warmed up.
     */
    Optional<String> warmUp() {
        List<String> steady = new ArrayList<>();
        List<String> warmedUp = new ArrayList<>();
        for (TargetResult target : result.targets()) {
            target.warmup()
                    .filter(warmup -> warmup.isSteady() && warmup.durationNs().orElse(0) > 0)
                    .ifPresent(warmup -> (target.warmupToSteady().isPresent() ? steady : warmedUp)
                            .add(printable(target.name()) + " "
                                    + Quantities.duration(warmup.durationNs().getAsLong())
                                    + (warmup.cpuNs().isPresent()
                                            ? " ("
                                                    + Quantities.duration(
                                                            warmup.cpuNs().getAsLong()) + " of CPU)"
                                            : "")));
        }
        List<String> parts = new ArrayList<>();
        if (!steady.isEmpty()) {
            // Without heating the end of that time may have been measured; a note says where it was.
            boolean heated =
                    result.plan().warmupPace().filter(WarmupPace.MAX::equals).isPresent();
            parts.add("Until steady" + (heated ? ", not counted: " : ": ") + String.join(", ", steady));
        }
        if (!warmedUp.isEmpty()) {
            parts.add((parts.isEmpty() ? "Warmed up, not counted: " : "warmed up: ") + String.join(", ", warmedUp));
        }
        return parts.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", parts));
    }

    String withoutVerdict() {
        return result.targets().size() == 1
                ? "One target, so nothing is compared"
                : "No verdict: nothing was compared; the table is a look";
    }

    private void conditions(Part part) {
        List<AssertionResult> fail =
                result.assertions().stream().filter(one -> !one.holds()).collect(Collectors.toList());
        // A line that says that one more fails takes the place of that one.
        int shown = fail.size() == MOST_CONDITIONS + 1 ? fail.size() : MOST_CONDITIONS;
        fail.stream().limit(shown).forEach(one -> part.add(Tone.BAD, printable(one.sentence())));
        int holding = result.assertions().size() - fail.size();
        if (fail.size() > shown) {
            part.add(Tone.BAD, "and " + Quantities.count(fail.size() - shown, "more condition") + " fail");
        }
        if (holding > 0) {
            part.add(Tone.GOOD, Quantities.count(holding, "condition") + (holding == 1 ? " holds" : " hold"));
        }
    }

    private Part table() {
        Part part = new Part(paint);
        if (!table.warning().isEmpty()) {
            cut(Lines.wrapped(table.warning()), 1).forEach(line -> part.lines.add(paint.of(Tone.BAD, line)));
        }
        List<String> rows = table.rows().lines().collect(Collectors.toList());
        String heading = rows.get(0);
        int end = table.endOfCpu(heading);
        if (end > 0) {
            part.lines.add(paint.of(
                    Tone.HEADING,
                    " ".repeat(Math.max(0, end - ComparisonTable.OVER_CPU.length())) + ComparisonTable.OVER_CPU));
        }
        part.lines.add(paint.of(Tone.HEADING, heading));
        part.lines.addAll(rows.subList(1, rows.size()));
        return part;
    }

    /**
     * Returns the lines of what else nobody may overlook, unpainted. They may take all the room, each of these a line
     * where they would take more than what was odd may.
     */
    private static List<String> loudLines(List<String> loud, int room) {
        List<String> lines =
                loud.stream().flatMap(text -> Lines.wrapped(text).stream()).collect(Collectors.toList());
        return lines.size() <= Math.min(MOST_ODD_LINES, room)
                ? lines
                : loud.stream()
                        .limit(room)
                        .flatMap(text -> cut(Lines.wrapped(text), 1).stream())
                        .collect(Collectors.toList());
    }

    /**
     * What was odd, what the rates of the dead are of, and a line that counts what does not fit.
     *
     * @param loud what nobody may overlook, which stands elsewhere
     * @param most lines of it; none from 0 on down
     * @param overlooked how much of what nobody may overlook did not fit
     */
    private Part odd(List<String> loud, int most, int overlooked) {
        int left = overlooked;
        Part part = new Part(paint);
        Set<String> found = new LinkedHashSet<>(table.remarks());
        found.addAll(new RunNotes(result).odd());
        found.removeAll(loud);
        for (String text : found) {
            List<String> lines = Lines.wrapped(text);
            if (part.lines.isEmpty() && most > 0) {
                lines = cut(lines, most);
            }
            if (part.lines.size() + lines.size() > most) {
                left++;
            } else {
                part.lines.addAll(lines);
            }
        }
        if (left > 0) {
            part.lines.add("and " + left + " more: --output full");
        }
        return part;
    }

    private static List<String> cut(List<String> lines, int most) {
        return cut(lines, most, CUT);
    }

    /** @param end what stands behind what is cut */
    private static List<String> cut(List<String> lines, int most, String end) {
        if (lines.size() <= most) {
            return lines;
        }
        List<String> cut = new ArrayList<>(lines.subList(0, most));
        String last = cut.get(most - 1);
        // A single word stays whole, as in wrapped lines.
        while (last.length() + end.length() > Lines.WIDTH && last.strip().contains(" ")) {
            last = last.substring(0, last.lastIndexOf(' '));
        }
        cut.set(most - 1, last + end);
        return cut;
    }

    private Part next() {
        Part part = new Part(paint);
        String valid = new Headlines(result).valid()
                + result.directory()
                        .map(directory -> "Run directory: " + printable(directory))
                        .orElse("");
        if (!valid.isEmpty()) {
            // Not cut: it is copied.
            part.lines.add(valid.strip());
        }
        NextCommand.after(result).ifPresent(next -> {
            part.plain(next.why());
            next.lines().forEach(line -> part.lines.add(paint.of(Tone.COMMAND, line)));
        });
        return part;
    }
}
