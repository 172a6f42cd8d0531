package dev.lockstep.echo;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * The threads that JMH runs benchmarks on, as Netty makes those of an event loop. Its allocators give only such threads
 * a cache of their own: the pool from 4.1.75 on, the adaptive one always. JMH makes it, by its name.
 */
public final class EventLoopExecutor extends DefaultEventExecutorGroup {
    public EventLoopExecutor(int threads, String namePrefix) {
        super(threads, new DefaultThreadFactory(namePrefix, true));
    }
}
