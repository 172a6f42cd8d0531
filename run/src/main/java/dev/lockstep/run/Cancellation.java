package dev.lockstep.run;

/**
 * Ends runs early: the one that goes on, and each that is started with it later. What was measured until then is the
 * result. {@link #cancel} ends a run at once and leaves it interrupted, {@link #conclude} after the launch that goes
 * on, which leaves it whole, with fewer launches. Thread-safe; these two are for any thread, all else for the run's.
 */
public final class Cancellation {
    private Runnable action = () -> {};
    private boolean cancelled;
    private boolean concluded;

    /** Asks the run to come to its end and returns at once. Only the first call does anything. */
    public synchronized void cancel() {
        // Asked again, a replayer would wait again for the last answers.
        if (!cancelled) {
            cancelled = true;
            action.run();
        }
    }

    public synchronized boolean isCancelled() {
        return cancelled;
    }

    /** Asks the run to make no launch after the one that goes on, and returns at once; a run makes one at least. */
    public synchronized void conclude() {
        concluded = true;
    }

    public synchronized boolean isConcluded() {
        return concluded;
    }

    /**
     * Sets what {@link #cancel} does, in place of what was set before; does it at once after a {@code cancel}.
     *
     * <p>When this returns, the action before runs no more: it would end what follows it.
     *
     * @param askToEnd only asks and returns soon; runs on the thread that cancels
     */
    synchronized void onCancel(Runnable askToEnd) {
        action = askToEnd;
        if (cancelled) {
            askToEnd.run();
        }
    }

    /** A step that cannot be asked to end, only interrupted. */
    interface Step<T> {
        T run() throws InterruptedException;
    }

    /** Runs a step, which {@link #cancel} interrupts. The calling thread is not interrupted when this returns. */
    <T> T interrupting(Step<T> step) throws InterruptedException {
        onCancel(Thread.currentThread()::interrupt);
        try {
            return step.run();
        } finally {
            onCancel(() -> {});
            // The interrupt may have come in the last moment; nothing that follows expects it.
            Thread.interrupted();
        }
    }
}
