package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One dimension of the space as the model sees it. It is either a scale from 0 to 1, on which a numeric parameter's
 * values have places, or a choice between values without an order, whose places are 0, 1, 2 and so on. A numeric
 * parameter with special values has both: the choice says whether it has one of those. Immutable.
 */
abstract class Coordinate {
    final Parameter parameter;

    private Coordinate(Parameter parameter) {
        this.parameter = parameter;
    }

    /** Returns the coordinates of a parameter: a choice, a scale, or the choice before the scale. */
    static List<Coordinate> of(Parameter parameter) {
        List<Coordinate> coordinates = new ArrayList<>();
        if (!parameter.type().isNumeric()) {
            coordinates.add(new Choice(parameter));
            return coordinates;
        }
        if (!parameter.special().isEmpty()) {
            coordinates.add(new Choice(parameter));
        }
        coordinates.add(parameter.values().isEmpty() ? new Range(parameter) : new Listed(parameter));
        return coordinates;
    }

    /** Returns whether its places have no order. */
    boolean isChoice() {
        return false;
    }

    /** Returns how many places there are; 0 where there is one for every number. */
    abstract long count();

    /** Returns the place that a number from 0 inclusive to 1 exclusive falls on; each has its share of them. */
    abstract double sample(double unit);

    /** Returns the nearest place. */
    abstract double snap(double place);

    /** Returns the place so many places further, or the last one on the way. */
    abstract double move(double place, long steps);

    /** Returns the value at a place; null where the choice is not to have a special one. */
    abstract Object value(double place);

    /** Returns the place of a value, or of the nearest one of the scale. */
    abstract double place(Object value);

    /**
     * Returns a value of a scale between two numbers, or one of the nearest where there is none.
     *
     * @param unit which of them, from 0 inclusive to 1 exclusive
     */
    Object within(double low, double high, double unit) {
        return value(sample(unit));
    }

    /** Returns where a parameter without a meaning stands: one place for all such configurations. */
    double rest() {
        return parameter.defaultValue().map(this::place).orElse(snap(0.5));
    }

    /** Values without an order. */
    private static final class Choice extends Coordinate {
        /** The share of each special value among those that a parameter begins with, beside 4 of its range. */
        private static final int RANGE_SHARES = 4;

        /** Of a parameter with special values the first is null: none of them. */
        private final List<Object> values = new ArrayList<>();

        Choice(Parameter parameter) {
            super(parameter);
            if (parameter.type() == Parameter.Type.BOOLEAN) {
                values.add(false);
                values.add(true);
            } else if (parameter.type().isNumeric()) {
                values.add(null);
                values.addAll(parameter.special());
            } else {
                values.addAll(parameter.values());
            }
        }

        @Override
        boolean isChoice() {
            return true;
        }

        @Override
        long count() {
            return values.size();
        }

        @Override
        double sample(double unit) {
            int extra = values.get(0) == null ? RANGE_SHARES - 1 : 0;
            return Math.max(0, Math.floor(unit * (values.size() + extra)) - extra);
        }

        @Override
        double snap(double place) {
            return Math.max(0, Math.min(values.size() - 1, Math.rint(place)));
        }

        @Override
        double move(double place, long steps) {
            return snap(place + steps);
        }

        @Override
        Object value(double place) {
            return values.get((int) place);
        }

        @Override
        double place(Object value) {
            return Math.max(0, values.indexOf(value));
        }
    }

    /** A range of numbers, in steps or not. */
    private static final class Range extends Coordinate {
        private final double min;
        private final double max;
        private final double step;
        private final long steps;
        private final boolean log;
        /** Of a log scale; the ratio of its ends may be infinite. */
        private final double logMin;

        private final double logWidth;

        Range(Parameter parameter) {
            super(parameter);
            min = parameter.min().getAsDouble();
            max = parameter.max().getAsDouble();
            // Of one value, there is one place.
            step = parameter.isPinned() ? 1 : parameter.stepSize();
            steps = step == 0 ? 0 : parameter.steps();
            log = parameter.type().isLog();
            logMin = Math.log(min);
            logWidth = Math.log(max) - logMin;
        }

        @Override
        long count() {
            return step == 0 ? 0 : steps + 1;
        }

