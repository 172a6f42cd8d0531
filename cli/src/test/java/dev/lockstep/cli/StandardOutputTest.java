package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.command.ReportFile;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.run.TestingCapture;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StandardOutputTest {
    private static final String RUN = Path.of(System.getProperty("lockstep.testData"), "runs", "0.1.0", "run") + "";

    /** JDK 19 and later have it. */
    private static final String ENCODING = "stdout.encoding";
    /** Of a stream that is no file of the process. */
    private static final Path NO_LINK = Path.of("/nonexistent");

    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"report --json DIR", "report DIR", "--help", "--version", "report --help", "doctor"})
    void aCommandWhoseResultCannotBeWrittenHasFailed(String command) throws IOException {
        // A device that has no room for a single byte.
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            assertEquals(ExitCode.FAILED, execute(full, command.replace("DIR", RUN)));
        }

        assertEquals(
                "replay: standard output could not be written: No space left on device; what was printed there is not"
                        + " complete\n",
                err.toString());
    }

    @Test
    void anotherFailureKeepsItsExitCode() throws IOException {
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            assertEquals(ExitCode.USAGE, execute(full, "--targts"));
        }
    }

    /** As in "replay report DIR | head -1". */
    @Test
    void aReaderThatHasEnoughIsNoFailure() {
        assertEquals(ExitCode.DONE, execute(failing("Broken pipe"), "report " + RUN));

        assertEquals("", err.toString());
    }

    /** To read a long capture to its end takes minutes. That this one is damaged finds only who reads on. */
    @Test
    void aListOfConnectionsThatNobodyReadsOnEnds() throws IOException {
        Path capture = folder.resolve("long.bin");
        byte[] request =
                ("GET /" + "x".repeat(1_000) + " HTTP/1.1\r\nHost: h\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        long nowNs = System.nanoTime();
        try (CaptureWriter writer = CaptureWriter.create(
                capture, CaptureOptions.builder().waitForDisk(true).build())) {
            for (int i = 0; i < 2_000; i++) {
                int connection = writer.openConnection(nowNs, null, null);
                writer.protocol(connection, nowNs, Protocol.HTTP1);
                writer.data(
                        connection,
                        nowNs,
                        RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END,
                        ByteBuffer.wrap(request));
                writer.closeConnection(connection, nowNs, CloseReason.CLIENT_FIN);
            }
        }
        byte[] bytes = Files.readAllBytes(capture);
        bytes[bytes.length / 2] ^= 1;
        Files.write(capture, bytes);

        assertEquals(ExitCode.FAILED, execute(new ByteArrayOutputStream(), "inspect --connections " + capture));
        err.getBuffer().setLength(0);
        assertEquals(ExitCode.DONE, execute(failing("Broken pipe"), "inspect --connections " + capture));
        assertEquals(ExitCode.DONE, execute(failing("Broken pipe"), "inspect --connections --json " + capture));
        assertEquals("", err.toString());
    }

    /** Whose words for that are not always English. */
    @Test
    void knowsAPipeByWhatTheSystemSaysItIs() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("1"), Path.of("pipe:[4711]"));
        StandardOutput left = new StandardOutput(failing("Daten\u00fcbergabe unterbrochen (broken pipe)"), link);
        StandardOutput full = new StandardOutput(failing("Resource temporarily unavailable"), link);

        left.writer().println("a");
        full.writer().println("a");

        assertEquals(Optional.empty(), left.problem());
        assertEquals(Optional.of("Resource temporarily unavailable"), full.problem());
    }

    private static OutputStream failing(String message) {
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException(message);
            }
        };
    }

    @Test
    void writesNothingBehindWhatIsMissing() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        OutputStream failsOnce = new OutputStream() {
            private boolean failed;

            @Override
            public void write(int value) throws IOException {
                if (!failed) {
                    failed = true;
                    throw new IOException("Input/output error");
                }
                written.write(value);
            }
        };
        StandardOutput out = new StandardOutput(failsOnce, NO_LINK);
        PrintWriter writer = out.writer();

        writer.println("a");
        writer.println("b");

        assertEquals("Input/output error", out.problem().orElseThrow());
        assertEquals(0, written.size());
    }

    @Test
    void aReportIsUtf8WhateverTheTerminalIs() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintWriter out = new OutputWriter(bytes, StandardCharsets.US_ASCII);

        out.print("\u2192 ");
        ReportFile.write(Path.of("-"), "\u00b7 \u2265 ", out);
        ReportFile.append(Path.of("-"), "\u2192", out);
        out.flush();

        assertEquals("? \u00b7 \u2265 \u2192", bytes.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aDryRunAsJsonIsUtf8WhateverTheTerminalIs() {
        Path capture = TestingCapture.gets(folder.resolve("a.bin"), 1, 1, 1);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        onATerminalOf("US-ASCII", () -> {
            String command = "--dry-run --json --targets p=127.0.0.1:9 -H X-A:\u00fc " + capture;
            assertEquals(ExitCode.DONE, execute(bytes, command), err::toString);
        });

        String printed = bytes.toString(StandardCharsets.UTF_8);
        assertTrue(printed.contains("X-A: \u00fc"), printed);
    }

    @Test
    void aTextIsInTheTerminalsEncoding() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        onATerminalOf(
                "ISO-8859-1", () -> new StandardOutput(bytes, NO_LINK).writer().println("\u00fc"));

        assertEquals("\u00fc\n", bytes.toString(StandardCharsets.ISO_8859_1));
    }

    private static void onATerminalOf(String encoding, Runnable printing) {
        String before = System.setProperty(ENCODING, encoding);
        try {
            printing.run();
        } finally {
            if (before == null) {
                System.clearProperty(ENCODING);
            } else {
                System.setProperty(ENCODING, before);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--html", "--markdown", "--junit", "--intervals-csv"})
    void aReportThatCannotBeWrittenHasFailed(String option) throws IOException {
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            assertEquals(ExitCode.FAILED, execute(full, "report " + option + " - " + RUN));
        }

        assertTrue(err.toString().startsWith("replay: standard output could not be written: "), err.toString());
    }

    private int execute(OutputStream out, String command) {
        return Main.execute(
                Main.commandLine(Interruption.detached()).setErr(new PrintWriter(err)),
                new StandardOutput(out, NO_LINK),
                command.split(" "));
    }
}
