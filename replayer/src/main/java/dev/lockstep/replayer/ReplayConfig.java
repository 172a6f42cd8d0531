package dev.lockstep.replayer;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.measurement.Pace;
import dev.lockstep.net.ThreadPlacement;
import dev.lockstep.net.Transport;
import java.util.Objects;

/** What is replayed and how. Immutable; checked completely by {@link Builder#build()}. */
public final class ReplayConfig {
    private final Capture capture;
    private final Pace pace;
    private final double speed;
    private final int connections;
    private final Protocol pooledProtocol;
    private final long requestLimit;
    private final long durationNs;
    private final long timeoutNs;
    private final long spinNs;
    private final int loops;
    private final ThreadPlacement placement;
    private final Transport transport;
    private final Rewrites rewrites;
    private final IntervalSink intervals;
    private final long intervalNs;

    private ReplayConfig(Builder builder) {
        capture = builder.capture;
        pace = builder.pace;
        speed = builder.speed;
        connections = builder.connections;
        pooledProtocol = connections == 0 ? null : builder.pooledProtocol();
        requestLimit = builder.requestLimit;
        durationNs = builder.durationNs;
        timeoutNs = builder.timeoutNs;
        spinNs = builder.spinNs;
        loops = builder.loops;
        placement = builder.placement;
        transport = builder.transport;
        rewrites = builder.rewrites;
        intervals = builder.intervals;
        intervalNs = builder.intervalNs;
    }

    public static Builder builder(Capture capture) {
        return new Builder(capture);
    }

    Capture capture() {
        return capture;
    }

    Pace pace() {
        return pace;
    }

    /** What recorded times are divided by. */
    double speed() {
        return speed;
    }

    /** Size of the pool of keep-alive connections, or 0: each recorded connection becomes one connection. */
    int connections() {
        return connections;
    }

    /** The protocol of the pool's connections, or null where the recorded connections are kept. */
    Protocol pooledProtocol() {
        return pooledProtocol;
    }

    /** How many requests the measured phase sends, or {@link Long#MAX_VALUE} where only its duration ends it. */
    long requestLimit() {
        return requestLimit;
    }

    /** How long the measured phase sends, or {@link Long#MAX_VALUE} where only the request limit ends it. */
    long durationNs() {
        return durationNs;
    }

    /** How long an answer and a connection may take; {@link Long#MAX_VALUE} for ever. */
    long timeoutNs() {
        return timeoutNs;
    }

    long spinNs() {
        return spinNs;
    }

    /** How many event loops there are at most; targets are spread over them. */
    int loops() {
        return loops;
    }

    /** Where the threads run. */
    ThreadPlacement placement() {
        return placement;
    }

    /** What is changed in requests, or null: they are sent as recorded. */
    Rewrites rewrites() {
        return rewrites;
    }

    Transport transport() {
        return transport;
    }

    /** What takes the intervals of warm-up and measured phase. */
    IntervalSink intervals() {
        return intervals;
    }

    /** How long an interval is. */
    long intervalNs() {
        return intervalNs;
    }

    /** Collects the settings; those without a value of their own keep the default named at each method. */
    public static final class Builder {
        private final Capture capture;
        private Pace pace = Pace.RECORDED;
        private double speed = 1;
        private int connections;
        private long requestLimit = Long.MAX_VALUE;
        private long durationNs = Long.MAX_VALUE;
        private long timeoutNs = 20_000_000_000L;
        private long spinNs = 200_000;
        private int loops = 1;
        private ThreadPlacement placement = ThreadPlacement.none();
        private Transport transport;
        private Rewrites rewrites;
        private IntervalSink intervals = IntervalSink.NONE;
        private long intervalNs = 1_000_000_000;

        private Builder(Capture capture) {
            this.capture = Objects.requireNonNull(capture, "capture");
        }

        /** When requests are sent; recorded by default. */
        public Builder pace(Pace pace) {
            this.pace = Objects.requireNonNull(pace, "pace");
            return this;
        }

        /** How many times as fast as recorded, at the recorded pace; 1 by default. */
        public Builder speed(double speed) {
            this.speed = speed;
            return this;
        }

        /**
         * Size of the pool of keep-alive connections to each target. 0, the default, keeps the recorded connections: each
         * becomes one connection with the same requests in the same order; it goes with the recorded pace only.
         */
        public Builder connections(int connections) {
            this.connections = connections;
            return this;
        }

        /** Ends the measured phase after so many requests to each target; the capture loops as needed. */
        public Builder requestLimit(long requests) {
            this.requestLimit = requests;
            return this;
        }

        /**
         * Ends the measured phase after this time; the capture loops as needed. Where neither this nor a request limit is
         * set, a ramp or steps end at their end, and for any other pace one pass over the capture is replayed.
         */
        public Builder durationNs(long durationNs) {
            this.durationNs = durationNs;
            return this;
        }

        /** How long an answer, and a connection attempt, may take; 20 s by default, 0 for ever. */
        public Builder timeoutNs(long timeoutNs) {
            this.timeoutNs = timeoutNs == 0 ? Long.MAX_VALUE : timeoutNs;
            return this;
        }

