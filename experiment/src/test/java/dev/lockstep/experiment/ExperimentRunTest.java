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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExperimentRunTest {
    private static final Path GOLDEN = Paths.get("src/test/resources/dev/lockstep/experiment");

    @TempDir
    private Path folder;

    private Path directory;

    private final TestingRunner runner = new TestingRunner();
    private final List<String> heard = new ArrayList<>();

    @BeforeEach
    void chooseDirectory() {
        directory = folder.resolve("out");
    }

    private ExperimentResult run(Size size) {
        return run(example(), size);
    }

    private ExperimentResult run(Definition definition, Size size, String... only) {
        ExperimentListener listener = new ExperimentListener() {
            @Override
            public void begins(String part, int number, int of) {}

            @Override
            public void ended(String part, String what) {
                heard.add(part + ": " + what.replaceAll(" \\([0-9]+ s\\)", ""));
            }
        };
        return ExperimentRun.run(
                definition, size, directory, runner, listener, definition.partsLike(size, List.of(only)));
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

    /** A design of hours can be carried out in several evenings. */
    @Test
    void carriesOutThePartsAloneThatAreAskedForAndShowsThoseDoneBefore() {
        ExperimentResult first = run(example(), Size.QUICK, "*-b");
        assertEquals(List.of("kind-b"), runner.carriedOut);
        assertTrue(first.figures().get(0).comment().startsWith("Left out by --only."));
        assertTrue(first.lines().contains("Left out by --only"), first.lines()::toString);
        assertFalse(first.isInterrupted());

        ExperimentResult second = run(example(), Size.QUICK, "kind-a");

        assertEquals(List.of("kind-b", "kind-a"), runner.carriedOut);
        assertTrue(second.figures().get(0).here().isPresent());
        assertTrue(second.figures().get(1).here().isPresent());
        assertEquals(
                "expected parts of example, kind-a, kind-b, stored, least, found 'kind-c'",
                assertThrows(ExperimentException.class, () -> run(example(), Size.QUICK, "kind-c"))
                        .getMessage());
    }

    /** Between two evenings there may be an update. */
    @Test
    void namesThePartsOfEachVersionWhereThereAreSeveral() {
        runner.jvm = "OpenJDK 64-Bit Server VM 17.0.15+6 (Debian)";
        ExperimentResult first = run(example(), Size.QUICK, "kind-*");
        assertFalse(String.join("\n", first.lines()).contains("same version"), first.lines()::toString);

        runner.jvm = "OpenJDK 64-Bit Server VM 17.0.16+8 (Debian)";
        runner.version = "0.2.0";
        ExperimentResult second = run(Size.QUICK);

        assertEquals(List.of("kind-a", "kind-b", "128m", "192m"), runner.carriedOut, "nothing again");
        String both = "Not all parts were carried out by the same version of"
                + " Lockstep 0.1.0 (kind-a, kind-b), 0.2.0 (least/128m, least/192m);"
                + " OpenJDK 64-Bit Server VM 17 (Debian) 17.0.15+6 (kind-a, kind-b),"
                + " 17.0.16+8 (least/128m, least/192m).";
        assertTrue(
                String.join(" ", second.lines()).replaceAll("\\s+", " ").contains("Beware: " + both),
                second.lines()::toString);
        assertTrue(second.pageData().contains(both), second.pageData());
    }

    private void giveAnotherCommandToA() throws IOException {
        Path state = directory.resolve("experiment.json");
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

    /** With any memory a condition may fail then. */
    @Test
    void knowsNoLeastValueWhereOthersHadTheProcessorsOfATryAndTriesItAgain() {
        runner.starved = "128m";

        ExperimentResult result = run(Size.QUICK);

        assertTrue(
                result.toJson()
                        .contains(
                                "Not known: least/128m was INVALID: c2: latencies and rates are not its own: its threads waited 3.0 s"),
                result.toJson());
        runner.starved = null;
        runner.carriedOut.clear();
        run(Size.QUICK);
        assertEquals(List.of("128m", "192m"), runner.carriedOut);
    }

    @Test
    void carriesOutAgainWhatIsInvalidAndShowsItUntilThen() {
        runner.invalid = "kind-a";

        ExperimentResult result = run(Size.QUICK);

        assertTrue(
                heard.contains("kind-a: INVALID: it was late; the same command carries it out again"), heard::toString);
        assertTrue(result.figures().get(0).here().isPresent());
        assertTrue(result.toJson().contains("\"invalid\" : \"it was late\""), result.toJson());
        runner.invalid = null;
        runner.carriedOut.clear();
        assertFalse(run(Size.QUICK).toJson().contains("invalid"));
        assertEquals(List.of("kind-a"), runner.carriedOut);
    }

    @Test
    void claimsNeitherAgreementNorDifferenceOfARunThatIsInvalid() {
        runner.invalid = "kind-b";

        Figure figure = run(Size.QUICK).figures().get(1);

        // The published -68 is outside of the interval.
        assertEquals(-9, figure.high().orElseThrow(), 1e-9);
        assertEquals(
                "Cannot tell: INVALID, see the parts below. 3 launches: indicative. Another machine.",
                figure.comment());
    }

    /** A size may start fewer of the targets that one part has. */
    @Test
    void leavesOutAFigureWhoseTargetASmallerSizeDoesNotStart() throws IOException {
        Definition own = own(OWN.replace("over: c2", "over: c2-noea"));

        assertTrue(run(own, Size.FULL).figures().get(0).comment().startsWith("The run has no "));
        directory = folder.resolve("quick");
        assertEquals(
                "Not part of --quick. No figure was published.",
                run(own, Size.QUICK).figures().get(0).comment());
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

    /** Among dozens of parts one wrong word must not cost the table of the others. */
    @Test
    void goesOnAfterAWrongCommandAndAServiceThatDoesNotStart() {
        runner.misspelt = "kind-a";
        runner.servicesFail = true;

        ExperimentResult result = run(Size.QUICK);

        assertEquals("Failed: unknown option: --sped.", result.figures().get(0).comment());
        assertTrue(heard.contains("stored: failed: service store: expected an open port, found none"), heard::toString);
        assertEquals(List.of("kind-a", "kind-b", "128m", "192m"), runner.carriedOut);
        assertTrue(result.hasResult());
    }

    /** Its targets answered all the while, if only with errors. */
    @Test
    void takesWhatWasMeasuredWithoutAServiceForNoResult() {
        runner.withoutService = "kind-a";

        ExperimentResult result = run(Size.QUICK);

        assertTrue(heard.contains("kind-a: failed: service store ended while targets used it"), heard::toString);
        assertTrue(result.figures().get(0).here().isEmpty());
        runner.withoutService = null;
        runner.carriedOut.clear();
        assertTrue(run(Size.QUICK).figures().get(0).here().isPresent());
        assertEquals(List.of("kind-a"), runner.carriedOut);
    }

    /** It was said to have failed with exit code 0. */
    @Test
    void saysThatACommandThatIsNoRunLeavesNoResult() {
        runner.withoutResult = "kind-a";

        run(Size.QUICK);

        assertTrue(
                heard.contains("kind-a: failed: it left no run.json, so it was no run; other commands go behind exec"),
                heard::toString);
    }

    /** A full disk or a missing capture says nothing of memory. */
    @Test
    void knowsNoLeastValueWhereATryLeftNoResult() {
        runner.failing = "128m";

        ExperimentResult result = run(Size.QUICK);

        assertTrue(
                result.toJson()
                        .contains("Not known: least/128m failed: graal: no such JVM; the same command tries it again."),
                result.toJson());
        assertEquals(List.of("kind-a", "kind-b", "128m"), runner.carriedOut);
    }

    /** As of a JVM that lives and does nothing but collect. */
    @Test
    void takesATargetThatIsNotReadyInTimeForAValueThatDoesNotHold() {
        runner.late = "128m";

        ExperimentResult result = run(Size.QUICK);

        assertTrue(heard.contains("least/128m: does not hold: target c2: not ready within 60 s"), heard::toString);
        Figure least = result.figures().get(7);
        assertEquals(192, least.here().orElseThrow());
        assertTrue(least.comment().contains("Not ready in time, which counts as not holding: 128m."), least.comment());
        assertTrue(result.toJson().contains("\"end\" : \"not ready\""), result.toJson());
        runner.carriedOut.clear();
        assertEquals(result.toJson(), run(Size.QUICK).toJson());
        assertEquals(
                192,
                run(example(), Size.QUICK, "kind-a").figures().get(7).here().orElseThrow(),
                "what was found before stands beside the parts that are asked for");
        assertEquals(List.of(), runner.carriedOut);
    }

    /** Elsewhere too much depends on it: another service's port, the command itself. */
    @Test
    void takesATargetThatIsNotReadyInTimeForAFailureWhereNothingIsTried() {
        runner.late = "kind-a";

        run(Size.QUICK);

        assertTrue(heard.contains("kind-a: failed: target c2: not ready within 60 s"), heard::toString);
    }

    @Test
    void saysThatASearchToldNothingThoughItsVerificationIsValid() throws IOException {
        runner.spoiled = "search";

        ExperimentResult result = run(own(OWN), Size.FULL);

        assertTrue(result.toJson().contains("\"invalid\" : \"exit code 3\""), result.toJson());
        assertTrue(String.join("\n", result.lines()).contains("search: INVALID: exit code 3"));
    }

    /** Whatever is asked for now. */
    @Test
    void saysThatNoneOfTheValuesHolds() throws IOException {
        Definition own = own(OWN.replace(
                        "figures:",
                        "  - {name: least, tries: [64m, 128m],"
                                + " command: '--memory {try} --assert c2.errors==0 http://h/'}\nfigures:")
                + "  - {name: G, unit: MiB, part: least, least: memory}\n");

        for (String only : List.of("*", "run")) {
            String comment = run(own, Size.FULL, only).figures().get(1).comment();
            assertTrue(comment.startsWith("None of 64m, 128m holds."), comment);
        }
    }

    @Test
    void scalesWhatIsTurnedRound() throws IOException {
        Definition own = own(OWN.replace("over: c2}", "over: c2, as: inverse, scale: 100}"));

        assertEquals(125, run(own, Size.FULL).figures().get(0).here().orElseThrow(), 1e-9);
    }

    @Test
    void scalesTheLeastValueToo() throws IOException {
        Definition own = own(OWN.replace(
                        "figures:",
                        "  - {name: least, tries: [192m, 256m],"
                                + " command: '--memory {try} --assert c2.errors==0 http://h/'}\nfigures:")
                + "  - {name: G, unit: GiB, part: least, least: memory, scale: 0.0009765625}\n"
                + "  - {name: H, unit: 1/GiB, part: least, least: memory, as: inverse, scale: 1024}\n");

        List<Figure> figures = run(own, Size.FULL).figures();

        assertEquals(0.1875, figures.get(1).here().orElseThrow(), 1e-12);
        assertEquals(1024 / 192.0, figures.get(2).here().orElseThrow(), 1e-12);
    }

    @Test
    void drawsNothingAtAValueThatIsNoAmount() throws IOException {
        Definition own = own(OWN.replace("full: {}", "full: {jdk: [17.0.9, '21']}")
                + "charts:\n  - {title: T, caption: C, x: jdk, xLabel: JDK, lines: [], figure: {unit: '%', part: run,"
                + " ratio: throughput, target: graal, over: c2}}\n");

        String page = run(own, Size.FULL).pageData();

        assertTrue(page.contains("\"lines\":{\"\":[[21.0,0.8]]}"), page);
    }

    @Test
    void judgesNoFigureThatWasPublishedOfSomethingElse() throws IOException {
        Definition own = own(OWN.replace("over: c2}", "over: c2, published: 0.7, judged: false}"));

        String comment = run(own, Size.FULL).figures().get(0).comment();

        assertTrue(comment.startsWith("Not judged: it was published of another quantity. "), comment);
    }

    @Test
    void showsNothingThatAnEarlierAttemptPrinted() throws IOException {
        run(Size.QUICK);
        Path printed = directory.resolve("kind-a.txt");
        assertTrue(Files.exists(printed));
        giveAnotherCommandToA();
        runner.failing = "kind-a";

        run(Size.QUICK);

        assertFalse(Files.exists(printed));
    }

    // ---- files that parts meet ----------------------------------------------------------------------------------

    private static final String OWN = "title: A\nasks: B\nsource: C\nrig: D\nexpected: E\n"
            + "sizes: {smoke: {}, quick: {}, full: {}}\n"
            + "parts:\n"
            + "  - {name: record, command: [exec, cp, '{directory}/a.bin']}\n"
            + "  - {name: run, needs: ['{folder}/a.jar'], command: [--targets-file, '{targetsFile}', '{directory}/a.bin']}\n"
            + "  - {name: search, command: [tune, --space, gc, '{directory}/a.bin']}\n"
            + "figures:\n"
            + "  - {name: F, unit: '%', part: run, ratio: throughput, target: graal, over: c2}\n";

    private Definition own(String text) throws IOException {
        Path own = Files.createDirectories(folder.resolve("own"));
        if (!Files.exists(own.resolve("a.jar"))) {
            Files.writeString(own.resolve("a.jar"), "jar");
            Files.writeString(own.resolve("targets.yaml"), "targets: []");
        }
        Files.writeString(own.resolve(Definition.FILE), text);
        return Definition.read(own);
    }

    private List<String> again(Definition definition) {
        runner.carriedOut.clear();
        run(definition, Size.FULL);
        return List.copyOf(runner.carriedOut);
    }

    @Test
    void carriesOutAgainWhatMeetsOtherFiles() throws IOException {
        Definition own = own(OWN);
        assertEquals(List.of("record", "run", "search"), again(own));
        assertEquals(List.of(), again(own));

        Files.writeString(folder.resolve("own/a.jar"), "built anew");
        assertEquals(List.of("run"), again(own));
        Files.writeString(folder.resolve("own/targets.yaml"), "targets: [{}]");
        assertEquals(List.of("run"), again(own));
        Files.delete(directory.resolve("a.bin"));
        assertEquals(List.of("record"), again(own), "which records the same bytes");
        Files.delete(directory.resolve("a.bin"));
        runner.recorded = "others";
        assertEquals(List.of("record", "run", "search"), again(own));
    }

    @Test
    void goesOnWithASearchThatWasKilledAndBeginsAnotherOneAnew() throws IOException {
        Path journal = directory.resolve("search/journal.jsonl");
        runner.killedAt = "search";
        assertThrows(IllegalStateException.class, () -> run(own(OWN), Size.FULL));
        Files.createDirectories(journal.getParent());
        Files.writeString(journal, "{}");
        assertThrows(IllegalStateException.class, () -> run(own(OWN), Size.FULL));
        assertTrue(Files.exists(journal), "the same search");
        assertEquals(
                List.of("tune", "-o", directory.resolve("search").toString(), "--force"),
                runner.commands.get("search").subList(0, 4),
                "or an update of its JVM would stop it for ever");

        assertThrows(IllegalStateException.class, () -> run(own(OWN.replace("gc,", "heap,")), Size.FULL));

        assertFalse(Files.exists(journal), "another search, which the journal of this one would stop for ever");
    }

    @Test
    void goesOnWithASearchWhoseVerificationIsInvalid() throws IOException {
        Path journal = directory.resolve("search/journal.jsonl");
        Path verification = directory.resolve("search/verification");
        runner.invalid = "search";

        assertTrue(run(own(OWN), Size.FULL).toJson().contains("\"invalid\" : \"it was late\""));

        assertTrue(
                heard.contains("search: INVALID: it was late; the same command carries it out again"), heard::toString);
        Files.writeString(journal, "{}");
        runner.failing = "search";
        assertEquals(List.of("search"), again(own(OWN)));
        assertTrue(Files.exists(journal));
        assertFalse(Files.exists(verification), "a search that found nothing better now would leave it there");
        runner.failing = null;
        runner.invalid = null;
        assertEquals(List.of("search"), again(own(OWN)));
        assertTrue(Files.exists(verification));
        assertEquals(List.of(), again(own(OWN)));
    }

    /** It prints in whatever encoding. */
    @Test
    void showsWhatAProgramPrintedThatIsNoUtf8() throws IOException {
        run(own(OWN), Size.FULL);
        Files.write(directory.resolve("record.txt"), new byte[] {'a', (byte) 0xe4, 'b'});

        String page = run(own(OWN), Size.FULL).pageData();

        assertTrue(page.contains("\"printed\":\"a\ufffdb\""), page);
        assertFalse(page.contains("\"why\""), page);
    }

    @Test
    void takesAProgramForFailedWhateverItsExitCodeIs() throws IOException {
        runner.programExits = 3;

        run(own(OWN), Size.FULL);

        assertTrue(heard.contains("record: failed: exit code 3"), heard::toString);
    }

    @Test
    void judgesAgainstARangeAsItWasPublished() throws IOException {
        // 0.78 to 0.91 is found.
        Figure within = ofPublished("[0.9, 2]");
        assertEquals(0.9, within.published().orElseThrow());
        assertEquals(
                "Agrees: the interval meets the published range. 3 launches: indicative. Published as 0.900 to 2.00.",
                within.comment());

        Figure beyond = ofPublished("[13, .inf]");
        assertEquals(13, beyond.published().orElseThrow());
        assertEquals("Differs. 3 launches: indicative. Published as 13.0 or more.", beyond.comment());
        assertEquals(-3.5, ofPublished("[-5, -3.5]").published().orElseThrow());
    }

    private Figure ofPublished(String published) throws IOException {
        String text = OWN.replace("over: c2}", "over: c2, published: " + published + "}");
        return run(own(text), Size.FULL).figures().get(0);
    }

    @Test
    void showsCommandsAsAShellTakesThem() throws IOException {
        String json =
                run(own(OWN.replace("gc,", "'it''s a space',")), Size.FULL).toJson();

        assertTrue(json.contains("\"command\" : \"cp " + directory + "/a.bin\""), json);
        assertTrue(
                json.contains("\"command\" : \"replay --targets-file " + directory + "/targets.yaml " + directory
                        + "/a.bin\""),
                json);
        assertTrue(json.contains("\"replay tune --space 'it'\\\\''s a space' " + directory + "/a.bin\""), json);
    }

    @Test
    void namesThePagesOfRunsAndSearches() throws IOException {
        run(own(OWN), Size.FULL);
        Files.writeString(directory.resolve("run/report.html"), "");
        Files.writeString(directory.resolve("search/tune.html"), "");
        assertTrue(run(own(OWN), Size.FULL).toJson().contains("\"pages\" : [ \"run/report.html\" ]"));
        assertTrue(run(own(OWN), Size.FULL).toJson().contains("\"pages\" : [ \"search/tune.html\" ]"));

        Files.writeString(directory.resolve("search/verification/report.html"), "");
        assertTrue(run(own(OWN), Size.FULL)
                .toJson()
                .contains("\"pages\" : [ \"search/tune.html\", \"search/verification/report.html\" ]"));
    }

    @Test
    void hasNoResultWhereAProgramAloneIsDone() throws IOException {
        runner.failing = "run";

        ExperimentResult result = run(own(OWN), Size.FULL);

        assertTrue(heard.contains("record: done"), heard::toString);
        assertFalse(result.hasResult());
    }

    @Test
    void saysThatTheListOfPartsCannotBeRead() throws IOException {
        run(Size.QUICK);
        Path state = directory.resolve("experiment.json");
        for (String broken :
                List.of("{\"experiment\": ", Files.readString(state).replace("DONE", "DUNE"))) {
            Files.writeString(state, broken);

            String message = assertThrows(ExperimentException.class, () -> run(Size.QUICK))
                    .getMessage();

            assertTrue(message.startsWith(state + ": cannot be read: "), message);
            assertTrue(
                    message.endsWith(
                            "; choose another directory with -o, or delete this one to carry out all parts again"),
                    message);
            assertFalse(message.contains("\n"), message);
        }
    }

    @Test
    void saysWhereItHoldsFewerConnectionsThanWereAskedFor() throws IOException {
        Path own = own(OWN.replace(
                                "{smoke: {}, quick: {}, full: {}}",
                                "{smoke: &s {connections: 5000, servers: 'a,b'},"
                                        + " quick: *s, full: *s}\nconnectionsTo: servers")
                        .replace(
                                "'{directory}/a.bin']}\n  - {name: search", "-c, '{connections}']}\n  - {name: search"))
                .folder();

        ExperimentResult result = run(Definition.read(own, targets -> 3_001 / targets), Size.FULL);

        String fewer = "1,500 connections to each of 2 targets in place of 5,000: this process can hold no more"
                + " (ulimit -n, and local ports).";
        assertTrue(result.figures().get(0).comment().contains(fewer), result.toJson());
        assertTrue(String.join(" ", result.lines()).replaceAll("\\s+", " ").contains("Beware: " + fewer));
        assertTrue(result.toJson().contains("-c 1500"), result.toJson());
        assertFalse(run(Definition.read(own), Size.FULL).toJson().contains("in place of"));
    }

    @Test
    void refusesTheDirectoryOfAnotherSize() {
        run(Size.QUICK);

        ExperimentException e = assertThrows(ExperimentException.class, () -> run(Size.FULL));

        assertEquals(
                directory.resolve("experiment.json") + ": expected the parts of example --full, found those of example"
                        + " --quick; choose another directory with -o",
                e.getMessage());
    }

    /** Such as -o samples: a part would write its capture over the one that is there. */
    @Test
    void refusesADirectoryWithOtherThings() throws IOException {
        Path other = Files.createDirectories(directory).resolve("a.bin");
        Files.writeString(other, "precious");
        Files.writeString(directory.resolve("b.bin"), "");

        ExperimentException e = assertThrows(ExperimentException.class, () -> run(own(OWN), Size.FULL));

        assertEquals(
                directory
                        + ": expected an empty directory, or an experiment's with experiment.json, found 'a.bin' in it;"
                        + " choose another directory with -o",
                e.getMessage());
        assertEquals("precious", Files.readString(other));
        assertEquals(List.of(), runner.carriedOut);
        assertFalse(Files.exists(directory.resolve(".lock")));
    }

    @Test
    void refusesAFileInPlaceOfTheDirectory() throws IOException {
        Files.writeString(directory, "precious");

        ExperimentException e = assertThrows(ExperimentException.class, () -> run(Size.QUICK));

        assertEquals(
                directory + ": expected a directory, or none yet, found a file; choose another directory with -o",
                e.getMessage());
    }

    @Test
    void saysOnceWhichDirectoryCannotBeWritten() throws IOException {
        directory = Files.writeString(directory, "precious").resolve("below");

        String message =
                assertThrows(ExperimentException.class, () -> run(Size.QUICK)).getMessage();

        assertTrue(message.startsWith(directory + ": cannot be written: "), message);
        assertEquals(0, message.lastIndexOf(directory.toString()), message);
    }

    @Test
    void takesADirectoryThatAKillLeftBeforeAnyPart() throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(".lock"), "");
        Files.writeString(directory.resolve(".experiment.json.tmp"), "{");
        runner.interrupted = true;
        run(Size.QUICK);
        // What the command writes of any result.
        Files.writeString(directory.resolve("experiment.txt"), "");

        runner.interrupted = false;
        assertTrue(run(Size.QUICK).hasResult());
    }

    @Test
    void printsTheTable() throws IOException {
        assertGolden("quick.txt", String.join("\n", run(Size.QUICK).lines()) + "\n");
    }

    @Test
    void printsJson() throws IOException {
        assertGolden("quick.json", run(Size.QUICK).toJson().replace(directory.toString(), "DIRECTORY"));
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
