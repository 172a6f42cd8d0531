package dev.lockstep.replayer.engine;

import dev.lockstep.net.Transport;
import dev.lockstep.replayer.ReplayException;
import dev.lockstep.replayer.meters.LoopUse;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * One event loop thread and the workers of the targets that share it. Made and closed by the replayer's thread.
 *
 * <p>Targets on one loop do not block each other: nothing that runs on it waits, every target has its own connections,
 * queues and time-outs, and the workers send in turn, one request each.
 */
public final class ReplayLoop {
    private final EventLoopGroup group;
    private final EventLoop loop;
    private final PacedSelectStrategy strategy;
    private final LoopUse use = new LoopUse();

    public ReplayLoop(Transport transport, int index, long spinNs) {
        PacedSelectStrategy made = new PacedSelectStrategy(spinNs, use);
        strategy = made;
        group = transport.eventLoops(1, "lockstep-loop-" + index, () -> made);
        loop = group.next();
    }

    public EventLoop eventLoop() {
        return loop;
    }

    /** Lets a worker take part in the turns of the loop. */
    public void attach(ReplayWorker worker) {
        await(loop.submit(() -> strategy.attach(loop, worker)));
    }

    /** Closes a worker, which takes part in no turn any more. */
    public void detach(ReplayWorker worker) {
        // A broken loop has no worker to close.
        if (!loop.isShuttingDown()) {
            await(loop.submit(() -> {
                worker.shutDown();
                strategy.detach(worker);
            }));
        }
    }

    /** What it uses while it is watched. */
    public LoopUse use() {
        return use;
    }

    public void startWatch() {
        await(loop.submit(use::start));
    }

    public void stopWatch() {
        // A broken loop has nothing to report.
        if (!loop.isShuttingDown()) {
            await(loop.submit(use::stop));
        }
    }

    /**
     * Waits for what an event loop was asked to do.
     *
     * @throws ReplayException where our own code failed
     */
    public static <T> T await(Future<T> future) {
        future.awaitUninterruptibly();
        if (!future.isSuccess()) {
            throw new ReplayException("the replay failed within Lockstep: " + future.cause(), future.cause());
        }
        return future.getNow();
    }

    public void shutDown() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    public void awaitEnd() {
        group.terminationFuture().awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
