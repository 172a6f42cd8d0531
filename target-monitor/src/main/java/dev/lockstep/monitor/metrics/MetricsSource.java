package dev.lockstep.monitor.metrics;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a server tells its metrics, and with which headers, or as which user, it is asked for them. The headers'
 * values, the password, and what stands behind the question mark of the URL can be secret: {@link #toString} has none
 * of them. Immutable.
 */
public final class MetricsSource {
    /** What is spoken there. */
    public enum Format {
        /** Prometheus' text format, or OpenMetrics. */
        PROMETHEUS,
        /** The MBeans of a JVM as JSON. */
        JOLOKIA,
        /** The MBeans of a JVM by Java's own remote calls. */
        JMX;

        /** Returns its name in files. */
        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String JMX_SCHEME = "service:jmx:";
    private static final String JMX_EXAMPLE = "service:jmx:rmi:///jndi/rmi://127.0.0.1:9010/jmxrmi";
    /** With the address of the registry as its only group; what stands before it the JDK ignores too. */
    private static final Pattern JMX_URL = Pattern.compile(
            "service:jmx:rmi://[^/]*/jndi/(rmi://(?:[\\w.-]+|\\[[0-9a-fA-F:.]+])(?::\\d{1,5})?/[\\w./-]+)");

    private final URI url;
    private final Format format;
    private final Map<String, String> headers;
    private final String user;
    private final String password;

    private MetricsSource(URI url, Format format, Map<String, String> headers, String user, String password) {
        this.url = url;
        this.format = format;
        this.headers = new LinkedHashMap<>(headers);
        this.user = user;
        this.password = password;
    }

    /**
     * @param url with {@code http} or {@code https}, or {@code service:jmx:rmi:///jndi/rmi://HOST:PORT/NAME}
     * @param format or null: JMX or Jolokia where the URL says so, else Prometheus
     * @param headers by name; none is sent over plain HTTP to another machine
     * @throws IllegalArgumentException in one line that says what was expected
     */
    public static MetricsSource of(String url, Format format, Map<String, String> headers) {
        if (url.startsWith(JMX_SCHEME)) {
            return ofJmx(url, format, headers);
        }
        if (format == Format.JMX) {
            throw notUrl(JMX_EXAMPLE, url);
        }
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw notUrl("http://127.0.0.1:8080/metrics", url);
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https") || uri.getHost() == null || uri.getFragment() != null) {
            throw notUrl("http://127.0.0.1:8080/metrics", url);
        }
        if (uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException("expected no user and password in the URL, which is printed; give them"
                    + " as a header: Authorization: Basic ${NAME}, where the environment variable NAME has them in"
                    + " base64");
        }
        Format spoken = format != null
                ? format
                : uri.getPath() != null && uri.getPath().contains("jolokia") ? Format.JOLOKIA : Format.PROMETHEUS;
        MetricsSource source = new MetricsSource(uri, spoken, headers, null, null);
        if (!headers.isEmpty() && scheme.equals("http") && !source.isLoopback()) {
            throw new IllegalArgumentException("expected https, or an address of this machine, for headers that may be"
                    + " secret, found " + source);
        }
        return source;
    }

    private static MetricsSource ofJmx(String url, Format format, Map<String, String> headers) {
        Matcher matcher = JMX_URL.matcher(url);
        if (!matcher.matches()) {
            throw notUrl(JMX_EXAMPLE, url);
        }
        if (format != null && format != Format.JMX) {
            throw new IllegalArgumentException(
                    "expected the format jmx for a URL that begins with " + JMX_SCHEME + ", found " + format.key());
        }
        if (!headers.isEmpty()) {
            throw new IllegalArgumentException(
                    "expected no headers, which JMX has not; give user and password where it asks for them");
        }
        URI registry = URI.create(matcher.group(1));
        if (registry.getHost() == null) {
            throw notUrl(JMX_EXAMPLE, url);
        }
        return new MetricsSource(registry, Format.JMX, headers, null, null);
    }

    /**
     * Returns this, asked as a user. Only over JMX, and only on this machine, for nothing says before the password is
     * sent whether the other side encrypts.
     *
     * @throws IllegalArgumentException in one line that says what was expected
     */
    public MetricsSource as(String user, String password) {
        if (format != Format.JMX) {
            throw new IllegalArgumentException("expected user and password with JMX only; over HTTP give them as a"
                    + " header: Authorization: Basic ${NAME}, where the environment variable NAME has them in base64");
        }
        if (!isLoopback()) {
            throw new IllegalArgumentException(
                    "expected an address of this machine for a password, found " + this + "; tunnel its port (ssh -L)");
        }
        return new MetricsSource(url, format, headers, user, password);
    }

    private static IllegalArgumentException notUrl(String example, String url) {
        // Without what may be secret: a password may have a '?', and a query an '@'.
        return new IllegalArgumentException("expected a URL such as " + example + ", found '"
                + url.replaceFirst(".*\\?.*@.*", "...")
                        .replaceFirst(".*@", "...@")
                        .replaceFirst("\\?.*", "?...") + "'");
    }

    /** Whether it is asked over TLS. */
    public boolean isTls() {
        return url.getScheme().equalsIgnoreCase("https");
    }

    /** Returns where it is asked; of JMX the registry's address and the name there, as {@code rmi://HOST:PORT/NAME}. */
    URI url() {
        return url;
    }

    public Format format() {
        return format;
    }

    Map<String, String> headers() {
        return headers;
    }

    /** Returns whom it is asked as, user and password; empty where it is asked as nobody. */
    Optional<String[]> login() {
        return user == null ? Optional.empty() : Optional.of(new String[] {user, password});
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
                && ((MetricsSource) other).headers.equals(headers)
                && Objects.equals(((MetricsSource) other).user, user)
                && Objects.equals(((MetricsSource) other).password, password);
    }

    @Override
    public int hashCode() {
        return Objects.hash(url, format, headers, user, password);
    }

    /** Returns the URL without what may be secret. */
    @Override
    public String toString() {
        if (format == Format.JMX) {
            return "service:jmx:rmi:///jndi/" + url;
        }
        String path = url.getRawPath() == null ? "" : url.getRawPath();
        return url.getScheme() + "://" + url.getRawAuthority() + path + (url.getRawQuery() == null ? "" : "?...");
    }
}
