package dev.lockstep.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class DefinitionTest {
    private static final Path EXPERIMENTS = Paths.get("../experiments");

    @TempDir
    private Path folder;

    static Stream<String> experiments() {
        return Definition.names(EXPERIMENTS).stream();
    }

    @ParameterizedTest
    @MethodSource("experiments")
    void hasPartsOfEachSizeAndPublishedFigures(String name) {
        Definition definition = Definition.read(EXPERIMENTS.resolve(name));

        for (Size size : Size.values()) {
            assertFalse(definition.parts(size).isEmpty());
        }
        assertTrue(definition.figures(Size.FULL).values().stream()
                .anyMatch(where -> !where.getKey().published.isEmpty()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "title: A|{title: A|experiment.yaml: while parsing",
                "ratio: throughput|ratio: speed|figures[0].ratio: expected one of cpuPerRequest,",
                "unit: '%'|unity: '%'|figures[0]: unknown key 'unity'; known are name,",
                "-z 1s http|-z {time} http|parts[0].command: unknown placeholder {time}",
                "name: part|name: a/b|parts[0].name: expected a name of letters, digits and -._@+, found 'a/b'",
                "unit: '%'|unit: '%', corrected: 3|figures[0].corrected: expected figures that published has",
                "1s http://h/'|1s --assert c2.errors==0 http://h/', tries: [512m, 1g]|parts[0].tries: expected amounts of one",
                "1s http://h/'|1s --assert c2.errors==0 http://h/', tries: [128m, 64m]|parts[0].tries: expected amounts of one",
                "unit: '%'|unit: '%', judged: perhaps|figures[0].judged: expected true or false, found 'perhaps'",
                "unit: '%'|unit: '%', published: [5, 3]|figures[0].published: expected a range in rising order, found [5, 3]",
                "unit: '%'|unit: '%', published: [5]|figures[0].published: expected a number, or two for a range, found a",
                "parts:|connectionsTo: all;parts:|sizes.smoke.connections: expected a whole number",
                "asks: B|asks: [B]|asks: expected a text, found a list",
                // After hours the table would be missing.
                "ratio: throughput, target: a, over: b|number: best/ratio, file: a.json|figures[0].number: expected a JSON "
                        + "pointer such as /best/ratio, found 'best/ratio'",
                "ratio: throughput, target: a, over: b|jmh: bytes, file: a.json|figures[0].jmh: expected parameters such "
                        + "as size=64 kind=heap, found 'bytes'",
                // What would be missing unsaid, perhaps after hours.
                "name: part,|name: part, foreach: [kind],|parts[0].foreach: expected a variable of sizes.smoke, found 'kind'",
                "name: part,|name: part, sizes: [smoke, ful],|parts[0].sizes: expected smoke, quick or full, found 'ful'",
                "unit: '%'|unit: '%', foreach: [kind]|figures[0].foreach: expected a variable of sizes.full, found 'kind'",
                "part: part|part: prat|figures[0].part: expected a part of some size, found 'prat'",
                "unit: '%'|unit: '%', published: {c2: 5}|figures[0].published: expected values of the variables in foreach",
                "figures:|figures:;  - {name: F, unit: s, part: part, value: p50, target: a}|figures[1].name: 'F' stands here twice",
            })
    void refusesWhatIsWrongInOneLine(String right, String wrong, String message) throws IOException {
        String text = "title: A\nasks: B\nsource: C\nrig: D\nexpected: E\nsizes: {smoke: {}, quick: {}, full: {}}\n"
                + "parts:\n  - {name: part, command: '--targets c2 -z 1s http://h/'}\n"
                + "figures:\n  - {name: F, unit: '%', part: part, ratio: throughput, target: a, over: b}\n";
        Files.writeString(folder.resolve(Definition.FILE), text);
        assertEquals("part", Definition.read(folder).parts(Size.SMOKE).get(0).name());

        assertTrue(text.contains(right));
        Files.writeString(folder.resolve(Definition.FILE), text.replace(right, wrong.replace(';', '\n')));
        ExperimentException e = assertThrows(ExperimentException.class, () -> Definition.read(folder));

        assertTrue(e.getMessage().contains(message), e.getMessage());
        assertFalse(e.getMessage().contains("\n"), e.getMessage());
    }

    /** A session has 20,000 descriptors or fewer on many machines; the experiment is of ratios. */
    @Test
    void comparesEchoServersOverAsManyConnectionsAsThisProcessCanHold() {
        Definition netty = Definition.read(EXPERIMENTS.resolve("netty-buffers"), targets -> 20_000 / targets);

        for (Part part : netty.parts(Size.FULL)) {
            assertFalse(part.words().contains("16384") && !part.name().equals("buffers"), part.name());
            assertEquals(!part.name().equals("buffers"), part.words().contains("5000"), part.name());
        }
        assertTrue(
                netty.parts(Size.QUICK).stream().noneMatch(part -> part.note().isPresent()));
    }

    @Test
    void takesDurationsFromPlansAndFromTheDefinition() {
        Path example = Paths.get("src/test/resources/dev/lockstep/experiment/example");

        // Two kinds of a second each, a part that says 90 s, and at most three tries of a second.
        assertEquals(95_000_000_000L, Definition.read(example).aboutNs(Size.QUICK, new TestingRunner()));
    }
}
