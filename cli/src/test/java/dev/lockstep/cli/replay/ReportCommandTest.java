package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run printed is compared with its report after each run of {@link ReplayCommandTest} and others. */
final class ReportCommandTest {
    /** A run of Lockstep 0.1.0, and what its report is now. */
    private static final Path GOLDEN = Path.of(System.getProperty("lockstep.testData"), "runs", "0.1.0");

    private static final String RUN = GOLDEN.resolve("run").toString();

    @TempDir
    private Path folder;

    private final TestingCommandLine line = new TestingCommandLine();

    @Test
    void printsTheRunOfAnEarlierVersion() throws IOException {
        assertEquals(ExitCode.DONE, line.execute("report", RUN), line.err());

        assertEquals(Files.readString(GOLDEN.resolve("stdout.txt")), line.out());
    }

    @Test
    void printsTheDocumentOfAnEarlierVersion() throws IOException {
        assertEquals(ExitCode.DONE, line.execute("report", "--json", RUN), line.err());

        assertEquals(Files.readString(GOLDEN.resolve("run/run.json")), line.out());
    }

    @Test
    void refusesAnAmountOfTextOfWhatIsNoText() {
        assertEquals(ExitCode.USAGE, line.execute("report", "--csv", "--output", "full", RUN));

        assertEquals(
                "replay: --output: expected the result as text, found --csv; leave one out; see replay report --help\n",
                line.err());
    }

    /** Columns were added since. */
    @Test
    void printsTheColumnsOfTheSummary() throws IOException {
        assertEquals(ExitCode.DONE, line.execute("report", "--csv", RUN), line.err());

        List<Map<String, String>> now = table(line.out());
        List<Map<String, String>> earlier = table(Files.readString(GOLDEN.resolve("run/summary.csv")));
        for (int i = 0; i < earlier.size(); i++) {
            now.get(i).keySet().retainAll(earlier.get(i).keySet());
        }
        assertEquals(earlier, now);
    }

