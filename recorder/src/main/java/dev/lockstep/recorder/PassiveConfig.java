package dev.lockstep.recorder;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.immutables.value.Value;

/** What a passive recording needs to know. The interface, the ports and the capture file have no default. */
@Value.Immutable
@SuppressWarnings("immutables:subtype") // The constructor that it warns of is not used.
public abstract class PassiveConfig extends CaptureConfig {
    /** Every interface of the machine. */
    public static final String ANY_INTERFACE = "any";

    private static final int MAX_PORTS = 32;
    private static final int MAX_PORT = 65535;
    /** The kernel's IFNAMSIZ without the zero at its end. */
    private static final int MAX_INTERFACE_NAME = 15;

    /** The longest IPv6 and TCP headers with a few options. */
    private static final int MIN_PACKET_BYTES = 128;

    /** More than any packet: the largest that Linux builds has 512 KiB. */
    private static final int MAX_PACKET_BYTES = 1 << 20;

    /** Holds an Ethernet packet, unless the kernel has merged it with others. */
    private static final int ANSWER_BYTES = 2048;

    private static final long MIN_RING_BYTES = 1L << 20;
    private static final long MAX_RING_BYTES = 16L << 30;
    private static final Duration MAX_BLOCK_TIMEOUT = Duration.ofSeconds(1);

    public static Builder builder() {
        return new Builder();
    }

    /** The network interface that the traffic passes, or {@link #ANY_INTERFACE}. */
    public abstract String interfaceName();

    /** The TCP ports of the services to record, 1 to 32 of them. */
    public abstract int[] ports();

    /**
     * How many bytes of a packet to look at, counted from its IP header; by default all of any packet. Bytes of clients
     * beyond it count as missing.
     */
    @Value.Default
    public int snapBytes() {
        return MAX_PACKET_BYTES;
    }

    /**
     * How many bytes of a packet from the service to look at, counted from its IP header; by default all where
     * {@link #protocol} is a Thrift one. Answers are not recorded. Their first bytes tell where a connection changes
     * its protocol, and the names in those of Thrift tell which calls get no answer.
     */
    @Value.Default
    public int answerBytes() {
        return protocol() != null && protocol().isThrift() ? MAX_PACKET_BYTES : ANSWER_BYTES;
    }

    /**
     * The size of the ring into which the kernel puts packets, 1 MiB to 16 GiB. It must hold what comes while the
     * recorder cannot run. The kernel drops and counts packets when it is full.
     */
    @Value.Default
    public long ringBytes() {
        return 64L << 20;
    }

    /**
     * How long a packet may wait in the ring before it is looked at, 1 ms to 1 s. A longer time spares wake-ups where
     * traffic is thin.
     */
    @Value.Default
    public Duration blockTimeout() {
        return Duration.ofMillis(50);
    }

    @Value.Check
    void check() {
        checkCapture();
        int nameBytes = interfaceName().getBytes(StandardCharsets.UTF_8).length;
        if (nameBytes < 1 || nameBytes > MAX_INTERFACE_NAME) {
            throw new IllegalArgumentException(
                    "interfaceName must have 1 to " + MAX_INTERFACE_NAME + " bytes, got '" + interfaceName() + "'");
        }
        int[] ports = ports();
        if (ports.length < 1 || ports.length > MAX_PORTS) {
            throw new IllegalArgumentException("ports must be 1 to " + MAX_PORTS + ", got " + ports.length);
        }
        if (Arrays.stream(ports).anyMatch(port -> port < 1 || port > MAX_PORT)) {
            throw new IllegalArgumentException(
                    "ports must each be 1 to " + MAX_PORT + ", got " + Arrays.toString(ports));
        }
        checkPacketBytes("snapBytes", snapBytes());
        checkPacketBytes("answerBytes", answerBytes());
        if (ringBytes() < MIN_RING_BYTES || ringBytes() > MAX_RING_BYTES) {
            throw new IllegalArgumentException("ringBytes must be 1 MiB to 16 GiB, got " + ringBytes() + " bytes");
        }
        if (blockTimeout().compareTo(Duration.ofMillis(1)) < 0 || blockTimeout().compareTo(MAX_BLOCK_TIMEOUT) > 0) {
            throw new IllegalArgumentException("blockTimeout must be 1 ms to 1 s, got " + blockTimeout());
        }
    }

    private static void checkPacketBytes(String field, int bytes) {
        if (bytes < MIN_PACKET_BYTES || bytes > MAX_PACKET_BYTES) {
            throw new IllegalArgumentException(
                    field + " must be " + MIN_PACKET_BYTES + " to " + MAX_PACKET_BYTES + ", got " + bytes);
        }
    }

    /**
     * Not thread-safe. {@link #build} throws NullPointerException when a required field is missing and
     * IllegalArgumentException when a value is out of range.
     */
    public static final class Builder extends ImmutablePassiveConfig.Builder implements CaptureConfig.Builder<Builder> {
        Builder() {}
    }
}
