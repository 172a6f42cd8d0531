package dev.lockstep.analysis;

import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * Whether a candidate is so surely worse than the best known that the rest of its launch need not be measured. What was
 * measured so far is looked at after a quarter, a half and three quarters of the phase that counts; {@link Looks} gives
 * each look its part of the {@value #ALPHA} with which one that is no worse may be stopped. A look stops it if the
 * lower end of log(candidate / control) lies above the best's by more than the {@value #MARGIN} that matter.
 *
 * <p>That end takes off the variance that the parts of the launch show ({@link PairedParts}, Student's t), and what no
 * part of one launch shows: how much launches differ, and how well the best is known. That part is the same at all
 * looks, so that they agree more than the looks that the levels are made for, and fewer err (Slepian's inequality).
 * Interval by interval on the run's thread; {@link #isHopeless} on any.
 */
public final class EarlyStop implements IntervalSink {
    static final double ALPHA = 0.05;
    static final double MARGIN = 0.01;

    /** Launches of which too few are known to tell by how much they differ, differ by this. */
    private static final double LEAST_NOISE = 0.02;

    /** Into how many parts the phase is thought to be cut, and after how many of them it is looked at. */
    private static final int ALL = 20;

    private static final int[] LOOKS = {5, 10, 15};

    /** Of the two-sided intervals whose lower ends alone may err. */
    private static final double[] LEVELS = Arrays.stream(LOOKS)
            .mapToDouble(done -> Looks.after(LOOKS).levelAt(done, 2 * ALPHA))
            .toArray();

    private final PairedParts parts;
    private final double mark;
    private final double variance;
    private final double lengthNs;
    private int looked;
    private double logRatio = Double.NaN;
    private double ownVariance = Double.NaN;
    /** Written after what the look saw. */
    private volatile boolean hopeless;

    /**
     * @param parts gets all intervals from here
     * @param best log(best / control), as far as is known
     * @param bestSd the standard deviation of that
     * @param noiseSd by how much log(candidate / control) differs from launch to launch, as far as is known
     * @param lengthNs of the phase that counts, of each target
     */
    public EarlyStop(PairedParts parts, double best, double bestSd, double noiseSd, long lengthNs) {
        this.parts = parts;
        mark = best + Math.log1p(MARGIN);
        double noise = Math.max(LEAST_NOISE, noiseSd);
        variance = bestSd * bestSd + noise * noise;
        this.lengthNs = lengthNs;
    }

    @Override
    public void interval(String target, Interval interval) {
        parts.interval(target, interval);
        int done = (int) (ALL * (parts.elapsedNs() / lengthNs));
        int look = looked;
        while (look < LOOKS.length && done >= LOOKS[look]) {
            look++;
        }
        if (look > looked && !hopeless) {
            looked = look;
            look(LEVELS[look - 1]);
        }
    }

    private void look(double level) {
        OptionalDouble ratio = parts.logRatio();
        OptionalDouble own = parts.variance();
        if (ratio.isPresent() && own.isPresent()) {
            logRatio = ratio.getAsDouble();
            ownVariance = own.getAsDouble();
            double t = PairedRatio.upperT((1 - level) / 2, parts.parts() - 1);
            hopeless = logRatio - t * Math.sqrt(ownVariance + variance) > mark;
        }
    }

    /** Returns whether it is to be stopped; once it is, it stays so. */
    public boolean isHopeless() {
        return hopeless;
    }

    /**
     * Returns log(candidate / control) as the look saw it that stopped the candidate: until its launch ends more
     * intervals come, the last of them cut off. Not a number where none stopped it.
     */
    public double logRatio() {
        return hopeless ? logRatio : Double.NaN;
    }

    /** Returns the variance of {@link #logRatio}, of the parts alone. */
    public double variance() {
        return hopeless ? ownVariance : Double.NaN;
    }
}
