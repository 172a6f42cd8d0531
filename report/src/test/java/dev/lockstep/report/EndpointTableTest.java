package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.TargetResult;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class EndpointTableTest {
    private static final long MS = 1_000_000;

    private static TargetResult target(String name, EndpointLoad... endpoints) {
        LoadResult load = TestingRuns.load(5, MS).then(TestingRuns.endpoints(endpoints));
        return TargetResult.builder(name).load(load).build();
    }

    private static List<String> lines(TargetResult... targets) {
        return new EndpointTable(TestingRuns.run(targets)).toString().lines().collect(Collectors.toList());
    }

    private static EndpointLoad failing(String name, int answers, int errors) {
        EndpointLoad endpoint = TestingRuns.endpoint(name, answers, MS, 0);
        for (int i = 0; i < errors; i++) {
            endpoint.answered(MS / 2, 503);
        }
        return endpoint;
    }

    @Test
    void listsWhatFailsAndThenTheSlowest() {
        List<String> lines = lines(target(
                "c2",
                TestingRuns.endpoint("GET /fast", 100_000, MS, 0),
                TestingRuns.endpoint("GET /slow", 2_000, 80 * MS, 0),
                failing("POST /fails", 990, 10),
                failing("POST /fails/often", 1_000, 300),
                TestingRuns.endpoint("GET /rare", 15, 999 * MS, 0),
                TestingRuns.endpoint("GET /slower", 100, 400 * MS, 0),
                failing("GET /hardly/fails", 10_000, 99)));

        assertEquals(
                List.of(
                        "The worst 5 of 7 endpoints: what fails, then the slowest",
                        "endpoint           requests  errors  p50 ms  p99 ms",
                        "POST /fails/often      1300     300   0.502   0.987",
                        "POST /fails            1000      10   0.502   0.991",
                        "GET /slower             100       0     200       -",
                        "GET /slow              2000       0    40.1    79.7",
                        "GET /hardly/fails     10099      99   0.502   0.983"),
                lines);
    }

    @Test
    void putsTheTargetsBelowEachOtherWithTheRatioOfTheirP99() {
        List<String> lines = lines(
                target(
                        "c2",
                        TestingRuns.endpoint("GET /a", 2_000, 10 * MS, 0),
                        TestingRuns.endpoint("GET /b", 2_000, 5 * MS, 0)),
                target(
                        "graal",
                        TestingRuns.endpoint("GET /a", 2_000, 10 * MS, 0),
                        TestingRuns.endpoint("GET /b", 2_000, 20 * MS, 0)),
                target("other", TestingRuns.endpoint("GET /b", 2_000, 5 * MS, 100)),
                TargetResult.builder("dead").build());

        assertEquals(
                List.of(
                        "The worst 2 of 2 endpoints: what fails, then the slowest",
                        "target   requests  errors  p50 ms  p99 ms  p99 ratio",
                        "GET /b",
                        "  c2         2000       0    2.51    4.98",
                        "  graal      2000       0    10.0    19.9      4.000",
                        "  other      2100     100    2.64  >=5.01          -",
                        "GET /a",
                        "  c2         2000       0    5.01    9.96",
                        "  graal      2000       0    5.01    9.96      1.000",
                        "  other         -       -       -       -          -"),
                lines);
    }

    /** Nothing said whose they were. */
    @Test
    void namesTheOneTargetOfSeveralThatHadLoad() {
        assertEquals(
                List.of(
                        "The worst 1 of 1 endpoints: what fails, then the slowest",
                        "target   requests  errors  p50 ms  p99 ms",
                        "GET /b",
                        "  graal      2000       0    2.51    4.98"),
                lines(
                        TargetResult.builder("c2").build(),
                        target("graal", TestingRuns.endpoint("GET /b", 2_000, 5 * MS, 0))));
    }

    @Test
    void saysWhatTheOthersAre() {
        List<String> lines = lines(target(
                "c2", TestingRuns.endpoint("ping", 100, MS, 0), TestingRuns.endpoint(EndpointLoad.OTHER, 9, MS, 9)));

        assertTrue(lines.get(2).startsWith("(other)"), lines.toString());
        assertEquals("(other) is all but the 200 most frequent", lines.get(4));
    }

    @Test
    void keepsNamesOfStrangersWithinATerminal() {
        List<String> lines = lines(
                target("c2", TestingRuns.endpoint("GET /\u001b[31m\n" + "x".repeat(200), 100, MS, 0)),
                target("graal", TestingRuns.endpoint("ping", 100, MS, 0)));

        assertTrue(lines.stream().allMatch(line -> line.length() <= 80), lines.toString());
        assertFalse(lines.toString().contains("\u001b"), lines.toString());
        assertEquals(8, lines.size());
    }

    @Test
    void isEmptyWhereNothingIsKnownOrTooLittle() {
        assertEquals(List.of(), lines(TargetResult.builder("c2").build()));
        assertEquals(List.of(), lines(target("c2", TestingRuns.endpoint("ping", 19, MS, 0))));
    }

    @Test
    void showsFiveOfMany() {
        EndpointLoad[] many = IntStream.range(0, 30)
                .mapToObj(i -> TestingRuns.endpoint("f" + i, 100, (1 + i) * MS, 0))
                .toArray(EndpointLoad[]::new);

        List<String> lines = lines(target("c2", many), target("graal", many));

        assertEquals(2 + 5 * 3, lines.size());
        assertEquals("f29", lines.get(2));
    }
}
