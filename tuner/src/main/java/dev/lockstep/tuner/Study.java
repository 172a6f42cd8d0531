package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A search: ask it for a trial, evaluate that, tell what came of it. Several trials may be open at a time. What it asks
 * follows from its seed and from what it was asked and told before, in that order; one that is {@linkplain #resume told
 * of} the trials of a journal goes on as the one that wrote it. One thread at a time uses it.
 */
public final class Study {
    /** How many points of the design are tried for one that is allowed and new. */
    private static final int DESIGN_TRIES = 10_000;

    private final Space space;
    private final StudyOptions options;
    private final Encoding encoding;
    private final List<Trial> first = new ArrayList<>();
    private final ScrambledSobol design;
    private final Map<Integer, Trial> open = new TreeMap<>();
    private final Map<Integer, Trial> told = new LinkedHashMap<>();
    private final Map<Integer, Observation> observations = new LinkedHashMap<>();
    private int asked;

    private Study(Space space, StudyOptions options) {
        this.space = space;
        this.options = options;
        encoding = new Encoding(space);
        design = new ScrambledSobol(encoding.size(), new SplittableRandom(options.seed()));
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

    /** Returns the next trial, which is open until its observation is told. */
    public Trial ask() {
        int number = asked + 1;
        Trial trial = number <= first.size() ? first.get(number - 1) : Trial.of(number, next(), Trial.Origin.DESIGN);
        resume(trial);
        return trial;
    }

    /**
     * Takes a trial as asked that an earlier study with the same space and seed asked for.
     *
     * @throws IllegalArgumentException for a number that was asked for before, or a configuration that is none of the
     *     space
     */
    public void resume(Trial trial) {
        if (open.containsKey(trial.number()) || told.containsKey(trial.number())) {
            throw new IllegalArgumentException("trial " + trial.number() + ": was asked for before");
        }
        space.configuration(trial.configuration().values());
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
        told.put(trial.number(), trial);
        observations.put(trial.number(), observation);
    }

    /** The trials that are asked for and not told, by their numbers. */
    public List<Trial> open() {
        return new ArrayList<>(open.values());
    }

    /** Returns what is held for the best; absent where no trial has a value that counts. */
    public Optional<Recommendation> best() {
        double sign = space.direction().sign();
        Trial best = null;
        double bestValue = Double.POSITIVE_INFINITY;
        for (Map.Entry<Integer, Observation> one : observations.entrySet()) {
            Observation observation = one.getValue();
            if (observation.isFeasible() && sign * observation.value().getAsDouble() < bestValue) {
                bestValue = sign * observation.value().getAsDouble();
                best = told.get(one.getKey());
            }
        }
        if (best == null) {
            return Optional.empty();
        }
        return Optional.of(ImmutableRecommendation.builder()
                .configuration(best.configuration())
                .predicted(sign * bestValue)
                .predictedSd(0)
                .probabilityFeasible(1)
                .values(1)
                .build());
    }

    /** Returns why it is not worth going on; absent as long as something better is likely enough. */
    public Optional<String> whyEnd() {
        return Optional.empty();
    }

    /** Returns what the model holds. */
    public StudyState state() {
        return ImmutableStudyState.builder().best(best()).build();
    }

    private Configuration next() {
        for (int i = 0; i < DESIGN_TRIES; i++) {
            double[] point = encoding.sample(design.next());
            if (encoding.keepsRules(point)) {
                return encoding.decode(point);
            }
        }
        throw new IllegalArgumentException(
                "rules: none of " + DESIGN_TRIES + " configurations keeps them all, loosen " + space.rules());
    }
}
