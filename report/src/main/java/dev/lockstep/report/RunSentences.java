package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Verdict.Interval;
import dev.lockstep.results.comparison.RunVerdict;

/** What a run says against earlier ones, in sentences. */
final class RunSentences {
    private final double margin;

    RunSentences(double margin) {
        this.margin = margin;
    }

    static Paint.Tone tone(RunVerdict verdict) {
        switch (verdict.finding()) {
            case WORSE:
                return verdict.standsForDay() ? Paint.Tone.DOUBT : Paint.Tone.BAD;
            case BETTER:
            case EQUIVALENT:
                return verdict.standsForDay() ? Paint.Tone.HEADING : Paint.Tone.GOOD;
            default:
                return Paint.Tone.DOUBT;
        }
    }

    /**
     * Returns the sentence.
     *
     * @param against what it is judged against, for example {@code in run 1}
     */
    String sentence(RunVerdict verdict, String against) {
        String target = printable(verdict.target());
        String metric = MetricColumn.of(verdict.metric()).label();
        if (verdict.whyNot().isPresent()) {
            return target + ": no verdict on " + metric + " against what it was " + against + figures(verdict) + ": "
                    + printable(verdict.whyNot().get());
        }
        StringBuilder text = new StringBuilder(target);
        boolean decided = verdict.finding() == Finding.BETTER || verdict.finding() == Finding.WORSE;
        if (decided && verdict.ratio().isPresent()) {
            Difference difference = new Difference(verdict.metric());
            text.append(difference.verb())
                    .append(difference.than(verdict.ratio().getAsDouble(), against));
        } else if (verdict.died() && verdict.baselineCount().isEmpty()) {
            text.append(" did not die ").append(against);
        } else if (decided) {
            text.append(": ").append(metric).append(" above 0, and 0 ").append(against);
        } else if (verdict.finding() == Finding.EQUIVALENT) {
            text.append(": no difference in ")
                    .append(metric)
                    .append(" to what it was ")
                    .append(against);
        } else {
            text.append(": cannot tell").append(range(verdict, metric, against));
        }
        text.append(figures(verdict));
        if (verdict.standsForDay()) {
            return text + ": the day, the machine or the service; it stands for them";
        }
        text.append(": ").append(verdict.died() ? "it died, " : "").append(found(verdict));
        return text.append(days(verdict)).toString();
    }

    private static String range(RunVerdict verdict, String metric, String against) {
        Interval interval = verdict.interval().orElse(null);
        if (interval == null || Figures.isTooWide(interval)) {
            return " its " + metric + " from what it was " + against;
        }
        return interval.high() < 2
                ? ", " + new Difference(verdict.metric()).between(interval.low(), interval.high(), against)
                : Figures.format(
                        ", between %s and %s times the %s that it had %s",
                        Figures.threeDigits(interval.low()), Figures.threeDigits(interval.high()), metric, against);
    }

    static String ratio(RunVerdict verdict) {
        return verdict.count().isPresent() && verdict.baselineCount().isPresent()
                ? verdict.count().getAsLong() + " : " + verdict.baselineCount().getAsLong()
                : verdict.ratio().isPresent() ? Figures.ratio(verdict.ratio().getAsDouble()) : Figures.ABSENT;
    }

    static String interval(RunVerdict verdict) {
        return verdict.interval().map(Figures::interval).orElse(Figures.ABSENT);
    }

    private static String figures(RunVerdict verdict) {
        if (verdict.launches() == 0) {
            return "";
        }
        String level = verdict.level().isPresent()
                ? Figures.format("%.1f", 100 * verdict.level().getAsDouble()).replace(".0", "") + " % interval "
                : "";
        return " (" + ratio(verdict) + ", "
                + (verdict.interval().isPresent() ? level + interval(verdict) : "no interval") + ", "
                + verdict.launches() + (verdict.launches() == 1 ? " launch" : " launches") + " against "
                + verdict.baselineLaunches()
                + (verdict.baselineRuns() > 1 ? " of " + verdict.baselineRuns() + " runs" : "") + ")";
    }

    private String found(RunVerdict verdict) {
        String hint = verdict.indicative() ? " (indicative)" : "";
        switch (verdict.finding()) {
            case EQUIVALENT:
                return "equivalent within " + percent(margin) + hint;
            case INCONCLUSIVE:
                // Against no event at all there is no interval to show either, however many launches there are.
                return verdict.interval().isEmpty() && verdict.pValue().isEmpty()
                        ? "one launch in a run decides nothing"
                        : "inconclusive";
            default:
                return verdict.finding().key() + hint;
        }
    }

    /** Says how far the interval knows that days differ. */
    private static String days(RunVerdict verdict) {
        if (verdict.interval().isEmpty() || verdict.count().isPresent()) {
            return "";
        }
        String without = verdict.control()
                .map(control -> "; against " + printable(control) + ", which takes out the day")
                .orElse("");
        if (verdict.dayRuns().isPresent()) {
            return without
                    + Figures.format(
                            "; runs differ by %.1f %% from day to day (%d runs)",
                            100 * verdict.dayDeviation().orElse(0),
                            verdict.dayRuns().getAsLong());
        }
        return without.isEmpty() ? "; the interval does not know how much days differ" : without;
    }

    static String percent(double share) {
        return Figures.threeDigits(100 * share).replaceAll("\\.?0+$", "") + " %";
    }
}
