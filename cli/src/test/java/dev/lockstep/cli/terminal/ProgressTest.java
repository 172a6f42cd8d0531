package dev.lockstep.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class ProgressTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private final StringWriter err = new StringWriter();
    private long nowNs = -7 * SECOND_NS;

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
    void letsNoTextCommandTheTerminal() {
        Progress progress = new Progress(new PrintWriter(err), false);
        progress.line("its last line: '\033]0;owned\007'");
        progress.begin("a\033[2J.bin: verifying", SECOND_NS);
        assertEquals("its last line: '\\x1b]0;owned\\x07'\na\\x1b[2J.bin: verifying (1.0 s)\n", err.toString());
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
        assertTrue(shown.endsWith(Terminal.over("") + "done\n"), shown);
    }

    @Test
    void givesFewTurnsALineEachWhereNobodyWatches() {
        Progress progress = new Progress(new PrintWriter(err), false, () -> nowNs);
        for (int turn = 0; turn < 4; turn++) {
            progress.turn("measuring", "a: turn " + turn, turn, 2, 2, 2 * SECOND_NS);
            progress.at(SECOND_NS, "50 answers");
        }
        progress.turn("measuring", "b: turn", 0, 1, 2, Long.MAX_VALUE);
        assertEquals(
                "a: turn 0 (2.0 s)\na: turn 1 (2.0 s)\na: turn 2 (2.0 s)\na: turn 3 (2.0 s)\nb: turn\n",
                err.toString());
    }

    @Test
    void givesManyTurnsALineNowAndThenWhereNobodyWatches() {
        Progress progress = new Progress(new PrintWriter(err), false, () -> nowNs);
        for (int turn = 0; turn < 16; turn++) {
            progress.turn("measuring", "turn " + turn, turn, 2, 1000, 2 * SECOND_NS);
            nowNs += 2 * SECOND_NS;
        }
        assertEquals("turn 0 (2.0 s)\nturn 1 (2.0 s)\nturn 6 (2.0 s)\nturn 11 (2.0 s)\n", err.toString());
    }

    @Test
    void leavesTurnsOutWhereAStatusIsShown() {
        Progress progress = new Progress(new PrintWriter(err), false, () -> nowNs);
        progress.status("no leak found");
        progress.turn("measuring", "turn", 0, 2, 2, 2 * SECOND_NS);
        nowNs += 60 * SECOND_NS;
        progress.status("no leak found");
        assertEquals("no leak found\n", err.toString());
    }

    @Test
    void showsAllTurnsInOneBarOfATerminal() {
        Progress progress = new Progress(new PrintWriter(err), true, () -> nowNs);
        progress.begin("warm-up", 10 * SECOND_NS);
        for (int turn = 0; turn < 100; turn++) {
            progress.turn("measuring", "a: turn " + turn, turn, 2, 50, 2 * SECOND_NS);
            // Answers may be awaited beyond a turn's length.
            progress.at(3 * SECOND_NS, "50 answers");
        }
        progress.line("done");
        String shown = err.toString();
        assertTrue(shown.contains("measuring 100%"), shown);
        assertTrue(shown.contains("200/200s"), shown);
        assertTrue(shown.contains(" a: turn 99, 50 answers"), shown);
        assertTrue(shown.endsWith(Terminal.over("") + "done\n"), shown);
    }

    @Test
    void showsTheTimeWhereNobodyKnowsTheLength() {
        Progress progress = new Progress(new PrintWriter(err), true);
        progress.begin("a: starting", Long.MAX_VALUE);
        progress.at(1_500_000_000L, "3 answers");
        progress.end();
        // Without wrapping at the edge of a narrow terminal, which would leave the first part of the line behind.
        assertEquals(
                "\r\033[?7la: starting ...\033[K\033[?7h\r\033[?7la: starting 1.5 s  3 answers\033[K\033[?7h"
                        + Terminal.over(""),
                err.toString());
    }

    @Test
    void rewritesAStatusOnATerminalAndPrintsALineAMinuteElsewhere() {
        StringWriter terminal = new StringWriter();
        Progress onTerminal = new Progress(new PrintWriter(terminal), true);
        Progress inFile = new Progress(new PrintWriter(err), false);

        onTerminal.begin("measuring", Long.MAX_VALUE);
        onTerminal.status("1.0 s of 24 h 0 min: c2 2000/s; 0 errors");
        inFile.begin("measuring", 24 * 3600 * SECOND_NS);
        inFile.status("1.0 s of 24 h 0 min: c2 2000/s; 0 errors");

        assertTrue(
                terminal.toString().contains("\r\033[?7l1.0 s of 24 h 0 min: c2 2000/s; 0 errors"),
                terminal.toString());
        assertEquals("measuring (24 h 0 min)\n", err.toString());
    }
}
