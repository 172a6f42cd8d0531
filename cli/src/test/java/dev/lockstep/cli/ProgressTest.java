package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class ProgressTest {
    private final StringWriter err = new StringWriter();

    @Test
    void printsALineForEachPhaseWhereNobodyWatches() {
        Progress progress = new Progress(new PrintWriter(err), false);
        progress.begin("a: starting", Long.MAX_VALUE);
        progress.line("a: ready");
        progress.begin("warm-up", 10_000_000_000L);
        progress.at(5_000_000_000L, "50 answers");
        progress.end();
        assertEquals("a: starting\na: ready\nwarm-up (10.0 s)\n", err.toString());
    }

    @Test
    void removesItsBarFromATerminalBeforeALineThatStays() {
        Progress progress = new Progress(new PrintWriter(err), true);
        progress.begin("warm-up", 10_000_000_000L);
        progress.at(5_000_000_000L, "50 answers");
        progress.line("done");
        String shown = err.toString();
        assertTrue(shown.contains("warm-up"), shown);
        assertTrue(shown.contains("50 answers"), shown);
        assertTrue(shown.endsWith("\r\033[Kdone\n"), shown);
    }

    @Test
    void showsTheTimeWhereNobodyKnowsTheLength() {
        Progress progress = new Progress(new PrintWriter(err), true);
        progress.begin("a: starting", Long.MAX_VALUE);
        progress.at(1_500_000_000L, "3 answers");
        progress.end();
        assertEquals("\ra: starting ...\033[K\ra: starting 1.5 s  3 answers\033[K\r\033[K", err.toString());
    }
}
