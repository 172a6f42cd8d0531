package dev.lockstep.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.lockstep.report.Paint;
import dev.lockstep.report.Paint.Tone;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TerminalTest {
    /** Ends as at a Ctrl-C, without what a JVM does at its end. */
    static final class Halting {
        private Halting() {}

        public static void main(String[] args) {
            Terminal.size();
            Runtime.getRuntime().halt(7);
        }
    }

    @Test
    void paintsWhereATerminalHasColours() {
        Paint paint = Terminal.paint(true, null, "xterm");
        assertEquals("\u001b[1m\u001b[31mworse\u001b[0m", paint.of(Tone.BAD, "worse"));
        for (Tone tone : Tone.values()) {
            assertEquals("text", paint.of(tone, "text").replaceAll("\u001b\\[[0-9]+m", ""));
        }
        assertEquals(Paint.NONE.of(Tone.BAD, "worse"), "worse");
    }

    /** JDK 19 and later have the property, whatever the stream is. */
    @Test
    void writesEachStreamInItsOwnEncoding() {
        for (String stream : List.of("stdout", "stderr")) {
            String property = stream + ".encoding";
            String before = System.setProperty(property, "ISO-8859-1");
            try {
                assertEquals(StandardCharsets.ISO_8859_1, Terminal.encoding(stream));
            } finally {
                if (before == null) {
                    System.clearProperty(property);
                } else {
                    System.setProperty(property, before);
                }
            }
        }
    }

    @Test
    void paintsNothingElsewhereAndWhereColoursAreUnwanted() {
        assertSame(Paint.NONE, Terminal.paint(false, null, "xterm"));
        assertSame(Paint.NONE, Terminal.paint(true, "1", "xterm"));
        assertSame(Paint.NONE, Terminal.paint(true, null, "dumb"));
        assertSame(Paint.NONE, Terminal.paint(true, null, null));
    }

    @Test
    void leavesNoFileOfTheLibraryThatAsksTerminals(@TempDir Path folder) throws Exception {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Djava.io.tmpdir=" + folder,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Halting.class.getName())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(7, process.waitFor(), printed);
        assertEquals(List.of(), List.of(folder.toFile().list()));
    }
}
