package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values at the ends of what a double holds, as programs give for what does not work. */
@Tag("full")
final class StudyExtremesTest {
    private static final double[] EXTREMES = {
        1e308,
        -1e308,
        1e-308,
        -1e-308,
        0,
        1,
        2,
        1e200,
        Double.MAX_VALUE,
        -Double.MAX_VALUE,
        Double.MIN_VALUE,
        1e-300,
        0.5
    };

    private static final int STUDIES = 12;
    private static final int EVALUATIONS = 10;

    static double extreme(SplittableRandom random) {
        return EXTREMES[random.nextInt(EXTREMES.length)];
    }

    private static Parameter number(String name, double min, double max) {
        return Parameter.builder(name, Parameter.Type.FLOAT).min(min).max(max).build();
    }

    @Test
    void livesWithAnyFiniteValues() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < STUDIES; i++) {
            try {
                search(i % 2 == 0, i % 3 == 0, i % 5 == 0, random);
            } catch (RuntimeException | AssertionError e) {
                fail("seed " + seed + ", study " + i, e);
            }
        }
    }

    private static void search(boolean noisy, boolean constrained, boolean two, SplittableRandom random) {
        Space.Builder space = Space.builder()
                .addParameters(number("x", 0, 1))
                .addParameters(Parameter.builder("n", Parameter.Type.LOG_INT)
                        .min(1)
                        .max(90)
                        .build());
        if (constrained) {
            space.addConstraints("c", "d");
        }
        if (two) {
            space.secondDirection(Direction.MAXIMIZE);
        }
        Study study = Study.of(
                space.build(),
                StudyOptions.builder()
                        .evaluations(EVALUATIONS)
                        .noisy(noisy)
                        .seed(random.nextLong())
                        .build());
        for (int k = 0; k < EVALUATIONS; k++) {
            Observation.Builder observation = Observation.builder().value(extreme(random));
            if (random.nextInt(3) == 0) {
                observation.variance(Math.abs(extreme(random)));
            }
            if (two) {
                observation.secondValue(extreme(random));
            }
            if (constrained) {
                observation.putConstraints("c", extreme(random)).putConstraints("d", -Math.abs(extreme(random)));
            }
            study.tell(study.ask(), observation.build());
            study.whyEnd();
            isFinite(study);
        }
    }

    private static void isFinite(Study study) {
        study.best().ifPresent(best -> {
            assertTrue(Double.isFinite(best.predicted()), best.toString());
            assertTrue(best.predictedSd() >= 0 && Double.isFinite(best.predictedSd()), best.toString());
            assertTrue(best.probabilityFeasible() >= 0 && best.probabilityFeasible() <= 1, best.toString());
        });
        StudyState state = study.state();
        assertEquals(study.best().isPresent(), state.best().isPresent());
        state.slices()
                .values()
                .forEach(slice -> slice.forEach(point -> {
                    assertTrue(Double.isFinite(point.low()) && Double.isFinite(point.high()), point.toString());
                    assertTrue(Double.isFinite(point.sd()), point.toString());
                }));
        state.importance().values().forEach(share -> assertTrue(share >= 0 && share <= 1, "" + share));
        state.noiseSd().ifPresent(sd -> assertTrue(Double.isFinite(sd), "" + sd));
    }

    /** The least of the bowl is at (0.3, 0.6); a third of the space answers a penalty. */
    private static double bowl(Configuration at, double penalty) {
        double x = at.number("x").orElseThrow();
        double y = at.number("y").orElseThrow();
        return x + y > 1.2 ? penalty : 1 + Math.pow(x - 0.3, 2) + Math.pow(y - 0.6, 2);
    }

    private static double regret(double penalty, boolean noisy, long seed) {
        Space space = Space.builder()
                .addParameters(number("x", 0, 1), number("y", 0, 1))
                .build();
        Study study = Study.of(
                space,
                StudyOptions.builder().evaluations(20).noisy(noisy).seed(seed).build());
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 20; i++) {
            Trial trial = study.ask();
            double noise = noisy ? 0.01 * (random.nextDouble() - 0.5) : 0;
            study.tell(trial, Observation.of(bowl(trial.configuration(), penalty) + noise));
        }
        return bowl(study.best().orElseThrow().configuration(), penalty) - 1;
    }

    @Test
    void searchesAmongTheOthersWhereSomeAnswerAHugeValue() {
        for (double penalty : new double[] {1e6, 1e200, 1e300, Double.MAX_VALUE}) {
            for (long seed = 1; seed <= 2; seed++) {
                double exact = regret(penalty, false, seed);
                double noisy = regret(penalty, true, seed);
                assertTrue(exact < 0.005, penalty + ", seed " + seed + ": " + exact);
                assertTrue(noisy < 0.02, penalty + ", seed " + seed + ": " + noisy);
            }
        }
    }

    @Test
    void keepsAConstraintBesideAHugeViolation() {
        Space space = Space.builder()
                .addParameters(number("x", 0, 1))
                .constraints(List.of("c"))
                .build();
        Study study =
                Study.of(space, StudyOptions.builder().evaluations(16).seed(3).build());
        for (int i = 0; i < 16; i++) {
            Trial trial = study.ask();
            double x = trial.configuration().number("x").orElseThrow();
            study.tell(
                    trial,
                    Observation.builder()
                            .value(-x)
                            .putConstraints("c", x > 0.8 ? Double.MAX_VALUE : x - 0.5)
                            .build());
        }

        assertEquals(0.5, study.best().orElseThrow().configuration().number("x").orElseThrow(), 0.02);
    }
}
