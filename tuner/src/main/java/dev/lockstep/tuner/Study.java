package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A search: ask it for a trial, evaluate that, tell what came of it. Several trials may be open at a time.
 *
 * <p>What it asks for follows from its space and options and from the trials asked for and told so far, in the order of
 * the telling. A study that is {@linkplain #resume given} the trials of a journal and told their observations in the
 * same order goes on as the one that wrote the journal. One thread at a time uses it.
 */
public final class Study {
    private static final int LEAST_DESIGN = 5;

    /** The part of the trials that the design takes at most. */
    private static final double MOST_DESIGN = 0.3;

    private static final int DRAWS = 64;

    /**
     * With more values the hyperparameters are found anew only when a part of them has come: that takes a time that
     * grows with their third power, and models in between depend on no others, so that they are left out where a
     * journal is told again.
     */
    private static final int MANY_VALUES = 128;

    private static final int FITTED_PART = 32;

    /** So many points are made to keep the rules, for one that is new. */
    private static final int MOST_MADE = 1000;

    /** A search ends when it is so likely that nothing is better by what is worthwhile. */
    private static final double SURE = 0.95;
    /** After so many trials, one after the other. */
    private static final int IN_A_ROW = 3;
    /** A gain of this part of the values' standard deviation is not worthwhile, where nothing is said of that. */
    private static final double UNWORTHY = 1e-5;

    /** So many repeats that all agree show that values have no noise. */
    private static final int AGREEING = 2;
    /** So many of a coarse metric, by which different configurations have equal values: noise may round to nothing. */
    private static final int COARSELY_AGREEING = 4;

    private final Space space;
    private final StudyOptions options;
    private final Encoding encoding;
    private final List<Trial> first = new ArrayList<>();
    private final Map<Integer, Trial> open = new TreeMap<>();
    private final List<Trial> told = new ArrayList<>();
    private final List<Observation> observations = new ArrayList<>();
    /** By the configurations that were asked for, those that counted in their place. */
    private final Map<Configuration, Configuration> rewritten = new LinkedHashMap<>();

    private final Set<Integer> numbers = new HashSet<>();
    private int asked;
    /** The next trial, where it was looked for already; null where anything was asked for or told since. */
    private Trial upcoming;

    /** After so many of the trials told; null where there are too few values. */
    private Model model;

    /** The models after each of the last trials told, the last one last. */
    private final List<Model> latest = new ArrayList<>();

    /** The last of those whose hyperparameters were found anew; the next is that with so many values. */
    private Model fitted;

    private int nextFit;
    private int modelled;
    /** How many of the trials that are modelled have a value. */
    private int valued;

    /** Of the model after so many trials told. */
    private double[] bestPoint;

    private int bestKnown = -1;

    private Study(Space space, StudyOptions options) {
        this.space = space;
        this.options = options;
        encoding = new Encoding(space);
        int number = 0;
        for (int i = 0; i < options.defaultTrials() && space.defaults().isPresent(); i++) {
            first.add(Trial.of(++number, space.defaults().get(), Trial.Origin.DEFAULT));
        }
        for (Configuration one : options.configurations()) {
            Configuration own = space.configuration(one.values());
            if (options.noisy()
                    || first.stream().noneMatch(trial -> trial.configuration().equals(own))) {
                first.add(Trial.of(++number, own, Trial.Origin.OWN));
            }
        }
        first.forEach(trial -> encoding.remember(trial.configuration()));
        if (!space.rules().isEmpty() && first.isEmpty()) {
            // Before anything is evaluated.
            designed();
        }
    }

    /**
     * @throws IllegalArgumentException for a configuration in the options that is none of the space, and where none is
     *     found that keeps its rules
     */
    public static Study of(Space space, StudyOptions options) {
        return new Study(space, options);
    }

    public StudyOptions options() {
        return options;
    }

    /** Returns the next trial, which is open until its observation is told. */
    public Trial ask() {
        Trial trial = upcoming();
        resume(trial);
        return trial;
    }

    private Trial upcoming() {
        if (upcoming == null) {
            int number = asked + 1;
            upcoming = number <= first.size() ? first.get(number - 1) : next(number);
        }
        return upcoming;
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
        upcoming = null;
        open.put(trial.number(), trial);
        encoding.remember(trial.configuration());
        asked = Math.max(asked, trial.number());
    }

    /**
     * Tells what came of an open trial. The configuration that counts is that of the trial given here, which may be
     * another than the one asked for: then the latter is not asked for again.
     *
     * @throws IllegalArgumentException for a trial that is not open, a configuration that is none of the space, a
     *     constraint that the space does not have, and another number of values than there are objectives
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
        int values = (observation.value().isPresent() ? 1 : 0)
                + (observation.secondValue().isPresent() ? 1 : 0);
        int objectives = space.secondDirection().isPresent() ? 2 : 1;
        if (values > 0 && values != objectives) {
            throw new IllegalArgumentException("trial " + trial.number() + ": expected "
                    + (objectives == 2 ? "two values, one for each objective, found one" : "one value, found two"));
        }
        upcoming = null;
        Configuration wanted = open.remove(trial.number()).configuration();
        if (!wanted.equals(trial.configuration())) {
            rewritten.put(wanted, trial.configuration());
        }
        encoding.remember(trial.configuration());
        told.add(trial);
        observations.add(observation);
    }

    /** The trials that are asked for and not told, by their numbers. */
    public List<Trial> open() {
        return new ArrayList<>(open.values());
    }

    /** The trials that are told, in the order of the telling. */
    public List<Trial> told() {
        return new ArrayList<>(told);
    }

    /**
     * Returns what is held for the best; absent where no trial worked and kept every constraint that was measured. Of
     * two objectives it is the one of the front that bulges most.
     */
    public Optional<Recommendation> best() {
        Optional<Model> held = model();
        if (held.isPresent() && held.get().evidence().best() < 0) {
            return Optional.empty();
        }
        if (held.isPresent() && held.get().second() != null) {
            return Optional.of(recommendation(held.get(), kneePoint(held.get())));
        }
        if (held.isEmpty()) {
            Evidence evidence = evidence(told.size());
            int best = evidence.best();
            return best < 0 ? Optional.empty() : Optional.of(recommendation(evidence, best, 1));
        }
        return Optional.of(recommendation(held.get(), bestPoint(held.get())));
    }

    /**
     * Returns why it is not worth going on; absent as long as something better is likely enough. That is so as long as
     * the model gives it 5 % that a configuration is better than the best by more than what is worthwhile; or has done
     * so after one of the last three trials; or as long as no trial worked and kept every constraint; or until every
     * configuration that is found was tried, or is being tried, where values have no noise, or every one has failed. Of
     * two objectives only these last two count.
     */
    public Optional<String> whyEnd() {
        boolean anyWorked = observations.stream().anyMatch(one -> one.value().isPresent());
        if (!anyWorked && isAll(failed())) {
            return Optional.of("every configuration of the space was tried, and none worked");
        }
        if (isExact(told.size()) && isAll(taken())) {
            return Optional.of("every configuration of the space was tried");
        }
        if (isExact(told.size()) && findsNothingNew()) {
            return Optional.of("no further configuration was found");
        }
        Optional<Model> held = model();
        if (held.isEmpty()
                || held.get().evidence().best() < 0
                || space.secondDirection().isPresent()
                || told.size() < first.size() + designTrials() + IN_A_ROW) {
            return Optional.empty();
        }
        double gain = options.worthwhile()
                .orElse(UNWORTHY * held.get().values().warp().sd());
        boolean sure = latest.size() == IN_A_ROW;
        for (int i = IN_A_ROW - 1; i >= 0 && sure; i--) {
            int count = modelled - (IN_A_ROW - 1 - i);
            Model one = latest.get(i);
            double[] best = count == told.size() ? bestPoint(one) : bestPoint(one, count);
            sure = new RegretDraws(encoding, one, best, one.isBestKnown(), gain, SURE, random("end", count)).isSure();
        }
        return !sure
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "after each of the last %d evaluations, the model gave it less than %.0f %% that any"
                                + " configuration is better than the best by more than %.3g",
                        IN_A_ROW,
                        100 * (1 - SURE),
                        gain));
    }

    /** Whether the next trial would be of a configuration that was tried, in a space too large to look at all of it. */
    private boolean findsNothingNew() {
        return encoding.count() > LatticeSearch.MOST_ENUMERATED
                && asked >= first.size()
                && taken().contains(upcoming().configuration());
    }

    private boolean isAll(Set<Configuration> some) {
        return encoding.count() <= LatticeSearch.MOST_ENUMERATED
                && encoding.all().stream()
                        .allMatch(point -> !encoding.keepsRules(point) || some.contains(encoding.decode(point)));
    }

    /** Returns what the model holds. */
    public StudyState state() {
        Optional<Model> held = model();
        ImmutableStudyState.Builder state = ImmutableStudyState.builder();
        if (held.isEmpty()) {
            Optional<Recommendation> only = best();
            if (space.secondDirection().isPresent()) {
                only.ifPresent(state::addFront);
            }
            return state.best(only).build();
        }
        ValueModel values = held.get().values();
        ValueModel second = held.get().second();
        if (held.get().evidence().best() < 0) {
            return state.build();
        }
        double[] best = second == null ? bestPoint(held.get()) : kneePoint(held.get());
        state.best(recommendation(held.get(), best)).front(front(held.get()));
        describe(held.get(), values, held.get().evidence(), space.direction(), best, state);
        if (second != null) {
            ImmutableStudyState.Builder other = ImmutableStudyState.builder();
            describe(
                    held.get(),
                    second,
                    held.get().evidence().second,
                    space.secondDirection().get(),
                    best,
                    other);
            state.second(other.build());
        }
        return state.build();
    }

    /** Adds what is held of one objective. */
    private void describe(
            Model held,
            ValueModel values,
            Evidence evidence,
            Direction direction,
            double[] best,
            ImmutableStudyState.Builder state) {
        state.slices(new Slices(space, encoding, held, values, direction).through(best));
        if (evidence.varies()) {
            Importance importance =
                    new Importance(space, encoding, values.process(), random("importance", told.size()));
            state.importance(importance.shares()).importanceIntervals(importance.intervals());
        }
        state.noiseSd(values.noiseSd());
    }

    /** Returns the front of two objectives, from the best of the first on; empty where there is one. */
    private List<Recommendation> front(Model held) {
        List<Recommendation> front = new ArrayList<>();
        if (held.second() != null) {
            List<double[]> points = held.evidence().distinctPoints();
            held.front(points).members().forEach(i -> front.add(recommendation(held, points.get(i))));
        }
        return front;
    }

    /** Returns the point of the front that bulges most; there is one where a trial worked and kept all constraints. */
    private static double[] kneePoint(Model held) {
        List<double[]> points = held.evidence().distinctPoints();
        return points.get(held.front(points).knee());
    }

    /** Returns a recommendation that stands on a value. */
    private Recommendation recommendation(Evidence evidence, int index, double probability) {
        ImmutableRecommendation.Builder found = recommendation(
                encoding.decode(evidence.points[index]),
                evidence.values[index],
                Math.sqrt(evidence.variances[index]),
                probability);
        if (evidence.second != null) {
            addSecond(evidence.second.values[index], Math.sqrt(evidence.second.variances[index]), found);
        }
        return found.build();
    }

    private void addSecond(double value, double sd, ImmutableRecommendation.Builder to) {
        to.secondPredicted(space.secondDirection().orElseThrow().sign() * value).secondPredictedSd(sd);
    }

    private Recommendation recommendation(Model held, double[] point) {
        double probability = Math.exp(held.logFeasible(point, null));
        int value = Arrays.asList(held.evidence().points).indexOf(point);
        if (value >= 0 && held.isExact()) {
            return recommendation(held.evidence(), value, probability);
        }
        double[] expected = expected(held.values(), point);
        ImmutableRecommendation.Builder found =
                recommendation(encoding.decode(point), expected[0], expected[1], probability);
        if (held.second() != null) {
            double[] other = expected(held.second(), point);
            addSecond(other[0], other[1], found);
        }
        return found.build();
    }

    /** Returns what a model expects at a point, and its standard deviation. */
    private static double[] expected(ValueModel model, double[] point) {
        GaussianProcess.At at = model.process().at(point);
        Warp warp = model.warp();
        double low = warp.from(at.mean() - at.sd());
        double high = warp.from(at.mean() + at.sd());
        return new double[] {warp.from(at.mean()), high / 2 - low / 2};
    }

    private ImmutableRecommendation.Builder recommendation(
            Configuration configuration, double value, double sd, double probability) {
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
                .values(values);
    }

    /** Without noise the best value is known; with noise the model knows it better than any value. */
    private double[] bestPoint(Model held) {
        if (bestKnown != told.size()) {
            bestPoint = bestPoint(held, told.size());
            bestKnown = told.size();
        }
        return bestPoint;
    }

    /** @param count of the trials told that the model knows */
    private double[] bestPoint(Model held, int count) {
        if (held.isBestKnown()) {
            return held.evidence().points[held.evidence().best()];
        }
        SplittableRandom random = random("best", count);
        LatticeSearch.Found found =
                new LatticeSearch(encoding, held::merit, point -> true).find(held.bestPoints(), random);
        if (!held.isSurelyFeasible(found.point)) {
            LatticeSearch.Found sure =
                    new LatticeSearch(encoding, held::merit, held::isSurelyFeasible).find(held.surePoints(), random);
            found = sure == null ? found : sure;
        }
        return found.point;
    }

    /** Returns the model of all that was told; absent as long as there are too few values for one. */
    private Optional<Model> model() {
        while (modelled < told.size()) {
            valued += observations.get(modelled).value().isPresent() ? 1 : 0;
            modelled++;
            boolean fits = valued <= MANY_VALUES || valued >= nextFit;
            if (valued >= 2 && (fits || modelled > told.size() - IN_A_ROW)) {
                model = new Model(evidence(modelled), encoding.choices(), !isExact(modelled), fitted, fits);
                latest.add(model);
                if (latest.size() > IN_A_ROW) {
                    latest.remove(0);
                }
            }
            if (valued >= 2 && fits) {
                fitted = model;
                nextFit = valued + Math.max(1, valued / FITTED_PART);
            }
        }
        return Optional.ofNullable(model);
    }

    private Evidence evidence(int count) {
        return new Evidence(space, encoding, told.subList(0, count), observations.subList(0, count));
    }

    /** What trials of a configuration that has a value already came to. */
    private static final class Repeats {
        /** How many there are; some have no value, or none yet. */
        int count;
        /** How many values are the same as the one before. */
        int agreeing;
        /** How many must be, for values to be known without noise. */
        int enough = AGREEING;
        /** Whether values or constraints of one configuration differ, or may by what is told of them. */
        boolean noise;
    }

    /** @param count of the trials told that are looked at, in the order of the telling */
    private Repeats repeats(int count) {
        Repeats repeats = new Repeats();
        Map<Configuration, List<Object>> values = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Configuration configuration = told.get(i).configuration();
            Observation one = observations.get(i);
            List<Object> before = values.get(configuration);
            repeats.count += before == null ? 0 : 1;
            if (one.value().isPresent()) {
                List<Object> now =
                        List.of(one.value().getAsDouble(), one.secondValue().orElse(0), one.constraints());
                boolean mayDiffer =
                        one.variance().orElse(0) > 0 || one.secondVariance().orElse(0) > 0;
                repeats.noise |= mayDiffer || before != null && !before.equals(now);
                repeats.agreeing += now.equals(before) ? 1 : 0;
                boolean isCoarse = before == null
                        && values.values().stream()
                                .anyMatch(other -> now.subList(0, 2).equals(other.subList(0, 2)));
                repeats.enough = isCoarse ? COARSELY_AGREEING : repeats.enough;
                values.put(configuration, now);
            }
            // What worked fails now.
            repeats.noise |= before != null && one.failed().isPresent();
        }
        for (Trial trial : open.values()) {
            repeats.count += values.containsKey(trial.configuration()) ? 1 : 0;
        }
        return repeats;
    }

    /**
     * Returns whether two values of one configuration never differ: it is told, or what was repeated shows it.
     *
     * @param count of the trials told that are known
     */
    private boolean isExact(int count) {
        if (!options.noisy()) {
            return true;
        }
        Repeats repeats = repeats(count);
        return !repeats.noise && repeats.agreeing >= repeats.enough;
    }

    /**
     * Returns what is evaluated again to learn of the noise, where nothing tells of it: the first configuration that
     * has a value; and if that agrees, after the design, the best so far.
     */
    private Optional<Configuration> repeated(int number) {
        if (!options.noisy()) {
            return Optional.empty();
        }
        Repeats repeats = repeats(told.size());
        if (repeats.noise) {
            return Optional.empty();
        }
        List<Configuration> valued = new ArrayList<>();
        for (int i = 0; i < told.size(); i++) {
            if (observations.get(i).value().isPresent()) {
                valued.add(told.get(i).configuration());
            }
        }
        if (repeats.count == 0) {
            return valued.stream().findFirst();
        }
        boolean agrees = repeats.count == repeats.agreeing && repeats.agreeing < repeats.enough;
        int best = agrees && number > designTrials() ? evidence(told.size()).best() : -1;
        return best < 0 ? Optional.empty() : Optional.of(valued.get(best));
    }

    private Trial next(int number) {
        Optional<Configuration> again = repeated(number);
        if (again.isPresent()) {
            return Trial.of(number, again.get(), Trial.Origin.DESIGN);
        }
        Optional<Model> held = number > designTrials() ? model() : Optional.empty();
        if (held.isEmpty()) {
            return Trial.of(number, designed(), Trial.Origin.DESIGN);
        }
        return proposed(number, held.get());
    }

    private int designTrials() {
        int most = (int) Math.ceil(MOST_DESIGN * options.evaluations());
        return options.designTrials().orElse(Math.max(LEAST_DESIGN, Math.min((3 * encoding.size() + 1) / 2, most)));
    }

    /** Returns the configurations that are known or under way, and those that are known to come to others. */
    private Set<Configuration> taken() {
        Set<Configuration> taken =
                told.stream().map(Trial::configuration).collect(Collectors.toCollection(HashSet::new));
        open.values().forEach(trial -> taken.add(trial.configuration()));
        taken.addAll(rewritten.keySet());
        return taken;
    }

    /** Returns the configurations of which it is known that they do not work. */
    private Set<Configuration> failed() {
        Set<Configuration> failed = new HashSet<>();
        for (int i = 0; i < told.size(); i++) {
            if (observations.get(i).failed().isPresent()) {
                failed.add(told.get(i).configuration());
            }
        }
        rewritten.forEach((wanted, inEffect) -> {
            if (failed.contains(inEffect)) {
                failed.add(wanted);
            }
        });
        return failed;
    }

    /**
     * Returns the configurations that were skipped each time they were asked for, in the order of the telling, and
     * those that came to others.
     */
    private Set<Configuration> skipped() {
        Set<Configuration> skipped = new LinkedHashSet<>();
        Set<Configuration> others = new HashSet<>();
        for (int i = 0; i < told.size(); i++) {
            boolean isSkipped = observations.get(i).skipped().isPresent();
            (isSkipped ? skipped : others).add(told.get(i).configuration());
        }
        skipped.addAll(rewritten.keySet());
        skipped.removeAll(others);
        return skipped;
    }

    private long underWay(Configuration configuration) {
        return open.values().stream()
                .filter(one -> one.configuration().equals(configuration))
                .count();
    }

    private Predicate<double[]> isNoneOf(Set<Configuration> left) {
        return point -> left.isEmpty() || !left.contains(encoding.decode(point));
    }

    /** Returns the next point of the design that is new, or if none is, the one that was asked for least often. */
    private Configuration designed() {
        Map<Configuration, Integer> times = new HashMap<>();
        told.forEach(trial -> times.merge(trial.configuration(), 1, Integer::sum));
        open.values().forEach(trial -> times.merge(trial.configuration(), 1, Integer::sum));
        skipped().forEach(configuration -> times.put(configuration, Integer.MAX_VALUE));
        ScrambledSobol sobol = new ScrambledSobol(encoding.size(), random("design", 0));
        Configuration least = null;
        for (int i = 0; i < (encoding.isNarrow() ? MOST_MADE : Encoding.MOST_TRIES); i++) {
            double[] point = encoding.sample(sobol.next());
            if (encoding.isNarrow()) {
                point = encoding.mended(point, random("made", i));
            }
            if (point != null && encoding.keepsRules(point)) {
                Configuration one = encoding.decode(point);
                if (!times.containsKey(one)) {
                    return one;
                }
                least = least == null || times.get(one) < times.get(least) ? one : least;
            }
        }
        if (least == null && first.isEmpty()) {
            throw new IllegalArgumentException("rules: expected a configuration that keeps them all, found none in "
                    + Encoding.MOST_TRIES + " tries; loosen one of " + space.rules());
        }
        return least == null ? first.get(0).configuration() : least;
    }

    private Trial proposed(int number, Model held) {
        SplittableRandom random = random("model", number);
        List<double[]> points = held.evidence().distinctPoints();
        Set<Configuration> skipped = skipped();
        // What was skipped is as what is under way: it has no value, and its neighbours promise less beside it.
        List<Configuration> others = new ArrayList<>(skipped);
        open.values().forEach(trial -> others.add(trial.configuration()));
        for (Configuration other : others) {
            double[] point = encoding.encode(other);
            if (points.stream().noneMatch(one -> Arrays.equals(one, point))) {
                points.add(point);
            }
        }
        List<double[]> ends = new ArrayList<>();
        if (held.second() != null) {
            for (Score hope : List.<Score>of(held::hope, held::secondHope)) {
                ends.add(new LatticeSearch(encoding, hope, point -> true).find(held.bestPoints(), random).point);
            }
        }
        boolean choosesAmongKnown = held.isNoisy() && held.second() == null && isAll(taken());
        // Of configurations that all have values, what may still be the best is measured again, not what probably is.
        Score score = choosesAmongKnown
                ? (point, gradient) -> held.chance(point, underWay(encoding.decode(point)))
                : held.improvement(points.toArray(new double[0][]), ends, DRAWS, random);
        Set<Configuration> taken = held.isNoisy() && options.noisy() ? skipped : taken();
        LatticeSearch.Found found = new LatticeSearch(encoding, score, isNoneOf(taken)).find(held.bestPoints(), random);
        if (found == null) {
            Configuration other = designed();
            if (!taken.contains(other)) {
                return Trial.of(number, other, Trial.Origin.DESIGN);
            }
            // All there is was tried: the best of it once more.
            found = new LatticeSearch(encoding, score, isNoneOf(skipped)).find(held.bestPoints(), random);
        }
        return Trial.of(number, encoding.decode(found.point), Trial.Origin.MODEL);
    }

    /** Returns random numbers that depend on the seed and on what they are for. */
    private SplittableRandom random(String purpose, int number) {
        return new SplittableRandom(
                new SplittableRandom(options.seed()).nextLong() ^ purpose.hashCode() * 31L + number);
    }
}
