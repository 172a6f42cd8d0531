package dev.lockstep.analysis;

/** Ratios of pairs of launches, as the tests need them. */
final class TestingPairs {
    private TestingPairs() {}

    /** Returns the ratio of pairs that have one value each, log(B / A), with the digits of usual figures. */
    static PairedRatio of(double... logRatios) {
        return PairedRatio.ofPairs(0, logRatios);
    }
}
