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
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What any registry of Micrometer's publishes of a run: what it is, and counters and gauges of its targets.
 * Thread-safe, but for {@link #ready}, which one thread calls.
 */
final class RunMetrics {
    /** Who was not measured for so long, because it died or awaits its turn, has no levels. */
    private static final long SILENT_NS = TimeUnit.SECONDS.toNanos(60);

    private final MeterRegistry registry;
    private final boolean quantiles;
    private final Map<String, TargetPlan> plans = new HashMap<>();
    private final Map<String, Meter> infos = new HashMap<>();
    private final Map<String, TargetMetrics> targets = new HashMap<>();
    private final LongSupplier clockNs;
    /** When each target's last interval came. */
    private final Map<String, Long> lastNs = new HashMap<>();

    /**
     * @param version Lockstep's own
     * @param quantiles whether response times are published as quantiles, where the registry has no histograms of ours
     * @param clockNs monotonic
     */
    RunMetrics(
            MeterRegistry registry,
            RunPlan plan,
            String version,
            long startMs,
            boolean quantiles,
            LongSupplier clockNs) {
        this.registry = registry;
        this.quantiles = quantiles;
        this.clockNs = clockNs;
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
    synchronized void interval(String target, Interval interval) {
        targets.computeIfAbsent(target, name -> new TargetMetrics(registry, name, quantiles))
                .add(interval);
        lastNs.put(target, clockNs.getAsLong());
    }

    /** Takes back the levels of targets that are not measured any more, for somebody is about to look. */
    synchronized void withdrawSilent() {
        long nowNs = clockNs.getAsLong();
        lastNs.forEach((name, ns) -> {
            if (nowNs - ns > SILENT_NS) {
                targets.get(name).withdraw();
            }
        });
    }
}
