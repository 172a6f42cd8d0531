package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.KeyConverter;
import dev.lockstep.measurement.Pace;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.WarmupPace;
import dev.lockstep.run.RunPlanner;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Option;

/**
 * The options that say which requests are sent when, with the rules between them. Filled by picocli, then only read.
 *
 * <p>Without any of them the capture is replayed once, as it was recorded: same connections, same times. {@code -n},
 * {@code -c}, {@code -q}, {@code -z} and {@code -t} mean what they mean to hey, except that the rate is the whole run's
 * and not a worker's. One request to a URL has no recorded times: without an option it is sent as hey and wrk send it.
 */
public final class LoadOptions {
    /** What hey opens when it is not told. */
    private static final int DEFAULT_CONNECTIONS = 50;

    private static final int MOST_CONNECTIONS = 1_000_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    /** The warm-up of servers that run already. */
    private static final Duration OF_RUNNING = Duration.ofSeconds(10);

    /** Longest automatic warm-up of a target in one of several launches. */
    public static final Duration LIMIT = Duration.ofMinutes(5);
    /** Of a look at short traffic: with two targets and ten seconds of it, all ends within two minutes. */
    private static final Duration LEAST_LIMIT_ONCE = Duration.ofSeconds(38);

    private static final Duration FULL_LOAD = Duration.ofSeconds(20);
    /** In a look, which is to end soon. */
    private static final Duration FULL_LOAD_ONCE = Duration.ofSeconds(3);
    /** The first second does not count. */
    private static final Duration LEAST_FULL_LOAD = Duration.ofSeconds(2);
    /** What wrk does when it is not told. */
    private static final Duration OF_URL = Duration.ofSeconds(10);

    @Heading("What to send")
    @Option(
            names = "-c",
            paramLabel = "CONNECTIONS",
            description = "Connections to each target. Alone: a closed loop like hey's. Default: the recorded "
                    + "ones, or 50 with -q or another --pace.")
    private Integer connections;

    @Heading("When")
    @Option(
            names = "--pace",
            paramLabel = "PACE",
            converter = PaceConverter.class,
            description = {
                "When requests are sent (docs/replaying.md):",
                "recorded, 2000/s, poisson:2000/s[:seed=7],",
                "ramp:100/s..5000/s:60s, steps:100/s:10s,500/s:10s,",
                "closed[:10ms] or max. Default: recorded, max with -c."
            })
    private Pace pace;

    @Heading("When")
    @Option(
            names = "-q",
            paramLabel = "RATE",
            converter = PaceConverter.Rate.class,
            description = "Requests per second to each target, over all its connections, however late answers are. "
                    + "The same as --pace RATE/s.")
    private Pace rate;

    @Heading("When")
    @Option(
            names = "--speed",
            paramLabel = "FACTOR",
            converter = FactorConverter.class,
            description = "Multiplies the recorded pace: 2x, 0.5x. Default: 1x.")
    private Double speed;

    @Heading("When")
    @Option(
            names = {"-t", "--timeout"},
            paramLabel = "TIMEOUT",
            converter = DurationConverter.SecondsByDefault.class,
            description = "Time allowed for each answer, in seconds or with a unit; 0: no limit. Default: 20.")
    private Duration timeout;

    @Heading("When")
    @Option(
            names = "--max-lag",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            defaultValue = "10ms",
            description = "If Lockstep itself sends later than this at the 99th percentile, the run is INVALID. "
                    + "Default: ${DEFAULT-VALUE}.")
    private Duration maxLag;

    @Heading("How long")
    @Option(
            names = "-n",
            paramLabel = "REQUESTS",
            description = "Requests to each target; the capture is repeated as needed. Default: every request once.")
    private Long requests;

    @Heading("How long")
    @Option(
            names = {"-z", "--duration"},
            paramLabel = "DURATION",
            converter = DurationConverter.SecondsByDefault.class,
            description = "How long to send, in seconds or as 10s, 2m, 1h30m; the capture is repeated as needed. "
                    + "Overrides -n. Default: every request once.")
    private Duration duration;

    @Heading("How long")
    @Option(
            names = "--warmup",
            paramLabel = "auto|DURATION",
            converter = WarmupConverter.class,
            description =
                    "Load before anything counts: until targets are steady, or a time on the same schedule; 0: none. "
                            + "Default: auto, 10s for running servers.")
    private WarmupConverter.Warmup warmup;

