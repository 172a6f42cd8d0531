package dev.lockstep.replayer;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.Pace;
import dev.lockstep.net.ThreadPlacement;
import dev.lockstep.net.Transport;
import dev.lockstep.replayer.engine.ConnectionDemand;
import dev.lockstep.replayer.rewriting.Rewrites;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.immutables.value.Value;

/**
 * What is replayed and how. Immutable; checked completely when built.
 *
 * <p>Where neither {@link #requestLimit} nor {@link #durationNs} is set, a ramp or steps end at their end, and for any
 * other pace one pass over the capture is replayed; else the capture loops as needed.
 */
@Value.Immutable
@ValueStyle
public abstract class ReplayConfig {
    /** For how long Lockstep warms its own code up. */
    public static final long SELF_WARM_UP_MS = 1000;

    private static final long NEVER = Long.MAX_VALUE;
    /** A service is kept busy by fewer connections than this only if it answers at once. */
    private static final int LEAST_HEATING_CONNECTIONS = 20;

    private static final int MOST_HEATING_CONNECTIONS = 100;

    public static Builder builder(Capture capture) {
        return new Builder().capture(capture);
    }

    public abstract Capture capture();

    /** When requests are sent. */
    @Value.Default
    public Pace pace() {
        return Pace.RECORDED;
    }

    /** How many times as fast as recorded, at the recorded pace. */
    @Value.Default
    public double speed() {
        return 1;
    }

    /**
     * Size of the pool of keep-alive connections to each target. 0 keeps the recorded connections: each becomes one
     * connection with the same requests in the same order; it goes with the recorded pace only.
     */
    @Value.Default
    public int connections() {
        return 0;
    }

    /**
     * How many requests the measured phase sends to each target, {@link Long#MAX_VALUE} where only its duration ends
     * it.
     */
    @Value.Default
    public long requestLimit() {
        return NEVER;
    }

    /** How long the measured phase sends, {@link Long#MAX_VALUE} where only the request limit ends it. */
    @Value.Default
    public long durationNs() {
        return NEVER;
    }

    /** How long an answer, and a connection attempt, may take; {@link Long#MAX_VALUE}, or 0 in a builder, for ever. */
    @Value.Default
    public long timeoutNs() {
        return 20_000_000_000L;
    }

    /**
     * How long before an intended send the event loop polls instead of sleeping. A sleep overshoots by the kernel's
     * timer slack and the wake-up of a halted core. Polling needs a core for each active loop: set 0 where there are
     * fewer.
     */
    @Value.Default
    long spinNs() {
        return 200_000;
    }

    /**
     * The most event loops, each with a thread, that targets are spread over. More loops than cores would make each
     * other late; on one loop a request goes to all targets within microseconds.
     */
    @Value.Default
    int loops() {
        return 1;
    }

    /**
     * Where the loops' threads and all others run; applied when the first phase begins, and undone with the replayer.
     */
    @Value.Default
    ThreadPlacement placement() {
        return ThreadPlacement.none();
    }

    /** The kind of event loop; the best of this machine by default. */
    @Value.Default
    public Transport transport() {
        return Transport.best();
    }

    /** What is changed in requests before they are sent. Goes with HTTP/1 alone. */
    public abstract Optional<Rewrites> rewrites();

    /** Whether the deadlines that requests of Finagle's carry are moved from the recording's clock to the replay's. */
    @Value.Default
    public boolean movesDeadlines() {
        return true;
    }

    /**
     * Takes the intervals of warm-up and measured phase, on the run's thread. Each round ends with an interval of its
     * own, however short.
     */
    @Value.Default
    IntervalSink intervals() {
        return IntervalSink.NONE;
    }

    /** How long an interval is; only tests want less than a second. */
    @Value.Default
    long intervalNs() {
        return 1_000_000_000;
    }

    /** How long {@link Replayer#launch} warms the replayer's own code up, 0 for not at all. */
    @Value.Default
    long selfWarmUpNs() {
        return TimeUnit.MILLISECONDS.toNanos(usualSelfWarmUpMs());
    }

    /**
     * Returns for how long Lockstep warms its own code up where nobody says: {@link #SELF_WARM_UP_MS}, or what
     * {@code -Dlockstep.selfWarmUpMs} says. Only tests, which time nothing, want less.
     */
    public static long usualSelfWarmUpMs() {
        return Long.getLong("lockstep.selfWarmUpMs", SELF_WARM_UP_MS);
    }

    /**
     * Minimum time between the two passes that {@link Replayer#learnNoise} learns from, so that a time stamp of whole
     * seconds changes. Only tests want less.
     */
    @Value.Default
    long learningApartNs() {
        return 1_100_000_000;
    }

    /** How long each of these passes may take. Only tests want more. */
    @Value.Default
    long longestLearningNs() {
        return 5_000_000_000L;
    }

    /**
     * How long a target must at least be silent until the requests left of a run without a duration are given up; it
     * must be three times the time allowed for an answer too. Only tests want less.
     */
    @Value.Default
    public long leastSilenceNs() {
        return 10_000_000_000L;
    }

