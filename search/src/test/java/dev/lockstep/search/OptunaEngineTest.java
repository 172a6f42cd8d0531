package dev.lockstep.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of an outside optimiser, docs/examples/optuna-engine.py, on a stand-in for Optuna itself. */
final class OptunaEngineTest {
    private static final SearchPlan PLAN = SpaceFile.read(
            "s.json",
            "{\"seed\": 7, \"parameters\": ["
                    + "{\"name\": \"x\", \"type\": \"log-float\", \"min\": 0.1, \"max\": 10, \"step\": 0.1, \"default\": 1},"
                    + " {\"name\": \"n\", \"type\": \"log-int\", \"min\": 10, \"max\": 1000, \"step\": 10, \"default\": 50}]}");

    @TempDir
    private Path folder;

    @BeforeAll
    static void needsPython() throws IOException, InterruptedException {
        assumeTrue(new ProcessBuilder("sh", "-c", "type python3").start().waitFor() == 0, "there is no python3");
    }

    private static ProgramEngine engine(Path directory) throws URISyntaxException {
        return engine(directory, PLAN, "random");
    }

    private static ProgramEngine engine(Path directory, SearchPlan plan, String sampler) throws URISyntaxException {
        Path stub = Path.of(
                OptunaEngineTest.class.getResource("/optuna-stub/optuna").toURI());
        return ProgramEngine.start(
                "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='" + stub.getParent() + "' exec python3 '"
                        + Path.of("../docs/examples/optuna-engine.py").toAbsolutePath() + "' " + sampler,
                plan,
                9,
                directory,
                environment -> {},
                () -> false);
    }

    private static String log(Path directory) throws IOException {
        return Files.readString(directory.resolve("engine.log"));
    }

    @Test
    void roundsToTheStepsOfALogScaleAsksForTheDefaultFirstAndGoesOnAfterAKill() throws Exception {
        Configuration usual = PLAN.space().defaults().orElseThrow();
        Path killed = Files.createDirectory(folder.resolve("killed"));
        Trial first;
        try (ProgramEngine engine = engine(killed)) {
            first = engine.ask().orElseThrow();
            assertEquals(usual, first.configuration());
            engine.tell(first, Observation.failed("no"));
            assertEquals(
                    "x=4.4 n=440", SearchPlan.print(engine.ask().orElseThrow().configuration()));
        }
        assertTrue(log(killed).contains("sampler 7\n"), log(killed));

        Path later = Files.createDirectory(folder.resolve("later"));
        try (ProgramEngine engine = engine(later)) {
            engine.resume(first);
            engine.tell(first, Observation.failed("no"));
            assertEquals(
                    "x=4.4 n=440", SearchPlan.print(engine.ask().orElseThrow().configuration()));
        }
        assertTrue(log(later).contains("add FAIL {'x': 1.0, 'n': 50"), log(later));
        assertTrue(log(later).contains("sampler 8\n"), log(later));
        assertFalse(log(later).contains("enqueue"), log(later));
    }

    @Test
    void knowsAfterAKillWhichConstraintsWereViolated() throws Exception {
        SearchPlan plan = SpaceFile.read(
                "s.json",
                "{\"parameters\": [{\"name\": \"x\", \"type\": \"float\", \"min\": 0, \"max\": 1}],"
                        + " \"constraints\": [\"p99\", \"rss\"]}");
        try (ProgramEngine engine = engine(folder, plan, "tpe")) {
            for (int i = 1; i <= 2; i++) {
                Trial trial = Trial.of(i, plan.space().configuration(Map.of("x", 0.5)), Trial.Origin.MODEL);
                engine.resume(trial);
                engine.tell(
                        trial,
                        i == 1
                                ? Observation.builder()
                                        .value(2)
                                        .putConstraints("p99", 0.25)
                                        .build()
                                : Observation.failed("no"));
            }
            engine.ask();
        }

        assertTrue(log(folder).contains("add COMPLETE {'x': 0.5} {'constraints': [0.25, 0.0]}\n"), log(folder));
        assertTrue(log(folder).contains("add FAIL {'x': 0.5} {}\n"), log(folder));
    }

    /** What the stub draws, 0.437, breaks the rule; so does most of what is drawn at random then. */
    @Test
    void keepsRulesOfSums() throws Exception {
        SearchPlan plan = SpaceFile.read(
                "s.json",
                "{\"parameters\": {\"a\": [0.0, 1.0], \"a b\": [0.0, 1.0], \"c\": [0.0, 1.0]},"
                        + " \"assert\": [\"a + 2 * c - 0.5 <= 0.3\", \"-1 * a <= c-2e-1\"]}");
        try (ProgramEngine engine = engine(folder, plan, "random")) {
            Configuration found = engine.ask().orElseThrow().configuration();
            double a = found.number("a").orElseThrow();
            double c = found.number("c").orElseThrow();

            assertTrue(a + 2 * c - 0.5 <= 0.3, found.toString());
            assertTrue(-a <= c - 0.2, found.toString());
        }
    }
}
