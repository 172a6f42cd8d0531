package dev.lockstep.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunResult;
import java.util.Arrays;
import java.util.List;

/**
 * What the live page draws of a run, which grows: each page is told what it lacks, and one that lacks much is told all
 * anew. However long a run goes on, that is not more than some hundred kilobytes for a target, since seconds are drawn
 * together as in the report. Used by one thread at a time.
 */
public final class LiveData {
    /** A page that is looked at while it changes has fewer points than a report. */
    private static final int MOST = 1200;

    /** How much of the data a page has. Used with the data only. */
    public static final class Known {
        private final int[] stretches;
        private final int[] widths;
        private long fromMs;

        private Known(int targets) {
            stretches = new int[targets];
            widths = new int[targets];
        }
    }

    private final Timeline timeline;
    private final int targets;

    /** @param targets their names, in the order of the plan */
    public LiveData(List<String> targets) {
        timeline = new Timeline(targets, () -> new Stretches(MOST));
        this.targets = targets.size();
    }

    /** Takes the next interval of a target. */
    public void add(String target, IntervalFigures figures) {
        timeline.add(target, figures);
    }

    /** Returns what a page knows that was just opened: nothing. */
    public Known nothing() {
        return new Known(targets);
    }

    /**
     * Returns what a page lacks, which it knows from now on: for each target the columns that follow the first so many
     * rows ({@code at}) of those that it has.
     */
    public ObjectNode since(Known known) {
        long fromMs = timeline.fromMs();
        if (known.fromMs != fromMs) {
            known.fromMs = fromMs;
            Arrays.fill(known.stretches, 0);
        }
        ObjectNode lacking = timeline.frame();
        ArrayNode series = lacking.putArray("series");
        List<Stretches> all = timeline.all();
        for (int i = 0; i < targets; i++) {
            Stretches stretches = all.get(i);
            // The last one may have grown since.
            int first = known.widths[i] == stretches.width() ? Math.max(0, known.stretches[i] - 1) : 0;
            known.widths[i] = stretches.width();
            known.stretches[i] = stretches.size();
            ObjectNode one = series.addObject().put("at", stretches.rowsBefore(first));
            one.set("columns", stretches.columns(fromMs, first));
        }
        return lacking;
    }

    /**
     * Returns what the launches done came to.
     *
     * @param soFar with verdicts where it has any
     */
    public static ObjectNode of(RunResult soFar) {
        ResultData shown = new ResultData(soFar);
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.set("text", shown.text());
        data.set("launches", shown.launches());
        data.set("percentiles", shown.percentiles());
        return data;
    }
}
