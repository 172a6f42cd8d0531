package dev.lockstep.analysis;

import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.LoadCounts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How the answers of the warm-up differ from those that were measured. A warm-up repeats the capture, its writes too: a
 * user that was created before cannot be created again, and a JVM that was warmed up with refusals is not warm for what
 * it serves then. Hands the intervals on. Used by the run's thread.
 */
public final class AnswerMix implements IntervalSink {
    /** A class of answers whose share differs by less is none to speak of. */
    private static final double LEAST_SHIFT = 0.01;
    /** The classes 1xx to 5xx, at their numbers; 0 has those without a status, and errors the place after. */
    private static final int CLASSES = 7;

    private static final int ERRORS = 6;

    private final IntervalSink next;
    private final Map<String, long[][]> counts = new LinkedHashMap<>();

    public AnswerMix(IntervalSink next) {
        this.next = next;
    }

    @Override
    public void interval(String target, Interval interval) {
        if (interval.phase != Interval.Phase.FULL_LOAD) {
            add(
                    counts.computeIfAbsent(target, name -> new long[2][CLASSES])[interval.isMeasured() ? 1 : 0],
                    interval.counts());
        }
        next.interval(target, interval);
    }

    private static void add(long[] mine, LoadCounts answers) {
        long known = 0;
        for (int hundreds = 1; hundreds < ERRORS; hundreds++) {
            long answered = answers.statusClass(hundreds);
            mine[hundreds] += answered;
            known += answered;
        }
        mine[0] += answers.completed - known;
        // What a target that died owed is no kind of answer: its end is told elsewhere.
        mine[ERRORS] += answers.errorsInLife();
    }

    /**
     * Returns a sentence for each target whose answers shifted.
     *
     * @param heated whether the warm-up was faster than what was measured
     * @param whole how many answers the whole capture has, once in each launch: where a phase had fewer it sent a part
     *     only, whose answers differ from the rest's by themselves
     */
    public List<String> shifts(boolean heated, long whole) {
        List<String> shifts = new ArrayList<>();
        counts.forEach((target, both) -> {
            // What the end of a run left unanswered is missing of a whole one.
            if (Math.min(sum(both[0]), sum(both[1])) < (1 - LEAST_SHIFT) * whole) {
                return;
            }
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < CLASSES; i++) {
                double before = share(both[0], i);
                double measured = share(both[1], i);
                if (Math.abs(before - measured) > LEAST_SHIFT) {
                    parts.add(
                            String.format(Locale.ROOT, "%s %.1f %% to %.1f %%", name(i), 100 * before, 100 * measured));
                }
            }
            if (!parts.isEmpty()) {
                shifts.add(
                        target + ": answers shifted from the warm-up to the measured phase: " + String.join(", ", parts)
                                + "; the warm-up repeats the capture, its writes too"
                                + (heated ? " (--warmup-pace recorded repeats it less)" : ""));
            }
        });
        return shifts;
    }

    private static String name(int kind) {
        return kind == 0 ? "without a status" : kind == ERRORS ? "errors" : kind + "xx";
    }

    /** Returns the share of a kind; NaN, which differs from nothing, where there was no answer. */
    private static double share(long[] counts, int kind) {
        long sum = sum(counts);
        return sum == 0 ? Double.NaN : (double) counts[kind] / sum;
    }

    private static long sum(long[] counts) {
        return Arrays.stream(counts).sum();
    }
}
