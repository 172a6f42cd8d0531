package dev.lockstep.analysis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;

/**
 * By how much runs of different days differ where nothing was changed, beside what their launches explain: another
 * place in memory, another neighbour on the machine, another frequency. Immutable.
 *
 * <p>The means of k runs vary by s^2, which estimates the day's variance and that of a mean over launches together. s^2
 * (k - 1) is distributed like chi-squared with k - 1 degrees of freedom, which is skewed: of three runs it lies below
 * its expectation in 63 of 100 cases. So s^2 is taken as its median estimate, and what the launches explain is taken
 * away. That holds the errors of {@code RunSimulationTest} at their level with as few as three runs, where the mean
 * estimate claims too much.
 *
 * <p>Sources: launches nested in days are the random effects of T. Kalibera and R. Jones, "Rigorous benchmarking in
 * reasonable time" (ISMM 2013); the estimate of moments is that of R. DerSimonian and N. Laird, Controlled Clinical
 * Trials 7 (1986), in its median form.
 */
final class DayDeviation {
    private final List<RunSample> runs;
    private final int degreesOfFreedom;
    private final double variance;

    private DayDeviation(List<RunSample> runs, int degreesOfFreedom, double variance) {
        this.runs = List.copyOf(runs);
        this.degreesOfFreedom = degreesOfFreedom;
        this.variance = variance;
    }

    /**
     * Returns it of groups of runs: within a group nothing is known to differ, between groups something does.
     *
     * @return absent where no group has two runs
     */
    static Optional<DayDeviation> of(Collection<List<RunSample>> groups) {
        List<RunSample> runs = new ArrayList<>();
        double squares = 0;
        int degrees = 0;
        for (List<RunSample> group : groups) {
            if (group.size() > 1) {
                double deviation = Sample.standardDeviation(
                        group.stream().mapToDouble(RunSample::mean).toArray());
                squares += deviation * deviation * (group.size() - 1);
                degrees += group.size() - 1;
                runs.addAll(group);
            }
        }
        if (degrees == 0) {
            return Optional.empty();
        }
        double single = RunSample.pooledDeviation(runs);
        // Each group's runs weigh as they do in the squares: by one less than they are.
        double explained = groups.stream()
                        .filter(group -> group.size() > 1)
                        .mapToDouble(group -> (group.size() - 1)
                                * group.stream()
                                        .mapToDouble(run -> run.meanVariance(single))
                                        .average()
                                        .getAsDouble())
                        .sum()
                / degrees;
        double median = ChiSquaredDistribution.of(degrees).inverseCumulativeProbability(0.5);
        return Optional.of(new DayDeviation(runs, degrees, Math.max(0, squares / median - explained)));
    }

    /** Returns how many runs told it. */
    int runs() {
        return runs.size();
    }

    /** Returns by how much their launches differ; 0 where each has one. */
    double launchDeviation() {
        return RunSample.pooledDeviation(runs);
    }

    int launchDegreesOfFreedom() {
        return RunSample.degreesOfFreedom(runs);
    }

    double variance() {
        return variance;
    }

    int degreesOfFreedom() {
        return degreesOfFreedom;
    }
}
