package dev.lockstep.recorder;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;

/** What a recording needs to know. Immutable and complete: {@link Builder#build()} checked every field. */
public final class RecordingConfig extends CaptureConfig {
    private final InetSocketAddress listen;
    private final InetSocketAddress upstream;
    private final int eventLoops;
    private final Duration connectTimeout;
    private final TlsIdentity clientTls;
    private final UpstreamTls upstreamTls;
    private final ProxyHeaderIn proxyHeaderIn;
    private final ProxyHeaderOut proxyHeaderOut;
    private final int maxConnections;
    private final Duration idleTimeout;

    private RecordingConfig(Builder builder) {
        super(builder);
        this.listen = builder.listen;
        this.upstream = builder.upstream;
        this.eventLoops = builder.eventLoops;
        this.connectTimeout = builder.connectTimeout;
        this.clientTls = builder.clientTls;
        this.upstreamTls = builder.upstreamTls;
        this.proxyHeaderIn = builder.proxyHeaderIn;
        this.proxyHeaderOut = builder.proxyHeaderOut;
        this.maxConnections = builder.maxConnections;
        this.idleTimeout = builder.idleTimeout;
    }

    /** Returns a builder without addresses and capture path, which have no default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the address that clients connect to, maybe unresolved; port 0 takes a free one. */
    public InetSocketAddress listen() {
        return listen;
    }

    /** Returns the address of the service that is recorded, maybe unresolved. */
    public InetSocketAddress upstream() {
        return upstream;
    }

    /** Returns the number of event loops, each with a thread of its own. */
    public int eventLoops() {
        return eventLoops;
    }

    /** Returns how long the upstream may take to accept a connection. */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /** Returns what the proxy shows to its clients over TLS, or null when clients come without TLS. */
    public TlsIdentity clientTls() {
        return clientTls;
    }

    /** Returns how the upstream is spoken to over TLS, or null when it is without TLS. */
    public UpstreamTls upstreamTls() {
        return upstreamTls;
    }

    /** Returns whether connections begin with a PROXY protocol header. */
    public ProxyHeaderIn proxyHeaderIn() {
        return proxyHeaderIn;
    }

    /** Returns which PROXY protocol header the upstream gets. */
    public ProxyHeaderOut proxyHeaderOut() {
        return proxyHeaderOut;
    }

    /** Returns how many connections may be open at once; 0 when there is no limit. */
    public int maxConnections() {
        return maxConnections;
    }

    /** Returns after how long without a byte in either direction a connection is closed; zero for never. */
    public Duration idleTimeout() {
        return idleTimeout;
    }

    /** Collects a {@link RecordingConfig}. Not thread-safe. */
    public static final class Builder extends CaptureConfig.Builder<Builder> {
        private static final int MAX_EVENT_LOOPS = 1024;
        private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofHours(1);
        private static final Duration MAX_IDLE_TIMEOUT = Duration.ofDays(30);

        private InetSocketAddress listen;
        private InetSocketAddress upstream;
        private int eventLoops = 1;
        private Duration connectTimeout = Duration.ofSeconds(10);
        private TlsIdentity clientTls;
        private UpstreamTls upstreamTls;
        private ProxyHeaderIn proxyHeaderIn = ProxyHeaderIn.NONE;
        private ProxyHeaderOut proxyHeaderOut = ProxyHeaderOut.NONE;
        private int maxConnections;
        private Duration idleTimeout = Duration.ZERO;

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /** Sets the address to listen on, resolved or not; port 0 takes a free one. Required. */
        public Builder listen(InetSocketAddress address) {
            this.listen = address;
            return this;
        }

        /**
         * Sets the address of the service to record. Required. An unresolved address is resolved once, when the
         * recording is launched.
         */
        public Builder upstream(InetSocketAddress address) {
            this.upstream = address;
            return this;
        }

        /** Sets the number of event loops; 1 unless set. */
        public Builder eventLoops(int count) {
            this.eventLoops = count;
            return this;
        }

