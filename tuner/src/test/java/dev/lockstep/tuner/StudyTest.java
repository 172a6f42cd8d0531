package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class StudyTest {
    private static Parameter number(String name, double min, double max) {
        return Parameter.builder(name, Parameter.Type.FLOAT).min(min).max(max).build();
    }

    private static Space branin() {
        return Space.builder()
                .parameters(List.of(number("x", -5, 10), number("y", 0, 15)))
                .build();
    }

    /** Branin's function, whose least value is 0.397887 (Dixon and Szegö, 1978). */
    private static double branin(Configuration at) {
        double x = ((Number) at.values().get("x")).doubleValue();
        double y = ((Number) at.values().get("y")).doubleValue();
        double bend = y - 5.1 / (4 * Math.PI * Math.PI) * x * x + 5 / Math.PI * x - 6;
        return bend * bend + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10;
    }

    private static StudyOptions options(int evaluations, boolean noisy) {
        return StudyOptions.builder()
                .evaluations(evaluations)
                .noisy(noisy)
                .seed(7)
                .build();
    }

    private static Study search(Space space, StudyOptions options, Function<Trial, Observation> evaluation) {
        Study study = Study.of(space, options);
        for (int i = 0; i < options.evaluations(); i++) {
            Trial trial = study.ask();
            study.tell(trial, evaluation.apply(trial));
        }
        return study;
    }

    @Test
    void findsTheLeastValueOfASmoothFunction() {
        Study study = search(branin(), options(30, false), trial -> Observation.of(branin(trial.configuration())));

        Recommendation best = study.best().orElseThrow();

        assertTrue(branin(best.configuration()) - 0.397887 < 0.05, best.toString());
        assertEquals(branin(best.configuration()), best.predicted(), 1e-3, "it was evaluated");
        assertEquals(1, best.values());
    }

    @Test
    void prefersWhatTheModelKnowsToTheLuckiestOfNoisyValues() {
        Random random = new Random(3);
        Study study = search(
                branin(),
                options(30, true),
                trial -> Observation.of(branin(trial.configuration()) + 5 * random.nextGaussian()));

        Recommendation best = study.best().orElseThrow();

        assertTrue(branin(best.configuration()) < 8, best.toString());
        assertTrue(best.predictedSd() > 0, best.toString());
    }

    /** A thousandth of how far all values differ, which is much of what the best ones differ by. */
    @Test
    void recommendsNoLuckyValueWhereNoiseIsLittleBesideAllValues() {
        Random random = new Random(5);
        List<Double> values = new ArrayList<>();
        Study study = search(Space.builder().addParameters(number("x", -1, 1)).build(), options(20, true), trial -> {
            double x = trial.configuration().number("x").orElseThrow();
            values.add(1000 * (x - 0.3) * (x - 0.3) + random.nextGaussian());
            return Observation.of(values.get(values.size() - 1));
        });

        Recommendation best = study.best().orElseThrow();

        assertTrue(best.predictedSd() > 0, best.toString());
        assertTrue(best.predicted() > Collections.min(values) + 0.1, best + " of " + values);
    }

    @Test
    void asksTheSameOfTheSameSeedAndAnswersAndGoesOnFromAJournal() {
        List<Trial> first = new ArrayList<>();
        search(branin(), options(14, true), trial -> {
            first.add(trial);
            return Observation.of(branin(trial.configuration()));
        });
        List<Trial> second = new ArrayList<>();
        search(branin(), options(14, true), trial -> {
            second.add(trial);
            return Observation.of(branin(trial.configuration()));
        });
        assertEquals(first, second);

        Study resumed = Study.of(branin(), options(14, true));
        for (Trial trial : first.subList(0, 11)) {
            resumed.resume(trial);
            resumed.tell(trial, Observation.of(branin(trial.configuration())));
        }
        assertEquals(first.get(11), resumed.ask());
    }

    @Test
    void keepsToWhatWorksAndToItsConstraints() {
        Space space = Space.builder()
                .parameters(List.of(number("x", -5, 10), number("y", 0, 15)))
                .constraints(List.of("left"))
                .build();
        Study study = search(space, options(30, false), trial -> {
            double x = ((Number) trial.configuration().values().get("x")).doubleValue();
            double y = ((Number) trial.configuration().values().get("y")).doubleValue();
            return y > 10
                    ? Observation.failed("it does not start")
                    : Observation.builder()
                            .value(branin(trial.configuration()))
                            .putConstraints("left", x - 5)
                            .build();
        });

        Configuration best = study.best().orElseThrow().configuration();

        // Of the three least points one is right of 5, and one above 10.
        assertTrue(((Number) best.values().get("x")).doubleValue() <= 5, best.toString());
        assertTrue(((Number) best.values().get("y")).doubleValue() <= 10, best.toString());
        assertTrue(branin(best) < 1.5, best.toString());
    }

    /** One of three modes never works, and it is the one that would be best. */
    @Test
    void findsTheBestOfTheRestWhereAThirdFails() {
        Space space = Space.builder()
                .parameters(List.of(
                        Parameter.builder("mode", Parameter.Type.CATEGORICAL)
                                .values(List.of("a", "b", "c"))
                                .build(),
                        Parameter.builder("n", Parameter.Type.INT)
                                .min(0)
                                .max(60)
                                .build()))
                .build();
        int[] failures = new int[1];
        Study study = search(space, options(25, true), trial -> {
            Object mode = trial.configuration().values().get("mode");
            if (mode.equals("b")) {
                failures[0]++;
                return Observation.failed("killed");
            }
            double n = ((Number) trial.configuration().values().get("n")).doubleValue();
            return Observation.of(Math.pow((n - 42) / 20, 2) + (mode.equals("a") ? 0 : 0.5));
        });

        Configuration best = study.best().orElseThrow().configuration();

        assertEquals("a", best.values().get("mode"));
        assertEquals(42, ((Number) best.values().get("n")).doubleValue(), 2);
        assertTrue(failures[0] < 9, "it learns where trials fail: " + failures[0]);
    }

    @Test
    void evaluatesTheFirstTwiceAndTakesEqualValuesForNoNoise() {
        List<Trial> trials = new ArrayList<>();
        Study study = search(branin(), options(12, true), trial -> {
            trials.add(trial);
            return Observation.of(branin(trial.configuration()));
        });

        assertEquals(trials.get(0).configuration(), trials.get(1).configuration());
        Trial best = trials.subList(0, 5).stream()
                .min(Comparator.comparingDouble(trial -> branin(trial.configuration())))
                .orElseThrow();
        assertEquals(best.configuration(), trials.get(5).configuration(), "the best of the design once more");
        assertEquals(10, trials.stream().map(Trial::configuration).distinct().count(), "and no other one");
        assertEquals(0, study.best().orElseThrow().predictedSd());
    }

    /** A coarse metric: the first pair agrees, the next does not. */
    @Test
    void takesOneEqualPairForNoProof() {
        List<Trial> trials = new ArrayList<>();
        Study study = search(branin(), options(12, true), trial -> {
            trials.add(trial);
            return Observation.of(20 * Math.floor(branin(trial.configuration()) / 20) + (trials.size() == 6 ? 20 : 0));
        });

        assertEquals(trials.get(0).configuration(), trials.get(1).configuration());
        assertTrue(study.best().orElseThrow().predictedSd() > 0, "there is noise");
    }

    /** By which different configurations have equal values: noise of 0.4 rounds to nothing in half of all pairs. */
    @Test
    void asksForMoreEqualPairsOfACoarseMetric() {
        List<Trial> trials = new ArrayList<>();
        search(branin(), options(16, true), trial -> {
            trials.add(trial);
            return Observation.of(Math.min(2, Math.floor(branin(trial.configuration()) / 20)));
        });

        assertEquals(
                16 - 4, trials.stream().map(Trial::configuration).distinct().count(), trials.toString());
    }

    @Test
    void takesConstraintsThatDifferAndWhatFailsAgainForNoise() {
        Space space = Space.builder()
                .parameters(List.of(number("x", -5, 10), number("y", 0, 15)))
                .constraints(List.of("p99"))
                .build();
        Random random = new Random(4);
        Study study = search(space, options(12, true), trial -> Observation.builder()
                .value(branin(trial.configuration()))
                .constraints(Map.of("p99", random.nextGaussian()))
                .build());
        assertTrue(study.best().isEmpty() || study.best().orElseThrow().predictedSd() > 0, "there is noise");

        int[] count = {0};
        Study flaky = search(
                branin(),
                options(12, true),
                trial -> ++count[0] == 6
                        ? Observation.failed("this time")
                        : Observation.of(branin(trial.configuration())));
        assertTrue(flaky.state().noiseSd().orElse(0) > 0, "there is noise");
    }

    /** Two of three differ by less than their noise: that which had bad luck is looked at again. */
    @Test
    void looksAgainAtAllThatMayBeTheBestOfAFew() {
        Space space = Space.builder()
                .parameters(List.of(Parameter.builder("mode", Parameter.Type.CATEGORICAL)
                        .values(List.of("a", "b", "c"))
                        .build()))
                .build();
        Map<Object, Integer> looks = new HashMap<>();
        Random random = new Random(6);
        search(space, options(30, true), trial -> {
            Object mode = trial.configuration().values().get("mode");
            int look = looks.merge(mode, 1, Integer::sum);
            double mean = mode.equals("a") ? 0 : mode.equals("b") ? -0.3 : 6;
            return Observation.of(mode.equals("b") && look == 1 ? 1 : mean + random.nextGaussian());
        });

        assertTrue(looks.get("a") > 5 && looks.get("b") > 5 && looks.get("c") < 6, looks.toString());
    }

    /** Several evaluated at a time, of which each that is under way leaves less to find out. */
    @Test
    void looksAtSeveralOfAFewAtATime() {
        Space space = Space.builder()
                .addParameters(Parameter.builder("mode", Parameter.Type.CATEGORICAL)
                        .values(List.of("a", "b", "c", "d"))
                        .build())
                .build();
        Map<Object, Double> means = Map.of("a", 0.0, "b", 0.1, "c", 0.2, "d", 30.0);
        Random random = new Random(3);
        Study study = search(
                space,
                options(16, true),
                trial -> Observation.of(means.get(trial.configuration().values().get("mode")) + random.nextGaussian()));
        List<Object> asked = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            asked.add(study.ask().configuration().values().get("mode"));
        }

        assertEquals(Set.of("a", "b", "c"), Set.copyOf(asked), asked.toString());
    }

    /** A design of more trials than there are configurations. */
    @Test
    void repeatsAllOfAFewEquallyOften() {
        Space space = Space.builder()
                .addParameters(
                        Parameter.builder("n", Parameter.Type.INT).min(1).max(3).build())
                .build();
        Map<Configuration, Integer> times = new HashMap<>();
        Study study = Study.of(
                space, StudyOptions.builder().evaluations(30).designTrials(9).build());
        for (int i = 0; i < 9; i++) {
            times.merge(study.ask().configuration(), 1, Integer::sum);
        }

        assertEquals(List.of(3, 3, 3), List.copyOf(times.values()));
    }

    @Test
    void endsWhereNothingOfAFewWorks() {
        Space space = Space.builder()
                .parameters(List.of(
                        Parameter.builder("n", Parameter.Type.INT).min(1).max(3).build()))
                .build();
        Study study = Study.of(space, options(40, true));
        int trials = 0;
        while (study.whyEnd().isEmpty()) {
            study.tell(study.ask(), Observation.failed("no"));
            trials++;
        }
        assertEquals(3, trials);
        assertEquals(
                "every configuration of the space was tried, and none worked",
                study.whyEnd().get());
    }

    @Test
    void repeatsTheFirstThatHasAValueWhereNoVarianceIsTold() {
        Study study = Study.of(branin(), options(12, true));
        Trial failed = study.ask();
        study.tell(failed, Observation.failed("no"));
        Trial works = study.ask();
        assertNotEquals(failed.configuration(), works.configuration());
        study.tell(works, Observation.of(2));
        Trial again = study.ask();
        assertEquals(works.configuration(), again.configuration());
        assertNotEquals(works.configuration(), study.ask().configuration(), "once");
        study.tell(again, Observation.failed("no"));
        assertNotEquals(works.configuration(), study.ask().configuration(), "whatever came of it");

        Study told = Study.of(branin(), options(12, true));
        Trial first = told.ask();
        told.tell(first, Observation.of(2, 0.5));
        assertNotEquals(first.configuration(), told.ask().configuration());
    }

    @Test
    void asksForNothingAgainThatWasSkippedWhateverTheNoise() {
        Space space = Space.builder()
                .parameters(List.of(Parameter.builder("n", Parameter.Type.INT)
                        .min(1)
                        .max(30)
                        .build()))
                .build();
        Random random = new Random(5);
        List<Configuration> skipped = new ArrayList<>();
        Study study = search(space, options(40, true), trial -> {
            double n = ((Number) trial.configuration().values().get("n")).doubleValue();
            if (n % 2 == 0) {
                skipped.add(trial.configuration());
                return Observation.skipped("it comes to the same flags as another");
            }
            return Observation.of(Math.pow((n - 20) / 5, 2) + 0.1 * random.nextGaussian());
        });

        assertTrue(!skipped.isEmpty());
        assertEquals(new HashSet<>(skipped).size(), skipped.size(), skipped.toString());
        assertEquals(
                20,
                ((Number) study.best().orElseThrow().configuration().values().get("n")).doubleValue(),
                3);
    }

    /** As of a JVM that rounds what it is given: an odd number is evaluated as the even one above it. */
    @Test
    void asksForNothingAgainThatCameToAnotherConfiguration() {
        Space space = Space.builder()
                .parameters(List.of(Parameter.builder("n", Parameter.Type.INT)
                        .min(1)
                        .max(30)
                        .build()))
                .build();
        for (boolean noisy : new boolean[] {false, true}) {
            Random random = new Random(5);
            List<Configuration> rewritten = new ArrayList<>();
            Study study = Study.of(space, options(24, noisy));
            for (int i = 0; i < 24; i++) {
                Trial trial = study.ask();
                long n = (Long) trial.configuration().values().get("n");
                long even = n + n % 2;
                if (even != n) {
                    rewritten.add(trial.configuration());
                }
                Configuration inEffect = space.configuration(Map.of("n", even));
                double value = Math.pow((even - 20) / 5.0, 2) + (noisy ? 0.1 * random.nextGaussian() : 0);
                study.tell(trial.withConfiguration(inEffect), Observation.of(value));
            }

            assertTrue(rewritten.size() > 1, rewritten.toString());
            assertEquals(new HashSet<>(rewritten).size(), rewritten.size(), rewritten.toString());
        }
    }

    /** A page needs what the model holds of every parameter; those without a meaning beside the best have no slice. */
    @Test
    void showsWhatItsModelHolds() {
        Space space = Space.builder()
                .parameters(List.of(
                        number("x", -5, 10),
                        Parameter.builder("mode", Parameter.Type.CATEGORICAL)
                                .values(List.of("a", "b"))
                                .build(),
                        Parameter.builder("n", Parameter.Type.INT)
                                .min(1)
                                .max(5)
                                .when(Condition.of("mode", List.of("b")))
                                .build()))
                .build();
        Random random = new Random(8);
        Study study = search(space, options(20, true), trial -> {
            double x = ((Number) trial.configuration().values().get("x")).doubleValue();
            boolean worse = trial.configuration().values().get("mode").equals("b");
            return Observation.of(x * x + (worse ? 20 : 0) + random.nextGaussian());
        });

        StudyState state = study.state();

        assertEquals(List.of("x", "mode"), new ArrayList<>(state.slices().keySet()));
        assertTrue(state.importance().get("x") > 0.6, state.importance().toString());
        assertTrue(state.importance().get("n") < 0.1, state.importance().toString());
        assertEquals(
                1, state.importance().values().stream().mapToDouble(one -> one).sum(), 1e-9);
        assertTrue(state.noiseSd().getAsDouble() > 0.2 && state.noiseSd().getAsDouble() < 4, state.toString());
        StudyState.Point left = state.slices().get("x").get(0);
        assertEquals(-5.0, left.value());
        assertTrue(left.low() < 25 && 25 < left.high() && left.low() < left.mean(), left.toString());
    }

    /** As {@code auto}, where it is the default. */
    @Test
    void showsASpecialValueWithinTheRangeOnceWhateverIsTheBest() {
        Space space = Space.builder()
                .addParameters(Parameter.builder("n", Parameter.Type.INT)
                        .min(0)
                        .max(4)
                        .special(List.of(0))
                        .defaultValue(0)
                        .build())
                .build();
        for (long best : new long[] {0, 3}) {
            Study study = Study.of(space, options(5, false));
            for (int i = 0; i < 5; i++) {
                Trial trial = Trial.of(i + 1, space.configuration(Map.of("n", i)), Trial.Origin.DESIGN);
                study.resume(trial);
                study.tell(trial, Observation.of(Math.abs(i - best)));
            }

            StudyState state = study.state();

            assertEquals(
                    best, state.best().orElseThrow().configuration().value("n").orElseThrow());
            assertEquals(
                    List.of(0L, 1L, 2L, 3L, 4L),
                    state.slices().get("n").stream()
                            .map(StudyState.Point::value)
                            .collect(Collectors.toList()));
        }
    }

    @Test
    void livesWithEqualValuesEqualPointsAndNothingButFailures() {
        Space space = Space.builder()
                .parameters(List.of(
                        Parameter.builder("n", Parameter.Type.INT).min(1).max(3).build()))
                .build();
        assertEquals(
                2.0,
                search(space, options(12, true), trial -> Observation.of(2))
                        .best()
                        .orElseThrow()
                        .predicted(),
                1e-9);
        assertTrue(search(space, options(6, true), trial -> Observation.failed("no"))
                .best()
                .isEmpty());
    }

    /** Places of one value are one place, on a scale as in a list. */
    @Test
    void searchesBesideParametersThatArePinned() {
        for (boolean noisy : new boolean[] {false, true}) {
            Space space = Space.builder()
                    .addParameters(
                            number("x", -5, 10),
                            number("pinned", 2.5, 2.5),
                            Parameter.builder("log", Parameter.Type.LOG_INT)
                                    .min(7)
                                    .max(7)
                                    .build(),
                            Parameter.builder("mode", Parameter.Type.CATEGORICAL)
                                    .values(List.of("a"))
                                    .build())
                    .build();
            Study study = search(space, options(16, noisy), trial -> {
                Map<String, Object> values = trial.configuration().values();
                assertEquals(List.of(2.5, 7L, "a"), new ArrayList<>(values.values()).subList(1, 4));
                double x = (double) values.get("x");
                return Observation.of((x - 3) * (x - 3));
            });

            assertEquals(
                    3, study.best().orElseThrow().configuration().number("x").orElseThrow(), 0.1);
            assertEquals(0, study.state().importance().get("pinned"), 1e-9);
        }
    }

    @Test
    void spreadsTrialsThatAreUnderWay() {
        Study study = Study.of(branin(), options(40, true));
        for (int i = 0; i < 12; i++) {
            Trial trial = study.ask();
            study.tell(trial, Observation.of(branin(trial.configuration())));
        }
        HashSet<Configuration> open = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            open.add(study.ask().configuration());
        }
        assertEquals(4, open.size());
        assertEquals(4, study.open().size());
    }

    /**
     * Beyond 128 values not every model finds its hyperparameters anew, and one that is told of all leaves some out.
     */
    @Test
    void asksTheSameOfManyValuesHoweverItCameToThem() {
        Space space = Space.builder().addParameters(number("x", -5, 10)).build();
        Study asked = Study.of(space, options(200, true));
        Study resumed = Study.of(space, options(200, true));
        Random random = new Random(4);
        for (int i = 1; i <= 140; i++) {
            double x = 15 * random.nextDouble() - 5;
            Trial trial = Trial.of(i, space.configuration(Map.of("x", x)), Trial.Origin.DESIGN);
            Observation observation = Observation.of(Math.sin(x) + 0.1 * x + 0.1 * random.nextGaussian());
            for (Study study : List.of(asked, resumed)) {
                study.resume(trial);
                study.tell(trial, observation);
            }
            if (i > 126) {
                asked.best();
            }
        }

        assertEquals(asked.whyEnd(), resumed.whyEnd());
        assertEquals(asked.ask(), resumed.ask());
        // Of sin(x) + x / 10 in [-5, 10] the least is at -1.67.
        assertEquals(
                -1.67, resumed.best().orElseThrow().configuration().number("x").orElseThrow(), 0.3);
    }

    /** One of a thousand configurations keeps the rule. */
    @Test
    void findsWhatIsNewWhereHardlyAnyConfigurationKeepsTheRules() {
        for (boolean noisy : new boolean[] {false, true}) {
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
                    .addRules(Rule.of("a == b", at -> at.number("a").equals(at.number("b"))))
                    .build();
            HashSet<Configuration> asked = new HashSet<>();
            Random random = new Random(2);
            search(space, options(14, noisy), trial -> {
                asked.add(trial.configuration());
                double a = trial.configuration().number("a").orElseThrow();
                return Observation.of(Math.abs(a - 300) + (noisy ? 20 * random.nextGaussian() : 0));
            });
            assertTrue(noisy ? asked.size() > 8 : asked.size() == 14, asked.toString());
        }
    }

    @Test
    void evaluatesAnOwnConfigurationThatIsTheDefaultOnceWhereNoNoiseIs() {
        Space space = Space.builder()
                .addParameters(Parameter.builder("n", Parameter.Type.INT)
                        .min(1)
                        .max(9)
                        .defaultValue(4)
                        .build())
                .build();
        StudyOptions.Builder options = StudyOptions.builder()
                .evaluations(9)
                .addConfigurations(space.defaults().orElseThrow(), space.configuration(Map.of("n", 7)));
        List<Integer> both = List.of(4, 4, 7);
        for (boolean noisy : new boolean[] {false, true}) {
            Study study = Study.of(space, options.noisy(noisy).build());
            for (int n : noisy ? both : both.subList(1, 3)) {
                assertEquals(n, study.ask().configuration().number("n").orElseThrow());
            }
        }
    }
}
