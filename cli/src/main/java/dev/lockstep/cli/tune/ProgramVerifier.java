package dev.lockstep.cli.tune;

import dev.lockstep.analysis.ConfidenceInterval;
import dev.lockstep.analysis.LaunchMean;
import dev.lockstep.results.Verdict;
import dev.lockstep.search.Best;
import dev.lockstep.search.FreshPairs;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.Verification;
import dev.lockstep.tuner.Direction;
import dev.lockstep.tuner.Observation;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.DoublePredicate;
import java.util.stream.Collectors;

/** Says what fresh evaluations by a program tell of a search's best configuration, beside the default. */
final class ProgramVerifier {
    private static final double LARGEST = 1e100;

    private ProgramVerifier() {}

    static Verification judge(SearchPlan plan, Best best, FreshPairs pairs) {
        List<double[]> both = new ArrayList<>();
        for (int i = 0; i < pairs.best().size(); i++) {
            Observation one = pairs.best().get(i);
            Observation other = pairs.usual().get(i);
            if (one.value().isPresent() && other.value().isPresent()) {
                both.add(new double[] {one.value().getAsDouble(), other.value().getAsDouble()});
            }
        }
        List<String> violated = constraints(plan, pairs, mean -> mean > 0);
        List<String> unknown = constraints(plan, pairs, Double::isNaN);
        Verification.Builder found = Verification.builder(SearchPlan.print(best.configuration()))
                .parameters(best.configuration())
                .pairs(both.size())
                .violated(violated);
        String broken = failed(pairs.best(), "the best")
                + failed(pairs.usual(), "the default")
                + Verifier.violates(violated, unknown);
        if (both.size() < 2) {
            return found.holds(false)
                    .finding(Verdict.Finding.INCONCLUSIVE.key())
                    .sentence("NOT CONFIRMED: afresh, " + both.size() + " of "
                            + pairs.best().size() + " pairs with the default have both values" + broken)
                    .build();
        }
        double unit = unit(both);
        LaunchMean difference = LaunchMean.arithmetic(
                both.stream()
                        .mapToDouble(pair -> pair[0] / unit - pair[1] / unit)
                        .toArray(),
                plan.noisy() ? roundingDeviation(both) / unit : 0);
        ConfidenceInterval interval = difference.interval().orElseThrow();
        Verdict.Finding finding = finding(interval, plan.space().direction());
        boolean holds = finding == Verdict.Finding.BETTER
                && violated.isEmpty()
                && unknown.isEmpty()
                && pairs.best().stream().noneMatch(one -> one.failed().isPresent());
        return found.holds(holds)
                .finding(finding.key())
                .difference(times(difference.mean(), unit))
                .low(times(interval.low(), unit))
                .high(times(interval.high(), unit))
                .sentence((holds ? "VERIFIED: " : "NOT CONFIRMED: ") + "afresh, the best gives " + mean(both, 0)
                        + " and the default " + mean(both, 1) + ", a difference of "
                        + print(times(difference.mean(), unit))
                        + " (95 % interval " + print(times(interval.low(), unit)) + " to "
                        + print(times(interval.high(), unit)) + ", "
                        + both.size() + " pairs): " + finding.key()
                        + best.predicted().stream()
                                .mapToObj(expected -> "; the search expected " + print(expected))
                                .collect(Collectors.joining())
                        + broken)
                .build();
    }

    /**
     * Returns by how much the difference of two values deviates at least that were rounded to as many digits as the
     * longest of these has: whole milliseconds agree by chance, told in microseconds, too. That of a uniform
     * distribution, of both.
     */
    private static double roundingDeviation(List<double[]> pairs) {
        int digits = pairs.stream()
                .flatMapToDouble(Arrays::stream)
                .mapToInt(
                        value -> BigDecimal.valueOf(value).stripTrailingZeros().scale())
                .max()
                .orElse(0);
        return Math.pow(10, -digits) / Math.sqrt(6);
    }

    private static Verdict.Finding finding(ConfidenceInterval interval, Direction direction) {
        if (interval.low() == 0 && interval.high() == 0) {
            return Verdict.Finding.EQUIVALENT;
        }
        if (interval.contains(0)) {
            return Verdict.Finding.INCONCLUSIVE;
        }
        return interval.high() < 0 == (direction == Direction.MINIMIZE)
                ? Verdict.Finding.BETTER
                : Verdict.Finding.WORSE;
    }

    /** Returns the constraints of whose mean at the best this is true. */
    private static List<String> constraints(SearchPlan plan, FreshPairs pairs, DoublePredicate isSo) {
        return plan.space().constraints().stream()
                .filter(name -> isSo.test(mean(pairs.best(), name)))
                .collect(Collectors.toList());
    }

    /** Returns the mean of a constraint where it was measured; not a number where it never was. */
    private static double mean(List<Observation> observations, String constraint) {
        return observations.stream()
                .flatMap(one -> Optional.ofNullable(one.constraints().get(constraint)).stream())
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(Double.NaN);
    }

    private static String mean(List<double[]> pairs, int which) {
        double unit = unit(pairs);
        return print(times(
                pairs.stream().mapToDouble(pair -> pair[which] / unit).average().orElse(0), unit));
    }

    /** Returns what to divide values by, so that squares of 1e300 are finite and of 1e-300 not 0; usually 1. */
    private static double unit(List<double[]> pairs) {
        double largest = pairs.stream()
                .mapToDouble(pair -> Math.max(Math.abs(pair[0]), Math.abs(pair[1])))
                .max()
                .orElse(0);
        return largest > 0 && largest < 1 / LARGEST ? largest : Math.max(1, largest / LARGEST);
    }

    private static double times(double value, double unit) {
        return Math.max(-Double.MAX_VALUE, Math.min(Double.MAX_VALUE, value * unit));
    }

    /** Returns how often evaluations failed, as a clause; empty where none did. */
    private static String failed(List<Observation> observations, String what) {
        List<String> reasons =
                observations.stream().flatMap(one -> one.failed().stream()).collect(Collectors.toList());
        return reasons.isEmpty()
                ? ""
                : "; " + what + " failed in " + reasons.size() + " of " + observations.size() + ": " + reasons.get(0);
    }

    private static String print(double value) {
        return Scale.PLAIN.print(value);
    }
}
