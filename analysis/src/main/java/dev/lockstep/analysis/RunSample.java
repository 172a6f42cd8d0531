package dev.lockstep.analysis;

import java.util.Collection;
import java.util.Optional;
import java.util.OptionalDouble;

/** What the launches of one run gave of one quantity, as logs: the unit in which runs are compared. Immutable. */
final class RunSample {
    private final double[] logs;
    /** The share of the figures below which they tell nothing. */
    private final double resolution;

    private RunSample(double[] logs, double resolution) {
        this.logs = logs;
        this.resolution = resolution;
    }

    /** @param logs one at least */
    static RunSample of(double... logs) {
        return of(logs, 0);
    }

    /** @param resolution the share of the figures below which they tell nothing, where that is coarser than usual */
    static RunSample of(double[] logs, double resolution) {
        if (logs.length == 0) {
            throw new IllegalArgumentException("a run must have one launch at least, has none");
        }
        Sample.requireFinite("log of a launch", logs);
        return new RunSample(logs.clone(), resolution);
    }

    int launches() {
        return logs.length;
    }

    double mean() {
        return Sample.mean(logs);
    }

    /** Returns by how much launches differ, at least their resolution; absent with one. */
    OptionalDouble deviation() {
        return launches() < 2
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        Math.max(Math.max(PairedRatio.USUAL_RESOLUTION, resolution), Sample.standardDeviation(logs)));
    }

    /** Returns by how much they rise or fall from the first launch to the last; absent where that may be chance. */
    OptionalDouble drift() {
        return BlockDrift.of(logs);
    }

    /**
     * Returns the variance of the mean that its launches explain.
     *
     * @param single what stands for the deviation of a single launch
     */
    double meanVariance(double single) {
        double deviation = deviation().orElse(Math.max(resolution, single));
        return deviation * deviation / launches();
    }

    /** Returns Student's 95 % interval of the values, not their logs, over the launches; absent with one. */
    Optional<ConfidenceInterval> interval() {
        if (launches() < 2) {
            return Optional.empty();
        }
        double width = PairedRatio.upperT((1 - ConfidenceInterval.USUAL_LEVEL) / 2, launches() - 1)
                * Math.sqrt(meanVariance(0));
        return Optional.of(ConfidenceInterval.of(
                Math.exp(mean() - width), Math.exp(mean() + width), ConfidenceInterval.USUAL_LEVEL));
    }

    /** Returns the deviation of launches around the mean of their run; 0 where no run has two. */
    static double pooledDeviation(Collection<RunSample> runs) {
        double squares = 0;
        for (RunSample run : runs) {
            double deviation = run.deviation().orElse(0);
            squares += deviation * deviation * (run.launches() - 1);
        }
        return squares == 0 ? 0 : Math.sqrt(squares / degreesOfFreedom(runs));
    }

    /** Returns those of the pooled deviation; 0 where no run has two launches. */
    static int degreesOfFreedom(Collection<RunSample> runs) {
        return runs.stream().mapToInt(run -> run.launches() - 1).sum();
    }
}
