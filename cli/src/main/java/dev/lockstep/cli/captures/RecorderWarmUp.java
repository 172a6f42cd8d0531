package dev.lockstep.cli.captures;

import dev.lockstep.recorder.RecorderException;
import dev.lockstep.recorder.RecordingProxy;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Warms the proxy's code up while nobody uses it: for a while before it listens, and from then on until the first
 * client comes, so that traffic never competes with it. For one thread, which closes it.
 */
final class RecorderWarmUp implements AutoCloseable {
    /** How much longer it may go on beside a listening proxy: ten times in all compile what a second does not. */
    private static final int TIMES_MORE = 9;

    private final Duration duration;
    private final boolean redacts;
    private volatile boolean ended;
    private Thread rest;

    RecorderWarmUp(Duration duration, boolean redacts) {
        this.duration = duration;
        this.redacts = redacts;
    }

    /** Warms up before there is a proxy. */
    void before() {
        RecordingProxy.warmUp(duration, redacts, () -> false);
    }

    /** Goes on until a client comes, on a thread of its own. */
    void until(BooleanSupplier clientCame) {
        if (duration.isZero()) {
            return;
        }
        rest = new Thread(
                () -> {
                    try {
                        RecordingProxy.warmUp(
                                duration.multipliedBy(TIMES_MORE), redacts, () -> ended || clientCame.getAsBoolean());
                    } catch (RecorderException e) {
                        // What worked before the proxy listened fails now, for want of descriptors or room in /tmp. The
                        // recording does not need it.
                        ended = true;
                    }
                },
                "lockstep-warm-up");
        rest.setDaemon(true);
        rest.start();
    }

    /** Ends it; returns when nothing of it is left. */
    @Override
    public void close() {
        ended = true;
        boolean interrupted = false;
        while (rest != null) {
            try {
                rest.join();
                rest = null;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
