/**
 * Replaces secrets in what clients send by tokens of the same length, before anything is written.
 * {@link dev.lockstep.redaction.ConnectionRedactor} takes the pieces into which a framer cut a connection; a scanner
 * per protocol finds the secrets in them by the rules of a {@link dev.lockstep.redaction.RedactionPolicy}. Bytes are
 * never added, dropped or moved, so every boundary and length stays true.
 *
 * <p>Knows the readers of protocol, Netty's buffers and SnakeYAML, and no file but the one with the rules.
 */
package dev.lockstep.redaction;
