package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class EncodingTest {
    private static Space space(double min, double max) {
        return Space.builder()
                .addParameters(Parameter.builder("x", Parameter.Type.LOG_FLOAT)
                        .min(min)
                        .max(max)
                        .defaultValue(1.0)
                        .build())
                .build();
    }

    private static double x(Configuration configuration) {
        return configuration.number("x").orElseThrow();
    }

    /** As CompileThresholdScaling, whose 1.0 would come back as 1.0000000000000002. */
    @Test
    void givesBackWhatItWasToldOfToTheLastDigit() {
        Space space = space(0.1, 10);
        Encoding encoding = new Encoding(space);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100; i++) {
            Configuration one = space.configuration(Map.of("x", i == 0 ? 1.0 : random.nextDouble(0.1, 10)));
            encoding.remember(one);
            assertEquals(one, encoding.decode(encoding.encode(one)));
        }
    }

    @Test
    void hasOnePointForASpecialValueWithinTheRange() {
        Space space = Space.builder()
                .addParameters(Parameter.builder("x", Parameter.Type.INT)
                        .min(0)
                        .max(8)
                        .special(List.of(0))
                        .defaultValue(4)
                        .build())
                .build();
        Encoding encoding = new Encoding(space);
        List<double[]> all = encoding.all();
        assertEquals(9, all.size());
        for (double[] point : all) {
            assertArrayEquals(point, encoding.encode(encoding.decode(point)));
        }
        double[] least = encoding.encode(space.configuration(Map.of("x", 1)));
        least[1] = 0;
        encoding.settle(least);
        assertArrayEquals(encoding.encode(space.configuration(Map.of("x", 0))), least);
    }

    @Test
    void takesEveryStepThatIsFineOrRounded() {
        for (double[] range : new double[][] {
            {1.6e9, 1.6e9 + 10, 0.01}, {1e15, 1e15 + 1, 0.3}, {0, 2, 0.66666667}, {-1, 1, 0.33333334}
        }) {
            Space space = Space.builder()
                    .addParameters(Parameter.builder("x", Parameter.Type.FLOAT)
                            .min(range[0])
                            .max(range[1])
                            .step(range[2])
                            .defaultValue(range[0])
                            .build())
                    .build();
            for (double[] point : new Encoding(space).all()) {
                Configuration one = new Encoding(space).decode(point);
                assertEquals(one, space.configuration(one.values()));
            }
        }
    }

    @Test
    void aStudyKnowsWhatWasEvaluatedAsItWas() {
        for (boolean noisy : new boolean[] {false, true}) {
            Study study = Study.of(
                    space(0.1, 10),
                    StudyOptions.builder().evaluations(15).noisy(noisy).build());
            for (int i = 0; i < 15; i++) {
                Trial trial = study.ask();
                study.tell(trial, Observation.of(Math.abs(Math.log(x(trial.configuration())))));
            }
            List<Configuration> told =
                    study.told().stream().map(Trial::configuration).distinct().collect(Collectors.toList());
            assertEquals(1.0, x(told.get(0)), "the default");
            assertEquals(told.get(0), study.best().orElseThrow().configuration());
            assertTrue(study.state().slices().get("x").stream()
                    .anyMatch(point -> point.value().equals(1.0)));
            for (Configuration one : told) {
                assertTrue(
                        told.stream().noneMatch(other -> one != other && Math.abs(x(one) - x(other)) < 1e-12),
                        told.toString());
            }
        }
    }

    @Test
    void spreadsPlacesOverALogScaleOfAnyWidth() {
        Encoding encoding = new Encoding(space(1e-200, 1e200));
        for (int i = 0; i <= 10; i++) {
            double[] point = {i / 10.0};
            Configuration one = encoding.decode(point);
            assertEquals(-200 + 40 * i, Math.log10(x(one)), 1e-6);
            assertEquals(point[0], encoding.encode(one)[0], 1e-9);
        }
    }
}
