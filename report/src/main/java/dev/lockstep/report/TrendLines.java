package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.analysis.SoakSeries;
import dev.lockstep.results.Drift;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a soak run says of leaks and drifts: the loud lines for the top of the report, and all that was looked at. */
final class TrendLines {
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final double NS_PER_MS = 1e6;

    private static final String THE_TRENDS = ": --output full has the trends";

    private final RunResult result;
    private final List<Drift> drifts;

    TrendLines(RunResult result) {
        this.result = result;
        drifts = result.trends();
    }

    /** Returns a line for each leak and each response time that creeps up. */
    List<String> loud() {
        return drifts.stream()
                .filter(Drift::isRising)
                .map(drift -> (drift.metric().isMemory() ? "LEAK: " : "DRIFT: ") + drift.target() + ": "
                        + name(drift) + " rises by " + slope(drift) + " an hour (95 % interval "
                        + interval(drift) + ")")
                .collect(Collectors.toList());
    }

    /** Returns a line for each heap that rises and may do so without a leak. */
    List<String> uncollected() {
        return drifts.stream()
                .filter(Drift::isUncollected)
                .map(drift -> drift.target() + ": " + name(drift) + " rises by " + slope(drift) + " an hour and was "
                        + Drift.UNCOLLECTED)
                .collect(Collectors.toList());
    }

    /**
     * Returns that nothing leaks and nothing drifts, as far as that is known; absent where that is not so, or nothing
     * is known of the memory of some target: who died early has no trend.
     */
    Optional<String> clean() {
        List<String> unwatched = unwatched();
        boolean known = result.targets().stream()
                .allMatch(target -> unwatched.contains(target.name()) || has(target.name(), true));
        if (!known || !loud().isEmpty() || !uncollected().isEmpty()) {
            return Optional.empty();
        }
        boolean isNoneWatched = unwatched.size() == result.targets().size();
        String found;
        if (isP99Known()) {
            found = isNoneWatched ? "No drift was found" : "No leak and no drift was found";
        } else {
            found = isNoneWatched
                    ? "Whether the p99 drifts is not known"
                    : "No leak was found; whether the p99 drifts is not known";
        }
        String memory = unwatched.isEmpty()
                ? ""
                : "; memory" + (isNoneWatched ? "" : " of " + printable(String.join(", ", unwatched)))
                        + " not watched, " + (unwatched.size() == 1 ? "it runs already" : "they run already");
        return Optional.of(found + memory + THE_TRENDS);
    }

    /**
     * Whether the p99 of each target is its own, and that of all of its requests; one that requests without an answer
     * reach all the time has no trend.
     */
    boolean isP99Known() {
        return result.targets().stream().allMatch(target -> has(target.name(), false))
                && drifts.stream().noneMatch(drift -> drift.whyNot()
                        .filter(why -> why.startsWith(SoakSeries.NOT_KNOWN))
                        .isPresent());
    }

    /** Returns the targets whose memory nobody can see, since they run already. */
    List<String> unwatched() {
        return result.plan().targets().stream()
                .filter(target -> target.address().isPresent())
                .map(TargetPlan::name)
                .filter(target -> has(target, false) && !has(target, true))
                .collect(Collectors.toList());
    }

    private boolean has(String target, boolean memory) {
        return drifts.stream()
                .anyMatch(
                        drift -> drift.target().equals(target) && drift.metric().isMemory() == memory);
    }

    /** Returns a line for each quantity that was looked at; none where none was. */
    List<String> all() {
        List<String> lines = new ArrayList<>();
        if (!drifts.isEmpty()) {
            lines.add("Trends over the measured time, an hour, with their 95 % intervals:");
        }
        for (Drift drift : drifts) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  %s: %s %s (%s, p %.2g): %s",
                    drift.target(),
                    name(drift),
                    slope(drift),
                    interval(drift),
                    drift.pValue(),
                    finding(drift)));
        }
        unwatched().forEach(target -> lines.add("  " + target + ": memory not watched: it runs already"));
        return lines;
    }

    private static String finding(Drift drift) {
        if (drift.found()) {
            return drift.slopePerHour() > 0 ? "RISES" : "falls";
        }
        return drift.whyNot().map(Figures::printable).orElse("no trend");
    }

    private static String name(Drift drift) {
        switch (drift.metric()) {
            case RSS:
                return "resident memory";
            case OLD_GEN_USED:
                return "old generation";
            case HEAP_USED:
                return "heap";
            default:
                return "p99";
        }
    }

    private static String slope(Drift drift) {
        return number(drift, drift.slopePerHour()) + (drift.metric().isMemory() ? " MiB" : " ms");
    }

    /** Returns the interval of the slope in its unit. */
    private static String interval(Drift drift) {
        return number(drift, drift.low()) + " to " + number(drift, drift.high());
    }

    private static String number(Drift drift, double perHour) {
        return drift.metric().isMemory()
                ? Figures.format("%+.2f", perHour / BYTES_PER_MIB)
                : Figures.format("%+.3f", perHour / NS_PER_MS);
    }
}
