package dev.lockstep.cli.tune;

import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.report.Lines;
import dev.lockstep.search.Best;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SearchResult;
import dev.lockstep.search.Told;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Direction;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.StudyState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** What a search found, on one screen: the best so far, the best evaluations, what failed, the next command. */
final class SearchScreen {
    private static final int EVALUATIONS_SHOWN = 8;
    private static final int FAILURES_SHOWN = 4;
    private static final int NUMBERS_SHOWN = 5;
    private static final int FRONT_SHOWN = 8;
    private static final int WIDTH = 80;

    private final SearchResult result;
    private final Scale scale;

    SearchScreen(SearchResult result, Scale scale) {
        this.result = result;
        this.scale = scale;
    }

    /**
     * @param headline in place of the search's own
     * @param next what to do next, for people
     * @param command that does it, as a shell takes it
     */
    List<String> lines(Optional<String> headline, String next, String command) {
        List<String> lines = new ArrayList<>(summary(headline));
        lines.add("");
        lines.addAll(Lines.wrapped(next));
        // In one piece, so that it can be copied.
        lines.add("  " + command);
        return lines.stream().map(Terminal::printable).collect(Collectors.toList());
    }

    /** @param headline in place of the search's own */
    List<String> summary(Optional<String> headline) {
        List<String> lines = new ArrayList<>(Lines.wrapped(headline.orElseGet(this::headline)));
        if (isFront()) {
            lines.addAll(front());
        } else {
            result.best().ifPresent(best -> lines.addAll(best(best)));
            lines.addAll(table());
        }
        lines.addAll(failures());
        importance().ifPresent(text -> {
            lines.add("");
            lines.addAll(Lines.wrapped(text));
        });
        return lines.stream().map(Terminal::printable).collect(Collectors.toList());
    }

    String headline() {
        String done = result.told().size() + " of " + result.evaluations() + " evaluations";
        String ended = result.whyEnded().map(why -> " (" + why + ")").orElse("");
        if (result.goesOn()) {
            return (result.paused() ? "PAUSED" : "SEARCHING") + ": " + done + " done";
        }
        String soFar = result.told().size() < result.evaluations() ? " so far" : "";
        // A value without noise is what it would be afresh.
        String after = (result.plan().noisy() ? ", not verified, after " : " after ") + done + ended;
        return isFront() && result.best().isPresent()
                ? "FRONT of " + result.front().size() + soFar + " (expected values)" + after
                : result.best().isPresent()
                        ? "BEST" + soFar + after
                        : "NO RESULT after " + done + ended
                                + (result.told().isEmpty() ? "" : ": no configuration worked and kept all constraints");
    }

    private boolean isFront() {
        return result.plan().hasTwoObjectives();
    }

