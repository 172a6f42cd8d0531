package dev.lockstep.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that evaluate or suggest; small ones of the shell. */
final class ProgramTest {
    private static final SearchPlan PLAN = SpaceFile.read(
            "s.json",
            "{\"parameters\": [{\"name\": \"x\", \"type\": \"float\", \"min\": 0, \"max\": 1},"
                    + " {\"name\": \"mode\", \"type\": \"categorical\", \"values\": [\"a\", \"b\"]}],"
                    + " \"constraints\": [\"p99\"]}");

    @TempDir
    private Path folder;

    private final Control control = Control.of(Path.of("/nonexistent"), () -> false);

    private static Trial trial(int number) {
        return Trial.of(number, PLAN.space().configuration(Map.of("x", 0.3, "mode", "a")), Trial.Origin.MODEL);
    }

    private ProgramEvaluator evaluator(String command) {
        return ProgramEvaluator.start(command, PLAN.space(), folder, environment -> {});
    }

    private static Optional<Observation> evaluate(ProgramEvaluator program, Trial trial, Control control) {
        program.begin(trial);
        return program.next(control).map(Told::observation);
    }

    private Observation evaluate(String command) {
        try (ProgramEvaluator program = evaluator(command)) {
            return evaluate(program, trial(7), control).orElseThrow();
        }
    }

    @Test
    void asksALineAndReadsALine() {
        assertEquals(
                Observation.builder()
                        .value(1.25)
                        .variance(0.01)
                        .putConstraints("p99", -0.2)
                        .build(),
                evaluate("read line; [ \"$line\" = '{\"trial\":7,\"parameters\":{\"x\":0.3,\"mode\":\"a\"}}' ] && echo"
                        + " '{\"trial\": 7, \"value\": 1.25, \"variance\": 0.01, \"constraints\": {\"p99\": -0.2}}'"));
        assertEquals(
                Observation.failed("why"),
                evaluate("read line; echo '{\"trial\": 7, \"failed\": \"why\", \"value\": null}'"));
    }

    @Test
    void takesAWholeObjectForALineThatDoesNotEndAndAnEmptyReasonForNone() {
        try (ProgramEvaluator program = evaluator("while read line; do printf '{\"trial\": 7, \"value\": 2}'; done")) {
            assertEquals(Observation.of(2), evaluate(program, trial(7), control).orElseThrow());
            assertEquals(Observation.of(2), evaluate(program, trial(7), control).orElseThrow());
        }
        assertEquals(Observation.of(2), evaluate("read line; printf '{\"trial\": 7, \"value\": 2}'"));
        assertEquals(
                Observation.of(3.2),
                evaluate("read line; echo '{\"trial\": 7, \"value\": 3.2, \"failed\": \"\", \"skipped\": \" \"}'"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Blanks, or the return that a terminal's line has, and no end of a line.
                "printf '{\"trial\": 7, \"value\": 2}  '",
                "printf '{\"trial\": 7, \"value\": 2}\\r'",
                // A byte order mark, as .NET begins its output.
                "printf '\\357\\273\\277{\"trial\": 7, \"value\": 2}\\n'",
                "printf '\\357\\273\\277{\"trial\": 7, \"value\": 2}'"
            })
    void takesAnAnswerWithBlanksOrAByteOrderMarkAroundIt(String answer) {
        String command = "while read line; do " + answer + "; done";
        try (ProgramEvaluator program = evaluator(command).within(Optional.of(Duration.ofSeconds(20)))) {
            assertEquals(Observation.of(2), evaluate(program, trial(7), control).orElseThrow());
            assertEquals(Observation.of(2), evaluate(program, trial(7), control).orElseThrow());
        }
    }

    @Test
    void notesConstraintsThatWereNotMeasuredBesideAValue() {
        String command = "while read line; do n=${line#*:}; n=${n%%,*}; case $n in"
                + " 1) echo '{\"trial\": 1, \"value\": 2}';;"
                + " 2) echo '{\"trial\": 2, \"value\": 2, \"constraints\": {\"p99\": null}}';;"
                + " 3) echo '{\"trial\": 3, \"value\": 2, \"constraints\": {\"p99\": -1}}';;"
                + " 4) echo '{\"trial\": 4, \"failed\": \"no\"}';; esac; done";
        List<String> missing = List.of("not measured: p99");
        try (ProgramEvaluator program = evaluator(command)) {
            List<List<String>> notes = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
                program.begin(trial(i));
                notes.add(program.next(control).orElseThrow().evaluation().notes());
            }
            assertEquals(List.of(missing, missing, List.of(), List.of()), notes);
        }
    }

