package dev.lockstep.replayer.tls;

import dev.lockstep.capture.Protocol;
import dev.lockstep.net.PemFile;
import dev.lockstep.net.Tls;
import dev.lockstep.replayer.ReplayException;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/**
 * How TLS is spoken to targets: which certificates it accepts, and which it shows; by the Java runtime's TLS.
 * Immutable; any thread.
 *
 * <p>The name asked for (SNI) and the name that the certificate must be for are the host of the target's address.
 * Sessions are kept by host and port: a connection after the first resumes one, where the target lets it.
 */
public final class TargetTls {
    private final SSLContext context;
    private final boolean insecure;

    private TargetTls(SSLContext context, boolean insecure) {
        this.context = context;
        this.insecure = insecure;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The keys and the trust, for others that talk to the same targets. */
    public SSLContext context() {
        return context;
    }

    /** Tells whether any certificate is accepted, under any name. */
    public boolean isInsecure() {
        return insecure;
    }

    /** Returns the link of a new channel to a target, for requests of this protocol. */
    public TlsLink newLink(InetSocketAddress target, Protocol protocol, long timeoutNs) {
        SSLEngine engine = context.createSSLEngine(target.getHostString(), target.getPort());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        String offered = offered(protocol);
        if (offered != null) {
            parameters.setApplicationProtocols(new String[] {offered});
        }
        Tls.askFor(target.getHostString(), insecure, parameters);
        engine.setSSLParameters(parameters);
        SslHandler handler = new SslHandler(engine);
        // Each write is a record of its own: otherwise Netty would append to the buffers of the digest.
        handler.setWrapDataSize(0);
        handler.setHandshakeTimeoutMillis(
                timeoutNs == Long.MAX_VALUE ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
        return new TlsLink(handler, protocol == Protocol.HTTP2 ? offered : null);
    }

    /** What is offered by ALPN, or null: Thrift has no name there. */
    private static String offered(Protocol protocol) {
        switch (protocol) {
            case HTTP1:
            case WEBSOCKET:
                return "http/1.1";
            case HTTP2:
                return "h2";
            default:
                return null;
        }
    }

    /** Collects the settings; by default the authorities of the Java runtime are trusted. */
    public static final class Builder {
        private List<X509Certificate> authorities;
        private boolean insecure;
        private List<X509Certificate> chain;
        private PrivateKey key;

        private Builder() {}

        /**
         * Trusts the authorities of a PEM file and no others.
         *
         * @throws ReplayException when the file cannot be read or holds no certificate
         */
        public Builder trust(Path authorities) {
            try {
                this.authorities = PemFile.certificates(authorities);
            } catch (IOException e) {
                throw new ReplayException(e.getMessage(), e);
            }
            return this;
        }

        /** Accepts any certificate under any name, for trials: what answers may read and change everything. */
        public Builder insecure() {
            this.insecure = true;
            return this;
        }

        /**
         * Shows a certificate to targets that ask for one.
         *
         * @param certificateChain PEM, the client's certificate first
         * @param privateKey its key, PEM of PKCS #8, not encrypted; may be the same file
         * @throws ReplayException when a file cannot be read or does not hold that
         */
        public Builder identity(Path certificateChain, Path privateKey) {
            try {
                this.chain = PemFile.certificates(certificateChain);
                this.key = PemFile.key(privateKey, chain.get(0), certificateChain);
            } catch (IOException e) {
                throw new ReplayException(e.getMessage(), e);
            }
            return this;
        }

        /**
         * Returns the checked settings.
         *
         * @throws ReplayException when the runtime cannot use a certificate or the key
         */
        public TargetTls build() {
            try {
                SSLContext context = Tls.context(
                        key == null ? null : Tls.keys(key, chain),
                        insecure ? Tls.trustAnyone() : Tls.trust(authorities));
                return new TargetTls(context, insecure);
            } catch (GeneralSecurityException | IOException e) {
                throw new ReplayException(
                        "cannot prepare TLS: " + e.getMessage() + "; check the certificates and the key", e);
            }
        }
    }
}
