package dev.lockstep.recorder;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/** What a recording needs to know. Immutable and complete: {@link Builder#build()} checked every field. */
public final class RecordingConfig {
    private final InetSocketAddress listen;
    private final InetSocketAddress upstream;
    private final Path capture;
    private final boolean overwrite;
    private final int eventLoops;
    private final Duration connectTimeout;
    private final String toolVersion;

    private RecordingConfig(Builder builder) {
        this.listen = builder.listen;
        this.upstream = builder.upstream;
        this.capture = builder.capture;
        this.overwrite = builder.overwrite;
        this.eventLoops = builder.eventLoops;
        this.connectTimeout = builder.connectTimeout;
        this.toolVersion = builder.toolVersion;
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

    /** Returns the file to write. */
    public Path capture() {
        return capture;
    }

    /** Tells whether an existing file is replaced. */
    public boolean overwrite() {
        return overwrite;
    }

    /** Returns the number of event loops, each with a thread of its own. */
    public int eventLoops() {
        return eventLoops;
    }

    /** Returns how long the upstream may take to accept a connection. */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /** Returns the version that the capture file names as its recorder's, or null. */
    public String toolVersion() {
        return toolVersion;
    }

    /** Collects a {@link RecordingConfig}. Not thread-safe. */
    public static final class Builder {
        private static final int MAX_EVENT_LOOPS = 1024;
        private static final int MAX_TOOL_VERSION = 60;
        private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofHours(1);

        private InetSocketAddress listen;
        private InetSocketAddress upstream;
        private Path capture;
        private boolean overwrite;
        private int eventLoops = 1;
        private Duration connectTimeout = Duration.ofSeconds(10);
        private String toolVersion;

        private Builder() {}

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

        /** Sets the capture file to write. Required. */
        public Builder capture(Path path) {
            this.capture = path;
            return this;
        }

        /** Allows to replace an existing capture file; by default it is refused. */
        public Builder overwrite(boolean allowed) {
            this.overwrite = allowed;
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

        /** Sets the version that the capture file names as its recorder's; none unless set. */
        public Builder toolVersion(String version) {
            this.toolVersion = version;
            return this;
        }

        /**
         * Returns the checked configuration.
         *
         * @throws NullPointerException when a required field is missing
         * @throws IllegalArgumentException when a value is out of range, or the proxy would be its own upstream
         */
        public RecordingConfig build() {
            Objects.requireNonNull(listen, "listen is required");
            Objects.requireNonNull(upstream, "upstream is required");
            Objects.requireNonNull(capture, "capture is required");
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
            if (toolVersion != null && toolVersion.length() > MAX_TOOL_VERSION) {
                throw new IllegalArgumentException("toolVersion must have at most " + MAX_TOOL_VERSION
                        + " characters, got " + toolVersion.length());
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
