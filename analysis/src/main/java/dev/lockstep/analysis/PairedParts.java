package dev.lockstep.analysis;

import dev.lockstep.analysis.FullLoadTurns.Turn;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What one launch of two targets alone tells of how exact its ratio is: the variance of log(B / A), of the parts of the
 * launch, by the jackknife. The parts are cut at the same times, so that what meets both targets at once cancels out;
 * those of full load at the same requests, as in verdicts. It says nothing of how launches differ. Used by one thread.
 *
 * <p>Source: the delete-one jackknife of a ratio (Cochran, "Sampling Techniques", 1977, chapter 6); a part is left out
 * on both sides together.
 */
public final class PairedParts implements IntervalSink {
    private static final int MOST_PARTS = 20;
    /** Fewer say too little. */
    private static final int LEAST_PARTS = 5;
    /** No part is left out. */
    private static final int NONE = -1;

    private final Metric metric;
    private final Interval.Phase phase;
    private final String target;
    private final String baseline;
    private final List<Turn> ofTarget = new ArrayList<>();
    private final List<Turn> ofBaseline = new ArrayList<>();

    /** @param metric of one that is no cost per request there is no variance */
    public PairedParts(Metric metric, String target, String baseline) {
        boolean fully = metric == Metric.FULL_LOAD_CPU_PER_REQUEST;
        this.metric = fully ? Metric.STEADY_CPU_PER_REQUEST : metric;
        this.target = target;
        this.baseline = baseline;
        phase = fully ? Interval.Phase.FULL_LOAD : Interval.Phase.MEASURED;
    }

    @Override
    public void interval(String name, Interval interval) {
        if (interval.phase == phase && metric.isPerRequest()) {
            if (name.equals(target)) {
                ofTarget.add(new Turn(interval));
            } else if (name.equals(baseline)) {
                ofBaseline.add(new Turn(interval));
            }
        }
    }

    /** Returns into how many parts what was seen so far is cut; 0 where that is too little. */
    int parts() {
        int parts = Math.min(
                MOST_PARTS,
                Math.min(
                        counted(ofTarget, ofBaseline).size(),
                        counted(ofBaseline, ofTarget).size()));
        return parts < LEAST_PARTS ? 0 : parts;
    }

    /** Returns how much of the phase that counts both have behind them, the first second of full load too. */
    long elapsedNs() {
        return Math.min(lengthNs(ofTarget), lengthNs(ofBaseline));
    }

    private static long lengthNs(List<Turn> pieces) {
        return pieces.stream().mapToLong(piece -> piece.lengthNs).sum();
    }

    /** Returns log(B / A) of what was seen so far; absent where that is too little, or some cost is not known. */
    public OptionalDouble logRatio() {
        int parts = parts();
        if (parts == 0) {
            return OptionalDouble.empty();
        }
        double ratio = logPerRequest(cut(counted(ofTarget, ofBaseline), parts), NONE)
                - logPerRequest(cut(counted(ofBaseline, ofTarget), parts), NONE);
        return Double.isFinite(ratio) ? OptionalDouble.of(ratio) : OptionalDouble.empty();
    }

    /** Returns the variance; absent where there are too few parts, or some have no requests or no known cost. */
    public OptionalDouble variance() {
        int parts = parts();
        if (parts == 0) {
            return OptionalDouble.empty();
        }
        double[][] cut = cut(counted(ofTarget, ofBaseline), parts);
        double[][] baselineCut = cut(counted(ofBaseline, ofTarget), parts);
        double[] without = new double[parts];
        double mean = 0;
        for (int part = 0; part < parts; part++) {
            without[part] = logPerRequest(cut, part) - logPerRequest(baselineCut, part);
            mean += without[part] / parts;
        }
        double squares = 0;
        for (double one : without) {
            squares += (one - mean) * (one - mean);
        }
        double variance = squares * (parts - 1) / parts;
        return Double.isFinite(variance) ? OptionalDouble.of(variance) : OptionalDouble.empty();
    }

    /**
     * Returns the pieces that count. Full load begins with the capture's first request, and the faster one comes to
     * more of it, which may cost more or less: of targets of about one rate only what both came to counts.
     */
    private List<Turn> counted(List<Turn> pieces, List<Turn> others) {
        if (phase != Interval.Phase.FULL_LOAD) {
            return pieces;
        }
        long mine = FullLoadTurns.requests(pieces);
        long theirs = FullLoadTurns.requests(others);
        if (!FullLoadTurns.areAlike(Math.min(mine, theirs), Math.max(mine, theirs))) {
            return FullLoadTurns.counting(pieces);
        }
        long from = Math.max(FullLoadTurns.requestsWhileSettling(pieces), FullLoadTurns.requestsWhileSettling(others));
        return FullLoadTurns.ofRequests(pieces, from, Math.min(mine, theirs));
    }

    /** Returns costs and requests of parts of the same length; the cost is no number where a part's is not known. */
    private double[][] cut(List<Turn> pieces, int parts) {
        double lengthNs = lengthNs(pieces);
        double[] costs = new double[parts];
        double[] requests = new double[parts];
        double atNs = 0;
        for (Turn piece : pieces) {
            int part = (int) Math.min(parts - 1, (atNs + piece.lengthNs / 2.0) * parts / lengthNs);
            costs[part] += metric.of(piece.costs, 1).orElse(Double.NaN);
            requests[part] += piece.successful;
            atNs += piece.lengthNs;
        }
        return new double[][] {costs, requests};
    }

    private static double logPerRequest(double[][] cut, int leftOut) {
        double cost = 0;
        double requests = 0;
        for (int part = 0; part < cut[0].length; part++) {
            if (part != leftOut) {
                cost += cut[0][part];
                requests += cut[1][part];
            }
        }
        return Math.log(cost / requests);
    }
}
