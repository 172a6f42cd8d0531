package dev.lockstep.replayer;

import dev.lockstep.net.Transport;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * One event loop thread and the workers of the targets that share it. Made and closed by the {@link Replayer}'s thread.
 *
 * <p>Targets share a loop without blocking each other: nothing that runs on it waits, every target has connections,
 * queues and time-outs of its own, and the loop lets the workers send in turn, one request each.
 */
final class ReplayLoop {
    private final EventLoopGroup group;
    private final EventLoop loop;
    private final PacedSelectStrategy strategy;
    private final LoopUse use = new LoopUse();

    ReplayLoop(Transport transport, int index, long spinNs) {
        PacedSelectStrategy made = new PacedSelectStrategy(spinNs, use);
        strategy = made;
        group = transport.eventLoops(1, new DefaultThreadFactory("lockstep-loop-" + index, true), () -> made);
        loop = group.next();
    }

    EventLoop eventLoop() {
        return loop;
    }

    /** Lets a worker take part in the turns of the loop. */
    void attach(ReplayWorker worker) {
        Replayer.await(loop.submit(() -> strategy.attach(loop, worker)));
    }

    /** Closes a worker, which takes part in no turn any more. */
    void detach(ReplayWorker worker) {
        // A loop that something broke takes no part either.
        if (!loop.isShuttingDown()) {
            Replayer.await(loop.submit(() -> {
                worker.shutDown();
                strategy.detach(worker);
            }));
        }
    }

    /** Returns what it uses while it is watched. */
    LoopUse use() {
        return use;
    }

    void startWatch() {
        Replayer.await(loop.submit(use::start));
    }

    void stopWatch() {
        // A loop that something broke has nothing to say any more.
        if (!loop.isShuttingDown()) {
            Replayer.await(loop.submit(use::stop));
        }
    }

    void shutDown() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    void awaitEnd() {
        group.terminationFuture().awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
