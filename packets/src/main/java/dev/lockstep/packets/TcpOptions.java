package dev.lockstep.packets;

import java.time.Duration;
import java.util.Arrays;

/** What bounds a {@link TcpReassembler}, and what it knows of the network. Immutable. */
public final class TcpOptions {
    private final int[] serverPorts;
    /** The most bytes of one connection that wait for bytes before them. */
    final int connectionBufferBytes;
    /** The most bytes of all connections together that wait for bytes before them. */
    final long bufferBytes;
    /** The most connections followed at a time. */
    final int maxConnections;
    /** How long bytes may be late that the other side has acknowledged, in ns. */
    final long ackGraceNs;
    /** How long bytes may be late that nobody has acknowledged, in ns. */
    final long holeTimeoutNs;
    /** After how many ns without a packet a connection is given up. */
    final long idleTimeoutNs;

    private TcpOptions(Builder builder) {
        this.serverPorts = builder.serverPorts.clone();
        this.connectionBufferBytes = builder.connectionBufferBytes;
        this.bufferBytes = builder.bufferBytes;
        this.maxConnections = builder.maxConnections;
        this.ackGraceNs = builder.ackGrace.toNanos();
        this.holeTimeoutNs = builder.holeTimeout.toNanos();
        this.idleTimeoutNs = builder.idleTimeout.toNanos();
    }

    public static TcpOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Whether a port is one at which a server listens. */
    boolean isServerPort(int port) {
        for (int known : serverPorts) {
            if (known == port) {
                return true;
            }
        }
        return false;
    }

    /** Builds {@link TcpOptions}. For one thread. */
    public static final class Builder {
        private int[] serverPorts = {};
        private int connectionBufferBytes = 4 << 20;
        private long bufferBytes = 64L << 20;
        private int maxConnections = 1 << 20;
        private Duration ackGrace = Duration.ofMillis(50);
        private Duration holeTimeout = Duration.ofSeconds(10);
        private Duration idleTimeout = Duration.ofMinutes(10);

        private Builder() {}

        /** Names ports at which servers listen: they tell who is the client of a connection seen in its middle. */
        public Builder serverPorts(int... serverPorts) {
            this.serverPorts = serverPorts.clone();
            return this;
        }

        /** Bounds the bytes of one connection that wait for bytes before them; beyond it these are given up. */
        public Builder connectionBufferBytes(int connectionBufferBytes) {
            this.connectionBufferBytes = connectionBufferBytes;
            return this;
        }

        /** Bounds the bytes of all connections that wait for bytes before them. */
        public Builder bufferBytes(long bufferBytes) {
            this.bufferBytes = bufferBytes;
            return this;
        }

        /** Bounds the connections followed at a time, at about 400 bytes each; the longest idle one is given up. */
        public Builder maxConnections(int maxConnections) {
            this.maxConnections = maxConnections;
            return this;
        }

        /**
         * Sets how long bytes may be late that the other side has acknowledged: captures of several queues show an
         * acknowledgement before its data at times.
         */
        public Builder ackGrace(Duration ackGrace) {
            this.ackGrace = ackGrace;
            return this;
        }

        /** Sets how long bytes may be late that nobody has acknowledged. */
        public Builder holeTimeout(Duration holeTimeout) {
            this.holeTimeout = holeTimeout;
            return this;
        }

        /** Sets after which time without a packet a connection is given up. */
        public Builder idleTimeout(Duration idleTimeout) {
            this.idleTimeout = idleTimeout;
            return this;
        }

        /**
         * Returns the options.
         *
         * @throws IllegalArgumentException naming the field, the rule and the value
         */
        public TcpOptions build() {
            if (Arrays.stream(serverPorts).anyMatch(port -> port < 1 || port > 65535)) {
                throw new IllegalArgumentException(
                        "serverPorts must be from 1 to 65535, found " + Arrays.toString(serverPorts));
            }
            if (connectionBufferBytes < 64 << 10) {
                throw new IllegalArgumentException(
                        "connectionBufferBytes must be at least 65536 (64 KiB), found " + connectionBufferBytes);
            }
            if (bufferBytes < connectionBufferBytes) {
                throw new IllegalArgumentException("bufferBytes must be at least connectionBufferBytes, "
                        + connectionBufferBytes + ", found " + bufferBytes);
            }
            if (maxConnections < 1) {
                throw new IllegalArgumentException("maxConnections must be at least 1, found " + maxConnections);
            }
            check("ackGrace", ackGrace);
            check("holeTimeout", holeTimeout);
            check("idleTimeout", idleTimeout);
            return new TcpOptions(this);
        }

        private static void check(String field, Duration duration) {
            if (duration.isNegative() || duration.compareTo(Duration.ofDays(365)) > 0) {
                throw new IllegalArgumentException(field + " must be from 0 to 365 days, found " + duration);
            }
        }
    }
}
