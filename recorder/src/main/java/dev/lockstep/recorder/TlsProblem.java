package dev.lockstep.recorder;

import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;

/** Says in one line why a TLS handshake failed. */
final class TlsProblem {
    /** What is said of a peer that ended the connection without a word. */
    static final String CLOSED = "the connection was closed during the TLS handshake";

    private static final int LONGEST = 200;
    private static final int MAX_CAUSES = 16;

    private TlsProblem() {}

    /** Returns the problem; of what a peer sent instead of TLS it shows nothing, which may be a secret. */
    static String text(Throwable failure) {
        boolean certificate = false;
        Throwable root = failure;
        for (int depth = 0; depth < MAX_CAUSES; depth++) {
            if (root instanceof NotSslRecordException) {
                return "what came is not TLS";
            }
            certificate |= root instanceof CertificateException;
            if (root.getCause() == null) {
                break;
            }
            root = root.getCause();
        }
        if (root instanceof ClosedChannelException || root.getMessage() == null) {
            return CLOSED;
        }
        String reason = root.getMessage().replaceAll("[\\s\\p{Cntrl}]+", " ").trim();
        String text = certificate ? "its certificate is not trusted: " + reason : reason;
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }
}
