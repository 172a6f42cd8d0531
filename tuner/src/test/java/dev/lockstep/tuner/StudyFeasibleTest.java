package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is recommended, and when a search ends, where constraints are violated. */
final class StudyFeasibleTest {
    private static Space line(boolean two) {
        Space.Builder space = Space.builder()
                .addParameters(Parameter.builder("x", Parameter.Type.FLOAT)
                        .min(0)
                        .max(1)
                        .build())
                .addConstraints("c");
        if (two) {
            space.secondDirection(Direction.MINIMIZE);
        }
        return space.build();
    }

    private static double x(Trial trial) {
        return trial.configuration().number("x").orElseThrow();
    }

    private static StudyOptions.Builder options(int evaluations) {
        return StudyOptions.builder().evaluations(evaluations).seed(5);
    }

    @Test
    void recommendsNothingWhereEveryTrialViolatesAConstraint() {
        for (boolean two : new boolean[] {false, true}) {
            for (boolean noisy : new boolean[] {false, true}) {
                Study study = Study.of(line(two), options(12).noisy(noisy).build());
                Random random = new Random(1);
                for (int i = 0; i < 12; i++) {
                    Trial trial = study.ask();
                    Observation.Builder found = Observation.builder()
                            .value(x(trial) + (noisy ? 0.1 * random.nextGaussian() : 0))
                            .putConstraints("c", 0.5 + x(trial));
                    if (two) {
                        found.secondValue(1 - x(trial));
                    }
                    study.tell(trial, found.build());
                    assertEquals(Optional.empty(), study.best());
                    assertEquals(Optional.empty(), study.state().best());
                    assertEquals(List.of(), study.state().front());
                }
            }
        }
    }

    /** The constraint is violated above 0.5, and not measured above 0.8, where the values are best. */
    @Test
    void takesAConstraintThatWasNotMeasuredForNoneThatIsKept() {
        Study study = Study.of(line(false), options(16).noisy(false).build());
        for (int i = 0; i < 16; i++) {
            Trial trial = study.ask();
            Observation.Builder found = Observation.builder().value(-x(trial));
            if (x(trial) <= 0.8) {
                found.putConstraints("c", x(trial) - 0.5);
            }
            study.tell(trial, found.build());
        }

        assertEquals(0.5, study.best().orElseThrow().configuration().number("x").orElseThrow(), 0.05);
    }

    /** The best of both lies beside what violates the constraint, which was not measured with it. */
    @Test
    void takesAConstraintThatWasNotMeasuredForNoneThatIsKeptByTheFront() {
        Space space = line(true);
        Study study = Study.of(space, options(12).noisy(false).build());
        double[][] told = {{0, 1, 5, -1}, {1, 5, 1, -1}, {0.5, 2, 2, 1}, {0.51, 0, 0, Double.NaN}};
        for (int i = 0; i < told.length; i++) {
            Trial trial = Trial.of(i + 1, space.configuration(Map.of("x", told[i][0])), Trial.Origin.DESIGN);
            Observation.Builder found = Observation.builder().value(told[i][1]).secondValue(told[i][2]);
            if (!Double.isNaN(told[i][3])) {
                found.putConstraints("c", told[i][3]);
            }
            study.resume(trial);
            study.tell(trial, found.build());
        }

        List<Double> front = study.state().front().stream()
                .map(one -> one.configuration().number("x").orElseThrow())
                .collect(Collectors.toList());

        assertEquals(List.of(0.0, 1.0), front);
        assertTrue(front.contains(
                study.best().orElseThrow().configuration().number("x").orElseThrow()));
    }

    @Test
    void goesOnAsLongAsNothingFeasibleWasFound() {
        Study study = Study.of(line(false), options(20).worthwhile(0.1).build());
        for (int i = 0; i < 20; i++) {
            assertEquals(Optional.empty(), study.whyEnd());
            Trial trial = study.ask();
            study.tell(
                    trial,
                    Observation.builder()
                            .value(x(trial))
                            .putConstraints("c", 0.1 + x(trial))
                            .build());
        }
    }

    /** The model of a function of x, limited by another, without noise, through nine points. */
    private static Model model(Space space, Encoding encoding, DoubleUnaryOperator value, DoubleUnaryOperator limit) {
        return new Model(evidence(space, encoding, value, limit), encoding.choices(), false, null, true);
    }

