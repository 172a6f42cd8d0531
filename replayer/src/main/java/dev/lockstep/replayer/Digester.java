package dev.lockstep.replayer;

import dev.lockstep.capture.Joining;

/** A thread that does, some times a second, what must not hold up an event loop. Started and stopped by one thread. */
final class Digester {
    private static final long PAUSE_MS = 20;

    private final Thread thread;
    private volatile boolean stopping;

    /** @param turn called again and again, and once more after {@link #stop} */
    Digester(Runnable turn) {
        thread = new Thread(
                () -> {
                    while (!stopping) {
                        turn.run();
                        Rounds.sleep(PAUSE_MS);
                    }
                    turn.run();
                },
                "lockstep-digest");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns when the last turn is over, also where the calling thread is interrupted. */
    void stop() {
        stopping = true;
        Joining.untilEnd(thread);
    }
}
