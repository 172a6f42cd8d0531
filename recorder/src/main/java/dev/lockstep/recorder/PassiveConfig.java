package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.protocol.StreamProtocol;
import dev.lockstep.redaction.RedactionPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

/** What a passive recording needs to know. Immutable and complete: {@link Builder#build()} checked every field. */
public final class PassiveConfig {
    /** The name that stands for every interface of the machine. */
    public static final String ANY_INTERFACE = "any";

    private final String interfaceName;
    private final int[] ports;
    private final Path capture;
    private final boolean overwrite;
    private final boolean append;
    private final CaptureOptions.Builder captureOptions;
    private final int snapBytes;
    private final int answerBytes;
    private final long ringBytes;
    private final Duration blockTimeout;
    private final StreamProtocol protocol;
    private final RedactionPolicy redaction;
    private final String toolVersion;

    private PassiveConfig(Builder builder) {
        this.interfaceName = builder.interfaceName;
        this.ports = builder.ports.clone();
        this.capture = builder.capture;
        this.overwrite = builder.overwrite;
        this.append = builder.append;
        this.captureOptions = builder.captureOptions;
        this.snapBytes = builder.snapBytes;
        this.answerBytes = builder.answerBytes();
        this.ringBytes = builder.ringBytes;
        this.blockTimeout = builder.blockTimeout;
        this.protocol = builder.protocol;
        this.redaction = builder.redaction;
        this.toolVersion = builder.toolVersion;
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

    /** Returns the file to write. */
    public Path capture() {
        return capture;
    }

    /** Tells whether an existing capture is gone on with, after its end was mended. */
    public boolean append() {
        return append;
    }

    /** Tells whether an existing file is replaced. */
    public boolean overwrite() {
        return overwrite;
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

    /** Returns the protocol of all connections, or null where each one's is recognised. */
    public StreamProtocol protocol() {
        return protocol;
    }

    /** Returns which values are replaced before they are written, or null where the bytes are kept as they are. */
    public RedactionPolicy redaction() {
        return redaction;
    }

    /** Returns the version that the capture file names as its recorder's, or null. */
    public String toolVersion() {
        return toolVersion;
    }

    CaptureOptions.Builder captureOptions() {
        return captureOptions;
    }

    /** Collects a {@link PassiveConfig}. Not thread-safe. */
    public static final class Builder {
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
        private static final int MAX_TOOL_VERSION = 60;

        private String interfaceName;
        private int[] ports = {};
        private Path capture;
        private boolean overwrite;
        private boolean append;
        private CaptureOptions.Builder captureOptions = CaptureOptions.builder();
        private int snapBytes = MAX_PACKET_BYTES;
        private int answerBytes;
        private long ringBytes = 64L << 20;
        private Duration blockTimeout = Duration.ofMillis(50);
        private StreamProtocol protocol;
        private RedactionPolicy redaction;
        private String toolVersion;

        private Builder() {}

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

        /** Sets the capture file to write. Required. */
        public Builder capture(Path path) {
            this.capture = path;
            return this;
        }

        /** Goes on in an existing capture, which a recorder that ended or was killed left; not unless set. */
        public Builder append(boolean existing) {
            this.append = existing;
            return this;
        }

        /** Allows to replace an existing capture file; by default it is refused. */
        public Builder overwrite(boolean allowed) {
            this.overwrite = allowed;
            return this;
        }

        /**
         * Sets how the capture is written: memory, compression, encryption, rotation, notes. The builder is handed over;
         * the recording completes it with what it records, its version and whether an existing file is replaced.
         */
        public Builder captureOptions(CaptureOptions.Builder options) {
            this.captureOptions = options;
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
         * set, all of them where {@link #protocol} is a Thrift one. Answers are not recorded: their first bytes tell where a
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

        /** Sets the protocol of all connections; each one's is recognised unless set. */
        public Builder protocol(StreamProtocol known) {
            this.protocol = known;
            return this;
        }

        /** Sets which values are replaced before they are written; none unless set. */
        public Builder redaction(RedactionPolicy policy) {
            this.redaction = policy;
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
         * @throws IllegalArgumentException when a value is out of range, one of the capture's options too
         */
        public PassiveConfig build() {
            Objects.requireNonNull(interfaceName, "interfaceName is required");
            Objects.requireNonNull(capture, "capture is required");
            Objects.requireNonNull(blockTimeout, "blockTimeout is required");
            if (append && overwrite) {
                throw new IllegalArgumentException("append must not be set together with overwrite, got both");
            }
            Objects.requireNonNull(captureOptions, "captureOptions must not be null");
            captureOptions.build();
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
            if (toolVersion != null && toolVersion.length() > MAX_TOOL_VERSION) {
                throw new IllegalArgumentException("toolVersion must have at most " + MAX_TOOL_VERSION
                        + " characters, got " + toolVersion.length());
            }
            return new PassiveConfig(this);
        }

        private int answerBytes() {
            if (answerBytes != 0) {
                return answerBytes;
            }
            boolean thrift = protocol != null && protocol.name().startsWith("THRIFT");
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
