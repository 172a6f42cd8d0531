package dev.lockstep.cli.captures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.run.TestingCapture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that make, show, choose from, check and hand on captures. */
class ConversionCommandsTest {
    /** A file may have it, and no later one of its capture. */
    private static final String LONGEST_NAME = "f".repeat(251) + ".bin";

    private static final String LOG = "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /a?x HTTP/1.1\" 200 1\n"
            + "1.2.3.4 - - [17/May/2015:10:05:04 +0000] \"POST /b HTTP/1.1\" 200 1\n"
            + "1.2.3.4 - - [17/May/2015:10:05:05 +0000] \"HEAD /c HTTP/1.1\" 200 1\n";

    @TempDir
    private Path folder;

    private Path capture;

    @BeforeEach
    void importLog() throws IOException {
        capture = folder.resolve("capture.bin");
        Path log = Files.writeString(folder.resolve("access.log"), LOG);
        String out = run(ExitCode.DONE, "import", log + "", "-o", capture + "", "--host", "h");
        assertTrue(out.contains("Imported 2 requests"), out);
        assertTrue(out.contains("Skipped 1: a POST needs its body, which a log does not keep (line 2)"), out);
        assertTrue(out.contains("Redacted 0 values"), out);
    }

    private String run(int exitCode, String... args) {
        TestingCommandLine line = new TestingCommandLine();
        int found = line.execute(args);
        assertEquals(exitCode, found, line.out() + line.err());
        return line.out() + line.err();
    }

    @Test
    void inspectsForPeopleAndPrograms() throws IOException {
        Path page = folder.resolve("capture.html");
        assertEquals("", run(ExitCode.DONE, "inspect", "--html", page + "", capture + ""));
        assertTrue(Files.readString(page).startsWith("<!DOCTYPE html>"));
        String text = run(ExitCode.DONE, "inspect", "--head", "1", capture + "");
        assertTrue(text.contains("2 requests on 1 connection"), text);
        assertTrue(text.contains("h /a?x"), text);

        String json = run(ExitCode.DONE, "inspect", "--json", capture + "");
        assertTrue(json.contains("\"requests\" : 2"), json);
        assertTrue(json.contains("\"durationNs\" : 2000000000"), json);
        assertTrue(json.contains("\"http/1\" : 2"), json);

        String connections = run(ExitCode.DONE, "inspect", "--connections", "--json", capture + "");
        assertTrue(connections.startsWith("[\n{\"id\":0,\"client\":\"1.2.3.4:0\""), connections);
        assertTrue(connections.contains("\"sha256\":\""), connections);
    }

    @Test
    void writesNoHalfOfAListWhenThereIsNoCapture() {
        TestingCommandLine line = new TestingCommandLine();

        assertEquals(ExitCode.FAILED, line.execute("inspect", "--connections", "--json", folder.resolve("none") + ""));

        assertEquals("", line.out());
    }

    @Test
    void sendsNoCommandsToTheTerminal() {
        String refused = run(ExitCode.FAILED, "verify", folder + "/\u001b]0;title\u0007\u009b2J");

        assertTrue(refused.contains("/\\x1b]0;title\\x07\\x9b2J: no such file"), refused);

        String unreadable = run(ExitCode.FAILED, "inspect", folder + "/\u001b[2J");
        assertTrue(unreadable.contains("/\\x1b[2J: no such file"), unreadable);
    }

    @Test
    void filtersExportsAndVerifies() {
        Path head = folder.resolve("head.bin");
        String filtered = run(
                ExitCode.DONE,
                "filter",
                capture + "",
                capture + "",
                "-o",
                head + "",
                "--method",
                "HEAD",
                "--compress",
                "zstd");
        assertTrue(filtered.contains("Kept 2 of 4 requests on 2 of 2 connections"), filtered);

        String verified = run(ExitCode.DONE, "verify", capture + "", head + "");
        assertTrue(verified.contains("head.bin: whole, "), verified);

        for (String format : new String[] {"gor", "har", "pcap"}) {
            Path file = folder.resolve("out." + format);
            run(ExitCode.DONE, "export", head + "", "-o", file + "");
            Path again = folder.resolve(format + ".bin");
            run(ExitCode.DONE, "import", file + "", "-o", again + "");
            String text = run(ExitCode.DONE, "inspect", again + "");
            assertTrue(text.contains("2 requests"), text);
        }
    }

