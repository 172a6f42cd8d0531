package dev.lockstep.capture;

/** Waiting for a thread's end. */
public final class Joining {
    private Joining() {}

    /** Waits until a thread has ended; an interrupt of the caller is kept for later. */
    public static void untilEnd(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
