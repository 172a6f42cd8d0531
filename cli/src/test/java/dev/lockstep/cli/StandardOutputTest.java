package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.command.ReportFile;
import dev.lockstep.cli.terminal.Interruption;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StandardOutputTest {
    private static final String RUN = Path.of(System.getProperty("lockstep.testData"), "runs", "0.1.0", "run") + "";

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
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };

        assertEquals(ExitCode.DONE, execute(closed, "report " + RUN));

        assertEquals("", err.toString());
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
        StandardOutput out = new StandardOutput(failsOnce);
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
                new StandardOutput(out),
                command.split(" "));
    }
}
