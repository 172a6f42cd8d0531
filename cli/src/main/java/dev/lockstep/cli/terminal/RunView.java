package dev.lockstep.cli.terminal;

import dev.lockstep.measurement.Quantities;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.run.ReadyTarget;
import dev.lockstep.run.RunPhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/**
 * Shows how a run goes at the bottom of a terminal: the phase and how much of it is left, and a row for each target.
 * What is said of the run stays above. Its methods are called by the listener's thread, {@link #close} by the run's:
 * thread-safe.
 */
final class RunView implements RunDisplay {
    private static final int BAR = 20;
    /** Turns of targets may be shorter; more often nobody can read. */
    private static final long LEAST_PAUSE_NS = 200_000_000;

    private final RunPlan plan;
    private final BottomLines screen;
    private final ResultPrinter results;
    private final TargetTable table;
    private final Symbols symbols;
    private final boolean colours;
    private final LongSupplier clock;
    private final long beganNs;
    /** Null where nothing goes on that takes time. */
    private RunPhase phase;

    private long phaseBeganNs;
    private String status = "";
    private int launchesDone;
    private long launchDoneNs;
    private long drawnNs;
    private boolean closed;

    /** @param clock monotonic, ns */
    RunView(
            RunPlan plan,
            BottomLines screen,
            ResultPrinter results,
            Symbols symbols,
            boolean colours,
            LongSupplier clock) {
        this.plan = plan;
        this.screen = screen;
        this.results = results;
        this.symbols = symbols;
        this.colours = colours;
        this.clock = clock;
        table = new TargetTable(plan, symbols, colours);
        beganNs = clock.getAsLong();
        drawnNs = beganNs - LEAST_PAUSE_NS;
    }

    // ---- what the run tells -----------------------------------------------------------------------------------------

    @Override
    public synchronized void note(String sentence) {
        if (!closed) {
            screen.print(Terminal.printable(sentence));
            draw();
        }
    }

    @Override
    public synchronized void targetFailed(String target, String why) {
        table.failed(target);
        note(why);
    }

    @Override
    public synchronized void targetReady(ReadyTarget target) {
        table.ready(target.name(), target.launch());
        note(target.sentence());
    }

    @Override
    public synchronized void phase(RunPhase begun) {
        phase = begun;
        phaseBeganNs = clock.getAsLong();
        status = "";
        table.phase(begun);
        drawNowAndThen();
    }

    @Override
    public synchronized void progress(long elapsedNs, Map<String, Long> answers) {
        drawNowAndThen();
    }

    @Override
    public synchronized void interval(String target, IntervalFigures figures) {
        table.interval(target, figures);
    }

    @Override
    public synchronized void status(String line) {
        status = line;
        drawNowAndThen();
    }

    @Override
    public synchronized void phaseEnded() {
        phase = null;
        status = "";
        table.rest();
        if (!closed) {
            screen.clear();
        }
    }

    @Override
    public synchronized void launchDone(int done, RunResult soFar) {
        launchesDone = done;
        launchDoneNs = clock.getAsLong();
    }

    @Override
    public synchronized void measured(RunResult result, boolean last) {
        phaseEnded();
        results.measured(result, last);
    }

    @Override
    public synchronized void profiled(RunResult result) {
        phaseEnded();
        results.profiled(result);
    }

    /** Removes what does not stay; nothing is shown any more. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            screen.close();
        }
    }

    // ---- what is shown ----------------------------------------------------------------------------------------------

    private void drawNowAndThen() {
        if (clock.getAsLong() - drawnNs >= LEAST_PAUSE_NS) {
            draw();
        }
    }

    private void draw() {
        if (!closed && phase != null) {
            drawnNs = clock.getAsLong();
            screen.show(room -> lines(room.getColumns()));
        }
    }

    private List<AttributedString> lines(int columns) {
        List<AttributedString> lines = new ArrayList<>();
        lines.add(head());
        lines.addAll(table.lines(columns));
        if (!status.isEmpty()) {
            lines.add(new AttributedString(Terminal.printable(status)));
        }
        left().ifPresent(text -> lines.add(new AttributedString(text)));
        lines.replaceAll(line -> line.columnSubSequence(0, columns));
        return lines;
    }

    /** Returns the phase, and how much of it is left; of turns, how much of all. */
    private AttributedString head() {
        long elapsedNs = clock.getAsLong() - phaseBeganNs;
        AttributedStringBuilder line = new AttributedStringBuilder()
                .append(Terminal.printable(phase.title()), colours ? AttributedStyle.BOLD : AttributedStyle.DEFAULT);
        if (phase.lengthNs().isEmpty()) {
            return line.append(elapsedNs > 0 ? "  " + Quantities.duration(elapsedNs) : "")
                    .toAttributedString();
        }
        long lengthNs = phase.lengthNs().getAsLong();
        long doneNs = Math.min(elapsedNs, lengthNs);
        if (phase.turn().isPresent()) {
            RunPhase.Turn turn = phase.turn().get();
            doneNs += turn.number() * lengthNs;
            lengthNs *= (long) turn.targets() * turn.rounds();
        }
        return line.append("  " + symbols.bar((double) doneNs / Math.max(1, lengthNs), BAR) + "  "
                        + Quantities.duration(lengthNs - doneNs) + " left of " + Quantities.duration(lengthNs))
                .toAttributedString();
    }

    /** Says how long the launches that are left may take, by those that are done. */
    private Optional<String> left() {
        boolean measures = phase.kind().compareTo(RunPhase.Kind.PROFILE_START) < 0;
        if (launchesDone == 0 || !measures) {
            return Optional.empty();
        }
        long eachNs = (launchDoneNs - beganNs) / launchesDone;
        int launches = Math.max(plan.launches(), launchesDone + 1);
        long leftNs = Math.max(0, beganNs + launches * eachNs - clock.getAsLong());
        return Optional.of(plan.units(launchesDone) + " done; about "
                + Quantities.duration(leftNs)
                + " until " + launches + " are"
                + (plan.mostLaunches() > launches ? "; " + plan.mostLaunches() + " at most" : ""));
    }
}