    private Observation evaluateTwo(String answer) {
        SearchPlan two = SpaceFile.read(
                "s.json",
                "{\"objective\": [\"cpu\", \"rss\"], \"parameters\": {\"x\": [0.0, 1.0]}, \"constraints\": [\"p99\"]}");
        Trial trial = Trial.of(7, two.space().configuration(Map.of("x", 0.3)), Trial.Origin.MODEL);
        try (ProgramEvaluator program =
                ProgramEvaluator.start("read line; echo '" + answer + "'", two.space(), folder, environment -> {})) {
            return evaluate(program, trial, control).orElseThrow();
        }
    }

    @Test
    void readsTwoValuesWhereThereAreTwoObjectives() {
        assertEquals(
                Observation.builder()
                        .value(1.5)
                        .secondValue(-2)
                        .secondVariance(0.1)
                        .putConstraints("p99", -0.2)
                        .build(),
                evaluateTwo("{\"trial\": 7, \"values\": [1.5, -2], \"variances\": [null, 0.1],"
                        + " \"constraints\": {\"p99\": -0.2}}"));
        assertEquals(Observation.failed("no"), evaluateTwo("{\"trial\": 7, \"failed\": \"no\"}"));
    }

    @Test
    void ignoresConstraintsThatTheSpaceDoesNotNameAndSaysSoOnce() {
        SearchPlan none = SpaceFile.read("s.json", "{\"parameters\": {\"x\": [0.0, 1.0]}}");
        String command = "while read line; do n=${line#*:};"
                + " echo '{\"trial\": '${n%%,*}', \"value\": 1, \"constraints\": {\"p99\": 3}}'; done";
        try (ProgramEvaluator program = ProgramEvaluator.start(command, none.space(), folder, environment -> {})) {
            for (int i = 1; i <= 2; i++) {
                program.begin(Trial.of(i, none.space().configuration(Map.of("x", 0.3)), Trial.Origin.MODEL));
                Evaluation found = program.next(control).orElseThrow().evaluation();

                assertEquals(Observation.of(1), found.observation());
                assertEquals(
                        i > 1
                                ? List.of()
                                : List.of("constraints of answers are ignored, for the space names none under the key"
                                        + " 'constraints'"),
                        found.notes());
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"trial\": 7, \"value\": 1} | value: expected values and variances, which are lists of two, for there are two objectives, found one number",
                "{\"trial\": 7, \"values\": [1]} | values: expected a list of 2 numbers, one for each objective, found one of 1",
                "{\"trial\": 7, \"values\": [1, \"b\"]} | values: expected a number, found '\"b\"'",
                "{\"trial\": 7, \"seconds\": 3} | expected values, failed or skipped, found trial, seconds",
                "{\"trial\": 7, \"values\": [1, 2], \"variances\": [1, -2]} | second variance: must be 0 or more beside a value, is -2.0"
            })
    void saysWhatIsWrongWithTwoValues(String answer, String expected) {
        String found =
                assertThrows(SearchException.class, () -> evaluateTwo(answer)).getMessage();

        assertTrue(found.contains(": its answer to trial 7: " + expected + "; mend it"), found);
    }

    @Test
    void startsTheProgramOnce() {
        try (ProgramEvaluator program =
                evaluator("n=0; while read line; do n=$((n+1)); echo '{\"trial\":'$n',\"value\":'$$'}'; done")) {
            Observation first = evaluate(program, trial(1), control).orElseThrow();
            Observation second = evaluate(program, trial(2), control).orElseThrow();

            assertEquals(first, second);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{nonsense} | expected a JSON object, found '{nonsense}', with a mistake at column 2",
                "{\"trial\": 7, \"value\": .5} | expected a JSON object, found '{\"trial\": 7, \"value\": .5}', with a mistake at column 23",
                "{\"value\": 1, \"value\": 1} | expected a JSON object, found '{\"value\": 1, \"value\": 1}', with a mistake at column 21",
                "{ | expected a JSON object, found '{', which does not end on this line",
                "{\"value\": 1} | trial: expected a whole number from 1, found nothing",
                "{\"trial\": 1.5, \"value\": 1} | trial: expected a whole number from 1, found '1.5'",
                "{\"trial\": 8, \"value\": 1} | trial: expected 7, found 8",
                "{\"trial\": 7} | expected value, failed or skipped, found trial",
                "{\"trial\": 7, \"valeu\": 1} | expected value, failed or skipped, found trial, valeu",
                "{\"trial\": 7, \"value\": \"fast\"} | value: expected a number, found '\"fast\"'",
                "{\"trial\": 7, \"failed\": 3} | failed: expected a text, found '3'",
                "{\"trial\": 7, \"value\": 1, \"variance\": -1} | variance: must be 0 or more beside a value, is -1.0",
                "{\"trial\": 7, \"value\": 1, \"constraints\": {\"p50\": 1}} | constraints: unknown constraint 'p50'; known are p99",
                "{\"trial\": 7, \"value\": 1, \"constraints\": {\"p99\": \"no\"}} | constraints: p99: expected a number, found '\"no\"'",
                "{\"trial\": 7, \"value\": 1, \"constraints\": 3} | constraints: expected an object, found '3'",
                "{\"trial\": 7, \"values\": [1, 2]} | values: expected a list of 1 number, one for each objective, found one of 2",
                "{\"trial\": 7, \"values\": [1], \"value\": 1} | values: expected value or values, found both"
            })
    void saysWhatIsWrongWithAnAnswer(String answer, String expected) {
        String command = "read line; echo '" + answer + "'";

        assertEquals(
                "'" + command + "': its answer to trial 7: " + expected + "; mend it, and the same command goes on",
                assertThrows(SearchException.class, () -> evaluate(command)).getMessage());
    }

    /** As JSON of Python, JavaScript, Java and .NET has what is no number. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"trial\": 7, \"value\": NaN} | its value is NaN",
                "{\"trial\": 7, \"value\": -Infinity} | its value is -Infinity",
                "{\"trial\": 7, \"value\": 1e999} | its value is Infinity",
                "{\"trial\": 7, \"value\": \"NaN\"} | its value is NaN",
                "{\"trial\": 7, \"value\": \"-Infinity\", \"variance\": \"NaN\"} | its value is -Infinity",
                "{\"trial\": 7, \"value\": null} | its value is null",
                "{\"trial\": 7, \"value\": null, \"values\": [NaN]} | its value is NaN",
                "{\"trial\": 7, \"value\": 1, \"constraints\": {\"p99\": 3}, \"failed\": \"no\"} | no",
                "{\"trial\": 7, \"failed\": true} | it does not say why",
                "{\"trial\": 7, \"failed\": \"\"} | it does not say why",
                "{\"trial\": 7, \"failed\": \" \", \"value\": null} | it does not say why"
            })
    void takesAValueThatIsNoneForAFailure(String answer, String why) {
        assertEquals(Observation.failed(why), evaluate("read line; echo '" + answer + "'"));
    }

    @Test
    void leavesOutWhatWasNotMeasuredAndWhatItDoesNotKnow() {
        assertEquals(
                Observation.of(1),
                evaluate("read line; echo '{\"trial\": 7.0, \"value\": 1, \"variance\": NaN, \"failed\": false,"
                        + " \"constraints\": {\"p99\": null}, \"seconds\": 3}'"));
        assertEquals(
                Observation.builder()
                        .value(1)
                        .putConstraints("p99", Double.MAX_VALUE)
                        .build(),
                evaluate("read line; echo '{\"trial\": 7, \"value\": 1, \"constraints\": {\"p99\": Infinity}}'"));
        assertEquals(
                Observation.of(1),
                evaluate("read line; echo '{\"trial\": 7, \"value\": 1, \"variance\": \"NaN\","
                        + " \"constraints\": {\"p99\": \"NaN\"}}'"));
    }

    @Test
    void keepsLinesThatAreNoAnswersInItsLog() throws Exception {
        assertEquals(
                Observation.of(1),
                evaluate("echo hello; read line; echo; echo '[1]'; echo '  {\"trial\": 7, \"value\": 1}'"));

        assertEquals("hello\n[1]\n", Files.readString(folder.resolve("evaluate.log")));
    }

    /** Answers each trial with 1, but ends at the second. */
    private static final String ENDING = "while read line; do case $line in *:2,*) echo boom >&2; exit 3;; esac;"
            + " n=${line#*:}; echo '{\"trial\": '${n%%,*}', \"value\": 1}'; done";

    private static final Observation ENDED = Observation.failed(
            "the program ended at it twice: it ended with exit code 3 before it answered; its last line: 'boom'");

    @Test
    void startsAProgramOnceMoreAndFailsTheTrialAtWhichItEndsTwice() throws Exception {
        try (ProgramEvaluator program = evaluator(ENDING)) {
            assertEquals(Observation.of(1), evaluate(program, trial(1), control).orElseThrow());
            program.begin(trial(2));
            Told told = program.next(control).orElseThrow();
            assertEquals(ENDED, told.observation());
            assertTrue(told.evaluation().unanswered().isPresent());
            assertEquals(Observation.of(1), evaluate(program, trial(3), control).orElseThrow());
        }
        assertEquals("boom\nboom\n", Files.readString(folder.resolve("evaluate.log")));
    }

    @Test
    void findsOutAtWhichOfSeveralTrialsItEnds() {
        try (ProgramEvaluator program = evaluator(ENDING)) {
            for (int i = 1; i <= 3; i++) {
                program.begin(trial(i));
            }
            for (Observation expected : List.of(Observation.of(1), ENDED, Observation.of(1))) {
                assertEquals(expected, program.next(control).orElseThrow().observation());
            }
        }
    }

    /** One that answers a line and ends is started anew for each. */
    @Test
    void asksAProgramThatEndedMeanwhileOnceMore() {
        try (ProgramEvaluator program =
                evaluator("read line; n=${line#*:};" + " echo '{\"trial\": '${n%%,*}', \"value\": '${n%%,*}'}'")) {
            for (int i = 1; i <= 3; i++) {
                assertEquals(
                        Observation.of(i), evaluate(program, trial(i), control).orElseThrow());
            }
        }
    }

    @Test
    void blamesNoTrialForTheEndOfAProgramThatAnsweredTheOneBefore() {
        try (ProgramEvaluator program =
                evaluator("read line; n=${line#*:};" + " echo '{\"trial\": '${n%%,*}', \"value\": '${n%%,*}'}'")) {
            for (int i = 1; i <= 4; i++) {
                program.begin(trial(i));
            }
            for (int i = 1; i <= 4; i++) {
                assertEquals(
                        Observation.of(i), program.next(control).orElseThrow().observation());
            }
        }
    }

    /** Neither may wait until the other has read. */
    @Test
    void asksThousandsOfAProgramThatAnswersMeanwhile() {
        int all = 3000;
        String command = "while read line; do n=${line#*:};"
                + " echo '{\"trial\": '${n%%,*}', \"value\": 1, \"beside\": \"" + "x".repeat(200) + "\"}'; done";
        assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            try (ProgramEvaluator program = evaluator(command)) {
                for (int i = 1; i <= all; i++) {
                    program.begin(trial(i));
                }
                for (int i = 1; i <= all; i++) {
                    assertEquals(i, program.next(control).orElseThrow().number());
                }
            }
        });
    }

    /** As while a search is paused: nobody reads then, and it is more than is to be in memory. */
    @Test
    void hasAProgramWaitThatWritesMillionsOfCharacters() {
        String command = "line=$(head -c 1000000 /dev/zero | tr '\\0' ' '); i=0;"
                + " while [ $i -lt 20 ]; do echo \"$line\"; i=$((i + 1)); done; echo '{\"trial\": 1, \"value\": 1}'";
        assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            try (ProgramEvaluator program = evaluator(command)) {
                program.begin(trial(1));
                while (Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("lockstep-program")
                                && thread.getState() == Thread.State.WAITING)) {
                    Thread.sleep(10);
                }

                assertEquals(
                        Observation.of(1), program.next(control).orElseThrow().observation());
            }
        });
    }

    /** Returns what is said where a program ends at each trial. */
    private String died(String command) {
        try (ProgramEvaluator program = evaluator(command)) {
            program.begin(trial(1));
            Evaluation found = program.next(control).orElseThrow().evaluation();
            return found.unanswered().orElseThrow().getMessage();
        }
    }

    @Test
    void saysHowAProgramDied() {
        String dying = "echo 'no licence' >&2; exit 3";

        assertEquals(
                "'" + dying
                        + "': it ended with exit code 3 before it answered; its last line: 'no licence', all are in "
                        + folder.resolve("evaluate.log") + "; mend it, and the same command goes on",
                died(dying));
        assertTrue(died("read line; exit 0")
                .startsWith("'read line; exit 0': it ended with exit code 0 before it answered; "));
        String within = "read line; printf '{\"trial\": 7, \"val'; exit 130";
        assertTrue(died(within).contains("exit code 130 within its answer '{\"trial\": 7, \"val'; it wrote no error"));
        assertTrue(died("/no/such/program")
                .startsWith("'/no/such/program': it ended with exit code 127 before it answered; its last line: '"));
    }

    /** Hangs at the first trial until its input ends. */
    private static final String HANGING = "read line; case $line in *:1,*) cat > /dev/null;; esac;"
            + " echo '{\"trial\": 2, \"value\": 2}'; cat > /dev/null";

    private final Control impatient = Control.of(Path.of("/nonexistent"), () -> true);

    @Test
    void startsAProgramAnewThatHangsAtATrialThatIsGivenUp() {
        try (ProgramEvaluator program = evaluator(HANGING)) {
            assertEquals(Optional.empty(), evaluate(program, trial(1), impatient));
            program.giveUp(trial(1));
            assertEquals(Optional.of(Observation.of(2)), evaluate(program, trial(2), control));
        }
    }

    @Test
    void noticesTheEndOfAProgramWhoseOutputAnotherHolds() {
        Observation observation = evaluate("sleep 20 & read line; echo 'no database' >&2; exit 3");
        assertTrue(observation.failed().orElseThrow().contains("exit code 3"), observation::toString);
        assertTrue(observation.failed().orElseThrow().contains("no database"), observation::toString);
    }

    @Test
    void asksOthersAnewWhereOneOfSeveralHangs() {
        String command = "while read line; do case $line in *:7,*) sleep 60;; *:8,*) t=8;; *) t=9;; esac;"
                + " echo \"{\\\"trial\\\": $t, \\\"value\\\": 1}\"; done";
        try (ProgramEvaluator program = evaluator(command).within(Optional.of(Duration.ofSeconds(2)))) {
            program.begin(trial(7));
            program.begin(trial(8));
            assertEquals(
                    Observation.failed("no answer within 2s"),
                    program.next(control).orElseThrow().observation());
            program.begin(trial(9));
            for (int number : List.of(8, 9)) {
                Told told = program.next(control).orElseThrow();
                assertEquals(number, told.trial().number());
                assertEquals(Optional.empty(), told.observation().failed());
            }
        }
    }

    @Test
    void readsAnAnswerThatCameInTimeHoweverLateItLooks() throws Exception {
        try (ProgramEvaluator program = evaluator("read line; echo '{\"trial\": 7, \"value\": 1}'; read line")
                .within(Optional.of(Duration.ofMillis(500)))) {
            program.begin(trial(7));
            Thread.sleep(1500);
            assertEquals(
                    Optional.empty(),
                    program.next(control).orElseThrow().observation().failed());
        }
    }

    @Test
    void knowsNothingOfAValueOfInfiniteVariance() {
        assertEquals(
                Double.MAX_VALUE,
                evaluate("read line; echo '{\"trial\": 7, \"value\": 1, \"variance\": Infinity}'")
                        .variance()
                        .orElseThrow());
    }

    @Test
    void failsATrialThatTakesLongerThanItMay() {
        try (ProgramEvaluator program = evaluator(HANGING).within(Optional.of(Duration.ofMillis(100)))) {
            assertEquals(
                    Optional.of(Observation.failed("no answer within 0.1s")), evaluate(program, trial(1), control));
            program.within(Optional.empty());
            assertEquals(Optional.of(Observation.of(2)), evaluate(program, trial(2), control));
        }
    }

    @Test
    void dropsTheLateAnswerToATrialThatWasGivenUp() {
        try (ProgramEvaluator program = evaluator(
                "read a; read b; echo '{\"trial\": 1, \"value\": 1}';" + " echo '{\"trial\": 2, \"value\": 2}'")) {
            program.begin(trial(1));
            program.begin(trial(2));
            assertEquals(Optional.empty(), program.next(impatient));
            program.giveUp(trial(1));
            assertEquals(2, program.next(control).orElseThrow().number());
        }
    }

    @Test
    void takesAnswersInAnyOrderWhereItAskedForSeveral() {
        try (ProgramEvaluator program = evaluator("read a; read b; echo '{\"trial\": 2, \"value\": 2}';"
                + " echo '{\"trial\": 1, \"value\": 1}'; read c; read d; echo '{\"trial\": 1, \"value\": 1}'; cat")) {
            program.begin(trial(1));
            program.begin(trial(2));

            assertEquals(2, program.next(control).orElseThrow().number());
            assertEquals(1, program.next(control).orElseThrow().number());
            program.begin(trial(3));
            program.begin(trial(4));
            assertTrue(assertThrows(SearchException.class, () -> program.next(control))
                    .getMessage()
                    .contains("trial: expected 3 or 4, found 1"));
        }
    }

    @Test
    @Timeout(60)
    void passesOverAnAnswerThatIsGivenTwiceBeforeTheNextQuestion() {
        String twice = "for i in 1 2; do echo '{\"trial\": 1, \"value\": 1}'; done;";
        String second = " echo '{\"trial\": 2, \"value\": 2}'";
        try (ProgramEvaluator program = evaluator("read a; read b; " + twice + second)) {
            program.begin(trial(1));
            program.begin(trial(2));
            assertEquals(1, program.next(control).orElseThrow().number());
            assertEquals(2, program.next(control).orElseThrow().number());
        }
        try (ProgramEvaluator program = evaluator("read a; " + twice + " read b;" + second)) {
            assertEquals(Observation.of(1), evaluate(program, trial(1), control).orElseThrow());
            while (!program.hasUnread()) {
                Thread.onSpinWait();
            }
            assertEquals(Observation.of(2), evaluate(program, trial(2), control).orElseThrow());
        }
    }

    @Test
    @Tag("full")
    void endsAProgramThatDoesNotEndByItself() {
        ProgramEvaluator program = evaluator("trap '' TERM; echo $$ 1>&2; while :; do sleep 0.1; done");
        program.close();

        assertEquals(0, ProcessHandle.current().descendants().count(), "nothing is left of it");
    }

    /** Lines that nobody reads must not fill the memory: the program waits. */
    @Test
    @Tag("full")
    void endsAProgramThatTalksWithoutEnd() {
        assertTrue(assertThrows(SearchException.class, () -> evaluate("yes"))
                .getMessage()
                .contains("expected a JSON object, found 10000 other lines, the last is 'y'"));
    }

    @Test
    void takesTheEndOfAProgramForTheInterruptionThatEndedBoth() {
        AtomicInteger looks = new AtomicInteger();
        Control late = Control.of(folder, () -> looks.incrementAndGet() > 1);
        try (ProgramEvaluator program = evaluator("exit 130")) {
            program.begin(trial(1));

            assertEquals(Optional.empty(), program.next(late));
        } catch (SearchException e) {
            // It had ended before it could be asked.
            assertTrue(e.getMessage().contains("exit code 130"), e.getMessage());
        }
    }

    @Test
    void saysWhyItCannotKeepWhatAProgramWrites() {
        Path missing = folder.resolve("none");

        assertEquals(
                missing.resolve("evaluate.log") + ": cannot be written: no such file or directory",
                assertThrows(
                                SearchException.class,
                                () -> ProgramEvaluator.start("true", PLAN.space(), missing, environment -> {}))
                        .getMessage());
    }

    @Test
    void quotesNoErrorOfAnEarlierProgram() throws Exception {
        Files.writeString(folder.resolve("evaluate.log"), "an old error\n");

        assertTrue(died("read line; exit 4").contains("exit code 4 before it answered; it wrote no error"));
    }

    private ProgramEngine engine(String command) {
        return ProgramEngine.start(command, PLAN, 9, folder, environment -> {}, () -> false);
    }

    @Test
    void asksAnOutsideOptimiser() {
        String program =
                "read space; case \"$space\" in '{\"space\":{\"direction\":\"minimize\",'*'\"evaluations\":9}}')"
                        + " ;; *) exit 9;; esac; read ask; [ \"$ask\" = '{\"ask\":1}' ] || exit 8;"
                        + " echo '{\"trial\": 1, \"parameters\": {\"x\": 0.5, \"mode\": \"b\"}}'; read tell;"
                        + " [ \"$tell\" = '{\"tell\":{\"trial\":1,\"parameters\":{\"x\":0.5,\"mode\":\"b\"},\"value\":2.0}}' ] ||"
                        + " exit 7; read ask; echo '{\"done\": true}'; read best; [ \"$best\" = '{\"best\":true}' ] || exit 6;"
                        + " echo '{\"parameters\": {\"x\": 0.5, \"mode\": \"b\"}, \"predicted\": 2}'";
        try (ProgramEngine engine = engine(program)) {
            Trial first = engine.ask().orElseThrow();
            assertEquals("x=0.5 mode=b", SearchPlan.print(first.configuration()));
            engine.tell(first, Observation.of(2));
            assertEquals(Optional.empty(), engine.ask());
            assertEquals(2, engine.best().orElseThrow().predicted().orElseThrow());
        }
    }

    @Test
    void saysWhatIsWrongWithASuggestion() {
        String command = "read space; read ask; echo '{\"trial\": 1, \"parameters\": {\"x\": 3, \"mode\": \"b\"}}'";
        try (ProgramEngine engine = engine(command)) {
            assertEquals(
                    "'" + command
                            + "': its answer to ask 1: parameters: parameter x: value: must be a number from 0 to 1,"
                            + " is 3; mend it, and the same command goes on",
                    assertThrows(SearchException.class, engine::ask).getMessage());
        }
    }
}
