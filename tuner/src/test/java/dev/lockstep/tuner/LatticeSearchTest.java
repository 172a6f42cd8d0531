package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class LatticeSearchTest {
    /** Of 3 x 101 x 101 points, that of the least distance to a place between them, in the best mode. */
    @Test
    void findsThePlaceOnTheLattice() {
        Space space = Space.builder()
                .parameters(List.of(
                        Parameter.builder("mode", Parameter.Type.CATEGORICAL)
                                .values(List.of("a", "b", "c"))
                                .build(),
                        Parameter.builder("n", Parameter.Type.INT)
                                .min(0)
                                .max(100)
                                .build(),
                        Parameter.builder("m", Parameter.Type.INT)
                                .min(0)
                                .max(100)
                                .build()))
                .rules(List.of(Rule.of("m > 30", at -> (Long) at.value("m").orElseThrow() > 30)))
                .build();
        Score score = (point, gradient) -> {
            if (gradient != null) {
                gradient[0] = 0;
                gradient[1] = -2 * (point[1] - 0.678);
                gradient[2] = -2 * (point[2] - 0.1234);
            }
            return -Math.pow(point[1] - 0.678, 2) - Math.pow(point[2] - 0.1234, 2) + (point[0] == 1 ? 0.01 : 0);
        };

        LatticeSearch.Found found =
                new LatticeSearch(new Encoding(space), score, point -> true).find(List.of(), new SplittableRandom(2));

        assertEquals("mode=b n=68 m=31", new Encoding(space).decode(found.point).toString());
    }

    /** The gradient leads beyond a rule, at whose edge the best allowed point is. */
    @Test
    void keepsWhatTheGradientWonWhereItsEndBreaksARule() {
        Space space = Space.builder()
                .addParameters(scale("x"), scale("y"), scale("z"))
                .addRules(Rule.of(
                        "x + y <= 1",
                        at -> at.number("x").orElseThrow() + at.number("y").orElseThrow() <= 1))
                .build();
        double[] top = {0.9, 0.6, 0.3};
        Score score = (point, gradient) -> {
            double sum = 0;
            for (int i = 0; i < top.length; i++) {
                sum -= Math.pow(point[i] - top[i], 2);
                if (gradient != null) {
                    gradient[i] = -2 * (point[i] - top[i]);
                }
            }
            return sum;
        };

        for (int seed = 1; seed <= 5; seed++) {
            LatticeSearch.Found found = new LatticeSearch(new Encoding(space), score, point -> true)
                    .find(List.of(), new SplittableRandom(seed));

            // At 0.65, 0.35, 0.3.
            assertEquals(-2 * 0.25 * 0.25, found.score, 0.005, "seed " + seed);
        }
    }

    private static Parameter scale(String name) {
        return Parameter.builder(name, Parameter.Type.FLOAT).min(0).max(1).build();
    }
}
