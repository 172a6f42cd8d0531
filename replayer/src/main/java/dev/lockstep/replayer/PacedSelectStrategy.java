package dev.lockstep.replayer;

import io.netty.channel.EventLoop;
import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.concurrent.TimeUnit;

/**
 * Lets an event loop keep a schedule: at every turn it first sends what is due, and it sleeps only when the next send is
 * far enough away; just before a send it polls its sockets instead. Runs per turn on the event loop.
 *
 * <p>Design note: a timer task per request would allocate one, and an epoll timer overshoots by the kernel's timer slack
 * (50 us) plus the wake-up of a halted virtual core, which is more than many answers take. The strategy is the one hook
 * that Netty calls at each turn, before it decides to sleep.
 */
final class PacedSelectStrategy implements SelectStrategy {
    private static final Runnable WAKE_UP = () -> {};

    private final long spinNs;
    private EventLoop loop;
    private ReplayWorker worker;
    /** When the last scheduled wake-up comes; a nearer one is scheduled only where it is needed. */
    private long wakeUpNs = Long.MIN_VALUE;

    PacedSelectStrategy(long spinNs) {
        this.spinNs = spinNs;
    }

    /** Connects the loop with its worker; called once, on the loop. */
    void attach(EventLoop loop, ReplayWorker worker) {
        this.loop = loop;
        this.worker = worker;
    }

    @Override
    public int calculateStrategy(IntSupplier selectSupplier, boolean hasTasks) throws Exception {
        if (worker == null) {
            return hasTasks ? selectSupplier.get() : SelectStrategy.SELECT;
        }
        long waitNs = worker.poll();
        if (hasTasks || waitNs <= spinNs) {
            return selectSupplier.get();
        }
        if (waitNs != Long.MAX_VALUE) {
            wakeUpIn(waitNs - spinNs);
        }
        return SelectStrategy.SELECT;
    }

    private void wakeUpIn(long sleepNs) {
        long nowNs = System.nanoTime();
        long atNs = nowNs + sleepNs;
        boolean pending = wakeUpNs > nowNs;
        if (!pending || atNs < wakeUpNs) {
            wakeUpNs = atNs;
            loop.schedule(WAKE_UP, sleepNs, TimeUnit.NANOSECONDS);
        }
    }
}
