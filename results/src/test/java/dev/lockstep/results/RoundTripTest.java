package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.results.directory.RunDirectoryWriter;
import dev.lockstep.results.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written and read back is equal to what it was; and what an earlier version wrote stays readable. */
final class RoundTripTest {
    /** A run of Lockstep 0.1.0. */
    private static final Path GOLDEN = Path.of(System.getProperty("lockstep.testData"), "runs", "0.1.0", "run");

    @TempDir
    private Path parent;

    @Test
    void documentsOfRandomResultsAreReadAsTheyWere() {
        for (int i = 0; i < 8; i++) {
            long seed = new Random().nextLong();
            RunResult result = new RandomValues(seed).result();
            String json = result.toJson();

            RunResult read = RunResult.fromJson(json);

            assertEquals(json, read.toJson(), () -> "seed " + seed);
            assertEquals(result, read, () -> "seed " + seed);
        }
    }

    @Test
    void plansAreReadAsTheyWere() {
        for (int i = 0; i < 40; i++) {
            long seed = new Random().nextLong();
            RunPlan plan = new RandomValues(seed).plan();

            assertEquals(plan, RunPlan.fromJson(plan.toJson()), () -> "seed " + seed);
        }
    }

    @Test
    void directoriesAreReadAsTheyWere() {
        for (int i = 0; i < 3; i++) {
            long seed = new Random().nextLong();
            RunResult random = new RandomValues(seed).result();
            List<TestingRuns.Request> requests = TestingRuns.requests(seed, new Random(seed).nextInt(300));
            LoadResult load = TestingRuns.load(requests);
            RunResult.Builder measured = RunResult.builder(random.plan())
                    .startedAt(random.startedAt())
                    .finishedAt(random.startedAt().plusSeconds(9))
                    .verdicts(random.verdicts())
                    .hotMethods(random.hotMethods())
                    .environment(random.environment());
            Path directory = parent.resolve("run" + i);
            try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
                writer.plan(random.plan());
                for (TargetResult target : random.targets()) {
                    measured.target(TargetResult.builder(target.name())
                            .load(load)
                            .costs(target.costs())
                            .launches(target.launches())
                            .comparison(target.comparison())
                            .build());
                    TestingRuns.intervals(requests)
                            .forEach(interval -> writer.intervals().interval(target.name(), interval));
                }
                writer.result(measured.build());
            }

            RunResult read = RunDirectoryReader.read(directory);

            assertEquals(measured.build(), read, () -> "seed " + seed);
            assertEquals(random.plan(), RunDirectoryReader.readPlan(directory), () -> "seed " + seed);
            for (TargetResult target : read.targets()) {
                assertEquals(load.responseTime(), target.load().orElseThrow().responseTime(), () -> "seed " + seed);
                assertEquals(load.ownLag(), target.load().orElseThrow().ownLag(), () -> "seed " + seed);
            }
        }
    }

    @Test
    void whatAnEarlierVersionWroteIsWrittenAgainWithNewFieldsAtMost() throws IOException {
        RunResult result = RunDirectoryReader.read(GOLDEN);

        assertHolds(
                Json.parse("run.json", Files.readString(GOLDEN.resolve("run.json"))),
                Json.parse("run.json", result.toJson()),
                "");
        assertEquals(
                Files.readString(GOLDEN.resolve("plan.json")),
                RunDirectoryReader.readPlan(GOLDEN).toJson());
        assertEquals(2, result.plan().launches());
        assertEquals(2, result.verdicts().size() > 0 ? result.targets().size() : 0);
        for (String line : Files.readAllLines(GOLDEN.resolve("intervals.jsonl"))) {
            JsonNode earlier = Json.parse("line", line);
            assertHolds(earlier, Json.tree(Json.read("line", earlier, IntervalRow.class)), "interval");
        }
    }

    /** Fails unless all values of a document stand in another one. */
    private static void assertHolds(JsonNode earlier, JsonNode now, String place) {
        if (earlier.isObject()) {
            earlier.properties()
                    .forEach(field ->
                            assertHolds(field.getValue(), now.path(field.getKey()), place + "." + field.getKey()));
        } else if (earlier.isArray()) {
            assertEquals(earlier.size(), now.size(), place);
            for (int i = 0; i < earlier.size(); i++) {
                assertHolds(earlier.get(i), now.path(i), place + "[" + i + "]");
            }
        } else {
            assertEquals(earlier.asText(), now.asText(), place);
        }
    }
}