    @Test
    void takesMethodsWithBlanksBehindTheirCommas() {
        String filtered = run(
                ExitCode.DONE, "filter", capture + "", "-o", folder.resolve("all.bin") + "", "--method", "GET, HEAD");

        assertTrue(filtered.contains("Kept 2 of 2 requests on 1 of 1 connection"), filtered);
    }

    @Test
    void tellsHowManyRequestsWereLeftOutByPath() {
        String part = folder.resolve("part.bin") + "";

        String filtered = run(ExitCode.DONE, "filter", capture + "", "-o", part, "--path-regex", "/a|c");
        assertTrue(filtered.contains("\nLeft out 1 request with another path, which is matched as a whole"), filtered);

        String refused = run(ExitCode.FAILED, "filter", capture + "", "-o", part + "2", "--path-regex", "a|c");
        assertTrue(refused.contains("none is left, 2 have another path, which is matched as a whole; "), refused);
    }

    /** Captures in which the two once counted differently: switched connections, stray empty lines, holes. */
    @Test
    void importAndInspectCountTheSame() {
        Path data = Path.of(System.getProperty("lockstep.testData"));
        for (String name : List.of(
                "mitm/websocket.mitm",
                "pcap-http/suricata/http-connect__http-connect-tls__input.pcap",
                "pcap-http/suricata/http-connect__http-connect-fail__input.pcap",
                "pcap-http/suricata/websocket-compressed__example_websocket.pcap",
                "pcap-http/suricata/http-request-invalid__input.pcap",
                "pcap-http/suricata/tcp-rst-unacked-stream-07-http__input.pcap",
                "pcap-thrift/thrift-crosstest/py-compact-http.pcapng")) {
            String imported = run(
                    ExitCode.DONE,
                    "import",
                    "--unsearchable",
                    "keep",
                    "--force",
                    data.resolve(name) + "",
                    "-o",
                    folder.resolve("same.bin") + "");
            String inspected = run(ExitCode.DONE, "inspect", folder.resolve("same.bin") + "");
            for (String what : List.of("connections? with [^:]* that are no requests", "requests? without an end")) {
                assertEquals(counted(imported, what), counted(inspected, what), name + "\n" + imported + inspected);
            }
        }
    }

    private static String counted(String text, String what) {
        Matcher line = Pattern.compile("([0-9]+) " + what).matcher(text.replaceAll("\\s+", " "));
        return line.find() ? line.group(1) : "0";
    }

    @Test
    void warnsWhereNoRequestWasFound() {
        Path data = Path.of(System.getProperty("lockstep.testData"));
        String text = run(
                ExitCode.DONE,
                "import",
                data.resolve("pcap-http/suricata/detect-http-uri__UriTestSig18__test.fpc.pcap") + "",
                "-o",
                folder.resolve("none.bin") + "");

        assertTrue(text.contains("Imported 0 requests"), text);
        assertTrue(text.contains("warning: no request was found in "), text);
    }

    @Test
    void tellsDamageWithItsPlaceAndExitCode() throws IOException {
        byte[] bytes = Files.readAllBytes(capture);
        bytes[4096 + 70] ^= 1;
        Files.write(capture, bytes);

        String text = run(ExitCode.FAILED, "verify", capture + "");
        assertTrue(text.contains("at offset 4096"), text);
    }

    @Test
    void tellsTornBytesOfACaptureThatWasNotClosed() throws IOException {
        Path live = folder.resolve("live.bin");
        Path unclosed = folder.resolve("unclosed.bin");
        TestingCapture.unclosed(live, unclosed);

        String text = run(ExitCode.DONE, "verify", unclosed + "");
        assertTrue(text.contains("unclosed.bin: whole as far as it goes, not closed properly"), text);
        assertTrue(text.contains("(1 request on 1 connection, "), text);

        byte[] bytes = Files.readAllBytes(unclosed);
        Path junk = Files.write(folder.resolve("junk.bin"), bytes);
        Files.write(junk, "junk".getBytes(StandardCharsets.US_ASCII), StandardOpenOption.APPEND);
        text = run(ExitCode.FAILED, "verify", junk + "");
        assertTrue(text.contains("junk.bin: torn, 4 bytes at its end are no whole block"), text);
        assertFalse(text.contains("whole,"), text);

        Path cut = Files.write(folder.resolve("cut.bin"), Arrays.copyOf(bytes, bytes.length - 60));
        text = run(ExitCode.FAILED, "verify", cut + "");
        assertTrue(text.contains("cut.bin: torn, " + (bytes.length - 60 - 4096) + " bytes at its end"), text);
    }

