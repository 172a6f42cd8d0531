/**
 * What a server that runs already tells of its own cost: its metrics in Prometheus' text format, or the MBeans of its
 * JVM through Jolokia or JMX. {@link dev.lockstep.monitor.metrics.MetricsEndpoint} asks,
 * {@link dev.lockstep.monitor.metrics.MetricsReading} is what was told.
 */
package dev.lockstep.monitor.metrics;
