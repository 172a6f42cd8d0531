package dev.lockstep.replayer;

import dev.lockstep.capture.Protocol;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.IDN;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * How TLS is spoken to targets: whom it trusts, and as whom it comes; with the engines of the Java runtime. Immutable;
 * any thread.
 *
 * <p>The name asked for (SNI) and the name that the certificate must be for are the host of the target's address.
 * Sessions are kept by host and port: a connection after the first resumes one, where the target lets it.
 */
public final class TargetTls {
    private static final char[] NO_PASSWORD = {};

    private final SSLContext context;
    private final boolean insecure;

    private TargetTls(SSLContext context, boolean insecure) {
        this.context = context;
        this.insecure = insecure;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns the keys and the trust, for others that talk to the same targets. */
    public SSLContext context() {
        return context;
    }

    /** Tells whether anybody is trusted, under any name. */
    public boolean isInsecure() {
        return insecure;
    }

    /** Returns the link of a new channel to a target, for requests of this protocol. */
    TlsLink newLink(InetSocketAddress target, Protocol protocol, long timeoutNs) {
        SSLEngine engine = context.createSSLEngine(target.getHostString(), target.getPort());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        String offered = offered(protocol);
        if (offered != null) {
            parameters.setApplicationProtocols(new String[] {offered});
        }
        if (isName(target.getHostString())) {
            parameters.setServerNames(List.of(new SNIHostName(target.getHostString())));
        }
        if (!insecure) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        engine.setSSLParameters(parameters);
        SslHandler handler = new SslHandler(engine);
        // A write is a record of its own: Netty would else append to the buffers of the digest.
        handler.setWrapDataSize(0);
        handler.setHandshakeTimeoutMillis(
                timeoutNs == Long.MAX_VALUE ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
        return new TlsLink(handler, protocol == Protocol.HTTP2 ? offered : null);
    }

    /** Returns what is offered by ALPN, or null: Thrift has no name of its own there. */
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

    private static boolean isName(String host) {
        if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
            return false;
        }
        try {
            IDN.toASCII(host, IDN.USE_STD3_ASCII_RULES);
            return !host.isEmpty() && !host.endsWith(".");
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Collects whom to trust; unless told otherwise, the authorities of the Java runtime. */
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
            this.authorities = PemFile.certificates(authorities);
            return this;
        }

        /** Trusts anybody under any name, for trials: whoever answers may read and change everything. */
        public Builder insecure() {
            this.insecure = true;
            return this;
        }

        /**
         * Comes with a certificate, where a target asks for one.
         *
         * @param certificateChain PEM, the client's certificate first
         * @param privateKey its key, PEM of PKCS #8, not encrypted; may be the same file
         * @throws ReplayException when a file cannot be read or does not hold that
         */
        public Builder identity(Path certificateChain, Path privateKey) {
            this.chain = PemFile.certificates(certificateChain);
            this.key = PemFile.key(privateKey, chain.get(0), certificateChain);
            return this;
        }

        /**
         * Returns the checked settings.
         *
         * @throws ReplayException when the runtime cannot use a certificate or the key
         */
        public TargetTls build() {
            try {
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(keys(), trust(), null);
                return new TargetTls(context, insecure);
            } catch (GeneralSecurityException | IOException e) {
                throw new ReplayException(
                        "cannot prepare TLS: " + e.getMessage() + "; check the certificates and the key", e);
            }
        }

        private KeyManager[] keys() throws GeneralSecurityException, IOException {
            if (key == null) {
                return null;
            }
            KeyStore store = emptyStore();
            store.setKeyEntry("client", key, NO_PASSWORD, chain.toArray(new X509Certificate[0]));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            return keys.getKeyManagers();
        }

        private TrustManager[] trust() throws GeneralSecurityException, IOException {
            if (insecure) {
                return InsecureTrustManagerFactory.INSTANCE.getTrustManagers();
            }
            KeyStore store = null; // the runtime's
            if (authorities != null) {
                store = emptyStore();
                for (X509Certificate authority : authorities) {
                    store.setCertificateEntry("authority" + store.size(), authority);
                }
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust.getTrustManagers();
        }

        private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            return store;
        }
    }
}