    private static Evidence evidence(
            Space space, Encoding encoding, DoubleUnaryOperator value, DoubleUnaryOperator limit) {
        List<Trial> trials = new ArrayList<>();
        List<Observation> observations = new ArrayList<>();
        for (int i = 0; i <= 8; i++) {
            double x = i / 8.0;
            trials.add(Trial.of(i + 1, space.configuration(Map.of("x", x)), Trial.Origin.DESIGN));
            observations.add(Observation.builder()
                    .value(value.applyAsDouble(x))
                    .putConstraints("c", limit.applyAsDouble(x))
                    .build());
        }
        return new Evidence(space, encoding, trials, observations);
    }

    /** Hyperparameters that are not to be found anew are those of the model before. */
    @Test
    void knowsTheModelOfAConstraintBesideOneThatIsNeverMeasured() {
        Space space = Space.builder()
                .from(line(false))
                .constraints(List.of("never", "c"))
                .build();
        Encoding encoding = new Encoding(space);
        Evidence evidence = evidence(space, encoding, x -> x, x -> x * x - 0.3);
        Model before = new Model(
                evidence(space, encoding, x -> x, x -> Math.sin(9 * x)), encoding.choices(), false, null, true);

        Model model = new Model(evidence, encoding.choices(), false, before, false);

        assertArrayEquals(precisions(before), precisions(model));
    }

    private static double[] precisions(Model model) {
        return model.limits().get(0).process().settings().precisions();
    }

    @Test
    void takesWhatIsFeasibleForBetterThanAPointThatIsNot() {
        Space space = line(false);
        Encoding encoding = new Encoding(space);
        Model model = model(space, encoding, x -> x, x -> 0.3 - x);

        assertFalse(isSure(encoding, model, 0), "it has the least value, and is not feasible");
        assertTrue(isSure(encoding, model, 0.375));
    }

    private static boolean isSure(Encoding encoding, Model model, double place) {
        return new RegretDraws(encoding, model, new double[] {place}, false, 0.2, 0.95, new SplittableRandom(1))
                .isSure();
    }

    @Test
    void holdsWhereAConstraintIsExactlyZero() {
        Space space = line(false);
        Encoding encoding = new Encoding(space);
        List<DoubleUnaryOperator> limits = List.of(
                x -> x > 0.55 ? 1 : 0,
                x -> Math.max(0, 20 * (x - 0.55)),
                x -> -0.0,
                // One of a scale.
                x -> x - 0.5);
        for (DoubleUnaryOperator limit : limits) {
            Model model = model(space, encoding, x -> x, limit);
            for (int i = 0; i <= 8; i++) {
                double x = i / 8.0;
                double probability = Math.exp(model.logFeasible(new double[] {x}, null));
                boolean holds = limit.applyAsDouble(x) <= 0;
                assertTrue(holds ? probability > 0.95 : probability < 0.05, x + ": " + probability);
            }
        }
    }

    /** One of two modes is far better, and keeps the constraint in 5 of 8 trials; the other one always does. */
    @Test
    void recommendsWhatIsSurelyFeasibleWhereThereIsSuchWhateverItsValue() {
        Space space = Space.builder()
                .addParameters(Parameter.builder("mode", Parameter.Type.CATEGORICAL)
                        .values(List.of("safe", "fast"))
                        .build())
                .addConstraints("c")
                .build();
        for (double noise : new double[] {0.1, 1}) {
            Study study = Study.of(space, StudyOptions.builder().evaluations(30).build());
            Random random = new Random(1);
            for (int i = 0; i < 16; i++) {
                boolean fast = i % 2 == 1;
                Trial trial = Trial.of(
                        i + 1, space.configuration(Map.of("mode", fast ? "fast" : "safe")), Trial.Origin.DESIGN);
                double usual = (fast ? -0.5 : -1) + 0.1 * random.nextGaussian();
                study.resume(trial);
                study.tell(
                        trial,
                        Observation.builder()
                                .value((fast ? -10 : 0) + noise * random.nextGaussian())
                                .putConstraints("c", fast && i < 6 ? 0.8 : usual)
                                .build());
            }
            Recommendation best = study.best().orElseThrow();
            assertEquals("mode=safe", best.configuration().toString(), "noise " + noise);
            assertTrue(best.probabilityFeasible() >= 0.95, best.toString());
        }
    }
}
