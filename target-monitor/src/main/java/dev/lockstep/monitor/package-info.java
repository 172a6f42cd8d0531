/**
 * What a target costs, seen from outside: nothing runs in the target for it.
 *
 * <p>{@link dev.lockstep.monitor.TargetMonitor} combines three sources: {@code ProcessSampler} reads {@code /proc} and
 * the control group, {@link dev.lockstep.monitor.PerfData} the counters that HotSpot publishes,
 * {@link dev.lockstep.monitor.GcLog} the log of garbage collections, with a {@code GcDialect} for each format.
 *
 * <p>This package knows {@code measurement}, into whose costs it counts, and Linux. It knows neither the replayer nor
 * who started the target.
 */
package dev.lockstep.monitor;
