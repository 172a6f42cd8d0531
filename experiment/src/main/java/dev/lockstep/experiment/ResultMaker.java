package dev.lockstep.experiment;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.MeasurementException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes the result of an experiment of what its parts left. Used by one thread. */
final class ResultMaker {
    private static final int PERCENT = 100;

    private final Definition definition;
    private final Size size;
    private final Path directory;
    private final Scope places;
    private final State state;
    private final RunFigures runs;
    private final Map<String, String> least;
    private final Map<String, String> whyNoLeast;
    private final Set<String> asked;
    private final boolean interrupted;

    /**
     * @param directory of the experiment
     * @param places what is known before services run
     * @param least the least values that held, by their parts
     * @param whyNoLeast why there is none, a sentence, likewise
     */
    ResultMaker(
            Definition definition,
            Size size,
            Path directory,
            Scope places,
            State state,
            RunFigures runs,
            Map<String, String> least,
            Map<String, String> whyNoLeast,
            Set<String> asked,
            boolean interrupted) {
        this.asked = asked;
        this.definition = definition;
        this.size = size;
        this.directory = directory;
        this.places = places;
        this.state = state;
        this.runs = runs;
        this.least = least;
        this.whyNoLeast = whyNoLeast;
        this.interrupted = interrupted;
    }

    ExperimentResult result() {
        List<Figure> figures = new ArrayList<>();
        definition.figures(size).forEach((name, where) -> figures.add(figure(name, where.getKey(), where.getValue())));
        return new ExperimentResult(definition, size, directory, figures, parts(), charts(), versions(), interrupted);
    }

    // ---- figures ------------------------------------------------------------------------------------------------

    private Figure figure(String name, FigureTemplate template, Scope scope) {
        String key = scope.text(template.publishedKey);
        Optional<Published> published = template.published(key);
        Optional<Published> corrected = template.corrected(key);
        RunFigures.Found found = found(template, scope);
        List<String> comment = new ArrayList<>(found.remarks);
        published.filter(Published::isRange).ifPresent(range -> comment.add("Published as " + range.text() + "."));
        if (!template.comment.isEmpty()) {
            comment.add(scope.text(template.comment));
        }
        if (published.isPresent() && found.value.isPresent() && size != Size.SMOKE) {
            Optional<String> agreement = template.judged
                    ? agreement(corrected.orElse(published.get()), corrected.isPresent(), found, template)
                    : Optional.of(Figure.NOT_JUDGED);
            corrected.ifPresent(right -> comment.add(
                    0,
                    (template.judged && agreement.isPresent()
                                    ? "Judged against " + right.text() + ", which"
                                    : right.text() + " is what")
                            + " the published figure should be."));
            if (agreement.isPresent()) {
                // It has said them.
                comment.removeIf(one -> template.judged && RunFigures.Found.isDoubt(one));
                comment.add(0, agreement.get());
            }
            if (!template.differs.isEmpty()
                    && agreement.filter(word -> word.startsWith("Agrees")).isEmpty()) {
                comment.add(scope.text(template.differs));
            }
        } else if (published.isEmpty()) {
            comment.add(Figure.UNPUBLISHED);
        }
        return new Figure(
                name,
                template.unit,
                published.isPresent() ? OptionalDouble.of(published.get().number()) : OptionalDouble.empty(),
                found.value,
                found.low,
                found.high,
                comment.stream().map(ResultMaker::sentence).collect(Collectors.joining(" ")));
    }

    /**
     * Says whether the published figure may be the true one here; absent where there is no interval to tell. An
     * interval in which nearly everything lies agrees with everything.
     */
    private static Optional<String> agreement(
            Published judged, boolean isCorrected, RunFigures.Found found, FigureTemplate template) {
        if (found.low.isEmpty() && found.high.isEmpty()) {
            return Optional.empty();
        }
        if (found.isDoubtful()) {
            return Optional.of("Cannot tell: " + found.doubt() + ".");
        }
        double low = found.low.orElse(Double.NEGATIVE_INFINITY);
        double high = found.high.orElse(Double.POSITIVE_INFINITY);
        if (!judged.meets(low, high)) {
            return Optional.of("Differs.");
        }
        String holds = "the interval " + (judged.isRange() ? "meets" : "holds") + " the "
                + (isCorrected ? "corrected" : "published") + (judged.isRange() ? " range" : " figure");
        double none =
                template.form == FigureTemplate.Form.CHANGE || template.kind == FigureTemplate.Kind.DIFFERENCE ? 0 : 1;
        if (template.kind.compares() && low <= none && none <= high) {
            return Optional.of("Cannot tell: " + holds + " and no difference as well.");
        }
        return Optional.of(
                !template.kind.compares() && high - low > Math.abs(found.value.getAsDouble())
                        ? "Cannot tell: " + holds + ", and is wider than the figure here."
                        : "Agrees: " + holds + ".");
    }

    private static String sentence(String text) {
        String plain = text.replaceAll("\\s+", " ").strip();
        return plain.endsWith(".") ? plain.replaceAll("\\.+$", ".") : plain + ".";
    }

