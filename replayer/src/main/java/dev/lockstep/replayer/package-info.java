/**
 * Replays a capture to targets: capture and schedule become requests, and their answers become times and counts.
 *
 * <p>This package is the face of the module: {@link dev.lockstep.replayer.Replayer} with its
 * {@link dev.lockstep.replayer.ReplayConfig} and {@link dev.lockstep.replayer.TargetReplay}. Callers also use
 * {@code rewriting.Rewrites}, {@code tls.TargetTls}, {@code comparison.AnswerComparer} and
 * {@code requests.RecordedRequests}; what else is public in the packages below is public for this module only.
 *
 * <p>The packages below know each other in one direction: {@code schedule} and {@code requests} know none;
 * {@code rewriting} and {@code comparison} know {@code requests}; {@code answers} knows these and {@code meters}, and
 * {@code engine} knows all. Of this package they see the configuration and the exception alone. The module may use
 * captures, protocols, measurement and net; it sees no recorder, no report and no terminal.
 */
package dev.lockstep.replayer;