    /**
     * The protocol of a pool's connections, by a look at all recorded ones. Any of them may get any request: all must
     * be of one protocol, whose requests stand alone.
     */
    public Protocol pooledProtocol() {
        Protocol found = null;
        for (int connection = 0; connection < capture().connectionCount(); connection++) {
            if (capture().requestCount(connection) == 0) {
                continue;
            }
            // Requests of other protocols than Thrift are HTTP/1, whatever the connection switched to behind them.
            Protocol recorded = capture().protocol(connection);
            Protocol protocol = recorded.isThrift() ? recorded : Protocol.HTTP1;
            if (found != null && found != protocol) {
                throw new IllegalArgumentException("connections: a pool needs requests of one protocol, "
                        + capture().path() + " has " + found.label() + " and " + protocol.label()
                        + "; without -c and at the recorded pace the recorded connections are replayed,"
                        + " or keep one protocol with: replay filter"
                        + " --protocol " + found.label());
            }
            found = protocol;
        }
        return found;
    }

    /**
     * Returns why targets cannot be heated with this capture, as fast as they answer; absent where they can. It takes a
     * pool, whose connections may get any request.
     */
    public Optional<String> whyNotHeated() {
        // A pool leaves them out.
        boolean sendsOpaque = connections() == 0 && ConnectionDemand.sendsOpaque(capture());
        if (capture().requestCount() == 0 || sendsOpaque) {
            return Optional.of("the capture has bytes that belong to no request, which go out at their times only");
        }
        try {
            pooledProtocol();
            rewrites().ifPresent(rules -> rules.check(capture(), true));
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of("its requests need their recorded connections");
        }
    }

    /**
     * Returns over how many connections a target is heated: over those of the run's pool, else over as many as were
     * recorded at the same time, 20 at least; and over 100 at most, for each has a request under way all the time,
     * which at the run's pace only few have.
     */
    int heatingConnections() {
        int wanted = connections() > 0
                ? connections()
                : Math.max(LEAST_HEATING_CONNECTIONS, ConnectionDemand.mostOpen(this));
        return Math.min(MOST_HEATING_CONNECTIONS, wanted);
    }

    private void check() {
        checkContent();
        if (connections() < 0) {
            throw new IllegalArgumentException("connections: must be 0 or more, is " + connections());
        }
        if (!(speed() > 0) || Double.isInfinite(speed())) {
            throw new IllegalArgumentException("speed: must be a number above 0, is " + speed());
        }
        if (connections() == 0 && !pace().equals(Pace.RECORDED)) {
            throw new IllegalArgumentException("connections: must be 1 or more at pace " + pace()
                    + "; only the recorded pace keeps recorded ones");
        }
        if (requestLimit() < 1) {
            throw new IllegalArgumentException("requests: must be 1 or more, is " + requestLimit());
        }
        if (durationNs() < 1) {
            throw new IllegalArgumentException("duration: must be more than 0, is " + durationNs() + " ns");
        }
        requireNotNegative("timeout", timeoutNs());
        requireNotNegative("spin", spinNs());
        requireNotNegative("self-warm-up", selfWarmUpNs());
        if (loops() < 1) {
            throw new IllegalArgumentException("loops: must be 1 or more, is " + loops());
        }
        rewrites().ifPresent(rules -> rules.check(capture(), connections() > 0));
        if (connections() > 0) {
            pooledProtocol();
        }
    }

    private static void requireNotNegative(String setting, long ns) {
        if (ns < 0) {
            throw new IllegalArgumentException(setting + ": must be 0 or more, is " + ns + " ns");
        }
    }

    private void checkContent() {
        if (capture().requestCount() > 0) {
            return;
        }
        if (connections() > 0) {
            throw new IllegalArgumentException("connections: a pool needs complete requests, "
                    + capture().path() + " has none; leave the connections as recorded");
        }
        if (requestLimit() != NEVER) {
            throw new IllegalArgumentException("requests: there are none to count, "
                    + capture().path() + " has no complete request; set a duration, or replay one pass");
        }
        OpaquePieces opaque = capture().opaque();
        if (opaque.bytes() == opaque.bytesByHoles()) {
            throw new IllegalArgumentException("capture: must hold a complete request or bytes of another protocol, "
                    + capture().path() + " has none");
        }
    }

    /** {@link #build} throws IllegalArgumentException with the setting, the rule and the value. */
    public static final class Builder extends ImmutableReplayConfig.Builder {
        Builder() {}

        @Override
        public ReplayConfig build() {
            ReplayConfig given = super.build();
            given.check();
            if (given.timeoutNs() == 0) {
                timeoutNs(NEVER);
            }
            if (given.requestLimit() == NEVER && given.durationNs() == NEVER) {
                if (given.pace().length().isPresent()) {
                    durationNs(given.pace().length().get().toNanos());
                } else {
                    requestLimit(given.capture().requestCount());
                }
            }
            return super.build();
        }
    }
}
