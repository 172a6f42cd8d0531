package dev.lockstep.echo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time to replace one buffer among others that stay: to free it and allocate another of the same size. After
 * Netty's own {@code ByteBufAllocatorBenchmark}, with 256 instead of 8,192 live buffers, which would be 512 MiB at the
 * largest size. JMH runs it, on a thread like that of an event loop: on any other thread neither the pool nor the
 * adaptive allocator uses its cache for threads.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Djmh.executor=CUSTOM", "-Djmh.executor.class=dev.lockstep.echo.EventLoopExecutor"})
@Threads(1)
public class AllocationBenchmark {
    private static final int LIVE_BUFFERS = 256;

    /** As {@code --allocator} of the echo server. */
    @Param({"unpooled", "pooled", "adaptive"})
    public String allocator;

    @Param({"heap", "direct"})
    public String memory;

    @Param({"64", "256", "1024", "4096", "16384", "65536"})
    public int bytes;

    private final ByteBuf[] live = new ByteBuf[LIVE_BUFFERS];
    private final SplittableRandom random = new SplittableRandom(1);
    private ByteBufAllocator from;
    private boolean direct;

    /** @throws IllegalStateException on a thread for which the allocators have no cache */
    @Setup(Level.Trial)
    public void fill() {
        if (!(Thread.currentThread() instanceof FastThreadLocalThread) || ThreadExecutorMap.currentExecutor() == null) {
            throw new IllegalStateException("expected a thread of EventLoopExecutor, found "
                    + Thread.currentThread().getClass().getName() + "; give JMH no -jvmArgsAppend, which replaces the"
                    + " benchmark's own");
        }
        from = Netty4EchoServer.allocator(allocator);
        direct = memory.equals("direct");
        for (int i = 0; i < live.length; i++) {
            live[i] = allocate();
        }
    }

    @TearDown(Level.Trial)
    public void empty() {
        for (ByteBuf buffer : live) {
            buffer.release();
        }
    }

    @Benchmark
    public ByteBuf replaceOne() {
        int place = random.nextInt(LIVE_BUFFERS);
        live[place].release();
        live[place] = allocate();
        return live[place];
    }

    private ByteBuf allocate() {
        return direct ? from.directBuffer(bytes) : from.heapBuffer(bytes);
    }
}
