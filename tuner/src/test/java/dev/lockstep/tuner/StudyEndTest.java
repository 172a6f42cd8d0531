package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/** When a search ends by itself. */
final class StudyEndTest {
    private static final int MOST = 40;

    private static Space line() {
        return Space.builder()
                .parameters(List.of(Parameter.builder("x", Parameter.Type.FLOAT)
                        .min(-1)
                        .max(1)
                        .build()))
                .build();
    }

    private static double x(Configuration configuration) {
        return (Double) configuration.value("x").orElseThrow();
    }

    /** Searches until it ends, and returns the study. */
    private static Study search(Space space, StudyOptions options, ToDoubleFunction<Configuration> value) {
        Study study = Study.of(space, options);
        for (int i = 0; i < MOST && study.whyEnd().isEmpty(); i++) {
            Trial trial = study.ask();
            study.tell(trial, Observation.of(value.applyAsDouble(trial.configuration())));
        }
        return study;
    }

    private static StudyOptions.Builder options() {
        return StudyOptions.builder().evaluations(MOST).seed(5);
    }

    private static double parabola(Configuration at) {
        return Math.pow(x(at) - 0.3, 2);
    }

    @Test
    void endsWhenNothingIsLikelyToBeBetterByWhatIsWorthwhileAndAtTheSamePlaceWhenResumed() {
        Study study = search(line(), options().worthwhile(0.01).build(), StudyEndTest::parabola);

        assertTrue(study.whyEnd().orElseThrow().contains("0.01"), study.whyEnd().toString());
        assertEquals(0.3, x(study.best().orElseThrow().configuration()), 0.1, "which is 0.01 of the value");
        assertFalse(study.told().size() > 35, "it ends early: " + study.told().size());
        Study resumed = Study.of(line(), study.options());
        for (Trial trial : study.told()) {
            resumed.resume(trial);
            resumed.tell(trial, Observation.of(parabola(trial.configuration())));
        }
        assertEquals(study.whyEnd(), resumed.whyEnd());
    }

    @Test
    void endsWhereNothingMattersThoughValuesDiffer() {
        Random random = new Random(4);
        Study study = search(line(), options().worthwhile(0.02).build(), at -> 0.005 * random.nextGaussian());

        assertTrue(study.whyEnd().isPresent());
    }

    @Test
    void goesOnWhereNoiseLeavesItOpen() {
        Random random = new Random(4);
        Study study =
                Study.of(line(), options().evaluations(20).worthwhile(0.01).build());
        for (int i = 0; i < 20; i++) {
            assertEquals(Optional.empty(), study.whyEnd());
            Trial trial = study.ask();
            double value = Math.pow(x(trial.configuration()) - 0.3, 2) + 0.3 * random.nextGaussian();
            study.tell(trial, Observation.of(value));
        }
    }

    @Test
    void endsWhenEverythingIsBeingTried() {
        Space space = Space.builder()
                .addParameters(
                        Parameter.builder("n", Parameter.Type.INT).min(1).max(6).build())
                .build();
        Study study = Study.of(space, options().noisy(false).build());
        for (int i = 0; i < 4; i++) {
            study.tell(study.ask(), Observation.of(i));
        }
        study.ask();
        assertEquals(Optional.empty(), study.whyEnd());

        study.ask();

        assertEquals(Optional.of("every configuration of the space was tried"), study.whyEnd());
    }

    @Test
    void endsWithoutAValueOnlyWhenEverythingFailed() {
        Space space = Space.builder()
                .addParameters(
                        Parameter.builder("n", Parameter.Type.INT).min(1).max(2).build())
                .build();
        Study skipped = Study.of(space, options().build());
        for (int i = 0; i < 3; i++) {
            skipped.tell(skipped.ask(), Observation.skipped("others had the processors"));
        }
        assertEquals(Optional.empty(), skipped.whyEnd());

        Study study = Study.of(space, options().build());
        Trial one = study.ask();
        Trial other = study.ask();
        study.tell(one, Observation.failed("no"));
        assertEquals(Optional.empty(), study.whyEnd(), "the other one may work");
        study.tell(other, Observation.failed("no"));
        while (study.whyEnd().isEmpty() && study.told().size() < MOST) {
            study.tell(study.ask(), Observation.failed("no"));
        }
        assertEquals(Optional.of("every configuration of the space was tried, and none worked"), study.whyEnd());
    }

