package dev.lockstep.run;

import dev.lockstep.analysis.SoakSeries;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.results.Drift;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * Watches a soak run while it goes on, and sums up in a line what each target does and whether anything leaks. Used by
 * the run's thread. Its memory does not grow with the run.
 */
final class SoakWatch implements IntervalSink {
    private static final long TREND_EVERY_MS = 60_000;
    /** A target without load for this long has died, or waits for its turn. */
    private static final long IDLE_NS = 60_000_000_000L;

    private static final double BYTES_PER_MIB = 1 << 20;
    private static final double NS_PER_MS = 1e6;

    /** One target: the figures of the last whole window, and those of the one that runs. */
    private static final class Watched {
        final Soaked soaked;
        /** This and the next four: of the window that runs. */
        final Histogram times = LatencyRecorder.newHistogram();

        long loadNs;
        long successful;
        long completed;
        long errors;
        /** When its last interval ended, from the start of the measured phase. */
        long lastEndNs;

        OptionalLong rssBytes = OptionalLong.empty();
        /** Its part of the line, about the last whole window; before the first is whole, about that. */
        String shown;

        List<Drift> drifts = List.of();

        Watched(String target) {
            soaked = new Soaked(target);
        }

        /** Looks for trends, but for that of a p99 of which nobody can tell. */
        void look() {
            boolean isP99Known = soaked.whyNoP99().isEmpty();
            drifts = soaked.drifts().stream()
                    .filter(drift -> isP99Known || drift.metric().isMemory())
                    .collect(Collectors.toList());
        }

        boolean hasMemoryTrend() {
            return drifts.stream().anyMatch(drift -> drift.metric().isMemory());
        }

        /** Whether it is known that it leaks or does not. */
        boolean isKnown() {
            return hasMemoryTrend() && drifts.stream().noneMatch(Drift::isUncollected);
        }
    }

    private final long windowNs;
    private final long totalNs;
    /** Targets whose memory nobody can see, by name. */
    private final Set<String> running;

    private final Consumer<List<Drift>> trends;
    private final Map<String, Watched> targets = new LinkedHashMap<>();
    private long elapsedNs;
    private long failed;
    private long trendsAtMs;

    /**
     * @param totalNs how long all of it will take
     * @param windowNs over which time rates and percentiles of the line are taken
     * @param running the names of targets that ran before
     * @param trends gets those of all targets, once a minute
     */
    SoakWatch(long totalNs, long windowNs, Set<String> running, Consumer<List<Drift>> trends) {
        this.totalNs = totalNs;
        this.windowNs = windowNs;
        this.running = running;
        this.trends = trends;
    }

    /** Returns the watch of a run's measured phase. */
    static SoakWatch of(RunPlan plan, Duration window, Consumer<List<Drift>> trends) {
        int turns = plan.schedule() == TargetSchedule.ALTERNATE ? plan.targets().size() : 1;
        Set<String> running = plan.targets().stream()
                .filter(target -> target.address().isPresent())
                .map(TargetPlan::name)
                .collect(Collectors.toSet());
        return new SoakWatch(turns * plan.duration().orElseThrow().toNanos(), window.toNanos(), running, trends);
    }

    @Override
    public void interval(String target, Interval interval) {
        if (!interval.isMeasured()) {
            return;
        }
        Watched watched = targets.computeIfAbsent(target, Watched::new);
        long lengthNs = interval.endNs - interval.startNs;
        OptionalLong rssBytes = interval.costs.get(Cost.RSS);
        Histogram times = interval.responseTime();
        watched.soaked.add(
                lengthNs,
                interval.costs,
                interval.counts().completed,
                interval.counts().errors(),
                times.getTotalCount() == 0 ? OptionalLong.empty() : OptionalLong.of(times.getValueAtPercentile(99)));
        elapsedNs = Math.max(elapsedNs, interval.endNs);
        failed += interval.counts().failed();
        watched.lastEndNs = interval.endNs;
        watched.rssBytes = rssBytes;
        watched.loadNs += lengthNs;
        watched.successful += interval.counts().successful();
        watched.completed += interval.counts().completed;
        watched.errors += interval.counts().errors();
        watched.times.add(times);
        if (watched.loadNs >= windowNs || watched.shown == null) {
            watched.shown = show(target, watched);
        }
        if (watched.loadNs >= windowNs) {
            watched.loadNs = 0;
            watched.successful = 0;
            watched.completed = 0;
            watched.errors = 0;
            watched.times.reset();
        }
        lookForTrends(interval.endMs);
    }