    @Heading("How long")
    @Option(
            names = "--warmup-limit",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Longest --warmup auto of a target in each launch. Default: 5m; in a look as long as it "
                    + "measures, at least 38s.")
    private Duration warmupLimit;

    @Heading("How long")
    @Option(
            names = "--warmup-pace",
            paramLabel = "PACE",
            converter = WarmupPaceConverter.class,
            description = "How --warmup auto sends: max, as fast as targets answer and at last at the measured pace; "
                    + "recorded, at that only. Default: max.")
    private WarmupPace warmupPace;

    @Heading("How long")
    @Option(
            names = "--full-load",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "How long targets, once measured, get requests as fast as they answer. Default: 20s, 3s in "
                    + "a look, 0 with a fixed --warmup.")
    private Duration fullLoad;

    private boolean soak;
    private boolean url;

    /**
     * Checks each option and what they say together.
     *
     * @throws UsageException naming the options that do not go together
     */
    public void check() {
        if (requests != null && requests < 1) {
            throw new UsageException("-n: expected at least 1 request, found " + requests);
        }
        if (connections != null && (connections < 1 || connections > MOST_CONNECTIONS)) {
            throw new UsageException("-c: expected 1 to " + MOST_CONNECTIONS + " connections, found " + connections);
        }
        if (duration != null && duration.isZero()) {
            throw new UsageException("-z: expected a duration above 0, found 0");
        }
        if (maxLag.isZero()) {
            throw new UsageException("--max-lag: expected a duration above 0, found 0");
        }
        if (warmup != null && warmup.time().isPresent() && (warmupLimit != null || warmupPace != null)) {
            throw new UsageException((warmupLimit != null ? "--warmup-limit" : "--warmup-pace")
                    + " goes with --warmup auto, found a warm-up of a fixed time; leave one out");
        }
        if (warmupLimit != null && warmupLimit.isZero()) {
            throw new UsageException("--warmup-limit: expected a duration above 0, found 0");
        }
        if (fullLoad != null && !fullLoad.isZero() && fullLoad.compareTo(LEAST_FULL_LOAD) < 0) {
            throw new UsageException(
                    "--full-load: expected 2s or more, of which the first second does not count, or 0");
        }
        if (rate != null && pace != null) {
            throw new UsageException("-q and --pace both set the pace; leave one out");
        }
        if (url && (speed != null || Pace.RECORDED.equals(pace))) {
            throw new UsageException((speed != null ? "--speed" : "--pace recorded")
                    + " goes with a capture, found a URL, which has no recorded times; say -q, or another --pace");
        }
        if (speed != null && !effectivePace().equals(Pace.RECORDED)) {
            throw new UsageException("--speed scales the recorded pace, but "
                    + (rate != null
                            ? "-q sets another; leave one out"
                            : pace != null
                                    ? "--pace sets another; leave one out"
                                    : "-c alone means as fast as possible; add --pace recorded or leave one out"));
        }
        if (requests != null && connections != null && duration == null && connections > requests) {
            throw new UsageException("-n " + requests + " is less than -c " + connections
                    + ": there must be at least one request for each connection");
        }
    }

    /** Says that a request to a URL is sent, and not a capture. */
    void url() {
        url = true;
    }

    /** Whether {@code -t} is given. */
    boolean hasTimeout() {
        return timeout != null;
    }

    /** Takes the duration of a soak run for that of {@code -z}. */
    void soak(Duration length) {
        if (duration != null) {
            throw new UsageException("-z and --soak both set the duration; leave one out");
        }
        if (requests != null) {
            throw new UsageException("-n and --soak both say when the run ends; leave one out");
        }
        duration = length;
        soak = true;
    }

    /** Takes a warm-up of a fixed time and a duration that are usual, where these options say nothing else. */
    public void usual(Optional<Duration> usualWarmup, Optional<Duration> usualDuration) {
        if (warmup == null && warmupLimit == null && warmupPace == null) {
            warmup = usualWarmup.map(WarmupConverter.Warmup::of).orElse(null);
        }
        if (duration == null && requests == null && effectivePace().length().isEmpty()) {
            duration = usualDuration.orElse(null);
        }
    }

