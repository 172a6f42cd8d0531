package dev.lockstep.run;

import dev.lockstep.analysis.Conditions;
import dev.lockstep.analysis.Fleet;
import dev.lockstep.capture.Capture;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.replayer.rewriting.Rewrites;
import dev.lockstep.replayer.tls.TargetTls;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.results.WarmupPace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A run, complete: its plan, and what the plan only names or must not hold, such as the opened capture, environments
 * and keys. Immutable and checked, so that it can be run again and again. The caller keeps the capture open as long as
 * it runs, and closes it.
 */
public final class RunConfig {
    private static final Duration DEFAULT_READY_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration DEFAULT_STATUS_WINDOW = Duration.ofMinutes(1);
    private static final Duration DEFAULT_LISTENER_GRACE = Duration.ofSeconds(10);

    private final RunPlan plan;
    private final Capture capture;
    private final List<TargetSpec> specs;
    private final Cores cores;
    private final JvmInventory inventory;
    private final List<String> targetCommand;
    private final Duration readyTimeout;
    private final TargetTls tls;
    private final Rewrites rewrites;
    private final List<String> ignoredHeaders;
    private final boolean learnsNoise;
    private final Conditions conditions;
    private final Fleet fleet;
    private final List<IntervalSink> watchers;
    private final Function<RunResult, String> summary;
    private final Duration statusWindow;
    private final Duration listenerGrace;
    private final String version;

    private RunConfig(Builder builder) {
        plan = builder.plan;
        capture = builder.capture;
        specs = builder.specs;
        cores = builder.cores;
        inventory = builder.inventory;
        targetCommand = builder.targetCommand;
        readyTimeout = builder.readyTimeout;
        tls = builder.tls;
        rewrites = builder.rewrites;
        ignoredHeaders = builder.ignoredHeaders;
        learnsNoise = builder.learnsNoise;
        conditions = builder.conditions;
        fleet = builder.fleet;
        watchers = List.copyOf(builder.watchers);
        summary = builder.summary;
        statusWindow = builder.statusWindow;
        listenerGrace = builder.listenerGrace;
        version = builder.version;
    }

    /**
     * @param plan as {@link RunPlanner} makes it
     * @param specs the plan's targets, in its order
     * @param cores the split of processors that the plan was made for
     * @param inventory the JVMs to start targets with
     */
    public static Builder builder(
            RunPlan plan, Capture capture, List<TargetSpec> specs, Cores cores, JvmInventory inventory) {
        return new Builder(plan, capture, specs, cores, inventory);
    }

    public RunPlan plan() {
        return plan;
    }

    Capture capture() {
        return capture;
    }

    List<TargetSpec> specs() {
        return specs;
    }

    Cores cores() {
        return cores;
    }

    JvmInventory inventory() {
        return inventory;
    }

    /** Returns how TLS is spoken to a target, or null where it speaks none. */
    TargetTls tls(TargetSpec target) {
        return target.tls() ? tls : null;
    }

    boolean trustsAnybody() {
        return tls != null && tls.isInsecure();
    }

    /** Returns what is changed in requests, or null. */
    Rewrites rewrites() {
        return rewrites;
    }

    /** Returns the headers that the comparison of answers leaves out, beside those that it always does. */
    List<String> ignoredHeaders() {
        return ignoredHeaders;
    }

    /** Whether the replayer learns, before the measurement, which answers vary. */
    boolean learnsNoise() {
        return learnsNoise;
    }

    Conditions conditions() {
        return conditions;
    }

    Optional<Fleet> fleet() {
        return Optional.ofNullable(fleet);
    }

    List<IntervalSink> watchers() {
        return watchers;
    }

    Optional<Function<RunResult, String>> summary() {
        return Optional.ofNullable(summary);
    }

    Duration statusWindow() {
        return statusWindow;
    }

    Duration listenerGrace() {
        return listenerGrace;
    }

    String version() {
        return version;
    }

    /** Whether targets are heated, as fast as they answer, before they get the load that will be measured. */
    boolean heats() {
        boolean measuredSoAnyway =
                plan.pace().closedLoop() && plan.pace().think().isZero();
        return plan.warmupPace().filter(WarmupPace.MAX::equals).isPresent()
                && !measuredSoAnyway
                && whyNotHeated().isEmpty();
    }

    /** Returns why the capture does not let targets be heated, though that is asked for. */
    Optional<String> whyNotHeated() {
        return plan.warmupPace().filter(WarmupPace.MAX::equals).flatMap(pace -> RunPlanner.load(plan, capture)
                .rewrites(rewrites())
                .build()
                .whyNotHeated());
    }

    boolean alternates() {
        return plan.schedule() == TargetSchedule.ALTERNATE;
    }

    Duration readyTimeout() {
        return readyTimeout;
    }

    /** Returns what all targets have in common; the processors are chosen launch by launch. */
    LaunchSettings launchSettings(Path logDirectory) {
        LaunchSettings.Builder settings = LaunchSettings.builder()
                .readinessPath("/health")
                .command(targetCommand)
                .readyTimeout(readyTimeout)
                .logDirectory(logDirectory);
        plan.targets().stream()
                .map(TargetPlan::memoryLimitBytes)
                .filter(OptionalLong::isPresent)
                .findFirst()
                .ifPresent(limit -> settings.memoryLimitBytes(limit.getAsLong()));
        if (tls != null) {
            settings.tls(tls.context()).tlsNames(!tls.isInsecure());
        }
        return settings.build();
    }

