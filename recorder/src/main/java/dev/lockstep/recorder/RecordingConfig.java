package dev.lockstep.recorder;

import dev.lockstep.capture.Nullable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import org.immutables.value.Value;

/** What a recording proxy needs to know. The addresses and the capture file have no default. */
@Value.Immutable
@SuppressWarnings("immutables:subtype") // The constructor that it warns of is not used.
public abstract class RecordingConfig extends CaptureConfig {
    private static final int MAX_EVENT_LOOPS = 1024;
    private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofHours(1);
    private static final Duration MAX_IDLE_TIMEOUT = Duration.ofDays(30);

    public static Builder builder() {
        return new Builder();
    }

    /** The address that clients connect to, resolved or not; port 0 takes a free one. */
    public abstract InetSocketAddress listen();

    /** The address of the service to record. An unresolved one is resolved once, at launch. */
    public abstract InetSocketAddress upstream();

    /** How many event loops, each with a thread of its own. */
    @Value.Default
    public int eventLoops() {
        return 1;
    }

    /** How long the upstream may take to accept a connection. */
    @Value.Default
    public Duration connectTimeout() {
        return Duration.ofSeconds(10);
    }

    /** What the proxy shows to clients that speak TLS to it; null where they speak plain TCP. */
    @Nullable
    public abstract TlsIdentity clientTls();

    /** How to speak TLS to the upstream; null for plain TCP. */
    @Nullable
    public abstract UpstreamTls upstreamTls();

    /** Whether connections begin with a PROXY protocol header; by default they do not. */
    @Value.Default
    public ProxyHeaderIn proxyHeaderIn() {
        return ProxyHeaderIn.NONE;
    }

    /** Which PROXY protocol header the upstream gets. */
    @Value.Default
    public ProxyHeaderOut proxyHeaderOut() {
        return ProxyHeaderOut.NONE;
    }

    /** How many connections may be open at once; further ones are reset and counted. 0 is no limit. */
    @Value.Default
    public int maxConnections() {
        return 0;
    }

    /** After how long without a byte in either direction a connection is closed. Zero is never. */
    @Value.Default
    public Duration idleTimeout() {
        return Duration.ZERO;
    }

    @Value.Check
    void check() {
        checkCapture();
        if (upstream().getPort() == 0) {
            throw new IllegalArgumentException("upstream must have a port of 1 to 65535, got " + upstream());
        }
        if (isSame(listen(), upstream())) {
            throw new IllegalArgumentException(
                    "upstream must not be the listen address, or the proxy would call itself, got " + upstream());
        }
        if (eventLoops() < 1 || eventLoops() > MAX_EVENT_LOOPS) {
            throw new IllegalArgumentException("eventLoops must be 1 to " + MAX_EVENT_LOOPS + ", got " + eventLoops());
        }
        if (connectTimeout().compareTo(Duration.ofMillis(1)) < 0
                || connectTimeout().compareTo(MAX_CONNECT_TIMEOUT) > 0) {
            throw new IllegalArgumentException("connectTimeout must be 1 ms to 1 hour, got " + connectTimeout());
        }
        if (maxConnections() < 0) {
            throw new IllegalArgumentException("maxConnections must be 0 or more, got " + maxConnections());
        }
        if (!idleTimeout().isZero()
                && (idleTimeout().compareTo(Duration.ofMillis(10)) < 0
                        || idleTimeout().compareTo(MAX_IDLE_TIMEOUT) > 0)) {
            throw new IllegalArgumentException("idleTimeout must be zero or 10 ms to 30 days, got " + idleTimeout());
        }
    }

    /** Whether a proxy that listens at one address and takes the other for its upstream would call itself. */
    public static boolean isSame(InetSocketAddress listen, InetSocketAddress upstream) {
        if (listen.equals(upstream)) {
            return true;
        }
        return !listen.isUnresolved()
                && !upstream.isUnresolved()
                && listen.getPort() == upstream.getPort()
                && listen.getAddress().isAnyLocalAddress()
                && isOfThisMachine(upstream.getAddress());
    }

    private static boolean isOfThisMachine(InetAddress address) {
        try {
            return address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /**
     * Not thread-safe. {@link #build} throws NullPointerException when a required field is missing and
     * IllegalArgumentException when a value is out of range, or the proxy would be its own upstream.
     */
    public static final class Builder extends ImmutableRecordingConfig.Builder
            implements CaptureConfig.Builder<Builder> {
        Builder() {}
    }
}
