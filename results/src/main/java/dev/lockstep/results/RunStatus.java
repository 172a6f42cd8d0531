package dev.lockstep.results;

/**
 * Whether the figures of a run may be believed. A slow, failing or dead target does not make a run invalid, it is the
 * result; a replayer that fell behind its own schedule, dropped or paused does.
 */
public enum RunStatus {
    VALID,
    INVALID
}
