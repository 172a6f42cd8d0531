package dev.lockstep.run;

import dev.lockstep.analysis.Conditions;
import dev.lockstep.analysis.Fleet;
import dev.lockstep.capture.Capture;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.CpuList;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.monitor.metrics.MetricsEndpoint;
import dev.lockstep.monitor.metrics.MetricsSource;
import dev.lockstep.replayer.rewriting.Rewrites;
import dev.lockstep.replayer.tls.TargetTls;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.results.WarmupPace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.immutables.value.Value;

/**
 * A run, complete: its plan, and what the plan only names or must not hold, such as the opened capture, environments
 * and keys. Immutable and checked, so that it can be run again and again. The caller keeps the capture open as long as
 * it runs, and closes it.
 */
@Value.Immutable
public abstract class RunConfig {
    private static final Duration DEFAULT_READY_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration DEFAULT_STATUS_WINDOW = Duration.ofMinutes(1);
    private static final Duration DEFAULT_LISTENER_GRACE = Duration.ofSeconds(10);

    /**
     * @param plan as {@link RunPlanner} makes it
     * @param specs the plan's targets, in its order
     * @param cores the split of processors that the plan was made for
     * @param inventory the JVMs to start targets with
     */
    public static Builder builder(
            RunPlan plan, Capture capture, List<TargetSpec> specs, Cores cores, JvmInventory inventory) {
        return new Builder()
                .plan(plan)
                .capture(capture)
                .specs(specs)
                .cores(cores)
                .inventory(inventory);
    }

    public abstract RunPlan plan();

    abstract Capture capture();

    /** Not in texts, since environments may hold what is secret. */
    @Value.Redacted
    abstract List<TargetSpec> specs();

    abstract Cores cores();

    abstract JvmInventory inventory();

    /** The command of targets that have none of their own, with the launcher's placeholders. */
    abstract List<String> targetCommand();

    /** How long a target may take until it answers, 60 s by default. */
    @Value.Default
    Duration readyTimeout() {
        return DEFAULT_READY_TIMEOUT;
    }

    /** How TLS is spoken to the targets that do. */
    abstract Optional<TargetTls> tls();

    /** What is changed in requests. */
    abstract Optional<Rewrites> rewrites();

    /** The headers that the comparison of answers leaves out, beside those that it always does. */
    abstract List<String> ignoredHeaders();

    /**
     * Whether the replayer sends the first requests twice before the measurement, to learn which answers vary; the
     * default. Matters where the plan has answers compared.
     */
    @Value.Default
    boolean learnsNoise() {
        return true;
    }

    /**
     * Whether bodies of answers that differ are written to the run directory, without their secrets; the default.
     * Matters where the plan has answers compared.
     */
    @Value.Default
    boolean keepsBodies() {
        return true;
    }

    /** What the result is checked against; it fails no run. */
    @Value.Default
    Conditions conditions() {
        return Conditions.NONE;
    }

    /** Whose cost the result tells. */
    abstract Optional<Fleet> fleet();

    /**
     * What every interval is handed to as well, with its histograms. They are called on the run's thread, between turns
     * while the targets are frozen: they must be quick and must not fail. Others are {@link RunListener}s.
     */
    abstract List<IntervalSink> watchers();

    /** What makes {@code summary.csv}; without it there is none. */
    abstract Optional<Function<RunResult, String>> summary();

    /** Over which time the rates and percentiles of {@link RunListener#status} are, a minute by default. */
    @Value.Default
    Duration statusWindow() {
        return DEFAULT_STATUS_WINDOW;
    }

    /** How long the run waits for slow listeners once nothing is measured any more, 10 s by default. */
    @Value.Default
    Duration listenerGrace() {
        return DEFAULT_LISTENER_GRACE;
    }

    /** Lockstep's version, which the result tells. */
    @Value.Default
    String version() {
        return "development";
    }

    /** Returns how TLS is spoken to a target, or null where it speaks none. */
    TargetTls tls(TargetSpec target) {
        return target.tls() ? tls().orElse(null) : null;
    }

    /** Returns what asks a server that runs already for its cost; absent where nobody asks it. */
    Optional<ServerMetrics.Endpoint> endpoint(TargetSpec target) {
        return target.metrics()
                .map(source -> ServerMetrics.Endpoint.of(
                        MetricsEndpoint.of(source, tls().map(TargetTls::context).orElse(null))));
    }

    boolean trustsAnybody() {
        return tls().filter(TargetTls::isInsecure).isPresent();
    }