    private static String show(String target, Watched watched) {
        StringBuilder text = new StringBuilder(target);
        text.append(String.format(
                Locale.ROOT, " %.0f/s", watched.loadNs == 0 ? 0 : watched.successful * 1e9 / watched.loadNs));
        if (watched.times.getTotalCount() > 0) {
            text.append(
                    SoakSeries.isWithoutP99(watched.completed, watched.errors)
                            ? " p99 -"
                            : String.format(
                                    Locale.ROOT, " p99 %.2f ms", watched.times.getValueAtPercentile(99) / NS_PER_MS));
        }
        watched.rssBytes.ifPresent(bytes -> text.append(' ').append(Quantities.mebibytes(bytes)));
        return text.toString();
    }

    private void lookForTrends(long nowMs) {
        if (trendsAtMs == 0) {
            trendsAtMs = nowMs;
        } else if (nowMs - trendsAtMs >= TREND_EVERY_MS) {
            trendsAtMs = nowMs;
            List<Drift> all = new ArrayList<>();
            for (Watched watched : targets.values()) {
                watched.look();
                all.addAll(watched.drifts);
            }
            trends.accept(all);
        }
    }

    /** Returns how the run stands, or null before anything was measured. */
    String line() {
        if (targets.isEmpty()) {
            return null;
        }
        StringBuilder text = new StringBuilder(Quantities.duration(elapsedNs))
                .append(" of ")
                .append(Quantities.duration(totalNs))
                .append(": ");
        List<String> leaks = new ArrayList<>();
        List<String> shown = new ArrayList<>();
        for (Watched watched : targets.values()) {
            long idleNs = elapsedNs - watched.lastEndNs;
            shown.add(watched.shown + (idleNs > IDLE_NS ? " (no load for " + Quantities.duration(idleNs) + ")" : ""));
            watched.drifts.stream().filter(Drift::isRising).forEach(drift -> leaks.add(describe(drift)));
        }
        // First what a narrow terminal must not cut off.
        text.append(Quantities.count(failed, "error")).append("; ");
        text.append(leaks.isEmpty() ? withoutLeaks() : "FOUND " + String.join(", ", leaks));
        return text.append("; ").append(String.join("; ", shown)).toString();
    }

    /** Says what is known where nothing was found. */
    private String withoutLeaks() {
        List<String> unwatched = new ArrayList<>();
        boolean known = true;
        for (Map.Entry<String, Watched> target : targets.entrySet()) {
            if (running.contains(target.getKey()) && !target.getValue().hasMemoryTrend()) {
                unwatched.add(target.getKey());
            } else {
                known &= target.getValue().isKnown();
            }
        }
        String why = unwatched.size() == 1 ? "it runs already" : "they run already";
        if (unwatched.size() == targets.size()) {
            return "memory not watched: " + why;
        }
        return (known ? "no leak found" : "too early to tell of leaks")
                + (unwatched.isEmpty() ? "" : "; memory of " + String.join(", ", unwatched) + " not watched: " + why);
    }

    private static String describe(Drift drift) {
        String name = drift.target() + " " + name(drift.metric());
        return name
                + (drift.metric().isMemory()
                        ? String.format(Locale.ROOT, " +%.1f MiB/h", drift.slopePerHour() / BYTES_PER_MIB)
                        : String.format(Locale.ROOT, " +%.2f ms/h", drift.slopePerHour() / NS_PER_MS));
    }

    private static String name(Drift.Metric metric) {
        switch (metric) {
            case RSS:
                return "RSS";
            case OLD_GEN_USED:
                return "old generation";
            case HEAP_USED:
                return "heap";
            default:
                return "p99";
        }
    }
}
