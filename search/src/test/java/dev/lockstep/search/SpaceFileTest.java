package dev.lockstep.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tuner.Condition;
import dev.lockstep.tuner.Direction;
import dev.lockstep.tuner.Parameter;
import dev.lockstep.tuner.Parameter.Type;
import dev.lockstep.tuner.Space;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SpaceFileTest {
    private static final String JSON = "{\n"
            + "\t\"direction\": \"maximize\", \"evaluations\": 12, \"seed\": 7,\n"
            + "\t\"parameters\": [\n"
            + "\t\t{\"name\": \"x\", \"type\": \"float\", \"min\": -5, \"max\": 10.5, \"default\": 0},\n"
            + "\t\t{\"name\": \"n\", \"type\": \"log-int\", \"min\": 1, \"max\": 1e3},\n"
            + "\t\t{\"name\": \"mode\", \"type\": \"categorical\", \"values\": [\"a\", \"b\", 3]},\n"
            + "\t\t{\"name\": \"on\", \"type\": \"boolean\", \"when\": {\"mode\": [\"a\", 3]}}],\n"
            + "\t\"constraints\": [\"p99\", \"errors\"]}";

    @TempDir
    private Path folder;

    private static SearchPlan read(String text) {
        return SpaceFile.read("s.yaml", text);
    }

    private static Parameter parameter(SearchPlan plan, String name) {
        return plan.space().parameter(name);
    }

    @Test
    void readsJson() {
        SearchPlan plan = read(JSON);

        Space space = plan.space();
        assertEquals(Direction.MAXIMIZE, space.direction());
        assertEquals(12, plan.evaluations());
        assertEquals(7, plan.seed());
        assertEquals(List.of("p99", "errors"), space.constraints());
        assertEquals(-5, parameter(plan, "x").min().orElseThrow());
        assertEquals(10.5, parameter(plan, "x").max().orElseThrow());
        assertEquals(Optional.of(0.0), parameter(plan, "x").defaultValue());
        assertEquals(Type.LOG_INT, parameter(plan, "n").type());
        assertEquals(1000, parameter(plan, "n").max().orElseThrow());
        assertEquals(List.of("a", "b", 3L), parameter(plan, "mode").values());
        assertEquals(
                Optional.of(Condition.of("mode", List.of("a", 3))),
                parameter(plan, "on").when());
    }

    @Test
    void readsTheSameInYaml() {
        SearchPlan plan = read("direction: maximize\nevaluations: 12\nseed: 7\nparameters:\n"
                + "  - {name: x, type: float, min: -5, max: 10.5, default: 0}\n"
                + "  - name: n\n    type: log-int\n    min: 1\n    max: 1e3\n"
                + "  - {name: mode, type: categorical, values: [a, b, 3]}\n"
                + "  - {name: on, type: boolean, when: 'mode in a, 3'}\n"
                + "constraints: [p99, errors]\n");

        assertEquals(read(JSON).document(), plan.document());
    }

    /** As programs of .NET begin a file, and those of PHP write a slash. */
    @Test
    void readsJsonBehindAByteOrderMarkAndWithEscapedSlashes() {
        assertEquals(read(JSON).document(), read("\uFEFF" + JSON).document());
        assertEquals(
                List.of("a/b", "a\\/b", "\\"),
                parameter(
                                read("{\"parameters\": [{\"name\": \"m\", \"type\": \"categorical\","
                                        + " \"values\": [\"a\\/b\", \"a\\\\\\/b\", \"\\\\\"]}]}"),
                                "m")
                        .values());
    }

    @Test
    void typesWordsAsJsonDoes() {
        SearchPlan plan =
                read("parameters: [{name: m, type: categorical, values: [on, 010, \"3\", 1e-3, true, 1:30]}]");

        assertEquals(
                List.of("on", 10L, "3", 0.001, true, "1:30"),
                parameter(plan, "m").values());
    }

    @Test
    void readsTwoObjectives() {
        String parameters = "parameters: [{name: a, type: boolean}]";

        SearchPlan plan = read("objective: [cpu, rss]\ndirection: [minimize, maximize]\n" + parameters);
        assertEquals(Optional.of("cpu"), plan.objective());
        assertEquals(Optional.of("rss"), plan.secondObjective());
        assertEquals(Optional.of(Direction.MAXIMIZE), plan.space().secondDirection());
        assertEquals("[\"cpu\",\"rss\"]", plan.document().get("objective").toString());
        assertEquals(
                "[\"minimize\",\"maximize\"]", plan.document().get("direction").toString());

        SearchPlan both = read("objective: [cpu, rss]\ndirection: maximize\n" + parameters);
        assertEquals(Direction.MAXIMIZE, both.space().direction());
        assertEquals(Optional.of(Direction.MAXIMIZE), both.space().secondDirection());

        SearchPlan one = read("objective: [cpu]\n" + parameters);
        assertEquals(read("objective: cpu\n" + parameters).document(), one.document());
        assertFalse(one.hasTwoObjectives());
    }

    @Test
    void fillsInWhatIsLeftOut() {
        SearchPlan plan = read("parameters: [{name: a, type: boolean}]");

        assertEquals(40, plan.evaluations());
        assertEquals(1, plan.seed());
        assertTrue(plan.noisy());
        assertTrue(plan.stopEarly());
        assertFalse(plan.document().has("stopEarly"), "as in journals from before there was this");
        assertFalse(read("stop-early: false\nparameters: [{name: a, type: boolean}]")
                .stopEarly());
        assertEquals(Direction.MINIMIZE, plan.space().direction());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[{\"name\": \"TrivialInliningSize\", \"range\": [10, 25]}]",
                "{\"parameters\": [{\"name\": \"TrivialInliningSize\", \"range\": \"10..25\"}]}",
                "{\"parameters\": {\"TrivialInliningSize\": [10, 25]}}",
                "{\"parameters\": {\"TrivialInliningSize\": \"10-25\"}}",
                "{\"parameters\": {\"TrivialInliningSize\": {\"range\": {\"min\": 10, \"max\": 25}, \"default\": 10}}}"
            })
    void readsTwittersLayout(String text) {
        Parameter only = read(text).space().parameters().get(0);

        assertEquals("TrivialInliningSize", only.name());
        assertEquals(Type.INT, only.type());
        assertEquals(10, only.min().orElseThrow());
        assertEquals(25, only.max().orElseThrow());
    }

    @Test
    void takesARangeWithAPointAnywhereForOneOfAllNumbers() {
        assertEquals(
                Type.FLOAT,
                parameter(read("{\"parameters\": {\"a\": [0.0, 1.0]}}"), "a").type());
        assertEquals(
                Type.FLOAT,
                parameter(read("parameters: [{name: a, range: 1..5, default: 2.5}]"), "a")
                        .type());
        assertEquals(
                Type.FLOAT,
                parameter(read("parameters: [{name: a, range: [0, 1], step: 0.1}]"), "a")
                        .type());
        assertEquals(
                Type.INT,
                parameter(read("parameters: [{name: a, range: [0, 10], step: 2}]"), "a")
                        .type());
    }

    @Test
    void takesTheTwoValuesOfABooleanForLeftOut() {
        assertEquals(
                read("parameters: [{name: a, type: boolean}]").document(),
                read("parameters: [{name: a, type: boolean, values: [false, true]}]")
                        .document());
    }

    /** As programs write them that print all fields of an object. */
    @Test
    void takesAKeyThatIsNullForLeftOut() {
        String plain = "{\"parameters\": [{\"name\": \"m\", \"type\": \"categorical\", \"values\": [\"a\", \"b\"]},"
                + " {\"name\": \"x\", \"type\": \"int\", \"min\": 1, \"max\": 9}]}";
        String full = plain.replace("{\"parameters\"", "{\"seed\": null, \"constraints\": null, \"parameters\"")
                .replace("\"b\"]", "\"b\"], \"min\": null, \"max\": null, \"default\": null, \"when\": null")
                .replace("\"max\": 9", "\"max\": 9, \"range\": null, \"step\": null, \"values\": null");

        assertEquals(read(plain).document(), read(full).document());
        assertEquals(
                Optional.empty(),
                parameter(read("parameters:\n  - name: a\n    type: boolean\n    default:\n"), "a")
                        .defaultValue());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{mode: a}",
                "{mode: [a]}",
                "{parameter: mode, values: [a]}",
                "{parameter: mode, value: a}",
                "{parameter: mode, equals: a}",
                "{parameter: mode, in: [a]}",
                "{name: mode, value: a}",
                "'mode == a'"
            })
    void readsConditionsInAnyForm(String when) {
        SearchPlan plan = read("parameters:\n  - {name: mode, type: categorical, values: [a, b]}\n"
                + "  - {name: on, type: boolean, when: " + when + "}\n");

        assertEquals(
                Optional.of(Condition.of("mode", List.of("a"))),
                parameter(plan, "on").when());
    }

    @Test
    void readsWhatMustHoldBetweenParameters() {
        Space space =
                read("parameters: {a: [1, 9], b: [1, 9]}\nassert: [a <= 2 * b]").space();

        assertEquals("a=8 b=4", SearchPlan.print(space.configuration(Map.of("a", 8, "b", 4))));
        assertEquals(
                "expected a <= 2 * b, found a=9 b=4",
                assertThrows(IllegalArgumentException.class, () -> space.configuration(Map.of("a", 9, "b", 4)))
                        .getMessage());
    }

    @Test
    void readsSumsOnBothSidesOfARule() {
        Space space = read("parameters: {a: [0, 9], a+b: [0, 9], c: [0, 9]}\n"
                        + "assert: ['a + 2 * c <= a+b+3', c - a != 2e0 - 1, 3 > -1 * c + a]")
                .space();

        assertEquals("a=2 a+b=3 c=2", SearchPlan.print(space.configuration(Map.of("a", 2, "a+b", 3, "c", 2))));
        for (Map<String, Integer> broken : List.of(
                Map.of("a", 2, "a+b", 2, "c", 2), Map.of("a", 1, "a+b", 9, "c", 2), Map.of("a", 5, "a+b", 9, "c", 2))) {
            assertThrows(IllegalArgumentException.class, () -> space.configuration(broken));
        }
    }

    @Test
    void readsWholeNumbersOfAnyLength() {
        String parameters = "\nparameters: [{name: a, type: float, min: 0, max: 99999999999999999999}]";

        assertEquals(
                1234567890123456789L,
                read("seed: 1234567890123456789" + parameters).seed());
        assertEquals(
                Long.MIN_VALUE, read("seed: -9223372036854775808" + parameters).seed());
        assertEquals(
                "s.yaml:1:7: expected a whole number from -9223372036854775808 to 9223372036854775807, found"
                        + " '9223372036854775808'",
                assertThrows(SpaceException.class, () -> read("seed: 9223372036854775808" + parameters))
                        .getMessage());
        assertEquals(1e20, parameter(read("seed: 1" + parameters), "a").max().orElseThrow());
    }

    @Test
    void readsHowLongAllTakes() {
        String parameters = "\nparameters: [{name: a, type: boolean}]";
        SearchPlan plan = read("time: 8h\nwarmup: 20\nduration: 1m30s" + parameters);

        assertEquals(Optional.of(Duration.ofHours(8)), plan.timeBudget());
        assertEquals(Optional.of(Duration.ofSeconds(20)), plan.warmup());
        assertEquals(Optional.of(Duration.ofSeconds(90)), plan.duration());
        assertEquals("\"1m30s\"", plan.document().get("duration").toString());
        assertEquals(Optional.empty(), read("warmup: auto" + parameters).warmup());
        assertEquals(
                read(parameters).document(), read("time: 8h" + parameters).document(), "more time is no other search");
    }

    @Test
    void mergesMappingsAsYamlDoes() {
        SearchPlan plan = read("parameters:\n  - &a {name: a, type: int, min: 1, max: 9, default: 3}\n"
                + "  - {<<: *a, name: b, max: 7}\n"
                + "  - &f {<<: [{max: 5}, *a], name: c}\n"
                + "  - {name: d, <<: *f}\n");

        assertEquals(7, parameter(plan, "b").max().orElseThrow());
        assertEquals(Optional.of(3L), parameter(plan, "b").defaultValue());
        assertEquals(5, parameter(plan, "c").max().orElseThrow());
        assertEquals(parameter(plan, "c").max(), parameter(plan, "d").max());
        assertEquals(Type.INT, parameter(plan, "d").type());
    }

    @Test
    void mergesAMappingIntoAnyNumberOfParameters() {
        StringBuilder text = new StringBuilder("parameters:\n  - &a {name: a, type: int, min: 1, max: 9}\n");
        for (int i = 0; i < 99; i++) {
            text.append("  - {<<: *a, name: b").append(i).append("}\n");
        }

        assertEquals(100, read(text.toString()).space().parameters().size());
    }

    @Test
    void comparesNumbersAsNumbers() {
        SearchPlan plan = read("evaluations: 1e2\nseed: 7.0\nparameters:\n"
                + "  - {name: a, type: categorical, values: [1.0, 2.0, 'x'], default: 1}\n"
                + "  - {name: b, type: boolean, when: {a: 2}}\n");

        assertEquals(100, plan.evaluations());
        assertEquals(7, plan.seed());
        assertEquals(Optional.of(1.0), parameter(plan, "a").defaultValue());
        assertEquals(
                Map.of("a", 2.0, "b", true),
                JsonLines.configuration(plan.space(), JsonLines.parse("{\"parameters\": {\"a\": 2, \"b\": true}}"))
                        .values());
    }

    @Test
    void endsARangeAtTheLastStepBelowItsMax() {
        Parameter whole = parameter(read("parameters: [{name: a, type: int, min: 0, max: 9, step: 4}]"), "a");
        Parameter any = parameter(read("parameters: [{name: a, type: float, min: 0.1, max: 1, step: 0.2}]"), "a");
        Parameter most = parameter(read("parameters: [{name: a, type: float, min: 0.1, max: 1e15, step: 0.3}]"), "a");

        assertEquals(8, whole.max().orElseThrow());
        assertEquals(OptionalLong.of(3), whole.count());
        assertEquals(0.9, any.max().orElseThrow());
        assertEquals(OptionalLong.of(5), any.count());
        assertEquals(1e15, most.max().orElseThrow(), 1);
        assertEquals(
                "s.yaml:1:69: parameter a: default: must be a whole number from 0 to 8 in steps of 4, is 9",
                assertThrows(
                                SpaceException.class,
                                () -> read("parameters: [{name: a, type: int, min: 0, max: 9, step: 4, default: 9}]"))
                        .getMessage());
    }

    @Test
    void pinsAParameterToItsOnlyValue() {
        Space space = read("parameters:\n  - {name: a, type: float, min: 2.5, max: 2.5}\n"
                        + "  - {name: b, type: log-int, range: 7..7}\n"
                        + "  - {name: c, type: categorical, values: [x]}\n"
                        + "  - {name: d, type: int, values: [3]}\n"
                        + "  - {name: e, type: boolean}\n")
                .space();

        for (Parameter one : space.parameters().subList(0, 4)) {
            assertEquals(OptionalLong.of(1), one.count(), one.name());
        }
        assertEquals(
                "a=2.5 b=7 c=x d=3 e=true",
                SearchPlan.print(space.configuration(Map.of("a", 2.5, "b", 7, "c", "x", "d", 3, "e", true))));
    }

    @Test
    void printsLongNumbersWithAnExponent() {
        assertEquals("0.0000123457", SearchPlan.print(1.23456789e-5));
        assertEquals("1.23457E-300", SearchPlan.print(1.23456789e-300));
        assertEquals("-2E+300", SearchPlan.print(-2e300));
    }

    @Test
    void printsAllDigitsOfWhatIsToBeCopied() {
        Space space = read("parameters: {a: [0.0, 1.0], b: [0, 9]}").space();

        assertEquals(
                "a=0.123456789012 b=7",
                SearchPlan.printWhole(space.configuration(Map.of("a", 0.123456789012, "b", 7))));
        assertEquals(
                "a=1.23456789012E-12 b=7",
                SearchPlan.printWhole(space.configuration(Map.of("a", 1.23456789012e-12, "b", 7))));
    }

    @Test
    void takesNegativeZeroForZero() {
        Space space = read("parameters: {a: [0, 9], b: [0, 9]}\nassert: [-1 * a == b, -1 * a >= 0, a <= -0]")
                .space();

        assertEquals("a=0 b=0", SearchPlan.print(space.configuration(Map.of("a", 0, "b", 0))));
    }

    @Test
    void turnsValuesIntoOptions() {
        SearchPlan plan = read("memory: 128m\nparameters:\n"
                + "  - {name: A, type: int, min: 1, max: 9}\n"
                + "  - {name: B, type: boolean}\n"
                + "  - {name: C, type: float, min: 0, max: 1, flag: '{graal}C={}'}\n"
                + "  - {name: D, type: categorical, values: [x, 'y'], flag: {x: '', 'y': '-Dd -De'}}\n"
                + "  - {name: E, type: int, min: 1, max: 9, auto: 0, flag: '-Xms{}m -Xmx{}m'}\n"
                + "  - {name: F, type: boolean, flag: -Xf}\n"
                + "  - {name: G, type: boolean, flag: '-Dg={}'}\n");

        assertEquals(
                List.of("-XX:A=3", "-XX:+B", "-Dgraal.C=0.00001", "-Dd", "-De", "-Xms4m", "-Xmx4m", "-Xf", "-Dg=true"),
                plan.options(
                        plan.space()
                                .configuration(
                                        Map.of("A", 3, "B", true, "C", 1e-5, "D", "y", "E", 4, "F", true, "G", true)),
                        17));
        assertEquals(
                List.of("-XX:A=3", "-XX:-B", "-Djdk.graal.C=1", "-Dg=false"),
                plan.options(
                        plan.space()
                                .configuration(
                                        Map.of("A", 3, "B", false, "C", 1, "D", "x", "E", 0, "F", false, "G", false)),
                        25));
        assertEquals(Optional.of(0L), parameter(plan, "E").defaultValue());
        assertEquals(OptionalLong.of(128 << 20), plan.memoryBytes());
    }

    static List<String> builtIn() {
        return SpaceFile.builtIn();
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void hasSpacesOfItsOwn(String name) {
        SearchPlan plan = SpaceFile.builtIn(name).orElseThrow();

        assertTrue(plan.space().defaults().isPresent());
        assertTrue(plan.target().isPresent());
        for (Parameter one : plan.space().parameters()) {
            assertTrue(plan.flags().containsKey(one.name()), one.name());
        }
        assertFalse(plan.options(plan.space().defaults().get(), 17).stream().anyMatch(option -> option.contains("{")));
    }

    @Test
    void hasTwittersThreeParameters() {
        SearchPlan plan = SpaceFile.builtIn("graal-inlining").orElseThrow();

        assertEquals(
                List.of("TrivialInliningSize", "MaximumInliningSize", "SmallCompiledLowLevelGraphSize"),
                plan.space().parameters().stream().map(Parameter::name).collect(Collectors.toList()));
        assertEquals(
                List.of(
                        "-Djdk.graal.TrivialInliningSize=10",
                        "-Djdk.graal.MaximumInliningSize=300",
                        "-Djdk.graal.SmallCompiledLowLevelGraphSize=330"),
                plan.options(plan.space().defaults().orElseThrow(), 22));
        assertEquals(Optional.empty(), SpaceFile.builtIn("graal"));
    }

    // Each: what stands in the file, with ; for a line's end, and what is said of it.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | 1:1: expected the key 'parameters', found an empty file",
                "seed: 1 | 1:1: expected the key 'parameters', found seed",
                "{} | 1:1: expected the key 'parameters', found an empty mapping",
                "a: [1 | 1:6: neither YAML nor JSON: expected ',' or ']', but got <stream end>",
                "seed: 1;---;seed: 2 | 2:1: neither YAML nor JSON: expected a single document in the stream, but found another document",
                "7 | 1:1: expected a space, which is a mapping with the key 'parameters', found '7'",
                "parameters: 7 | 1:13: expected a list of parameters, found '7'",
                "parameters: [] | 1:13: expected at least one parameter, found none",
                "parameters: [7] | 1:14: expected a parameter, which is a mapping with name, type and range, found '7'",
                "parameters: [{type: int}] | 1:14: a parameter without the key 'name'",
                "parameters: [{name: a}] | 1:14: a parameter without the key 'type'",
                "parameters: [{name: '', type: int}] | 1:21: expected the name of a parameter, found an empty text",
                "parameters: [{name: a, type: whole}] | 1:30: type: expected one of int, log-int, float, log-float, boolean, categorical, found 'whole'",
                "parameters: [{name: a, type: int, max: 3}] | 1:14: parameter a: min: must be set, or values listed",
                "parameters: [{name: a, type: int, min: x, max: 3}] | 1:40: expected a number, found 'x'",
                "parameters: [{name: a, type: int, min: \"1\", max: 3}] | 1:40: expected a number, found '\"1\"'",
                "parameters: [{name: a, type: int, min: 1, max: 3, default: '2'}] | 1:60: parameter a: default: must be a whole number from 1 to 3, is \"2\"",
                "parameters: [{name: a, type: int, values: ['1', '2']}] | 1:43: parameter a: values: must be whole numbers, found \"1\"",
                "parameters: [{name: a, type: categorical, values: ['1', x], default: 1}] | 1:70: parameter a: default: must be one of \"1\", x, is 1",
                "parameters: [{name: a, type: int, values: [1]}, {name: b, type: boolean, when: {a: '1'}}] | 1:49: parameter b: when: parameter a: value: must be one of 1, is \"1\"",
                "parameters: {a: [1, 2]};configurations: [{a: '2'}] | 2:18: parameter a: value: must be a whole number from 1 to 2, is \"2\"",
                "parameters: {a: [1, 2]};noisy: 'true' | 2:8: expected true or false, found '\"true\"'",
                "parameters: [{name: a, type: int, min: .inf, max: 3}] | 1:40: expected a number, found '.inf'",
                "parameters: [{name: a, type: int, min: 4, max: 3}] | 1:40: parameter a: min: must be at most max 3, is 4",
                "parameters: [{name: a, type: log-float, min: 0, max: 3}] | 1:46: parameter a: min: must be above 0 on a log scale, found 0",
                "parameters: [{name: a, type: log-int, min: 1, max: 1e18}] | 1:52: parameter a: max: must be at most 2^53, or -2^53 at least, is 1.0E18",
                "parameters: [{name: a, type: categorical, values: [null, 1]}] | 1:52: expected a number, a boolean or a text, found nothing; quote \"null\" where it is a text",
                "parameters: [{name: a, type: int, min: null, max: 3}] | 1:14: parameter a: min: must be set, or values listed",
                "parameters: [{name: a, <<: b}] | 1:28: expected a mapping to merge, found 'b'",
                "parameters: [&p {name: a, <<: *p}] | 1:14: expected a mapping to merge, found one that merges itself",
                "parameters: [{name: a, <<: {typ: int}}] | 1:29: unknown key 'typ'; known are name, type, min, max, range, step, values, default, when, flag, auto",
                "parameters: {a: [1, 2]};evaluations: 2.5 | 2:14: expected a whole number from 1 to 10000, found '2.5'",
                "parameters: [{name: a, type: int, min: 0.5, max: 3}] | 1:40: parameter a: min: must be a whole number, is 0.5",
                "parameters: [{name: a, type: int, min: 0, max: 3, step: 0}] | 1:57: parameter a: step: must be above 0, is 0",
                "parameters: [{name: a, type: int, min: 0, max: 3, step: 4}] | 1:57: parameter a: step: must be at most max 3 less min 0, is 4",
                "parameters: [{name: a, type: int, min: 0, max: 3, default: 9}] | 1:60: parameter a: default: must be a whole number from 0 to 3, is 9",
                "parameters: [{name: a, type: categorical}] | 1:14: parameter a: values: must be 1 or more, are none",
                "parameters: [{name: a, type: categorical, values: x}] | 1:51: expected a list of values, found 'x'",
                "parameters: [{name: a, type: categorical, values: [x, x]}] | 1:51: parameter a: values: must differ from each other, are [x, x]",
                "parameters: [{name: a, type: boolean, values: [x, z]}] | 1:47: parameter a: values: of a boolean are true and false, leave them out",
                "parameters: [{name: a, type: boolean, values: [true, true]}] | 1:47: parameter a: values: of a boolean are true and false, leave them out",
                "parameters: null | 1:13: expected a list of parameters, found nothing",
                "parameters: [{name: a, type: boolean, default: yes}] | 1:48: parameter a: default: must be true or false, is yes",
                "parameters: [{name: a, type: boolean, min: 1}] | 1:14: parameter a: min, max and step: go with numbers only, its type is boolean",
                "parameters: [{name: a, type: boolean, when: {b: 1}}] | 1:14: parameter a: when: unknown parameter 'b', known are a",
                "parameters: [{name: a, type: boolean, when: {b: 1e999}}] | 1:45: when b: expected a finite number, true, false or a text, found Infinity",
                "parameters: [{name: a, type: boolean, when: 'b == ,'}] | 1:45: when b: expected a value or more, found none",
                "parameters: [{name: a, type: boolean, when: {parameter: b, values: [1, 1e999]}}] | 1:45: when b: expected a finite number, true, false or a text, found Infinity",
                "parameters: [{name: a, type: float, min: 0, max: 1, default: 1e999}] | 1:62: parameter a: default: expected a finite number, true, false or a text, found Infinity",
                "parameters: [{name: a, type: float, values: [0, 1e999]}] | 1:45: parameter a: values: expected a finite number, true, false or a text, found Infinity",
                "parameters: [{name: a, range: 1..2, min: 1}] | 1:31: expected a range, or min and max, found both",
                "parameters: [{name: a, range: 1..2, max: 9}] | 1:31: expected a range, or min and max, found both",
                "parameters: [{name: a, type: float, min: -1e308, max: 1e308}] | 1:55: parameter a: max: must be above min -1.0E308 by at most 1.7976931348623157E308, is 1.0E308",
                "parameters: [{name: a, type: float, values: [-1e308, 1e308]}] | 1:45: parameter a: values: must be apart by at most 1.7976931348623157E308, are [-1.0E308, 1.0E308]",
                "parameters: [{name: a, type: float, min: 0, max: 1, step: 1e-300}] | 1:59: parameter a: step: must make at most 9007199254740992 steps from min to max, makes 1.00e+300",
                "parameters: [{name: a, type: int, min: -9007199254740992, max: 9007199254740992}] | 1:64: parameter a: max: must make at most 9007199254740992 steps from min to max, makes 1.80e+16",
                "parameters: [{name: a, type: boolean, when: {}}] | 1:45: expected one other parameter and its value, as in {gc: G1}, found none",
                "parameters: [{name: a, type: boolean, when: b}] | 1:45: expected when another parameter has which value, as in {gc: G1}, found 'b'",
                "parameters: [{name: a, type: boolean, flag: x}] | 1:45: expected a JVM option such as -XX:a={}, found 'x'",
                "parameters: [{name: a, range: 1..2, flag: -Xa}] | 1:43: expected {} where the value goes, as in -XX:a={}, found '-Xa'",
                "parameters: [{name: a, range: 7}] | 1:31: expected a range such as [10, 25] or 10..25, found '7'",
                "parameters: {a: null} | 1:17: expected a range such as [10, 25] or 10..25, found nothing",
                "parameters: [{name: a, typ: int}] | 1:24: unknown key 'typ'; known are name, type, min, max, range, step, values, default, when, flag, auto",
                "parameters: {a: [1, 2], a: [1, 3]} | 1:25: the key 'a' stands here twice",
                "parameters: [{name: a, range: 1..2}, {name: a, range: 1..2}] | 1:38: a second parameter named 'a'; names must differ",
                "parameters: {a: [1, 2]};colour: red | 2:1: unknown key 'colour'; known are direction, evaluations, time, seed, noisy, stop-early, target, objective, memory, warmup, duration, parameters, constraints, assert, configurations",
                "parameters: {a: [1, 2]};direction: down | 2:12: expected minimize or maximize, found 'down'",
                "parameters: {a: [1, 2]};direction: [minimize, maximize] | 2:12: expected minimize or maximize, found a list; where there are two, name both, as in objective: [a, b]",
                "parameters: {a: [1, 2]};objective: [a, b];direction: [minimize] | 3:12: expected a direction for each of the two objectives, found 1",
                "parameters: {a: [1, 2]};objective: [a, b, c] | 2:12: expected one objective or two, found 3",
                "parameters: {a: [1, 2]};objective: [a, a] | 2:16: the objective 'a' stands here twice",
                "parameters: {a: [1, 2]};objective: [] | 2:12: expected one objective or two, found 0",
                "parameters: {a: [1, 2]};evaluations: 0 | 2:14: expected a whole number from 1 to 10000, found '0'",
                "parameters: {a: [1, 2]};evaluations: many | 2:14: expected a whole number from 1 to 10000, found 'many'",
                "parameters: {a: [1, 2]};seed: [1] | 2:7: expected a whole number from -9223372036854775808 to 9223372036854775807, found a list",
                "parameters: {a: [1, 2]};noisy: 1 | 2:8: expected true or false, found '1'",
                "parameters: {a: [1, 2]};stop-early: maybe | 2:13: expected true or false, found 'maybe'",
                "parameters: {a: [1, 2]};time: 8 hours | 2:7: expected a duration such as 90s, 2m or 1h30m, of at most a year, found '8 hours'",
                "parameters: {a: [1, 2]};time: 0 | 2:7: expected a duration above 0, found '0'",
                "parameters: {a: [1, 2]};warmup: none | 2:9: expected auto or a duration such as 90s, 2m or 1h30m, of at most a year, found 'none'",
                "parameters: {a: [1, 2]};duration: 9000h | 2:11: expected a duration such as 90s, 2m or 1h30m, of at most a year, found '9000h'",
                "parameters: {a: [1, 2]};memory: 128 | 2:9: expected an amount of memory with its unit such as 128m or 1g, found '128'",
                "parameters: {a: [1, 2]};constraints: p99 | 2:14: expected a list of names of constraints, found 'p99'",
                "parameters: {a: [1, 2]};constraints: [p99, p99] | 2:20: the constraint 'p99' stands here twice",
                "parameters: {a: [1, 2]};assert: [a] | 2:10: expected two sides and <=, <, >=, >, == or != between them, as in ConcGCThreads <= ParallelGCThreads, found 'a'",
                "parameters: {a: [1, 2]};assert: [a < b] | 2:10: unknown parameter 'b'; known are a",
                "parameters: {a: [1, 2]};assert: [a + < 2] | 2:10: expected numbers, parameters and NUMBER * PARAMETER with + or - between them, found 'a +'",
                "parameters: {a: [1, 2]};assert: [a a < 2] | 2:10: expected numbers, parameters and NUMBER * PARAMETER with + or - between them, found 'a a'",
                "parameters: {a: [1, 2]};assert: [2 < a + 3 * b] | 2:10: unknown parameter 'b'; known are a",
                "parameters: {a: [1, 2]};assert: [1 < 2] | 2:10: expected a parameter on one side, found '1 < 2'",
                "parameters: {a: [1, 2]};configurations: [{}] | 2:18: parameter a: value: must be set, found nothing",
                "parameters: {a: [1, 2]};configurations: [{a: 3}] | 2:18: parameter a: value: must be a whole number from 1 to 2, is 3"
            })
    void saysWhereASpaceIsWrong(String text, String expected) {
        SpaceException e = assertThrows(SpaceException.class, () -> read(text == null ? "" : text.replace(";", "\n")));

        assertEquals("s.yaml:" + expected, e.getMessage());
    }

    /** As of a text that is given in place of a space. */
    @Test
    void quotesTheBeginningOfWhatIsLong() {
        assertEquals(
                "s.yaml:1:1: expected a space, which is a mapping with the key 'parameters', found '" + "x".repeat(200)
                        + "...'",
                assertThrows(SpaceException.class, () -> read("x".repeat(2000))).getMessage());
    }

    @Test
    void saysWhichFileCannotBeRead() throws IOException {
        Path latin = Files.write(folder.resolve("l.yaml"), new byte[] {'a', (byte) 0xe4});

        assertEquals(
                latin + ": expected a space in UTF-8, found other bytes",
                assertThrows(SpaceException.class, () -> SpaceFile.read(latin)).getMessage());
        assertEquals(
                folder.resolve("no.yaml") + ": no such space file",
                assertThrows(SearchException.class, () -> SpaceFile.read(folder.resolve("no.yaml")))
                        .getMessage());
        assertTrue(assertThrows(SpaceException.class, () -> SpaceFile.read(Path.of("/dev/zero")))
                .getMessage()
                .endsWith("expected a space of at most 1048576 bytes, found more"));
    }
}
