package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Configurations as points, which the model and its search work on: a place on each {@link Coordinate}. All points that
 * come to the same configuration are one point, for coordinates without a meaning beside the others are at rest. A
 * configuration that it was {@linkplain #remember told of} comes back from its point as it was, to the last digit,
 * though rounding would make another of it. Where hardly any point keeps the rules, those that do are made. One thread
 * at a time uses it.
 */
final class Encoding {
    /** So many points are tried for one that keeps the rules. */
    static final int MOST_TRIES = 10_000;

    /** So few points say little of a space. */
    private static final int FEW = 64;

    /** How often a point is changed, for each rule, until it keeps all. */
    private static final int MOST_CHANGES = 50;

    /** Those that are looked at meanwhile are many fewer. */
    private static final int MOST_MADE = 20_000;

    private final Space space;
    private final List<Coordinate> coordinates = new ArrayList<>();
    private final boolean[] choices;

    /** Whether a place can lose its meaning. */
    private final boolean conditional;

    /** Whether hardly any point keeps the rules, so that those that do are made. */
    private final boolean narrow;

    /** By their points. */
    private final Map<List<Double>, Configuration> remembered = new HashMap<>();

    /** Those that were made to keep the rules, which rounding would undo. */
    private final Map<List<Double>, Configuration> made = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<Double>, Configuration> eldest) {
            // Those of a search under way are younger by far.
            return size() > MOST_MADE;
        }
    };

    Encoding(Space space) {
        this.space = space;
        space.parameters().forEach(parameter -> coordinates.addAll(Coordinate.of(parameter)));
        choices = new boolean[coordinates.size()];
        for (int i = 0; i < choices.length; i++) {
            choices[i] = coordinates.get(i).isChoice();
        }
        conditional = space.parameters().stream()
                .anyMatch(one -> one.when().isPresent() || !one.special().isEmpty());
        narrow = !space.rules().isEmpty()
                && space.rules().stream().allMatch(Rule::hasRanges)
                && drawn(FEW, new SplittableRandom(0)).size() < FEW;
    }

    boolean hasRules() {
        return !space.rules().isEmpty();
    }

    /** Returns whether hardly any point keeps the rules. Then {@link #mended} makes those that do. */
    boolean isNarrow() {
        return narrow;
    }

    /** Returns how many coordinates a point has. */
    int size() {
        return choices.length;
    }

    Coordinate coordinate(int index) {
        return coordinates.get(index);
    }

    /** Returns the first coordinate of a parameter; the scale follows the choice where it has special values. */
    int first(Parameter parameter) {
        int i = 0;
        while (coordinates.get(i).parameter != parameter) {
            i++;
        }
        return i;
    }

    /** Returns which coordinates are choices; not to be changed. */
    boolean[] choices() {
        return choices;
    }

    /** Returns how many points there are at most; {@link Long#MAX_VALUE} for ever so many. */
    long count() {
        double count = 1;
        for (Coordinate one : coordinates) {
            count *= one.count() == 0 ? Double.POSITIVE_INFINITY : one.count();
        }
        return count < Long.MAX_VALUE ? (long) count : Long.MAX_VALUE;
    }

    /** Returns every point, each once; for spaces with few of them. */
    List<double[]> all() {
        Map<Configuration, double[]> all = new LinkedHashMap<>();
        double[] point = new double[size()];
        for (int i = 0; i < point.length; i++) {
            point[i] = first(i);
        }
        int turned = 0;
        while (turned < point.length) {
            double[] one = point.clone();
            rest(one);
            all.putIfAbsent(decode(one), one);
            turned = 0;
            while (turned < point.length) {
                double next = coordinates.get(turned).move(point[turned], 1);
                if (next != point[turned]) {
                    point[turned] = next;
                    break;
                }
                point[turned] = first(turned);
                turned++;
            }
        }
        return new ArrayList<>(all.values());
    }

    private double first(int coordinate) {
        return coordinates.get(coordinate).snap(0);
    }

    /** @param units a number from 0 inclusive to 1 exclusive for each coordinate */
    double[] sample(double[] units) {
        double[] point = new double[units.length];
        for (int i = 0; i < point.length; i++) {
            point[i] = coordinates.get(i).sample(units[i]);
        }
        rest(point);
        return point;
    }

    /**
     * Returns quasi-random points that keep the rules: those of so many, or, where hardly any of these do, of more; or
     * made of so many.
     *
     * @param count how many are tried, unless fewer than {@link #FEW} of them keep the rules
     */
    List<double[]> samples(int count, SplittableRandom random) {
        if (!narrow) {
            return drawn(count, random);
        }
        ScrambledSobol sobol = new ScrambledSobol(size(), random);
        List<double[]> kept = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            double[] point = mended(sample(sobol.next()), random);
            if (point != null) {
                kept.add(point);
            }
        }
        return kept;
    }

    private List<double[]> drawn(int count, SplittableRandom random) {
        ScrambledSobol sobol = new ScrambledSobol(size(), random);
        List<double[]> kept = new ArrayList<>();
        for (int i = 0; i < count || kept.size() < FEW && i < MOST_TRIES; i++) {
            double[] point = sample(sobol.next());
            if (keepsRules(point)) {
                kept.add(point);
            }
        }
        return kept;
    }

    /** Returns a point near another, or not so near; where hardly any point keeps the rules, one that does. */
    double[] neighbour(double[] seed, SplittableRandom random) {
        double[] point = seed.clone();
        // Near and far, in few coordinates and in all.
        double scale = Math.pow(10, -3 * random.nextDouble()) * 0.5;
        double share = random.nextBoolean() ? 1 : Math.max(0.3, 1.0 / point.length);
        for (int i = 0; i < point.length; i++) {
            if (random.nextDouble() < share) {
                if (choices[i]) {
                    if (random.nextDouble() < 0.3) {
                        point[i] = random.nextInt((int) coordinates.get(i).count());
                    }
                } else {
                    point[i] += scale * (random.nextDouble() + random.nextDouble() + random.nextDouble() - 1.5);
                }
            }
        }
        settle(point);
        double[] mended = narrow ? mended(point, random) : point;
        return mended == null ? point : mended;
    }

    /**
     * Returns a point that keeps the rules, made of another by giving a parameter of a broken rule, again and again, a
     * value with which that rule holds.
     *
     * @return null where none was found so
     */
    double[] mended(double[] point, SplittableRandom random) {
        Configuration configuration = decode(point);
        for (int i = 0; i <= MOST_CHANGES * space.rules().size(); i++) {
            List<Rule> broken = new ArrayList<>();
            for (Rule rule : space.rules()) {
                if (!rule.holds(configuration)) {
                    broken.add(rule);
                }
            }
            if (broken.isEmpty()) {
                return keptPoint(configuration);
            }
            configuration = changed(configuration, broken.get(random.nextInt(broken.size())), random);
        }
        return null;
    }

    /** Returns the point of a configuration that keeps the rules, which comes back from it as one that does. */
    private double[] keptPoint(Configuration configuration) {
        double[] point = encode(configuration);
        if (!keepsRules(point)) {
            made.put(key(point), configuration);
        }
        return point;
    }

    private Configuration changed(Configuration from, Rule broken, SplittableRandom random) {
        List<Rule.Range> ranges = broken.ranges(from);
        if (ranges.isEmpty()) {
            return from;
        }
        Rule.Range range = ranges.get(random.nextInt(ranges.size()));
        Parameter parameter = space.parameter(range.parameter);
        Coordinate scale =
                coordinates.get(first(parameter) + (parameter.special().isEmpty() ? 0 : 1));
        Map<String, Object> values = new LinkedHashMap<>(from.values());
        values.put(parameter.name(), scale.within(range.low, range.high, random.nextDouble()));
        Configuration changed = new Configuration(values);
        boolean isWhole = space.parameters().stream()
                .allMatch(one -> space.isActive(one, values) == values.containsKey(one.name()));
        // Others may have a meaning now, or none any more.
        return isWhole ? changed : calculated(encode(changed));
    }

    /** Moves each coordinate to its nearest place, and those without a meaning to their rest. */
    void settle(double[] point) {
        for (int i = 0; i < point.length; i++) {
            point[i] = coordinates.get(i).snap(point[i]);
        }
        rest(point);
    }

    /** Returns whether a coordinate along a scale has no meaning at a point, so that it rests wherever it is moved. */
    boolean rests(double[] point, int coordinate) {
        if (!conditional) {
            return false;
        }
        double[] other = point.clone();
        // Not an end, which may be a special value.
        other[coordinate] = point[coordinate] < 0.5 ? 0.75 : 0.25;
        double moved = other[coordinate];
        rest(other);
        return other[coordinate] != moved;
    }

    /** Moves coordinates without a meaning to their rest. */
    void rest(double[] point) {
        if (!conditional) {
            return;
        }
        Map<String, Object> values = values(point);
        int i = 0;
        for (Parameter parameter : space.parameters()) {
            boolean special = !parameter.special().isEmpty();
            if (!space.isActive(parameter, values)) {
                point[i] = coordinates.get(i).rest();
                if (special) {
                    point[i + 1] = coordinates.get(i + 1).rest();
                }
            } else if (special && point[i] != 0) {
                point[i + 1] = coordinates.get(i + 1).rest();
            } else if (special && parameter.special().contains(values.get(parameter.name()))) {
                // A special value within the range is one value, and so one point.
                point[i] = 1 + parameter.special().indexOf(values.get(parameter.name()));
                point[i + 1] = coordinates.get(i + 1).rest();
            }
            i += special ? 2 : 1;
        }
    }

    /** Returns functions drawn from a model of this encoding's points. */
    SamplePaths paths(GaussianProcess process, int draws, SplittableRandom random) {
        int[] places = coordinates.stream()
                .mapToInt(one -> one.isChoice() ? (int) one.count() : 0)
                .toArray();
        return new SamplePaths(process, places, draws, random);
    }

    boolean keepsRules(double[] point) {
        return !hasRules() || space.keepsRules(decode(point));
    }

    /** Has a configuration come back from its point; of several with the same point, the first. */
    void remember(Configuration configuration) {
        remembered.putIfAbsent(key(encode(configuration)), configuration);
    }

    private static List<Double> key(double[] point) {
        return Arrays.stream(point).boxed().collect(Collectors.toList());
    }

    Configuration decode(double[] point) {
        Configuration known = remembered.isEmpty() && made.isEmpty() ? null : known(key(point));
        return known == null ? calculated(point) : known;
    }

    private Configuration known(List<Double> key) {
        Configuration known = remembered.get(key);
        return known == null ? made.get(key) : known;
    }

    private Configuration calculated(double[] point) {
        Map<String, Object> values = values(point);
        Map<String, Object> kept = new LinkedHashMap<>();
        for (Parameter parameter : space.parameters()) {
            if (space.isActive(parameter, values)) {
                kept.put(parameter.name(), values.get(parameter.name()));
            }
        }
        return new Configuration(kept);
    }

    double[] encode(Configuration configuration) {
        double[] point = new double[size()];
        for (int i = 0; i < point.length; i++) {
            Coordinate coordinate = coordinates.get(i);
            Optional<Object> value = configuration.value(coordinate.parameter.name());
            point[i] = value.map(coordinate::place).orElseGet(coordinate::rest);
        }
        rest(point);
        return point;
    }

    /** Returns a value for every parameter, whether it has a meaning or not. */
    private Map<String, Object> values(double[] point) {
        Map<String, Object> values = new LinkedHashMap<>();
        int i = 0;
        for (Parameter parameter : space.parameters()) {
            Object value = coordinates.get(i).value(point[i]);
            i++;
            if (!parameter.special().isEmpty()) {
                value = value == null ? coordinates.get(i).value(point[i]) : value;
                i++;
            }
            values.put(parameter.name(), value);
        }
        return values;
    }
}