    @Test
    void replacesNoCaptureThatIsBeingRecorded() throws IOException {
        Path live = folder.resolve("live.bin");
        try (CaptureWriter writer = CaptureWriter.create(live, CaptureOptions.defaults())) {
            String refused = run(ExitCode.FAILED, "filter", capture + "", "-o", live + "", "--force");
            assertTrue(refused.contains("live.bin: is being recorded; stop that recorder"), refused);
            refused = run(ExitCode.FAILED, "import", folder.resolve("access.log") + "", "-o", live + "", "--force");
            assertTrue(refused.contains("live.bin: is being recorded; stop that recorder"), refused);
            assertEquals(0, writer.totals().requests());
        }
        run(ExitCode.DONE, "filter", capture + "", "-o", live + "", "--force");
        assertTrue(run(ExitCode.DONE, "inspect", live + "").contains("2 requests"));
    }

    @Test
    void saysWhatAFailedImportLostAndThatAVerifiedCaptureEndedEarly() throws IOException {
        Path output = folder.resolve(LONGEST_NAME);
        StringBuilder urls = new StringBuilder();
        for (int i = 0; i < 15_000; i++) {
            urls.append("http://h/")
                    .append(i)
                    .append('?')
                    .append("x".repeat(100))
                    .append('\n');
        }
        Path list = Files.writeString(folder.resolve("urls.txt"), urls);

        String text = run(ExitCode.FAILED, "import", list + "", "-o", output + "", "--rotate-size", "1MB");

        Matcher counts = Pattern.compile("Imported (\\d+) requests(?s:.*)Lost (\\d+) requests \\(.*that were read")
                .matcher(text);
        assertTrue(counts.find(), text);
        assertTrue(text.contains("The import stopped early: writing failed at offset "), text);
        assertEquals(15_000, Integer.parseInt(counts.group(1)) + Integer.parseInt(counts.group(2)), text);
        text = run(ExitCode.DONE, "verify", output + "");
        assertTrue(text.contains(": readable to its end, "), text);
        assertTrue(text.contains("; ended early: writing failed"), text);
    }

    @Test
    void leavesNothingOfAConversionThatIsEndedAtOnce() {
        Path output = folder.resolve("ended.gor");
        for (String command : new String[] {"import", "export"}) {
            TestingCommandLine line = new TestingCommandLine();
            line.interruption().request();
            Path input = command.equals("import") ? folder.resolve("access.log") : capture;

            assertEquals(ExitCode.FAILED, line.execute(command, input + "", "-o", output + ""));

            assertTrue(line.err().contains("the " + command + " was ended by a signal"), line.err());
            assertFalse(Files.exists(output));
        }
    }

    @Test
    void keepsTheFileThatAnExportReplacesUntilTheNewOneIsWhole() throws IOException {
        Path output = Files.writeString(folder.resolve("old.gor"), "the old one");
        TestingCommandLine interrupted = new TestingCommandLine();
        interrupted.interruption().request();

        assertEquals(ExitCode.FAILED, interrupted.execute("export", "--force", capture + "", "-o", output + ""));
        assertEquals("the old one", Files.readString(output));

        run(ExitCode.DONE, "export", "--force", capture + "", "-o", output + "");
        assertTrue(Files.readString(output).startsWith("1 "), Files.readString(output));
        try (Stream<Path> files = Files.list(folder)) {
            assertTrue(files.noneMatch(file -> file.toString().endsWith(".tmp")), "left over");
        }
    }