    /** Returns the members of the front, by what they are expected to come to. */
    private List<String> front() {
        Map<Configuration, String> roles = result.frontRoles();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                result.plan().objective().orElseThrow(),
                result.plan().secondObjective().orElseThrow(),
                "which",
                "parameters"));
        List<Best> front = result.front();
        for (int i = 0; i < front.size(); i++) {
            Best one = front.get(i);
            String role = roles.getOrDefault(one.configuration(), "");
            // Of a long front, those that speak for it and some between.
            if (!role.isEmpty() || i % ((front.size() + FRONT_SHOWN - 1) / FRONT_SHOWN) == 0) {
                rows.add(List.of(
                        print(one.predicted()),
                        print(one.secondPredicted()),
                        role,
                        SearchPlan.print(one.configuration())));
            }
        }
        return rows.size() == 1 ? List.of() : aligned(rows);
    }

    private String print(OptionalDouble value) {
        return value.isPresent() ? scale.print(value.getAsDouble()) : "-";
    }

    private List<String> best(Best best) {
        List<String> lines = new ArrayList<>(Lines.wrapped("  " + SearchPlan.print(best.configuration())));
        best.predicted()
                .ifPresent(value -> lines.addAll(Lines.wrapped("  expected " + scale.print(value)
                        + best.predictedSd().stream()
                                .filter(sd -> sd > 0)
                                .mapToObj(sd -> ", 95 % band " + scale.print(value - 1.96 * sd) + " to "
                                        + scale.print(value + 1.96 * sd))
                                .collect(Collectors.joining())
                        + gain(best.configuration(), value))));
        return lines;
    }

    /** Returns how the value compares with the default's, as a clause; empty where that was not evaluated. */
    private String gain(Configuration best, double value) {
        Optional<Configuration> defaults = result.plan().space().defaults();
        if (defaults.filter(best::equals).isPresent()) {
            return "; it is the default, so nothing better was found";
        }
        OptionalDouble usual = defaults.stream()
                .flatMap(usualOne -> result.told().stream()
                        .filter(told -> told.configuration().equals(usualOne)))
                .map(Told::observation)
                .filter(observation -> observation.value().isPresent())
                .mapToDouble(observation -> observation.value().getAsDouble())
                .average();
        return usual.isPresent() ? scale.gain(value, usual.getAsDouble()) : "";
    }

    private List<String> table() {
        double sign = result.plan().space().direction() == Direction.MINIMIZE ? 1 : -1;
        List<Told> all = result.told().stream()
                .filter(told -> told.observation().value().isPresent())
                .sorted(Comparator.comparing((Told told) -> !told.observation().isFeasible())
                        .thenComparingDouble(
                                told -> sign * told.observation().value().getAsDouble()))
                .collect(Collectors.toList());
        List<Told> valued = all.subList(0, Math.min(all.size(), EVALUATIONS_SHOWN));
        if (valued.isEmpty()) {
            return List.of();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("trial", scale.heading(), "+-", "chosen by", "parameters"));
        for (Told told : valued) {
            Observation observation = told.observation();
            double value = observation.value().getAsDouble();
            rows.add(List.of(
                    String.valueOf(told.number()),
                    scale.print(value),
                    observation.variance().isPresent()
                            ? scale.deviation(
                                    value, Math.sqrt(observation.variance().getAsDouble()))
                            : "-",
                    told.origin().label(),
                    SearchPlan.print(told.configuration())
                            + violated(observation)
                            + (told.evaluation().stoppedEarly() ? " (stopped early)" : "")));
        }
        List<String> lines = new ArrayList<>(aligned(rows));
        if (all.size() > valued.size()) {
            lines.add("and " + (all.size() - valued.size()) + " more: " + SearchPages.NAME + ", --json");
        }
        if (scale == Scale.RATIO
                && valued.stream()
                        .anyMatch(told -> told.observation().variance().isPresent())) {
            lines.add("+- is within one launch of each; launches differ by more");
        }
        return lines;
    }

    private static String violated(Observation observation) {
        String names = observation.constraints().entrySet().stream()
                .filter(constraint -> constraint.getValue() > 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "" : " (violates " + names + ")";
    }

    /** Figures to the right, words to the left; the last column goes on below itself. */
    private static List<String> aligned(List<List<String>> rows) {
        int last = rows.get(0).size() - 1;
        int[] widths = new int[last];
        for (List<String> row : rows) {
            for (int i = 0; i < last; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>(List.of(""));
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < last; i++) {
                String pad = " ".repeat(widths[i] - row.get(i).length());
                // Behind the figures stands a word.
                line.append(i == last - 1 ? row.get(i) + pad : pad + row.get(i)).append("  ");
            }
            String indent = " ".repeat(line.length());
            for (String word : row.get(last).split(" ")) {
                if (line.length() + word.length() > WIDTH && line.length() > indent.length()) {
                    lines.add(line.toString().stripTrailing());
                    line.setLength(0);
                    line.append(indent);
                }
                line.append(word).append(' ');
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    private List<String> failures() {
        Map<String, List<Integer>> reasons = new LinkedHashMap<>();
        result.told().forEach(told -> told.observation()
                .failed()
                .or(() -> told.observation().skipped().map(why -> "not evaluated: " + why))
                .ifPresent(why ->
                        reasons.computeIfAbsent(why, key -> new ArrayList<>()).add(told.number())));
        if (reasons.isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add("");
        int count = reasons.values().stream().mapToInt(List::size).sum();
        lines.add(Quantities.count(count, "evaluation") + " gave no value:");
        reasons.entrySet().stream()
                .sorted(Comparator.comparing(reason -> -reason.getValue().size()))
                .limit(FAILURES_SHOWN)
                .forEach(reason ->
                        lines.addAll(Lines.wrapped("  " + which(reason.getValue()) + ": " + reason.getKey())));
        if (reasons.size() > FAILURES_SHOWN) {
            lines.add("  and " + (reasons.size() - FAILURES_SHOWN) + " other reasons: --json");
        }
        return lines;
    }

    /** Returns "evaluation 7", "evaluations 4, 5", or of many of them the first ones and how many they are. */
    private static String which(List<Integer> numbers) {
        return (numbers.size() == 1 ? "evaluation " : "evaluations ")
                + numbers.stream().limit(NUMBERS_SHOWN).map(String::valueOf).collect(Collectors.joining(", "))
                + (numbers.size() > NUMBERS_SHOWN ? " and " + (numbers.size() - NUMBERS_SHOWN) + " more" : "");
    }

    private Optional<String> importance() {
        Optional<String> first = importance("Importance: ", result.state());
        return first.map(text -> text
                + importance(
                                "; for " + result.plan().secondObjective().orElse("") + ": ",
                                result.state().flatMap(StudyState::second))
                        .orElse(""));
    }

    private static Optional<String> importance(String label, Optional<StudyState> state) {
        Map<String, Double> shares = state.map(StudyState::importance).orElse(Map.of());
        return shares.isEmpty()
                ? Optional.empty()
                : Optional.of(label
                        + shares.entrySet().stream()
                                .sorted(Map.Entry.<String, Double>comparingByValue()
                                        .reversed())
                                .map(share -> String.format(
                                        Locale.ROOT, "%s %.0f %%", share.getKey(), 100 * share.getValue()))
                                .collect(Collectors.joining(", ")));
    }
}
