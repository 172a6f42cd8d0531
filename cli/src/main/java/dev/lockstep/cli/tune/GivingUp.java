package dev.lockstep.cli.tune;

import dev.lockstep.run.Cancellation;
import java.util.function.BooleanSupplier;

/** Cancels a run when it is to be given up. A thread of its own looks, until it is closed. */
final class GivingUp implements AutoCloseable {
    private static final long LOOK_MS = 100;

    private final BooleanSupplier wish;
    private final Cancellation cancellation;
    private final Thread thread;
    private volatile boolean gaveUp;
    private volatile boolean closed;

    private GivingUp(BooleanSupplier wish, Cancellation cancellation) {
        this.wish = wish;
        this.cancellation = cancellation;
        thread = new Thread(this::look, "lockstep-tune-control");
        thread.setDaemon(true);
    }

    /** @param wish whether to give it up, asked on another thread */
    static GivingUp watch(BooleanSupplier wish, Cancellation cancellation) {
        GivingUp watch = new GivingUp(wish, cancellation);
        watch.thread.start();
        return watch;
    }

    private void look() {
        while (!closed && !gaveUp) {
            if (wish.getAsBoolean()) {
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
        return gaveUp || wish.getAsBoolean();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