    @Test
    void saysThatAPipeIsNoFileToReplace() throws IOException {
        Path pipe = null;
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            for (Path one : open.collect(Collectors.toList())) {
                pipe = Files.isSymbolicLink(one)
                                && Files.readSymbolicLink(one).toString().startsWith("pipe:")
                        ? one
                        : pipe;
            }
        }
        Assumptions.assumeTrue(pipe != null, "no pipe is open");
        Path urls = Files.writeString(folder.resolve("urls.txt"), "http://h/\n");
        for (List<String> command :
                List.of(List.of("import", urls + ""), List.of("export", "--format", "gor", capture + ""))) {
            TestingCommandLine line = new TestingCommandLine();
            List<String> all = new ArrayList<>(command);
            all.addAll(List.of("--force", "-o", pipe + ""));

            assertEquals(ExitCode.FAILED, line.execute(all.toArray(new String[0])));

            assertEquals("replay: " + pipe + ": exists and is not a regular file; give another path\n", line.err());
        }
    }

    /** Not as what the recorder lost, which was nothing. */
    @Test
    void saysWhatAFilterCouldNotWrite() throws IOException {
        StringBuilder urls = new StringBuilder();
        for (int i = 0; i < 40_000; i++) {
            urls.append("http://h/")
                    .append(i)
                    .append('?')
                    .append("x".repeat(100))
                    .append('\n');
        }
        Path list = Files.writeString(folder.resolve("urls.txt"), urls);
        Path whole = folder.resolve("whole.bin");
        run(ExitCode.DONE, "import", list + "", "-o", whole + "");
        Path output = folder.resolve(LONGEST_NAME);

        String text = run(ExitCode.FAILED, "filter", whole + "", "-o", output + "", "--rotate-size", "1MB");

        Matcher counts = Pattern.compile(
                        "Kept (\\d+) of (\\d+) requests(?s:.*)\nThe filter stopped early: writing failed at "
                                + "offset (?s:.*)\nCould not write (\\d+) requests \\(.*")
                .matcher(text);
        assertTrue(counts.find(), text);
        assertEquals(
                Integer.parseInt(counts.group(2)),
                Integer.parseInt(counts.group(1)) + Integer.parseInt(counts.group(3)),
                text);
        assertFalse(text.contains("Lost already"), text);
        assertFalse(text.contains("recording ended"), text);
        assertTrue(run(ExitCode.DONE, "verify", output + "").contains("; ended early: writing failed"));
        String inspected = run(ExitCode.DONE, "inspect", output + "").replaceAll("\\s+", " ");
        assertTrue(inspected.contains("Ended early: writing failed"), inspected);
        assertTrue(
                inspected.contains("LOST: " + counts.group(3) + " requests (")
                        && inspected.contains(": the disk could not follow, or failed"),
                inspected);
    }

    @Test
    void encryptsAndReadsWithTheKey() throws IOException {
        Path key = Files.write(folder.resolve("key"), "0".repeat(64).getBytes(StandardCharsets.US_ASCII));
        assertTrue(key.toFile().setReadable(false, false) && key.toFile().setReadable(true, true));
        Path secret = folder.resolve("secret.bin");

        run(ExitCode.DONE, "filter", capture + "", "-o", secret + "", "--encrypt-key-file", key + "");

        String verified = run(ExitCode.DONE, "verify", secret + "");
        assertTrue(verified.contains("--key-file checks them too"), verified);
        assertFalse(verified.contains("connection"), verified);
        verified = run(ExitCode.DONE, "verify", secret + "", "--key-file", key + "");
        assertTrue(verified.contains("(2 requests on 1 connection, "), verified);
        assertTrue(run(ExitCode.DONE, "inspect", secret + "", "--key-file", key + "")
                .contains("2 requests"));
        run(ExitCode.FAILED, "inspect", secret + "");
        Path plain = folder.resolve("plain.bin");
        run(ExitCode.DONE, "filter", secret + "", "-o", plain + "", "--key-file", key + "", "--decrypt");
        assertTrue(run(ExitCode.DONE, "inspect", plain + "").contains("2 requests"));
    }

    @Test
    void refusesWhatCannotBeMeant() {
        assertUsage("import", capture + "", "-o", folder.resolve("x") + "", "--format", "zip");
        assertUsage("import", capture + "", "-o", folder.resolve("x") + "", "--rate", "0");
        assertUsage("export", capture + "", "-o", folder.resolve("x") + "");
        assertUsage("filter", capture + "", "-o", folder.resolve("x") + "", "--sample", "200%");
        assertUsage("filter", capture + "", "-o", folder.resolve("x") + "", "--from", "later");
        assertUsage("filter", capture + "", "-o", folder.resolve("x") + "", "--from", "5s", "--to", "4s");
        assertUsage("filter", capture + "", "-o", folder.resolve("x") + "", "--connection", "3-1");
        assertUsage("filter", capture + "", "-o", folder.resolve("x") + "", "--method", "");
        assertUsage("filter", capture + "", "-o", folder.resolve("x") + "", "--method", "GET HEAD");
        assertUsage("inspect", capture + "", "--top", "0");
        assertFalse(Files.exists(folder.resolve("x")));

        assertTrue(run(ExitCode.FAILED, "import", capture + "", "-o", folder.resolve("x") + "")
                .contains("is a capture already"));
        assertTrue(run(ExitCode.FAILED, "filter", capture + "", "-o", capture + "", "--force")
                .contains("is read and cannot be written"));
        assertTrue(run(ExitCode.FAILED, "inspect", folder.resolve("x") + "").contains("no such file"));
    }

    @Test
    void refusesOptionsThatWouldChangeNothing() {
        String log = folder.resolve("access.log").toString();
        String made = folder.resolve("made.bin").toString();
        for (String option : List.of("--rate=5", "--port=80", "--tap-side=cluster")) {
            String what = option.split("=")[0] + ": goes with ";
            String refused = run(ExitCode.USAGE, "import", log, "-o", made, "--format", "access-log", option);
            assertTrue(refused.startsWith("replay: " + what), refused);
            assertTrue(refused.contains(", found access-log; leave it out; see "), refused);
            assertFalse(Files.exists(Path.of(made)));
        }
        String warned = run(ExitCode.DONE, "import", log, "-o", made, "--rate", "5/s");
        assertTrue(
                warned.endsWith(
                        "replay: warning: --rate: goes with urls or vegeta or har or mitmproxy, found access-log;"
                                + " leave it out\n"),
                warned);

        assertUsage("filter", capture + "", "-o", folder.resolve("x") + "", "--seed", "7");
        assertUsage("filter", capture + "", "-o", folder.resolve("x") + "", "--decrypt");
        assertUsage("inspect", "--connections", "--head", "1", capture + "");
        assertUsage("inspect", "--json", "--full", capture + "");
        assertFalse(Files.exists(folder.resolve("x")));
    }

    @Test
    void saysHowManyConnectionsARangeMayHave() {
        String made = folder.resolve("x").toString();

        String told = run(ExitCode.USAGE, "filter", capture + "", "-o", made, "--connection", "0-2000000");

        assertEquals(
                "replay: --connection: expected a range of at most 1000000 connections, found '0-2000000'; see replay"
                        + " filter --help\n",
                told);
    }

    @Test
    void namesTheOptionOfAnImportThatIsWrong() {
        String log = folder.resolve("access.log").toString();
        String made = folder.resolve("x").toString();
        String rate = "a number of requests per second above 0 and at most 1e9";
        for (List<String> wrong : List.of(
                List.of("--rate", "fast", rate),
                List.of("--rate", "0", rate),
                List.of("--port", "0", "1 to 65535"),
                List.of("--host", "a/b", "a name or an address, with or without a port"))) {
            String told = run(ExitCode.USAGE, "import", log, "-o", made, wrong.get(0), wrong.get(1));
            assertTrue(told.startsWith("replay: " + wrong.get(0) + ": expected " + wrong.get(2) + ", found "), told);
        }
    }

    /** What is wrong in a file of settings is wrong as an option is, whichever command reads it. */
    @Test
    void tellsOfRulesForAFilterWhatItTellsForAnImport() throws IOException {
        String rules =
                Files.writeString(folder.resolve("rules.yaml"), "no: rules\n").toString();
        String made = folder.resolve("x").toString();

        String imported =
                run(ExitCode.USAGE, "import", folder.resolve("access.log") + "", "-o", made, "--redact", rules);
        String filtered = run(ExitCode.USAGE, "filter", capture + "", "-o", made, "--redact-rules", rules);
        assertEquals(imported.replace("replay import", "replay filter"), filtered);

        String mistaken = run(ExitCode.USAGE, "filter", capture + "", "--redact", rules, "-o", made);
        assertEquals(
                "replay: CAPTURE: expected a capture, found " + rules
                        + "; rules are given with --redact-rules; see replay filter --help\n",
                mistaken);
    }

    private void assertUsage(String... args) {
        String text = run(ExitCode.USAGE, args);
        assertTrue(text.contains("; see replay " + args[0] + " --help"), text);
    }
}
