package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two objectives, by problems whose Pareto fronts are known. */
@Tag("full")
final class StudyFrontTest {
    private static final double APART = 0.36;

    private static Parameter number(String name) {
        return Parameter.builder(name, Parameter.Type.FLOAT).min(0).max(1).build();
    }

    private static Space space(Direction second, String... names) {
        Space.Builder space = Space.builder().secondDirection(second);
        for (String name : names) {
            space.addParameters(number(name));
        }
        return space.build();
    }

    private static double at(Configuration one, String name) {
        return one.number(name).orElseThrow();
    }

    /** The squared distances from two places, in units of the square of how far these are apart. */
    private static double[] spheres(Configuration one) {
        double y = Math.pow(at(one, "y") - 0.5, 2);
        return new double[] {
            (Math.pow(at(one, "x") - 0.2, 2) + y) / APART, (Math.pow(at(one, "x") - 0.8, 2) + y) / APART
        };
    }

    /**
     * Zitzler, Deb and Thiele, "Comparison of multiobjective evolutionary algorithms", Evolutionary Computation 8
     * (2000).
     */
    private static double[] zdt1(Configuration one) {
        double g = 1 + 4.5 * (at(one, "y") + at(one, "z"));
        return new double[] {at(one, "x"), g * (1 - Math.sqrt(at(one, "x") / g))};
    }

    private static Study search(
            Space space, int evaluations, boolean noisy, double sd, Function<Configuration, double[]> function) {
        Study study = Study.of(
                space,
                StudyOptions.builder()
                        .evaluations(evaluations)
                        .noisy(noisy)
                        .seed(5)
                        .build());
        Random random = new Random(2);
        double sign = space.secondDirection().orElseThrow().sign();
        for (int i = 0; i < evaluations; i++) {
            Trial trial = study.ask();
            double[] values = function.apply(trial.configuration());
            study.tell(
                    trial,
                    Observation.builder()
                            .value(values[0] + sd * random.nextGaussian())
                            .secondValue(sign * (values[1] + sd * random.nextGaussian()))
                            .build());
        }
        return study;
    }

    /** Returns the area that the true values of a front dominate up to a reference of both objectives. */
    private static double area(
            List<Recommendation> front, double reference, Function<Configuration, double[]> function) {
        List<double[]> values = new ArrayList<>();
        front.forEach(one -> values.add(function.apply(one.configuration())));
        values.sort((a, b) -> Double.compare(a[0], b[0]));
        double area = 0;
        double top = reference;
        for (double[] one : values) {
            if (one[0] < reference && one[1] < top) {
                area += (reference - one[0]) * (top - one[1]);
                top = one[1];
            }
        }
        return area;
    }

    @Test
    void findsTheFrontOfTwoSpheres() {
        Study study = search(space(Direction.MINIMIZE, "x", "y"), 30, false, 0, StudyFrontTest::spheres);

        List<Recommendation> front = study.state().front();
        // The line between the two: of f the second is (1 - sqrt f)^2, which dominates 5/6.
        double share = area(front, 1, StudyFrontTest::spheres) / (5.0 / 6);
        assertTrue(share > 0.93, front.size() + " members dominate " + share);
        for (int i = 1; i < front.size(); i++) {
            assertTrue(front.get(i - 1).predicted() < front.get(i).predicted());
            assertTrue(front.get(i - 1).secondPredicted().orElseThrow()
                    > front.get(i).secondPredicted().orElseThrow());
        }
        Recommendation knee = study.best().orElseThrow();
        assertTrue(front.contains(knee));
        assertEquals(0.5, at(knee.configuration(), "x"), 0.1);
        assertEquals(spheres(knee.configuration())[1], knee.secondPredicted().orElseThrow(), 1e-9, "it was evaluated");
    }

    @Test
    void findsItThroughNoiseAndWhereTheSecondIsToBeMuch() {
        Study study = search(space(Direction.MAXIMIZE, "x", "y"), 25, true, 0.1, StudyFrontTest::spheres);

        List<Recommendation> front = study.state().front();
        double share = area(front, 1, StudyFrontTest::spheres) / (5.0 / 6);
        assertTrue(share > 0.8, front.size() + " members dominate " + share);
        assertTrue(front.stream().allMatch(one -> one.secondPredicted().orElseThrow() < 0.2), "with its own sign");
        StudyState second = study.state().second().orElseThrow();
        assertTrue(second.noiseSd().orElseThrow() > 0.02);
        assertTrue(second.importance().get("x") > 0);
    }

    @Test
    void findsTheFrontOfZdt1() {
        Study study = search(space(Direction.MINIMIZE, "x", "y", "z"), 36, false, 0, StudyFrontTest::zdt1);

        // 1 - sqrt f of f from 0 to 1 dominates this much up to 1.1.
        double share = area(study.state().front(), 1.1, StudyFrontTest::zdt1) / (0.1 + 2.0 / 3 + 0.11);
        assertTrue(share > 0.9, "dominates " + share);
    }

    @Test
    void keepsConstraintsAndLearnsOfFailures() {
        Space space = Space.builder()
                .from(space(Direction.MINIMIZE, "x", "y"))
                .addConstraints("left")
                .build();
        Study study = Study.of(
                space, StudyOptions.builder().evaluations(25).noisy(false).build());
        for (int i = 0; i < 25; i++) {
            Trial trial = study.ask();
            double[] values = spheres(trial.configuration());
            double x = at(trial.configuration(), "x");
            study.tell(
                    trial,
                    at(trial.configuration(), "y") > 0.9
                            ? Observation.failed("too high")
                            : Observation.builder()
                                    .value(values[0])
                                    .secondValue(values[1])
                                    .putConstraints("left", x - 0.5)
                                    .build());
        }

        List<Recommendation> front = study.state().front();
        assertTrue(front.size() > 2, front.toString());
        assertTrue(front.stream().allMatch(one -> at(one.configuration(), "x") <= 0.5), front.toString());
    }

    @Test
    void asksTheSameOfTheSameSeed() {
        List<Configuration> first = new ArrayList<>();
        search(space(Direction.MINIMIZE, "x", "y"), 14, true, 0.1, spied(first));
        List<Configuration> again = new ArrayList<>();
        search(space(Direction.MINIMIZE, "x", "y"), 14, true, 0.1, spied(again));

        assertEquals(first, again);
    }

    private static Function<Configuration, double[]> spied(List<Configuration> asked) {
        return one -> {
            asked.add(one);
            return spheres(one);
        };
    }

    @Test
    void refusesAnotherNumberOfValues() {
        Study two = Study.of(
                space(Direction.MINIMIZE, "x"),
                StudyOptions.builder().evaluations(5).build());
        Trial trial = two.ask();
        assertEquals(
                "trial 1: expected two values, one for each objective, found one",
                assertThrows(IllegalArgumentException.class, () -> two.tell(trial, Observation.of(1)))
                        .getMessage());
        assertTrue(two.best().isEmpty());
        assertThrows(
                IllegalArgumentException.class,
                () -> Observation.builder().secondValue(1).build());
    }
}
