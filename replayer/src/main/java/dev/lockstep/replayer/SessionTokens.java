package dev.lockstep.replayer;

import dev.lockstep.capture.Capture;
import java.util.Arrays;

/**
 * What answers said, for later requests of the same session: that of a recorded connection in one pass over the capture,
 * on whatever connections its requests are replayed. On the event loop.
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

    /** Returns the values of the session of the n-th request of the phase, null where none was found yet; to be changed. */
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
        // What is later than a whole pass has lost its session.
        return session == null || session.pass != pass ? new String[tokens] : session.values;
    }

    /** Forgets all sessions. */
    void clear() {
        Arrays.fill(latest, null);
    }
}
