package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.protocol.StreamProtocol;
import dev.lockstep.redaction.RedactionPolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** What to import, from where, into what. Immutable. */
public final class ImportConfig {
    /** Whose bytes an Envoy tap read: the client's where it sat on a listener, the server's where on a cluster. */
    public enum TapSide {
        /** Whoever speaks first on a connection is its client. */
        FIRST_TO_SPEAK,
        /** What Envoy read came from the client: a tap of a listener. */
        LISTENER,
        /** What Envoy wrote came from the client: a tap of a cluster. */
        CLUSTER
    }

    private static final double MAX_RATE = 1e9;

    private final List<Path> inputs;
    private final Path output;
    private final ImportFormat format;
    private final StreamProtocol protocol;
    private final Set<Integer> ports;
    private final double rate;
    private final String host;
    private final TapSide tapSide;
    private final RedactionPolicy redaction;
    private final CaptureOptions.Builder captureOptions;

    private ImportConfig(Builder builder) {
        this.inputs = List.copyOf(builder.inputs);
        this.output = builder.output;
        this.format = builder.format;
        this.protocol = builder.protocol;
        this.ports = Set.copyOf(builder.ports);
        this.rate = builder.rate;
        this.host = builder.host;
        this.tapSide = builder.tapSide;
        this.redaction = builder.redaction;
        this.captureOptions = builder.captureOptions;
    }

    /** Returns a builder; inputs and output are required. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the files, all of one format; their entries are ordered by time. */
    public List<Path> inputs() {
        return inputs;
    }

    /** Returns the capture file to write. */
    public Path output() {
        return output;
    }

    /** Returns the format of the files, or null to recognise it. */
    public ImportFormat format() {
        return format;
    }

    /** Returns the protocol of all connections, or null to recognise each one's. */
    public StreamProtocol protocol() {
        return protocol;
    }

    /** Returns the servers' ports whose packets are taken, all when empty. */
    public Set<Integer> ports() {
        return ports;
    }

    /** Returns how many requests per second are made of files that say no times. */
    public double rate() {
        return rate;
    }

    /** Returns the Host of requests whose file does not say it. */
    public String host() {
        return host;
    }

    /** Returns on which side of Envoy a tap sat. */
    public TapSide tapSide() {
        return tapSide;
    }

    /** Returns which values to replace, or null to keep the bytes exact. */
    public RedactionPolicy redaction() {
        return redaction;
    }

    /** Returns the options of the capture, beside those that the import itself sets. */
    public CaptureOptions.Builder captureOptions() {
        return captureOptions;
    }

    /** Builds {@link ImportConfig}. For one thread. */
    public static final class Builder {
        private List<Path> inputs = List.of();
        private Path output;
        private ImportFormat format;
        private StreamProtocol protocol;
        private Set<Integer> ports = Set.of();
        private double rate = 100;
        private String host = "localhost";
        private TapSide tapSide = TapSide.FIRST_TO_SPEAK;
        private RedactionPolicy redaction;
        private CaptureOptions.Builder captureOptions = CaptureOptions.builder();

        private Builder() {}

        /** Sets the files to read, at least one. */
        public Builder inputs(List<Path> inputs) {
            this.inputs = inputs;
            return this;
        }

        /** Sets the capture file to write. */
        public Builder output(Path output) {
            this.output = output;
            return this;
        }

        /** Forces the format; null recognises it by the first file's content. */
        public Builder format(ImportFormat format) {
            this.format = format;
            return this;
        }

        /** Forces the protocol of all connections; null recognises each one's. */
        public Builder protocol(StreamProtocol protocol) {
            this.protocol = protocol;
            return this;
        }

        /** Takes only packets of servers at these ports; the default is all. */
        public Builder ports(Set<Integer> ports) {
            this.ports = ports;
            return this;
        }

        /** Sets the requests per second of files without times; the default is 100. */
        public Builder rate(double rate) {
            this.rate = rate;
            return this;
        }

        /** Sets the Host of requests whose file does not say it; the default is {@code localhost}. */
        public Builder host(String host) {
            this.host = host;
            return this;
        }

        /** Sets on which side of Envoy a tap sat; the default goes by who speaks first. */
        public Builder tapSide(TapSide tapSide) {
            this.tapSide = tapSide;
            return this;
        }

        /** Sets which values to replace; null, the default, keeps the bytes exact. */
        public Builder redaction(RedactionPolicy redaction) {
            this.redaction = redaction;
            return this;
        }

        /** Sets the options of the capture, such as compression; the import itself sets its start. */
        public Builder captureOptions(CaptureOptions.Builder captureOptions) {
            this.captureOptions = captureOptions;
            return this;
        }

        /**
         * Returns the checked configuration.
         *
         * @throws IllegalArgumentException naming the field, the rule and the value
         */
        public ImportConfig build() {
            if (inputs.isEmpty()) {
                throw new IllegalArgumentException("inputs must name at least one file, found none");
            }
            if (output == null) {
                throw new IllegalArgumentException("output must name a file, found none");
            }
            if (!(rate > 0 && rate <= MAX_RATE)) {
                throw new IllegalArgumentException("rate must be above 0 and at most 1e9 requests/s, found " + rate);
            }
            if (!RequestText.isHost(host)) {
                throw new IllegalArgumentException(
                        "host must be a name or address with or without a port, found '" + host + "'");
            }
            for (int port : ports) {
                if (port < 1 || port > 0xFFFF) {
                    throw new IllegalArgumentException("ports must be from 1 to 65535, found " + port);
                }
            }
            return new ImportConfig(this);
        }
    }
}