    private RunFigures.Found found(FigureTemplate template, Scope scope) {
        RunFigures.Found found = taken(template, scope);
        switch (template.form) {
            case CHANGE:
                return found.map(ratio -> (ratio - 1) * PERCENT * template.scale);
            case INVERSE:
                return found.inverse().map(value -> value * template.scale);
            default:
                return found.map(value -> value * template.scale);
        }
    }

    private RunFigures.Found taken(FigureTemplate template, Scope scope) {
        String path = scope.text(template.part);
        String part = path.split("/")[0];
        Optional<Part> planned = definition.parts(size).stream()
                .filter(one -> one.name().equals(part))
                .findFirst();
        if (planned.isEmpty()) {
            return RunFigures.Found.absent(Figure.leftOut(size));
        }
        if (template.kind == FigureTemplate.Kind.LEAST) {
            return least(planned.get());
        }
        Optional<State.Ended> ended = state.of(planned.get());
        if (ended.isEmpty()) {
            return RunFigures.Found.absent(notDone(planned.get()));
        }
        if (!ended.get().hasResult()) {
            return RunFigures.Found.absent(
                    (ended.get().end == State.End.SKIPPED ? "Skipped: " : "Failed: ") + ended.get().why);
        }
        if (!path.equals(part) && !Files.exists(directory.resolve(path))) {
            return RunFigures.Found.absent(
                    "No verification: the search found nothing better than the default, or was not to verify it.");
        }
        try {
            if (size != Size.FULL && !hasTargets(template, path, scope)) {
                return RunFigures.Found.absent(Figure.leftOut(size));
            }
            RunFigures.Found taken = taken(template, path, scope);
            return planned.get().note().map(taken::with).orElse(taken);
        } catch (MeasurementException e) {
            return RunFigures.Found.absent(e.getMessage());
        }
    }

    private boolean hasTargets(FigureTemplate template, String path, Scope scope) {
        return Stream.of(template.target, template.over)
                .filter(name -> !name.isEmpty())
                .allMatch(name -> runs.hasTarget(path, scope.text(name)));
    }

    private RunFigures.Found taken(FigureTemplate template, String path, Scope scope) {
        String target = scope.text(template.target);
        switch (template.kind) {
            case RATIO:
                return runs.ratio(path, template.what, target, scope.text(template.over));
            case DIFFERENCE:
                return runs.difference(path, template.what, target, scope.text(template.over));
            case VALUE:
                return runs.value(path, template.what, target);
            case MONEY:
                return runs.money(path, target);
            case JMH:
                return runs.jmh(scope.text(template.file), scope.text(template.what));
            default:
                return runs.number(scope.text(template.file), scope.text(template.what));
        }
    }

    private RunFigures.Found least(Part part) {
        String notReady = part.tried().stream()
                .filter(tried -> state.of(part.of(tried))
                        .filter(ended -> ended.end == State.End.NOT_READY)
                        .isPresent())
                .collect(Collectors.joining(", "));
        RunFigures.Found found = found(part);
        return notReady.isEmpty()
                ? found
                : found.with("Not ready in time, which counts as not holding: " + notReady + ".");
    }

    private RunFigures.Found found(Part part) {
        String value = least.get(part.name());
        if (value != null) {
            RunFigures.Found found = RunFigures.Found.exactly(
                    amount(value),
                    "Of " + String.join(", ", part.tried())
                            + "; a memory that holds is taken to be enough for all above.");
            return runs.uncapped(part.of(value).name()).map(found::with).orElse(found);
        }
        String whyNot = whyNoLeast.get(part.name());
        if (whyNot != null) {
            return RunFigures.Found.absent(whyNot);
        }
        return RunFigures.Found.absent(part.tried().stream()
                .map(tried -> state.of(part.of(tried)))
                .flatMap(Optional::stream)
                .filter(ended -> ended.end == State.End.SKIPPED)
                .findFirst()
                .map(ended -> "Skipped: " + ended.why)
                .orElse(notDone(part)));
    }

    private String notDone(Part part) {
        return asked.contains(part.name()) ? "Not done yet: the same command goes on." : Figure.NOT_ASKED;
    }

    /** Returns the number that an amount such as {@code 128m} begins with. */
    private static double amount(String value) {
        return new BigDecimal(value.replaceAll("[a-zA-Z]+$", "")).doubleValue();
    }

    // ---- parts and charts ---------------------------------------------------------------------------------------

    private ArrayNode parts() {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        shown().forEach(part -> all.add(part(part)));
        return all;
    }

    /** Returns the parts, and in place of one that tries values those that were tried. */
    private List<Part> shown() {
        return definition.parts(size).stream()
                .flatMap(part -> part.tried().isEmpty()
                        ? Stream.of(part)
                        : part.tried().stream().map(part::of).filter(one -> state.of(one)
                                .isPresent()))
                .collect(Collectors.toList());
    }

