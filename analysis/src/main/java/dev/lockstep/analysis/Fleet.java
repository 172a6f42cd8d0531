package dev.lockstep.analysis;

import dev.lockstep.measurement.Rules;
import dev.lockstep.results.FleetCost;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Verdict;
import java.util.ArrayList;
import java.util.List;

/**
 * A fleet of servers that runs the service, and what less CPU is worth there, in US dollars a year. Immutable.
 *
 * <p>The model is that of Twitter's VM team ("Twitter's quest for a wholly Graal runtime", 2017): servers whose number
 * of cores follows the CPU that the service uses, so 11 % less CPU saves 11 % of what the cores cost. It says 127 USD
 * per core-year x 24 cores x 10,000 servers = 3,048,000 USD a year, of which 11 % are 335,280 USD. Their product is
 * 30,480,000 USD, and 11 % of that are 3,352,800 USD: the source has lost a zero, and this class computes the product.
 */
public final class Fleet {
    private final double usdPerCoreYear;
    private final double coresPerServer;
    private final double servers;

    private Fleet(double usdPerCoreYear, double coresPerServer, double servers) {
        this.usdPerCoreYear = usdPerCoreYear;
        this.coresPerServer = coresPerServer;
        this.servers = servers;
    }

    /** @throws IllegalArgumentException unless all three are more than 0 */
    public static Fleet of(double usdPerCoreYear, double coresPerServer, double servers) {
        Rules.positive("price of a core-year", usdPerCoreYear);
        Rules.positive("cores of a server", coresPerServer);
        Rules.positive("number of servers", servers);
        return new Fleet(usdPerCoreYear, coresPerServer, servers);
    }

    /** Returns what all cores of the fleet cost, USD a year. */
    private double usdPerYear() {
        return usdPerCoreYear * coresPerServer * servers;
    }

    /**
     * Returns what the fleet costs with the baseline of a run, and what it saves with each other target: by their CPU
     * without the JIT's, which works for the first hours only, at full load where the run is decided by that; by all of
     * it where the JIT's is not known, or by user CPU where the run is decided by that, as the published ones were.
     */
    public FleetCost worth(RunResult result) {
        String metric = metric(result).key();
        List<FleetCost.Saving> savings = new ArrayList<>();
        // What a target costs while it warms up is not what it costs for a year, and what is not its own is no cost.
        for (Verdict verdict : result.verdicts()) {
            // What a second instance of the baseline seems to save is noise.
            if (verdict.metric().equals(metric)
                    && !result.plan().isSameAsBaseline(verdict.target())
                    && verdict.finding() != Verdict.Finding.NOT_STEADY
                    && verdict.whyNot().isEmpty()
                    && verdict.ratio().orElse(0) > 0) {
                savings.add(saving(verdict));
            }
        }
        return FleetCost.of(metric, usdPerCoreYear, coresPerServer, servers, savings);
    }

    private static Metric metric(RunResult result) {
        if (result.plan().primaryMetric().equals(Metric.USER_CPU_PER_REQUEST.key())) {
            return Metric.USER_CPU_PER_REQUEST;
        }
        boolean fully = result.verdicts().stream()
                .anyMatch(verdict ->
                        verdict.primary() && verdict.metric().equals(Metric.FULL_LOAD_CPU_PER_REQUEST.key()));
        if (fully) {
            return Metric.FULL_LOAD_CPU_PER_REQUEST;
        }
        boolean isJitKnown = result.verdicts().stream()
                .anyMatch(verdict -> verdict.metric().equals(Metric.STEADY_CPU_PER_REQUEST.key())
                        && verdict.ratio().isPresent());
        return isJitKnown ? Metric.STEADY_CPU_PER_REQUEST : Metric.CPU_PER_REQUEST;
    }

    private FleetCost.Saving saving(Verdict verdict) {
        // Not the interval that is wider because other metrics stand beside it: money is one question alone.
        Verdict.Interval ratios = verdict.interval95();
        // The low end of the saving belongs to the ratio's high one.
        return FleetCost.Saving.of(
                verdict.target(),
                saved(verdict.ratio().getAsDouble()),
                ratios == null ? null : Verdict.Interval.of(saved(ratios.high()), saved(ratios.low())));
    }

    private double saved(double ratio) {
        return usdPerYear() * (1 - ratio);
    }
}