        @Override
        double sample(double unit) {
            if (step == 0) {
                return unit;
            }
            if (!log) {
                return onScale((long) (unit * (steps + 1)));
            }
            // Every value has its share of the scale: from half a step below it to half a step above.
            double low = Math.log(Math.max(min - step / 2, min / 2));
            double high = Math.log(Math.min(Double.MAX_VALUE, max + step / 2));
            return onScale(Math.round((Math.exp(low + unit * (high - low)) - min) / step));
        }

        @Override
        double snap(double place) {
            double inside = Math.max(0, Math.min(1, place));
            return step == 0 ? inside : onScale(stepAt(inside));
        }

        @Override
        double move(double place, long by) {
            return step == 0 ? place : onScale(stepAt(place) + by);
        }

        @Override
        Object value(double place) {
            if (step != 0) {
                return parameter.atStep(stepAt(place));
            }
            double number = log ? number(place) : min + place * (max - min);
            return Math.max(min, Math.min(max, number));
        }

        @Override
        double place(Object value) {
            double number = Math.max(min, Math.min(max, ((Number) value).doubleValue()));
            return step == 0 ? scale(number) : onScale(Math.round((number - min) / step));
        }

        @Override
        Object within(double low, double high, double unit) {
            if (step == 0 && low == high) {
                // To the last digit, which its place may not have.
                return Math.max(min, Math.min(max, low)) + 0.0;
            }
            double from = place(low);
            return value(snap(from + unit * (place(high) - from)));
        }

        /** Returns the nearest step on the scale, which on a log scale is not the nearest number. */
        private long stepAt(double place) {
            if (steps == 0) {
                return 0;
            }
            if (!log) {
                return Math.round(place * steps);
            }
            double number = number(place);
            long below = Math.max(0, Math.min(steps - 1, (long) Math.floor((number - min) / step)));
            return place - onScale(below) <= onScale(below + 1) - place ? below : below + 1;
        }

        /** Returns the number at a place of a log scale. */
        private double number(double place) {
            return Math.exp(logMin + place * logWidth);
        }

        private double onScale(long at) {
            if (steps == 0) {
                return 0;
            }
            long inside = Math.max(0, Math.min(steps, at));
            return log ? scale(inside == steps ? max : min + inside * step) : (double) inside / steps;
        }

        private double scale(double number) {
            double place = log ? (Math.log(number) - logMin) / logWidth : (number - min) / (max - min);
            return Math.max(0, Math.min(1, place));
        }
    }

    /** Numbers of a list. */
    private static final class Listed extends Coordinate {
        private final List<Object> values;
        private final double[] places;

        Listed(Parameter parameter) {
            super(parameter);
            values = new ArrayList<>(parameter.values());
            values.sort(Comparator.comparingDouble(value -> ((Number) value).doubleValue()));
            boolean log = parameter.type().isLog();
            double[] numbers = values.stream()
                    .mapToDouble(value -> ((Number) value).doubleValue())
                    .map(number -> log ? Math.log(number) : number)
                    .toArray();
            places = new double[numbers.length];
            double length = numbers[numbers.length - 1] - numbers[0];
            for (int i = 0; i < numbers.length; i++) {
                places[i] = length == 0 ? 0 : (numbers[i] - numbers[0]) / length;
            }
        }

        @Override
        long count() {
            return places.length;
        }

        @Override
        double sample(double unit) {
            return places[(int) (unit * places.length)];
        }

        @Override
        double snap(double place) {
            return places[nearest(place)];
        }

        @Override
        double move(double place, long steps) {
            return places[(int) Math.max(0, Math.min(places.length - 1, nearest(place) + steps))];
        }

        @Override
        Object value(double place) {
            return values.get(nearest(place));
        }

        @Override
        double place(Object value) {
            int index = values.indexOf(value);
            return index >= 0 ? places[index] : snap(0.5);
        }

        @Override
        Object within(double low, double high, double unit) {
            List<Object> inside = new ArrayList<>(values);
            inside.removeIf(value -> ((Number) value).doubleValue() < low || ((Number) value).doubleValue() > high);
            return inside.isEmpty() ? value(sample(unit)) : inside.get((int) (unit * inside.size()));
        }

        private int nearest(double place) {
            int nearest = 0;
            for (int i = 1; i < places.length; i++) {
                if (Math.abs(places[i] - place) < Math.abs(places[nearest] - place)) {
                    nearest = i;
                }
            }
            return nearest;
        }
    }
}
