package dev.lockstep.run;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.RecordedStatus;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.Profile;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.monitor.metrics.MetricsSource;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.rewriting.Rewrites;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * Makes the plan of a run, which says all that was decided, of what is asked for, of the capture and of the machine.
 * Used by one thread.
 */
public final class RunPlanner {
    /** Three weeks in turns of 2 s. */
    public static final int MOST_ROUNDS = 1_000_000;

    /**
     * How long a turn is, about: what changes on the machine meets all targets alike, and that changes within seconds.
     * In one run each, two equal JVMs differed by 5.1 % of CPU per request (standard deviation, 11.5 s of the sample)
     * with turns of 1.5 s, and by 1.1 % with these (docs/replaying.md).
     */
    private static final long TURN_NS = 250_000_000L;

    /** Of long runs: each turn ends an interval, and the files hold them all. */
    private static final long LONG_TURN_NS = 2_000_000_000L;

    /** Turns get longer from here on. */
    private static final long MOST_SHORT_TURNS = 480;

    private static final long SOAK_TURN_NS = 10_000_000_000L;
    /** Ten turns of each target. */
    private static final Duration LEAST_BLOCK = Duration.ofSeconds(20);
    /** For a run of unknown length. */
    private static final int ROUNDS_OF_UNKNOWN_LENGTH = 4;

    /**
     * A guess of how long a service takes to be steady: a verdict on the sample with 12 warm-ups one after the other
     * took 11 min 20 s, of which 43 s are for each of them.
     */
    private static final long WARM_UP_NS = 40_000_000_000L;

    /** A guess of how long a service takes to start. */
    private static final long START_NS = 3_000_000_000L;

    private final Capture capture;
    private final List<TargetSpec> specs;
    private final Cores cores;
    private long memoryLimitBytes;
    private TargetSchedule schedule;
    private Integer rounds;

    /** @param cores the split of processors among the replayer and these targets */
    public RunPlanner(Capture capture, List<TargetSpec> specs, Cores cores) {
        this.capture = capture;
        this.specs = specs;
        this.cores = cores;
    }

    /** Caps the memory of each target that the run starts; 0, the default, is no cap. */
    public RunPlanner memoryLimitBytes(long bytes) {
        memoryLimitBytes = bytes;
        return this;
    }

    /** @param wish or null: together where each target can have processors of its own */
    public RunPlanner schedule(TargetSchedule wish) {
        schedule = wish;
        return this;
    }

    /** @param wish how many turns each target gets where they take turns, or null: by the length of the run */
    public RunPlanner rounds(Integer wish) {
        rounds = wish;
        return this;
    }

