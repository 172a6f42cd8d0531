/**
 * Turns traffic into the records of a capture, wherever the traffic comes from: the proxy and the packet listener of
 * {@code recorder}, and the imports of {@code conversion}.
 *
 * <p>Each connection goes through one {@link RecordedConnection}, which frames, redacts and counts its bytes and hands
 * them to the capture's writer. This package knows capture, protocol, redaction and packets. It knows no sockets, no
 * TLS and no event loops.
 */
package dev.lockstep.tap;
