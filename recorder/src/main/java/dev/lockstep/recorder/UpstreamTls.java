package dev.lockstep.recorder;

import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * How the proxy speaks TLS to the upstream: which certificates it trusts, and which name it asks for. Immutable; any
 * thread.
 */
public final class UpstreamTls {
    private final X509Certificate[] authorities;
    private final boolean insecure;
    private final String serverName;

    private UpstreamTls(X509Certificate[] authorities, boolean insecure, String serverName) {
        this.authorities = authorities;
        this.insecure = insecure;
        this.serverName = serverName;
    }

    /** Trusts the authorities of the Java runtime. */
    public static UpstreamTls trustingRuntime() {
        return new UpstreamTls(null, false, null);
    }

    /**
     * Trusts the authorities in a PEM file and no others.
     *
     * @throws RecorderException when the file cannot be read or holds no certificate
     */
    public static UpstreamTls trusting(Path authorities) {
        return new UpstreamTls(TlsIdentity.readCertificates(authorities), false, null);
    }

    /** Trusts any certificate, for trials: whoever answers may read and change everything. */
    public static UpstreamTls insecure() {
        return new UpstreamTls(null, true, null);
    }

    /**
     * A copy with a fixed server name, which is asked for (SNI) and which the certificate must be for. Without it the
     * proxy asks for the name that the client asked for, else for the upstream's host.
     */
    public UpstreamTls serverName(String name) {
        return new UpstreamTls(authorities, insecure, name);
    }

    public boolean isInsecure() {
        return insecure;
    }

    /** Null unless it was set. */
    public String serverName() {
        return serverName;
    }

    /** Null for those of the Java runtime. */
    List<X509Certificate> authorities() {
        return authorities == null ? null : List.of(authorities);
    }
}
