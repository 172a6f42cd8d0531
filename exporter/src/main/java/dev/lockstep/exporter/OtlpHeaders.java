package dev.lockstep.exporter;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The headers of OpenTelemetry's environment variable, in W3C Baggage's form: {@code name=value,name=value}, values
 * percent-encoded. They are secrets: no message has any of them.
 */
final class OtlpHeaders {
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7E]*");

    private OtlpHeaders() {}

    /** @param text may be null or empty, for none */
    static Map<String, String> parse(String text) {
        Map<String, String> headers = new LinkedHashMap<>();
        if (text == null || text.isBlank()) {
            return headers;
        }
        int number = 0;
        for (String entry : text.split(",")) {
            number++;
            int equals = entry.indexOf('=');
            String name = equals < 0 ? "" : entry.substring(0, equals).strip();
            String value =
                    equals < 0 ? null : decoded(entry.substring(equals + 1).strip());
            if (!NAME.matcher(name).matches()
                    || value == null
                    || !VALUE.matcher(value).matches()) {
                throw new ExporterException("OTEL_EXPORTER_OTLP_HEADERS: expected name=value,name=value with values"
                        + " percent-encoded, found something else as entry " + number);
            }
            headers.put(name, value);
        }
        return headers;
    }

    /** Returns null for what is not percent-encoded. */
    static String decoded(String value) {
        try {
            // A plus is a plus here, as in base64.
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
