package dev.lockstep.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Study;
import dev.lockstep.tuner.StudyOptions;
import dev.lockstep.tuner.Trial;
import java.util.HashSet;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Searches of spaces whose rules hardly any point keeps, or none that is drawn. */
@Tag("full")
final class NarrowRulesTest {
    /** Returns the best value of a search, each trial of which is new and keeps the rules. */
    private static double best(String text, int evaluations, ToDoubleFunction<Configuration> function) {
        SearchPlan plan = SpaceFile.read("s.yaml", text);
        StudyOptions options =
                StudyOptions.builder().evaluations(evaluations).noisy(false).build();
        Study study = Study.of(plan.space(), options);
        Study resumed = Study.of(plan.space(), options);
        Set<Configuration> asked = new HashSet<>();
        for (int i = 0; i < evaluations; i++) {
            Trial trial = study.ask();
            Configuration one = trial.configuration();
            assertEquals(one, plan.space().configuration(one.values()), "keeps the rules");
            assertTrue(asked.add(one), "is new: " + one);
            Observation observation = Observation.of(function.applyAsDouble(one));
            study.tell(trial, observation);
            if (i % 8 == 0) {
                study.state();
            }
            if (i < evaluations - 1) {
                resumed.resume(trial);
                resumed.tell(trial, observation);
            } else {
                assertEquals(trial, resumed.ask(), "as after a kill");
            }
        }
        return function.applyAsDouble(study.best().orElseThrow().configuration());
    }

    private static double square(Configuration at, String name, double best) {
        return Math.pow(at.number(name).orElseThrow() - best, 2);
    }

    @Test
    void searchesWhereTwoNumbersAreEqual() {
        double best = best(
                "parameters: {a: [0.0, 1.0], b: [0.1, 3.0], c: [0.0, 1.0]}\nassert: [a == b]",
                25,
                at -> square(at, "a", 0.62) + square(at, "c", 0.2));

        assertTrue(best < 0.003, "" + best);
    }

    @Test
    void searchesAChainOfEight() {
        double best = best(
                "parameters: {a: [0.0, 1.0], b: [0.0, 1.0], c: [0.0, 1.0], d: [0.0, 1.0], e: [0.0, 1.0], f: [0.0, 1.0],"
                        + " g: [0.0, 1.0], h: [0.0, 1.0]}\n"
                        + "assert: [a <= b, b <= c, c <= d, d <= e, e <= f, f <= g, g <= h]",
                30,
                at -> {
                    double sum = 0;
                    for (int i = 0; i < 8; i++) {
                        sum += square(at, String.valueOf((char) ('a' + i)), 0.3 + 0.08 * i);
                    }
                    return sum;
                });

        assertTrue(best < 0.1, "" + best);
    }

    @Test
    void searchesWholeNumbersWithASum() {
        double best = best(
                "parameters:\n  - {name: a, type: int, min: 0, max: 1000}\n  - {name: b, type: int, min: 0, max: 1000}\n"
                        + "  - {name: c, type: log-int, min: 1, max: 1000, auto: 0, default: 0}\n"
                        + "  - {name: d, type: boolean}\nassert: [a + b == 1000, c + a <= 9]\n",
                20,
                at -> Math.abs(at.number("a").orElseThrow() - 4) / 10);

        assertTrue(best < 0.15, "" + best);
    }

    @Test
    void saysBeforeTheFirstEvaluationThatNothingKeepsTheRules() {
        SearchPlan plan =
                SpaceFile.read("s.yaml", "parameters: {a: [0.0, 1.0], b: [0.0, 1.0]}\nassert: [a < b, b + 0.1 < a]");

        assertEquals(
                "s.yaml: rules: expected a configuration that keeps them all, found none in 10000 tries; loosen one of"
                        + " [a < b, b + 0.1 < a]",
                assertThrows(SpaceException.class, () -> Search.engine(plan, 5)).getMessage());
    }
}
