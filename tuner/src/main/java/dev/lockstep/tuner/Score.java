package dev.lockstep.tuner;

/** What is wanted of a point. */
interface Score {
    /**
     * Returns the score of a point; more is better.
     *
     * @param gradient takes the derivatives by the places on scales; null where nobody wants them
     */
    double at(double[] point, double[] gradient);
}
