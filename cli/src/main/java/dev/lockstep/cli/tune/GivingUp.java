package dev.lockstep.cli.tune;

import dev.lockstep.run.Cancellation;
import dev.lockstep.search.Control;

/** Cancels a run when its evaluation is to be given up. A thread of its own looks, until it is closed. */
final class GivingUp implements AutoCloseable {
    private static final long LOOK_MS = 100;

    private final Control control;
    private final Cancellation cancellation;
    private final Thread thread;
    private volatile boolean gaveUp;
    private volatile boolean closed;

    private GivingUp(Control control, Cancellation cancellation) {
        this.control = control;
        this.cancellation = cancellation;
        thread = new Thread(this::look, "lockstep-tune-control");
        thread.setDaemon(true);
    }

    static GivingUp watch(Control control, Cancellation cancellation) {
        GivingUp watch = new GivingUp(control, cancellation);
        watch.thread.start();
        return watch;
    }

    private void look() {
        while (!closed && !gaveUp) {
            if (control.givesUp()) {
                gaveUp = true;
                cancellation.cancel();
                return;
            }
            try {
                Thread.sleep(LOOK_MS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Whether the run was cancelled, or ends too late to count. */
    boolean gaveUp() {
        return gaveUp || control.givesUp();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
