package dev.lockstep.cli.tune;

import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.search.SearchListener;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.Told;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.io.PrintWriter;
import java.util.function.LongSupplier;

/** Prints how a search goes to standard error, a line for each evaluation. Used by one thread. */
final class SearchPrinter implements SearchListener {
    private final PrintWriter err;
    private final Scale scale;
    /** Whether an evaluation takes so long that its beginning is news. */
    private final boolean slow;

    private final LongSupplier clockNs;
    private long beganNs;
    /** How long those took that ended, without pauses. */
    private long tookNs;

    private int ended;

    SearchPrinter(PrintWriter err, Scale scale, boolean slow, LongSupplier clockNs) {
        this.err = err;
        this.scale = scale;
        this.slow = slow;
        this.clockNs = clockNs;
    }

    @Override
    public void note(String sentence) {
        print(sentence);
    }

    @Override
    public void begins(Trial trial, int evaluations) {
        beganNs = clockNs.getAsLong();
        if (slow) {
            print("evaluation " + trial.number() + " of " + evaluations + " ("
                    + trial.origin().label() + left(evaluations - trial.number() + 1) + "): "
                    + SearchPlan.print(trial.configuration()));
        }
    }

    /** Returns how long so many take if they take as long as those that ended: a plan knows no machine's noise. */
    private String left(int evaluations) {
        return ended == 0 || evaluations < 1
                ? ""
                : ", about " + Quantities.duration(tookNs / ended * evaluations) + " left";
    }

    @Override
    public void ended(Told told, int evaluations) {
        tookNs += clockNs.getAsLong() - beganNs;
        ended++;
        Observation observation = told.observation();
        StringBuilder line = new StringBuilder("evaluation " + told.number() + " of " + evaluations + ": ");
        observation.value().ifPresent(value -> line.append(scale.print(value)));
        observation.secondValue().ifPresent(value -> line.append(" and ").append(scale.print(value)));
        observation.failed().ifPresent(why -> line.append("failed: ").append(why));
        observation.skipped().ifPresent(why -> line.append("skipped: ").append(why));
        if (observation.value().isPresent() && !observation.isFeasible()) {
            line.append(", violates a constraint");
        }
        if (told.evaluation().stoppedEarly()) {
            line.append(", stopped early");
        }
        if (!slow) {
            line.append(" (").append(SearchPlan.print(told.configuration())).append(')');
        }
        told.evaluation().notes().forEach(note -> line.append("; ").append(note));
        print(line.toString());
    }

    private void print(String line) {
        err.println(Terminal.printable(line));
        err.flush();
    }
}
