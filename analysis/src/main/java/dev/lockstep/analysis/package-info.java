/**
 * What is made of a run's figures: ratios with their intervals and verdicts, steady state, trends and leaks,
 * conditions, money; and of the figures of runs of different days (the classes whose names begin with {@code Run}).
 * Each class names the source of its method; docs/statistics.md tells them together.
 *
 * <p>This package knows measurement, results and commons-statistics. It reads figures and starts, prints and writes
 * nothing.
 */
package dev.lockstep.analysis;
