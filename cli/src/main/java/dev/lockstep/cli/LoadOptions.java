package dev.lockstep.cli;

import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.RunPlan;
import java.time.Duration;
import picocli.CommandLine.Option;

/**
 * The options that say which requests are sent when, with the rules between them. Filled by picocli, then only read.
 *
 * <p>Without any of them the capture is replayed once, as it was recorded: same connections, same times. {@code -n},
 * {@code -c}, {@code -q}, {@code -z} and {@code -t} mean what they mean to hey, except that the rate is the whole run's
 * and not a worker's.
 */
final class LoadOptions {
    /** What hey opens when it is not told. */
    private static final int DEFAULT_CONNECTIONS = 50;

    private static final int MOST_CONNECTIONS = 1_000_000;

    @Option(
            names = "-n",
            paramLabel = "REQUESTS",
            order = 10,
            description = "Requests to send to each target; the capture is repeated as often as needed. Default: every "
                    + "request of the capture once.")
    private Long requests;

    @Option(
            names = "-c",
            paramLabel = "CONNECTIONS",
            order = 11,
            description =
                    "Connections to each target. Alone it means hey's closed loop: each connection sends its next "
                            + "request when its answer is there, as fast as it can. Default: the recorded connections, or "
                            + DEFAULT_CONNECTIONS + " with -q or another --pace than recorded.")
    private Integer connections;

    @Option(
            names = "-q",
            paramLabel = "RATE",
            converter = PaceConverter.Rate.class,
            order = 12,
            description = "Requests per second to each target, of all its connections together, sent on time however "
                    + "late answers are. The same as --pace RATE/s.")
    private Pace rate;

    @Option(
            names = "-z",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            order = 13,
            description = "How long to send, for example 10s, 2m, 1h30m; the capture is repeated as often as needed. "
                    + "Sets -n aside. Default: until every request is sent.")
    private Duration duration;

    @Option(
            names = "-t",
            paramLabel = "TIMEOUT",
            converter = DurationConverter.SecondsByDefault.class,
            defaultValue = "20",
            order = 14,
            description = "Time allowed for each answer, in seconds or with a unit; 0 means for ever. Default: 20.")
    private Duration timeout;

    @Option(
            names = "--pace",
            paramLabel = "PACE",
            converter = PaceConverter.class,
            order = 15,
            description = {
                "When requests are sent. Default: recorded, max with -c.",
                "recorded: as the capture's time stamps say.",
                "2000/s: at this rate, however late answers are.",
                "poisson:2000/s[:seed=7]: at random with this mean, the same times for the same seed (default "
                        + Pace.DEFAULT_SEED + ").",
                "ramp:100/s..5000/s:60s: at a rate that changes evenly, then stays.",
                "steps:100/s:10s,500/s:10s: at one rate after the other; the last stays. A ramp and steps end the run, "
                        + "unless -z or -n does.",
                "closed[:10ms]: each connection sends when its answer is there, after this pause.",
                "max: closed without a pause."
            })
    private Pace pace;

    @Option(
            names = "--speed",
            paramLabel = "FACTOR",
            converter = FactorConverter.class,
            order = 16,
            description = "How much faster than recorded, for example 2x or 0.5x; only with the recorded pace. "
                    + "Default: 1x.")
    private Double speed;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            defaultValue = "10s",
            order = 17,
            description = "How long to send before anything counts, on the same schedule (at the mean rate of a ramp "
                    + "or of steps); 0 means not at all. "
                    + "Default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Option(
            names = "--max-lag",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            defaultValue = "10ms",
            order = 18,
            description = "How late this side may send: with a 99th percentile above this the run is INVALID. "
                    + "Default: ${DEFAULT-VALUE}.")
    private Duration maxLag;

    private boolean soak;

    /**
     * Checks each option and what they say together.
     *
     * @throws UsageException naming the options that do not go together
     */
    void check() {
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
        if (rate != null && pace != null) {
            throw new UsageException("-q and --pace both set the pace; leave one out");
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

    /** Takes the duration of a soak run for that of {@code -z}. */
    void soak(Duration length) {
        if (duration != null) {
            throw new UsageException("-z and --soak both set the duration; leave one out");
        }
        duration = length;
        soak = true;
    }

    /** Puts these options, once they are checked, into a plan. */
    void addTo(RunPlan.Builder plan) {
        Pace effective = effectivePace();
        plan.pace(effective).warmup(warmup).maxLag(maxLag).soak(soak);
        if (speed != null) {
            plan.speed(speed);
        }
        if (!timeout.isZero()) {
            plan.timeout(timeout);
        }
        if (duration != null) {
            plan.duration(duration);
        } else if (requests != null) {
            plan.maxRequests(requests);
        } else {
            effective.length().ifPresent(plan::duration);
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

    private Pace effectivePace() {
        if (rate != null) {
            return rate;
        }
        if (pace != null) {
            return pace;
        }
        return connections == null ? Pace.RECORDED : Pace.MAX;
    }
}
