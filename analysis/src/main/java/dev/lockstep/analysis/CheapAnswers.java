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
        Map<String, Part> others =
                other.endpoints().stream().collect(Collectors.toMap(EndpointResult::name, CheapAnswers::failing));
        return better.endpoints().stream()
                .filter(one -> others.containsKey(one.name()))
                .filter(one -> {
                    Part mine = failing(one);
                    Part its = others.get(one.name());
                    return mine.share > its.share + MOST_OF_ENDPOINT + chance(mine, its);
                })
                .findFirst()
                .map(one -> String.format(
                        Locale.ROOT,
                        "%.1f %% of %s failed at %s, %.1f %% at %s",
                        100 * failing(one).share,
                        one.name(),
                        better.name(),
                        100 * others.get(one.name()).share,
                        other.name()));
    }

    private static Part failing(EndpointResult endpoint) {
        return new Part(endpoint.errors(), endpoint.count());
    }

    /** @param tail how many more of all requests may be answered so at most, beside what chance may do */
    private static Optional<String> more(
            ToLongFunction<LoadCounts> which, double tail, TargetResult better, TargetResult other, String words) {
        Part mine = answered(which, better);
        Part its = answered(which, other);
        String digits = mine.share - its.share < SMALL ? "%.2f" : "%.1f";
        return mine.share > its.share + Math.min(LoadSeries.MOST_MORE_REFUSED, tail + chance(mine, its))
                ? Optional.of(String.format(
                        Locale.ROOT,
                        words,
                        better.name(),
                        String.format(Locale.ROOT, digits, 100 * mine.share),
                        other.name(),
                        String.format(Locale.ROOT, digits, 100 * its.share)))
                : Optional.empty();
    }

    private static Part answered(ToLongFunction<LoadCounts> which, TargetResult target) {
        return target.counts()
                .map(counts -> new Part(which.applyAsLong(counts), counts.due()))
                .orElse(Part.NONE);
    }

    /** Returns by how much two shares may differ by chance. */
    private static double chance(Part one, Part other) {
        return CHANCE * Math.sqrt(one.variance + other.variance);
    }

    /** Some of the requests. Immutable. */
    private static final class Part {
        static final Part NONE = new Part(0, 0);

        final double share;
        /** That of a share of events that each come by themselves; targets may get unequally many requests. */
        final double variance;

        Part(long some, long all) {
            share = all == 0 ? 0 : (double) some / all;
            variance = all == 0 ? 0 : share / all;
        }
    }
}
