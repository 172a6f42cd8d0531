package dev.lockstep.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches that a program evaluates, for which no capture is needed. */
final class TuneCommandTest {
    /** Answers x with the trial's number, and that the third does not work. */
    private static final String PROGRAM =
            "exec:while read line; do echo \"$line\" | sed -E -e 's/.*\"trial\":3,.*/{\"trial\":3,\"failed\":\"no licence\"}/;t'"
                    + " -e 's/.*\"trial\":([0-9]+).*\"x\":([^,}]*).*/{\"trial\":\\1,\"value\":\\2,\"variance\":0.25}/'; done";

    @TempDir
    private Path folder;

    private Path space;
    private final TestingCommandLine line = new TestingCommandLine();

    @BeforeEach
    void writeASpace() throws IOException {
        space = Files.writeString(
                folder.resolve("space.yaml"),
                "direction: minimize\nevaluations: 5\nseed: 3\nnoisy: false\nparameters:\n"
                        + "  - {name: x, type: int, min: 10, max: 99, default: 50}\n"
                        + "  - {name: mode, type: categorical, values: [fast, careful], default: fast}\n");
    }

    private int tune(TestingCommandLine on, String... more) {
        List<String> words = new ArrayList<>(
                List.of("tune", space + "", "--evaluate", PROGRAM, "-o", folder.resolve("search") + ""));
        words.addAll(List.of(more));
        return on.execute(words.toArray(new String[0]));
    }

    @Test
    void printsOneDocument() {
        assertEquals(ExitCode.DONE, tune(line, "--force", "--json"), line::err);

        String out = line.out().replaceAll("\\s+", "");
        assertTrue(out.startsWith("{\"best\":{\"parameters\":{\"x\":"), out);
        assertTrue(
                out.contains("{\"trial\":1,\"origin\":\"default\",\"parameters\":{\"x\":50,\"mode\":\"fast\"},"
                        + "\"value\":50.0,\"failed\":null,\"variance\":0.25}"),
                out);
        assertTrue(out.contains("\"value\":null,\"failed\":\"nolicence\""), out);
        assertTrue(line.err().startsWith("evaluation 1 of 5: 50 (x=50 mode=fast)\n"), line.err());
    }

    @Test
    void findsTheLeastValueOfTheExampleOfTheDocs() throws Exception {
        assumeTrue(new ProcessBuilder("sh", "-c", "type python3").start().waitFor() == 0, "there is no python3");
        String example = Path.of("../docs/examples/branin").toAbsolutePath() + "";

        int code = line.execute(
                "tune",
                example + ".yaml",
                "--evaluate",
                "exec:python3 '" + example + ".py'",
                "-o",
                folder.resolve("branin") + "",
                "--json");

        assertEquals(ExitCode.DONE, code, line::err);
        Matcher best = Pattern.compile("\"predicted\" ?: ?([0-9.]+)").matcher(line.out());
        assertTrue(best.find() && Double.parseDouble(best.group(1)) < 0.45, line.out());
    }

    @Test
    void findsAFrontOfTwoObjectives() throws IOException {
        Files.writeString(
                space,
                "objective: [cpu, rss]\ndirection: [minimize, maximize]\nevaluations: 8\nnoisy: false\n"
                        + "parameters: [{name: x, type: int, min: 1, max: 9}]\n");
        String program = "exec:while read -r line; do echo \"$line\" | sed -E"
                + " 's/.*\"trial\":([0-9]+).*\"x\":([^,}]*).*/{\"trial\":\\1,\"values\":[\\2,\\2]}/'; done";
        String[] words = {"tune", space + "", "--evaluate", program, "-o", folder.resolve("two") + ""};

        assertEquals(ExitCode.DONE, line.execute(words), line::err);

        assertTrue(
                line.out().matches("(?s)FRONT of \\d+ \\(expected values\\) after 8 of 8 evaluations.*"), line.out());
        assertTrue(line.out().contains("best-cpu"), line.out());
        assertTrue(line.out().contains("best-rss"), line.out());
        assertTrue(line.err().matches("(?s)evaluation 1 of 8: ([0-9]) and \\1 \\(x=\\1\\)\n.*"), line.err());
        TestingCommandLine engine = new TestingCommandLine();
        assertEquals(
                ExitCode.USAGE,
                engine.execute("tune", space + "", "--evaluate", program, "--engine", "exec:cat", "-o", folder + "/x"));
        assertTrue(engine.err().startsWith("replay: --engine: expected one objective, found two"));
    }

