package dev.lockstep.analysis;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What launch pairs say of the ratio B / A of one metric. With one pair there is a ratio, but no interval and no test:
 * one launch says nothing of the next. Immutable.
 */
interface RatioEstimate {
    /** Returns the number of launch pairs. */
    int pairs();

    /** Returns the estimate of B / A: 0 where only A has any, infinite where only B has. */
    double ratio();

    /** Returns by how much log(B / A) varies from pair to pair; absent with one pair or where that has no meaning. */
    OptionalDouble standardDeviation();

    /**
     * Returns the interval of the ratio at a level between 0 and 1, its high end infinite where nothing bounds it;
     * absent with one pair.
     */
    Optional<ConfidenceInterval> interval(double level);

    /** Returns the 95 % interval of a bootstrap, which stands beside the other; absent where there is none. */
    default Optional<ConfidenceInterval> bootstrapInterval() {
        return Optional.empty();
    }

    /** Returns the two-sided p-value that the ratio is 1; absent with one pair. */
    OptionalDouble pValue();

    /** Returns the two-sided p-value of the {@link SignFlips} of the pairs' differences; absent with one pair. */
    OptionalDouble signFlipP();

    /**
     * Returns by how much log(B / A) rises or falls from the first pair to the last where processes go through all
     * pairs; absent where that may be chance, and of others.
     */
    default OptionalDouble drift() {
        return OptionalDouble.empty();
    }
}