    /**
     * Adds capture, targets, processors and turns to a plan that says which load is sent when.
     *
     * @throws IllegalArgumentException where the load is none
     */
    public RunPlan plan(RunPlan.Builder load) {
        load.capture(CaptureReference.builder()
                        .path(capture.path().toString())
                        .sha256(capture.sha256())
                        .streamSha256(capture.streamSha256())
                        .requests(capture.requestCount())
                        .requestBytes(capture.requestBytes())
                        .connections(capture.connectionCount())
                        .durationNs(new CaptureContent(capture).durationNs())
                        .statusCodes(statusCodes())
                        .build())
                .replayerCores(cores.replayer().toList());
        for (TargetSpec spec : specs) {
            load.target(target(spec));
        }
        boolean attached = specs.size() > 1
                && specs.stream().anyMatch(spec -> spec.attachAddress().isPresent());
        boolean blocks = attached && load.build().mostLaunches() > 1;
        if (blocks) {
            // Any; what JSON holds exactly.
            load.orderSeed(ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
            lengthenBlocks(load);
        }
        if (effectiveSchedule(blocks) == TargetSchedule.ALTERNATE) {
            load.alternate(rounds != null ? rounds : rounds(load.build()));
        }
        return load.build();
    }

    /**
     * Checks that a capture can be replayed as planned.
     *
     * @param rewrites what is changed in requests, or null
     * @throws RunException where it holds nothing to replay
     * @throws IllegalArgumentException where it does not allow what is planned, in one line
     */
    public static void check(RunPlan plan, Capture capture, Rewrites rewrites) {
        boolean pooled = plan.connections().isPresent();
        new CaptureContent(capture).check(pooled);
        if (rewrites != null) {
            rewrites.check(capture, pooled);
        }
        load(plan, capture).build();
    }

    /** Returns what of the plan concerns the load itself. */
    static ReplayConfig.Builder load(RunPlan plan, Capture capture) {
        ReplayConfig.Builder config = ReplayConfig.builder(capture)
                .pace(plan.pace())
                .speed(plan.speed())
                .movesDeadlines(!plan.keepDeadlines());
        plan.connections().ifPresent(config::connections);
        plan.maxRequests().ifPresent(config::requestLimit);
        plan.duration().ifPresent(duration -> config.durationNs(duration.toNanos()));
        return config.timeoutNs(plan.timeout().map(Duration::toNanos).orElse(0L));
    }

    private Map<Integer, Long> statusCodes() {
        return capture.recordedStatuses().entrySet().stream()
                .filter(status -> RecordedStatus.isHttp(status.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Long::sum, TreeMap::new));
    }

    private TargetPlan target(TargetSpec spec) {
        TargetPlan.Builder target = TargetPlan.builder(spec.name());
        spec.profile().map(Profile::id).ifPresent(target::profile);
        spec.jdkVersion().ifPresent(target::jdk);
        target.tls(spec.tls());
        if (spec.attachAddress().isPresent()) {
            return target.address(Addresses.print(spec.attachAddress().get()))
                    .metrics(spec.metrics().map(MetricsSource::toString))
                    .build();
        }
        target.command(spec.command())
                .environmentNames(new ArrayList<>(spec.environment().keySet()))
                .jvmOptions(spec.jvmOptions());
        spec.port().ifPresent(target::port);
        spec.readinessPath().filter(path -> !path.isEmpty()).ifPresent(target::readinessPath);
        if (memoryLimitBytes > 0) {
            target.memoryLimitBytes(memoryLimitBytes);
        }
        return target.build();
    }

    /** Where nobody says how long a block is, a capture that is too short for one goes round. */
    private static void lengthenBlocks(RunPlan.Builder load) {
        RunPlan plan = load.build();
        if (plan.duration().isEmpty()
                && plan.maxRequests().isEmpty()
                && lengthNs(plan).orElse(0) < LEAST_BLOCK.toNanos()) {
            load.duration(LEAST_BLOCK);
        }
    }

    /**
     * A number of rounds asks for turns too. So do blocks: nobody knows whether servers that run already share
     * processors.
     */
    private TargetSchedule effectiveSchedule(boolean blocks) {
        if (schedule != null) {
            return schedule;
        }
        return rounds == null && !blocks && (specs.size() == 1 || cores.canRunTogether())
                ? TargetSchedule.TOGETHER
                : TargetSchedule.ALTERNATE;
    }

    /**
     * Returns how many turns each target gets: an even number, so that each comes first as often as last, unless there
     * is but one request.
     */
    static int rounds(RunPlan plan) {
        OptionalLong lengthNs = lengthNs(plan);
        long rounds = lengthNs.isPresent()
                ? 2 * Math.round(lengthNs.getAsLong() / turnNs(plan, lengthNs.getAsLong()) / 2)
                : ROUNDS_OF_UNKNOWN_LENGTH;
        long requests = plan.duration().isPresent() ? Long.MAX_VALUE : requests(plan);
        long most = Math.min(MOST_ROUNDS, requests / 2 * 2);
        return requests < 2 ? 1 : (int) Math.min(most, Math.max(2, rounds));
    }

    /** Returns in how many turns each target gets its full load, an even number. */
    static int fullLoadRounds(RunPlan plan) {
        long lengthNs = plan.fullLoad().orElseThrow().toNanos();
        return (int) Math.max(2, 2 * Math.round(lengthNs / turnNs(plan, lengthNs) / 2));
    }

    private static double turnNs(RunPlan plan, long lengthNs) {
        if (plan.soak()) {
            return SOAK_TURN_NS;
        }
        // A server that runs already is not frozen: of its pauses, short turns would see too much.
        boolean frozen =
                plan.targets().stream().noneMatch(target -> target.address().isPresent());
        double shortNs = Math.max(TURN_NS, (double) lengthNs / MOST_SHORT_TURNS);
        return frozen ? Math.min(LONG_TURN_NS, shortNs) : LONG_TURN_NS;
    }

    private static long requests(RunPlan plan) {
        return plan.maxRequests().orElse(plan.capture().requests());
    }

    /** Returns how long the measured phase of one target will be, where the plan tells. */
    public static OptionalLong lengthNs(RunPlan plan) {
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
    public static List<String> profiled(RunPlan plan) {
        return plan.profileDuration().isEmpty()
                ? List.of()
                : plan.targets().stream()
                        .filter(target ->
                                target.address().isEmpty() && target.profile().isPresent())
                        .map(TargetPlan::name)
                        .collect(Collectors.toList());
    }

    /**
     * Returns about how long the whole run will take, where the plan tells: all launches, with start and warm-up, and
     * the profiles after them.
     */
    public static OptionalLong runNs(RunPlan plan) {
        return runNs(plan, plan.launches());
    }

    /** As {@link #runNs}, with as many launches as there are at most. */
    public static OptionalLong longestRunNs(RunPlan plan) {
        return runNs(plan, plan.mostLaunches());
    }

    /** Returns how long a target is taken to be warmed up. */
    private static long warmUpNs(RunPlan plan) {
        return plan.warmupLimit()
                .map(limit -> Math.min(WARM_UP_NS, limit.toNanos()))
                .orElse(plan.warmup().toNanos());
    }

    /**
     * Returns which length of a warm-up {@link #runNs} is of, where nobody knows it before: a clause that goes on a
     * sentence, or nothing.
     */
    public static String assumedWarmUp(RunPlan plan) {
        return plan.warmupLimit()
                .map(limit -> ", if a warm-up takes " + Quantities.duration(warmUpNs(plan)) + " ("
                        + Quantities.duration(limit.toNanos()) + " at most)")
                .orElse("");
    }

    private static OptionalLong runNs(RunPlan plan, int launches) {
        OptionalLong lengthNs = lengthNs(plan);
        if (lengthNs.isEmpty()) {
            return lengthNs;
        }
        long started = plan.targets().stream()
                .filter(target -> target.address().isEmpty())
                .count();
        int turns = plan.schedule() == TargetSchedule.ALTERNATE ? plan.targets().size() : 1;
        long warmUpNs = warmUpNs(plan);
        long fullLoadNs = plan.fullLoad().map(Duration::toNanos).orElse(0L);
        long loadNs = turns * (warmUpNs + lengthNs.getAsLong() + fullLoadNs);
        // A profile's own warm-up is the run's, and as much at the measured pace as that may take.
        long pacedNs = plan.warmupLimit().isPresent() ? WarmUpWatch.MOST_PACED_SECONDS * 1_000_000_000L : 0;
        long profileNs = warmUpNs
                + pacedNs
                + plan.profileDuration().map(Duration::toNanos).orElse(0L)
                + START_NS;
        return OptionalLong.of(
                launches * (loadNs + started * START_NS) + profiled(plan).size() * profileNs);
    }
}