    /** A copy is the configuration that was evaluated, not one near to it. */
    @Test
    void hasAllDigitsInTheLineToCopy() throws IOException {
        Files.writeString(
                space,
                "evaluations: 2\nnoisy: false\n"
                        + "parameters: [{name: x, type: float, min: 0, max: 1, default: 0.123456789012}]\n");
        // The first, which is the default, is best.
        String counting = "exec:while read line; do n=${line#*:}; n=${n%%,*};"
                + " echo '{\"trial\": '$n', \"value\": '$n'}'; done";
        Path search = folder.resolve("search");
        assertEquals(
                ExitCode.DONE, line.execute("tune", space + "", "--evaluate", counting, "-o", search + ""), line::err);

        String page = Files.readString(search.resolve(SearchPages.NAME));
        assertTrue(page.contains("\"flags\":\"x=0.123456789012\""), page);
        assertTrue(page.contains("x=0.123457"), page);
    }

    @Test
    void printsTheSameAgainWithoutEvaluating() {
        assertEquals(ExitCode.DONE, tune(line, "--json"), line::err);
        TestingCommandLine again = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(again, "--json"), again::err);

        assertEquals(line.out(), again.out());
        assertEquals("going on with 5 of 5 evaluations done\n", again.err());
    }

    /** The page and the journal are read by more people than the terminal. */
    @Test
    void keepsTheSecretsOfItsProgramsToItself() throws IOException {
        Path script = Files.writeString(folder.resolve("measure"), PROGRAM.substring("exec:".length()));
        String program = "exec:sh " + script + " hunter2";
        Path search = folder.resolve("search");
        assertEquals(
                ExitCode.DONE, line.execute("tune", space + "", "--evaluate", program, "-o", search + ""), line::err);

        String page = Files.readString(search.resolve(SearchPages.NAME));
        String journal = Files.readString(search.resolve("journal.jsonl"));
        assertTrue(page.contains("\"Evaluated by\":\"sh\""), page);
        assertTrue(journal.contains("\"evaluate\":\"sh, sha256 "), journal);
        assertFalse((page + journal).contains("hunter2"));

        TestingCommandLine other = new TestingCommandLine();
        String words = program.replace("hunter2", "hunter3");
        assertEquals(ExitCode.FAILED, other.execute("tune", space + "", "--evaluate", words, "-o", search + ""));
        assertTrue(other.err().contains("(they differ in evaluate)"), other.err());

        TestingCommandLine set = new TestingCommandLine();
        Path second = folder.resolve("second");
        set.execute("tune", space + "", "--evaluate", "exec:TOKEN=hunter2 false", "-o", second + "");
        assertTrue(
                Files.readString(second.resolve("journal.jsonl")).contains("\"evaluate\":\"a shell command, sha256 "));
        assertFalse(Files.readString(second.resolve(SearchPages.NAME)).contains("hunter2"));
    }

    @Test
    void refusesMoreEvaluationsThanItsModelCanTake() throws IOException {
        assertEquals(ExitCode.USAGE, tune(line, "--evaluations", "1001"));
        assertTrue(
                line.err().startsWith("replay: evaluations: expected at most 1000 in all, for the time of the model"),
                line.err());

        tune(new TestingCommandLine());
        TestingCommandLine added = new TestingCommandLine();
        assertEquals(ExitCode.USAGE, tune(added, "--add-evaluations", "996"));
        assertTrue(added.err().contains("found 1001; --engine exec:COMMAND takes more"), added.err());
        TestingCommandLine again = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(again, "--add-evaluations", "1"), "nothing was added: " + again.err());
    }

    /** Killed between the last evaluation and its result, the same command shows that. */
    @Test
    void beginsAnewOnlyAfterItsResultWasShown() throws IOException {
        tune(line, "--force");
        Path journal = folder.resolve("search/journal.jsonl");
        List<String> lines = new ArrayList<>(Files.readAllLines(journal));
        assertEquals("{\"closed\":5}", lines.remove(lines.size() - 1));
        Files.write(journal, lines);

        TestingCommandLine again = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(again, "--force"), again::err);
        assertEquals(line.out(), again.out());
        assertEquals("going on with 5 of 5 evaluations done\n", again.err());
        TestingCommandLine anew = new TestingCommandLine();
        tune(anew, "--force");
        assertTrue(anew.err().startsWith("evaluation 1 of 5"), anew.err());
    }

    @Test
    void endsWhenItsTimeIsUp() {
        assertEquals(ExitCode.DONE, tune(line, "--time-budget", "1us", "--json"), line::err);

        assertTrue(line.out().contains("\"ended\" : \"the time budget of 0.000001s is used up\""), line.out());
        assertTrue(line.out().contains("\"trial\" : 1"), line.out());
        assertFalse(line.out().contains("\"trial\" : 2"), line.out());
    }

    @Test
    void verifiesTheBestInTurnsWithTheDefaultAndGoesOnAfterAKill() throws IOException {
        assertEquals(ExitCode.DONE, tune(line, "--verify-evaluations", "3"), line::err);

        assertTrue(
                line.out()
                        .replaceAll("\\s+", " ")
                        .matches("VERIFIED: afresh, the best gives (\\d+) and the default 50,"
                                + " a difference of (-\\d+) \\(95 % interval \\2 to \\2, 3 pairs\\): better; the search"
                                + " expected \\1 .*"),
                line.out());
        Path journal = folder.resolve("search/journal.jsonl");
        List<String> lines = new ArrayList<>(Files.readAllLines(journal));
        String afresh = String.join("\n", lines.subList(lines.size() - 7, lines.size()));
        assertTrue(
                afresh.replaceAll("\"parameters\":\\{[^}]*},", "")
                        .startsWith("{\"afresh\":{\"trial\":6,\"of\":\"default\",\"value\":50.0"),
                afresh);
        assertEquals(
                List.of("default", "best", "best", "default", "default", "best"),
                lines.subList(lines.size() - 7, lines.size() - 1).stream()
                        .map(one -> one.replaceAll(".*\"of\":\"([a-z]+)\".*", "$1"))
                        .collect(Collectors.toList()));
        Files.write(journal, lines.subList(0, lines.size() - 3));

        TestingCommandLine again = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(again, "--verify-evaluations", "3"), again::err);
        assertEquals(line.out(), again.out());
        assertEquals(lines, Files.readAllLines(journal));
        String page = Files.readString(folder.resolve("search/tune.html"));
        assertTrue(page.contains("\"verification\":{\"holds\":true,\"sentence\":\"VERIFIED: afresh"), page);

        TestingCommandLine json = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(json, "--verify-evaluations", "3", "--json"), json::err);
        assertTrue(
                json.out()
                        .replaceAll("\\s+", "")
                        .matches(".*\"verification\":\\{\"configuration\":\"[^\"]*\",\"parameters\":"
                                + "[^}]*},\"holds\":true,\"finding\":\"better\",\"sentence\":\"[^\"]*\",\"difference\":-[0-9.]+,"
                                + "\"pairs\":3,\"low\":-[0-9.]+,\"high\":-[0-9.]+}.*"),
                json.out());
        assertEquals("going on with 5 of 5 evaluations done\nverifying " + best(json) + "\n", json.err());
    }

    private static String best(TestingCommandLine json) {
        return json.out().replaceAll("(?s).*\"configuration\" : \"([^\"]*)\".*", "$1");
    }

    @Test
    void verifiesBesideADefaultThatIsThePenaltyOfWhoeverHasNoValue() {
        String failing = PROGRAM.replace(
                "sed -E", "sed -E -e 's/.*\"trial\":([69]),.*/{\"trial\":\\1,\"value\":1.7976931348623157e308}/;t'");
        assertEquals(
                ExitCode.DONE,
                line.execute(
                        "tune", space + "", "--evaluate", failing, "-o", folder + "/l", "--verify-evaluations", "2"),
                line::err);

        assertTrue(line.out().startsWith("VERIFIED: afresh, the best gives "), line.out());
    }

    @Test
    void isNotSureOfValuesWhoseSquaresAreNone() {
        String tiny = PROGRAM.replace(
                "sed -E",
                "sed -E -e 's/.*\"trial\":([69]),.*/{\"trial\":\\1,\"value\":3e-300}/;t'"
                        + " -e 's/.*\"trial\":7,.*/{\"trial\":7,\"value\":1e-300}/;t'"
                        + " -e 's/.*\"trial\":8,.*/{\"trial\":8,\"value\":2.9e-300}/;t'");
        assertEquals(
                ExitCode.DONE,
                line.execute("tune", space + "", "--evaluate", tiny, "-o", folder + "/l", "--verify-evaluations", "2"),
                line::err);

        String text = line.out().replaceAll("\\s+", " ");
        assertTrue(
                text.startsWith(
                        "NOT CONFIRMED: afresh, the best gives 1.950e-300 and the default 3.000e-300, a difference"
                                + " of -1.050e-300 (95 % interval -1.3"),
                text);
    }

    @Test
    void saysWhereTheGainDoesNotHold() {
        // What is evaluated afresh is the same, whatever it is.
        String lucky =
                PROGRAM.replace("sed -E", "sed -E -e 's/.*\"trial\":([6-9]|1[0-9]),.*/{\"trial\":\\1,\"value\":7}/;t'");
        assertEquals(
                ExitCode.DONE,
                line.execute("tune", space + "", "--evaluate", lucky, "-o", folder + "/l", "--verify-evaluations", "2"),
                line::err);

        assertTrue(
                line.out()
                        .replaceAll("\\s+", " ")
                        .startsWith("NOT CONFIRMED: afresh, the best gives 7 and the default 7, a difference of 0 (95 %"
                                + " interval 0 to 0, 2 pairs): equivalent; the search expected "),
                line.out());
    }

    @Test
    void confirmsNothingWhereAConstraintWasNeverMeasuredAfresh() throws IOException {
        Files.writeString(space, Files.readString(space) + "constraints: [p99]\n");

        assertEquals(ExitCode.DONE, tune(line, "--verify-evaluations", "3"), line::err);

        String text = line.out().replaceAll("\\s+", " ");
        assertTrue(text.startsWith("NOT CONFIRMED: afresh, the best gives "), text);
        assertTrue(text.contains(": better; "), text);
        assertTrue(text.contains("; nobody knows whether it keeps p99 "), text);
        assertTrue(line.err().startsWith("evaluation 1 of 5: 50 (x=50 mode=fast); not measured: p99\n"), line.err());
    }

    /** Whole numbers that agree twice are a matter of rounding, and no certainty; so are whole thousands. */
    @ParameterizedTest
    @ValueSource(strings = {"", "000"})
    void isNotSureOfRoundedValuesThatAgree(String zeros) throws IOException {
        Files.writeString(space, Files.readString(space).replace("noisy: false\n", ""));
        String rounded = PROGRAM.replace(
                "sed -E",
                "sed -E -e 's/.*\"trial\":([6-9]),.*\"x\":50.*/{\"trial\":\\1,\"value\":42" + zeros + "}/;t'"
                        + " -e 's/.*\"trial\":([6-9]),.*/{\"trial\":\\1,\"value\":41" + zeros + "}/;t'");
        assertEquals(
                ExitCode.DONE,
                line.execute(
                        "tune", space + "", "--evaluate", rounded, "-o", folder + "/r", "--verify-evaluations", "2"),
                line::err);

        String text = line.out().replaceAll("\\s+", " ");
        assertTrue(
                text.startsWith("NOT CONFIRMED: afresh, the best gives 41" + zeros + " and the default 42" + zeros
                        + ", a difference of -1" + zeros + " (95 % interval -4"),
                text);
        assertTrue(text.contains("2 pairs): inconclusive"), text);
    }

    @Test
    void addsEvaluations() {
        tune(line);
        TestingCommandLine again = new TestingCommandLine();
        assertEquals(ExitCode.DONE, tune(again, "--add-evaluations", "2", "--json"), again::err);

        assertTrue(again.out().contains("\"trial\" : 7"), again.out());
    }

    @Test
    void saysWhatAProgramDidWrongAndShowsWhatItFound() throws IOException {
        String broken = PROGRAM.replace("sed -E", "sed -E -e 's/.*\"trial\":4,.*/{\"trial\":5,\"value\":1}/;t'");
        Path search = folder.resolve("b");
        assertEquals(
                ExitCode.FAILED, line.execute("tune", space + "", "--evaluate", broken, "-o", search + "", "--json"));

        assertTrue(
                line.err()
                        .endsWith("replay: '" + broken.substring(5) + "': its answer to trial 4: trial: expected 4,"
                                + " found 5; mend it, and the same command goes on\n"),
                line.err());
        String ended = "the program: its answer to trial 4: trial: expected 4, found 5";
        assertTrue(line.out().startsWith("{\n  \"best\" : {\n    \"parameters\""), line.out());
        assertTrue(line.out().contains("\"ended\" : \"" + ended + "\""), line.out());
        assertTrue(line.out().contains("\"trial\" : 3"), line.out());
        String page = Files.readString(search.resolve(SearchPages.NAME));
        assertTrue(page.contains("BEST so far after 3 of 5 evaluations (" + ended + ")"), page);
        assertFalse(page.contains("SEARCHING: "), page);

        TestingCommandLine again = new TestingCommandLine();
        assertEquals(ExitCode.FAILED, again.execute("tune", space + "", "--evaluate", broken, "-o", search + ""));
        assertTrue(again.out().startsWith("BEST so far after 3 of 5 evaluations (the program: its"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tune | expected a space file and a capture, found none; --space NAME has graal-inlining, graal-all, c2-inlining, gc, heap, memory-cap, openj9",
                "tune a.yaml b.bin c.bin | expected a space file and a capture, found a.yaml b.bin c.bin; --space NAME has graal-inlining, graal-all, c2-inlining, gc, heap, memory-cap, openj9",
                "tune a.yaml b.bin --evaluate exec:a | expected a space file, found a.yaml b.bin; --space NAME has graal-inlining, graal-all, c2-inlining, gc, heap, memory-cap, openj9",
                "tune --space gc | expected a capture, found none",
                "tune --space gcc b.bin | --space: expected one of graal-inlining, graal-all, c2-inlining, gc, heap, memory-cap, openj9, found 'gcc'; a space file is given without --space",
                "tune a.yaml --evaluate ls | --evaluate: expected exec:COMMAND, found 'ls'",
                "tune a.yaml --evaluate exec:a --engine x | --engine: expected exec:COMMAND, found 'x'",
                "tune a.yaml --evaluate exec:a --evaluations 0 | --evaluations: expected 1 to 10000, found 0",
                "tune a.yaml --evaluate exec:a --verify-evaluations 1 | --verify-evaluations: expected 2 to 10000, found 1",
                "tune a.yaml b.bin --verify-evaluations 5 | --verify-evaluations: expected --evaluate, found a search with JVMs, whose --verify says how",
                "tune a.yaml --evaluate exec:a --time-budget 0 | --time-budget: expected a duration above 0, found 0",
                "tune a.yaml --evaluate exec:a --evaluation-limit 0 | --evaluation-limit: expected a duration above 0, found 0",
                "tune a.yaml b.bin --evaluation-limit 1m | --evaluation-limit: expected --evaluate, found a search with JVMs",
                "tune a.yaml --evaluate exec:a --add-evaluations 0 | --add-evaluations: expected 1 to 10000, found 0",
                "tune --control /tmp stop | --control: expected one of pause, resume, skip, conclude, found 'stop'",
                "tune --control /tmp | --control: expected one of pause, resume, skip, conclude, found none"
            })
    void refusesAWrongCommandLine(String words, String expected) {
        assertEquals(ExitCode.USAGE, line.execute(words.split(" ")));
        assertEquals("replay: " + expected + "; see replay tune --help\n", line.err());
    }

    @Test
    void saysWhereASpaceIsWrong() throws IOException {
        Files.writeString(space, "parameters: [{name: x, type: int, min: 9, max: 3}]");
        assertEquals(ExitCode.USAGE, tune(line));

        assertEquals(
                "replay: " + space + ":1:40: parameter x: min: must be at most max 3, is 9; see replay tune --help\n",
                line.err());
    }

    @Test
    void saysThatNoConfigurationKeepsTheRules() throws IOException {
        Files.writeString(
                space,
                "parameters: [{name: x, type: int, min: 1, max: 5}, {name: y, type: int, min: 8, max: 9}]\n"
                        + "assert: [x > y]");
        assertEquals(ExitCode.USAGE, tune(line));

        assertEquals(
                "replay: " + space + ": rules: expected a configuration that keeps them all, found none in 10000 tries;"
                        + " loosen one of [x > y]; see replay tune --help\n",
                line.err());
    }

    @Test
    void tellsTheSearchThatRunsWhatToDo() throws Exception {
        assertEquals(ExitCode.FAILED, line.execute("tune", "--control", folder + "", "skip"));
        assertEquals(
                "replay: " + folder + ": expected the directory of a search, found no journal.jsonl\n", line.err());

        // The program says to conclude while the first trial is evaluated.
        Path search = folder.resolve("search");
        String concluding =
                "exec:read line; touch " + search + "/control/conclude; echo '{\"trial\":1,\"value\":1}'; cat";
        TestingCommandLine running = new TestingCommandLine();
        Files.createDirectories(search.resolve("control"));
        assertEquals(
                ExitCode.DONE,
                running.execute("tune", space + "", "--evaluate", concluding, "-o", search + "", "--json"),
                running::err);
        assertTrue(running.out().contains("\"ended\" : \"concluded on request\""), running.out());

        TestingCommandLine late = new TestingCommandLine();
        assertEquals(ExitCode.FAILED, late.execute("tune", "--control", search + "", "pause"));
        assertEquals("replay: " + search + ": expected a search that runs, found one that does not\n", late.err());
    }

    @Test
    void endsWhenItIsInterrupted() {
        line.interruption().request();

        assertEquals(ExitCode.FAILED, tune(line), line::err);
        assertTrue(
                line.out().startsWith("NO RESULT after 0 of 5 evaluations (interrupted; the same command goes on)\n"),
                line.out());
        assertTrue(line.out().contains("\n  replay tune " + space + " --evaluate 'exec:"), line.out());
    }
}