    @Test
    void writesThePageMarkdownAndTestsToFiles() throws IOException {
        Path page = Files.writeString(folder.resolve("a.html"), "an older one");
        Path markdown = folder.resolve("a.md");
        Path tests = folder.resolve("a.xml");

        assertEquals(
                ExitCode.DONE,
                line.execute("report", "--html", page + "", "--markdown", markdown + "", "--junit", tests + "", RUN),
                line.err());

        assertEquals("", line.out());
        assertTrue(Files.readString(page).startsWith("<!DOCTYPE html>"));
        assertTrue(Files.readString(markdown).startsWith("## Lockstep: "));
        assertTrue(Files.readString(tests).contains("<testsuite name=\"lockstep\""));
        for (Path file : List.of(page, markdown, tests)) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(3, files.count(), "nothing is left over");
        }
    }

    @Test
    void takesAMinusForStandardOutput() throws IOException {
        for (String[] each : new String[][] {
            {"--html", "<!DOCTYPE html>"},
            {"--markdown", "## Lockstep: "},
            {"--junit", "<?xml "},
            {"--summary", "## Lockstep: "},
            {"--openmetrics", "# TYPE "},
            {"--intervals-csv", "target,"}
        }) {
            TestingCommandLine one = new TestingCommandLine();
            assertEquals(ExitCode.DONE, one.execute("report", each[0], "-", RUN), one.err());
            assertTrue(one.out().startsWith(each[1]), each[0] + ": " + one.out().substring(0, 80));
        }
        assertFalse(Files.exists(Path.of("-")), "no file of that name");

        assertEquals(ExitCode.USAGE, line.execute("report", "--junit", "-", "--markdown", "-", RUN));
        assertEquals(
                "replay: --markdown -: expected nothing else for standard output, found --junit - beside it; see replay"
                        + " report --help\n",
                line.err());
        TestingCommandLine json = new TestingCommandLine();
        assertEquals(ExitCode.USAGE, json.execute("report", "--junit", "-", "--json", RUN));
        assertTrue(
                json.err().contains("--junit -: expected nothing else for standard output, found --json"), json.err());
    }

    /** {@code -Ddocs.write} writes the one of the examples anew. */
    private static void assertGolden(String name, Path written) throws IOException {
        Path golden = GOLDEN.resolve(name);
        if (System.getProperty("docs.write") != null) {
            Files.copy(written, golden, StandardCopyOption.REPLACE_EXISTING);
        }
        assertEquals(Files.readString(golden), Files.readString(written));
    }

    @Test
    void writesTheIntervalsAsATable() throws IOException {
        Path table = folder.resolve("intervals.csv");

        assertEquals(ExitCode.DONE, line.execute("report", "--intervals-csv", table + "", RUN), line.err());

        assertEquals("", line.out());
        assertGolden("intervals.csv", table);
        assertEquals(
                Files.readAllLines(GOLDEN.resolve("run/intervals.jsonl")).size() + 1,
                Files.readAllLines(table).size());
    }

    @Test
    void addsASummaryToThoseOfOthers() throws IOException {
        Path summary = Files.writeString(folder.resolve("summary.md"), "# Build\n");
        Path alone = folder.resolve("alone.md");

        assertEquals(ExitCode.DONE, line.execute("report", "--summary", summary + "", RUN), line.err());
        assertEquals(ExitCode.DONE, line.execute("report", "--summary", alone + "", RUN), line.err());

        assertEquals("", line.out());
        assertGolden("summary.md", alone);
        assertEquals("# Build\n\n" + Files.readString(alone), Files.readString(summary));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(alone)));
    }

    @Test
    void writesVerdictsAndConditionsAsTests() throws IOException {
        Path tests = folder.resolve("tests.xml");

        assertEquals(ExitCode.DONE, line.execute("report", "--junit", tests + "", RUN), line.err());

        assertGolden("tests.xml", tests);
    }

    @Test
    void writesTheFinalFiguresAsMetrics() throws IOException {
        Path metrics = folder.resolve("lockstep.prom");

        assertEquals(ExitCode.DONE, line.execute("report", "--openmetrics", metrics + "", RUN), line.err());

        assertEquals("", line.out());
        assertGolden("metrics.txt", metrics);
    }

    @Test
    void saysWhereASummaryCannotBeWritten() {
        assertEquals(ExitCode.FAILED, line.execute("report", "--summary", folder.toString(), RUN));
        assertEquals(
                "replay: " + folder + ": the report cannot be written: it is a directory",
                line.err().strip());
    }

    @Test
    void saysWhereAReportCannotBeWritten() {
        assertEquals(ExitCode.FAILED, line.execute("report", "--html", folder.toString(), RUN));
        assertEquals(
                "replay: " + folder + ": the report cannot be written: it is a directory",
                line.err().strip());

        TestingCommandLine nowhere = new TestingCommandLine();
        Path lost = folder.resolve("no/such/a.md");
        assertEquals(ExitCode.FAILED, nowhere.execute("report", "--markdown", lost + "", RUN));
        assertEquals(
                "replay: " + lost + ": the report cannot be written: no such file or directory",
                nowhere.err().strip());

        for (String option : List.of("--html", "--summary")) {
            TestingCommandLine full = new TestingCommandLine();
            assertEquals(ExitCode.FAILED, full.execute("report", option, "/dev/full", RUN));
            assertEquals(
                    "replay: /dev/full: the report cannot be written: No space left on device",
                    full.err().strip());
        }
    }

    /** Returns the lines of a table whose cells hold no commas. */
    private static List<Map<String, String>> table(String csv) {
        List<Map<String, String>> lines = new ArrayList<>();
        String[] headings = csv.lines().findFirst().orElseThrow().split(",");
        csv.lines().skip(1).forEach(row -> {
            String[] cells = row.split(",", -1);
            Map<String, String> line = new HashMap<>();
            for (int i = 0; i < headings.length; i++) {
                line.put(headings[i], cells[i]);
            }
            lines.add(line);
        });
        return lines;
    }

    @Test
    void printsAsMuchAsIsAskedFor() {
        String full = printed("--output", "full");
        String hey = printed("--output", "hey");
        String screen = printed("--output", "short");

        assertEquals(printed(), full, "the version that made this run printed everything");
        assertTrue(full.contains("\nNotes:\n"), full);
        assertTrue(hey.startsWith("Target c2 (") && hey.contains("\nStatus code distribution:\n"), hey);
        assertTrue(screen.lines().count() <= 24, screen);
        assertEquals(hey + "\n" + screen, printed("--output", "both"));
    }

    private static String printed(String... options) {
        TestingCommandLine report = new TestingCommandLine();
        List<String> all = new ArrayList<>(List.of("report", RUN));
        all.addAll(List.of(options));
        assertEquals(ExitCode.DONE, report.execute(all.toArray(new String[0])), report::err);
        return report.out();
    }

    @Test
    void takesOneFormat() {
        assertEquals(ExitCode.USAGE, line.execute("report", "--csv", "--json", folder.toString()));
    }

    @Test
    void saysThatCsvPrintsByItself() {
        assertEquals(ExitCode.USAGE, line.execute("report", "--csv", folder.toString(), "-"));
        assertTrue(
                line.err()
                        .startsWith("replay: unknown argument -; what has no FILE, such as --csv, prints by itself:"
                                + " leave out -; see "),
                line.err());
    }

    @Test
    void refusesADirectoryThatIsNone() {
        assertFails(folder.resolve("none"), ": expected a run directory, found nothing");
        assertFails(folder, "/run.json: expected the file of a run, found none; this is not a run directory");
    }

    @Test
    void pointsToRecoverWhereTheResultIsDamaged() throws IOException {
        copyGolden();
        Path result = folder.resolve("run.json");
        Files.writeString(result, Files.readString(result).substring(0, 5000));

        assertEquals(ExitCode.FAILED, line.execute("report", folder.toString()));
        assertTrue(
                line.err()
                        .endsWith("; remove the file, and replay recover " + folder
                                + " makes it anew of the intervals\n"),
                line.err());

        Files.delete(result);
        TestingCommandLine recover = new TestingCommandLine();
        recover.execute("recover", folder.toString());
        assertTrue(Files.exists(result), recover.err());
    }

    @Test
    void pointsToRecoverWhereARunWasKilled() throws IOException {
        copyGolden();
        Files.delete(folder.resolve("run.json"));

        assertFails(
                folder,
                "/run.json: expected the file of a run, found none; the run has not ended, or was killed or failed; the"
                        + " intervals of its first 18.1 s are in intervals.jsonl and in the .hlog files, of which replay recover makes a"
                        + " result");
    }

    @Test
    void saysThatARunIsStillWriting() throws IOException {
        copyGolden();
        Files.delete(folder.resolve("run.json"));
        Path lock = folder.resolve("run.lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock();
            assertFails(
                    folder,
                    ": expected the directory of a finished run, found one that a run is writing; wait for its end");
        }
    }

    @Test
    void refusesTheFormatOfANewerVersion() throws IOException {
        copyGolden();
        Path document = folder.resolve("run.json");
        Files.writeString(document, Files.readString(document).replaceFirst("\"version\": 1", "\"version\": 2"));

        assertFails(folder, "/run.json: version: expected 1, found 2; read it with the Lockstep that wrote it");
    }

    private void copyGolden() throws IOException {
        try (var files = Files.newDirectoryStream(GOLDEN.resolve("run"))) {
            for (Path file : files) {
                Files.copy(file, folder.resolve(file.getFileName()));
            }
        }
    }

    private void assertFails(Path directory, String message) {
        TestingCommandLine failing = new TestingCommandLine();
        assertEquals(ExitCode.FAILED, failing.execute("report", directory.toString()));
        assertEquals("replay: " + directory + message + System.lineSeparator(), failing.err());
        assertEquals("", failing.out());
    }
}
