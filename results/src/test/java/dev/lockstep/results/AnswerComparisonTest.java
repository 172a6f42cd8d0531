package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.AnswerComparison.Example;
import dev.lockstep.measurement.AnswerComparison.Kind;
import dev.lockstep.measurement.AnswerComparison.Part;
import dev.lockstep.results.json.Json;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class AnswerComparisonTest {
    @Test
    void isTheSameWhenReadBack() {
        AnswerComparison comparison = AnswerComparison.builder("c2")
                .requests(1000)
                .compared(999)
                .withoutContents(3)
                .different(20)
                .noisePairs(2000)
                .byPart("status", 20)
                .byPart("header etag", 7)
                .kind(Kind.of(
                        "GET /users/N",
                        500,
                        20,
                        1000,
                        List.of(
                                Part.of("status", 20, 0, true, "500 instead of 200"),
                                Part.of("body", 3, 400, false, null))))
                .furtherKinds(4)
                .example(Example.of(
                        17,
                        "GET /users/17?key=***",
                        List.of("status"),
                        "200",
                        "connection-reset",
                        OptionalLong.of(12),
                        OptionalLong.empty()))
                .ignoredHeader("etag")
                .build();

        TargetResult target =
                TargetResult.builder("graal").comparison(comparison).build();
        String json = Json.print(target);
        TargetResult read = Json.read("target", Json.parse("target", json), TargetResult.class);

        assertEquals(json, Json.print(read));
        assertEquals(target, read);
        assertEquals(20, read.comparison().orElseThrow().different());
        assertEquals(
                "500 instead of 200",
                read.comparison()
                        .orElseThrow()
                        .kinds()
                        .get(0)
                        .parts()
                        .get(0)
                        .detail()
                        .orElseThrow());
        assertEquals(
                OptionalLong.empty(),
                read.comparison().orElseThrow().examples().get(0).bodyBytes());
    }
}