    /** Whether targets are heated, as fast as they answer, before they get the load that will be measured. */
    boolean heats() {
        boolean measuredSoAnyway =
                plan().pace().closedLoop() && plan().pace().think().isZero();
        return plan().warmupPace().filter(WarmupPace.MAX::equals).isPresent()
                && !measuredSoAnyway
                && whyNotHeated().isEmpty();
    }

    /** Whether targets get all the load that they can answer, after they were measured. */
    boolean loadsFully() {
        return plan().fullLoad().isPresent() && whyNotSentFast().isEmpty();
    }

    /** Returns why they do not, though that is planned. */
    Optional<String> whyNotLoadedFully() {
        return plan().fullLoad().flatMap(length -> whyNotSentFast());
    }

    /** Returns why the capture does not let targets be heated, though that is asked for. */
    Optional<String> whyNotHeated() {
        return plan().warmupPace().filter(WarmupPace.MAX::equals).flatMap(pace -> whyNotSentFast());
    }

    private Optional<String> whyNotSentFast() {
        return RunPlanner.load(plan(), capture()).rewrites(rewrites()).build().whyNotHeated();
    }

    boolean alternates() {
        return plan().schedule() == TargetSchedule.ALTERNATE;
    }

    /** Returns the processors of a target, an index of the plan's, in a launch, whose number counts from 1. */
    CpuList cpus(int target, int launch) {
        return !alternates() && cores().canRunTogether() ? cores().together(target, launch - 1) : cores().targets();
    }

    /** Returns what all targets have in common; the processors are chosen launch by launch. */
    LaunchSettings launchSettings(Path logDirectory) {
        LaunchSettings.Builder settings = LaunchSettings.builder()
                .readinessPath("/health")
                .command(targetCommand())
                .readyTimeout(readyTimeout())
                .logDirectory(logDirectory);
        plan().targets().stream()
                .flatMapToLong(target -> target.memoryLimitBytes().stream())
                .findFirst()
                .ifPresent(settings::memoryLimitBytes);
        tls().ifPresent(tls -> settings.tls(tls.context()).tlsNames(!tls.isInsecure()));
        return settings.build();
    }

    @Value.Check
    void check() {
        List<String> names = specs().stream().map(TargetSpec::name).collect(Collectors.toList());
        List<String> planned = plan().targets().stream().map(TargetPlan::name).collect(Collectors.toList());
        if (!names.equals(planned)) {
            throw new IllegalArgumentException("targets: expected those of the plan, " + planned + ", found " + names);
        }
        if (tls().isEmpty() && specs().stream().anyMatch(TargetSpec::tls)) {
            throw new IllegalArgumentException("tls: expected one for the targets that speak TLS, found none");
        }
        if (statusWindow().isNegative() || statusWindow().isZero()) {
            throw new IllegalArgumentException("status window: expected a duration above 0, found " + statusWindow());
        }
        Map<MetricsSource, String> told = new HashMap<>();
        for (TargetSpec spec : specs()) {
            spec.metrics().ifPresent(source -> {
                String other = told.put(source, spec.name());
                if (other != null) {
                    throw new IllegalArgumentException(other + " and " + spec.name() + " have the same metrics, at "
                            + source + ": each would cost what both get; leave the metrics out, and the verdict is on"
                            + " p50");
                }
            });
        }
        RunPlanner.check(plan(), capture(), rewrites().orElse(null));
        WriteGuard guard = new WriteGuard(plan(), capture(), specs());
        if (guard.guards() && !plan().allowWrites()) {
            guard.refusal(RequestCensus.of(capture(), plan().connections().isEmpty()))
                    .ifPresent(refusal -> {
                        throw new IllegalArgumentException(refusal);
                    });
        }
        specs().forEach(inventory()::require);
        // The launcher has rules of its own, which are told before anything starts.
        launchSettings(Path.of(""));
    }

    /** Collects what a run needs; {@link #build()} checks it. */
    public static final class Builder extends ImmutableRunConfig.Builder {
        Builder() {}

        /**
         * @throws IllegalArgumentException naming what does not go together, or what would change something at a server
         *     that is neither on loopback nor started by the run, unless the plan allows it
         * @throws RunException where the capture holds nothing to replay
         * @throws dev.lockstep.launcher.TargetFailedException where this machine lacks a JVM that a target needs
         */
        @Override
        public RunConfig build() {
            return super.build();
        }
    }
}
