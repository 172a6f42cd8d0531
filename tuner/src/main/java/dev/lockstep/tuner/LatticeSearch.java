package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Finds the point of an {@link Encoding} with the highest score: Sobol points and neighbours of good ones first, then
 * local searches from the best of these, which follow the gradient along scales without steps and try places elsewhere.
 */
final class LatticeSearch {
    /** So many Sobol points are looked at first. */
    private static final int SOBOL_POINTS = 512;

    private static final int STARTS = 5;
    /** So many evaluations of the score a local search has along scales without steps. */
    private static final int LOCAL_CALLS = 40;

    private static final int NEIGHBOURS = 16;
    private static final int MOST_ROUNDS = 20;
    private static final int MOST_WANDERED = 100;
    /** How often the way back from a place that breaks a rule is halved. */
    private static final int MOST_HALVINGS = 6;

    /** A space of no more configurations is searched by looking at each. */
    static final long MOST_ENUMERATED = 1500;
    /** A scale of more steps is searched as one without, before it is searched step by step. */
    private static final int MANY_STEPS = 8;

    static final class Found {
        final double[] point;
        final double score;

        Found(double[] point, double score) {
            this.point = point;
            this.score = score;
        }
    }

    private final Encoding encoding;
    private final Score score;
    private final Predicate<double[]> allowed;

    /** @param allowed of the points that keep the rules of the space */
    LatticeSearch(Encoding encoding, Score score, Predicate<double[]> allowed) {
        this.encoding = encoding;
        this.score = score;
        this.allowed = point -> encoding.keepsRules(point) && allowed.test(point);
    }

    /** Returns the best point, or null where none is allowed. */
    Found find(List<double[]> seeds, SplittableRandom random) {
        if (encoding.count() <= MOST_ENUMERATED) {
            return enumerate();
        }
        List<Found> candidates = new ArrayList<>();
        for (double[] point : encoding.samples(SOBOL_POINTS, random.split())) {
            add(candidates, point);
        }
        for (double[] seed : seeds) {
            add(candidates, seed.clone());
            for (int i = 0; i < NEIGHBOURS; i++) {
                add(candidates, encoding.neighbour(seed, random));
            }
        }
        candidates.sort(Comparator.comparingDouble(one -> -one.score));
        Found best = null;
        int starts = 0;
        List<double[]> from = new ArrayList<>();
        for (Found one : candidates) {
            if (starts == STARTS) {
                break;
            }
            if (from.stream().anyMatch(other -> near(other, one.point))) {
                continue;
            }
            starts++;
            from.add(one.point);
            Found found = wander(climb(one), random);
            if (best == null || found.score > best.score) {
                best = found;
            }
        }
        return best;
    }

    private boolean near(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += Matern.squaredDifference(a[i], b[i], encoding.choices()[i]);
        }
        return sum < 1e-4 * a.length;
    }

    private void add(List<Found> candidates, double[] point) {
        if (allowed.test(point)) {
            candidates.add(new Found(point, score.at(point, null)));
        }
    }

    private Found climb(Found start) {
        Found best = follow(start, true);
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Found moved = moves(best);
            if (moved == best) {
                return best;
            }
            best = follow(moved, false);
        }
        return best;
    }

    /** Tries neighbours, where there are rules: gradients and single moves lead off the points that keep them. */
    private Found wander(Found start, SplittableRandom random) {
        Found best = start;
        for (int i = 0; i < MOST_WANDERED && encoding.hasRules(); i++) {
            double[] point = encoding.neighbour(best.point, random);
            double value = allowed.test(point) ? score.at(point, null) : Double.NEGATIVE_INFINITY;
            best = value > best.score ? new Found(point, value) : best;
        }
        return best;
    }

    /** Follows the gradient along scales. */
    private Found follow(Found start, boolean relaxed) {
        int size = encoding.size();
        double[] low = new double[size];
        double[] high = new double[size];
        boolean any = false;
        boolean settles = false;
        for (int i = 0; i < size; i++) {
            Coordinate coordinate = encoding.coordinate(i);
            boolean free =
                    !coordinate.isChoice() && (coordinate.count() == 0 || relaxed && coordinate.count() > MANY_STEPS);
            free = free && !encoding.rests(start.point, i);
            settles |= free && coordinate.count() > 0;
            low[i] = free ? 0 : start.point[i];
            high[i] = free ? 1 : start.point[i];
            any |= free;
        }
        if (!any) {
            return start;
        }
        double[] point = start.point.clone();
        new Minimizer(
                        (at, gradient) -> {
                            double value = -score.at(at, gradient);
                            for (int i = 0; i < gradient.length; i++) {
                                gradient[i] = low[i] == high[i] ? 0 : -gradient[i];
                            }
                            return value;
                        },
                        low,
                        high,
                        LOCAL_CALLS,
                        1e-6,
                        0.3)
                .minimize(point);
        double part = 1;
        for (int i = 0; i <= (encoding.hasRules() ? MOST_HALVINGS : 0); i++) {
            Found found = onTheWay(start, point, part);
            if (found != start) {
                return found;
            }
            part /= 2;
        }
        return start;
    }

    /** Returns what lies at a part of the way to an end, if that is allowed and better; else the start. */
    private Found onTheWay(Found start, double[] end, double part) {
        double[] point = end.clone();
        for (int i = 0; i < point.length; i++) {
            point[i] = part == 1 ? end[i] : start.point[i] + part * (end[i] - start.point[i]);
        }
        encoding.settle(point);
        if (!allowed.test(point)) {
            return start;
        }
        double value = score.at(point, null);
        return value > start.score ? new Found(point, value) : start;
    }

    /** Tries other places, one coordinate at a time. */
    private Found moves(Found start) {
        Found best = start;
        for (int i = 0; i < encoding.size(); i++) {
            Coordinate coordinate = encoding.coordinate(i);
            if (coordinate.count() == 0) {
                continue;
            }
            if (coordinate.isChoice()) {
                for (int place = 0; place < coordinate.count(); place++) {
                    best = better(best, i, place);
                }
                continue;
            }
            for (long steps = 1; steps < coordinate.count(); steps *= 4) {
                best = better(best, i, coordinate.move(best.point[i], steps));
                best = better(best, i, coordinate.move(best.point[i], -steps));
            }
        }
        return best;
    }

    private Found better(Found best, int coordinate, double place) {
        if (best.point[coordinate] == place) {
            return best;
        }
        double[] point = best.point.clone();
        point[coordinate] = place;
        encoding.rest(point);
        if (Arrays.equals(point, best.point) || !allowed.test(point)) {
            return best;
        }
        double value = score.at(point, null);
        return value > best.score ? new Found(point, value) : best;
    }

    private Found enumerate() {
        Found best = null;
        for (double[] point : encoding.all()) {
            if (allowed.test(point)) {
                double value = score.at(point, null);
                if (best == null || value > best.score) {
                    best = new Found(point, value);
                }
            }
        }
        return best;
    }
}
