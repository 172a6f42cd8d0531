package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.Protocol;
import dev.lockstep.redaction.RedactionPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Which requests and connections of which captures go into another capture. Immutable. */
public final class FilterConfig {
    private static final int MAX_NOTE_BYTES = 255;

    private final List<Path> inputs;
    private final Path output;
    private final long fromNs;
    private final long toNs;
    private final Instant fromTime;
    private final Instant toTime;
    private final Set<Protocol> protocols;
    private final Set<String> methods;
    private final List<Pattern> paths;
    private final List<Pattern> thriftMethods;
    private final Set<Integer> connections;
    private final double sample;
    private final long seed;
    private final long limit;
    private final RedactionPolicy redaction;
    private final EncryptionKey key;
    private final CaptureOptions.Builder captureOptions;
    private final List<String> words;

    private FilterConfig(Builder builder) {
        this.inputs = List.copyOf(builder.inputs);
        this.output = builder.output;
        this.fromNs = builder.fromNs;
        this.toNs = builder.toNs;
        this.fromTime = builder.fromTime;
        this.toTime = builder.toTime;
        this.protocols = Set.copyOf(builder.protocols);
        this.methods = Set.copyOf(builder.methods);
        this.paths = List.copyOf(builder.paths);
        this.thriftMethods = List.copyOf(builder.thriftMethods);
        this.connections = Set.copyOf(builder.connections);
        this.sample = builder.sample;
        this.seed = builder.seed;
        this.limit = builder.limit;
        this.redaction = builder.redaction;
        this.key = builder.key;
        this.captureOptions = builder.captureOptions;
        this.words = words(builder);
    }

    /** Returns a builder; inputs and output are required, and without more everything is taken. */
    public static Builder builder() {
        return new Builder();
    }

    private static List<String> words(Builder builder) {
        List<String> words = new ArrayList<>();
        if (builder.fromNs > 0 || builder.fromTime != null) {
            words.add("from " + (builder.fromTime != null ? builder.fromTime : builder.fromNs / 1e9 + " s"));
        }
        if (builder.toNs < Long.MAX_VALUE || builder.toTime != null) {
            words.add("to " + (builder.toTime != null ? builder.toTime : builder.toNs / 1e9 + " s"));
        }
        if (!builder.protocols.isEmpty()) {
            words.add("protocol "
                    + builder.protocols.stream().map(Protocol::label).sorted().collect(Collectors.joining(" ")));
        }
        if (!builder.methods.isEmpty()) {
            words.add("method " + String.join(" ", new TreeSet<>(builder.methods)));
        }
        if (!builder.paths.isEmpty()) {
            words.add("path " + builder.paths.stream().map(Pattern::pattern).collect(Collectors.joining(" ")));
        }
        if (!builder.thriftMethods.isEmpty()) {
            words.add("Thrift "
                    + builder.thriftMethods.stream().map(Pattern::pattern).collect(Collectors.joining(" ")));
        }
        if (!builder.connections.isEmpty()) {
            words.add("connections "
                    + builder.connections.stream().sorted().map(String::valueOf).collect(Collectors.joining(" ")));
        }
        if (builder.limit < Long.MAX_VALUE) {
            words.add("the first " + builder.limit + " requests");
        }
        return words;
    }

    /** Returns the captures, read one behind the other. */
    public List<Path> inputs() {
        return inputs;
    }

    /** Returns the capture to write. */
    public Path output() {
        return output;
    }

    /** Returns the policy by which values are replaced, or null. */
    public RedactionPolicy redaction() {
        return redaction;
    }

    EncryptionKey key() {
        return key;
    }

    CaptureOptions.Builder captureOptions() {
        return captureOptions;
    }

    long limit() {
        return limit;
    }

    /** Tells whether single requests are chosen by what they say, so that bytes of no request are left out. */
    boolean choosesByName() {
        return !protocols.isEmpty() || choosesByWords();
    }

    private boolean choosesByWords() {
        return !methods.isEmpty() || !paths.isEmpty() || !thriftMethods.isEmpty();
    }

    /** Tells whether bytes of no request are wanted, on a connection of a protocol. */
    boolean wantsOpaque(Protocol protocol) {
        return !choosesByWords() && wantsProtocol(protocol);
    }

