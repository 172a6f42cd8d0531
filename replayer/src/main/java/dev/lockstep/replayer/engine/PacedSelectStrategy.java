package dev.lockstep.replayer.engine;

import dev.lockstep.replayer.meters.LoopUse;
import io.netty.channel.EventLoop;
import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Lets an event loop keep a schedule: each turn first sends what is due. The loop sleeps only when the next send is far
 * enough away, and polls its sockets just before a send. Runs per turn on the event loop.
 *
 * <p>The workers of one loop send in turn, one request each, until none has anything due: a request that is due at
 * several targets goes to them back to back, and a target that has much to catch up with holds up no other.
 *
 * <p>Design note: a timer task per request would allocate one, and an epoll timer overshoots by the kernel's timer
 * slack (50 us) plus the wake-up of a halted virtual core, which is more than many answers take. The strategy is the
 * one hook that Netty calls at each turn, before it decides to sleep.
 */
final class PacedSelectStrategy implements SelectStrategy {
    private static final Runnable WAKE_UP = () -> {};
    /** How often every worker may send before the sockets are read again. */
    private static final int SENDS_PER_TURN = 32;

    /**
     * The longest sleep. A wake-up stays scheduled when a nearer one takes its place; as far off as a time-out, they
     * would pile up by the thousand.
     */
    private static final long LONGEST_SLEEP_NS = 1_000_000_000;

    private final long spinNs;
    private final LoopUse use;
    private EventLoop loop;
    private ReplayWorker[] workers = {};
    /** When the last scheduled wake-up comes; a nearer one is scheduled only where it is needed. */
    private long wakeUpNs = Long.MIN_VALUE;

    /** When the turn began; known where the last one did not end in sleep. */
    private long turnNs;

    private boolean polling;
    /** Whether the last turn sent nothing and found nothing to read. */
    private boolean didNothing;

    PacedSelectStrategy(long spinNs, LoopUse use) {
        this.spinNs = spinNs;
        this.use = use;
    }

    /** Adds a worker to the loop; called on the loop. */
    void attach(EventLoop loop, ReplayWorker worker) {
        this.loop = loop;
        workers = Arrays.copyOf(workers, workers.length + 1);
        workers[workers.length - 1] = worker;
    }

    /** Removes a worker; called on the loop. */
    void detach(ReplayWorker worker) {
        workers = Arrays.stream(workers).filter(other -> other != worker).toArray(ReplayWorker[]::new);
    }

    @Override
    public int calculateStrategy(IntSupplier selectSupplier, boolean hasTasks) throws Exception {
        if (polling) {
            long nowNs = System.nanoTime();
            use.turn(nowNs - turnNs, didNothing);
            turnNs = nowNs;
        }
        long waitNs = poll(true);
        boolean sent = waitNs == 0;
        for (int sends = 1; waitNs == 0 && sends < SENDS_PER_TURN; sends++) {
            waitNs = poll(false);
        }
        if (hasTasks || waitNs <= spinNs) {
            int ready = selectSupplier.get();
            didNothing = !sent && !hasTasks && ready == 0;
            if (!polling) {
                polling = true;
                turnNs = System.nanoTime();
            }
            return ready;
        }
        polling = false;
        if (waitNs != Long.MAX_VALUE) {
            wakeUpIn(Math.min(waitNs - spinNs, LONGEST_SLEEP_NS));
        }
        return SelectStrategy.SELECT;
    }

    /**
     * Lets each worker do one thing; returns nanoseconds until more is due.
     *
     * @param read whether the sockets were read since the last call
     */
    private long poll(boolean read) {
        long waitNs = Long.MAX_VALUE;
        for (ReplayWorker worker : workers) {
            waitNs = Math.min(waitNs, worker.poll(read));
        }
        return waitNs;
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
