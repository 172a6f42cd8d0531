package dev.lockstep.cli;

import java.util.concurrent.CountDownLatch;

/**
 * Turns SIGINT, SIGTERM and SIGHUP into "come to an end": what the command left to do, it still does, and its exit code
 * is the process's. Thread-safe.
 *
 * <p>Design note: the JVM answers these signals by starting its shutdown hooks and nothing can call that off, so one
 * hook asks the command to end, waits until it has, and then halts with the command's own exit code. Other shutdown
 * hooks run at the same time; nothing of ours relies on one.
 */
final class Interruption {
    private final CountDownLatch finished = new CountDownLatch(1);
    private Runnable action;
    private boolean requested;
    private volatile int exitCode;

    private Interruption() {}

    /** Installs the hook; once per process. */
    static Interruption install() {
        Interruption interruption = new Interruption();
        Runtime.getRuntime().addShutdownHook(new Thread(interruption::onShutdown, "lockstep-interruption"));
        return interruption;
    }

    /** Returns one that no signal reaches, for tests; {@link #request()} stands in for the signal. */
    static Interruption detached() {
        return new Interruption();
    }

    /**
     * Sets what is to happen on the signal, in place of what was set before; at once where the signal has come already.
     *
     * <p>When this returns, what was set before runs no more: it would else end what came after it.
     *
     * @param askToEnd runs on another thread and must return soon; it only asks, the command's own thread does the work
     */
    synchronized void onRequest(Runnable askToEnd) {
        action = askToEnd;
        if (requested) {
            askToEnd.run();
        }
    }

    synchronized boolean isRequested() {
        return requested;
    }

    /** Does what the signal does, short of ending the process. */
    synchronized void request() {
        requested = true;
        if (action != null) {
            action.run();
        }
    }

    /** Says that the command is done; the hook then lets the process end with this code. */
    void finished(int exitCode) {
        this.exitCode = exitCode;
        finished.countDown();
    }

    private void onShutdown() {
        if (finished.getCount() > 0) {
            request();
            try {
                finished.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            // The exit code of a JVM that ends by a signal is the signal's; only halt puts ours in its place.
            System.err.flush();
            Runtime.getRuntime().halt(exitCode);
        }
    }
}
