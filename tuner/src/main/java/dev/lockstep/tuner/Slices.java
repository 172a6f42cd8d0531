package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** The model along each parameter: see {@link StudyState#slices}. */
final class Slices {
    /** Of a range, beside the best's own. */
    private static final int MOST_VALUES = 33;

    /** The normal distribution's quantile of 97.5 %. */
    private static final double BAND = 1.959964;

    private final Space space;
    private final Encoding encoding;
    private final Model model;
    /** Which values are shown, and their sign. */
    private final ValueModel values;

    private final double sign;

    Slices(Space space, Encoding encoding, Model model, ValueModel values, Direction direction) {
        this.space = space;
        this.encoding = encoding;
        this.model = model;
        this.values = values;
        sign = direction.sign();
    }

    /** Returns the slices through a point. */
    Map<String, List<StudyState.Point>> through(double[] best) {
        Map<String, List<StudyState.Point>> slices = new LinkedHashMap<>();
        for (Parameter parameter : space.parameters()) {
            if (encoding.decode(best).value(parameter.name()).isPresent()) {
                slices.put(parameter.name(), slice(best, parameter));
            }
        }
        return slices;
    }

    private List<StudyState.Point> slice(double[] best, Parameter parameter) {
        int first = encoding.first(parameter);
        List<double[]> points = new ArrayList<>();
        int scale = first;
        if (encoding.coordinate(first).isChoice()) {
            boolean special = !parameter.special().isEmpty();
            for (int place = special ? 1 : 0; place < encoding.coordinate(first).count(); place++) {
                points.add(with(best, first, place));
            }
            scale = special ? first + 1 : -1;
        }
        if (scale >= 0) {
            double[] onScale = best.clone();
            if (scale != first) {
                // Not at rest, where a default that is special and in the range would be special again.
                onScale[first] = 0;
            }
            for (double place : places(encoding.coordinate(scale), best[scale])) {
                double[] point = with(onScale, scale, place);
                boolean isSpecial = scale != first && point[first] != 0;
                if (!isSpecial) {
                    points.add(point);
                }
            }
        }
        List<StudyState.Point> slice = new ArrayList<>();
        for (double[] point : points) {
            if (encoding.keepsRules(point)) {
                slice.add(at(point, parameter));
            }
        }
        return slice;
    }

    private static Iterable<Double> places(Coordinate coordinate, double best) {
        TreeSet<Double> places = new TreeSet<>();
        places.add(coordinate.snap(best));
        for (int i = 0; i < MOST_VALUES; i++) {
            places.add(coordinate.snap(i / (MOST_VALUES - 1.0)));
        }
        double place = coordinate.snap(0);
        for (long i = 0; i < coordinate.count() && coordinate.count() <= MOST_VALUES; i++) {
            places.add(place);
            place = coordinate.move(place, 1);
        }
        return places;
    }

    private double[] with(double[] best, int coordinate, double place) {
        double[] point = best.clone();
        point[coordinate] = place;
        encoding.rest(point);
        return point;
    }

    private StudyState.Point at(double[] point, Parameter parameter) {
        Optional<Object> value = encoding.decode(point).value(parameter.name());
        GaussianProcess.At at = values.process().at(point);
        Warp warp = values.warp();
        double low = sign * warp.from(at.mean() - BAND * at.sd());
        double high = sign * warp.from(at.mean() + BAND * at.sd());
        return ImmutablePoint.builder()
                .value(value.orElseThrow())
                .mean(sign * warp.from(at.mean()))
                .sd(Math.abs(high / 2 - low / 2) / BAND)
                .low(Math.min(low, high))
                .high(Math.max(low, high))
                .probabilityFeasible(Math.exp(model.logFeasible(point, null)))
                .build();
    }
}
