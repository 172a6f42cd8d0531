package dev.lockstep.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.search.Journal;
import dev.lockstep.search.SearchException;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SpaceException;
import dev.lockstep.search.SpaceFile;
import dev.lockstep.search.Verification;
import dev.lockstep.search.WatchJournal;
import dev.lockstep.tuner.Configuration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CaptureWatchTest {
    private static final SearchPlan PLAN =
            SpaceFile.read("s.yaml", "parameters: [{name: x, type: int, min: 0, max: 9, default: 0}]");

    @TempDir
    private Path folder;

    private Path captures;
    private Path own;
    private final List<String> done = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private boolean holds = true;
    private String otherwise = "equivalent";
    private String violated = "";
    private boolean confirms = true;
    private String dies = "";
    private String fails = "";
    private RuntimeException failure = new CliException("no space left");
    private String isOther = "";
    private long modified = 1000;

    @BeforeEach
    void makeTheFolder() throws IOException {
        captures = Files.createDirectory(folder.resolve("captures"));
        own = folder.resolve("watch");
    }

    /** A file that begins with "whole" is a capture. */
    private void write(String name, String content) throws IOException {
        Path file = Files.writeString(captures.resolve(name), content);
        Files.setLastModifiedTime(file, FileTime.fromMillis(modified += 1000));
    }

    private Verification verification() {
        List<String> broken = violated.isEmpty() ? List.of() : List.of(violated);
        return Verification.builder("x=7")
                .holds(holds)
                .finding(holds ? "better" : otherwise)
                .violated(broken)
                .sentence("found")
                .directory("verification")
                .build();
    }

    private final CaptureWatch.Tuning tuning = new CaptureWatch.Tuning() {
        @Override
        public String sha256(Path capture) {
            try {
                String content = Files.exists(capture) ? Files.readString(capture) : "gone";
                if (!content.startsWith("whole")) {
                    throw new CaptureException(capture, "not finished");
                }
                return content;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public Optional<Verification> check(Path capture, Configuration best) {
            done("check " + capture.getFileName() + " " + SearchPlan.print(best));
            return Optional.of(verification());
        }

        @Override
        public Optional<CaptureWatch.Tuned> tune(Path capture, Optional<Configuration> best, Path directory) {
            try {
                Files.createDirectories(directory.resolve("evaluations"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            done("tune " + capture.getFileName() + " "
                    + best.map(SearchPlan::print).orElse("-") + " " + directory.getFileName());
            if (directory.endsWith(isOther)) {
                Journal.open(directory, PLAN, Map.of("plan", "of today"), false).close();
            }
            Configuration found = PLAN.space().configuration(Map.of("x", done.size() % 10));
            return Optional.of(new CaptureWatch.Tuned(
                    confirms ? Optional.of(found) : Optional.empty(), Optional.of(verification())));
        }

        @Override
        public void bestIs(Optional<Configuration> best) {
            done.add("best " + best.map(SearchPlan::print).orElse("-"));
        }

        private void done(String what) {
            done.add(what);
            if (what.startsWith(dies) && !dies.isEmpty()) {
                throw new AssertionError("killed");
            }
            if (what.startsWith(fails) && !fails.isEmpty()) {
                throw failure;
            }
        }
    };

    /** Watches for so many looks, as a process of its own; returns what it did. */
    private List<String> watch(int looks) {
        done.clear();
        try (WatchJournal journal = WatchJournal.open(own, PLAN, Map.of(), false)) {
            int[] left = {looks};
            new CaptureWatch(captures, own, journal, tuning, notes::add).run(() -> --left[0] > 0);
        }
        return List.copyOf(done);
    }

    @Test
    void watchesNoFile() throws IOException {
        captures = Files.writeString(folder.resolve("a.bin"), "whole a");

        assertEquals(
                captures + ": expected a folder with captures, found a file",
                assertThrows(CliException.class, () -> watch(3)).getMessage());
    }

    @Test
    void tunesOnTheFirstCaptureAndChecksTheBestOnTheNext() throws IOException {
        write("a.bin", "whole a");
        assertEquals(List.of("best -", "tune a.bin - 001", "best x=2"), watch(3));
        write("b.bin", "whole b");
        assertEquals(List.of("best x=2", "check b.bin x=2"), watch(3));
        holds = false;
        write("c.bin", "whole c");
        assertEquals(List.of("best x=2", "check c.bin x=2", "tune c.bin x=2 002", "best x=3"), watch(3));

        assertEquals(List.of("best x=3"), watch(3), "nothing is looked at twice");
        write("same.bin", "whole c");
        assertEquals(List.of("best x=3"), watch(3), "nor are the same bytes by another name");
    }

    @Test
    void keepsTheBestWhereACheckCannotTell() throws IOException {
        write("a.bin", "whole a");
        watch(3);
        holds = false;
        for (String finding : List.of("inconclusive", "not-steady", "no verdict")) {
            otherwise = finding;
            write(finding + ".bin", "whole " + finding);
            assertEquals(List.of("best x=2", "check " + finding + ".bin x=2"), watch(3));
            assertEquals(List.of("best x=2"), watch(3), "nor after a kill");
        }
        assertTrue(
                notes.stream().anyMatch(note -> note.endsWith("found; kept, the next capture may tell")), notes + "");

        otherwise = "worse";
        write("b.bin", "whole b");
        assertEquals(List.of("best x=2", "check b.bin x=2", "tune b.bin x=2 002", "best x=3"), watch(3));
        holds = false;
        otherwise = "better";
        violated = "p99";
        write("c.bin", "whole c");
        assertEquals(List.of("best x=3", "check c.bin x=3", "tune c.bin x=3 003", "best x=3"), watch(3));
    }

    @Test
    void takesOnlyWhatIsWholeAndDoesNotGrow() throws IOException {
        write("growing.bin", "who");
        assertEquals(List.of("best -"), watch(4));
        assertEquals(
                1, notes.stream().filter(note -> note.contains("not finished")).count(), notes + "");

        write("growing.bin", "whole a");
        assertEquals(List.of("best -"), watch(1), "a first look is none: it may grow still");
        assertEquals(List.of("best -", "tune growing.bin - 001", "best x=2"), watch(2));
    }

    @Test
    void takesTheNewestAndPassesOverWhatWaited() throws IOException {
        write("a.bin", "whole a");
        write("b.bin", "whole b");

        assertEquals(List.of("best -", "tune b.bin - 001", "best x=2"), watch(4));
        assertTrue(notes.stream().anyMatch(note -> note.contains("a.bin: passed over, a newer one was there: b.bin")));
    }

    @Test
    void goesOnWhereItWasKilled() throws IOException {
        write("a.bin", "whole a");
        dies = "tune";
        assertThrows(AssertionError.class, () -> watch(3));
        dies = "";
        assertEquals(List.of("best -", "tune a.bin - 001", "best x=2"), watch(1), "the same search");

        write("b.bin", "whole b");
        dies = "check";
        assertThrows(AssertionError.class, () -> watch(3));
        dies = "";
        holds = false;
        assertEquals(List.of("best x=2", "check b.bin x=2", "tune b.bin x=2 002", "best x=3"), watch(1));

        write("c.bin", "whole c");
        dies = "tune";
        assertThrows(AssertionError.class, () -> watch(3));
        dies = "";
        Files.delete(captures.resolve("c.bin"));
        assertEquals(List.of("best x=3"), watch(2), "what is gone is passed over");
        assertTrue(notes.stream().anyMatch(note -> note.contains("c.bin: was taken and is not there any more")));
    }

    /** Wherever a kill cuts the journal, each capture is tuned on and nothing is refused. */
    @Test
    void goesOnFromAnyByteOfItsJournal() throws IOException {
        write("a.bin", "whole a");
        watch(2);
        byte[] journal = Files.readAllBytes(own.resolve(WatchJournal.NAME));
        for (int end = 0; end < journal.length; end += 11) {
            byte[] cut = new byte[end];
            System.arraycopy(journal, 0, cut, 0, end);
            Files.write(own.resolve(WatchJournal.NAME), cut);
            // It is made only after the line that says so.
            Files.deleteIfExists(own.resolve("searches/001/evaluations"));
            Files.deleteIfExists(own.resolve("searches/001"));

            watch(2);
            assertTrue(done.contains("tune a.bin - 001"), end + " bytes: " + done);
            assertEquals(new String(journal), Files.readString(own.resolve(WatchJournal.NAME)));
        }
    }

    @Test
    void forgetsTheBestThatIsNotConfirmedAnyMoreAndKeepsFewSearches() throws IOException {
        for (int i = 1; i <= 5; i++) {
            holds = false;
            confirms = i == 1;
            write(i + ".bin", "whole " + i);
            watch(2);
        }

        assertEquals("best -", done.get(done.size() - 1));
        assertFalse(Files.exists(own.resolve("searches/003")));
        assertTrue(Files.exists(own.resolve("searches/004")));
        assertTrue(Files.exists(own.resolve("searches/005")));
    }

    @Test
    void passesOverACaptureThatFailsTwiceAndGoesOn() throws IOException {
        write("a.bin", "whole a");
        fails = "tune a.bin";
        assertEquals(List.of("best -", "tune a.bin - 001", "tune a.bin - 001"), watch(5));
        assertTrue(
                notes.stream().anyMatch(note -> note.endsWith("a.bin: failed, and is tried once more: no space left")));
        assertTrue(
                notes.stream().anyMatch(note -> note.endsWith("a.bin: passed over, it failed 2 times: no space left")));

        assertEquals(List.of("best -"), watch(3), "nor in another process");
        write("b.bin", "whole b");
        assertEquals(List.of("best -", "tune b.bin - 002", "best x=2"), watch(3));
        assertTrue(Files.readString(own.resolve(WatchJournal.NAME))
                .contains("\"why\":\"it failed 2 times: no space left\""));
    }

    /** What was asked for, and a defect of ours, is the same with each capture. */
    @Test
    void endsWithWhatIsNotDueToTheCapture() throws IOException {
        write("a.bin", "whole a");
        fails = "tune a.bin";
        for (RuntimeException one : List.of(
                new UsageException("objective: expected one of"),
                new SpaceException("s.yaml: expected"),
                new NullPointerException())) {
            failure = one;
            assertSame(one, assertThrows(RuntimeException.class, () -> watch(5)));
        }
        fails = "";
        assertEquals(List.of("best -", "tune a.bin - 001", "best x=2"), watch(2), "the same command goes on");
    }

    @Test
    void beginsBesideTheSearchesOfAWatchThatItReplaced() throws IOException {
        write("a.bin", "whole a");
        watch(3);
        WatchJournal.open(own, PLAN, Map.of("options", "others"), true).close();

        done.clear();
        try (WatchJournal journal = WatchJournal.open(own, PLAN, Map.of("options", "others"), false)) {
            int[] left = {3};
            new CaptureWatch(captures, own, journal, tuning, notes::add).run(() -> --left[0] > 0);
        }
        assertEquals(List.of("best -", "tune a.bin - 002", "best x=2"), done);
    }

    @Test
    void beginsASearchAnewThatIsAnotherByNow() throws IOException {
        write("a.bin", "whole a");
        dies = "tune";
        assertThrows(AssertionError.class, () -> watch(3));
        dies = "";
        Path search = own.resolve("searches/001");
        Journal.open(search, PLAN, Map.of("plan", "of yesterday"), false).close();
        // One that asked for nothing yet would be begun anew in its place.
        Files.writeString(
                search.resolve(Journal.NAME),
                "{\"asked\":{\"trial\":1,\"parameters\":{\"x\":2}}}\n",
                StandardOpenOption.APPEND);
        isOther = "001";

        assertEquals(List.of("best -", "tune a.bin - 001", "tune a.bin - 002", "best x=3"), watch(2));
        assertTrue(
                notes.stream().anyMatch(note -> note.contains("(they differ in plan); tuning anew, in ")), notes + "");
    }

    @Test
    void refusesTheJournalOfAnotherWatch() {
        WatchJournal.open(own, PLAN, Map.of(), false).close();

        assertEquals(
                own.resolve(WatchJournal.NAME) + ": expected the journal of this watch, found that of another;"
                        + " --force replaces it, -o DIR begins beside it",
                assertThrows(SearchException.class, () -> WatchJournal.open(own, PLAN.withSeed(9), Map.of(), false))
                        .getMessage());
    }

    @Test
    void refusesTheJournalOfANewerVersion() throws IOException {
        WatchJournal.open(own, PLAN, Map.of(), false).close();
        Path file = own.resolve(WatchJournal.NAME);
        Files.writeString(file, Files.readString(file).replaceFirst("\"version\":1,", "\"version\":2,"));

        String told = assertThrows(SearchException.class, () -> WatchJournal.open(own, PLAN, Map.of(), false))
                .getMessage();
        assertTrue(told.startsWith(file + ":1: expected a journal of version 1 at most, found version 2, "), told);
    }

    @Test
    void keepsACopyOfAJournalThatCannotBeReadAndIsReplacedByForce() throws IOException {
        WatchJournal.open(own, PLAN, Map.of(), false).close();
        Path file = own.resolve(WatchJournal.NAME);
        Files.writeString(file, Files.readString(file) + "{\"took\":1}\n");
        String unreadable = Files.readString(file);

        String told = assertThrows(SearchException.class, () -> WatchJournal.open(own, PLAN, Map.of(), false))
                .getMessage();
        assertTrue(told.startsWith(file + ":2: expected taken, checked"), told);
        assertTrue(told.endsWith("; mend it, or --force replaces it, -o DIR begins beside it"), told);
        Path copy = file.resolveSibling("watch.jsonl.unreadable");
        try (WatchJournal journal = WatchJournal.open(own, PLAN, Map.of(), true)) {
            assertTrue(journal.note().orElse("").endsWith("; begun anew, as forced; " + copy + " has the old one"));
            assertEquals(unreadable, Files.readString(copy));
        }
        WatchJournal.open(own, PLAN, Map.of(), false).close();
    }
}
