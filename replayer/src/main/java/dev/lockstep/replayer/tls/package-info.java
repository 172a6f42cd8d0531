/**
 * TLS between the replayer and its targets. {@link dev.lockstep.replayer.tls.TargetTls} is for callers; what else is
 * public is for the replayer only.
 */
package dev.lockstep.replayer.tls;