        /** Sets how long the upstream may take to accept a connection; 10 s unless set. */
        public Builder connectTimeout(Duration timeout) {
            this.connectTimeout = timeout;
            return this;
        }

        /** Takes TLS from clients and shows them this identity; plain TCP unless set. */
        public Builder clientTls(TlsIdentity identity) {
            this.clientTls = identity;
            return this;
        }

        /** Speaks TLS to the upstream; plain TCP unless set. */
        public Builder upstreamTls(UpstreamTls tls) {
            this.upstreamTls = tls;
            return this;
        }

        /** Sets whether connections begin with a PROXY protocol header; they do not unless set. */
        public Builder proxyHeaderIn(ProxyHeaderIn expected) {
            this.proxyHeaderIn = expected;
            return this;
        }

        /** Sets which PROXY protocol header the upstream gets; none unless set. */
        public Builder proxyHeaderOut(ProxyHeaderOut sent) {
            this.proxyHeaderOut = sent;
            return this;
        }

        /** Limits how many connections are open at once; further ones are reset and counted. 0, the default: no limit. */
        public Builder maxConnections(int limit) {
            this.maxConnections = limit;
            return this;
        }

        /** Closes connections on which no byte came in either direction for so long. Zero, the default: never. */
        public Builder idleTimeout(Duration timeout) {
            this.idleTimeout = timeout;
            return this;
        }

        /**
         * Returns the checked configuration.
         *
         * @throws NullPointerException when a required field is missing
         * @throws IllegalArgumentException when a value is out of range, one of the capture's options too, or the proxy
         *     would be its own upstream
         */
        public RecordingConfig build() {
            Objects.requireNonNull(listen, "listen is required");
            Objects.requireNonNull(upstream, "upstream is required");
            check();
            Objects.requireNonNull(connectTimeout, "connectTimeout is required");
            if (upstream.getPort() == 0) {
                throw new IllegalArgumentException("upstream must have a port of 1 to 65535, got " + upstream);
            }
            if (isSame(listen, upstream)) {
                throw new IllegalArgumentException(
                        "upstream must not be the listen address, or the proxy would call itself, got " + upstream);
            }
            if (eventLoops < 1 || eventLoops > MAX_EVENT_LOOPS) {
                throw new IllegalArgumentException(
                        "eventLoops must be 1 to " + MAX_EVENT_LOOPS + ", got " + eventLoops);
            }
            if (connectTimeout.compareTo(Duration.ofMillis(1)) < 0
                    || connectTimeout.compareTo(MAX_CONNECT_TIMEOUT) > 0) {
                throw new IllegalArgumentException("connectTimeout must be 1 ms to 1 hour, got " + connectTimeout);
            }
            Objects.requireNonNull(proxyHeaderIn, "proxyHeaderIn must not be null");
            Objects.requireNonNull(proxyHeaderOut, "proxyHeaderOut must not be null");
            Objects.requireNonNull(idleTimeout, "idleTimeout must not be null");
            if (maxConnections < 0) {
                throw new IllegalArgumentException("maxConnections must be 0 or more, got " + maxConnections);
            }
            if (!idleTimeout.isZero()
                    && (idleTimeout.compareTo(Duration.ofMillis(10)) < 0
                            || idleTimeout.compareTo(MAX_IDLE_TIMEOUT) > 0)) {
                throw new IllegalArgumentException("idleTimeout must be zero or 10 ms to 30 days, got " + idleTimeout);
            }
            return new RecordingConfig(this);
        }

        private static boolean isSame(InetSocketAddress listen, InetSocketAddress upstream) {
            boolean everyAddress = !listen.isUnresolved() && listen.getAddress().isAnyLocalAddress();
            boolean thisMachine = !upstream.isUnresolved()
                    && (upstream.getAddress().isLoopbackAddress()
                            || upstream.getAddress().isAnyLocalAddress());
            return listen.equals(upstream) || everyAddress && thisMachine && listen.getPort() == upstream.getPort();
        }
    }
}
