package dev.lockstep.page;

import static dev.lockstep.page.ReportPageTest.data;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.lockstep.search.Control;
import dev.lockstep.search.Engine;
import dev.lockstep.search.Evaluation;
import dev.lockstep.search.Evaluator;
import dev.lockstep.search.Journal;
import dev.lockstep.search.Search;
import dev.lockstep.search.SearchListener;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SearchResult;
import dev.lockstep.search.SpaceFile;
import dev.lockstep.search.Told;
import dev.lockstep.search.Verification;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SearchPageTest {
    static final String HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> {{data}} \u202e";

    private static final Map<String, List<SearchResult>> SEARCHES = new HashMap<>();

    @TempDir
    private Path folder;

    /**
     * Values of a noisy bowl; trial 3 fails, trial 5 is skipped, and whoever has more than 60 violates a constraint.
     */
    private static Observation evaluate(Trial trial, String word) {
        if (trial.number() == 3) {
            return Observation.failed("it died: " + word);
        }
        if (trial.number() == 5) {
            return Observation.skipped("not wanted: " + word);
        }
        Configuration one = trial.configuration();
        double size = one.number("size").orElseThrow();
        double pause = Math.log10(one.number("pause").orElse(1) + 1);
        return Observation.builder()
                .value((size - 40) * (size - 40) / 5000 + pause / 10 + trial.number() % 3 * 0.01 - 0.1)
                .variance(1e-4)
                .putConstraints("p99", size > 60 ? 0.2 : -0.1)
                .build();
    }

    /** Returns what a small search comes to, and what it was at each step on the way: each is made once. */
    static synchronized List<SearchResult> search(Path folder, String word) {
        return SEARCHES.computeIfAbsent(word, any -> make(folder, word));
    }

    private static List<SearchResult> make(Path folder, String word) {
        String text = "evaluations: 12\nconstraints: [p99]\nparameters:\n"
                + "  - {name: size, type: int, min: 0, max: 100, default: 80}\n"
                + "  - {name: pause, type: log-int, min: 1, max: 1000, auto: 0, default: 10}\n"
                + "  - {name: collector, type: categorical, values: [Serial, '" + word.replace("'", "''")
                + "'], default: Serial}\n"
                + "  - {name: dedup, type: boolean, default: false, when: {collector: Serial}}\n";
        SearchPlan plan = SpaceFile.read("space.yaml", text);
        List<SearchResult> all = new ArrayList<>();
        SearchListener listener = new SearchListener() {
            @Override
            public void changed(Supplier<SearchResult> soFar) {
                all.add(soFar.get());
            }
        };
        Evaluator evaluator = new Evaluator() {
            private Trial begun;

            @Override
            public void begin(Trial trial) {
                begun = trial;
            }

            @Override
            public Optional<Told> next(Control control) {
                return Optional.of(Told.of(
                        begun,
                        Evaluation.builder(evaluate(begun, word)).note(word).build()));
            }

            @Override
            public void giveUp(Trial trial) {}

            @Override
            public void close() {}
        };
        try (Journal journal = Journal.open(folder, plan, Map.of(), true)) {
            Search search = new Search(plan, journal, Control.of(folder, () -> false), listener, 1, 0);
            try (Engine engine = Search.engine(plan, search.evaluations())) {
                all.add(search.run(engine, count -> evaluator));
            }
        }
        return all;
    }

    static SearchResult last(List<SearchResult> all) {
        return all.get(all.size() - 1);
    }

    static SearchResult verified(SearchResult result, boolean holds, String word) {
        return result.ofRatios()
                .verified(Verification.builder("size=40")
                        .holds(holds)
                        .finding(holds ? "better" : "inconclusive")
                        .sentence((holds ? "VERIFIED: " : "NOT CONFIRMED: ") + word)
                        .ratio(0.9)
                        .directory("search/verification")
                        .build());
    }

    static SearchPage page(SearchResult result, String word) {
        return SearchPage.of(result)
                .titled("Tuning: " + word)
                .measuring("CPU per request, candidate over control " + word, "")
                .fact("Target", word)
                .flags(one -> "-XX:Size=40 " + word)
                .saying("BEST so far " + word, List.of("BEST so far", word));
    }

    @Test
    void holdsAllEvaluationsBestFirstAndNeedsNothingElse() throws Exception {
        String page = page(last(search(folder, "G1")), "x").html();

        JsonNode data = data(page);
        assertEquals(12, data.get("trials").size());
        List<Integer> kinds = new ArrayList<>();
        double before = Double.NEGATIVE_INFINITY;
        for (JsonNode place : data.get("ranked")) {
            JsonNode trial = data.get("trials").get(place.asInt());
            boolean feasible = trial.path("feasible").asBoolean();
            kinds.add(feasible ? 0 : trial.has("value") ? 1 : trial.has("failed") ? 2 : 3);
            if (feasible) {
                assertTrue(trial.get("value").asDouble() >= before);
                before = trial.get("value").asDouble();
                assertEquals(before - 1.96 * 0.01, trial.get("low").asDouble(), 1e-9);
            }
        }
        assertEquals(List.copyOf(kinds), kinds.stream().sorted().collect(Collectors.toList()));
        assertTrue(kinds.contains(1) && kinds.contains(2) && kinds.contains(3), "of each kind: " + kinds);
        assertTrue(data.get("over").asBoolean());
        assertTrue(data.at("/parameters/0/importance").isNumber());
        assertTrue(data.at("/parameters/0/slice").size() > 10);
        assertFalse(
                Pattern.compile("<[^>]* (src|href)=\"(?!data:|#)").matcher(page).find(), "loads nothing");
        assertTrue(page.contains("default-src 'none'; img-src"), "connects to nothing");
    }

    /** Table and plot: who reads one alone would take the interval for how sure the ratio is. */
    @Test
    void saysOfAnIntervalThatItIsWithinOneLaunch() {
        String page = page(last(search(folder, "G1")), "x").html();

        assertEquals(
                2,
                Pattern.compile("within one launch of each, and launches differ by more")
                        .matcher(page)
                        .results()
                        .count());
    }

    @Test
    void showsRatiosWhereValuesAreTheirLogarithms() throws Exception {
        SearchResult result = last(search(folder, "G1"));

        JsonNode data = data(page(verified(result, false, "no"), "x").html());

        double value = result.told().get(0).observation().value().orElseThrow();
        assertEquals(Math.exp(value), data.at("/trials/0/value").asDouble(), 1e-12);
        assertEquals(Math.exp(value - 1.96 * 0.01), data.at("/trials/0/low").asDouble(), 1e-12);
        assertFalse(data.at("/verification/holds").asBoolean());
        assertFalse(data.get("verifying").asBoolean());
        JsonNode verifying = data(page(result.whileVerifying(), "x").html());
        assertTrue(verifying.get("verifying").asBoolean());
        assertFalse(verifying.get("over").asBoolean());
    }

    /** Returns what a small search by two objectives comes to; its second evaluation was stopped early. */
    static SearchResult front(Path folder) {
        return front(
                folder,
                "  - {name: size, type: int, min: 0, max: 100, default: 80}\n"
                        + "  - {name: pause, type: int, min: 0, max: 100, default: 10}\n");
    }

    private static SearchResult front(Path folder, String parameters) {
        SearchPlan plan = SpaceFile.read(
                "space.yaml",
                "objective: [cpuPerRequest, rss]\nevaluations: 12\nnoisy: false\nparameters:\n" + parameters);
        try (Journal journal = Journal.open(folder, plan, Map.of(), true)) {
            Search search = new Search(plan, journal, Control.of(folder, () -> false), new SearchListener() {}, 1, 0);
            try (Engine engine = Search.engine(plan, search.evaluations())) {
                return search.run(engine, count -> new FrontEvaluator()).ofRatios();
            }
        }
    }

    private static final class FrontEvaluator implements Evaluator {
        private Trial begun;

        @Override
        public void begin(Trial trial) {
            begun = trial;
        }

        @Override
        public Optional<Told> next(Control control) {
            double size = begun.configuration().number("size").orElseThrow() / 100;
            double pause = begun.configuration().number("pause").orElseThrow() / 100;
            Observation found = Observation.builder()
                    .value((size - 0.2) * (size - 0.2) + pause / 10)
                    .secondValue((size - 0.8) * (size - 0.8) + pause / 10)
                    .secondVariance(1e-4)
                    .build();
            return Optional.of(Told.of(
                    begun,
                    Evaluation.builder(found).stoppedEarly(begun.number() == 2).build()));
        }

        @Override
        public void giveUp(Trial trial) {}

        @Override
        public void close() {}
    }

    static SearchPage frontPage(SearchResult result) {
        return SearchPage.of(result)
                .titled("Tuning: two")
                .measuring("CPU per request, candidate over control", "resident memory, candidate over control")
                .flags(one -> "-XX:Size=" + one.number("size").orElseThrow())
                .saying("FRONT of some", List.of("FRONT of some"));
    }

    @Test
    void showsBothObjectivesAndTheirFront() throws Exception {
        SearchResult result = front(folder);

        JsonNode data = data(frontPage(result).html());

        assertEquals(
                "resident memory, candidate over control", data.get("second").asText());
        assertFalse(data.get("secondMaximizes").asBoolean());
        assertFalse(data.get("noisy").asBoolean(), "its space says so");
        assertEquals(result.front().size(), data.get("front").size());
        assertEquals("best-cpuPerRequest", data.at("/front/0/role").asText());
        assertTrue(data.at("/front/0/flags").asText().startsWith("-XX:Size="));
        double second = result.told().get(0).observation().secondValue().orElseThrow();
        assertEquals(Math.exp(second), data.at("/trials/0/second").asDouble(), 1e-12);
        assertEquals(Math.exp(second - 0.0196), data.at("/trials/0/secondLow").asDouble(), 1e-12);
        assertTrue(data.at("/parameters/0/secondSlice").size() > 10);
        assertTrue(data.at("/parameters/0/secondImportance").isNumber());
        assertTrue(data.at("/trials/1/stoppedEarly").asBoolean());
        assertFalse(data.at("/trials/0").has("stoppedEarly"));
        Verification.Builder found = Verification.builder("size=20")
                .role("knee")
                .finding("better")
                .sentence("knee: both")
                .directory("d");
        JsonNode verified = data(frontPage(result.verified(
                        List.of(found.holds(true).build(), found.holds(false).build())))
                .html());
        assertFalse(verified.at("/verification/holds").asBoolean(), "one of them did not");
        assertTrue(verified.at("/verification/partly").asBoolean(), "one did");
        assertEquals("FRONT of some", verified.at("/verification/sentence").asText());
    }

    /** Of two members, each is an end, and one of them is held for the best. */
    @Test
    void namesTheMemberOfAFrontThatIsTheBest() throws Exception {
        SearchResult two = front(
                folder,
                "  - {name: size, type: int, values: [20, 80], default: 80}\n"
                        + "  - {name: pause, type: int, values: [0, 100], default: 0}\n");
        SearchResult three = front(folder);

        assertEquals(
                List.of("best-cpuPerRequest", "best-rss"),
                List.copyOf(two.frontMembers().keySet()));
        assertEquals(
                "best-cpuPerRequest",
                data(frontPage(two).html()).get("bestRole").asText());
        assertEquals("knee", data(frontPage(three).html()).get("bestRole").asText());
    }

    @Test
    void tellsWhatIsInProgress() throws Exception {
        SearchResult running = search(folder, "G1").get(6);

        SearchPage page = page(running, "x");

        JsonNode data = data(page.html());
        assertEquals(6, data.get("trials").size());
        assertEquals(7, data.at("/running/0/trial").asInt());
        assertFalse(data.get("over").asBoolean());
        assertTrue(page.liveHtml().contains("default-src 'none'; connect-src 'self'; img-src"));
        assertFalse(page.data().contains("\n"), "a line");
    }

    @Test
    void takesNoTextForMarkup() throws Exception {
        String page = page(verified(last(search(folder, HOSTILE)), true, HOSTILE), HOSTILE)
                .html();

        assertEquals(3, Pattern.compile("<script>").matcher(page).results().count(), "its own and the library");
        assertFalse(page.contains("<script>alert"));
        assertFalse(page.contains("<img"));
        assertFalse(page.contains("<!--"));
    }
}
