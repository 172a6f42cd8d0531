package dev.lockstep.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        return ProgramEvaluator.start(command, PLAN.space(), folder);
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

    private Observation evaluateTwo(String answer) {
        SearchPlan two = SpaceFile.read(
                "s.json",
                "{\"objective\": [\"cpu\", \"rss\"], \"parameters\": {\"x\": [0.0, 1.0]}, \"constraints\": [\"p99\"]}");
        Trial trial = Trial.of(7, two.space().configuration(Map.of("x", 0.3)), Trial.Origin.MODEL);
        try (ProgramEvaluator program =
                ProgramEvaluator.start("read line; echo '" + answer + "'", two.space(), folder)) {
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
    void saysWhereAConstraintIsToBeNamed() {
        SearchPlan none = SpaceFile.read("s.json", "{\"parameters\": {\"x\": [0.0, 1.0]}}");
        Trial trial = Trial.of(1, none.space().configuration(Map.of("x", 0.3)), Trial.Origin.MODEL);
        String command = "read line; echo '{\"trial\": 1, \"value\": 1, \"constraints\": {\"p99\": 0}}'";
        try (ProgramEvaluator program = ProgramEvaluator.start(command, none.space(), folder)) {
            String found = assertThrows(SearchException.class, () -> evaluate(program, trial, control))
                    .getMessage();

            assertTrue(found.contains("the space has none, name it there under the key 'constraints'; mend"), found);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"trial\": 7, \"value\": 1} | value: expected values and variances, which are lists of two, for there are two objectives, found one number",
                "{\"trial\": 7, \"values\": [1]} | values: expected a list of 2 numbers, one for each objective, found one of 1",
                "{\"trial\": 7, \"values\": [1, null]} | values: expected a number for each objective, found null",
                "{\"trial\": 7, \"values\": [1, \"b\"]} | values: expected a finite number, found '\"b\"'",
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
                "nonsense | expected a JSON object, found 'nonsense'",
                "[1] | expected a JSON object, found '[1]'",
                "`` | expected a JSON object, found an empty line",
                "{\"value\": 1} | trial: expected a whole number from 1, found nothing",
                "{\"trial\": 8, \"value\": 1} | trial: expected 7, found 8",
                "{\"trial\": 7} | observation: must be one of value, failed and skipped, is 0",
                "{\"trial\": 7, \"value\": \"fast\"} | value: expected a finite number, found '\"fast\"'",
                "{\"trial\": 7, \"value\": NaN} | expected a JSON object, found '{\"trial\": 7, \"value\": NaN}'",
                "{\"trial\": 7, \"value\": 1e999} | value: expected a finite number, found '\"Infinity\"'",
                "{\"trial\": 7, \"value\": 1, \"failed\": \"x\"} | observation: must be one of value, failed and skipped, is 2",
                "{\"trial\": 7, \"value\": 1, \"variance\": -1} | variance: must be 0 or more beside a value, is -1.0",
                "{\"trial\": 7, \"value\": 1, \"constraints\": {\"p50\": 1}} | constraints: unknown constraint 'p50'; known are p99",
                "{\"trial\": 7, \"value\": 1, \"constraints\": 3} | constraints: expected an object, found '3'",
                "{\"trial\": 7, \"valeu\": 1} | unknown field 'valeu'; known are trial, value, variance, values, variances, constraints, failed and skipped",
                "{\"trial\": 7, \"values\": [1, 2]} | values: expected a list of 1 number, one for each objective, found one of 2",
                "{\"trial\": 7, \"values\": [1], \"value\": 1} | values: expected value or values, found both"
            })
    void saysWhatIsWrongWithAnAnswer(String answer, String expected) {
        String command = "read line; echo '" + (answer == null ? "" : answer) + "'";

        assertEquals(
                "'" + command + "': its answer to trial 7: " + expected + "; mend it, and the same command goes on",
                assertThrows(SearchException.class, () -> evaluate(command)).getMessage());
    }

    @Test
    void saysHowAProgramDied() {
        String dying = "echo 'no licence' >&2; exit 3";
        String silent = "read line; exit 0";

        assertEquals(
                "'" + dying
                        + "': it ended with exit code 3 before it answered; its last line: 'no licence', all are in "
                        + folder.resolve("evaluate.log") + "; mend it, and the same command goes on",
                assertThrows(SearchException.class, () -> evaluate(dying)).getMessage());
        assertTrue(assertThrows(SearchException.class, () -> evaluate(silent))
                .getMessage()
                .startsWith("'read line; exit 0': it ended with exit code 0 before it answered; "));
        assertTrue(assertThrows(SearchException.class, () -> evaluate("/no/such/program"))
                .getMessage()
                .startsWith("'/no/such/program': it ended with exit code 127 before it answered; its last line: '"));
    }

    @Test
    void dropsTheLateAnswerToATrialThatWasGivenUp() {
        AtomicInteger looks = new AtomicInteger();
        Control impatient = Control.of(folder, () -> looks.incrementAndGet() > 2);
        try (ProgramEvaluator program = evaluator(
                "read a; read b; echo '{\"trial\": 1, \"value\": 1}';" + " echo '{\"trial\": 2, \"value\": 2}'")) {
            assertEquals(Optional.empty(), evaluate(program, trial(1), impatient));
            program.giveUp(trial(1));
            assertEquals(Optional.of(Observation.of(2)), evaluate(program, trial(2), control));
        }
    }

    @Test
    void takesAnswersInAnyOrderWhereItAskedForSeveral() {
        try (ProgramEvaluator program = evaluator("read a; read b; echo '{\"trial\": 2, \"value\": 2}';"
                + " echo '{\"trial\": 1, \"value\": 1}'; echo '{\"trial\": 1, \"value\": 1}'; cat")) {
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
                .contains("expected a JSON object, found 'y'"));
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
    void quotesNoErrorOfAnEarlierProgram() throws Exception {
        Files.writeString(folder.resolve("evaluate.log"), "an old error\n");

        assertTrue(assertThrows(SearchException.class, () -> evaluate("read line; exit 4"))
                .getMessage()
                .contains("exit code 4 before it answered; it wrote no error"));
    }

    private ProgramEngine engine(String command) {
        return ProgramEngine.start(command, PLAN, 9, folder, () -> false);
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
