/**
 * What a run measures, second by second: for Prometheus to fetch, and sent to collectors of OpenTelemetry; and its
 * final figures as metrics.
 *
 * <p>Intervals come in on the run's thread; Micrometer's registry hands the figures to the thread of the HTTP server.
 * May know {@code measurement}, {@code results} and Micrometer.
 */
package dev.lockstep.exporter;
