package dev.lockstep.recorder;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

/** What a passive recording needs to know. Immutable and complete: {@link Builder#build()} checked every field. */
public final class PassiveConfig extends CaptureConfig {
    /** The name that stands for every interface of the machine. */
    public static final String ANY_INTERFACE = "any";

    private final String interfaceName;
    private final int[] ports;
    private final int snapBytes;
    private final int answerBytes;
    private final long ringBytes;
    private final Duration blockTimeout;

    private PassiveConfig(Builder builder) {
        super(builder);
        this.interfaceName = builder.interfaceName;
        this.ports = builder.ports.clone();
        this.snapBytes = builder.snapBytes;
        this.answerBytes = builder.answerBytes();
        this.ringBytes = builder.ringBytes;
        this.blockTimeout = builder.blockTimeout;
    }

    /** Returns a builder without interface, ports and capture path, which have no default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the name of the network interface that the traffic passes, or {@link #ANY_INTERFACE}. */
    public String interfaceName() {
        return interfaceName;
    }

    /** Returns the TCP ports of the services that are recorded. */
    public int[] ports() {
        return ports.clone();
    }

    /** Returns how many bytes of a packet are looked at, counted from its IP header. */
    public int snapBytes() {
        return snapBytes;
    }

    /** Returns how many bytes of a packet from the service are looked at, counted from its IP header. */
    public int answerBytes() {
        return answerBytes;
    }

    /** Returns the size of the ring that the kernel puts packets into. */
    public long ringBytes() {
        return ringBytes;
    }

    /** Returns how long a packet may wait in the ring before it is looked at. */
    public Duration blockTimeout() {
        return blockTimeout;
    }

    /** Collects a {@link PassiveConfig}. Not thread-safe. */
    public static final class Builder extends CaptureConfig.Builder<Builder> {
        private static final int MAX_PORTS = 32;
        private static final int MAX_PORT = 65535;
        /** The kernel's IFNAMSIZ, less its zero. */
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

        private String interfaceName;
        private int[] ports = {};
        private int snapBytes = MAX_PACKET_BYTES;
        private int answerBytes;
        private long ringBytes = 64L << 20;
        private Duration blockTimeout = Duration.ofMillis(50);

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /** Sets the network interface that the traffic passes, or {@link #ANY_INTERFACE}. Required. */
        public Builder interfaceName(String name) {
            this.interfaceName = name;
            return this;
        }

        /** Sets the TCP ports of the services to record, 1 to 32 of them. Required. */
        public Builder ports(int... numbers) {
            this.ports = numbers.clone();
            return this;
        }

        /**
         * Sets how many bytes of a packet are looked at, counted from its IP header; 1 MiB unless set, which is all of
         * any packet. Bytes of clients beyond it count as missing.
         */
        public Builder snapBytes(int bytes) {
            this.snapBytes = bytes;
            return this;
        }

        /**
         * Sets how many bytes of a packet from the service are looked at, counted from its IP header; 2048 unless
         * set, all of them where {@link #protocol(dev.lockstep.protocol.StreamProtocol) protocol} is a Thrift one. Answers are not recorded: their first bytes tell where a
         * connection changes its protocol, and Thrift's names in them which calls get none.
         */
        public Builder answerBytes(int bytes) {
            this.answerBytes = bytes;
            return this;
        }

        /**
         * Sets the size of the ring that the kernel puts packets into, 1 MiB to 16 GiB; 64 MiB unless set. It must hold
         * what comes while the recorder cannot run; when it is full, the kernel drops packets and counts them.
         */
        public Builder ringBytes(long bytes) {
            this.ringBytes = bytes;
            return this;
        }

        /**
         * Sets how long a packet may wait in the ring before it is looked at, 1 ms to 1 s; 50 ms unless set. Longer
         * spares wake-ups where traffic is thin.
         */
        public Builder blockTimeout(Duration timeout) {
            this.blockTimeout = timeout;
            return this;
        }

        /**
         * Returns the checked configuration.
         *
         * @throws NullPointerException when a required field is missing
         * @throws IllegalArgumentException when a value is out of range, one of the capture's options too
         */
        public PassiveConfig build() {
            Objects.requireNonNull(interfaceName, "interfaceName is required");
            check();
            Objects.requireNonNull(blockTimeout, "blockTimeout is required");
            int nameBytes = interfaceName.getBytes(StandardCharsets.UTF_8).length;
            if (nameBytes < 1 || nameBytes > MAX_INTERFACE_NAME) {
                throw new IllegalArgumentException(
                        "interfaceName must have 1 to " + MAX_INTERFACE_NAME + " bytes, got '" + interfaceName + "'");
            }
            if (ports.length < 1 || ports.length > MAX_PORTS) {
                throw new IllegalArgumentException("ports must be 1 to " + MAX_PORTS + ", got " + ports.length);
            }
            if (Arrays.stream(ports).anyMatch(port -> port < 1 || port > MAX_PORT)) {
                throw new IllegalArgumentException(
                        "ports must each be 1 to " + MAX_PORT + ", got " + Arrays.toString(ports));
            }
            checkPacketBytes("snapBytes", snapBytes);
            checkPacketBytes("answerBytes", answerBytes());
            if (ringBytes < MIN_RING_BYTES || ringBytes > MAX_RING_BYTES) {
                throw new IllegalArgumentException("ringBytes must be 1 MiB to 16 GiB, got " + ringBytes + " bytes");
            }
            if (blockTimeout.compareTo(Duration.ofMillis(1)) < 0 || blockTimeout.compareTo(MAX_BLOCK_TIMEOUT) > 0) {
                throw new IllegalArgumentException("blockTimeout must be 1 ms to 1 s, got " + blockTimeout);
            }
            return new PassiveConfig(this);
        }

        private int answerBytes() {
            if (answerBytes != 0) {
                return answerBytes;
            }
            boolean thrift = protocol() != null && protocol().name().startsWith("THRIFT");
            return thrift ? MAX_PACKET_BYTES : ANSWER_BYTES;
        }

        private static void checkPacketBytes(String field, int bytes) {
            if (bytes < MIN_PACKET_BYTES || bytes > MAX_PACKET_BYTES) {
                throw new IllegalArgumentException(
                        field + " must be " + MIN_PACKET_BYTES + " to " + MAX_PACKET_BYTES + ", got " + bytes);
            }
        }
    }
}
