/**
 * The comparison of targets by their answers: what each answered, digested without keeping bodies, and which
 * differences are more than noise. Knows the recorded requests by name, and no connection.
 * {@link dev.lockstep.replayer.comparison.AnswerComparer} is for callers; what else is public is for the replayer only.
 */
package dev.lockstep.replayer.comparison;
