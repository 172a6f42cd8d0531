package dev.lockstep.analysis;

import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether a target gave more answers than another that take little work: refusals (4xx), which count as successful, and
 * failures (5xx), which whatever is not counted by the successful request has too. By the answers of all launches, for
 * a launch does not keep its statuses.
 */
final class CheapAnswers {
    private static final int CLIENT_ERRORS = 4;
    private static final int SERVER_ERRORS = 5;
    /** So many more of its requests may be answered so, as at full load. */
    private static final double MOST_MORE = 0.01;

    private CheapAnswers() {}

    /** Returns what a target answered that makes it look better than another by a metric, a clause for people. */
    static Optional<String> of(Metric metric, TargetResult better, TargetResult other) {
        if (metric == Metric.ERRORS || metric.question() == Verdict.Question.COLD) {
            return Optional.empty();
        }
        Optional<String> refused = more(CLIENT_ERRORS, better, other);
        boolean ofSuccessful = metric.isPerRequest() || metric == Metric.THROUGHPUT;
        return refused.isEmpty() && !ofSuccessful ? more(SERVER_ERRORS, better, other) : refused;
    }

    private static Optional<String> more(int statusClass, TargetResult better, TargetResult other) {
        double share = share(statusClass, better);
        double others = share(statusClass, other);
        return share > others + MOST_MORE
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "%s answered %.1f %% of its requests with %dxx, %s %.1f %%",
                        better.name(),
                        100 * share,
                        statusClass,
                        other.name(),
                        100 * others))
                : Optional.empty();
    }

    private static double share(int statusClass, TargetResult target) {
        return target.counts()
                .filter(counts -> counts.due() > 0)
                .map(counts -> (double) counts.statusClass(statusClass) / counts.due())
                .orElse(0.0);
    }
}
