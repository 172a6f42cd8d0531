package dev.lockstep.cli;

import dev.lockstep.capture.Capture;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.Profile;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.CaptureReference;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.TargetPlan;
import dev.lockstep.measurement.TargetSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Makes of options, capture and machine the plan of a run, which says all that was decided. */
final class RunPlanner {
    /**
     * How long a turn is, about, however long the run: what changes on the machine within minutes meets all targets alike,
     * and a pause or a queue of some hundred ms fits into a turn.
     */
    private static final long TURN_NS = 2_000_000_000L;

    private static final long SOAK_TURN_NS = 10_000_000_000L;
    /** Where nobody knows how long the run will be. */
    private static final int ROUNDS_OF_UNKNOWN_LENGTH = 4;

    /** So long a service takes to start, about, where nobody knows. */
    private static final long START_NS = 3_000_000_000L;

    private RunPlanner() {}

    static RunPlan plan(
            Capture capture,
            CaptureContent content,
            List<TargetSpec> specs,
            LoadOptions load,
            TargetOptions targets,
            Cores cores) {
        RunPlan.Builder builder = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path(capture.path().toString())
                        .sha256(capture.sha256())
                        .streamSha256(capture.streamSha256())
                        .requests(capture.requestCount())
                        .requestBytes(capture.requestBytes())
                        .connections(capture.connectionCount())
                        .durationNs(content.durationNs())
                        .build())
                .replayerCores(cores.replayer().toList());
        load.addTo(builder);
        for (TargetSpec spec : specs) {
            builder.target(target(spec, targets.memoryBytes()));
        }
        if (schedule(specs, targets, cores) == TargetSchedule.ALTERNATE) {
            builder.alternate(targets.rounds().orElseGet(() -> rounds(builder.build())));
        }
        return builder.build();
    }

    private static TargetPlan target(TargetSpec spec, long memoryBytes) {
        TargetPlan.Builder target = TargetPlan.builder(spec.name());
        spec.profile().map(Profile::id).ifPresent(target::profile);
        spec.jdkVersion().ifPresent(target::jdk);
        target.tls(spec.tls());
        if (spec.attachAddress().isPresent()) {
            return target.address(Addresses.print(spec.attachAddress().get())).build();
        }
        target.command(spec.command())
                .environmentNames(new ArrayList<>(spec.environment().keySet()))
                .jvmOptions(spec.jvmOptions());
        spec.port().ifPresent(target::port);
        spec.readinessPath().filter(path -> !path.isEmpty()).ifPresent(target::readinessPath);
        if (memoryBytes > 0) {
            target.memoryLimitBytes(memoryBytes);
        }
        return target.build();
    }

    private static TargetSchedule schedule(List<TargetSpec> specs, TargetOptions targets, Cores cores) {
        return targets.schedule()
                .orElseGet(() -> specs.size() == 1 || cores.canRunTogether()
                        ? TargetSchedule.TOGETHER
                        : TargetSchedule.ALTERNATE);
    }

    /**
     * Returns how many turns each target gets: an even number, so that each comes first as often as last, unless there is
     * but one request.
     */
    static int rounds(RunPlan plan) {
        OptionalLong lengthNs = lengthNs(plan);
        double turnNs = plan.soak() ? SOAK_TURN_NS : TURN_NS;
        long rounds =
                lengthNs.isPresent() ? 2 * Math.round(lengthNs.getAsLong() / turnNs / 2) : ROUNDS_OF_UNKNOWN_LENGTH;
        long requests = plan.duration().isPresent() ? Long.MAX_VALUE : requests(plan);
        long most = Math.min(TargetOptions.MOST_ROUNDS, requests / 2 * 2);
        return requests < 2 ? 1 : (int) Math.min(most, Math.max(2, rounds));
    }

    private static long requests(RunPlan plan) {
        return plan.maxRequests().orElse(plan.capture().requests());
    }

    /** Returns how long the measured phase of one target will be, where the plan tells. */
    static OptionalLong lengthNs(RunPlan plan) {
        if (plan.duration().isPresent()) {
            return OptionalLong.of(plan.duration().get().toNanos());
        }
        if (plan.pace().ratePerSec().isPresent()) {
            return OptionalLong.of(
                    (long) (requests(plan) * 1e9 / plan.pace().ratePerSec().getAsDouble()));
        }
        if (plan.pace().equals(Pace.RECORDED)) {
            long requests = plan.capture().requests();
            double passes = requests == 0 ? 1 : (double) requests(plan) / requests;
            return OptionalLong.of((long) (plan.capture().durationNs().orElse(0) / plan.speed() * passes));
        }
        return OptionalLong.empty();
    }

    /** Returns which targets are profiled after the run: the JVMs that it starts. */
    static List<String> profiled(RunPlan plan) {
        return plan.profileDuration().isEmpty()
                ? List.of()
                : plan.targets().stream()
                        .filter(target ->
                                target.address().isEmpty() && target.profile().isPresent())
                        .map(TargetPlan::name)
                        .collect(Collectors.toList());
    }

    /**
     * Returns about how long the whole run will take, where the plan tells: all launches, with start and warm-up, and the
     * profiles after them.
     */
    static OptionalLong runNs(RunPlan plan) {
        OptionalLong lengthNs = lengthNs(plan);
        if (lengthNs.isEmpty()) {
            return lengthNs;
        }
        long started = plan.targets().stream()
                .filter(target -> target.address().isEmpty())
                .count();
        int turns = plan.schedule() == TargetSchedule.ALTERNATE ? plan.targets().size() : 1;
        long loadNs = turns * (plan.warmup().toNanos() + lengthNs.getAsLong());
        long profileNs = plan.warmup().toNanos()
                + plan.profileDuration().map(Duration::toNanos).orElse(0L)
                + START_NS;
        return OptionalLong.of(
                plan.launches() * (loadNs + started * START_NS) + profiled(plan).size() * profileNs);
    }
}
