package dev.lockstep.analysis;

import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Whether a target gave more answers than another that take little work: refusals (4xx), which count as successful, and
 * failures, which whatever is not counted by the successful request has too. By the requests of all launches, for a
 * launch does not keep its statuses.
 */
final class CheapAnswers {
    private static final int CLIENT_ERRORS = 4;
    private static final String ANSWERED = "%1$s answered %2$.1f %% of its requests with 4xx, %3$s %4$.1f %%";
    private static final String ANSWERED_WITH_ERRORS = ANSWERED.replace("4xx", "5xx");
    private static final String FAILED = "%2$.1f %% of the requests of %1$s failed, %4$.1f %% of those of %3$s";

    private CheapAnswers() {}

    /** Returns what a target answered that makes it look better than another by a metric, a clause for people. */
    static Optional<String> of(Metric metric, TargetResult better, TargetResult other) {
        if (metric == Metric.ERRORS || metric.question() == Verdict.Question.COLD) {
            return Optional.empty();
        }
        Optional<String> refused = more(counts -> counts.statusClass(CLIENT_ERRORS), better, other, ANSWERED);
        boolean ofSuccessful = metric.isPerRequest() || metric == Metric.THROUGHPUT;
        return refused.isPresent() || ofSuccessful
                ? refused
                : more(LoadCounts::serverErrors, better, other, ANSWERED_WITH_ERRORS)
                        .or(() -> more(LoadCounts::failed, better, other, FAILED));
    }

    private static Optional<String> more(
            ToLongFunction<LoadCounts> which, TargetResult better, TargetResult other, String words) {
        double share = share(which, better);
        double others = share(which, other);
        return share > others + LoadSeries.MOST_MORE_REFUSED
                ? Optional.of(String.format(Locale.ROOT, words, better.name(), 100 * share, other.name(), 100 * others))
                : Optional.empty();
    }

    private static double share(ToLongFunction<LoadCounts> which, TargetResult target) {
        return target.counts()
                .filter(counts -> counts.due() > 0)
                .map(counts -> (double) which.applyAsLong(counts) / counts.due())
                .orElse(0.0);
    }
}