    private boolean wantsProtocol(Protocol protocol) {
        return protocols.isEmpty() || protocols.contains(protocol);
    }

    boolean needsThriftName() {
        return !thriftMethods.isEmpty();
    }

    /** Tells whether requests are chosen at all, or only whole connections. */
    boolean choosesRequests() {
        return choosesByName()
                || fromNs > 0
                || toNs < Long.MAX_VALUE
                || fromTime != null
                || toTime != null
                || limit < Long.MAX_VALUE;
    }

    /** Tells whether a time is wanted, in ns since the first capture's start and since 1970. */
    boolean wantsTime(long timeNs, long epochNs) {
        return timeNs >= fromNs
                && timeNs < toNs
                && (fromTime == null || epochNs >= ns(fromTime))
                && (toTime == null || epochNs < ns(toTime));
    }

    /** Tells whether no later time is wanted. */
    boolean endsBefore(long timeNs) {
        return timeNs >= toNs;
    }

    private static long ns(Instant instant) {
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }

    boolean wantsName(Protocol protocol, String method, String path, String thriftMethod) {
        return wantsProtocol(protocol)
                && (methods.isEmpty() || method != null && methods.contains(method))
                && (paths.isEmpty() || path != null && matches(paths, path))
                && (thriftMethods.isEmpty()
                        || thriftMethod != null
                                && (matches(thriftMethods, thriftMethod)
                                        || matches(
                                                thriftMethods,
                                                thriftMethod.substring(thriftMethod.lastIndexOf(':') + 1))));
    }

    private static boolean matches(List<Pattern> patterns, String text) {
        for (Pattern pattern : patterns) {
            if (pattern.matcher(text).matches()) {
                return true;
            }
        }
        return false;
    }

    /** Tells whether a connection is wanted, by its number over all captures. */
    boolean wantsConnection(int connection) {
        return (connections.isEmpty() || connections.contains(connection))
                && (sample >= 1 || share(connection) < sample);
    }

    /** Returns a number of [0, 1) that is as good as random and always the same for a connection and seed. */
    private double share(int connection) {
        // SplitMix64 (Steele, Lea, Flood 2014).
        long z = seed + (connection + 1L) * 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return ((z ^ z >>> 31) >>> 11) * 0x1.0p-53;
    }

    /** Returns the filters for the capture's header, behind those of before; null for none. */
    String filtersNote(String before) {
        List<String> all = new ArrayList<>();
        if (before != null) {
            all.add(before);
        }
        all.addAll(words);
        return all.isEmpty() ? null : cut(String.join(", ", all));
    }

