package dev.lockstep.monitor.metrics;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Where a server tells its metrics, and with which headers it is asked for them. Their values, and what stands behind
 * the question mark of the URL, can be secret: {@link #toString} has neither. Immutable.
 */
public final class MetricsSource {
    /** What is spoken there. */
    public enum Format {
        /** Prometheus' text format, or OpenMetrics. */
        PROMETHEUS,
        /** The MBeans of a JVM as JSON. */
        JOLOKIA;

        /** Returns its name in files. */
        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final URI url;
    private final Format format;
    private final Map<String, String> headers;

    private MetricsSource(URI url, Format format, Map<String, String> headers) {
        this.url = url;
        this.format = format;
        this.headers = new LinkedHashMap<>(headers);
    }

    /**
     * @param url with {@code http} or {@code https}
     * @param format or null: Jolokia where the path says so, else Prometheus
     * @param headers by name; none is sent over plain HTTP to another machine
     * @throws IllegalArgumentException in one line that says what was expected
     */
    public static MetricsSource of(String url, Format format, Map<String, String> headers) {
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw notUrl(url);
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https") || uri.getHost() == null || uri.getFragment() != null) {
            throw notUrl(url);
        }
        if (uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException("expected no user and password in the URL, which is printed; give them"
                    + " as a header: Authorization: Basic ${NAME}, where the environment variable NAME has them in"
                    + " base64");
        }
        Format spoken = format != null
                ? format
                : uri.getPath() != null && uri.getPath().contains("jolokia") ? Format.JOLOKIA : Format.PROMETHEUS;
        MetricsSource source = new MetricsSource(uri, spoken, headers);
        if (!headers.isEmpty() && scheme.equals("http") && !source.isLoopback()) {
            throw new IllegalArgumentException("expected https, or an address of this machine, for headers that may be"
                    + " secret, found " + source);
        }
        return source;
    }

    private static IllegalArgumentException notUrl(String url) {
        // Without what may be secret.
        return new IllegalArgumentException("expected a URL such as http://127.0.0.1:9100/metrics, found '"
                + url.replaceFirst("\\?.*", "?...").replaceFirst("//[^/@]*@", "//...@") + "'");
    }

    /** Whether it is asked over TLS. */
    public boolean isTls() {
        return url.getScheme().equalsIgnoreCase("https");
    }

    URI url() {
        return url;
    }

    public Format format() {
        return format;
    }

    Map<String, String> headers() {
        return headers;
    }

    private boolean isLoopback() {
        try {
            return InetAddress.getByName(url.getHost()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MetricsSource
                && ((MetricsSource) other).url.equals(url)
                && ((MetricsSource) other).format == format
                && ((MetricsSource) other).headers.equals(headers);
    }

    @Override
    public int hashCode() {
        return Objects.hash(url, format, headers);
    }

    /** Returns the URL without what may be secret. */
    @Override
    public String toString() {
        String path = url.getRawPath() == null ? "" : url.getRawPath();
        return url.getScheme() + "://" + url.getRawAuthority() + path + (url.getRawQuery() == null ? "" : "?...");
    }
}
