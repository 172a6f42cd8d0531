package dev.lockstep.analysis;

/** Which values of a metric are good. */
public enum Direction {
    /** Times, CPU, memory, errors. */
    LOWER_IS_BETTER,
    /** Throughput. */
    HIGHER_IS_BETTER
}