    /** Returns how connections are sampled for the capture's header, behind how they were before; null for not. */
    String samplingNote(String before) {
        if (sample >= 1) {
            return before;
        }
        String now = String.format(Locale.ROOT, "%s%% of the connections, seed %d", number(100 * sample), seed);
        return cut(before == null ? now : before + ", then " + now);
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    static String cut(String text) {
        String kept = text;
        while (kept.getBytes(StandardCharsets.UTF_8).length > MAX_NOTE_BYTES) {
            kept = kept.substring(0, Math.min(kept.length() - 1, MAX_NOTE_BYTES));
        }
        return kept;
    }

    /** Builds {@link FilterConfig}. For one thread. */
    public static final class Builder {
        private List<Path> inputs = List.of();
        private Path output;
        private long fromNs;
        private long toNs = Long.MAX_VALUE;
        private Instant fromTime;
        private Instant toTime;
        private Set<Protocol> protocols = Set.of();
        private Set<String> methods = Set.of();
        private final List<Pattern> paths = new ArrayList<>();
        private final List<Pattern> thriftMethods = new ArrayList<>();
        private Set<Integer> connections = Set.of();
        private double sample = 1;
        private long seed = 1;
        private long limit = Long.MAX_VALUE;
        private RedactionPolicy redaction;
        private EncryptionKey key;
        private CaptureOptions.Builder captureOptions = CaptureOptions.builder();

        private Builder() {}

        /** Sets the captures to read, at least one. */
        public Builder inputs(List<Path> inputs) {
            this.inputs = inputs;
            return this;
        }

        /** Sets the capture to write. */
        public Builder output(Path output) {
            this.output = output;
            return this;
        }

        /** Takes requests from a time on, in ns since the first capture's start. */
        public Builder fromNs(long fromNs) {
            this.fromNs = fromNs;
            return this;
        }

        /** Takes requests before a time, in ns since the first capture's start. */
        public Builder toNs(long toNs) {
            this.toNs = toNs;
            return this;
        }

        /** Takes requests from a moment on, by the clock of their recording. */
        public Builder fromTime(Instant fromTime) {
            this.fromTime = fromTime;
            return this;
        }

        /** Takes requests before a moment, by the clock of their recording. */
        public Builder toTime(Instant toTime) {
            this.toTime = toTime;
            return this;
        }

        /** Takes what connections of these protocols sent; none for all. */
        public Builder protocols(Set<Protocol> protocols) {
            this.protocols = protocols;
            return this;
        }

        /** Takes requests of these HTTP methods; none for all. */
        public Builder methods(Set<String> methods) {
            this.methods = methods;
            return this;
        }

        /** Takes requests whose path, without its query, matches a glob: {@code *} any characters, {@code ?} one. */
        public Builder path(String glob) {
            paths.add(glob(glob));
            return this;
        }

        /** Takes requests whose path, without its query, matches a pattern as a whole. */
        public Builder path(Pattern pattern) {
            paths.add(pattern);
            return this;
        }

        /** Takes Thrift requests whose function's name matches a glob, with or without its service's name. */
        public Builder thriftMethod(String glob) {
            thriftMethods.add(glob(glob));
            return this;
        }

        private static Pattern glob(String glob) {
            StringBuilder pattern = new StringBuilder();
            for (int i = 0; i < glob.length(); i++) {
                char c = glob.charAt(i);
                pattern.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
            }
            return Pattern.compile(pattern.toString(), Pattern.DOTALL);
        }

        /** Takes connections with these numbers; none for all. */
        public Builder connections(Set<Integer> connections) {
            this.connections = connections;
            return this;
        }

        /** Takes a share of the connections, above 0 and at most 1, each wholly or not at all. */
        public Builder sample(double sample) {
            this.sample = sample;
            return this;
        }

        /** Sets which connections a sample takes; the default is 1. */
        public Builder seed(long seed) {
            this.seed = seed;
            return this;
        }

        /** Ends after this many requests. */
        public Builder limit(long limit) {
            this.limit = limit;
            return this;
        }

        /** Sets by which policy values are replaced; null, the default, leaves them as they are. */
        public Builder redaction(RedactionPolicy redaction) {
            this.redaction = redaction;
            return this;
        }

        /** Sets the key of encrypted inputs, or null. */
        public Builder key(EncryptionKey key) {
            this.key = key;
            return this;
        }

        /** Sets the options of the new capture; the filter itself sets its start and carries notes over. */
        public Builder captureOptions(CaptureOptions.Builder captureOptions) {
            this.captureOptions = captureOptions;
            return this;
        }

        /**
         * Returns the checked configuration.
         *
         * @throws IllegalArgumentException naming the field, the rule and the value
         */
        public FilterConfig build() {
            if (inputs.isEmpty()) {
                throw new IllegalArgumentException("inputs must name at least one capture, found none");
            }
            if (output == null) {
                throw new IllegalArgumentException("output must name a file, found none");
            }
            if (fromNs < 0 || toNs <= fromNs) {
                throw new IllegalArgumentException(
                        "to must be behind from, found from " + fromNs / 1e9 + " s to " + toNs / 1e9 + " s");
            }
            if (fromTime != null && toTime != null && !toTime.isAfter(fromTime)) {
                throw new IllegalArgumentException("to must be behind from, found from " + fromTime + " to " + toTime);
            }
            if (!(sample > 0 && sample <= 1)) {
                throw new IllegalArgumentException(
                        "sample must be above 0 % and at most 100 %, found " + 100 * sample + " %");
            }
            if (limit < 1) {
                throw new IllegalArgumentException("limit must be at least 1 request, found " + limit);
            }
            return new FilterConfig(this);
        }
    }
}