    /**
     * Returns which parts were carried out by which version, of Lockstep or of a JVM, where one was updated in between;
     * else absent.
     */
    private Optional<String> versions() {
        Map<String, Map<String, List<String>>> all = new TreeMap<>();
        shown().stream().filter(this::hasRun).forEach(part -> {
            try {
                runs.versions(part.runDirectory())
                        .forEach((what, versions) -> all.computeIfAbsent(what, key -> new TreeMap<>())
                                .computeIfAbsent(String.join(" and ", versions), key -> new ArrayList<>())
                                .add(part.name()));
            } catch (MeasurementException e) {
                // The part says it.
            }
        });
        String updated = all.entrySet().stream()
                .filter(one -> one.getValue().size() > 1)
                .map(one -> one.getKey() + " "
                        + one.getValue().entrySet().stream()
                                .map(parts -> parts.getKey() + " (" + String.join(", ", parts.getValue()) + ")")
                                .collect(Collectors.joining(", ")))
                .collect(Collectors.joining("; "));
        return updated.isEmpty()
                ? Optional.empty()
                : Optional.of("Not all parts were carried out by the same version of " + updated + ".");
    }

    /** Whether a part left a run directory. A search that found nothing better has no verification. */
    private boolean hasRun(Part part) {
        return state.of(part).filter(State.Ended::hasResult).isPresent()
                && !part.isProgram()
                && Files.exists(directory.resolve(part.runDirectory()));
    }

    private ObjectNode part(Part part) {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put("name", part.name());
        Optional<State.Ended> ended = state.of(part);
        boolean hasResult = ended.filter(State.Ended::hasResult).isPresent();
        node.put(
                "end",
                hasResult
                        ? "done"
                        : ended.map(one ->
                                        one.end.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                                .orElse("not done"));
        ended.filter(one -> !one.hasResult()).ifPresent(one -> node.put("why", one.why));
        ended.ifPresent(one -> node.put("seconds", one.seconds));
        node.put("command", command(part));
        List<String> pages = pages(part, hasResult);
        if (!pages.isEmpty()) {
            ArrayNode linked = node.putArray("pages");
            pages.forEach(linked::add);
        }
        if (hasRun(part)) {
            try {
                ObjectNode jvms = node.putObject("jvms");
                runs.jvms(part.runDirectory()).forEach(jvms::put);
                runs.whyInvalid(part.runDirectory()).stream()
                        .findFirst()
                        .or(() -> ended.filter(one -> one.end == State.End.INVALID)
                                .map(one -> one.why))
                        .ifPresent(why -> node.put("invalid", why));
                runs.hot(part.runDirectory()).ifPresent(hot -> node.set("hotMethods", hot));
            } catch (MeasurementException e) {
                node.put("why", e.getMessage());
            }
        }
        Path printed = directory.resolve(part.name() + ".txt");
        if (Files.exists(printed)) {
            try {
                // A program prints in whatever encoding.
                node.put("printed", new String(Files.readAllBytes(printed), StandardCharsets.UTF_8));
            } catch (IOException e) {
                node.put("why", printed + ": cannot be read: " + MeasurementException.reason(e));
            }
        }
        return node;
    }

    /** Returns a part's command as a shell takes it. A service had another address each time, which is left out. */
    private String command(Part part) {
        List<String> words = new ArrayList<>(places.words(part.words()));
        if (part.isProgram()) {
            words.remove(0);
        } else {
            words.add(0, "replay");
        }
        return words.stream()
                .map(word -> word.matches("[A-Za-z0-9_@%+=:,./^-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    /** Returns the pages of a part that are there, below the directory. */
    private List<String> pages(Part part, boolean hasResult) {
        Stream<String> all = part.isSearch()
                ? Stream.of(part.name() + "/tune.html", part.runDirectory() + "/report.html")
                : hasResult ? Stream.of(part.runDirectory() + "/report.html") : Stream.of();
        return all.filter(page -> Files.exists(directory.resolve(page))).collect(Collectors.toList());
    }

    private ArrayNode charts() {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (Chart chart : definition.charts()) {
            Map<String, ArrayNode> lines = new LinkedHashMap<>();
            List<String> variables = new ArrayList<>(chart.lines);
            variables.add(chart.x);
            for (Scope scope : definition.scope(size).each(variables)) {
                RunFigures.Found found = found(chart.figure, scope);
                String x = scope.values(chart.x).get(0);
                if (!x.matches("[0-9]+(\\.[0-9]+)?[a-zA-Z]*")) {
                    continue;
                }
                String line = chart.lines.stream()
                        .map(variable -> scope.values(variable).get(0))
                        .collect(Collectors.joining(", "));
                ArrayNode points = lines.computeIfAbsent(line, key -> JsonNodeFactory.instance.arrayNode());
                ArrayNode point = points.addArray().add(amount(x));
                if (found.value.isPresent()) {
                    point.add(found.value.getAsDouble());
                } else {
                    point.addNull();
                }
            }
            ObjectNode node = all.addObject()
                    .put("title", chart.title)
                    .put("caption", chart.caption)
                    .put("xLabel", chart.xLabel)
                    .put("log", chart.log)
                    .put("unit", chart.figure.unit);
            ObjectNode series = node.putObject("lines");
            lines.forEach(series::set);
        }
        return all;
    }
}
