package dev.lockstep.replayer.rewriting;

import dev.lockstep.capture.Capture;
import java.util.Arrays;

/**
 * The values that answers gave to a session, for its later requests. A session is a recorded connection in one pass
 * over the capture, whatever connections its requests are replayed on. Event loop only.
 */
final class SessionTokens {
    private static final class Session {
        final long pass;
        final String[] values;
        /** The pass before, which a slow target may not have finished. */
        Session earlier;

        Session(long pass, int tokens, Session earlier) {
            this.pass = pass;
            this.values = new String[tokens];
            this.earlier = earlier;
        }
    }

    private final Capture capture;
    private final int tokens;
    private final Session[] latest;

    /** @param tokens how many different values a session has */
    SessionTokens(Capture capture, int tokens) {
        this.capture = capture;
        this.tokens = tokens;
        latest = new Session[tokens == 0 ? 0 : capture.connectionCount()];
    }

    /** Returns the values of the n-th request's session, for the caller to change; null where none was found yet. */
    String[] of(long n) {
        long pass = n / capture.requestCount();
        int connection = capture.connection(n % capture.requestCount());
        Session session = latest[connection];
        if (session == null || session.pass < pass) {
            if (session != null) {
                session.earlier = null;
            }
            session = new Session(pass, tokens, session);
            latest[connection] = session;
        } else if (session.pass > pass) {
            session = session.earlier;
        }
        // A request that is late by more than a pass has lost its session.
        return session == null || session.pass != pass ? new String[tokens] : session.values;
    }

    void clear() {
        Arrays.fill(latest, null);
    }
}
