package dev.lockstep.exporter;

import dev.lockstep.measurement.Interval;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** What any registry of Micrometer's publishes of a run: what it is, and counters and gauges of its targets. */
final class RunMetrics {
    /** Who was not measured for so long, because it died or awaits its turn, has no levels. */
    private static final long SILENT_MS = 60_000;

    private final MeterRegistry registry;
    private final boolean quantiles;
    private final Map<String, TargetPlan> plans = new HashMap<>();
    private final Map<String, Meter> infos = new HashMap<>();
    private final Map<String, TargetMetrics> targets = new HashMap<>();
    private final Map<String, Long> lastEndMs = new HashMap<>();

    /**
     * @param version Lockstep's own
     * @param quantiles whether response times are published as quantiles, where the registry has no histograms of ours
     */
    RunMetrics(MeterRegistry registry, RunPlan plan, String version, long startMs, boolean quantiles) {
        this.registry = registry;
        this.quantiles = quantiles;
        Gauge.builder("lockstep.run.info", () -> 1)
                .description("What is run: always 1.")
                .tags(Tags.of("version", version, "capture", plan.capture().path())
                        .and(
                                "pace",
                                plan.pace().toString(),
                                "schedule",
                                plan.schedule().key())
                        .and("baseline", plan.baseline()))
                .register(registry);
        Gauge.builder("lockstep.run.start.time", () -> startMs / 1e3)
                .description("When the run began, Unix time.")
                .baseUnit("seconds")
                .register(registry);
        plan.duration().map(Duration::toMillis).ifPresent(plannedMs -> Gauge.builder(
                        "lockstep.run.planned.measurement", () -> plannedMs / 1e3)
                .description("How long each target is to be measured.")
                .baseUnit("seconds")
                .register(registry));
        for (TargetPlan target : plan.targets()) {
            plans.put(target.name(), target);
            target.address().ifPresent(address -> ready(target.name(), address));
            target.memoryLimitBytes().ifPresent(limit -> Gauge.builder("lockstep.target.memory.limit", () -> limit)
                    .description("Memory that the target may use.")
                    .baseUnit("bytes")
                    .tags(Tags.of("target", target.name()))
                    .register(registry));
        }
    }

    /** As {@link Exporter#ready}. */
    void ready(String target, String address) {
        Meter known = infos.get(target);
        if (known != null) {
            if (address.equals(known.getId().getTag("address"))) {
                return;
            }
            registry.remove(known);
        }
        infos.put(
                target,
                Gauge.builder("lockstep.target.info", () -> 1)
                        .description("What a target is: always 1.")
                        .tags(Tags.of(
                                "target",
                                target,
                                "profile",
                                plans.get(target).profile().orElse(""),
                                "address",
                                address))
                        .register(registry));
    }

    /** Takes an interval that has ended. */
    void interval(String target, Interval interval) {
        targets.computeIfAbsent(target, name -> new TargetMetrics(registry, name, quantiles))
                .add(interval);
        lastEndMs.put(target, interval.endMs);
        lastEndMs.forEach((name, endMs) -> {
            if (interval.endMs - endMs > SILENT_MS) {
                targets.get(name).withdraw();
            }
        });
    }
}
