package dev.lockstep.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SearchTest {
    @TempDir
    private Path folder;

    private Path journal() {
        return folder.resolve("journal.jsonl");
    }

    @Test
    void evaluatesWhatIsAskedForAndKeepsIt() throws IOException {
        TestingSearch search = new TestingSearch(folder);

        SearchResult result = search.run();

        assertEquals(List.of(1, 2, 3, 4, 5, 6), search.evaluated);
        assertEquals(6, result.told().size());
        assertEquals(Optional.empty(), result.whyEnded());
        assertEquals(
                result.told().stream()
                        .mapToDouble(one -> one.observation().value().orElseThrow())
                        .min()
                        .orElseThrow(),
                result.best().orElseThrow().predicted().orElseThrow(),
                1e-3);
        List<String> lines = Files.readAllLines(journal());
        assertEquals(14, lines.size());
        assertEquals("{\"closed\":6}", lines.get(13));
        assertTrue(lines.get(0).startsWith("{\"version\":1,\"digest\":\""), lines.get(0));
        assertTrue(
                lines.get(1).matches("\\{\"asked\":\\{\"trial\":1,\"origin\":\"[a-z]+\",\"parameters\":\\{\"x\":.*"));
        assertTrue(lines.get(2).matches("\\{\"told\":\\{\"trial\":1,\"value\":[0-9.E-]+}}"), lines.get(2));
    }

    @Test
    void saysOnceWhichFileCannotBeOpened() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");

        String message = assertThrows(SearchException.class, () -> new TestingSearch(file.resolve("below")).run())
                .getMessage();
        assertTrue(message.startsWith(file.resolve("below/journal.jsonl") + ": cannot be opened: "), message);
        assertEquals(0, message.lastIndexOf(file.toString()), message);
        assertEquals(
                file.resolve("journal.jsonl") + ": cannot be opened: a file stands where its directory should",
                assertThrows(SearchException.class, () -> new TestingSearch(file).run())
                        .getMessage());
        assertEquals("permission denied", SearchException.reason(new AccessDeniedException("/root/x")));
    }

    @Test
    void isFinishedWhereFewerAreWantedThanWereBegun() throws IOException {
        new TestingSearch(folder).run();
        List<String> lines = Files.readAllLines(journal());
        assertTrue(lines.get(11).startsWith("{\"asked\":{\"trial\":6,"), lines.get(11));
        Files.write(journal(), lines.subList(0, 12));
        String fewer = TestingSearch.SPACE.replace("\"evaluations\": 6", "\"evaluations\": 5");

        assertEquals(5, new TestingSearch(folder, fewer).run().told().size());

        lines = Files.readAllLines(journal());
        assertEquals("{\"closed\":5}", lines.get(lines.size() - 1));
        TestingSearch more = new TestingSearch(folder, fewer);
        more.run(TestingSearch::square, false, 2);
        assertEquals(List.of(6, 7), more.evaluated);
    }

    private static final String TWO =
            "{\"evaluations\": 12, \"seed\": 3, \"noisy\": false, \"objective\": [\"cpu\", \"rss\"],"
                    + " \"parameters\": [{\"name\": \"x\", \"type\": \"float\", \"min\": 0, \"max\": 1}]}";

    /** Both squared distances, from 0.2 and from 0.7: all between is the front. */
    private static Observation both(Trial trial) {
        double x = trial.configuration().number("x").orElseThrow();
        return Observation.builder()
                .value((x - 0.2) * (x - 0.2))
                .secondValue((x - 0.7) * (x - 0.7))
                .secondVariance(1e-6)
                .build();
    }

    @Test
    void findsAFrontOfTwoObjectives() throws IOException {
        SearchResult result = new TestingSearch(folder, TWO).run(SearchTest::both, false, 0);

        assertTrue(result.front().size() > 4, result.toJson());
        assertEquals(
                List.of("best-cpu", "knee", "best-rss"),
                List.copyOf(result.frontMembers().keySet()));
        assertEquals(result.best().orElseThrow(), result.frontMembers().get("knee"));
        ObjectNode document = JsonLines.parse(result.toJson());
        assertEquals(result.front().size(), document.get("front").size());
        assertEquals(2, document.at("/front/0/predicted").size());
        assertTrue(document.at("/front/0/parameters/x").asDouble()
                < document.at("/front/1/parameters/x").asDouble());
        assertEquals(2, document.at("/best/predicted").size());
        assertEquals(2, document.at("/evaluations/0/values").size());
        assertFalse(document.at("/evaluations/0").has("value"));
        String journal = Files.readString(journal());
        assertTrue(journal.contains("\"variances\":[null,1.0E-6]"), journal);
        // Nothing is evaluated again, and the same is found of the journal.
        TestingSearch again = new TestingSearch(folder, TWO);
        assertEquals(result.toJson(), again.run(SearchTest::both, false, 0).toJson());
        assertEquals(List.of(), again.evaluated);
    }

    @Test
    void keepsThatAnEvaluationWasStoppedEarly() {
        SearchPlan plan = SpaceFile.read("s.json", TestingSearch.SPACE);
        Trial trial = Trial.of(1, plan.space().configuration(Map.of("x", 0.5)), Trial.Origin.MODEL);
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            journal.ask(trial);
            journal.tell(Told.of(
                    trial,
                    Evaluation.builder(Observation.of(0.4, 0.01))
                            .stoppedEarly(true)
                            .build()));
        }
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            assertTrue(journal.told().get(0).evaluation().stoppedEarly());
            Search search = new Search(plan, journal, Control.of(folder, () -> false), new SearchListener() {}, 1, 0);
            ObjectNode document = JsonLines.parse(search.before().toJson());
            assertTrue(document.at("/evaluations/0/stoppedEarly").asBoolean());
            assertEquals(0.4, document.at("/evaluations/0/value").asDouble());
        }
    }

    @Test
    void keepsHowEachMemberOfAFrontWasVerified() {
        SearchPlan plan = SpaceFile.read("s.json", TWO);
        Configuration one = plan.space().configuration(Map.of("x", 0.5));
        Verification.Builder found = Verification.builder("x=0.5")
                .parameters(one)
                .holds(true)
                .finding("better")
                .sentence("s")
                .ratio(0.9)
                .directory("d")
                .secondFinding("worse")
                .secondRatio(1.2)
                .secondLow(1.1)
                .secondHigh(1.3);
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            journal.verify(found.role("knee").build());
            journal.verify(found.role("best-rss").holds(false).build());
        }
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            assertEquals(
                    Optional.of(found.role("knee").holds(true).build()), journal.verified(Optional.of("knee"), one));
            assertFalse(
                    journal.verified(Optional.of("best-rss"), one).orElseThrow().holds());
            assertEquals(Optional.empty(), journal.verified(one));
        }
    }

    @Test
    void asksTheSameWithTheSameSeed() throws IOException {
        SearchResult one = new TestingSearch(folder.resolve("a")).run();
        SearchResult same = new TestingSearch(folder.resolve("b")).run();
        SearchResult other =
                new TestingSearch(folder.resolve("c"), TestingSearch.SPACE.replace("\"seed\": 3", "\"seed\": 4")).run();

        assertEquals(one.toJson(), same.toJson());
        assertFalse(one.toJson().equals(other.toJson()));
        assertEquals(
                Files.readString(folder.resolve("a/journal.jsonl")),
                Files.readString(folder.resolve("b/journal.jsonl")));
    }

    @Test
    void evaluatesNothingTwiceWhereItIsFinished() {
        SearchResult first = new TestingSearch(folder).run();
        TestingSearch again = new TestingSearch(folder);

        assertEquals(first.toJson(), again.run().toJson());
        assertEquals(List.of(), again.evaluated);
        assertEquals(List.of("going on with 6 of 6 evaluations done"), again.notes);
    }

    /** Wherever a kill cuts the journal, the search goes on to the same end. */
    @Test
    void goesOnFromAnyByteOfItsJournal() throws IOException {
        String whole = new TestingSearch(folder).run().toJson();
        byte[] journal = Files.readAllBytes(journal());
        int heading = new String(journal).indexOf('\n') + 1;
        for (int end = 0; end < journal.length; end += end < heading ? 97 : 17) {
            byte[] cut = new byte[end];
            System.arraycopy(journal, 0, cut, 0, end);
            Files.write(journal(), cut);
            TestingSearch again = new TestingSearch(folder);

            assertEquals(whole, again.run().toJson());
            String kept = new String(cut);
            boolean torn = end > 0 && !kept.endsWith("\n");
            assertEquals(torn, again.notes.stream().anyMatch(note -> note.contains("was torn by a kill")));
            long told = kept.substring(0, kept.lastIndexOf('\n') + 1)
                    .lines()
                    .filter(line -> line.startsWith("{\"told\""))
                    .count();
            assertEquals(6 - told, again.evaluated.size());
            assertEquals(new String(journal), Files.readString(journal()));
        }
    }

    @Test
    void addsEvaluationsToAFinishedSearchOnce() {
        new TestingSearch(folder).run(TestingSearch::rough, false, 0);

        TestingSearch more = new TestingSearch(folder);
        assertThrows(
                IllegalStateException.class,
                () -> more.run(
                        trial -> {
                            if (trial.number() == 8) {
                                throw new IllegalStateException("killed");
                            }
                            return TestingSearch.rough(trial);
                        },
                        false,
                        3));
        TestingSearch again = new TestingSearch(folder);
        SearchResult result = again.run(TestingSearch::rough, false, 3);

        assertEquals(List.of(7, 8), more.evaluated);
        assertEquals(List.of(8, 9), again.evaluated);
        assertEquals(9, result.evaluations());
        assertEquals(9, result.told().size());
    }

    private final AtomicLong nowMs = new AtomicLong(1_000_000);

    /** Each evaluation takes an hour. */
    private TestingSearch hours(String budget, int dies, int add) {
        TestingSearch search = new TestingSearch(
                folder,
                TestingSearch.SPACE.replace("\"evaluations\": 6", "\"evaluations\": 9, \"time\": \"" + budget + "\""));
        search.clockMs = nowMs::get;
        last = search.run(
                trial -> {
                    if (trial.number() == dies) {
                        throw new IllegalStateException("killed");
                    }
                    nowMs.addAndGet(3_600_000);
                    return TestingSearch.rough(trial);
                },
                false,
                add);
        return search;
    }

    private SearchResult last;

    @Test
    void endsWhenItsTimeIsUpHoweverOftenItWasKilled() {
        assertThrows(IllegalStateException.class, () -> hours("2h30m", 3, 0));
        assertEquals(List.of(3), hours("2h30m", 0, 0).evaluated);
        assertEquals(Optional.of("the time budget of 2h30m is used up"), last.whyEnded());
        assertTrue(last.finished());

        assertEquals(List.of(), hours("2h30m", 0, 0).evaluated);
        assertEquals(List.of(4, 5, 6), hours("2h30m", 0, 5).evaluated, "what is added has the time anew");
        assertEquals(3 + 5, last.evaluations());
        assertEquals(Optional.of("the time budget of 2h30m is used up"), last.whyEnded());
        assertEquals(List.of(7), hours("30m", 0, 3).evaluated, "a search with another budget is the same search");
    }

    @Test
    void countsItsTimeWhateverTheWallClockIsSetTo() {
        AtomicLong ns = new AtomicLong(5_000_000_000L);
        LongSupplier clockMs = Search.unset(nowMs::get, ns::get);
        nowMs.addAndGet(-3_600_000);
        ns.addAndGet(2_000_000_000L);

        assertEquals(1_002_000, clockMs.getAsLong());
    }

    @Test
    void refusesTheJournalOfAnotherSearch() {
        new TestingSearch(folder).run();
        TestingSearch other = new TestingSearch(folder, TestingSearch.SPACE.replace("\"max\": 1", "\"max\": 2"));

        assertEquals(
                journal() + ": expected the journal of this search, found that of another (they differ in parameters);"
                        + " --force replaces it, -o DIR begins beside it",
                assertThrows(SearchException.class, other::run).getMessage());
        assertEquals(6, other.run(TestingSearch::square, true, 0).told().size());
        assertEquals(List.of(1, 2, 3, 4, 5, 6), other.evaluated);
    }

    /** As of an engine that was left out. */
    @Test
    void namesWhatOnlyTheOtherSearchHas() {
        new TestingSearch(folder, TestingSearch.SPACE.replaceFirst("\\{", "{\"objective\": \"cpu\", ")).run();

        String message = assertThrows(OtherSearchException.class, () -> new TestingSearch(folder).run())
                .getMessage();

        assertTrue(message.contains("(they differ in objective)"), message);
    }

    @Test
    void replacesTheJournalOfASearchThatAskedForNothing() {
        String rules = "\"assert\": [\"x > 1\"]";
        TestingSearch none = new TestingSearch(folder, TestingSearch.SPACE.replaceFirst("\\{", "{" + rules + ", "));
        assertThrows(SpaceException.class, none::run);

        assertEquals(6, new TestingSearch(folder).run().told().size());
    }

    @Test
    void beginsAFinishedSearchAnewWhereForcedAndGoesOnWithAnother() {
        TestingSearch first = new TestingSearch(folder);
        assertThrows(
                IllegalStateException.class,
                () -> first.run(
                        trial -> {
                            if (trial.number() == 4) {
                                throw new IllegalStateException("killed");
                            }
                            return TestingSearch.square(trial);
                        },
                        true,
                        0));
        TestingSearch second = new TestingSearch(folder);
        second.run(TestingSearch::square, true, 0);
        TestingSearch third = new TestingSearch(folder);
        third.run(TestingSearch::square, true, 0);

        assertEquals(List.of(4, 5, 6), second.evaluated, "what was not finished goes on");
        assertEquals(List.of(1, 2, 3, 4, 5, 6), third.evaluated, "what was finished begins anew");
    }

    /** A kill between the last evaluation and the result, as in the verification. */
    @Test
    void isFinishedWhenItsResultWasShown() {
        TestingSearch killed = new TestingSearch(folder);
        killed.shows = false;
        killed.run(TestingSearch::rough, true, 0);
        TestingSearch forced = new TestingSearch(folder);
        forced.shows = false;
        forced.run(TestingSearch::rough, true, 0);
        TestingSearch added = new TestingSearch(folder);
        added.run(TestingSearch::rough, false, 2);

        assertEquals(List.of(), forced.evaluated, "the same command goes on");
        assertEquals(List.of(), added.evaluated, "with nothing but its result");

        TestingSearch more = new TestingSearch(folder);
        more.shows = false;
        more.run(TestingSearch::rough, false, 2);
        TestingSearch again = new TestingSearch(folder);
        again.run(TestingSearch::rough, false, 2);
        assertEquals(List.of(7, 8), more.evaluated);
        assertEquals(List.of(), again.evaluated);

        TestingSearch anew = new TestingSearch(folder);
        anew.run(TestingSearch::rough, true, 0);
        assertEquals(List.of(1, 2, 3, 4, 5, 6), anew.evaluated);
    }

    @Test
    void saysWhichLineOfAJournalIsDamaged() throws IOException {
        new TestingSearch(folder).run();
        List<String> lines = Files.readAllLines(journal());
        lines.set(4, "{\"told\":{\"trial\":9,\"value\":1}}");
        Files.write(journal(), lines);

        String mend = "; mend it, or --force replaces it, -o DIR begins beside it";
        assertEquals(
                journal() + ":5: trial: expected one that was asked and not told, found 9" + mend,
                assertThrows(SearchException.class, () -> new TestingSearch(folder).run())
                        .getMessage());

        lines.set(4, "{\"told\"");
        Files.write(journal(), lines);
        assertEquals(
                journal() + ":5: expected a JSON object, found '{\"told\"', which does not end on this line" + mend,
                assertThrows(SearchException.class, () -> new TestingSearch(folder).run())
                        .getMessage());
    }

    @Test
    void refusesTheJournalOfANewerVersion() throws IOException {
        new TestingSearch(folder).run();
        String newer = Files.readString(journal()).replaceFirst("\"version\":1,", "\"version\":2,");
        Files.writeString(journal(), newer);

        assertEquals(
                journal() + ":1: expected a journal of version 1 at most, found version 2, with which the newer"
                        + " Lockstep goes on that wrote it; mend it, or --force replaces it, -o DIR begins beside it",
                assertThrows(SearchException.class, () -> new TestingSearch(folder).run())
                        .getMessage());
        assertEquals(newer, Files.readString(journal()));
    }

    @Test
    void replacesAJournalThatCannotBeReadWhereForcedAndKeepsACopy() throws IOException {
        new TestingSearch(folder).run();
        List<String> lines = Files.readAllLines(journal());
        for (int damaged : new int[] {0, 4}) {
            List<String> others = new ArrayList<>(lines);
            others.set(damaged, "damaged");
            Files.write(journal(), others);
            TestingSearch anew = new TestingSearch(folder);
            SearchResult result = anew.run(TestingSearch::square, true, 0);

            assertEquals(6, result.told().size());
            assertEquals(List.of(1, 2, 3, 4, 5, 6), anew.evaluated);
            Path copy = folder.resolve("journal.jsonl.unreadable");
            assertEquals(
                    journal() + ":" + (damaged + 1) + ": expected a JSON object, found 'damaged'; begun anew, as"
                            + " forced; " + copy + " has the old one",
                    anew.notes.get(0));
            assertEquals(others, Files.readAllLines(copy));
            assertEquals(lines, Files.readAllLines(journal()));
        }
    }

    @Test
    void isWrittenByOneSearchAtATime() {
        SearchPlan plan = SpaceFile.read("s.json", TestingSearch.SPACE);
        try (Journal held = Journal.open(folder, plan, Map.of(), false)) {
            assertEquals(List.of(), held.told());
            assertTrue(Journal.isWritten(folder));
            assertEquals(
                    journal() + ": another search writes it; wait for its end, or choose another directory",
                    assertThrows(SearchException.class, () -> Journal.open(folder, plan, Map.of(), false))
                            .getMessage());
        }
        assertFalse(Journal.isWritten(folder));
    }

    @Test
    void keepsFailuresAndSkipsAsWhatTheyAre() {
        SearchResult result = new TestingSearch(folder)
                .run(
                        trial -> trial.number() == 2
                                ? Observation.failed("it died")
                                : trial.number() == 3 ? Observation.skipped("no") : TestingSearch.square(trial),
                        false,
                        0);

        assertEquals(
                List.of("", "it died", "", "", "", ""),
                result.told().stream()
                        .map(one -> one.observation().failed().orElse(""))
                        .collect(Collectors.toList()));
        assertEquals(result.toJson(), new TestingSearch(folder).run().toJson());
        assertTrue(result.toJson().contains("\"failed\" : \"it died\""), result.toJson());
        assertTrue(result.toJson().contains("\"skipped\" : \"no\""), result.toJson());
    }

    /** Such as a full disk below the evaluation: its page said for good that it goes on. */
    @Test
    void isOverWhateverFailed() {
        SearchPlan plan = SpaceFile.read("s.json", TestingSearch.SPACE);
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            Search search = new Search(plan, journal, Control.of(folder, () -> false), new SearchListener() {}, 1, 0);

            SearchResult found = search.until(Search.engine(plan, 6), new IllegalStateException("disk full"));

            assertFalse(found.goesOn());
            assertEquals(List.of(), found.inProgress());
            assertEquals(Optional.of("it failed; the same command goes on"), found.whyEnded());
        }
    }

    @Test
    void endsAtAnInterruptionAndGoesOnLater() {
        TestingSearch first = new TestingSearch(folder);
        SearchResult cut = first.run(
                trial -> {
                    first.interrupted = trial.number() == 3;
                    return TestingSearch.square(trial);
                },
                false,
                0);
        TestingSearch second = new TestingSearch(folder);
        SearchResult whole = second.run();

        assertTrue(cut.interrupted());
        assertEquals(2, cut.told().size());
        assertEquals(Optional.of("interrupted; the same command goes on"), cut.whyEnded());
        assertEquals(List.of(3, 4, 5, 6), second.evaluated);
        assertEquals(6, whole.told().size());
    }

    /** The plan has fewer than a command before asked for. */
    @Test
    void addsEvaluationsToThoseThatAreThereAndNotToThePlan() {
        new TestingSearch(folder).run(TestingSearch::rough, false, 0);
        TestingSearch shorter = new TestingSearch(folder, TestingSearch.SPACE.replace("6", "4"));

        SearchResult result = shorter.run(TestingSearch::rough, false, 3);

        assertEquals(List.of(7, 8, 9), shorter.evaluated);
        assertEquals(9, result.told().size());
    }

    @Test
    void skipsConcludesAndPausesAsIsWished() throws Exception {
        Control control = Control.of(folder, () -> false);
        SearchResult result = new TestingSearch(folder)
                .run(
                        trial -> {
                            if (trial.number() == 2) {
                                control.wish(Control.Wish.SKIP);
                            } else if (trial.number() == 3) {
                                control.wish(Control.Wish.PAUSE);
                                new Thread(() -> control.wish(Control.Wish.RESUME)).start();
                            } else if (trial.number() == 4) {
                                control.wish(Control.Wish.CONCLUDE);
                            }
                            return TestingSearch.square(trial);
                        },
                        false,
                        0);

        assertEquals(4, result.told().size());
        assertEquals(
                Optional.of("skipped on request"),
                result.told().get(1).observation().skipped());
        assertEquals(Optional.of("concluded on request"), result.whyEnded());
        assertFalse(result.finished(), "the same command goes on");
        assertFalse(result.interrupted());

        TestingSearch later = new TestingSearch(folder);
        later.run();
        assertEquals(List.of(5, 6), later.evaluated, "what was wished of an earlier search is not wished of this one");
    }

    /** Ends after two trials, as an engine does that has tried all there is. */
    private SearchResult runWithShortEngine(int add, boolean force) {
        SearchPlan plan = SpaceFile.read("s.json", TestingSearch.SPACE);
        String program = "exec 3>&1; read space; n=0; while read line; do case \"$line\" in"
                + " *ask*) n=${line#*:}; n=${n%\\}}; if [ $n -gt 2 ] && [ ! -e more ]; then echo '{\"done\": true}';"
                + " else echo '{\"trial\": '$n', \"parameters\": {\"x\": 0.5}}'; fi;;"
                + " *best*) echo '{\"parameters\": {\"x\": 0.5}}';; esac; done";
        Control control = Control.of(folder, () -> false);
        try (Journal journal = Journal.open(folder, plan, Map.of(), force)) {
            Search search = new Search(plan, journal, control, new SearchListener() {}, 1, add);
            String told = add > 0 ? program.replace("[ ! -e more ]", "[ $n -gt 3 ]") : program;
            try (Engine engine =
                    ProgramEngine.start(told, plan, search.evaluations(), folder, environment -> {}, () -> false)) {
                SearchResult result = search.run(
                        engine,
                        all -> ProgramEvaluator.start(
                                "while read line; do n=${line#*:}; echo '{\"trial\": '${n%%,*}', \"value\": 1}'; done",
                                plan.space(), folder, environment -> {}));
                journal.finish(result);
                return result;
            }
        }
    }

    private SearchResult runWithProgram(String program) {
        return runWithProgram(program, TestingSearch.SPACE);
    }

    private SearchResult runWithProgram(String program, String space) {
        SearchPlan plan = SpaceFile.read("s.json", space);
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            Search search = new Search(plan, journal, Control.of(folder, () -> false), new SearchListener() {}, 1, 0);
            return search.run(
                    Search.engine(plan, search.evaluations()),
                    evaluations -> ProgramEvaluator.start(program, plan.space(), folder, environment -> {}));
        }
    }

    private static final String ANSWERS = "while read line; do n=${line#*:}; n=${n%%,*}; echo '{\"trial\": '$n',"
            + " \"value\": 0.'$((n * 7919 % 101 + 100))'}'; done";

    /** A command that is wrong costs no evaluations: the same one goes on once it is mended. */
    @Test
    void keepsTrialsOpenWhereTheProgramAnswersNone() throws IOException {
        String more = TestingSearch.SPACE.replace("\"evaluations\": 6", "\"evaluations\": 12");
        SearchException stuck = assertThrows(SearchException.class, () -> runWithProgram("exit 3", more));
        assertTrue(stuck.getMessage().startsWith("'exit 3': it ended with exit code 3 before it answered"));
        String otherwise = "; where it is the configurations that do not work, have it answer {\"failed\": \"why\"},"
                + " or begin elsewhere by --seed N -o DIR";
        assertTrue(stuck.getMessage().endsWith("the same command goes on" + otherwise), stuck.getMessage());
        assertTrue(stuck.kept().endsWith("before it answered" + otherwise), stuck.kept());
        assertEquals(1 + 10, Files.readAllLines(journal()).size(), "ten were asked for, none was told");

        SearchResult mended = runWithProgram(ANSWERS);
        assertEquals(6, mended.told().size());
        assertTrue(
                mended.told().stream().allMatch(one -> one.observation().value().isPresent()));
    }

    /** The one that is skipped hangs as the others do. */
    @Test
    void takesASkippedTrialForNoAnswer() {
        SearchPlan plan = SpaceFile.read("s.json", TestingSearch.SPACE);
        Control control = Control.of(folder, () -> false);
        Deque<Trial> begun = new ArrayDeque<>();
        SearchException dead = new SearchException("no database");
        Evaluator evaluator = new Evaluator() {
            @Override
            public void begin(Trial trial) {
                begun.add(trial);
            }

            @Override
            public Optional<Told> next(Control wishes) {
                if (begun.getLast().number() == 3) {
                    control.wish(Control.Wish.SKIP);
                    return Optional.empty();
                }
                Evaluation none = Evaluation.builder(Observation.failed("no database"))
                        .unanswered(dead)
                        .build();
                return Optional.of(Told.of(begun.getLast(), none));
            }

            @Override
            public void giveUp(Trial trial) {}

            @Override
            public void close() {}
        };
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            Search search = new Search(plan, journal, control, new SearchListener() {}, 1, 0);

            assertThrows(SearchException.class, () -> search.run(Search.engine(plan, 6), evaluations -> evaluator));

            assertEquals(List.of(3), journal.told().stream().map(Told::number).collect(Collectors.toList()));
            assertEquals(
                    List.of(1, 2, 4, 5, 6),
                    journal.open().stream().map(Trial::number).collect(Collectors.toList()));
        }
    }

    @Test
    void endsAfterThreeWithoutAnAnswerWhereTheDefaultIsOneOfThem() throws IOException {
        String usual = TestingSearch.SPACE.replace("\"max\": 1}", "\"max\": 1, \"default\": 0.5}");

        assertThrows(SearchException.class, () -> runWithProgram("exit 3", usual));

        assertEquals(1 + 3, Files.readAllLines(journal()).size());
    }

    @Test
    void endsWhereItsTimeIsUpAndNothingHadAnAnswer() {
        SearchPlan plan = SpaceFile.read(
                "s.json", TestingSearch.SPACE.replace("\"evaluations\": 6", "\"evaluations\": 6, \"time\": \"1h\""));
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            Search search = new Search(plan, journal, Control.of(folder, () -> false), new SearchListener() {}, 1, 0)
                    .by(() -> nowMs.addAndGet(1_800_000));

            assertThrows(
                    SearchException.class,
                    () -> search.run(
                            Search.engine(plan, 6),
                            evaluations -> ProgramEvaluator.start("exit 3", plan.space(), folder, environment -> {})));

            assertEquals(2, journal.open().size());
            assertEquals(Optional.empty(), journal.ended());
        }
    }

    @Test
    void keepsThatItsTimeWasUpBeforeTheFirstAnswer() {
        SearchPlan plan = SpaceFile.read(
                "s.json", TestingSearch.SPACE.replace("\"evaluations\": 6", "\"evaluations\": 6, \"time\": \"1h\""));
        Deque<Trial> begun = new ArrayDeque<>();
        Evaluator evaluator = new Evaluator() {
            @Override
            public void begin(Trial trial) {
                begun.add(trial);
            }

            @Override
            public Optional<Told> next(Control control) {
                nowMs.addAndGet(7_200_000);
                Trial trial = begun.remove();
                return Optional.of(Told.of(
                        trial,
                        trial.number() == 1
                                ? Evaluation.builder(Observation.failed("no answer"))
                                        .unanswered(new SearchException("it ended"))
                                        .build()
                                : Evaluation.of(TestingSearch.square(trial))));
            }

            @Override
            public void giveUp(Trial trial) {}

            @Override
            public void close() {}
        };
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            Search search = new Search(plan, journal, Control.of(folder, () -> false), new SearchListener() {}, 2, 0)
                    .by(nowMs::get);

            SearchResult result = search.run(Search.engine(plan, 6), evaluations -> evaluator);

            assertEquals(2, result.told().size());
            assertEquals(Optional.of("the time budget of 1h is used up"), result.whyEnded());
            assertEquals(result.whyEnded(), journal.ended());
            assertTrue(result.finished());
        }
    }

    /** A space of which a part makes the program crash is no broken program, however it begins. */
    @Test
    void tellsThatTheFirstTrialsFailWhereALaterOneHasAnAnswer() {
        SearchResult result = runWithProgram(ANSWERS.replace("do ", "do case $line in *:[1-4],*) exit 3;; esac; "));

        assertEquals(
                List.of(5, 6),
                result.told().stream()
                        .filter(one -> one.observation().value().isPresent())
                        .map(Told::number)
                        .collect(Collectors.toList()));
        assertEquals(6, result.told().size());
    }

    private static final String UNTIL_BROKEN = ANSWERS.replace("do ", "do [ -e broken ] && exit 3; ");

    /** As where the disk is full or the cluster gone: what is left to be evaluated is not to be taken for failures. */
    @Test
    void keepsTrialsOpenWhereTheProgramAnswersNoneAnyMore() throws IOException {
        String program = "cd " + folder + "; " + UNTIL_BROKEN.replace("done", "[ $n -ge 2 ] && touch broken; done");

        String message = assertThrows(SearchException.class, () -> runWithProgram(program))
                .getMessage();
        assertTrue(message.contains("it ended with exit code 3 before it answered"), message);
        assertTrue(message.endsWith("the same command goes on"), message);
        assertEquals(1 + 2 * 2 + 3, Files.readAllLines(journal()).size(), "five were asked for, two were told");

        SearchResult mended = runWithProgram(ANSWERS);
        assertEquals(6, mended.told().size());
        assertTrue(
                mended.told().stream().allMatch(one -> one.observation().value().isPresent()));
    }

    @Test
    void tellsThatSeveralInARowFailWhereOneThatHadAValueHasOneAgain() {
        SearchResult result = runWithProgram(ANSWERS.replace("do ", "do case $line in *:[2-5],*) exit 3;; esac; "));

        assertEquals(
                List.of(1, 6),
                result.told().stream()
                        .filter(one -> one.observation().value().isPresent())
                        .map(Told::number)
                        .collect(Collectors.toList()));
        assertEquals(6, result.told().size());
    }

    @Test
    void tellsThatTheLastFails() {
        SearchResult result = runWithProgram(ANSWERS.replace("do ", "do case $line in *:[56],*) exit 3;; esac; "));

        assertEquals(6, result.told().size());
        assertTrue(result.told().get(5).observation().failed().isPresent());
    }

    @Test
    void passesAFirstTrialThatEndsTheProgram() {
        SearchResult result = runWithProgram(ANSWERS.replace("do ", "do case $line in *:1,*) exit 3;; esac; "));

        assertEquals(6, result.told().size());
        assertEquals(1, result.told().get(0).number());
        assertTrue(result.told()
                .get(0)
                .observation()
                .failed()
                .orElseThrow()
                .startsWith("the program ended at it twice: it ended with exit code 3"));
        assertTrue(result.told().stream()
                .skip(1)
                .allMatch(one -> one.observation().value().isPresent()));
    }

    @Test
    void takesASearchThatItsEngineEndedForFinished() throws IOException {
        SearchResult ended = runWithShortEngine(0, false);
        SearchResult again = runWithShortEngine(0, false);
        SearchResult more = runWithShortEngine(1, false);
        SearchResult anew = runWithShortEngine(0, true);

        assertEquals(Optional.of("the engine has nothing more to try"), ended.whyEnded());
        assertTrue(ended.finished());
        assertEquals(2, ended.told().size());
        assertEquals(ended.toJson(), again.toJson());
        assertEquals(3, more.told().size(), "one was added");
        assertEquals(3, more.evaluations());
        assertEquals(2, anew.told().size(), "a finished search begins anew where forced");
        assertEquals(1 + 4 + 2, Files.readAllLines(journal()).size());
    }

    @Test
    void takesNoWishOfAPauseForTheNextEvaluation() {
        Control control = Control.of(folder, () -> false);
        TestingSearch search = new TestingSearch(folder);
        search.whilePaused = () -> {
            control.wish(Control.Wish.SKIP);
            control.wish(Control.Wish.RESUME);
        };
        SearchResult result = search.run(
                trial -> {
                    if (trial.number() == 2) {
                        control.wish(Control.Wish.PAUSE);
                    }
                    return TestingSearch.square(trial);
                },
                false,
                0);

        assertTrue(search.notes.get(0).startsWith("paused"), search.notes + "");
        assertEquals(
                6,
                result.told().stream()
                        .filter(one -> one.observation().value().isPresent())
                        .count());
    }

    /** As of {@code --control} while an engine starts: a search that has its journal takes wishes. */
    @Test
    void keepsAWishOfItsFirstMoments() {
        SearchPlan plan = SpaceFile.read("s.json", TestingSearch.SPACE);
        Control control = Control.of(folder, () -> false);
        control.wish(Control.Wish.SKIP);
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            assertFalse(control.take(Control.Wish.SKIP), "that of an earlier search");
            control.wish(Control.Wish.CONCLUDE);
            Search search = new Search(plan, journal, control, new SearchListener() {}, 1, 0);
            SearchResult result = search.run(Search.engine(plan, 6), evaluations -> {
                throw new AssertionError("nothing is evaluated");
            });

            assertEquals(Optional.of("concluded on request"), result.whyEnded());
            assertEquals(List.of(), result.told());
        }
    }

    /** Nobody may believe that it pauses or ends. */
    @Test
    void refusesInAVerificationWhatThatDoesNotHeed() {
        SearchPlan plan =
                SpaceFile.read("s.json", TestingSearch.SPACE.replace("\"max\": 1", "\"max\": 1, \"default\": 1"));
        Control control = Control.of(folder, () -> false);
        Deque<Trial> begun = new ArrayDeque<>();
        Evaluator evaluator = new Evaluator() {
            @Override
            public void begin(Trial trial) {
                begun.add(trial);
            }

            @Override
            public Optional<Told> next(Control wishes) {
                for (Control.Wish wish : List.of(Control.Wish.PAUSE, Control.Wish.CONCLUDE)) {
                    assertEquals(
                            folder.resolve("control") + ": cannot " + wish.label()
                                    + ": the search itself has ended, and its verification does not heed that",
                            assertThrows(SearchException.class, () -> control.wish(wish))
                                    .getMessage());
                }
                if (begun.size() == 2) {
                    control.wish(Control.Wish.SKIP);
                    return Optional.empty();
                }
                return Optional.of(Told.of(begun.getLast(), Evaluation.of(TestingSearch.square(begun.getLast()))));
            }

            @Override
            public void giveUp(Trial trial) {}

            @Override
            public void close() {}
        };
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            Configuration best = plan.space().configuration(Map.of("x", 0.5));

            FreshPairs pairs = FreshPairs.evaluate(plan, journal, control, best, 2, () -> evaluator)
                    .orElseThrow();

            assertEquals(Optional.of("skipped on request"), pairs.best().get(0).skipped());
            assertEquals(Observation.of(0.25), pairs.best().get(1));
        }
        Journal.open(folder, plan, Map.of(), false).close();
        control.wish(Control.Wish.PAUSE);
        assertTrue(control.isPaused(), "as another search begins");
    }

    @Test
    void keepsWhatAVerificationFound() throws IOException {
        SearchPlan plan = SpaceFile.read("s.json", TestingSearch.SPACE);
        Configuration third = plan.space().configuration(Map.of("x", 1.0 / 3));
        Verification found = Verification.builder("x=0.333333")
                .parameters(third)
                .effort("quick")
                .holds(false)
                .finding("better")
                .violated("p99 <= 20ms", "errors")
                .baselines("c2", "graal")
                .sentence("tuned is better; it violates p99 <= 20ms, errors")
                .ratio(0.9)
                .directory("runs/a")
                .build();
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            journal.verify(found);
        }
        Files.writeString(journal(), "{\"torn", StandardOpenOption.APPEND);
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            assertEquals(Optional.of(found), journal.verified(third));
            Configuration near = plan.space().configuration(Map.of("x", 0.333333));
            assertEquals(Optional.empty(), journal.verified(near), "which prints the same");
        }
    }
}
