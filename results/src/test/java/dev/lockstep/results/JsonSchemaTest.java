package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaId;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.comparison.RunComparison;
import dev.lockstep.results.comparison.RunHistory;
import dev.lockstep.results.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The JSON Schemas in docs/schema are made from the types of results, and what Lockstep writes is valid by them.
 * {@code -Ddocs.write} writes them anew.
 */
final class JsonSchemaTest {
    private static final Path SCHEMAS = Path.of("..", "docs", "schema");
    private static final Path GOLDEN = Path.of(System.getProperty("lockstep.testData"), "runs", "0.1.0", "run");
    private static final String RUN = "run.json";
    private static final String PLAN = "plan.json";
    private static final String INTERVALS = "intervals.jsonl";
    /** What {@code replay compare} prints as JSON, of a few runs and of a folder of many. */
    private static final String COMPARISON = "comparison.json";

    private static final String HISTORY = "history.json";
    private static final String BODIES = "bodies.jsonl";
    private static final Map<String, Class<?>> TYPES = Map.of(
            RUN,
            RunResult.class,
            PLAN,
            RunPlan.class,
            INTERVALS,
            IntervalRow.class,
            COMPARISON,
            RunComparison.class,
            HISTORY,
            RunHistory.class,
            BODIES,
            AnswerPair.class);

    private static final JsonSchemaFactory FACTORY = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
    private static final Map<String, com.networknt.schema.JsonSchema> OPEN = new HashMap<>();
    private static final Map<String, com.networknt.schema.JsonSchema> CLOSED = new HashMap<>();
    private static SourceComments comments;

    @BeforeAll
    static void makeSchemas() throws IOException {
        comments = ResultsPageTest.comments();
        for (String document : TYPES.keySet()) {
            OPEN.put(document, FACTORY.getSchema(schema(document, false)));
            CLOSED.put(document, FACTORY.getSchema(schema(document, true)));
        }
    }

    private static Path file(String document) {
        return SCHEMAS.resolve(document.replaceFirst("\\.jsonl?$", ".schema.json"));
    }

    private static ObjectNode schema(String document, boolean closed) {
        return JsonSchema.of(TYPES.get(document), document, comments, closed);
    }

    /** Fails on a field that the schema does not know, too. */
    private static void assertValid(String document, String text, String message) {
        assertEquals(Set.of(), CLOSED.get(document).validate(Json.parse(document, text)), message);
    }

    @Test
    void schemasAreWhatTheTypesSay() throws IOException {
        for (String document : TYPES.keySet()) {
            String schema = Json.print(schema(document, false));
            Path file = file(document);
            if (System.getProperty("docs.write") != null) {
                Files.createDirectories(SCHEMAS);
                Files.writeString(file, schema);
            }
            assertEquals(
                    schema,
                    Files.readString(file),
                    file + " is old; write it anew: mvn -o -q -pl results -am -Dtest=JsonSchemaTest"
                            + " -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write test");
        }
    }

    @Test
    void schemasAreSchemas() {
        for (String document : TYPES.keySet()) {
            assertEquals(
                    Set.of(),
                    FACTORY.getSchema(SchemaLocation.of(SchemaId.V202012)).validate(schema(document, false)),
                    document);
        }
    }

    @Test
    void whatAnEarlierVersionWroteIsValid() throws IOException {
        assertValid(RUN, Files.readString(GOLDEN.resolve(RUN)), RUN);
        assertValid(PLAN, Files.readString(GOLDEN.resolve(PLAN)), PLAN);
        for (String line : Files.readAllLines(GOLDEN.resolve(INTERVALS))) {
            assertValid(INTERVALS, line, line);
        }
    }

    @Test
    void whatIsWrittenIsValid() {
        for (int i = 0; i < 10; i++) {
            long seed = new Random().nextLong();
            RandomValues values = new RandomValues(seed);
            assertValid(RUN, values.result().toJson(), "seed " + seed);
            assertValid(PLAN, values.plan().toJson(), "seed " + seed);
        }
        assertValid(RUN, TestingRuns.result().toJson(), "full result");
        assertValid(PLAN, TestingRuns.fullPlan().toJson(), "full plan");
        for (Interval interval : TestingRuns.resultIntervals()) {
            assertValid(INTERVALS, Json.print(IntervalRow.of("c2", interval)), "interval");
        }
    }

    @Test
    void whatLacksAFieldOrHasAnotherTypeIsNot() {
        for (String pointer : List.of("/status", "/plan/targets", "/environment", "/targets/0/name")) {
            ObjectNode result = Json.parse(RUN, TestingRuns.result().toJson());
            int last = pointer.lastIndexOf('/');
            String field = pointer.substring(last + 1);
            ObjectNode owner = (ObjectNode) result.at(pointer.substring(0, last));
            owner.remove(field);
            assertFalse(OPEN.get(RUN).validate(result).isEmpty(), "without " + pointer);

            owner.put(field, 0.5);
            assertFalse(OPEN.get(RUN).validate(result).isEmpty(), "a number as " + pointer);
        }
    }

    @Test
    void aNewerVersionMayAddToAResultAndNotToAPlan() {
        ObjectNode result = Json.parse(RUN, TestingRuns.result().toJson());
        result.put("lunarPhase", "waxing");
        ((ObjectNode) result.at("/targets/0")).put("lunarPhase", "waxing");
        assertEquals(Set.of(), OPEN.get(RUN).validate(result));

        ((ObjectNode) result.path("plan")).put("lunarPhase", "waxing");
        assertFalse(OPEN.get(RUN).validate(result).isEmpty());
    }
}
