package dev.lockstep.exporter;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text format of OpenMetrics 1.0, which Prometheus asks for, beside Prometheus's own. */
final class OpenMetrics {
    static final String TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private static final String NAME = "application/openmetrics-text";
    private static final Pattern QUALITY = Pattern.compile("\\s*q\\s*=\\s*([01](?:\\.[0-9]{0,3})?)\\s*");
    /** The line that begins a metric whose name ends in its unit; in values and explanations line feeds are escaped. */
    private static final Pattern WITH_UNIT = Pattern.compile("(?m)^# TYPE ([a-z0-9_]+_(seconds|bytes)) [a-z]+$");

    private OpenMetrics() {}

    /** Returns the page of a registry. */
    static String scrape(PrometheusMeterRegistry registry) {
        // Micrometer tells the library the unit as a part of the name only.
        return WITH_UNIT.matcher(registry.scrape(TYPE)).replaceAll("$0\n# UNIT $1 $2");
    }

    /**
     * Says whether a client wants this format at least as much as Prometheus's.
     *
     * @param accept its headers of that name, or null
     */
    static boolean isWanted(List<String> accept) {
        double own = 0;
        double plain = 0;
        for (String header : accept == null ? List.<String>of() : accept) {
            for (String range : header.split(",")) {
                String[] parts = range.split(";");
                String type = parts[0].strip().toLowerCase(Locale.ROOT);
                if (type.equals(NAME)) {
                    own = Math.max(own, quality(parts));
                } else if (type.equals("text/plain")) {
                    plain = Math.max(plain, quality(parts));
                }
            }
        }
        return own > 0 && own >= plain;
    }

    private static double quality(String[] parts) {
        for (String part : parts) {
            Matcher quality = QUALITY.matcher(part);
            if (quality.matches()) {
                return Double.parseDouble(quality.group(1));
            }
        }
        return 1;
    }
}
