package dev.lockstep.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExperimentRunTest {
    private static final Path GOLDEN = Paths.get("src/test/resources/dev/lockstep/experiment");

    @TempDir
    private Path folder;

    private final TestingRunner runner = new TestingRunner();
    private final List<String> heard = new ArrayList<>();

    private ExperimentResult run(Size size) {
        return ExperimentRun.run(example(), size, folder, runner, new ExperimentListener() {
            @Override
            public void begins(String part, int number, int of) {}

            @Override
            public void ended(String part, String what) {
                heard.add(part + ": " + what.replaceAll(" \\([0-9]+ s\\)", ""));
            }
        });
    }

    private static Definition example() {
        try {
            return Definition.read(
                    Paths.get(ExperimentRunTest.class.getResource("example").toURI()));
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void goesOnWithThePartThatWasCutByAKill() {
        runner.killedAt = "kind-b";
        assertThrows(IllegalStateException.class, () -> run(Size.QUICK));
        assertEquals(List.of("kind-a", "kind-b"), runner.carriedOut);

        runner.carriedOut.clear();
        runner.killedAt = null;
        run(Size.QUICK);

        assertEquals(List.of("kind-b", "128m", "192m"), runner.carriedOut);
        assertTrue(heard.contains("kind-a: done before"), heard::toString);
    }

    @Test
    void doesNothingAgainOnceAllIsDone() {
        ExperimentResult first = run(Size.QUICK);
        runner.carriedOut.clear();

        ExperimentResult second = run(Size.QUICK);

        assertEquals(List.of(), runner.carriedOut);
        assertEquals(first.toJson(), second.toJson());
    }

    private void giveAnotherCommandToA() throws IOException {
        Path state = folder.resolve("experiment.json");
        Files.writeString(
                state, Files.readString(state).replaceFirst("http://h/a", "http://h/another"), StandardCharsets.UTF_8);
    }

    @Test
    void carriesOutAgainWhatHadAnotherCommand() throws IOException {
        run(Size.QUICK);
        giveAnotherCommandToA();
        runner.carriedOut.clear();

        run(Size.QUICK);

        assertEquals(List.of("kind-a"), runner.carriedOut);
    }

    @Test
    void takesNoResultOfAnEarlierAttemptForItsOwn() throws IOException {
        run(Size.QUICK);
        giveAnotherCommandToA();
        runner.failing = "kind-a";

        ExperimentResult result = run(Size.QUICK);

        assertTrue(heard.contains("kind-a: failed: graal: no such JVM"), heard::toString);
        assertEquals(
                "Failed: graal: no such JVM.", result.figures().get(0).comment().split(" Not published")[0]);
    }

    @Test
    void knowsNoLeastValueWhereOneThatWasTriedIsInvalidAndTriesItAgain() {
        runner.invalid = "128m";

        ExperimentResult result = run(Size.QUICK);

        assertEquals(List.of("kind-a", "kind-b", "128m"), runner.carriedOut);
        assertTrue(
                result.toJson().contains("128m was INVALID: it was late; the same command tries it again."),
                result.toJson());
        runner.invalid = null;
        runner.carriedOut.clear();
        run(Size.QUICK);
        assertEquals(List.of("128m", "192m"), runner.carriedOut);
    }

    @Test
    void saysWhatIsInterrupted() {
        runner.interrupted = true;

        ExperimentResult result = run(Size.QUICK);

        assertTrue(result.isInterrupted());
        assertTrue(result.figures().get(0).comment().startsWith("Not done yet: the same command goes on."));
        assertEquals(List.of(), runner.carriedOut);
    }

    @Test
    void keepsAFailedPartInTheTableAndTriesItAgain() {
        ExperimentResult result = run(Size.FULL);

        Figure failed = result.figures().get(1);
        assertEquals("requests/s, b", failed.name());
        assertTrue(failed.here().isEmpty());
        assertEquals("Failed: target graal: the JVM died.", failed.comment());
        assertTrue(result.hasResult());
        runner.carriedOut.clear();
        run(Size.FULL);
        assertEquals(List.of("kind-b"), runner.carriedOut);
    }

    @Test
    void refusesTheDirectoryOfAnotherSize() {
        run(Size.QUICK);

        ExperimentException e = assertThrows(ExperimentException.class, () -> run(Size.FULL));

        assertEquals(
                folder.resolve("experiment.json") + ": expected the parts of example --full, found those of example"
                        + " --quick; choose another directory with -o",
                e.getMessage());
    }

    @Test
    void printsTheTable() throws IOException {
        assertGolden("quick.txt", String.join("\n", run(Size.QUICK).lines()) + "\n");
    }

    @Test
    void printsJson() throws IOException {
        assertGolden("quick.json", run(Size.QUICK).toJson().replace(folder.toString(), "DIRECTORY"));
    }

    @Test
    void saysOfASmokeRunThatItProvesNothingElse() {
        ExperimentResult result = run(Size.SMOKE);

        assertTrue(result.lines().get(1).startsWith("SMOKE: "));
        assertTrue(result.toJson().contains("\"note\" : \"SMOKE: "));
        assertFalse(result.figures().get(0).comment().contains("grees"));
    }

    /** With {@code -Dgolden.write} the file is written instead. */
    private static void assertGolden(String name, String found) throws IOException {
        Path file = GOLDEN.resolve(name);
        if (System.getProperty("golden.write") != null) {
            Files.writeString(file, found);
        }
        assertEquals(Files.readString(file), found);
    }
}
