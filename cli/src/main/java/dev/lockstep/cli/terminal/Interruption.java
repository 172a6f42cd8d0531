package dev.lockstep.cli.terminal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns SIGINT, SIGTERM and SIGHUP into "come to an end": what the command left to do, it still does, and its exit code
 * is the process's. A command that set nothing to do is ended where it stands. Thread-safe.
 *
 * <p>Design note: the JVM answers these signals by starting its shutdown hooks and nothing can call that off, so one
 * hook asks the command to end, waits until it has, and then halts with the command's own exit code. Other shutdown
 * hooks run at the same time; nothing of ours relies on one.
 */
public final class Interruption {
    /** How long a command may take to see that it is to end; it may wait for input that never comes. */
    private static final long NOTICE_SECONDS = 5;
    /** How long it may take from then on to put its files in order; a disk under load takes seconds to write one. */
    private static final long CLEAN_UP_SECONDS = 60;

    private final CountDownLatch noticed = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private Runnable action;
    private boolean requested;
    private boolean endsAsSignalled;
    private volatile int exitCode;

    private Interruption() {}

    /** Installs the hook; once per process. */
    public static Interruption install() {
        Interruption interruption = new Interruption();
        Runtime.getRuntime().addShutdownHook(new Thread(interruption::onShutdown, "lockstep-interruption"));
        return interruption;
    }

    /** Returns one that no signal reaches, for tests; {@link #request()} stands in for the signal. */
    public static Interruption detached() {
        return new Interruption();
    }

    /**
     * Sets what is to happen on the signal, in place of what was set before; at once where the signal has come already.
     *
     * <p>When this returns, what was set before runs no more: it would else end what came after it.
     *
     * @param askToEnd runs on another thread and must return soon; it only asks, the command's own thread does the work
     */
    public synchronized void onRequest(Runnable askToEnd) {
        action = askToEnd;
        if (requested) {
            askToEnd.run();
        }
    }

    /**
     * Has a signal only set {@link #isRequested}, at which the command puts its files in order and ends. What it was
     * asked for is not done then: the process ends with the signal's own exit code, 128 and its number; after a few
     * seconds where the command does not ask, as it waits for input that never comes.
     */
    public synchronized void letCleanUp() {
        endsAsSignalled = true;
        onRequest(() -> {});
    }

    /** Whether the signal has come. */
    public synchronized boolean isRequested() {
        if (requested) {
            noticed.countDown();
        }
        return requested;
    }

    /**
     * Does what the signal does, short of ending the process.
     *
     * @return whether the command has something left to do
     */
    public synchronized boolean request() {
        requested = true;
        if (action != null) {
            action.run();
        }
        return action != null;
    }

    private synchronized boolean endsAsSignalled() {
        return endsAsSignalled;
    }

    /** Says that the command is done; the hook then lets the process end with this code. */
    public void finished(int exitCode) {
        this.exitCode = exitCode;
        noticed.countDown();
        finished.countDown();
    }

    private void onShutdown() {
        // Where this returns, the JVM ends with the signal's exit code.
        if (finished.getCount() > 0 && request()) {
            try {
                if (endsAsSignalled()) {
                    if (noticed.await(NOTICE_SECONDS, TimeUnit.SECONDS)) {
                        finished.await(CLEAN_UP_SECONDS, TimeUnit.SECONDS);
                    }
                    return;
                }
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
