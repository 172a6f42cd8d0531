package dev.lockstep.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.run.TestingCapture;
import dev.lockstep.run.TestingPrograms;
import dev.lockstep.search.Control;
import dev.lockstep.search.SearchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Searches with real JVMs, which run a small server of this test. */
@Timeout(240)
final class TuneJvmsTest {
    @TempDir
    private Path folder;

    private final TestingCommandLine line = new TestingCommandLine();

    @BeforeEach
    void describeTheTarget() throws IOException {
        List<String> command = List.of(
                "{java}",
                "{jvmOptions}",
                "-XX:TieredStopAtLevel=4",
                "-cp",
                TestingPrograms.classPath(TestingTunedServer.class),
                TestingTunedServer.class.getName(),
                "{port}");
        Files.writeString(
                folder.resolve("targets.yaml"),
                "targets:\n  - name: server\n    command: [\"" + String.join("\", \"", command) + "\"]\n");
        TestingCapture.gets(folder.resolve("capture.bin"), 1, 20, 1_000_000);
    }

    private int tune(TestingCommandLine on, String space, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(more));
        if (!words.contains("--warmup")) {
            words.addAll(List.of("--warmup", "0"));
        }
        return tuneAsSaid(on, space, words.toArray(new String[0]));
    }

    private int tuneAsSaid(TestingCommandLine on, String space, String... more) throws IOException {
        Path file = Files.writeString(folder.resolve("space.yaml"), space);
        List<String> words = new ArrayList<>(List.of("tune", file + "", folder.resolve("capture.bin") + ""));
        words.addAll(List.of(
                "--targets-file", folder.resolve("targets.yaml") + "", "-o", folder.resolve("search") + "", "-c", "1"));
        words.addAll(List.of("--max-lag", "30s"));
        words.addAll(List.of(more));
        return on.execute(words.toArray(new String[0]));
    }

    /** The default takes 8 ms; 2 ms is best; 13 does not start. */
    private static final String SPACE = "evaluations: 4\nparameters:\n"
            + "  - {name: ms, type: int, values: [2, 8, 13], default: 8, flag: '-Dtest.ms={}'}\n"
            + "configurations: [{ms: 2}, {ms: 13}]\nobjective: cpuPerRequest\nconstraints: [errors, 'rss <= 20GB']\n";

    @Test
    @Tag("full")
    void findsWhatIsBetterAndComparesItAfresh() throws IOException {
        assertEquals(ExitCode.DONE, tune(line, SPACE, "--verify", "quick"), line::err);

        String[] screen = line.out().split("\n");
        // Without a warm-up nothing is known to be steady, so that the verification claims nothing.
        assertTrue(screen[0].startsWith("NOT CONFIRMED: afresh, CPU per request of the best is 0."), line.out());
        assertEquals("  ms=2", find(screen, "  ms="), line.out());
        assertTrue(line.out().contains("VERDICT by CPU per request"), line.out());
        assertTrue(line.out().contains("it ended before it was ready with exit code 9"), line.out());
        String journal = Files.readString(folder.resolve("search/journal.jsonl"));
        assertTrue(journal.contains("\"constraints\":{\"errors\":-0.001,\"rss <= 20GB\":-0."), journal);
        assertTrue(journal.contains("\"failed\":\""), journal);
        assertTrue(journal.contains("\"effort\":\"quick\""), journal);
        // Places are swapped.
        assertEquals("control", first("001"));
        assertEquals("candidate", first("002"));
        RunResult verification = RunDirectoryReader.read(folder.resolve("search/verification"));
        assertEquals("default", verification.plan().baseline());
        assertTrue(Files.exists(folder.resolve("search/verification/report.html")));
        Control control = Control.of(folder.resolve("search"), () -> false);
        for (Control.Wish wish : List.of(Control.Wish.PAUSE, Control.Wish.SKIP, Control.Wish.CONCLUDE)) {
            assertThrows(SearchException.class, () -> control.wish(wish), "a verification heeds none");
        }

        // All is in the journal: nothing is started again.
        TestingCommandLine again = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(again, SPACE, "--verify", "quick"), again::err);
        assertEquals(line.out(), again.out());
        assertEquals("going on with 4 of 4 evaluations done\n", again.err());

        TestingCommandLine onceMore = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(onceMore, SPACE, "--verify", "quick", "--verify-again"), onceMore::err);
        assertTrue(onceMore.err().contains("verifying ms=2"), onceMore.err());
        screen = onceMore.out().split("\n");
        assertTrue(
                onceMore.out().replaceAll("\\s+", " ").contains("; verified once more, the one before was not-steady"),
                onceMore.out());

        // As where another configuration was best meanwhile, whose verification was not kept.
        Path run = folder.resolve("search/verification/run.json");
        String mine = Files.readString(run);
        Files.writeString(run, mine.replace("-Dtest.ms=2", "-Dtest.ms=3"));
        TestingCommandLine replaced = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(replaced, SPACE, "--verify", "quick"), replaced::err);
        assertTrue(replaced.err().contains("has no run of it any more"), replaced.err());

        // As after a verification of more launches that was killed.
        Files.delete(run);
        TestingCommandLine without = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(without, SPACE, "--verify", "quick"), without::err);
        assertEquals(screen[0], without.out().split("\n")[0]);
        assertTrue(without.err().contains("has no run of it any more"), without.err());
    }

    @Test
    @Tag("full")
    void takesAConfigurationThatAnswersNothingWellForAFailure() throws IOException {
        String space = SPACE.replace("{ms: 2}, {ms: 13}", "{ms: 3}")
                .replace("13", "3")
                .replace("evaluations: 4", "evaluations: 3");

        assertEquals(ExitCode.DONE, tune(line, space, "--verify", "none"), line::err);

        String journal = Files.readString(folder.resolve("search/journal.jsonl"));
        assertTrue(journal.contains("\"failed\":\"it answered no request well, which the control did\""), journal);
    }

    /** Two evaluations start four processes; then none starts any more, and no configuration is to blame. */
    @Test
    @Tag("full")
    void blamesNoConfigurationWhereTheControlDoesNotStartEither() throws IOException {
        Path file = folder.resolve("targets.yaml");
        Files.writeString(
                file,
                Files.readString(file)
                        .replace(
                                "\"-XX:TieredStopAtLevel=4\"",
                                "\"-XX:TieredStopAtLevel=4\", \"-Dtest.starts=" + folder.resolve("starts") + "\""));
        assertEquals(ExitCode.FAILED, tune(line, SPACE.replace(", {ms: 13}", ""), "--verify", "none"), line::out);

        assertTrue(line.err().contains("evaluation 3: neither candidate nor control starts"), line.err());
        String journal = Files.readString(folder.resolve("search/journal.jsonl"));
        assertEquals(2, journal.split("\"told\"", -1).length - 1, journal);
        assertFalse(journal.contains("\"failed\""), journal);
    }

    @Test
    @Tag("full")
    void tellsWhatWasFoundWhereItCannotBeVerified() throws IOException {
        String space = SPACE.replace(", {ms: 13}", "").replace("evaluations: 4", "evaluations: 3");
        assertEquals(ExitCode.DONE, tune(line, space, "--verify", "none"), line::err);
        Files.writeString(folder.resolve("search/verification"), "in the way");
        TestingCommandLine again = new TestingCommandLine();

        assertEquals(ExitCode.FAILED, tune(again, space, "--verify", "quick", "--json"), again::err);

        assertTrue(again.out().contains("\"best\""), again.out());
        assertTrue(again.err().contains("expected a directory for the run, found a file"), again.err());
        String page = Files.readString(folder.resolve("search/tune.html"));
        assertTrue(page.contains("NOT VERIFIED: the verification could not be carried out"), page);
    }

    @Test
    @Tag("full")
    void endsEarlyWhatIsSurelyWorse() throws IOException {
        String space = "evaluations: 3\nobjective: cpuPerRequest\nconfigurations: [{ms: 8}]\n"
                + "parameters: [{name: ms, type: int, values: [1, 8], default: 1, flag: '-Dtest.ms={}'}]\n";

        assertEquals(
                ExitCode.DONE, tune(line, space, "--verify", "none", "-z", "3s", "--schedule", "alternate"), line::err);

        assertTrue(line.err().contains(", stopped early"), line.err());
        String journal = Files.readString(folder.resolve("search/journal.jsonl"));
        assertTrue(
                journal.matches("(?s).*\"told\":\\{\"trial\":3,\"value\":[0-9.]+,\"variance\":[^\n]*"
                        + "\"stoppedEarly\":true.*"),
                journal);
        // Without a warm-up; as of any other.
        assertTrue(journal.matches("(?s).*\"told\":\\{\"trial\":3,[^\n]*not known to be steady.*"), journal);
        assertTrue(RunDirectoryReader.read(folder.resolve("search/evaluations/003"))
                .interrupted());
    }

    @Test
    @Tag("full")
    void comparesBothEndsOfAFrontAfresh() throws IOException {
        String space = "evaluations: 3\nobjective: [cpuPerRequest, rss]\nconfigurations: [{ms: 2}]\n"
                + "parameters: [{name: ms, type: int, values: [2, 8], default: 8, flag: '-Dtest.ms={}'}]\n";

        assertEquals(ExitCode.DONE, tune(line, space, "--verify", "quick", "--json"), line::err);

        assertTrue(line.out().contains("\"front\" : ["), line.out());
        assertTrue(line.out().contains("\"role\" : \"best-cpuPerRequest\""), line.out());
        String journal = Files.readString(folder.resolve("search/journal.jsonl"));
        assertTrue(journal.contains("\"values\":["), journal);
        assertTrue(journal.contains("\"second\":{\"finding\":\""), journal);

        TestingCommandLine again = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(again, space, "--verify", "quick", "--json"), again::err);
        assertEquals(line.out(), again.out());

        // Whatever was found, as if nothing had been decided.
        Files.writeString(
                folder.resolve("search/journal.jsonl"),
                journal.replaceAll("\"holds\":[a-z]+", "\"holds\":false")
                        .replaceAll("\"finding\":\"[a-z-]+\"", "\"finding\":\"inconclusive\"")
                        .replaceAll("\"violated\":\\[[^]]*],", ""));
        TestingCommandLine onceMore = new TestingCommandLine();
        assertEquals(
                ExitCode.DONE, tune(onceMore, space, "--verify", "quick", "--verify-again", "--json"), onceMore::err);
        assertTrue(onceMore.out().contains("; verified once more, the one before was inconclusive\""), onceMore.out());
    }

    /** The default is evaluated twice before anything else. */
    @Test
    @Tag("full")
    void comparesNoMemberOfAFrontThatIsTheDefault() throws IOException {
        String space = "evaluations: 2\nobjective: [cpuPerRequest, rss]\n"
                + "parameters: [{name: ms, type: int, values: [1, 2], default: 1, flag: '-Dtest.ms={}'}]\n";

        assertEquals(ExitCode.DONE, tune(line, space, "--verify", "quick"), line::err);

        assertTrue(line.out().startsWith("NOTHING BETTER than the default was found\n"), line.out());
        assertTrue(line.out().contains("best-cpuPerRequest"), line.out());
        assertFalse(Files.exists(folder.resolve("search/verification")));
    }

    /** HotSpot rounds the size down. */
    @Test
    @Tag("full")
    void evaluatesADefaultThatTheJvmRewritesTwice() throws IOException {
        String space = "evaluations: 2\nobjective: cpuPerRequest\nparameters:\n  - {name: MetaspaceSize, type: int,"
                + " min: 20000000, max: 40000000, default: 30000001}\n";

        assertEquals(ExitCode.DONE, tune(line, space, "--verify", "none"), line::err);

        String journal = Files.readString(folder.resolve("search/journal.jsonl"));
        for (int trial = 1; trial <= 2; trial++) {
            assertTrue(
                    journal.matches("(?s).*\"told\":\\{\"trial\":" + trial
                            + ",\"parameters\":\\{\"MetaspaceSize\":(?!30000001)[0-9]+},\"value\":.*"),
                    journal);
        }
    }

    private static String find(String[] lines, String begin) {
        for (String one : lines) {
            if (one.startsWith(begin)) {
                return one;
            }
        }
        return "";
    }

    private String first(String evaluation) {
        return RunDirectoryReader.read(folder.resolve("search/evaluations/" + evaluation))
                .plan()
                .targets()
                .get(0)
                .name();
    }

    @Test
    void startsNoTargetWhoseFlagsTheJvmRefuses() throws IOException {
        String space =
                "evaluations: 2\nseed: 2\nparameters:\n" + "  - {name: MaxInlineSize, type: int, min: -9, max: -2}\n";

        assertEquals(ExitCode.DONE, tune(line, space), line::err);

        assertTrue(line.out().startsWith("NO RESULT after 2 of 2 evaluations: "), line.out());
        assertTrue(line.out().contains("is outside the"), line.out());
        assertFalse(Files.exists(folder.resolve("search/evaluations")));
    }

    @Test
    @Tag("full")
    void tellsSearchesApartByAllThatChangesValuesAndKeepsSecrets() throws IOException {
        String space = "evaluations: 2\nparameters:\n  - {name: MaxInlineSize, type: int, min: -9, max: -2}\n";
        String[] secret = {"--jvm-options", "-Dpassword=hunter2"};
        assertEquals(ExitCode.DONE, tune(line, space, secret), line::err);
        TestingCommandLine other = new TestingCommandLine();
        assertEquals(ExitCode.FAILED, tune(other, space, "--jvm-options", "-Dpassword=hunter3"));
        assertTrue(other.err().contains("(they differ in plan)"), other.err());
        TestingCommandLine capped = new TestingCommandLine();
        assertEquals(ExitCode.FAILED, tune(capped, space, secret[0], secret[1], "--memory", "512m"));
        assertTrue(capped.err().contains("(they differ in plan)"), capped.err());
        TestingCommandLine again = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(again, space, secret), again::err);
        assertEquals("going on with 2 of 2 evaluations done\n", again.err());

        String kept = Files.readString(folder.resolve("search/journal.jsonl"))
                + Files.readString(folder.resolve("search/tune.html"));
        assertFalse(kept.contains("hunter2"));
        assertTrue(kept.contains(" with 1 JVM option of its own"), kept);
    }

    @Test
    void saysInADryRunWhatWouldBeTried() throws IOException {
        assertEquals(ExitCode.DONE, tune(line, SPACE, "--dry-run"), line::err);

        assertTrue(line.out().contains("\n  ms: int 2, 8, 13, default 8\n"), line.out());
        assertTrue(
                line.out().contains("compared by CPU per request\n  (cpuPerRequest); constraints: errors, rss <= 20GB"),
                line.out());
        assertTrue(line.out().contains("\n  1 (default): -Dtest.ms=8\n"), line.out());
        assertTrue(line.out().contains("\n  3 (own): -Dtest.ms=2\n"), line.out());
        assertFalse(Files.exists(folder.resolve("search")));
    }

    @Test
    void verifiesWhatIsSteadyHoweverShortTheEvaluationsAre() throws IOException {
        assertEquals(ExitCode.DONE, tune(line, SPACE, "--dry-run", "--warmup", "1s", "-z", "1s"), line::err);

        assertTrue(line.out().contains("Verification: tuned against default, warmed up until"), line.out());
    }

    private String verification(String... more) throws IOException {
        TestingCommandLine dry = new TestingCommandLine();
        List<String> words = new ArrayList<>(List.of("--dry-run", "-z", "1s"));
        words.addAll(List.of(more));
        assertEquals(ExitCode.DONE, tuneAsSaid(dry, SPACE, words.toArray(new String[0])), dry::err);
        return dry.out().replaceAll("(?s).*(Verification: .*)The first candidates:.*", "$1");
    }

    /** A limit that leaves Graal compiling would leave nothing to verify. */
    @Test
    @Tag("full")
    void verifiesWithoutAShortLimitOfEvaluationsUnlessQuickly() throws IOException {
        assertEquals(verification(), verification("--warmup-limit", "10s"));
        assertFalse(
                verification("--verify", "quick").equals(verification("--verify", "quick", "--warmup-limit", "10s")));
    }

    @Test
    void takesWarmUpAndDurationOfTheSpaceUnlessItIsToldOthers() throws IOException {
        String space = SPACE + "warmup: 4s\nduration: 50s\ntime: 3h\n";
        // Warm-up, measured phase and full load of both.
        assertEquals(ExitCode.DONE, tune(line, space, "--dry-run", "--warmup", "4s", "-z", "50s"), line::err);
        TestingCommandLine own = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tuneAsSaid(own, space, "--dry-run"), own::err);
        TestingCommandLine shorter = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tuneAsSaid(shorter, space, "--dry-run", "-z", "5s"), shorter::err);

        assertEquals(line.out(), own.out());
        assertFalse(own.out().equals(shorter.out()), shorter.out());
        assertTrue(own.out().replaceAll("\\s+", " ").contains("none begun after 3h"), own.out());
    }

    /** What {@code --objective} says counts, and not the space. */
    @Test
    void refusesAnEngineForTwoObjectives() throws IOException {
        String one = "parameters: [{name: a, type: boolean}]\n";
        assertEquals(
                ExitCode.USAGE,
                tune(line, one, "--objective", "cpuPerRequest,rss", "--engine", "exec:cat", "--dry-run"));
        assertTrue(line.err().startsWith("replay: --engine: expected one objective, found two"), line.err());

        TestingCommandLine two = new TestingCommandLine();
        String space = one + "objective: [cpuPerRequest, rss]\n";
        assertEquals(ExitCode.USAGE, tune(two, space, "--engine", "exec:cat", "--dry-run"));
        TestingCommandLine named = new TestingCommandLine();
        assertEquals(
                ExitCode.DONE,
                tune(named, space, "--objective", "rss", "--engine", "exec:cat", "--dry-run"),
                named::err);
    }

    @Test
    void refusesWhatCannotBeMeasured() throws IOException {
        String space = "parameters: [{name: a, type: boolean}]\n";
        assertEquals(ExitCode.USAGE, tune(line, space + "constraints: [p98]"));
        assertTrue(
                line.err()
                        .startsWith(
                                "replay: constraints: expected errors, answers, throttled, a metric (cpuPerRequest,"),
                line.err());

        TestingCommandLine other = new TestingCommandLine();
        assertEquals(ExitCode.USAGE, tune(other, space, "--objective", "speed"));
        assertTrue(other.err().startsWith("replay: objective: expected one of cpuPerRequest, "), other.err());

        TestingCommandLine half = new TestingCommandLine();
        assertEquals(ExitCode.USAGE, tune(half, space, "--objective", "cpuPerRequest,"));
        assertTrue(
                half.err()
                        .startsWith("replay: objective: expected one metric, or two with a comma between, found"
                                + " 'cpuPerRequest,'"),
                half.err());

        TestingCommandLine second = new TestingCommandLine();
        assertEquals(ExitCode.USAGE, tune(second, space, "--objective", "cpuPerRequest,serviceP99"));
        assertTrue(
                second.err().startsWith("replay: objective serviceP99: expected it to be the first of two"),
                second.err());
        TestingCommandLine first = new TestingCommandLine();
        assertEquals(
                ExitCode.DONE, tune(first, space, "--objective", "serviceP99,cpuPerRequest", "--dry-run"), first::err);

        TestingCommandLine third = new TestingCommandLine();
        assertEquals(ExitCode.USAGE, tune(third, space, "--targets", "a=127.0.0.1:1"));
        assertTrue(third.err().contains("target a: expected a JVM that Lockstep starts with options"), third.err());
    }
}
