/**
 * A search for good parameters where an evaluation is dear, noisy and may fail: Bayesian optimisation, asked for trials
 * and told what came of them ({@link dev.lockstep.tuner.Study}). docs/tuning-statistics.md tells the method with its
 * sources.
 *
 * <p>This package knows no other of Lockstep's and no JVM, and reads, starts and prints nothing: it can be used for any
 * function of a {@link dev.lockstep.tuner.Space}.
 */
package dev.lockstep.tuner;
