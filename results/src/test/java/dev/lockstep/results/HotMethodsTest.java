package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.results.json.Json;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class HotMethodsTest {
    private static final String JSON = "{\"targets\":["
            + "{\"name\":\"c2\",\"profiler\":\"async-profiler 4.5\",\"event\":\"ctimer\",\"samples\":1000,"
            + "\"durationNs\":10000000000,\"cpuNsPerRequest\":120000.5},"
            + "{\"name\":\"prod\",\"absent\":\"it runs already\"},"
            + "{\"name\":\"graal\",\"profiler\":\"JFR\",\"event\":\"jdk.ExecutionSample\",\"samples\":300,"
            + "\"durationNs\":10000000000,\"note\":\"Java only\"}],"
            + "\"methods\":["
            + "{\"name\":\"a.B.c\",\"kind\":\"inlined\",\"share\":{\"c2\":0.3,\"graal\":0.333333},"
            + "\"samples\":{\"c2\":300,\"graal\":100},\"kinds\":{\"c2\":\"inlined\",\"graal\":\"compiled\"}},"
            + "{\"name\":\"aes\",\"kind\":\"stub\",\"share\":{\"c2\":0.2,\"graal\":0.0},"
            + "\"samples\":{\"c2\":200,\"graal\":0},\"kinds\":{\"c2\":\"stub\"}}],"
            + "\"methodsLeftOut\":1}";

    private static HotMethods hot() {
        return HotMethods.collect()
                .target(HotMethods.Target.profiled(
                        "c2",
                        "async-profiler 4.5",
                        "ctimer",
                        1000,
                        10_000_000_000L,
                        OptionalDouble.of(120_000.5),
                        null))
                .target(HotMethods.Target.absent("prod", "it runs already"))
                .target(HotMethods.Target.profiled(
                        "graal",
                        "JFR",
                        "jdk.ExecutionSample",
                        300,
                        10_000_000_000L,
                        OptionalDouble.empty(),
                        "Java only"))
                .samples("few", CodeKind.NATIVE, "c2", 1)
                .samples("aes", CodeKind.STUB, "c2", 200)
                .samples("a.B.c", CodeKind.COMPILED, "graal", 100)
                .samples("a.B.c", CodeKind.COMPILED, "c2", 100)
                .samples("a.B.c", CodeKind.INLINED, "c2", 200)
                .build(2);
    }

    @Test
    void areReadAsTheyWereWritten() {
        assertEquals(JSON, Json.tree(hot()).toString());
        assertEquals(
                JSON,
                Json.tree(Json.read("profile", Json.parse("profile", JSON), HotMethods.class))
                        .toString());
    }

    @Test
    void arePartOfTheResult() {
        RunResult result = TestingRuns.result().withHotMethods(hot());

        RunResult read = RunResult.fromJson(result.toJson());

        assertEquals(result.toJson(), read.toJson());
        assertEquals(
                List.of("a.B.c", "aes"),
                read.hotMethods().orElseThrow().methods().stream()
                        .map(HotMethods.Method::name)
                        .collect(Collectors.toList()));
    }

    @Test
    void areNeverOfNoSample() {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> HotMethods.Target.profiled("c2", "JFR", "x", 0, 1, OptionalDouble.empty(), null));
        assertEquals("samples must be at least 1, is 0", e.getMessage());
    }
}
