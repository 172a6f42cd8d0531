package dev.lockstep.conversion.filter;

import dev.lockstep.capture.Protocol;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the header of a filtered capture says of its filters, behind what the filters before it said. */
final class FilterNotes {
    /** The longest note that a capture's header has room for. */
    private static final int MAX_BYTES = 255;

    private FilterNotes() {}

    /** The filters; null when there are none. */
    static String filters(String before, FilterConfig config) {
        List<String> all = new ArrayList<>();
        if (before != null) {
            all.add(before);
        }
        if (config.fromNs() > 0 || config.fromTime() != null) {
            all.add("from " + (config.fromTime() != null ? config.fromTime() : config.fromNs() / 1e9 + " s"));
        }
        if (config.toNs() < Long.MAX_VALUE || config.toTime() != null) {
            all.add("to " + (config.toTime() != null ? config.toTime() : config.toNs() / 1e9 + " s"));
        }
        if (!config.protocols().isEmpty()) {
            all.add("protocol "
                    + config.protocols().stream().map(Protocol::label).sorted().collect(Collectors.joining(" ")));
        }
        if (!config.methods().isEmpty()) {
            all.add("method " + String.join(" ", new TreeSet<>(config.methods())));
        }
        if (!config.paths().isEmpty()) {
            all.add("path " + patterns(config.paths()));
        }
        if (!config.thriftMethods().isEmpty()) {
            all.add("Thrift " + patterns(config.thriftMethods()));
        }
        if (!config.connections().isEmpty()) {
            all.add("connections "
                    + config.connections().stream()
                            .sorted()
                            .map(String::valueOf)
                            .collect(Collectors.joining(" ")));
        }
        if (config.limit() < Long.MAX_VALUE) {
            all.add("the first " + config.limit() + " requests");
        }
        return all.isEmpty() ? null : cut(String.join(", ", all));
    }

    private static String patterns(List<Pattern> patterns) {
        return patterns.stream().map(Pattern::pattern).collect(Collectors.joining(" "));
    }

    /** How connections are sampled; null when they never were. */
    static String sampling(String before, FilterConfig config) {
        if (config.sample() >= 1) {
            return before;
        }
        String now = String.format(
                Locale.ROOT, "%s%% of the connections, seed %d", number(100 * config.sample()), config.seed());
        return cut(before == null ? now : before + ", then " + now);
    }

    /** Without the digits that come of computing in binary: 100 times 0.07 is 7.000000000000001. */
    private static String number(double value) {
        return new BigDecimal(value, new MathContext(9)).stripTrailingZeros().toPlainString();
    }

    static String cut(String text) {
        String kept = text;
        while (kept.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            kept = kept.substring(0, Math.min(kept.length() - 1, MAX_BYTES));
        }
        return kept;
    }
}
