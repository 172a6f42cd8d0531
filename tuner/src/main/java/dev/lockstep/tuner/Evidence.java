package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What some trials told, as points and numbers; values are to be minimised. Immutable. */
final class Evidence {
    /** Of the trials that have a value. */
    final double[][] points;

    final double[] values;
    final double[] variances;
    /** The same trials with the values of the second objective in place of the first; null where there is one. */
    final Evidence second;

    /** Whether no measured constraint is violated. */
    final boolean[] feasible;

    /** Whether every constraint was measured that is measured at all. */
    private final boolean[] measured;

    /** For each constraint the points where it was measured. */
    final List<double[][]> constraintPoints = new ArrayList<>();

    /** And what was measured there. */
    final List<double[]> constraints = new ArrayList<>();

    /** Of the trials that have a value or failed. */
    final double[][] triedPoints;

    /** 1 for those that failed, -1 for the others. */
    final double[] failures;

    Evidence(Space space, Encoding encoding, List<Trial> trials, List<Observation> observations) {
        List<double[]> withValue = new ArrayList<>();
        List<Observation> valued = new ArrayList<>();
        List<double[]> tried = new ArrayList<>();
        List<Double> labels = new ArrayList<>();
        for (int i = 0; i < trials.size(); i++) {
            Observation observation = observations.get(i);
            double[] point = encoding.encode(trials.get(i).configuration());
            if (observation.value().isPresent()) {
                withValue.add(point);
                valued.add(observation);
            }
            if (observation.skipped().isEmpty()) {
                tried.add(point);
                labels.add(observation.failed().isPresent() ? 1.0 : -1.0);
            }
        }
        points = withValue.toArray(new double[0][]);
        double sign = space.direction().sign();
        values = valued.stream()
                .mapToDouble(one -> sign * one.value().getAsDouble())
                .toArray();
        variances = valued.stream().mapToDouble(one -> one.variance().orElse(0)).toArray();
        second = space.secondDirection()
                .map(direction -> new Evidence(this, direction.sign(), valued))
                .orElse(null);
        feasible = new boolean[points.length];
        measured = new boolean[points.length];
        Set<String> names = new HashSet<>();
        valued.forEach(one -> names.addAll(one.constraints().keySet()));
        for (int i = 0; i < points.length; i++) {
            feasible[i] = valued.get(i).isFeasible();
            measured[i] = valued.get(i).constraints().keySet().containsAll(names);
        }
        for (String name : space.constraints()) {
            List<double[]> at = new ArrayList<>();
            List<Double> figures = new ArrayList<>();
            for (int i = 0; i < points.length; i++) {
                Double one = valued.get(i).constraints().get(name);
                if (one != null) {
                    at.add(points[i]);
                    figures.add(one);
                }
            }
            constraintPoints.add(at.toArray(new double[0][]));
            constraints.add(figures.stream().mapToDouble(Double::doubleValue).toArray());
        }
        triedPoints = tried.toArray(new double[0][]);
        failures = labels.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** Only what a model of values looks at. */
    private Evidence(Evidence first, double sign, List<Observation> valued) {
        points = first.points;
        values = valued.stream()
                .mapToDouble(one -> sign * one.secondValue().orElseThrow())
                .toArray();
        variances = valued.stream()
                .mapToDouble(one -> one.secondVariance().orElse(0))
                .toArray();
        second = null;
        feasible = null;
        measured = null;
        triedPoints = null;
        failures = null;
    }

    /** Returns where the least value is that violates nothing, -1 where there is none. */
    int best() {
        int best = -1;
        for (int i = 0; i < values.length; i++) {
            if (feasible[i] && (best < 0 || values[i] < values[best])) {
                best = i;
            }
        }
        return best;
    }

    /** Returns whether every constraint that is measured at all was measured with a value. */
    boolean isMeasured(int value) {
        return measured[value];
    }

    /** Returns whether a trial of this point violated nothing. */
    boolean isFeasible(double[] point) {
        boolean any = false;
        for (int i = 0; i < points.length; i++) {
            any |= feasible[i] && Arrays.equals(points[i], point);
        }
        return any;
    }

    /** Returns whether there are two values that are not the same. */
    boolean varies() {
        return Arrays.stream(values).distinct().count() > 1;
    }

    /** Returns where a point's first value is. */
    int indexOf(double[] point) {
        int index = 0;
        while (!Arrays.equals(points[index], point)) {
            index++;
        }
        return index;
    }

    /** Returns the points with a value, each once. */
    List<double[]> distinctPoints() {
        List<double[]> distinct = new ArrayList<>();
        for (double[] point : points) {
            if (distinct.stream().noneMatch(one -> Arrays.equals(one, point))) {
                distinct.add(point);
            }
        }
        return distinct;
    }
}
