/**
 * A run's result as text, JSON or CSV, made of the result alone: a run that was measured yesterday and read from its
 * directory gives the same bytes. Likewise runs of different days, beside each other ({@link ComparisonReport}) or over
 * time ({@link HistoryReport}).
 *
 * <p>{@code TextReport} puts the parts together; each part is a class that returns its lines. May know {@code results},
 * {@code analysis} and the values of {@code measurement}; knows nothing of how a run is carried out, nor of terminals.
 */
package dev.lockstep.report;
