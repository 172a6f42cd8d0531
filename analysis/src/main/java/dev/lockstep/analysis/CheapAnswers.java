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
        return refused.isPresent() || ofSuccessful
                ? refused
                : more(SERVER_ERRORS, better, other).or(() -> failed(better, other));
    }

    private static Optional<String> failed(TargetResult better, TargetResult other) {
        double share = share(LoadCounts::failed, better);
        double others = share(LoadCounts::failed, other);
        return share > others + MOST_MORE
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "%.1f %% of the requests of %s failed, %.1f %% of those of %s",
                        100 * share,
                        better.name(),
                        100 * others,
                        other.name()))
                : Optional.empty();
    }

    private static Optional<String> more(int statusClass, TargetResult better, TargetResult other) {
        double share = share(counts -> counts.statusClass(statusClass), better);
        double others = share(counts -> counts.statusClass(statusClass), other);
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

    private static double share(ToLongFunction<LoadCounts> which, TargetResult target) {
        return target.counts()
                .filter(counts -> counts.due() > 0)
                .map(counts -> (double) which.applyAsLong(counts) / counts.due())
                .orElse(0.0);
    }
}
