package dev.lockstep.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.search.Best;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SearchResult;
import dev.lockstep.search.Told;
import dev.lockstep.search.Verification;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Direction;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Parameter;
import dev.lockstep.tuner.StudyState;
import dev.lockstep.tuner.Trial;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A search for better parameters as one HTML page that needs nothing else, as {@link ReportPage} is of a run: while it
 * goes on, as it is at the moment, and with its result in the end. Used by one thread.
 */
public final class SearchPage {
    /** Half of a 95 % interval, in standard deviations. */
    private static final double HALF_95 = 1.96;

    private final SearchResult result;
    private final Map<String, String> facts = new LinkedHashMap<>();
    private String title = "A search";
    private String measure = "value";
    private String secondMeasure = "";
    private Function<Configuration, String> flags = configuration -> "";
    private String headline = "";
    private List<String> text = List.of();

    private SearchPage(SearchResult result) {
        this.result = result;
    }

    public static SearchPage of(SearchResult result) {
        return new SearchPage(result);
    }

    /** @param name of the space */
    public SearchPage titled(String name) {
        title = name;
        return this;
    }

    /**
     * @param label what the values measure, for people
     * @param secondLabel what those of the second objective measure; empty where there is one
     */
    public SearchPage measuring(String label, String secondLabel) {
        measure = label;
        secondMeasure = secondLabel;
        return this;
    }

    /** Adds what a reader may want to know of the search. */
    public SearchPage fact(String label, String fact) {
        facts.put(label, fact);
        return this;
    }

    /** @param line returns a configuration as a shell takes it; empty for none */
    public SearchPage flags(Function<Configuration, String> line) {
        flags = line;
        return this;
    }

    /**
     * @param sentence what the search came to
     * @param lines the same and more, for a reader without scripts
     */
    public SearchPage saying(String sentence, List<String> lines) {
        headline = sentence;
        text = List.copyOf(lines);
        return this;
    }

    /** Returns the page, to be written as UTF-8. */
    public String html() {
        return html(false);
    }

    /** Returns the page for a server that tells it {@link #data} anew whenever something changes. */
    public String liveHtml() {
        return html(true);
    }

    private String html(boolean live) {
        Template page = Template.of("search", data(live).toString());
        return (live ? page.live() : page)
                .with("title", Template.escaped(title))
                .with("text", Template.escaped(String.join("\n", text)))
                .html();
    }

    /** Returns what the live page shows, JSON on one line. */
    public String data() {
        return data(true).toString();
    }

