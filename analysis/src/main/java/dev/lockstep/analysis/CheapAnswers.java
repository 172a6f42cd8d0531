package dev.lockstep.analysis;

import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.results.EndpointResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Whether a target gave more answers than another that take little work: redirects (3xx) and refusals (4xx), which
 * count as successful, and failures. These have no part in what a successful request costs; but where the dear requests
 * are those that fail, the others are cheap. Few are enough to lower a high percentile: those that would have been
 * slowest fail at once. By the requests of all launches, for a launch does not keep its statuses.
 */
final class CheapAnswers {
    private static final int REDIRECTS = 3;
    private static final int CLIENT_ERRORS = 4;
    /** So many of the requests above a percentile hardly move it where they fail at once. */
    private static final double MOST_OF_TAIL = 0.1;

    private static final double ALL = 1;
    /** How many standard deviations of the difference may be chance. */
    private static final int CHANCE = 3;
    /** Of an endpoint, whose requests may be dearer than all others together, so much more may fail. */
    private static final double MOST_OF_ENDPOINT = 0.1;

    /** Shares that differ by less take another digit. */
    private static final double SMALL = 0.001;

    private static final String ANSWERED = "%1$s answered %2$s %% of its requests with 4xx, %3$s %4$s %%";
    private static final String REDIRECTED = ANSWERED.replace("4xx", "3xx");
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
        boolean ofWork = metric.isPerRequest() || metric == Metric.THROUGHPUT;
        return more(counts -> counts.statusClass(CLIENT_ERRORS), tail, better, other, ANSWERED)
                .or(() -> more(counts -> counts.statusClass(REDIRECTS), tail, better, other, REDIRECTED))
                .or(() -> more(LoadCounts::serverErrors, tail, better, other, ANSWERED_WITH_ERRORS))
                .or(() -> more(LoadCounts::failed, ALL, better, other, FAILED))
                .or(() -> ofWork ? ofEndpoint(better, other) : Optional.empty());
    }

    private static Optional<String> ofEndpoint(TargetResult better, TargetResult other) {
        Map<String, EndpointResult> others =
                other.endpoints().stream().collect(Collectors.toMap(EndpointResult::name, one -> one));
        return better.endpoints().stream()
                .filter(mine -> others.containsKey(mine.name()))
                .filter(mine -> {
                    EndpointResult its = others.get(mine.name());
                    double chance = CHANCE * Math.sqrt(variance(mine) + variance(its));
                    return share(mine) > share(its) + MOST_OF_ENDPOINT + chance;
                })
                .findFirst()
                .map(mine -> String.format(
                        Locale.ROOT,
                        "%.1f %% of %s failed at %s, %.1f %% at %s",
                        100 * share(mine),
                        mine.name(),
                        better.name(),
                        100 * share(others.get(mine.name())),
                        other.name()));
    }

    private static double share(EndpointResult endpoint) {
        return endpoint.count() == 0 ? 0 : (double) endpoint.errors() / endpoint.count();
    }

    private static double variance(EndpointResult endpoint) {
        return endpoint.count() == 0 ? 0 : share(endpoint) / endpoint.count();
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
