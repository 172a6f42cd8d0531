package dev.lockstep.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.report.Paint;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.run.TestingPhases;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jline.builtins.ScreenTerminal;
import org.jline.terminal.Size;
import org.junit.jupiter.api.Test;

final class RunViewTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final String DIGEST = "ab".repeat(32);

    private final StringWriter err = new StringWriter();
    private final StringWriter out = new StringWriter();
    private final ScreenTerminal terminal = new ScreenTerminal(80, 24);
    private Size size = new Size(80, 24);
    private int written;
    private long nowNs = -7 * SECOND_NS;

    private RunView view(Symbols symbols, boolean colours) {
        RunPlan plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("users.bin")
                        .sha256(DIGEST)
                        .streamSha256(DIGEST)
                        .requests(10)
                        .build())
                .target(TargetPlan.builder("c2")
                        .profile("c2")
                        .memoryLimitBytes(128 << 20)
                        .build())
                .target(TargetPlan.builder("graal").profile("graal").build())
                .build();
        return new RunView(
                plan,
                new BottomLines(new PrintWriter(err), () -> size),
                new ResultPrinter(new PrintWriter(out), false, Paint.NONE),
                symbols,
                colours,
                () -> nowNs);
    }

    /** Returns what the terminal shows, without the empty lines below; the driver of a terminal makes CR LF of LF. */
    private List<String> screen() {
        terminal.write(err.toString().substring(written).replaceAll("(?<!\r)\n", "\r\n"));
        written = err.toString().length();
        return terminal.toString()
                .replaceAll("\033\\[[0-9;]*[a-zA-Z]", "")
                .stripTrailing()
                .lines()
                .map(String::stripTrailing)
                .collect(Collectors.toList());
    }

    private static IntervalFigures second(int number, int answers) {
        Interval interval = new Interval();
        interval.startNs = number * SECOND_NS;
        interval.endNs = interval.startNs + SECOND_NS;
        interval.counts().completed = answers + 1;
        // An answer, and an error all the same.
        interval.counts().status(503);
        interval.counts().error(ErrorKind.READ_TIMEOUT);
        interval.responseTime().recordValueWithCount(412_000, answers);
        interval.costs = Costs.builder()
                .set(Cost.APPLICATION_CPU, 312_000_000)
                .set(Cost.JIT_CPU, 20_000_000)
                .set(Cost.MEMORY, 96 << 20)
                .build();
        return IntervalFigures.of(interval);
    }

    private void measure(RunView view) {
        view.phase(TestingPhases.start("c2"));
        view.targetReady(TestingPhases.ready("c2", 1));
        view.phase(TestingPhases.measurement(10));
        for (int i = 0; i < 5; i++) {
            nowNs += SECOND_NS;
            view.interval("c2", second(i, 100 * (i + 1)));
            view.progress(i * SECOND_NS, Map.of());
        }
    }

    @Test
    void showsARowForEachTargetInEightyColumns() {
        try (RunView view = view(Symbols.ASCII, false)) {
            measure(view);

            assertEquals(
                    List.of(
                            "c2: ready in 900 ms",
                            "measuring  ##########..........  5.0 s left of 10.0 s",
                            "target   req/s  p50 ms  p99 ms  errors  app %  JIT %      MiB  of cap  p99",
                            "c2         500    0.41    0.41      10   31.2   2.00   96/128  #####.     #####",
                            "graal        -       -       -       -      -      -        -"),
                    screen());
        }
        assertEquals(List.of("c2: ready in 900 ms"), screen(), "only what stays");
    }

    @Test
    void takesWhatIsLeftOfATurnForNoSecond() {
        try (RunView view = view(Symbols.ASCII, false)) {
            measure(view);
            Interval rest = new Interval();
            rest.startNs = 5 * SECOND_NS;
            rest.endNs = rest.startNs + 80_000;
            rest.counts().completed = 1;
            view.interval("c2", IntervalFigures.of(rest));
            view.progress(5 * SECOND_NS, Map.of());

            assertTrue(screen().get(3).startsWith("c2         500    0.41    0.41      10"), screen().get(3));
        }
    }

    @Test
    void showsMoreOfThePastWhereThereIsRoom() {
        size = new Size(160, 24);
        terminal.setSize(160, 24);
        try (RunView view = view(Symbols.BLOCKS, true)) {
            measure(view);

            String row = screen().get(3);
            assertTrue(row.startsWith("c2      measured  "), row);
            assertTrue(row.contains("█████████░░░"), row);
            assertTrue(row.contains("▂▄▅▇█"), row);
            assertTrue(row.length() < 160, row);
        }
        assertTrue(err.toString().matches("(?s).*\033\\[[0-9;]*31[0-9;]*m.*"), "errors in red");
        assertFalse(err.toString().contains("\033[?25l"), "the cursor is never hidden");
    }

    @Test
    void beginsAnewInATerminalThatChangesItsSize() {
        try (RunView view = view(Symbols.ASCII, false)) {
            measure(view);
            screen();
            size = new Size(100, 10);
            terminal.setSize(100, 10);
            nowNs += SECOND_NS;
            view.progress(0, Map.of());

            List<String> wider = screen();
            assertEquals(5, wider.size(), wider.toString());
            assertTrue(wider.get(1).startsWith("measuring  ############"), wider.toString());

            size = new Size(30, 3);
            terminal.setSize(30, 3);
            nowNs += SECOND_NS;
            view.progress(0, Map.of());
            assertEquals("target   req/s  p99 ms", screen().get(1).strip());
        }
    }

    @Test
    void letsNoTextCommandTheTerminalAndNoKeyStay() {
        try (RunView view = view(Symbols.ASCII, false)) {
            measure(view);
            // Ctrl-C, as terminals echo it.
            err.write("^C");
            view.note("its last line: '\033]0;owned\007' " + "word ".repeat(16));
            view.status("a\033[2Jb");

            List<String> shown = screen();
            assertTrue(shown.get(1).startsWith("its last line: '\\x1b]0;owned\\x07'"), shown.toString());
            assertTrue(shown.get(2).startsWith("word"), "broken between words: " + shown);
            assertFalse(shown.toString().contains("^C"), shown.toString());
        }
    }

    @Test
    void isForPeopleAtCapableTerminals() {
        assertTrue(Terminal.isWatched(true, null, "xterm"));
        assertFalse(Terminal.isWatched(false, null, "xterm"));
        assertFalse(Terminal.isWatched(true, "true", "xterm"));
        assertFalse(Terminal.isWatched(true, null, "dumb"));
        assertFalse(Terminal.isWatched(true, null, null));
    }
}