    private ObjectNode data(boolean live) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("live", live)
                .put("title", title)
                .put("measure", measure)
                .put("ratios", result.ratios())
                .put("maximizes", result.plan().space().direction() == Direction.MAXIMIZE)
                .put("evaluations", result.evaluations())
                .put("headline", headline)
                .put("noisy", result.plan().noisy())
                .put("over", !result.goesOn())
                .put("paused", result.paused())
                .put("verifying", result.verifying());
        result.whyEnded().ifPresent(why -> data.put("ended", why));
        ObjectNode known = data.putObject("facts");
        facts.forEach(known::put);
        data.put(
                "flags",
                result.best().map(best -> flags.apply(best.configuration())).orElse(""));
        result.best().ifPresent(best -> data.set("best", best(best)));
        result.verification().ifPresent(found -> data.set("verification", verification(found)));
        if (result.plan().hasTwoObjectives()) {
            front(data);
        }
        ArrayNode running = data.putArray("running");
        result.inProgress().forEach(trial -> running.add(trial(trial, trial.configuration())));
        ArrayNode trials = data.putArray("trials");
        result.told().forEach(told -> trials.add(told(told)));
        ArrayNode ranked = data.putArray("ranked");
        ranked().forEach(ranked::add);
        ArrayNode parameters = data.putArray("parameters");
        result.plan().space().parameters().forEach(one -> parameters.add(parameter(one)));
        result.state().ifPresent(state -> state.noiseSd().ifPresent(sd -> data.put("noiseSd", sd)));
        return data;
    }

    /** The scale that people read: ratios, where values are their logarithms. */
    private double shown(double value) {
        return result.ratios() ? Math.exp(value) : value;
    }

    private void interval(ObjectNode node, double value, double sd) {
        node.put("low", shown(value - HALF_95 * sd)).put("high", shown(value + HALF_95 * sd));
    }

    private void secondInterval(ObjectNode node, double value, double sd) {
        node.put("secondLow", shown(value - HALF_95 * sd)).put("secondHigh", shown(value + HALF_95 * sd));
    }

    private ObjectNode best(Best best) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("text", SearchPlan.print(best.configuration()));
        best.predicted().ifPresent(value -> {
            node.put("value", shown(value));
            best.predictedSd().stream().filter(sd -> sd > 0).forEach(sd -> interval(node, value, sd));
        });
        best.secondPredicted().ifPresent(value -> {
            node.put("second", shown(value));
            best.secondPredictedSd().stream().filter(sd -> sd > 0).forEach(sd -> secondInterval(node, value, sd));
        });
        return node;
    }

    /** Adds what a page of two objectives has beside those of one. */
    private void front(ObjectNode data) {
        data.put("second", secondMeasure)
                .put(
                        "secondMaximizes",
                        result.plan().space().secondDirection().equals(Optional.of(Direction.MAXIMIZE)));
        Map<Configuration, String> roles = result.frontRoles();
        result.best()
                .flatMap(best -> Optional.ofNullable(roles.get(best.configuration())))
                .ifPresent(role -> data.put("bestRole", role));
        ArrayNode front = data.putArray("front");
        for (Best one : result.front()) {
            ObjectNode node = best(one);
            node.put("flags", flags.apply(one.configuration()));
            Optional.ofNullable(roles.get(one.configuration())).ifPresent(role -> node.put("role", role));
            front.add(node);
        }
        List<Verification> found = result.frontVerifications();
        if (!found.isEmpty()) {
            data.putObject("verification")
                    .put("holds", found.stream().allMatch(Verification::holds))
                    .put("partly", found.stream().anyMatch(Verification::holds))
                    .put("sentence", headline)
                    .put("directory", found.get(0).directory().orElse(""));
        }
    }

    private static ObjectNode verification(Verification found) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("holds", found.holds()).put("sentence", found.sentence());
        found.directory().ifPresent(directory -> node.put("directory", directory));
        return node;
    }

    private static ObjectNode trial(Trial trial, Configuration configuration) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("trial", trial.number())
                .put("origin", trial.origin().label())
                .put("text", SearchPlan.print(configuration));
        ObjectNode values = node.putObject("values");
        configuration.values().forEach((name, value) -> values.set(name, value(value)));
        return node;
    }

    private ObjectNode told(Told told) {
        Observation observation = told.observation();
        ObjectNode node = trial(told.trial(), told.configuration());
        observation.value().ifPresent(value -> {
            node.put("value", shown(value)).put("feasible", observation.isFeasible());
            observation.variance().ifPresent(variance -> interval(node, value, Math.sqrt(variance)));
        });
        observation.secondValue().ifPresent(value -> {
            node.put("second", shown(value));
            observation.secondVariance().ifPresent(variance -> secondInterval(node, value, Math.sqrt(variance)));
        });
        ArrayNode violated = node.putArray("violated");
        observation.constraints().forEach((name, by) -> {
            if (by > 0) {
                violated.addObject().put("name", name).put("by", by);
            }
        });
        observation.failed().ifPresent(why -> node.put("failed", why));
        observation.skipped().ifPresent(why -> node.put("skipped", why));
        if (told.evaluation().stoppedEarly()) {
            node.put("stoppedEarly", true);
        }
        ArrayNode notes = node.putArray("notes");
        told.evaluation().notes().forEach(notes::add);
        return node;
    }

    /** Returns the places of the trials, from the best to those that have no value. */
    private List<Integer> ranked() {
        double sign = result.plan().space().direction() == Direction.MINIMIZE ? 1 : -1;
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < result.told().size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.comparingInt(
                        (Integer i) -> standing(result.told().get(i).observation()))
                .thenComparingDouble(
                        i -> sign * result.told().get(i).observation().value().orElse(0)));
        return order;
    }

    /** What kept all constraints, then what violated some, what failed, and what was skipped. */
    private static int standing(Observation observation) {
        return observation.isFeasible()
                ? 0
                : observation.value().isPresent() ? 1 : observation.failed().isPresent() ? 2 : 3;
    }

    private static JsonNode value(Object value) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        if (value instanceof Boolean) {
            return nodes.booleanNode((Boolean) value);
        }
        if (value instanceof Long) {
            return nodes.numberNode((Long) value);
        }
        return value instanceof Number
                ? nodes.numberNode(((Number) value).doubleValue())
                : nodes.textNode(String.valueOf(value));
    }

    private ObjectNode parameter(Parameter one) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        Parameter.Type type = one.type();
        node.put("name", one.name())
                .put("type", type.label())
                .put("log", type == Parameter.Type.LOG_INT || type == Parameter.Type.LOG_FLOAT);
        one.min().ifPresent(min -> node.put("min", min));
        one.max().ifPresent(max -> node.put("max", max));
        List<Object> listed = new ArrayList<>(one.values());
        if (type == Parameter.Type.BOOLEAN) {
            listed.add(false);
            listed.add(true);
        }
        ArrayNode values = node.putArray("values");
        listed.forEach(value -> values.add(value(value)));
        ArrayNode special = node.putArray("special");
        one.special().forEach(value -> special.add(value(value)));
        one.defaultValue().ifPresent(value -> node.set("default", value(value)));
        result.best()
                .flatMap(best -> best.configuration().value(one.name()))
                .ifPresent(value -> node.set("best", value(value)));
        one.when()
                .ifPresent(when -> node.put(
                        "when",
                        when.parameter() + " is "
                                + when.values().stream().map(String::valueOf).collect(Collectors.joining(" or "))));
        Optional<StudyState> state = result.state();
        state.map(StudyState::importance)
                .map(shares -> shares.get(one.name()))
                .ifPresent(share -> node.put("importance", share));
        state.map(StudyState::importanceIntervals)
                .map(shares -> shares.get(one.name()))
                .ifPresent(share -> node.put("importanceLow", share.low()).put("importanceHigh", share.high()));
        slice(one, state, node.putArray("slice"));
        Optional<StudyState> second = state.flatMap(StudyState::second);
        if (second.isPresent()) {
            slice(one, second, node.putArray("secondSlice"));
            Optional.ofNullable(second.get().importance().get(one.name()))
                    .ifPresent(share -> node.put("secondImportance", share));
        }
        return node;
    }

    private void slice(Parameter one, Optional<StudyState> state, ArrayNode slice) {
        state.map(StudyState::slices)
                .map(slices -> slices.get(one.name()))
                .ifPresent(points -> points.forEach(point -> {
                    ObjectNode at = slice.addObject();
                    at.set("value", value(point.value()));
                    at.put("mean", shown(point.mean())).put("feasible", point.probabilityFeasible());
                    at.put("low", shown(point.low())).put("high", shown(point.high()));
                }));
    }
}
