package dev.lockstep.analysis;

import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Whether a target gave more answers than another that take little work: refusals (4xx), which count as successful, and
 * failures, which whatever is not counted by the successful request has too. Few of them are enough to lower a high
 * percentile: those that would have been slowest fail at once. By the requests of all launches, for a launch does not
 * keep its statuses.
 */
final class CheapAnswers {
    private static final int CLIENT_ERRORS = 4;
    /** So many of the requests above a percentile hardly move it where they fail at once. */
    private static final double MOST_OF_TAIL = 0.1;

    private static final double ALL = 1;
    /** How many standard deviations of the difference may be chance. */
    private static final int CHANCE = 3;
    /** Shares that differ by less take another digit. */
    private static final double SMALL = 0.001;

    private static final String ANSWERED = "%1$s answered %2$s %% of its requests with 4xx, %3$s %4$s %%";
    private static final String ANSWERED_WITH_ERRORS = ANSWERED.replace("4xx", "5xx");
    private static final String FAILED = "%2$s %% of the requests of %1$s failed, %4$s %% of those of %3$s";

    private CheapAnswers() {}

    /** Returns what a target answered that makes it look better than another by a metric, a clause for people. */
    static Optional<String> of(Metric metric, TargetResult better, TargetResult other) {
        if (metric == Metric.ERRORS || metric.question() == Verdict.Question.COLD) {
            return Optional.empty();
        }
        // A request without an answer counts as slower than all others, so that it lowers no percentile.
        double tail = metric.level()
                .map(level -> MOST_OF_TAIL * (1 - level.percentile() / 100))
                .orElse(ALL);
        Optional<String> refused = more(counts -> counts.statusClass(CLIENT_ERRORS), tail, better, other, ANSWERED);
        boolean ofSuccessful = metric.isPerRequest() || metric == Metric.THROUGHPUT;
        return refused.isPresent() || ofSuccessful
                ? refused
                : more(LoadCounts::serverErrors, tail, better, other, ANSWERED_WITH_ERRORS)
                        .or(() -> more(LoadCounts::failed, ALL, better, other, FAILED));
    }

    /** @param tail how many more of all requests may be answered so at most, beside what chance may do */
    private static Optional<String> more(
            ToLongFunction<LoadCounts> which, double tail, TargetResult better, TargetResult other, String words) {
        double share = share(which, better);
        double others = share(which, other);
        double chance = CHANCE * Math.sqrt(variance(share, better) + variance(others, other));
        String digits = share - others < SMALL ? "%.2f" : "%.1f";
        return share > others + Math.min(LoadSeries.MOST_MORE_REFUSED, tail + chance)
                ? Optional.of(String.format(
                        Locale.ROOT,
                        words,
                        better.name(),
                        String.format(Locale.ROOT, digits, 100 * share),
                        other.name(),
                        String.format(Locale.ROOT, digits, 100 * others)))
                : Optional.empty();
    }

    private static double share(ToLongFunction<LoadCounts> which, TargetResult target) {
        return target.counts()
                .filter(counts -> counts.due() > 0)
                .map(counts -> (double) which.applyAsLong(counts) / counts.due())
                .orElse(0.0);
    }

    /** Returns that of a share of events that each come by themselves; targets may get unequally many requests. */
    private static double variance(double share, TargetResult target) {
        return share == 0 ? 0 : share / target.counts().orElseThrow().due();
    }
}
