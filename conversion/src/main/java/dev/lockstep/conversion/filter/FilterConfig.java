package dev.lockstep.conversion.filter;

import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.Nullable;
import dev.lockstep.capture.Protocol;
import dev.lockstep.conversion.ByteText;
import dev.lockstep.conversion.ConversionConfig;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.immutables.value.Value;

/** Which requests and connections of which captures go into another capture; by default all. */
@Value.Immutable
@SuppressWarnings("immutables:subtype") // The constructor that it warns of is not used.
public abstract class FilterConfig extends ConversionConfig {
    public static Builder builder() {
        return new Builder();
    }

    /** Only requests from a time on, in ns since the first capture's start. */
    @Value.Default
    long fromNs() {
        return 0;
    }

    /** Only requests before a time, in ns since the first capture's start. */
    @Value.Default
    long toNs() {
        return Long.MAX_VALUE;
    }

    /** Only requests from a moment on, by the clock of their recording. */
    @Nullable
    abstract Instant fromTime();

    /** Only requests before a moment, by the clock of their recording. */
    @Nullable
    abstract Instant toTime();

    /** Only what connections of these protocols sent; an empty set is all. */
    abstract Set<Protocol> protocols();

    /** Only requests of these HTTP methods; an empty set is all. */
    abstract Set<String> methods();

    /** Only requests whose path, without its query, matches one of these as a whole; an empty list is all. */
    abstract List<Pattern> paths();

    /** Only Thrift requests whose function's name matches one of these, with or without its service's name. */
    abstract List<Pattern> thriftMethods();

    /** Only connections with these numbers; an empty set is all. */
    abstract Set<Integer> connections();

    /** Which share of the connections to take, above 0 and at most 1, each wholly or not at all. */
    @Value.Default
    double sample() {
        return 1;
    }

    /** Decides which connections a sample takes. */
    @Value.Default
    long seed() {
        return 1;
    }

    /** How many requests to take at most. */
    @Value.Default
    long limit() {
        return Long.MAX_VALUE;
    }

    /** The key of encrypted inputs, or null. */
    @Nullable
    abstract EncryptionKey key();

    /** Whether requests are chosen by what they say, so that bytes outside requests are left out. */
    boolean choosesByName() {
        return !protocols().isEmpty() || choosesByWords();
    }

    private boolean choosesByWords() {
        return !methods().isEmpty() || !paths().isEmpty() || !thriftMethods().isEmpty();
    }

    /** Whether bytes outside requests are wanted, on a connection of this protocol. */
    boolean wantsOpaque(Protocol protocol) {
        return !choosesByWords() && wantsProtocol(protocol);
    }

    private boolean wantsProtocol(Protocol protocol) {
        return protocols().isEmpty() || protocols().contains(protocol);
    }

    boolean needsThriftName() {
        return !thriftMethods().isEmpty();
    }

    /** Whether requests are chosen at all, or only whole connections. */
    boolean choosesRequests() {
        return choosesByName()
                || fromNs() > 0
                || toNs() < Long.MAX_VALUE
                || fromTime() != null
                || toTime() != null
                || limit() < Long.MAX_VALUE;
    }

    /**
     * @param timeNs since the first capture's start
     * @param epochNs the same moment, since 1970
     */
    boolean wantsTime(long timeNs, long epochNs) {
        return timeNs >= fromNs()
                && timeNs < toNs()
                && (fromTime() == null || epochNs >= ns(fromTime()))
                && (toTime() == null || epochNs < ns(toTime()));
    }

    /** Whether no request is wanted from a moment on, whose times are those of {@link #wantsTime}. */
    boolean endsBefore(long timeNs, long epochNs) {
        return timeNs >= toNs() || toTime() != null && epochNs >= ns(toTime());
    }

    private static long ns(Instant instant) {
        try {
            return ChronoUnit.NANOS.between(Instant.EPOCH, instant);
        } catch (ArithmeticException e) {
            // Before or after all that a capture can have.
            return instant.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /** @param path without its query; null where there is none */
    boolean wantsPath(String path) {
        return paths().isEmpty() || path != null && matches(paths(), path);
    }

    boolean wantsName(Protocol protocol, String method, String path, String thriftMethod) {
        return wantsProtocol(protocol)
                && (methods().isEmpty() || method != null && methods().contains(method))
                && wantsPath(path)
                && (thriftMethods().isEmpty()
                        || thriftMethod != null
                                && (matches(thriftMethods(), thriftMethod)
                                        || matches(
                                                thriftMethods(),
                                                thriftMethod.substring(thriftMethod.lastIndexOf(':') + 1))));
    }

    private static boolean matches(List<Pattern> patterns, String bytes) {
        String text = ByteText.of(bytes);
        for (Pattern pattern : patterns) {
            if (pattern.matcher(text).matches()) {
                return true;
            }
        }
        return false;
    }

    /** The number is that over all captures. */
    boolean wantsConnection(int connection) {
        return (connections().isEmpty() || connections().contains(connection))
                && (sample() >= 1 || share(connection) < sample());
    }

    /** A number of [0, 1), as good as random and always the same for a connection and seed. */
    private double share(int connection) {
        // SplitMix64 (Steele, Lea, Flood 2014).
        long z = seed() + (connection + 1L) * 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return ((z ^ z >>> 31) >>> 11) * 0x1.0p-53;
    }

    @Value.Check
    void check() {
        checkFiles();
        if (fromNs() < 0 || toNs() <= fromNs()) {
            throw new IllegalArgumentException(
                    "to must be behind from, found from " + fromNs() / 1e9 + " s to " + toNs() / 1e9 + " s");
        }
        if (fromTime() != null && toTime() != null && !toTime().isAfter(fromTime())) {
            throw new IllegalArgumentException("to must be behind from, found from " + fromTime() + " to " + toTime());
        }
        if (!(sample() > 0 && sample() <= 1)) {
            throw new IllegalArgumentException(
                    "sample must be above 0 % and at most 100 %, found " + 100 * sample() + " %");
        }
        if (limit() < 1) {
            throw new IllegalArgumentException("limit must be at least 1 request, found " + limit());
        }
    }

    /** For one thread. {@link #build} throws IllegalArgumentException with the field, the rule and the value. */
    public static final class Builder extends ImmutableFilterConfig.Builder {
        Builder() {}

        /** Adds to the paths by a glob: {@code *} stands for any characters, {@code ?} for one. */
        public Builder path(String glob) {
            return path(glob(glob));
        }

        /** Adds to the functions of Thrift by a glob. */
        public Builder thriftMethod(String glob) {
            return thriftMethod(glob(glob));
        }

        private static Pattern glob(String glob) {
            StringBuilder pattern = new StringBuilder();
            for (int i = 0; i < glob.length(); i++) {
                char c = glob.charAt(i);
                pattern.append(c == '*' ? ".*" : c == '?' ? "." : quoted(c));
            }
            return Pattern.compile(pattern.toString(), Pattern.DOTALL);
        }

        /** Quotes what has a meaning alone: the capture's note of its filters shows the pattern. */
        private static String quoted(char c) {
            return "\\.[]{}()+|^$".indexOf(c) < 0 ? String.valueOf(c) : "\\" + c;
        }
    }
}
