package dev.lockstep.redaction;

/**
 * What becomes of bytes that cannot be searched for secrets, because they belong to no request of a known protocol:
 * docs/redaction.md.
 */
public enum Unsearchable {
    /** They are not handed on; the capture says where they are missing, and how many. */
    DROP,
    /** They are handed on, after a search for headers and parameters that needs no framing. */
    KEEP
}
