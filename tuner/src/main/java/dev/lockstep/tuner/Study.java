package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A search: ask it for a trial, evaluate that, tell what came of it. Several trials may be open at a time.
 *
 * <p>What it asks for follows from its space and options and from the trials asked for and told so far, in the order of
 * the telling. A study that is {@linkplain #resume given} the trials of a journal and told their observations in the
 * same order goes on as the one that wrote the journal. One thread at a time uses it.
 */
public final class Study {
    /** How many points of the design are tried for one that keeps the rules and is new. */
    private static final int DESIGN_TRIES = 10_000;

    private static final int LEAST_DESIGN = 5;

    /** The part of the trials that the design takes at most. */
    private static final double MOST_DESIGN = 0.3;

    private static final int DRAWS = 64;

    private static final double CONFIRMATIONS = 0.125;
    /** How many of the best the last trials evaluate again. */
    private static final int CONFIRMED = 3;

    private final Space space;
    private final StudyOptions options;
    private final Encoding encoding;
    private final List<Trial> first = new ArrayList<>();
    private final Map<Integer, Trial> open = new TreeMap<>();
    private final List<Trial> told = new ArrayList<>();
    private final List<Observation> observations = new ArrayList<>();
    private final Set<Integer> numbers = new HashSet<>();
    private int asked;

    /** After so many of the trials told; null where there are too few values. */
    private Model model;

    private int modelled;

    private Study(Space space, StudyOptions options) {
        this.space = space;
        this.options = options;
        encoding = new Encoding(space);
        int number = 0;
        for (int i = 0; i < options.defaultTrials() && space.defaults().isPresent(); i++) {
            first.add(Trial.of(++number, space.defaults().get(), Trial.Origin.DEFAULT));
        }
        for (Configuration own : options.configurations()) {
            first.add(Trial.of(++number, space.configuration(own.values()), Trial.Origin.OWN));
        }
    }

    /** @throws IllegalArgumentException for a configuration in the options that is none of the space */
    public static Study of(Space space, StudyOptions options) {
        return new Study(space, options);
    }

    public Space space() {
        return space;
    }

    public StudyOptions options() {
        return options;
    }

    /**
     * Returns the next trial, which is open until its observation is told.
     *
     * @throws IllegalArgumentException where no configuration keeps the rules of the space
     */
    public Trial ask() {
        int number = asked + 1;
        Trial trial = number <= first.size() ? first.get(number - 1) : next(number);
        resume(trial);
        return trial;
    }

    /**
     * Takes a trial as asked that an earlier study of the same space and options asked for.
     *
     * @throws IllegalArgumentException for a number that was asked for before, or a configuration that is none of the
     *     space
     */
    public void resume(Trial trial) {
        space.configuration(trial.configuration().values());
        if (!numbers.add(trial.number())) {
            throw new IllegalArgumentException("trial " + trial.number() + ": was asked for before");
        }
        open.put(trial.number(), trial);
        asked = Math.max(asked, trial.number());
    }

    /**
     * Tells what came of an open trial. The configuration that counts is that of the trial given here, which may be
     * another than the one asked for.
     *
     * @throws IllegalArgumentException for a trial that is not open, a configuration that is none of the space, and a
     *     constraint that the space does not have
     */
    public void tell(Trial trial, Observation observation) {
        if (!open.containsKey(trial.number())) {
            throw new IllegalArgumentException("trial " + trial.number() + ": is not open");
        }
        space.configuration(trial.configuration().values());
        for (String name : observation.constraints().keySet()) {
            if (!space.constraints().contains(name)) {
                throw new IllegalArgumentException("trial " + trial.number() + ": unknown constraint '" + name
                        + "', known are " + space.constraints());
            }
        }
        open.remove(trial.number());
        told.add(trial);
        observations.add(observation);
    }

    /** The trials that are asked for and not told, by their numbers. */
    public List<Trial> open() {
        return new ArrayList<>(open.values());
    }

    /** Returns what is held for the best; absent where no trial has a value. */
    public Optional<Recommendation> best() {
        Optional<Model> held = model();
        if (held.isEmpty()) {
            Evidence evidence = evidence(told.size());
            int best = evidence.best();
            return best < 0
                    ? Optional.empty()
                    : Optional.of(recommendation(
                            encoding.decode(evidence.points[best]),
                            evidence.values[best],
                            Math.sqrt(evidence.variances[best]),
                            1));
        }
        double[] point = bestPoint(held.get());
        return Optional.of(recommendation(held.get(), point));
    }

    /** Returns why it is not worth going on; absent as long as something better is likely enough. */
    public Optional<String> whyEnd() {
        return Optional.empty();
    }

    /** Returns what the model holds. */
    public StudyState state() {
        Optional<Model> held = model();
        ImmutableStudyState.Builder state = ImmutableStudyState.builder();
        if (held.isEmpty()) {
            return state.best(best()).build();
        }
        double[] best = bestPoint(held.get());
        ValueModel values = held.get().values();
        state.best(recommendation(held.get(), best));
        state.slices(new Slices(space, encoding, held.get()).through(best));
        if (held.get().evidence().varies()) {
            Importance importance =
                    new Importance(space, encoding, values.process(), random("importance", told.size()));
            state.importance(importance.shares()).importanceIntervals(importance.intervals());
        }
        return state.noiseSd(values.noiseSd(best)).build();
    }

    private Recommendation recommendation(Model held, double[] point) {
        GaussianProcess.At at = held.values().process().at(point);
        Warp warp = held.values().warp();
        double low = warp.from(at.mean() - at.sd());
        double high = warp.from(at.mean() + at.sd());
        return recommendation(
                encoding.decode(point),
                warp.from(at.mean()),
                (high - low) / 2,
                Math.exp(held.logFeasible(point, null)));
    }

    private Recommendation recommendation(Configuration configuration, double value, double sd, double probability) {
        int values = 0;
        for (int i = 0; i < told.size(); i++) {
            boolean same = told.get(i).configuration().equals(configuration);
            values += same && observations.get(i).value().isPresent() ? 1 : 0;
        }
        return ImmutableRecommendation.builder()
                .configuration(configuration)
                .predicted(space.direction().sign() * value)
                .predictedSd(sd)
                .probabilityFeasible(probability)
                .values(values)
                .build();
    }

    /** Without noise the best value is known; with noise the model knows it better than any value. */
    private double[] bestPoint(Model held) {
        int best = held.evidence().best();
        if (best >= 0 && !held.values().isNoisy()) {
            return held.evidence().points[best];
        }
        LatticeSearch.Found found = new LatticeSearch(encoding, held::merit, point -> true)
                .find(held.bestPoints(), random("best", told.size()));
        return found.point;
    }

    /** Returns the model of all that was told; absent as long as there are too few values for one. */
    private Optional<Model> model() {
        while (modelled < told.size()) {
            modelled++;
            Evidence evidence = evidence(modelled);
            if (evidence.values.length >= 2) {
                model = new Model(evidence, encoding.choices(), options.noisy(), model);
            }
        }
        return Optional.ofNullable(model);
    }

    private Evidence evidence(int count) {
        return new Evidence(space, encoding, told.subList(0, count), observations.subList(0, count));
    }

    private Trial next(int number) {
        Optional<Model> held = number > designTrials() ? model() : Optional.empty();
        if (held.isEmpty()) {
            return Trial.of(number, designed(), Trial.Origin.DESIGN);
        }
        if (held.get().values().isNoisy() && number > options.evaluations() - confirmationTrials()) {
            return Trial.of(number, confirmed(held.get()), Trial.Origin.CONFIRMATION);
        }
        return proposed(number, held.get());
    }

    private int designTrials() {
        int most = (int) Math.ceil(MOST_DESIGN * options.evaluations());
        return options.designTrials().orElse(Math.max(LEAST_DESIGN, Math.min(2 * encoding.size(), most)));
    }

    private int confirmationTrials() {
        return options.confirmationTrials().orElse((int) Math.round(options.evaluations() * CONFIRMATIONS));
    }

    /** Returns the configurations that are known or under way. */
    private Set<Configuration> taken() {
        Set<Configuration> taken =
                told.stream().map(Trial::configuration).collect(Collectors.toCollection(HashSet::new));
        open.values().forEach(trial -> taken.add(trial.configuration()));
        return taken;
    }

    /** Returns the next point of the design that is new, or any if none is. */
    private Configuration designed() {
        Set<Configuration> taken = taken();
        ScrambledSobol sobol = new ScrambledSobol(encoding.size(), random("design", 0));
        Configuration any = null;
        for (int i = 0; i < DESIGN_TRIES; i++) {
            double[] point = encoding.sample(sobol.next());
            if (encoding.keepsRules(point)) {
                any = encoding.decode(point);
                if (!taken.contains(any)) {
                    return any;
                }
            }
        }
        if (any == null) {
            throw new IllegalArgumentException(
                    "rules: none of " + DESIGN_TRIES + " configurations keeps them all, loosen " + space.rules());
        }
        return any;
    }

    /** Returns that of the best which has been evaluated least. */
    private Configuration confirmed(Model held) {
        List<Configuration> best = new ArrayList<>();
        best.add(encoding.decode(bestPoint(held)));
        for (double[] point : held.ranked()) {
            Configuration one = encoding.decode(point);
            if (best.size() < CONFIRMED && !best.contains(one)) {
                best.add(one);
            }
        }
        Map<Configuration, Integer> counts = new HashMap<>();
        told.forEach(trial -> counts.merge(trial.configuration(), 1, Integer::sum));
        open.values().forEach(trial -> counts.merge(trial.configuration(), 1, Integer::sum));
        Configuration least = best.get(0);
        for (Configuration one : best) {
            if (counts.getOrDefault(one, 0) < counts.getOrDefault(least, 0)) {
                least = one;
            }
        }
        return least;
    }

    private Trial proposed(int number, Model held) {
        SplittableRandom random = random("model", number);
        List<double[]> points = held.evidence().distinctPoints();
        for (Trial trial : open.values()) {
            double[] point = encoding.encode(trial.configuration());
            if (points.stream().noneMatch(one -> Arrays.equals(one, point))) {
                points.add(point);
            }
        }
        Score score = held.improvement(
                points.toArray(new double[0][]),
                DRAWS,
                new ScrambledSobol(held.drawDimensions(points.size()), random.split()));
        Set<Configuration> taken = held.values().isNoisy() ? Set.of() : taken();
        LatticeSearch.Found found = new LatticeSearch(
                        encoding, score, point -> taken.isEmpty() || !taken.contains(encoding.decode(point)))
                .find(held.bestPoints(), random);
        if (found == null) {
            // All there is was tried: the best of it once more.
            found = new LatticeSearch(encoding, score, point -> true).find(held.bestPoints(), random);
        }
        return Trial.of(number, encoding.decode(found.point), Trial.Origin.MODEL);
    }

    /** Returns random numbers that depend on the seed and on what they are for. */
    private SplittableRandom random(String purpose, int number) {
        return new SplittableRandom(
                new SplittableRandom(options.seed()).nextLong() ^ purpose.hashCode() * 31L + number);
    }
}
