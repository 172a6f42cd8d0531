package dev.lockstep.packets;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** What bounds a {@link TcpReassembler}, and what it knows of the network. Immutable. */
public final class TcpOptions {
    private final int[] serverPorts;
    /** The most bytes of one connection that wait for bytes before them. */
    final int connectionBufferBytes;
    /** The most bytes of all connections together that wait for bytes before them. */
    final long bufferBytes;
    /** The most connections followed at a time. */
    final int maxConnections;

    final long idleTimeoutNs;

    private TcpOptions(Builder builder) {
        this.serverPorts = builder.serverPorts.clone();
        this.connectionBufferBytes = builder.connectionBufferBytes;
        this.bufferBytes = builder.bufferBytes;
        this.maxConnections = builder.maxConnections;
        this.idleTimeoutNs = builder.idleTimeoutNs;
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
        private long idleTimeoutNs = TimeUnit.MINUTES.toNanos(10);

        private Builder() {}

        /**
         * After how long without a packet an open connection is given up; one of which a side has sent its FIN after 10
         * minutes at most.
         */
        public Builder idleTimeout(Duration idleTimeout) {
            this.idleTimeoutNs = idleTimeout.toNanos();
            return this;
        }

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
            return new TcpOptions(this);
        }
    }
}