    /** Collects what a run needs; {@link #build()} checks it. */
    public static final class Builder {
        private final RunPlan plan;
        private final Capture capture;
        private final List<TargetSpec> specs;
        private final Cores cores;
        private final JvmInventory inventory;
        private List<String> targetCommand = List.of();
        private Duration readyTimeout = DEFAULT_READY_TIMEOUT;
        private TargetTls tls;
        private Rewrites rewrites;
        private List<String> ignoredHeaders = List.of();
        private boolean learnsNoise = true;
        private Conditions conditions = Conditions.NONE;
        private Fleet fleet;
        private final List<IntervalSink> watchers = new ArrayList<>();
        private Function<RunResult, String> summary;
        private Duration statusWindow = DEFAULT_STATUS_WINDOW;
        private Duration listenerGrace = DEFAULT_LISTENER_GRACE;
        private String version = "development";

        private Builder(RunPlan plan, Capture capture, List<TargetSpec> specs, Cores cores, JvmInventory inventory) {
            this.plan = plan;
            this.capture = capture;
            this.specs = List.copyOf(specs);
            this.cores = cores;
            this.inventory = inventory;
        }

        /** Sets the command of targets that have none of their own, with the launcher's placeholders. */
        public Builder targetCommand(List<String> command) {
            targetCommand = List.copyOf(command);
            return this;
        }

        /** Sets how long a target may take until it answers, 60 s by default. */
        public Builder readyTimeout(Duration timeout) {
            readyTimeout = timeout;
            return this;
        }

        /** @param tls how TLS is spoken to the targets that do, or null where none does */
        public Builder tls(TargetTls tls) {
            this.tls = tls;
            return this;
        }

        /** @param rewrites what is changed in requests, or null for nothing */
        public Builder rewrites(Rewrites rewrites) {
            this.rewrites = rewrites;
            return this;
        }

        /**
         * Sets how answers are compared, where the plan has them compared.
         *
         * @param ignored headers to leave out, beside those that never matter
         * @param learn whether the first requests are sent twice beforehand, to learn which answers vary; the default
         */
        public Builder comparison(List<String> ignored, boolean learn) {
            ignoredHeaders = List.copyOf(ignored);
            learnsNoise = learn;
            return this;
        }

        /** Sets the conditions that the result is checked against; they fail no run. */
        public Builder conditions(Conditions conditions) {
            this.conditions = conditions;
            return this;
        }

        /** @param fleet whose cost the result tells, or null */
        public Builder fleet(Fleet fleet) {
            this.fleet = fleet;
            return this;
        }

        /**
         * Has every interval handed to this sink too, with its histograms. It is called on the run's thread, between
         * turns while the targets are frozen: it must be quick and must not fail. Others are {@link RunListener}s.
         */
        public Builder watcher(IntervalSink watcher) {
            watchers.add(watcher);
            return this;
        }

        /** Sets what makes {@code summary.csv}; without it there is none. */
        public Builder summary(Function<RunResult, String> csv) {
            summary = csv;
            return this;
        }

        /** Sets over which time the rates and percentiles of {@link RunListener#status} are, a minute by default. */
        public Builder statusWindow(Duration window) {
            statusWindow = window;
            return this;
        }

        /** Sets how long the run waits for slow listeners once nothing is measured any more, 10 s by default. */
        public Builder listenerGrace(Duration grace) {
            listenerGrace = grace;
            return this;
        }

        /** Sets Lockstep's version, which the result tells. */
        public Builder version(String version) {
            this.version = version;
            return this;
        }

        /**
         * @throws IllegalArgumentException naming what does not go together, or what would change something at a server
         *     that is neither on loopback nor started by the run, unless the plan allows it
         * @throws RunException where the capture holds nothing to replay
         * @throws dev.lockstep.launcher.TargetFailedException where this machine lacks a JVM that a target needs
         */
        public RunConfig build() {
            List<String> names = specs.stream().map(TargetSpec::name).collect(Collectors.toList());
            List<String> planned = plan.targets().stream().map(TargetPlan::name).collect(Collectors.toList());
            if (!names.equals(planned)) {
                throw new IllegalArgumentException(
                        "targets: expected those of the plan, " + planned + ", found " + names);
            }
            if (tls == null && specs.stream().anyMatch(TargetSpec::tls)) {
                throw new IllegalArgumentException("tls: expected one for the targets that speak TLS, found none");
            }
            if (statusWindow.isNegative() || statusWindow.isZero()) {
                throw new IllegalArgumentException("status window: expected a duration above 0, found " + statusWindow);
            }
            RunPlanner.check(plan, capture, rewrites);
            WriteGuard guard = new WriteGuard(capture, specs);
            if (guard.guards() && !plan.allowWrites()) {
                guard.refusal(RequestCensus.of(capture, plan.connections().isEmpty()))
                        .ifPresent(refusal -> {
                            throw new IllegalArgumentException(refusal);
                        });
            }
            specs.forEach(inventory::require);
            RunConfig config = new RunConfig(this);
            // The launcher has rules of its own, which are told before anything starts.
            config.launchSettings(Path.of(""));
            return config;
        }
    }
}
