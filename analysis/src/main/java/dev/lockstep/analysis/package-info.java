/**
 * What is made of a run's figures: ratios with their intervals and verdicts, steady state, trends and leaks,
 * conditions, money. Each class names the source of its method; docs/statistics.md tells them together.
 *
 * <p>This package knows measurement, results and commons-statistics. It reads figures and starts, prints and writes
 * nothing.
 */
package dev.lockstep.analysis;
