package dev.lockstep.recorder;

import dev.lockstep.net.Tls;

/** Says in one line why a TLS handshake with either side failed. */
final class TlsProblem {
    /** For a peer that ended the connection without a word. */
    static final String CLOSED = "the connection was closed during the TLS handshake";

    private TlsProblem() {}

    static String text(Throwable failure) {
        return Tls.problem(failure, "what came is not TLS", CLOSED);
    }
}