    /**
     * Puts these options, once they are checked, into a plan.
     *
     * @param started whether this run starts all targets
     * @param once whether it does so once
     * @throws UsageException where targets that run already cannot be warmed up or loaded as asked for
     */
    public void addTo(RunPlan.Builder plan, boolean started, boolean once) {
        Pace effective = effectivePace();
        plan.pace(effective).maxLag(maxLag).soak(soak);
        boolean heats = addWarmUp(plan, started);
        addFullLoad(plan, started, heats ? once ? FULL_LOAD_ONCE : FULL_LOAD : Duration.ZERO);
        if (speed != null) {
            plan.speed(speed);
        }
        Duration allowed = timeout == null ? TIMEOUT : timeout;
        if (!allowed.isZero()) {
            plan.timeout(allowed);
        }
        if (duration != null) {
            plan.duration(duration);
        } else if (requests != null) {
            plan.maxRequests(requests);
        } else if (effective.length().isPresent()) {
            plan.duration(effective.length().get());
        } else if (url) {
            plan.duration(OF_URL);
        }
        if (connections != null) {
            plan.connections(connections);
        } else if (!effective.equals(Pace.RECORDED)) {
            plan.connections(
                    duration == null && requests != null
                            ? (int) Math.min(DEFAULT_CONNECTIONS, requests)
                            : DEFAULT_CONNECTIONS);
        }
    }

    /**
     * Has a look, which is to end soon, warm its targets up for as long as it measures at most, unless a limit was
     * asked for.
     *
     * @param planned what the plan is so far
     */
    public void limitLook(RunPlan.Builder plan, RunPlan planned) {
        OptionalLong lengthNs = RunPlanner.lengthNs(planned);
        if (warmupLimit == null
                && planned.launches() == 1
                && !planned.soak()
                && planned.warmupPace().equals(Optional.of(WarmupPace.MAX))
                && lengthNs.isPresent()) {
            Duration length = Duration.ofNanos(lengthNs.getAsLong());
            Duration least = length.compareTo(LEAST_LIMIT_ONCE) < 0 ? LEAST_LIMIT_ONCE : length;
            plan.warmupUntilSteady(least.compareTo(LIMIT) < 0 ? least : LIMIT, WarmupPace.MAX);
        }
    }

    /** Returns whether targets are heated. */
    private boolean addWarmUp(RunPlan.Builder plan, boolean started) {
        boolean auto = warmup == null
                ? started || warmupLimit != null || warmupPace != null
                : warmup.time().isEmpty();
        if (!auto) {
            // Who asks for so many requests to a URL, as of hey, means all that are sent.
            Duration usual = url && requests != null ? Duration.ZERO : OF_RUNNING;
            plan.warmup(warmup == null ? usual : warmup.time().get());
            return false;
        }
        if (!started) {
            throw new UsageException("--warmup auto looks at the CPU and the JIT of targets that this run starts, found"
                    + " a server that runs already; give a time, as in --warmup 10s");
        }
        WarmupPace asked = warmupPace == null ? WarmupPace.MAX : warmupPace;
        plan.warmupUntilSteady(warmupLimit == null ? LIMIT : warmupLimit, asked);
        return asked == WarmupPace.MAX;
    }

    /** @param usual how long it takes unless it is asked for */
    private void addFullLoad(RunPlan.Builder plan, boolean started, Duration usual) {
        Pace effective = effectivePace();
        boolean measuredSoAnyway = effective.closedLoop() && effective.think().isZero();
        if (fullLoad != null && !fullLoad.isZero()) {
            String found = !started
                    ? "a server that runs already, whose CPU nobody counts"
                    : soak
                            ? "--soak, which ends with what it measured"
                            : measuredSoAnyway ? "a closed loop, which is full load anyway" : null;
            if (found != null) {
                throw new UsageException("--full-load comes after a measured phase at another load, to targets that"
                        + " this run starts, found " + found + "; leave it out");
            }
        }
        Duration length = fullLoad == null ? usual : fullLoad;
        if (!length.isZero() && !soak && !measuredSoAnyway) {
            plan.fullLoad(length);
        }
    }

    private Pace effectivePace() {
        if (rate != null) {
            return rate;
        }
        if (pace != null) {
            return pace;
        }
        return connections == null && !url ? Pace.RECORDED : Pace.MAX;
    }

    /** Reads how fast a warm-up is. */
    static final class WarmupPaceConverter extends KeyConverter<WarmupPace> {
        WarmupPaceConverter() {
            super(WarmupPace.values(), WarmupPace::key);
        }
    }
}
