package dev.lockstep.recorder;

import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;

/** How the proxy speaks TLS to the upstream: whom it trusts, and which name it asks for. Immutable; any thread. */
public final class UpstreamTls {
    private final X509Certificate[] authorities;
    private final boolean insecure;
    private final String serverName;

    private UpstreamTls(X509Certificate[] authorities, boolean insecure, String serverName) {
        this.authorities = authorities;
        this.insecure = insecure;
        this.serverName = serverName;
    }

    /** Returns TLS that trusts the authorities of the Java runtime. */
    public static UpstreamTls trustingRuntime() {
        return new UpstreamTls(null, false, null);
    }

    /**
     * Returns TLS that trusts the authorities in a PEM file and no others.
     *
     * @throws RecorderException when the file cannot be read or holds no certificate
     */
    public static UpstreamTls trusting(Path authorities) {
        return new UpstreamTls(TlsIdentity.readCertificates(authorities), false, null);
    }

    /** Returns TLS that trusts anybody, for trials: whoever answers may read and change everything. */
    public static UpstreamTls insecure() {
        return new UpstreamTls(null, true, null);
    }

    /**
     * Returns the same with a fixed server name, which is asked for (SNI) and which the certificate must be for. Unless
     * set it is the name that the client asked for, else the upstream's host.
     */
    public UpstreamTls serverName(String name) {
        return new UpstreamTls(authorities, insecure, name);
    }

    /** Tells whether anybody is trusted. */
    public boolean isInsecure() {
        return insecure;
    }

    /** Returns the fixed server name, or null. */
    public String serverName() {
        return serverName;
    }

    /** Returns the trusted authorities, or null for those of the Java runtime. */
    List<X509Certificate> authorities() {
        return authorities == null ? null : List.of(authorities);
    }
}
