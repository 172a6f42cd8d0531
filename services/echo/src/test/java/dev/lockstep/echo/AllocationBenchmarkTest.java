package dev.lockstep.echo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

final class AllocationBenchmarkTest {
    /** The benchmark's setup refuses a thread that has none. */
    @Test
    void jmhMeasuresOnAThreadForWhichNettyHasACache(@TempDir Path directory) throws RunnerException {
        // Only the fork's options say on which threads, so that JMH has to fork here as well.
        var results = new Runner(new OptionsBuilder()
                        .include(AllocationBenchmark.class.getName())
                        .param("allocator", "pooled", "adaptive")
                        .param("memory", "heap")
                        .param("bytes", "64")
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(10))
                        .shouldFailOnError(true)
                        .output(directory.resolve("jmh.txt").toString())
                        .build())
                .run();

        assertEquals(2, results.size());
    }

    @Test
    void refusesAnOrdinaryThread() {
        AllocationBenchmark benchmark = new AllocationBenchmark();
        benchmark.allocator = "pooled";
        benchmark.memory = "heap";
        benchmark.bytes = 64;

        assertThrows(IllegalStateException.class, benchmark::fill);
    }
}