    /** As of a JVM that rounds what it is given: an odd number is evaluated as the even one above it. */
    @Test
    void countsWhatCameToAnotherConfigurationAsTried() {
        Space space = Space.builder()
                .addParameters(
                        Parameter.builder("n", Parameter.Type.INT).min(1).max(4).build())
                .build();
        for (boolean works : new boolean[] {false, true}) {
            Study study = Study.of(space, options().noisy(false).build());
            while (study.whyEnd().isEmpty() && study.told().size() < MOST) {
                Trial trial = study.ask();
                long n = (Long) trial.configuration().value("n").orElseThrow();
                Configuration inEffect = space.configuration(Map.of("n", n + n % 2));
                study.tell(
                        trial.withConfiguration(inEffect),
                        works ? Observation.of(n + n % 2) : Observation.failed("no"));
            }

            assertTrue(study.told().size() <= 4, study.told().toString());
            assertEquals(
                    Optional.of("every configuration of the space was tried" + (works ? "" : ", and none worked")),
                    study.whyEnd());
        }
    }

    @Test
    void endsWhenEverythingWasTried() {
        Space space = Space.builder()
                .parameters(List.of(
                        Parameter.builder("on", Parameter.Type.BOOLEAN).build(),
                        Parameter.builder("n", Parameter.Type.INT).min(1).max(4).build()))
                .build();
        Study study = search(
                space,
                options().noisy(false).build(),
                at -> at.value("on").orElseThrow().equals(true)
                        ? 1
                        : (Long) at.value("n").orElseThrow() + 3);

        assertEquals(8, study.told().size());
        assertEquals(Optional.of("every configuration of the space was tried"), study.whyEnd());
        assertEquals(1, study.best().orElseThrow().predicted());
    }

    /** Each switch has a meaning beside the one before it only: 12 configurations of 2,048 places. */
    @Test
    void asksForNothingTwiceOfALargeSpaceOfFewConfigurations() {
        List<Parameter> chain = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            Parameter.Builder one = Parameter.builder("p" + i, Parameter.Type.BOOLEAN);
            chain.add(
                    i == 0
                            ? one.build()
                            : one.when(Condition.of("p" + (i - 1), List.of(true)))
                                    .build());
        }
        Space space = Space.builder().parameters(chain).build();
        for (int design : new int[] {3, 20}) {
            Study study =
                    Study.of(space, options().noisy(false).designTrials(design).build());
            List<Configuration> asked = new ArrayList<>();
            Optional<String> nothing = Optional.of("no further configuration was found");
            while (!study.whyEnd().equals(nothing) && asked.size() < MOST) {
                Trial trial = study.ask();
                asked.add(trial.configuration());
                study.tell(
                        trial,
                        Observation.of(
                                Math.sin(7 * trial.configuration().values().size())));
            }

            assertEquals(12, new HashSet<>(asked).size(), "design of " + design);
            assertEquals(12, asked.size(), "design of " + design);
        }
    }

    @Test
    void asksForNothingTwiceWhereRulesLeaveOneOfAMillion() {
        Space space = Space.builder()
                .addParameters(
                        Parameter.builder("a", Parameter.Type.INT)
                                .min(1)
                                .max(1000)
                                .build(),
                        Parameter.builder("b", Parameter.Type.INT)
                                .min(1)
                                .max(1000)
                                .build())
                .addRules(only("a", 7), only("b", 9))
                .build();
        Study study = search(space, options().noisy(false).build(), at -> 1);

        assertEquals(1, study.told().size());
        assertEquals(Optional.of("no further configuration was found"), study.whyEnd());
        assertEquals("a=7 b=9", study.best().orElseThrow().configuration().toString());
    }

    private static Rule only(String name, int value) {
        return Rule.of(
                name + " == " + value,
                at -> at.number(name).orElseThrow() == value,
                at -> List.of(Rule.Range.of(name, value, value)));
    }
}