        /**
         * How long before an intended send the event loop polls instead of sleeping, since a sleep overshoots by the
         * kernel's timer slack and the wake-up of a halted core; 200 us by default. Polling needs a core for each loop
         * that is active at the same time: set 0 where there are fewer.
         */
        public Builder spinNs(long spinNs) {
            this.spinNs = spinNs;
            return this;
        }

        /**
         * How many event loops, each with a thread, the targets are spread over; 1 by default. More than there are cores
         * for them would make each other late; on one loop a request goes to all targets within microseconds.
         */
        public Builder loops(int loops) {
            this.loops = loops;
            return this;
        }

        /**
         * Where the loops' threads and all others run; applied when the first phase begins, and undone with the replayer.
         * Every thread stays where it is by default.
         */
        public Builder placement(ThreadPlacement placement) {
            this.placement = Objects.requireNonNull(placement, "placement");
            return this;
        }

        /** The kind of event loop; the best of this machine by default. */
        public Builder transport(Transport transport) {
            this.transport = transport;
            return this;
        }

        /**
         * What takes warm-up and measured phase second by second, on the run's thread; by default nobody. Each round ends
         * with an interval of its own, however short.
         */
        public Builder intervals(IntervalSink intervals) {
            this.intervals = Objects.requireNonNull(intervals, "intervals");
            return this;
        }

        /** How long an interval is, for tests that need many; a second by default. */
        Builder intervalNs(long intervalNs) {
            this.intervalNs = intervalNs;
            return this;
        }

        /** What is changed in requests before they are sent; null, the default, for nothing. Goes with HTTP/1 alone. */
        public Builder rewrites(Rewrites rewrites) {
            this.rewrites = rewrites;
            return this;
        }

        /** Any connection of a pool may get any request: all must be of one protocol, whose requests stand alone. */
        private Protocol pooledProtocol() {
            Protocol found = null;
            for (int connection = 0; connection < capture.connectionCount(); connection++) {
                if (capture.requestCount(connection) == 0) {
                    continue;
                }
                // Requests of other protocols than Thrift are HTTP/1, whatever the connection switched to behind them.
                Protocol protocol =
                        capture.protocol(connection).isThrift() ? capture.protocol(connection) : Protocol.HTTP1;
                if (found != null && found != protocol) {
                    throw new IllegalArgumentException("connections: a pool needs requests of one protocol, "
                            + capture.path() + " has " + found.label() + " and " + protocol.label()
                            + "; without -c and at the recorded pace the recorded connections are replayed,"
                            + " or keep one protocol with: replay filter"
                            + " --protocol " + found.label());
                }
                found = protocol;
            }
            return found;
        }

        private void checkContent() {
            if (capture.requestCount() > 0) {
                return;
            }
            if (connections > 0) {
                throw new IllegalArgumentException("connections: a pool needs complete requests, " + capture.path()
                        + " has none; leave the connections as recorded");
            }
            if (requestLimit != Long.MAX_VALUE) {
                throw new IllegalArgumentException("requests: there are none to count, " + capture.path()
                        + " has no complete request; set a duration, or replay one pass");
            }
            OpaquePieces opaque = capture.opaque();
            if (opaque.bytes() == opaque.bytesByHoles()) {
                throw new IllegalArgumentException(
                        "capture: must hold a complete request or bytes of another protocol, " + capture.path()
                                + " has none");
            }
        }

        /**
         * Returns the checked settings.
         *
         * @throws IllegalArgumentException naming the setting, the rule and the value
         */
        public ReplayConfig build() {
            checkContent();
            if (connections < 0) {
                throw new IllegalArgumentException("connections: must be 0 or more, is " + connections);
            }
            if (!(speed > 0) || Double.isInfinite(speed)) {
                throw new IllegalArgumentException("speed: must be a number above 0, is " + speed);
            }
            if (connections == 0 && !pace.equals(Pace.RECORDED)) {
                throw new IllegalArgumentException("connections: must be 1 or more at pace " + pace
                        + "; only the recorded pace keeps recorded ones");
            }
            if (requestLimit < 1) {
                throw new IllegalArgumentException("requests: must be 1 or more, is " + requestLimit);
            }
            if (durationNs < 1) {
                throw new IllegalArgumentException("duration: must be more than 0, is " + durationNs + " ns");
            }
            if (timeoutNs < 0) {
                throw new IllegalArgumentException("timeout: must be 0 or more, is " + timeoutNs + " ns");
            }
            if (spinNs < 0) {
                throw new IllegalArgumentException("spin: must be 0 or more, is " + spinNs + " ns");
            }
            if (loops < 1) {
                throw new IllegalArgumentException("loops: must be 1 or more, is " + loops);
            }
            if (requestLimit == Long.MAX_VALUE && durationNs == Long.MAX_VALUE) {
                if (pace.length().isPresent()) {
                    durationNs = pace.length().get().toNanos();
                } else {
                    requestLimit = capture.requestCount();
                }
            }
            if (rewrites != null) {
                rewrites.check(capture, connections > 0);
            }
            if (transport == null) {
                transport = Transport.best();
            }
            return new ReplayConfig(this);
        }
    }
}
