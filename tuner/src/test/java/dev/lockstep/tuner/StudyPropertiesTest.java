package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What holds for a study of any space, tried on random ones. */
final class StudyPropertiesTest {
    private static final int SPACES = 12;
    private static final int EVALUATIONS = 9;

    @Test
    void everyTrialIsOfTheSpaceAndNewWhereNoNoiseIs() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < SPACES; i++) {
            Space space = space(random);
            try {
                search(space, random.split());
            } catch (RuntimeException | AssertionError e) {
                fail("seed " + seed + ", space " + i + ": " + space, e);
            }
        }
    }

    private static void search(Space space, SplittableRandom random) {
        StudyOptions options = StudyOptions.builder()
                .evaluations(EVALUATIONS)
                .designTrials(4)
                .noisy(false)
                .seed(random.nextLong())
                .build();
        Study study = Study.of(space, options);
        Study same = Study.of(space, options);
        Set<Configuration> asked = new HashSet<>();
        for (int i = 0; i < EVALUATIONS; i++) {
            Trial trial = study.ask();
            Configuration configuration = trial.configuration();
            assertEquals(trial, same.ask(), "the seed decides");
            assertEquals(configuration, space.configuration(configuration.values()), "is of the space");
            space.parameters().forEach(one -> onStep(one, configuration));
            if (!asked.add(configuration)) {
                Encoding encoding = new Encoding(space);
                assertTrue(encoding.count() <= EVALUATIONS * 20, "a configuration was asked for twice: " + trial);
                encoding.all().stream()
                        .filter(encoding::keepsRules)
                        .forEach(point -> assertTrue(asked.contains(encoding.decode(point)), "one is left: " + trial));
            }
            Observation observation = observation(configuration);
            study.tell(trial, observation);
            same.tell(trial, observation);
        }
        study.best().ifPresent(best -> {
            assertEquals(
                    best.configuration(),
                    space.configuration(best.configuration().values()));
            assertTrue(asked.contains(best.configuration()), "the best value is known");
        });
        study.state().importance().values().forEach(share -> assertTrue(share >= 0 && share <= 1));
    }

    /** The value follows from the configuration alone; a few fail, some violate the constraint. */
    private static Observation observation(Configuration configuration) {
        SplittableRandom random = new SplittableRandom(configuration.toString().hashCode());
        if (random.nextInt(5) == 0) {
            return Observation.failed("it does not start");
        }
        return Observation.builder()
                .value(random.nextDouble())
                .putConstraints("c", random.nextDouble() - 0.7)
                .build();
    }

    private static void onStep(Parameter parameter, Configuration configuration) {
        configuration.value(parameter.name()).ifPresent(value -> {
            if (parameter.step().isPresent() && !parameter.special().contains(value)) {
                double steps = (((Number) value).doubleValue() - parameter.min().getAsDouble())
                        / parameter.step().getAsDouble();
                assertEquals(Math.rint(steps), steps, 1e-9, parameter.name());
            }
        });
    }

    private static Space space(SplittableRandom random) {
        List<Parameter> parameters = new ArrayList<>();
        parameters.add(Parameter.builder("p0", Parameter.Type.CATEGORICAL)
                .values(List.of("a", "b", 3))
                .build());
        int count = 1 + random.nextInt(5);
        for (int i = 1; i <= count; i++) {
            Parameter.Builder parameter = parameter("p" + i, random);
            if (random.nextInt(3) == 0) {
                parameter.when(Condition.of("p0", List.of("a", 3)));
            }
            parameters.add(parameter.build());
        }
        Space.Builder space = Space.builder()
                .parameters(parameters)
                .addConstraints("c")
                .direction(random.nextBoolean() ? Direction.MINIMIZE : Direction.MAXIMIZE);
        if (random.nextBoolean()) {
            space.addRules(Rule.of("not p0=b and p1 absent or even", StudyPropertiesTest::keepsRule));
        }
        return space.build();
    }

    private static boolean keepsRule(Configuration configuration) {
        Map<String, Object> values = configuration.values();
        Object other = values.get("p1");
        return !"b".equals(values.get("p0")) || !(other instanceof Long) || (Long) other % 2 == 0;
    }

    private static Parameter.Builder parameter(String name, SplittableRandom random) {
        switch (random.nextInt(7)) {
            case 0:
                int low = random.nextInt(-9, 9);
                return Parameter.builder(name, Parameter.Type.INT).min(low).max(low + 1 + random.nextInt(30));
            case 1:
                return Parameter.builder(name, Parameter.Type.LOG_INT)
                        .min(1 + random.nextInt(5))
                        .max(500)
                        .special(List.of(0));
            case 2:
                return Parameter.builder(name, Parameter.Type.FLOAT)
                        .min(-1)
                        .max(1)
                        .step(0.125);
            case 3:
                return Parameter.builder(name, Parameter.Type.LOG_FLOAT)
                        .min(1e-3)
                        .max(10);
            case 4:
                return Parameter.builder(name, Parameter.Type.BOOLEAN);
            case 5:
                return Parameter.builder(name, Parameter.Type.INT).values(List.of(1, 2, 4, 8));
            default:
                return Parameter.builder(name, Parameter.Type.INT)
                        .min(0)
                        .max(1000)
                        .step(50);
        }
    }
}
